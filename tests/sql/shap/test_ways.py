"""Contributions are the same to the byte, whoever computes them; and a cancel is answered."""

from __future__ import annotations

import time
from typing import Any

import psycopg
import pytest
from psycopg_host import PsycopgHost
from shares import share

from madtree.engine import call

N_ROWS = 18_000  # more than a block
MAKE = f"""
CREATE TABLE t AS SELECT n AS id, sin(n * 7.1) AS x, CASE WHEN n % 17 > 0 THEN 'c' || n * 13 % 6 END AS c,
    cos(n * 3.7) AS z, nullif(n * 53 % 17, 3) AS i, n % 2 AS g, NULL::float8 AS v, NULL::text AS k
FROM generate_series(1, {N_ROWS}) AS n;
UPDATE t SET v = x * 3 + z * coalesce(i, 8) / 4.0 + (c = 'c2')::int;
UPDATE t SET k = 'class ' || width_bucket(v, -2, 2, 2);
VACUUM ANALYZE t;
"""
MODELS = {
    "by_thresholds": "boost_train('t', 'by_thresholds', 'id', 'v', 'x, z, i', num_trees => 5, max_leaf_nodes => 8)",
    "by_categories": "boost_train('t', 'by_categories', 'id', 'k', 'x, z, i, c', num_trees => 3, max_leaf_nodes => 8)",
    "groups": "forest_train('t', 'groups', 'id', 'k', 'x, z, i, c', grouping_cols => 'g', num_trees => 3, "
    "max_tree_depth => 5, importance => false)",
}
TOLD = [
    ("wide", None, False, None),
    ("long", 2, False, None),
    ("long", 3, True, None),
    ("wide", None, False, "others"),
    ("long", 3, True, "others"),
]


@pytest.fixture(scope="module")
def made(shared_db: psycopg.Connection) -> None:
    """The tables, the models, and the function in two ways."""
    db = shared_db
    for statement in MAKE.split(";\n"):
        if statement:
            db.execute(statement)  # type: ignore[arg-type]
    db.execute("CREATE TABLE others AS SELECT * FROM t WHERE id % 500 IN (3, 208)")
    db.execute("CREATE VIEW shuffled AS SELECT * FROM t WHERE id < 3000 ORDER BY md5(id::text)")
    db.execute("CREATE TABLE few AS SELECT * FROM t WHERE id <= 20")
    for training in MODELS.values():
        db.execute(f"SELECT madtree.{training}")  # type: ignore[arg-type]
    for name, start in (("by_workers", 0.0), ("by_one", 1e9)):
        db.execute(f"""
            CREATE FUNCTION {name}(model text, target text, layout text, top int, pairs bool, others text) RETURNS text
            LANGUAGE plpython3u SET jit = off SET min_parallel_table_scan_size = 0 AS $$
            from madtree.host.plpy import PlpyHost
            from madtree.request.tuning import Costs
            from madtree.score.shap import explain_table
            costs = Costs(start={start}, per_worker=0.0)
            told = layout, top, pairs, None, others
            return str(explain_table(PlpyHost(plpy), model, "t", target, None, None, *told, costs=costs))
            $$""")  # type: ignore[arg-type]


@pytest.fixture
def data(db: psycopg.Connection, schema: str, shared_schema: str, made: None) -> psycopg.Connection:
    """Reads what is made, and makes its own tables elsewhere."""
    db.execute(f"SET search_path = {schema}, {shared_schema}, public, madtree")
    db.execute("SELECT madtree.tree_shap()")  # loads the Python half
    return db


def summed(db: psycopg.Connection, table: str) -> tuple[int, Any]:
    """How many rows there are, and a sum over what they send that any other row would change."""
    text = f"SELECT count(*), sum(hashtextextended(r::text, 0)::numeric) FROM {table} AS r"
    return db.execute(text).fetchone()  # type: ignore[arg-type, return-value]


def differ(db: psycopg.Connection, one: str, other: str) -> int:
    """Rows that only one of the tables has, by what they send."""
    text = f"SELECT count(*) FROM (SELECT r::text FROM {one} AS r EXCEPT ALL SELECT r::text FROM {other} AS r) AS q"
    return int(db.execute(text).fetchone()[0])  # type: ignore[arg-type, index]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("model", "layout", "top", "interactions", "background"),
    [(model, *told) for turn, model in enumerate(MODELS) for told in share(TOLD, 4, 3 * turn + 1)],
)
def test_all_ways_write_the_same_bytes(
    data: psycopg.Connection, model: str, layout: str, top: int | None, interactions: bool, background: str | None
) -> None:
    for function in ("by_one", "by_workers"):
        data.execute(
            f"SELECT {function}(%s, %s, %s, %s, %s, %s)",  # type: ignore[arg-type]
            [model, function, layout, top, interactions, background],
        )
    arguments: dict[str, Any] = {
        "layout": layout, "top": top, "interactions": interactions, "background": background,
    }  # fmt: skip
    with data.transaction():
        call(PsycopgHost(data), "tree_shap", (model, "t", "by_client"), arguments)
    for source, target in (("shuffled", "of_view"), ("few", "of_few")):
        names = "".join(f", {name} => %s" for name in arguments)
        data.execute(
            f"SELECT madtree.tree_shap('{model}', '{source}', '{target}'{names})",  # type: ignore[arg-type]
            [*arguments.values()],
        )
    expected = summed(data, "by_one")
    assert expected[0] >= N_ROWS
    assert summed(data, "by_workers") == summed(data, "by_client") == expected
    assert differ(data, "of_view", "by_one") == differ(data, "of_few", "by_one") == 0


def test_a_cancel_is_answered(data: psycopg.Connection) -> None:
    data.execute("SELECT madtree.boost_train('t', 'm', 'id', 'v', 'x, z, i, c', num_trees => 60)")
    data.execute("CREATE VIEW few AS SELECT * FROM t LIMIT 20; SELECT madtree.tree_shap('m', 'few', 'loaded')")
    data.execute("SET statement_timeout = '200ms'")
    begin = time.perf_counter()
    with pytest.raises(psycopg.errors.QueryCanceled):
        data.execute("SELECT madtree.tree_shap('m', 't', 'why')")
    took = time.perf_counter() - begin
    data.execute("RESET statement_timeout")
    assert took < 1.0  # 0.2 s, and as much again for a busy machine
    assert data.execute("SELECT to_regclass('why')").fetchone() == (None,)
