"""tree_rules and tree_path: what they print, measure and refuse."""

from __future__ import annotations

from itertools import pairwise

import psycopg
import pytest
from make_model import Sketch, inner, leaf, stand_in, write_model
from psycopg.errors import InvalidParameterValue
from training import train

from madtree.trees import Feature, FeatureKind

X = Feature("x", "double precision", FeatureKind.CONTINUOUS)
N = Feature("n", "integer", FeatureKind.ORDERED)
WORD = Feature("word", "text", FeatureKind.UNORDERED)


@pytest.fixture
def flights(db: psycopg.Connection) -> psycopg.Connection:
    db.execute(
        "CREATE TABLE flights AS SELECT i AS id, i % 2 AS g, nullif(i * 7919 % 24, 5) AS hour, 1 + i % 3 AS w, "
        "(ARRAY['UA', 'AA', NULL, 'B6'])[1 + i * 17 % 4] AS carrier, "
        "(i * 7919 % 24 > 11) <> (i % 7 = 0) AS late, sin(i) + i * 7919 % 24 AS delay FROM generate_series(1, 1200) i"
    )
    return db


def rules(db: psycopg.Connection, columns: str = "rule") -> list:
    return db.execute(f"SELECT {columns} FROM tree_rules('m')").fetchall()


def test_conditions_on_a_feature_are_merged(db: psycopg.Connection, schema: str) -> None:
    nodes = {
        0: inner(0, "x", 8.0),
        1: inner(1, "word", left_levels=("a", "b"), right_levels=("c",), majority_left=False),
        2: leaf(2, "yes"),
        3: inner(3, "x", 2.5),
        4: leaf(4, "no"),
        7: inner(7, "n", 3.5),
        8: inner(8, "word", left_levels=("b",), right_levels=("a",)),
        15: leaf(15, "no"),
        16: leaf(16, "yes"),
        17: leaf(17, "no"),
        18: leaf(18, "yes"),
    }
    write_model(db, schema, "m", Sketch([X, N, WORD], [nodes]))
    assert [rule for (rule,) in rules(db)] == [
        "(x <= 2.5 or missing) and word in {a,b} and (n <= 3 or missing)",
        "(x <= 2.5 or missing) and word in {a,b} and n > 3",
        "x > 2.5 and x <= 8 and word in {b}",
        "x > 2.5 and x <= 8 and word in {a}",
        "(x <= 8 or missing) and (word in {c} or missing)",
        "x > 8",
    ]


def test_surrogates_and_null_levels_are_told(db: psycopg.Connection, schema: str) -> None:
    nodes = {
        0: inner(0, "x", 8.0, surrogates=(stand_in("n", 3.0),)),
        1: inner(1, "word", left_levels=("a", None), right_levels=("c",)),
        2: leaf(2, "yes"),
        3: leaf(3, "no"),
        4: leaf(4, "no"),
    }
    write_model(db, schema, "m", Sketch([X, N, WORD], [nodes], levels={"word": ["a", "c", None]}))
    assert [rule for (rule,) in rules(db)] == [
        "(x <= 8 or surrogates if missing) and word in {a,NULL}",
        "(x <= 8 or surrogates if missing) and word in {c}",
        "(x > 8 or surrogates if missing)",
    ]


def test_a_tree_of_one_leaf_is_one_rule(db: psycopg.Connection, schema: str) -> None:
    write_model(db, schema, "m", Sketch([X], [{0: leaf(0, "no", (3, 1))}]))
    assert rules(db, "rule, predicate, share, prediction, confidence, mean, sd") == [
        ("all rows", "true", 1.0, "no", 0.75, None, None)
    ]


