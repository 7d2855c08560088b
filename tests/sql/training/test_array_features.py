"""Features that are elements of one array: read as a whole, with the same trees as columns of their own."""

from __future__ import annotations

import psycopg
import pytest

_NODES = "SELECT array_agg(n::text ORDER BY tree_id, node_id) FROM (SELECT {columns} FROM {name}_nodes) n"
_COLUMNS = (
    "tree_id, node_id, replace(replace(feature, '(x)[', 'x'), ']', '') AS feature, threshold, n_rows, improvement, "
    "class_weights, majority_left"
)
_HOLES = {
    "none": "e::float8",
    "elements": "CASE WHEN i % 97 = j THEN NULL ELSE e::float8 END",
    "NaN": "CASE WHEN i % 97 = j THEN 'NaN' ELSE e::float8 END",
}


def _nodes(db: psycopg.Connection, name: str) -> list[str]:
    return db.execute(_NODES.format(columns=_COLUMNS, name=name)).fetchone()[0]


@pytest.mark.parametrize("type_", ["float8", "real", "integer", "numeric"])
@pytest.mark.parametrize("holes", _HOLES)
@pytest.mark.parametrize("n_rows", [300, 70_000], ids=["in a block", "in many blocks"])
@pytest.mark.parametrize("grouped", [False, True], ids=["one tree", "grouped"])
def test_elements_give_the_tree_that_columns_give(
    db: psycopg.Connection, type_: str, holes: str, n_rows: int, grouped: bool
) -> None:
    if holes == "NaN" and type_ == "integer":
        pytest.skip("no integer is NaN")
    db.execute(
        f"CREATE TABLE t AS SELECT i AS id, i % 3 AS g, (i * 7919 % 1013 > 500)::int AS y, i % 10 AS z, "
        f"(SELECT array_agg(({_HOLES[holes]})::{type_} ORDER BY j) FROM generate_series(1, 5) j, "
        "LATERAL (SELECT (i::bigint * (j + 12) * 7919 % 10007)::int AS e) AS v) AS x "
        f"FROM generate_series(1, {n_rows}) i"
    )
    db.execute("UPDATE t SET x = NULL WHERE id = 100")
    db.execute(
        "CREATE TABLE c AS SELECT id, g, y, z, x[1] AS x1, x[2] AS x2, x[3] AS x3, x[4] AS x4, x[5] AS x5 FROM t"
    )
    more = ", max_depth => 4, min_bucket => 5" + (", grouping_cols => 'g'" if grouped else "")
    db.execute(f"SELECT madtree.tree_train('t', 'of_array', 'id', 'y', 'z, x'{more})")
    db.execute(f"SELECT madtree.tree_train('c', 'of_columns', 'id', 'y', 'z, x1, x2, x3, x4, x5'{more})")
    assert _nodes(db, "of_array") == _nodes(db, "of_columns")


def test_arrays_of_dates_are_taken_apart(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, (i > 50)::int AS y, ARRAY['2020-01-01'::date + i, '2021-01-01'::date - i] "
        "AS x FROM generate_series(1, 100) i"
    )
    db.execute("SELECT madtree.tree_train('t', 'm', 'id', 'y', 'x')")
    assert db.execute("SELECT feature, n_rows FROM m_nodes WHERE node_id = 0").fetchone() == ("(x)[1]", 100)
