"""What reads models whose rows have offsets: scores have them, or a sentence says that they cannot."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from boosted_data import MAKE, boost, score
from forest_data import rows
from scipy.special import expit

import madtree
from madtree.errors import MadtreeError
from madtree.report import build_report

FEATURES = "a, b, c"
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "classes": ("late", {}),
    "half the odds, groups": ("late", {"loss": "exponential", "grouping_cols": "g", "weights": "w"}),
    "counts, groups": ("n", {"loss": "poisson", "grouping_cols": "g"}),
    "counts, exposures": ("n", {"loss": "poisson", "exposure": "w"}),
    "ratios": ("(y + 20)", {"loss": "gamma"}),
    "numbers": ("y", {"loss": "huber", "weights": "w"}),
}


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    """Offsets without a number: NULL, NaN and infinite ones."""
    db.execute(MAKE)
    db.execute(
        "ALTER TABLE t ADD o float8; UPDATE t SET o = (id * 7919 % 101 - 50) / 40.0; "
        "CREATE TABLE u AS SELECT * FROM t; UPDATE u SET o = NULL WHERE id % 50 = 1; "
        "UPDATE u SET o = 'NaN' WHERE id % 50 = 2; UPDATE u SET o = '-inf' WHERE id % 50 = 3; "
        "UPDATE u SET g = 9 WHERE id % 50 = 4; UPDATE u SET g = 0 WHERE id % 50 = 5; ANALYZE u"
    )


def numbers(found: list[dict[str, Any]], name: str) -> np.ndarray:
    return np.array([np.nan if row[name] is None else float(row[name]) for row in found])


def predicted(db: psycopg.Connection, type_: str, model: str = "m", source: str = "u") -> list[dict[str, Any]]:
    db.execute("DROP TABLE IF EXISTS scored")
    db.execute("SELECT madtree.boost_predict(%s, %s, 'scored', %s)", [model, source, type_])
    return rows(db, "SELECT * FROM scored ORDER BY id")


def second(found: list[dict[str, Any]]) -> list[Any]:
    """The last column."""
    return [[*row.values()][-1] for row in found]


def said(db: psycopg.Connection, type_: str, source: str = "u") -> list[Any]:
    """What the model's expression says."""
    (sql,) = db.execute("SELECT madtree.boost_sql('m', %s)", [type_]).fetchone()  # type: ignore[misc]
    return [row["said"] for row in rows(db, f"SELECT ({sql}) AS said FROM {source} ORDER BY id")]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", MODELS)
def test_scores_are_those_without_and_the_offset(db: psycopg.Connection, name: str) -> None:
    """A model that is trained on the same rows, whose offsets are 0 where it scores, tells the rest."""
    target, more = MODELS[name]
    boost(db, target, offsets="o", **more)
    raw = np.array([np.nan if one is None else one for one in second(predicted(db, "raw"))])
    db.execute("CREATE TABLE v AS SELECT * FROM u; UPDATE v SET o = 0")
    rest = np.array([np.nan if one is None else one for one in second(predicted(db, "raw", source="v"))])
    offset = numbers(rows(db, "SELECT o FROM u ORDER BY id"), "o")
    np.testing.assert_allclose(raw, np.where(np.isfinite(offset), offset, np.nan) + rest, rtol=1e-12, atol=1e-12)
    assert np.isnan(raw).sum() == 54 + 18 * ("groups" in name)
    response = second(predicted(db, "response"))
    assert [one is None for one in response] == np.isnan(raw).tolist()
    if target == "late":
        share = expit(raw * (2 if "half" in name else 1))
        given = second(predicted(db, "prob"))
        np.testing.assert_allclose([np.nan if one is None else one for one in given], share, rtol=1e-12)
        assert [one for one in response if one is not None] == [one > 0.5 for one in share if one == one]
        assert said(db, "response") == response
        expressed = [np.nan if one is None else one for one in said(db, "prob")]
        np.testing.assert_allclose(expressed, share, rtol=1e-12)
    else:
        number = np.exp(raw) if "numbers" not in name else raw
        np.testing.assert_allclose([np.nan if one is None else one for one in response], number, rtol=1e-12)
        expressed = [np.nan if one is None else one for one in said(db, "response")]
        np.testing.assert_allclose(expressed, number, rtol=1e-12)
    assert said(db, "raw") == [None if one != one else one for one in raw.tolist()]