def test_measures_are_those_of_the_rows(flights: psycopg.Connection) -> None:
    """Support, confidence, mean and deviation, computed again from the rows that each predicate selects."""
    usable = "num_nonnulls(hour, carrier) > 0"  # a row without any feature is not trained on
    train(flights, "flights", "m", "late", "hour, carrier", weights="w")
    listed = rules(flights, "predicate, n_rows, share, confidence, prediction")
    total = sum(row[1] for row in listed)
    assert len(listed) >= 2
    for predicate, n_rows, share, confidence, prediction in listed:
        found = flights.execute(
            "SELECT count(*), sum(w) FILTER (WHERE late::text = %s)::float8 / sum(w) FROM flights "
            f"WHERE {usable} AND {predicate}",
            [prediction],
        ).fetchone()
        assert (n_rows, share) == (found[0], n_rows / total)
        assert confidence == pytest.approx(found[1], rel=1e-12)

    train(flights, "flights", "m", "delay", "hour, carrier", weights="w", replace=True)
    for predicate, n_rows, mean, sd, prediction in rules(flights, "predicate, n_rows, mean, sd, prediction"):
        count, expected = flights.execute(
            f"SELECT count(*), sum(w * delay) / sum(w) FROM flights WHERE {usable} AND {predicate}"
        ).fetchone()
        (spread,) = flights.execute(
            f"SELECT sqrt(sum(w * (delay - %s::float8) ^ 2) / sum(w)) FROM flights WHERE {usable} AND {predicate}",
            [expected],
        ).fetchone()
        assert (n_rows, mean, sd) == (count, pytest.approx(expected, rel=1e-9), pytest.approx(spread, rel=1e-6))
        assert float(prediction) == mean


def test_groups_have_their_values_and_can_be_asked_for(flights: psycopg.Connection) -> None:
    train(flights, "flights", "m", "late", "hour", grouping_cols="g")
    trees = flights.execute("SELECT tree_id, g FROM m").fetchall()
    assert set(rules(flights, "tree_id, group_values->'g'")) == set(trees)
    one = flights.execute("SELECT DISTINCT tree_id FROM tree_rules('m', %s)", [trees[0][0]]).fetchall()
    assert one == [(trees[0][0],)]
    with pytest.raises(InvalidParameterValue, match=r"tree_id must be one of m's trees, 1 to 2, not 77"):
        flights.execute("SELECT tree_rules('m', 77)")


def test_a_path_tells_why(db: psycopg.Connection, schema: str) -> None:
    nodes = {
        0: inner(0, "x", 8.0, surrogates=(stand_in("n", 3.0, low_goes_left=False),)),
        1: inner(1, "word", left_levels=("a",), right_levels=("c",), majority_left=False),
        2: leaf(2, "yes"),
        3: leaf(3, "no"),
        4: leaf(4, "no", (9, 1)),
    }
    write_model(db, schema, "m", Sketch([X, N, WORD], [nodes]))
    db.execute("CREATE TABLE rows (id text, x float8, n int, word text)")
    db.execute("INSERT INTO rows VALUES ('a b', 'NaN', 7, 'zz'), ('c', 7.5, NULL, NULL), ('d', 8.5, 1, 'a')")
    query = "SELECT node_id, condition, value, branch, reason, explanation FROM tree_path('m', 'rows', %s)"
    most = "most of the training went right"
    assert db.execute(query, ["a b"]).fetchall() == [
        (0, "x <= 8", "NaN", "left", "surrogate", "x is missing; surrogate 1: n = 7, so n > 3"),
        (1, "word in {a}", "zz", "right", "majority", f"word = zz is unknown to this split; {most}"),
        (4, None, None, None, "leaf", "leaf: no"),
    ]  # fmt: skip
    assert db.execute(query, ["c"]).fetchall()[:2] == [
        (0, "x <= 8", "7.5", "left", "split", "x = 7.5, so x <= 8"),
        (1, "word in {a}", None, "right", "majority", f"word is missing; {most}"),
    ]
    assert db.execute(query, ["d"]).fetchall()[0][5] == "x = 8.5, so x > 8"
    ending = "SELECT prediction, confidence FROM tree_path('m', 'rows', 'c') WHERE branch IS NULL"
    assert db.execute(ending).fetchall() == [("no", 0.9)]


