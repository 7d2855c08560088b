"""Features that are elements of one array: read as a whole, with the same trees as columns of their own."""

from __future__ import annotations

import psycopg
import pytest
from shares import share
from training import read_model, train

_HOLES = {
    "none": "e::float8",
    "elements": "CASE WHEN i % 97 = j THEN NULL ELSE e::float8 END",
    "NaN": "CASE WHEN i % 97 = j THEN 'NaN' ELSE e::float8 END",
}


_TYPES = ("float8", "real", "integer", "numeric")
# In many blocks each type has other holes: how rows become blocks does not depend on both.
_CASES = [
    *((300, type_, holes) for type_ in _TYPES for holes in _HOLES),
    *((70_000, type_, holes) for turn, type_ in enumerate(_TYPES) for holes in share([*_HOLES], 3, 2 * turn)),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("n_rows", "type_", "holes"), [case for case in _CASES if case[1:] != ("integer", "NaN")])
def test_elements_give_the_trees_that_columns_give(db: psycopg.Connection, n_rows: int, type_: str, holes: str) -> None:
    """One tree, and one for each group."""
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
    for grouping in (None, "g"):
        more = {"max_depth": 4, "min_bucket": 5, "grouping_cols": grouping, "replace": True}
        train(db, "t", "of_array", "y", "z, x", **more)
        train(db, "c", "of_columns", "y", "z, x1, x2, x3, x4, x5", **more)
        of_array, of_columns = read_model(db, "of_array"), read_model(db, "of_columns")
        for node in of_columns["_nodes"]:
            node["feature"] = node["feature"] and node["feature"].replace("x", "(x)[") + "]" * (node["feature"] != "z")
        assert (of_array[""], of_array["_nodes"]) == (of_columns[""], of_columns["_nodes"])
        assert len(of_array[""]) == (3 if grouping else 1)


def test_arrays_of_dates_are_taken_apart(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, (i > 50)::int AS y, ARRAY['2020-01-01'::date + i, '2021-01-01'::date - i] "
        "AS x FROM generate_series(1, 100) i"
    )
    train(db, "t", "m", "y", "x")
    assert db.execute("SELECT feature, n_rows FROM m_nodes WHERE node_id = 0").fetchone() == ("(x)[1]", 100)
