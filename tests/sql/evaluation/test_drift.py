"""tree_statistics and tree_drift: held against counts and a population stability index made in plain Python."""

from __future__ import annotations

from collections import Counter
from math import log
from typing import Any

import psycopg
import pytest
from forest_data import rows

MAKE = """
CREATE TYPE size AS ENUM ('s', 'm', 'l');
CREATE TABLE t AS SELECT i AS id, hashint4(i) / 4294967296.0::float8 AS x,
    CASE WHEN i % 11 > 0 THEN abs(hashint4(-i)) % 40 END AS z, 'c' || abs(hashint4(i + 5)) % 40 AS c,
    (ARRAY['s', 'm', 'l'])[1 + i % 3]::size AS s, i % 2 = 0 AS b, date '2026-01-01' + i % 90 AS d, i % 3 AS g
FROM generate_series(1, 3000) AS i;
ALTER TABLE t ADD y boolean, ADD v float8;
UPDATE t SET y = x + coalesce(z, 10) / 40.0 + (c < 'c2')::int / 2.0 > 0.7, v = x * 3 + z;
CREATE TABLE training AS SELECT * FROM t WHERE id <= 2000;
CREATE TABLE later AS
SELECT id, x * 1.5 + 0.1 AS x, CASE WHEN id % 4 > 0 THEN z + id % 7 END AS z,
    CASE WHEN id % 13 = 0 THEN 'new' WHEN id % 17 > 0 THEN c END AS c, s, b OR id % 5 = 0 AS b, d + 20 AS d, g, y, v
FROM t WHERE id > 2000;
"""
FEATURES = ("x", "z", "c", "s", "b", "d")
LIST = ", ".join(FEATURES)
MODELS = {
    "tree": f"tree_train('training', 'm', 'id', 'y', '{LIST}')",
    "grouped": f"tree_train('training', 'm', 'id', 'y', '{LIST}', grouping_cols => 'g')",
    "forest": f"forest_train('training', 'm', 'id', 'v', '{LIST}', num_trees => 3)",
    "boosted": f"boost_train('training', 'm', 'id', 'y', '{LIST}', num_trees => 5)",
    "nulls": f"tree_train('training', 'm', 'id', 'y', '{LIST}', surrogate_params => 'null_as_category=true')",
}