def test_what_a_path_cannot_be_told_of(flights: psycopg.Connection) -> None:
    train(flights, "flights", "m", "late", "hour", grouping_cols="g")
    flights.execute("INSERT INTO flights (id, g) VALUES (-1, 9), (-2, NULL), (-3, 0), (-3, 0)")
    for arguments, message in {
        ("m", "flights", "0"): "id: no row has id = 0 in",
        ("m", "flights", "-3"): "id: several rows have id = -3 in",
        ("m", "flights", "x'; --"): "cannot be looked up as id: invalid input syntax for type integer",
        ("m", "flights", None): "id must be the id of a row, not NULL",
        ("m", "flights", "-1"): "of a group that m does not know",
        ("m", "flights", "-2"): "of a group that m does not know",
        ("m", None, "1"): "table_name must be the name of a table or view, not NULL",
        ("m", "nowhere", "1"): "table_name: relation nowhere does not exist",
        ("m", "m", "1"): "table_name: m lacks .*, which the model needs",
        (None, "flights", "1"): "model must be the name of a model, not NULL",
    }.items():
        with pytest.raises(psycopg.Error, match=message):
            flights.execute("SELECT tree_path(%s, %s, %s)", arguments)


def test_readers_rights_are_enough(flights: psycopg.Connection, user_db: psycopg.Connection) -> None:
    train(flights, "flights", "m", "late", "hour")
    asked = ("tree_rules('m')", "tree_to_json('m')", "tree_to_pmml('m')", "tree_path('m', 'flights', '7')")
    for call in asked:
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for table m"):
            user_db.execute(f"SELECT {call}")
    flights.execute("GRANT SELECT ON flights, m, m_nodes, m_summary TO PUBLIC")
    for call in asked:
        assert user_db.execute(f"SELECT {call}").fetchone()


def test_a_hostile_search_path_changes_nothing(flights: psycopg.Connection, schema: str) -> None:
    train(flights, "flights", "m", "late", "hour, carrier")
    path = f"madtree.tree_path('{schema}.m', '{schema}.flights', '7')"
    calls = f"SELECT madtree.tree_to_json('{schema}.m')::text, {path}::text"
    before = flights.execute(calls).fetchone()
    flights.execute(
        f"CREATE FUNCTION {schema}.trap(int, int) RETURNS boolean LANGUAGE sql AS 'SELECT 1 / 0 = 1';"
        f"CREATE OPERATOR {schema}.= (LEFTARG = int, RIGHTARG = int, FUNCTION = {schema}.trap)"
    )
    flights.execute(f"SET search_path = {schema}, pg_catalog")
    assert flights.execute(calls).fetchone() == before


def test_complexities_that_differ_by_rounding_are_one_row_of_the_cp_table(db: psycopg.Connection) -> None:
    """The second and third split save the same, 2/30 of the root's sum of squares, but not in floating point."""
    db.execute(
        "CREATE TABLE tenths AS SELECT n AS id, n::float8 AS x, y / 10.0::float8 AS y, n % 2 AS fold"
        " FROM unnest(ARRAY[2, 3, 1, 0, 3, 2, 1, 2]) WITH ORDINALITY AS t (y, n)"
    )
    arguments = "'id', 'y', 'x', min_split => 2, min_bucket => 1"
    db.execute(f"SELECT madtree.tree_train('tenths', 'm', {arguments})")
    db.execute(f"SELECT madtree.tree_train('tenths', 'v', {arguments}, pruning_params => 'fold_col=fold')")
    inner = db.execute("SELECT complexity FROM m_nodes WHERE NOT is_leaf ORDER BY 1 DESC").fetchall()
    assert any(0 < before - after < 1e-13 for (before,), (after,) in pairwise(inner))  # else nothing is shown
    for model in ("m", "v"):
        rows = db.execute("SELECT cp, n_splits FROM madtree.tree_cp(%s) ORDER BY cp DESC", [model]).fetchall()
        assert min(before[0] - after[0] for before, after in pairwise(rows)) > 1e-6
        for place, (cp, n_splits) in enumerate(rows):
            db.execute("SELECT madtree.tree_prune('m', %s, %s)", [f"{model}{place}", cp])
            pruned = db.execute(f"SELECT count(*) FROM {model}{place}_nodes WHERE NOT is_leaf").fetchone()
            assert pruned == (n_splits,)
