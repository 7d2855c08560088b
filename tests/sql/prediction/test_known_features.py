"""Below a question that has told that a row has a value, the expression does not look for NaN nor at surrogates any
more: each row ends in the leaf to which the model's tables lead it, whatever it lacks.
"""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import product
from typing import Any

import psycopg
import pytest
from training import train

REALS = (None, math.nan, -math.inf, math.inf, -0.0, 0.0, -1.25, 0.3, 1e300)
NUMERICS = (None, Decimal("NaN"), Decimal("-0.7"), Decimal("0.1"), Decimal(2), Decimal(10) ** 20)
INTEGERS = (None, -3, 0, 4)
TEXTS = (None, "a", "c", "never seen")
NULL_COUNTS = "null_as_category=true"


@pytest.fixture
def rows(db: psycopg.Connection) -> psycopg.Connection:
    db.execute("""
        CREATE TABLE t AS SELECT id, CASE WHEN id % 13 = 0 THEN 'NaN' WHEN id % 7 > 0 THEN z + sin(id * 3) / 3 END AS r,
            CASE WHEN id % 17 = 0 THEN 'NaN' WHEN id % 5 > 0 THEN round((z + cos(id * 5) / 3)::numeric, 1) END AS n,
            CASE WHEN id % 6 > 0 THEN round(z * 3 + sin(id * 7))::integer END AS i,
            CASE WHEN id % 9 > 0 THEN chr(97 + round(abs(z) + 2 * abs(sin(id * 11)))::integer) END AS c,
            z + (id * 7919 % 1013) / 1500.0 > 0.2 AS y
        FROM (SELECT id, 1.6 * sin(id * 1.7)::float8 AS z FROM generate_series(1, 6000) AS id) AS s;
        CREATE TABLE new (id integer, r float8, n numeric, i integer, c text)
    """)
    with db.cursor().copy("COPY new FROM STDIN") as copy:
        for number, values in enumerate(product(REALS, NUMERICS, INTEGERS, TEXTS)):
            copy.write_row((number, *values))
    return db


def is_missing(value: Any) -> bool:
    return value is None or value != value


def side(split: dict[str, Any], value: Any, seen: set[str], null_counts: bool) -> bool | None:
    """Whether a split sends a value to the left; None where it cannot tell. `seen`: categories of training."""
    if split["feature"] == "c":
        meant = None if null_counts and value not in seen else value
        known = meant is not None or null_counts
        sides = [split["left_levels"], split["right_levels"]]
        return next((number == 0 for number, levels in enumerate(sides) if known and meant in levels), None)
    if is_missing(value):
        return not split["low_goes_left"] if null_counts and split["feature"] == "i" else None
    return bool((value <= split["threshold"]) == split["low_goes_left"])


def leaf_of(nodes: dict[int, Any], surrogates: dict[int, list[Any]], row: dict[str, Any], *how: Any) -> int:
    at = 0
    while not nodes[at]["is_leaf"]:
        node = nodes[at]
        asked = (side(split, row[split["feature"]], *how) for split in [node, *surrogates.get(at, [])])
        left = next((answer for answer in asked if answer is not None), node["majority_left"])
        at = 2 * at + (1 if left else 2)
    return at


@pytest.mark.one_in(4)
@pytest.mark.parametrize("options", [None, "max_surrogates=2", NULL_COUNTS, f"max_surrogates=2, {NULL_COUNTS}"])
@pytest.mark.parametrize("features", ["r", "r, n", "r, n, i, c"])
def test_each_row_comes_to_the_leaf_to_which_the_tables_lead(
    rows: psycopg.Connection, options: str | None, features: str
) -> None:
    train(rows, "t", "m", "y", features, max_depth=9, min_bucket=3, surrogate_params=options, pruning_params="cp=-1")
    rows.row_factory = psycopg.rows.dict_row  # type: ignore[assignment]
    nodes = {node["node_id"]: node | {"low_goes_left": True} for node in rows.execute("SELECT * FROM m_nodes")}
    surrogates: dict[int, list[Any]] = {}
    if options and "max" in options and "," in features:
        for each in rows.execute("SELECT * FROM m_surrogates ORDER BY node_id, rank"):
            surrogates.setdefault(each["node_id"], []).append(each)
        assert surrogates
    rows.execute("SELECT madtree.tree_predict('m', 'new', 'scored', 'leaf')")
    rows.execute("SELECT madtree.tree_predict('m', 'new', 'classes')")
    query = "SELECT * FROM new JOIN scored USING (id) JOIN classes USING (id)"
    found = rows.execute(query).fetchall()
    assert len(found) == len(REALS) * len(NUMERICS) * len(INTEGERS) * len(TEXTS)
    seen = {row["c"] for row in rows.execute("SELECT DISTINCT c FROM t WHERE c IS NOT NULL")}
    how = seen, options is not None and NULL_COUNTS in options
    for row in found:
        leaf = leaf_of(nodes, surrogates, row, *how)
        assert (row["node_id"], row["estimated_y"]) == (leaf, nodes[leaf]["prediction"]), row


def test_what_is_known_is_not_looked_for_again(rows: psycopg.Connection) -> None:
    """On the way down a tree of one feature NaN is looked for until it is known that there is none, and no more."""
    train(rows, "t", "m", "y", "(-r)", max_depth=8, pruning_params="cp=-1")
    (expression,) = rows.execute("SELECT madtree.tree_sql('m')").fetchone()
    (n_inner,) = rows.execute("SELECT count(*) FROM m_nodes WHERE NOT is_leaf").fetchone()
    assert 0 < expression.count("NaN") <= 8 < n_inner
