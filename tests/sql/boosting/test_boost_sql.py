"""boost_sql: the model as one expression, which says what boost_predict says."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from boosted_data import HALF, MAKE, boost, score
from forest_data import rows

TRAININGS: dict[str, tuple[str, dict[str, Any]]] = {
    "numbers": ("y", {}),
    "numbers, groups": ("y", {"grouping_cols": "g", **HALF, "num_trees": 12}),
    "two classes": ("late", {"weights": "w"}),
    "two classes, groups": ("late", {"grouping_cols": "g, b > 3 AS high", **HALF}),
    "exponential": ("late", {"loss": "exponential"}),
    "five classes": ("k", {}),
    "five classes, groups": ("k", {"grouping_cols": "g"}),
    "poisson": ("n", {"loss": "poisson", "learning_rate": 1}),
    "gamma": ("n + 1", {"loss": "gamma"}),
}
# Values, and missing ones, that training has not seen.
STRANGE = """
    ALTER TABLE t ALTER c TYPE varchar(30);
    INSERT INTO t (id, g, a, b, c) SELECT 1000 + i, (ARRAY[0, 2, 99, NULL])[1 + i % 4],
        (ARRAY[-1000, NULL, 20, 2000000000])[1 + i / 4 % 4],
        (ARRAY['NaN', '-Infinity', NULL, '1e300', 2.5])[1 + i / 16 % 5]::float8,
        (ARRAY[NULL, 'c3', 'c1', 'it''s "new" \\\\', 'c6'])[1 + i / 80 % 5]
    FROM generate_series(0, 399) i