def test_by_workers_and_views_it_is_the_same(db: psycopg.Connection) -> None:
    boost(db, "late", offsets="o", grouping_cols="g")
    expected = predicted(db, "prob")
    db.execute("CREATE VIEW seen AS SELECT * FROM u ORDER BY y")
    assert predicted(db, "prob", source="seen") == expected
    db.execute(
        "CREATE TABLE many AS SELECT u.*, i FROM u, generate_series(1, 200) AS i; UPDATE many SET id = id + 1000 * i"
    )
    db.execute("ALTER TABLE many SET (parallel_workers = 2); ANALYZE many")
    by_id = {row["id"] % 1000: row["estimated_prob_true"] for row in predicted(db, "prob", source="many")}
    assert by_id == {row["id"]: row["estimated_prob_true"] for row in expected}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", MODELS)
def test_it_is_judged_by_scores_with_offsets(db: psycopg.Connection, name: str) -> None:
    target, more = MODELS[name]
    boost(db, target, offsets="o", **more)
    found = predicted(db, "prob" if target == "late" else "response", source="t")
    data = rows(db, f"SELECT {target} AS y, w FROM t ORDER BY id")
    outcome, says = numbers(data, "y"), np.array(second(found), float)
    weight = numbers(data, "w") if {"weights", "exposure"} & more.keys() else np.ones(len(data))
    if "exposure" in more:
        outcome = outcome / weight
    staged = rows(db, "SELECT * FROM madtree.boost_staged('m', 't')")
    last = [row for row in staged if "grouping_cols" not in more or row["tree_id"] is None][-1]
    told = rows(db, "SELECT * FROM madtree.tree_evaluate('m', 't')")
    judged = {row["metric"]: row["value"] for row in told if row["group_values"] is None}
    if target == "late":
        assert last["value"] == pytest.approx(np.average((says > 0.5) == outcome, weights=weight), rel=1e-12)
        own = np.where(outcome > 0, says, 1 - says)
        assert judged["log_loss"] == pytest.approx(-np.average(np.log(own), weights=weight), rel=1e-9)
        assert judged["accuracy"] == pytest.approx(last["value"], rel=1e-12)
    else:
        error = np.sqrt(np.average((says - outcome) ** 2, weights=weight))
        assert last["value"] == pytest.approx(error, rel=1e-9)
        if "exposure" not in more:
            assert judged["rmse"] == pytest.approx(error, rel=1e-9)
    if "grouping_cols" not in more:
        (trained,) = rows(db, "SELECT training_loss FROM m_group")
        assert last["loss"] == pytest.approx(trained["training_loss"], rel=1e-12)


def test_rows_without_a_score_are_not_judged(db: psycopg.Connection) -> None:
    boost(db, "late", offsets="o")
    db.execute("CREATE TABLE v AS SELECT * FROM u WHERE o > '-inf' AND o < 'NaN'")
    for call in ("boost_staged('m', %s)", "tree_evaluate('m', %s)", "permutation_importance('m', %s, n_repeats => 1)"):
        every, some = (rows(db, f"SELECT * FROM madtree.{call}", source) for source in ("u", "v"))
        if "staged" in call:
            assert every == some
        elif "evaluate" in call:
            of = [{row["metric"]: row["value"] for row in found} for found in (every, some)]
            assert of[0]["log_loss"] == pytest.approx(of[1]["log_loss"], rel=1e-12)
        else:
            assert every[0]["value"] == pytest.approx(some[0]["value"], rel=1e-12)


def test_what_is_predicted_on_average_has_offsets(db: psycopg.Connection) -> None:
    boost(db, "late", offsets="o", grouping_cols="g")
    for type_ in ("raw", "prob"):
        found = rows(db, "SELECT value, estimated, n FROM madtree.partial_dependence('m', 'u', 'b', %s)", type_)
        for row in found[:3]:
            db.execute("DROP TABLE IF EXISTS v; CREATE TABLE v AS SELECT * FROM u")
            db.execute("UPDATE v SET b = %s", [float(row["value"])])
            own = [one for one in second(predicted(db, type_, source="v")) if one is not None]
            assert row["n"] == len(own)
            assert row["estimated"] == pytest.approx(np.mean(own), rel=1e-12)