@pytest.fixture(autouse=True)
def _tables(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def psi(before: list[int], now: list[int]) -> float:
    """The sum over what either has."""
    total = 0.0
    for e, a in zip(before, now, strict=True):
        if e or a:
            expected, actual = max(e, 0.5) / sum(before), max(a, 0.5) / sum(now)
            total += (actual - expected) * log(actual / expected)
    return total


def column(db: psycopg.Connection, table: str, feature: str) -> list[Any]:
    """Values as trees compare them."""
    numbers = {"d": "extract(epoch FROM d)::float8", "s": "array_position(enum_range(NULL::size), s)::float8"}
    return [row["v"] for row in rows(db, f"SELECT {numbers.get(feature, feature)} AS v FROM {table} ORDER BY id")]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", MODELS)
def test_every_number_is_what_plain_counting_says(db: psycopg.Connection, name: str) -> None:
    db.execute(f"SELECT madtree.{MODELS[name]}")  # type: ignore[arg-type]
    answer = db.execute("SELECT madtree.tree_statistics('m', 'training')").fetchone()
    assert answer == ("tree_statistics: values of 2000 rows of training kept with m",)
    kept = rows(db, "SELECT * FROM m_statistics ORDER BY feature, place")
    told = {row["feature"]: row for row in rows(db, "SELECT * FROM madtree.tree_drift('m', 'later')")}
    for feature in FEATURES:
        before, now = column(db, "training", feature), column(db, "later", feature)
        own = [row for row in kept if row["feature"] == feature and row["kind"] != "missing"]
        (missing,) = (row["n"] for row in kept if row["feature"] == feature and row["kind"] == "missing")
        assert missing == before.count(None)
        known, new = ([value for value in values if value is not None] for values in (before, now))
        if own[0]["kind"] == "category":
            texts = [str(value).lower() if feature == "b" else value for value in known]
            counts = Counter(texts)
            assert {row["category"]: row["n"] for row in own} == dict(counts)
            first = sorted(counts, key=lambda text: (-counts[text], text))[:20]
            later = Counter(str(value).lower() if feature == "b" else value for value in new)
            expected = [counts[text] for text in first] + [
                sum(counts.values()) - sum(counts[t] for t in first),
                missing,
            ]
            actual = [later[text] for text in first] + [len(new) - sum(later[t] for t in first), now.count(None)]
            outside = sum(later[text] for text in later if text not in counts)
            tolerance = 1e-9 if len(counts) <= 20 else 0.5  # of as many rows any may be the twentieth
        else:
            ends = [row["high"] for row in own]
            assert (own[0]["low"], ends[-1]) == (min(known), max(known))

            def placed(values: list[Any], ends: list[Any] = ends) -> list[int]:
                places = [next((i for i, end in enumerate(ends[:-1]) if v <= end), len(ends) - 1) for v in values]
                return [places.count(i) for i in range(len(ends))]

            assert [row["n"] for row in own] == placed(known)
            expected, actual = [*placed(known), missing], [*placed(new), now.count(None)]
            outside, tolerance = sum(v < min(known) or v > max(known) for v in new), 1e-9
        row = told[feature]
        assert row["psi"] == pytest.approx(psi(expected, actual), abs=tolerance)
        assert row["missing"] == pytest.approx(now.count(None) / len(now))
        assert row["missing_before"] == pytest.approx(missing / len(before))
        assert row["outside"] == pytest.approx(outside / len(now))
        assert row["n"] == len(now)


@pytest.mark.parametrize("name", ["tree", "grouped"])
def test_leaves_are_held_against_those_of_the_training(db: psycopg.Connection, name: str) -> None:
    db.execute(f"SELECT madtree.{MODELS[name]}")  # type: ignore[arg-type]
    db.execute("SELECT madtree.tree_statistics('m', 'training')")
    db.execute("SELECT madtree.tree_predict('m', 'later', 'scored', 'leaf')")
    group = "g" if name == "grouped" else "0"
    found = Counter(
        (row["g"], row["node_id"])
        for row in rows(db, f"SELECT {group} AS g, node_id FROM scored JOIN later USING (id)")
    )
    leaves = rows(
        db,
        f"SELECT {group} AS g, node_id, n.n_rows FROM m_nodes AS n JOIN m USING (tree_id) WHERE is_leaf",
    )
    before = [row["n_rows"] for row in leaves]
    now = [found[row["g"], row["node_id"]] for row in leaves]
    told = rows(db, "SELECT * FROM madtree.tree_drift('m', 'later')")
    assert told[-1]["feature"] is None
    assert told[-1]["psi"] == pytest.approx(psi(before, now))
    assert [row["psi"] for row in told[:-1]] == sorted((row["psi"] for row in told[:-1]), reverse=True)


def test_the_training_rows_themselves_have_not_moved(db: psycopg.Connection) -> None:
    db.execute(f"SELECT madtree.{MODELS['tree']}")  # type: ignore[arg-type]
    db.execute("SELECT madtree.tree_statistics('m', 'training')")
    told = rows(db, "SELECT * FROM madtree.tree_drift('m', 'training')")
    assert all(row["psi"] == 0 for row in told)
    assert all(row["outside"] == 0 for row in told if row["feature"])


def test_rows_of_unknown_groups_tell_nothing_of_leaves(db: psycopg.Connection) -> None:
    db.execute(f"SELECT madtree.{MODELS['grouped']}")  # type: ignore[arg-type]
    db.execute("SELECT madtree.tree_statistics('m', 'training'); UPDATE later SET g = 9")
    told = rows(db, "SELECT * FROM madtree.tree_drift('m', 'later')")
    assert sorted(row["feature"] for row in told) == sorted(FEATURES)
    db.execute("UPDATE m_nodes SET n_rows = 0")
    with pytest.raises(psycopg.Error, match="m is damaged: its leaves have no rows"):
        db.execute("SELECT * FROM madtree.tree_drift('m', 'training')")


def test_copies_have_the_statistics_and_drop_removes_them(db: psycopg.Connection) -> None:
    db.execute(f"SELECT madtree.{MODELS['boosted']}")  # type: ignore[arg-type]
    db.execute("SELECT madtree.tree_statistics('m', 'training'), madtree.tree_statistics('m', 'training')")
    db.execute("SELECT madtree.boost_cut('m', 'short', 2), madtree.calibrate('m', 'later', 'c')")
    db.execute(f"SELECT madtree.{MODELS['tree'].replace(chr(39) + 'm' + chr(39), chr(39) + 'n' + chr(39))}")  # type: ignore[arg-type]
    db.execute("SELECT madtree.tree_statistics('n', 'training'), madtree.tree_prune('n', 'small', 0.01)")
    db.execute("SELECT madtree.calibrate('n', 'later', 'k')")
    for name in ("m", "short", "c", "n", "small", "k"):
        assert rows(db, f"SELECT count(*) AS n FROM {name}_statistics")[0]["n"] > 20
        assert len(rows(db, f"SELECT * FROM madtree.tree_drift('{name}', 'later')")) >= len(FEATURES)
        assert f'"{name}_statistics"' in db.execute("SELECT madtree.tree_drop(%s)", [name]).fetchone()[0]  # type: ignore[index]


def test_an_empty_table_is_told(db: psycopg.Connection) -> None:
    db.execute(f"SELECT madtree.{MODELS['boosted']}, madtree.tree_statistics('m', 'training')")  # type: ignore[arg-type]
    db.execute("CREATE TABLE nothing AS SELECT * FROM later WHERE false")
    with pytest.raises(psycopg.Error, match="new_data_table: nothing has no rows"):
        db.execute("SELECT madtree.tree_drift('m', 'nothing')")
    staged = rows(db, "SELECT n, loss FROM madtree.boost_staged('m', 'nothing')")
    assert {(row["n"], row["loss"]) for row in staged} == {(0, None)}


def test_workers_count_the_same(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE many AS SELECT i AS id, x, z, c, s, b, d FROM later, generate_series(1, 300) AS i")
    db.execute("ANALYZE many")
    db.execute(f"SELECT madtree.{MODELS['forest']}, madtree.tree_statistics('m', 'training')")  # type: ignore[arg-type]
    alone = rows(db, "SELECT * FROM madtree.tree_drift('m', 'later')")
    db.execute("SET max_parallel_workers_per_gather = 2")
    together = rows(db, "SELECT * FROM madtree.tree_drift('m', 'many')")
    assert (alone.pop()["n"], together.pop()["n"]) == (1000, 20_000)  # of the predictions, which are those of a sample
    for row, other in zip(alone, together, strict=True):
        assert row["feature"] == other["feature"]
        assert other["n"] == 300 * row["n"]
        assert row["outside"] == pytest.approx(other["outside"])


def test_a_table_of_other_categories_is_not_the_trainings(db: psycopg.Connection) -> None:
    """Its statistics would be none."""
    db.execute(f"SELECT madtree.{MODELS['boosted']}, madtree.tree_statistics('m', 'training')")  # type: ignore[arg-type]
    before = rows(db, "SELECT * FROM m_statistics")
    db.execute("CREATE TABLE others AS SELECT id, x, z, 'other ' || id AS c, s, b, d FROM training")
    with pytest.raises(psycopg.Error, match="training_table: of c others has no value that m knows"):
        db.execute("SELECT madtree.tree_statistics('m', 'others')")
    assert rows(db, "SELECT * FROM m_statistics") == before


PREDICTED = {
    "forest": (MODELS["forest"], "forest_predict", "response", "estimated_v"),
    "boosted": (MODELS["boosted"], "boost_predict", "prob", "estimated_prob_true"),
    "forest of classes": (MODELS["forest"].replace("'v'", "'y'"), "forest_predict", "prob_mean", "estimated_prob_true"),
    "grouped": (MODELS["boosted"][:-1] + ", grouping_cols => 'g')", "boost_predict", "prob", "estimated_prob_true"),
    "offsets": (MODELS["boosted"][:-1] + ", offsets => 'x - 0.5')", "boost_predict", "prob", "estimated_prob_true"),
    "three classes": (MODELS["boosted"].replace("'y'", "'s'"), "boost_predict", "response", "estimated_s"),
    "many": (MODELS["forest"].replace("'v'", "'z'"), "forest_predict", "prob_mean", ""),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", PREDICTED)
def test_predictions_are_held_against_those_of_the_training(db: psycopg.Connection, name: str) -> None:
    train, predict, type_, said = PREDICTED[name]
    db.execute(f"SELECT madtree.{train}")  # type: ignore[arg-type]
    db.execute("SELECT madtree.tree_statistics('m', 'training')")
    spread = []
    for table in ("training", "later"):
        db.execute(f"SELECT madtree.{predict}('m', '{table}', '{table}_said', '{type_}')")  # type: ignore[arg-type]
        found = rows(db, f"SELECT * FROM {table}_said ORDER BY id")
        if said:
            spread.append([row[said] for row in found])
        else:  # the most probable one, the first of several
            spread.append([max(list(row)[1:], key=lambda name, row=row: row[name]) for row in found])
    before, now = spread
    kept = rows(db, "SELECT * FROM m_statistics WHERE feature IS NULL ORDER BY place")
    assert {row["kind"] for row in kept} == {"prediction"}
    if isinstance(before[0], float):
        ends = [row["high"] for row in kept[:-1]]
        assert sorted({sorted(before)[k * len(before) // 10 - 1] for k in range(1, 10)} - {max(before)}) == ends

        def counts(values: list[float]) -> list[int]:
            places = [next((i for i, end in enumerate(ends) if value <= end), len(ends)) for value in values]
            return [places.count(place) for place in range(len(ends) + 1)]
    else:
        names = [row["category"] if said else f"estimated_prob_{row['category']}" for row in kept]
        first = sorted(names, key=lambda name: (-before.count(name), names.index(name)))[:20]

        def counts(values: list[Any]) -> list[int]:
            return [*(values.count(name) for name in first), sum(value not in first for value in values)]

        assert [row["n"] for row in kept] == [before.count(name) for name in names]
    told = rows(db, "SELECT * FROM madtree.tree_drift('m', 'later')")[-1]
    assert (told["feature"], told["n"], told["outside"]) == (None, 1000, None)
    assert told["psi"] == pytest.approx(psi(counts(before), counts(now)))
    assert told["psi"] > 0.01
    (same,) = rows(db, "SELECT psi FROM madtree.tree_drift('m', 'training') WHERE feature IS NULL")
    assert same["psi"] == 0


def test_predictions_that_cannot_be_told_are_left_out_and_why(db: psycopg.Connection) -> None:
    db.execute(f"SELECT madtree.{MODELS['boosted']}, madtree.tree_statistics('m', 'training')")  # type: ignore[arg-type]
    db.execute(f"CREATE VIEW no_id AS SELECT {LIST} FROM later")
    heard: list[str] = []
    db.add_notice_handler(lambda said: heard.append(said.message_primary or ""))
    assert len(rows(db, "SELECT * FROM madtree.tree_drift('m', 'no_id')")) == len(FEATURES)
    assert heard == ["how far predictions have moved is not told: no_id lacks id, by which rows are drawn"]
    db.execute("SELECT madtree.boost_cut('m', 'cut', 2), madtree.calibrate('m', 'later', 'true')")
    for copy in ("cut", "true"):
        assert len(rows(db, f"SELECT * FROM madtree.tree_drift('{copy}', 'later')")) == len(FEATURES)
        assert f"the statistics of {copy} are of its features alone" in heard[-1]
        db.execute(f"SELECT madtree.tree_statistics('{copy}', 'training')")
        assert rows(db, f"SELECT * FROM madtree.tree_drift('{copy}', 'later')")[-1]["feature"] is None


def test_few_different_ids_of_many_rows_tell_of_predictions_too(db: psycopg.Connection) -> None:
    db.execute(f"SELECT madtree.{MODELS['boosted']}, madtree.tree_statistics('m', 'training')")  # type: ignore[arg-type]
    db.execute(f"CREATE TABLE many AS SELECT 7 AS id, {LIST} FROM training, generate_series(1, 30)")
    drawn = rows(db, "SELECT n, psi FROM madtree.tree_drift('m', 'many') WHERE feature IS NULL")
    assert drawn[0]["n"] == 20_000
    db.execute("ALTER TABLE many DROP id, ADD id int GENERATED ALWAYS AS IDENTITY")
    drawn = rows(db, "SELECT n, psi FROM madtree.tree_drift('m', 'many') WHERE feature IS NULL")
    assert drawn[0]["n"] == 20_000
    assert 0 < drawn[0]["psi"] < 0.005


def test_rows_of_unknown_groups_tell_nothing_of_predictions(db: psycopg.Connection) -> None:
    db.execute(f"SELECT madtree.{PREDICTED['grouped'][0]}, madtree.tree_statistics('m', 'training')")  # type: ignore[arg-type]
    db.execute("UPDATE later SET g = 9")
    assert len(rows(db, "SELECT * FROM madtree.tree_drift('m', 'later')")) == len(FEATURES)
    db.execute("UPDATE training SET g = 9")
    db.execute("SELECT madtree.tree_statistics('m', 'training')")
    assert rows(db, "SELECT * FROM m_statistics WHERE feature IS NULL") == []


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE m_statistics SET kind = 'range' WHERE feature IS NULL",
        "UPDATE m_statistics SET high = 'NaN' WHERE feature IS NULL AND place = 1",
        "UPDATE m_statistics SET high = NULL WHERE feature IS NULL AND place = 2",
        "UPDATE m_statistics SET high = 0 WHERE feature IS NULL AND place < 3",
        "UPDATE m_statistics SET n = 0 WHERE feature IS NULL",
        "UPDATE m_statistics SET n = -1 WHERE feature IS NULL AND place = 1",
        "INSERT INTO m_statistics SELECT NULL, 'prediction', i, NULL, i, NULL, 1 FROM generate_series(100, 180) AS i",
    ],
)
def test_damaged_predictions_are_told(db: psycopg.Connection, change: str) -> None:
    db.execute(f"SELECT madtree.{MODELS['boosted']}, madtree.tree_statistics('m', 'training')")  # type: ignore[arg-type]
    db.execute(change)  # type: ignore[arg-type]
    with pytest.raises(psycopg.Error, match="m is damaged: its statistics are none of its features"):
        db.execute("SELECT madtree.tree_drift('m', 'later')")