"""


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def expression(db: psycopg.Connection, type_: str = "response", class_: str | None = None, model: str = "m") -> str:
    call = "SELECT madtree.boost_sql(%s, %s, class => %s)"
    return str(db.execute(call, [model, type_, class_]).fetchone()[0])  # type: ignore[index]


def said(db: psycopg.Connection, text: str) -> list[Any]:
    """What an expression says of the rows, by their ids."""
    query = f"SELECT ({text}) AS said FROM t ORDER BY id"
    return [said for (said,) in db.cursor().execute(query.encode()).fetchall()]


def predicted(db: psycopg.Connection, type_: str) -> list[list[Any]]:
    return [[value for name, value in row.items() if name != "id"] for row in score(db, type_)]


def close(found: list[Any], expected: list[Any]) -> None:
    assert [each is None for each in found] == [each is None for each in expected]
    known = [(one, other) for one, other in zip(found, expected, strict=True) if other is not None]
    np.testing.assert_allclose(*map(np.array, zip(*known, strict=True)), rtol=1e-12, atol=1e-12)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("training", TRAININGS)
def test_it_says_what_predictions_say(db: psycopg.Connection, training: str) -> None:
    target, more = TRAININGS[training]
    boost(db, target, **more)
    db.execute(STRANGE)
    classes = rows(db, "SELECT dependent_var_levels AS l FROM m_summary")[0]["l"] or []
    raw = predicted(db, "raw")
    if "grouping_cols" in more:
        assert [None] * len(raw[0]) in raw
    if len(classes) > 2:
        whole = said(db, expression(db, "raw"))
        assert [each or [None] * len(classes) for each in whole] == raw
        for place, label in enumerate(classes):
            assert said(db, expression(db, "raw", label)) == [each[place] for each in raw]
    else:
        assert [[each] for each in said(db, expression(db, "raw"))] == raw
    response = [each for (each,) in predicted(db, "response")]
    if not classes:
        close(said(db, expression(db)), response)
        return
    assert said(db, expression(db)) == response
    shares = predicted(db, "prob")
    for place, label in enumerate(classes):
        close(said(db, expression(db, "prob", label)), [each[place] for each in shares])
    if len(classes) > 2:
        whole = said(db, expression(db, "prob"))
        close([each and each[1] for each in whole], [each[1] for each in shares])
    else:
        assert said(db, expression(db, "prob")) == said(db, expression(db, "prob", classes[1]))


def test_scores_at_the_ends(db: psycopg.Connection) -> None:
    """What has no exponential is as far as a prediction can be, and what is even is the first class."""
    boost(db, "late", num_trees=1, max_leaf_nodes=2)
    for base in (-5000.0, -740.0, 0.0, 2e-16, 720.0, 5000.0):
        db.execute("UPDATE m_group SET base_score = ARRAY[%s]::float8[]", [base])
        for type_, of in (("prob", 1), ("response", 0)):
            expected = [each[of] for each in predicted(db, type_)]
            close([float(each) for each in said(db, expression(db, type_))], [float(each) for each in expected])
    leaves = "SELECT DISTINCT prediction AS p FROM m_nodes WHERE is_leaf"
    for row in rows(db, leaves):
        for nearly in (0.0, 5e-17, 1.6e-16, 1.7e-16, 3e-16, -5e-17):
            db.execute("UPDATE m_group SET base_score = ARRAY[%s]::float8[]", [nearly - row["p"]])
            assert said(db, expression(db)) == [each for (each,) in predicted(db, "response")]


def test_it_is_what_a_view_and_a_generated_column_take(db: psycopg.Connection) -> None:
    boost(db, "late", grouping_cols="g")
    for type_ in ("response", "prob", "raw"):
        expected = said(db, expression(db, type_))
        db.execute(f"CREATE VIEW v_{type_} AS SELECT id, {expression(db, type_)} AS said FROM t".encode())
        found = [row["said"] for row in rows(db, f"SELECT said FROM v_{type_} ORDER BY id")]
        assert found == expected
        kind = "boolean" if type_ == "response" else "float8"
        column = f"ALTER TABLE t ADD own_{type_} {kind} GENERATED ALWAYS AS ({expression(db, type_)}) STORED"
        db.execute(column.encode())
        assert [row["said"] for row in rows(db, f"SELECT own_{type_} AS said FROM t ORDER BY id")] == expected
    boost(db, "k")
    expected = said(db, expression(db))
    db.execute(f"CREATE VIEW v_k AS SELECT id, {expression(db)} AS said FROM t".encode())
    assert [row["said"] for row in rows(db, "SELECT said FROM v_k ORDER BY id")] == expected
    column = f"ALTER TABLE t ADD own_k text GENERATED ALWAYS AS ({expression(db)}) STORED"
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="subquery"):
        db.execute(column.encode())


def test_groups_that_failed_and_models_without_trees_say_nothing(db: psycopg.Connection) -> None:
    db.execute("UPDATE t SET y = NULL WHERE g = 3")
    boost(db, "y", grouping_cols="g")
    groups = [row["g"] for row in rows(db, "SELECT g FROM t ORDER BY id")]
    found = said(db, expression(db))
    assert [each is None for each in found] == [group == 3 for group in groups]


def test_a_single_class_and_quoted_names(db: psycopg.Connection) -> None:
    db.execute("""CREATE TABLE "A b" AS SELECT id, a AS "x""y", b AS "select", 'it''s'::text AS "Cl" FROM t""")
    call = """SELECT madtree.boost_train('"A b"', 'm', 'id', '"Cl"', '"x""y", "select"', num_trees => 2)"""
    db.execute(call)
    assert set(out_of_bag_columns(db, expression(db))) == {"it's"}
    db.execute("SELECT madtree.boost_predict('m', '\"A b\"', 'scored', 'prob')")
    (share,) = rows(db, 'SELECT DISTINCT * FROM (SELECT "estimated_prob_it\'s" AS p FROM scored) s')
    close(out_of_bag_columns(db, expression(db, "prob")), [share["p"]] * 900)
    call = """SELECT madtree.boost_train('"A b"', 'n', 'id', '"select"', '"x""y"', num_trees => 2)"""
    db.execute(call)
    db.execute("SELECT madtree.boost_predict('n', '\"A b\"', 'of_n', 'raw')")
    expected = [row["raw_select"] for row in rows(db, "SELECT raw_select FROM of_n ORDER BY id")]
    assert out_of_bag_columns(db, expression(db, model="n")) == expected


def out_of_bag_columns(db: psycopg.Connection, text: str) -> list[Any]:
    query = f'SELECT ({text}) AS said FROM "A b" ORDER BY id'
    return [said for (said,) in db.cursor().execute(query.encode()).fetchall()]


def test_large_models_are_refused(db: psycopg.Connection) -> None:
    db.execute("DELETE FROM t WHERE id > 60")  # rounds are what there are too many of
    boost(db, "late", features="a", num_trees=1001, max_leaf_nodes=2, validation_params="fraction=0")
    with pytest.raises(psycopg.Error) as error:
        expression(db)
    assert str(error.value.diag.message_primary) == (
        "madtree: m has 2,002 leaves and up to 1,001 rounds; as an expression a model has at most 20,000 and 1,000"
    )
    assert "boost_cut" in str(error.value.diag.message_hint)
    db.execute("SELECT madtree.boost_cut('m', 'short', 1000)")
    db.execute("SELECT madtree.boost_predict('short', 't', 'scored', 'raw')")
    expected = [row["raw_late"] for row in rows(db, "SELECT raw_late FROM scored ORDER BY id")]
    assert said(db, expression(db, "raw", model="short")) == expected


@pytest.mark.parametrize(
    ("target", "arguments", "sentence"),
    [
        ("late", "'m', 'leaf'", "type must be one of response, prob, raw, not 'leaf'"),
        ("y", "'m', 'prob'", "type must be one of response, raw for a regression model, not 'prob'"),
        ("late", "'m', NULL", "type must be one of response, prob, raw, not None"),
        ("late", "'m', 'prob', class => 'no'", "class must be one of 'false', 'true', not 'no'"),
        ("late", "'m', 'raw', class => 'true'", "class says whose probability is wanted, which takes type 'prob'"),
        ("k", "'m', class => 'class 1'", "class says whose probability is wanted, which takes type 'prob'"),
        ("late", "'one'", "model: one is a model of single trees"),
    ],
)
def test_mistakes_are_named(db: psycopg.Connection, target: str, arguments: str, sentence: str) -> None:
    boost(db, target)
    db.execute("SELECT madtree.tree_train('t', 'one', 'id', 'late', 'a')")
    with pytest.raises(psycopg.Error) as caught:
        db.execute(f"SELECT madtree.boost_sql({arguments})".encode())
    assert str(caught.value.diag.message_primary).removeprefix("madtree: ").startswith(sentence)