def test_contributions_explain_what_the_offset_does_not(db: psycopg.Connection) -> None:
    """Expected and contributions are those of the trees: a row's score is these, and its offset."""
    boost(db, "late", offsets="o")
    raw = np.array(second(predicted(db, "raw", source="t")), float)
    db.execute("SELECT madtree.tree_shap('m', 't', 'explained')")
    told = rows(db, "SELECT expected, a, b, c FROM explained ORDER BY id")
    offset = numbers(rows(db, "SELECT o FROM t ORDER BY id"), "o")
    np.testing.assert_allclose([sum(row.values()) for row in told] + offset, raw, rtol=1e-9, atol=1e-12)
    steps = rows(db, "SELECT * FROM madtree.tree_explain('m', 't', '7')")
    assert steps[-1]["estimated"] == pytest.approx(raw[6] - offset[6], rel=1e-9)


def test_a_table_without_the_offset_is_refused(db: psycopg.Connection) -> None:
    boost(db, "late", offsets="o / 2 + w")
    db.execute("ALTER TABLE u DROP o")
    for call in ("boost_predict('m', 'u', 'scored')", "boost_staged('m', 'u')", "tree_evaluate('m', 'u')"):
        with pytest.raises(psycopg.Error, match=r"u lacks o / 2 \+ w, which the model needs") as told:
            db.execute(f"SELECT * FROM madtree.{call}")
        assert "It must also have what the model's offsets are made of." in str(told.value.diag.message_hint)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("tree_to_pmml('m')", "m has offsets, o, which a PMML document does not add to scores"),
        ("calibrate('m', 't', 'other')", "m has offsets, o, and maps from scores to probabilities hold for trees"),
        ("tree_refresh('m', 't', 'other')", "m has offsets, with which the scores of other rows would begin"),
    ],
)
def test_what_cannot_have_offsets_says_so(db: psycopg.Connection, call: str, sentence: str) -> None:
    boost(db, "late", offsets="o")
    with pytest.raises(psycopg.Error, match=sentence):
        db.execute(f"SELECT madtree.{call}")


def test_what_else_reads_it(db: psycopg.Connection) -> None:
    boost(db, "late", offsets="o", num_trees=6)
    (document,) = db.execute("SELECT madtree.tree_to_json('m')").fetchone()  # type: ignore[misc]
    assert document["offsets"] == "o"
    assert db.execute("SELECT madtree.tree_to_pmml('m', 2)").fetchone() is not None  # one tree says what it adds
    db.execute("SELECT madtree.boost_cut('m', 'short', 2)")
    first = score(db, "raw", num_trees=2)
    assert predicted(db, "raw", "short", "t") == first
    db.execute("SELECT madtree.tree_statistics('m', 't')")
    assert len(rows(db, "SELECT * FROM madtree.tree_drift('m', 'u')")) == 4
    assert "offsets" in build_report(db, "m", data="t")
    (sql,) = db.execute("SELECT madtree.boost_sql('m', 'raw', dialect => 'sqlite')").fetchone()  # type: ignore[misc]
    assert "CAST(`o` AS REAL)" in sql
    boost(db, "late", "by_expression", offsets="o + 1")
    with pytest.raises(psycopg.Error, match="dialect: offsets is an expression of PostgreSQL's, which sqlite may read"):
        db.execute("SELECT madtree.boost_sql('by_expression', 'raw', dialect => 'sqlite')")


def test_a_client_reads_no_frames_by_it(db: psycopg.Connection) -> None:
    boost(db, "late", offsets="o")
    with madtree.connect(db) as client:
        model = client.boosted("m")
        frame = {name: [1.0] for name in "ab"} | {"c": ["c1"]}
        for use in (lambda: model.predict(frame), model.to_sklearn, model.to_lightgbm):
            with pytest.raises(MadtreeError, match="m has offsets, o, which the rows of a frame do not tell"):
                use()
