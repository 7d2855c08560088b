"""Contributions are the same to the byte, whoever computes them; and a cancel is answered."""

from __future__ import annotations

import time
from typing import Any

import psycopg
import pytest
from psycopg_host import PsycopgHost

from madtree.engine import call

N_ROWS = 24_000
MAKE = f"""
CREATE TABLE t AS SELECT n AS id, sin(n * 7.1) AS x, CASE WHEN n % 17 > 0 THEN 'c' || n * 13 % 6 END AS c,
    cos(n * 3.7) AS z, nullif(n * 53 % 17, 3) AS i, n % 2 AS g, NULL::float8 AS v, NULL::text AS k
FROM generate_series(1, {N_ROWS}) AS n;
UPDATE t SET v = x * 3 + z * coalesce(i, 8) / 4.0 + (c = 'c2')::int;
UPDATE t SET k = 'class ' || width_bucket(v, -2, 2, 2);
VACUUM ANALYZE t;
"""
MODELS = {
    "by thresholds": "boost_train('t', 'm', 'id', 'v', 'x, z, i', num_trees => 5)",
    "by categories": "boost_train('t', 'm', 'id', 'k', 'x, z, i, c', num_trees => 3)",
    "groups": "forest_train('t', 'm', 'id', 'k', 'x, z, i, c', grouping_cols => 'g', num_trees => 3, "
    "max_tree_depth => 5, importance => false)",
}


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    for statement in MAKE.split(";\n"):
        if statement:
            db.execute(statement)  # type: ignore[arg-type]
    for name, start in (("by_workers", 0.0), ("by_one", 1e9)):
        db.execute(f"""
            CREATE FUNCTION {name}(target text, layout text, top int, pairs bool, others text) RETURNS text
            LANGUAGE plpython3u SET jit = off SET min_parallel_table_scan_size = 0 AS $$
            from madtree.host.plpy import PlpyHost
            from madtree.request.tuning import Costs
            from madtree.score.shap import explain_table
            costs = Costs(start={start}, per_worker=0.0)
            told = layout, top, pairs, None, others
            return str(explain_table(PlpyHost(plpy), "m", "t", target, None, None, *told, costs=costs))
            $$""")  # type: ignore[arg-type]
    return db


def differ(db: psycopg.Connection, one: str, other: str) -> int:
    """Rows that only one of the tables has, by what they send."""
    text = f"SELECT count(*) FROM (SELECT r::text FROM {one} AS r EXCEPT ALL SELECT r::text FROM {other} AS r) AS q"
    return int(db.execute(text).fetchone()[0])  # type: ignore[arg-type, index]


@pytest.mark.parametrize(
    ("layout", "top", "interactions", "background"),
    [
        ("wide", None, False, None),
        ("long", 2, False, None),
        ("long", 3, True, None),
        ("wide", None, False, "others"),
        ("long", 3, True, "others"),
    ],
)
@pytest.mark.parametrize("model", MODELS)
def test_all_ways_write_the_same_bytes(
    data: psycopg.Connection, model: str, layout: str, top: int | None, interactions: bool, background: str | None
) -> None:
    data.execute(f"SELECT madtree.{MODELS[model]}")  # type: ignore[arg-type]
    data.execute("CREATE TABLE others AS SELECT * FROM t WHERE id % 500 IN (3, 208)")
    for function in ("by_one", "by_workers"):
        data.execute(
            f"SELECT {function}(%s, %s, %s, %s, %s)",  # type: ignore[arg-type]
            [function, layout, top, interactions, background],
        )
    arguments: dict[str, Any] = {
        "layout": layout, "top": top, "interactions": interactions, "background": background,
    }  # fmt: skip
    with data.transaction():
        call(PsycopgHost(data), "tree_shap", ("m", "t", "by_client"), arguments)
    data.execute("CREATE VIEW shuffled AS SELECT * FROM t WHERE id < 16000 ORDER BY md5(id::text)")
    data.execute("CREATE TABLE few AS SELECT * FROM t WHERE id <= 20")
    for source, target in (("shuffled", "of_view"), ("few", "of_few")):
        names = "".join(f", {name} => %s" for name in arguments)
        data.execute(
            f"SELECT madtree.tree_shap('m', '{source}', '{target}'{names})",  # type: ignore[arg-type]
            [*arguments.values()],
        )
    (n_rows,) = data.execute("SELECT count(*) FROM by_one").fetchone()  # type: ignore[misc]
    assert n_rows >= N_ROWS
    for other in ("by_workers", "by_client"):
        assert data.execute(f"SELECT count(*) FROM {other}").fetchone() == (n_rows,)  # type: ignore[arg-type]
        assert differ(data, "by_one", other) == 0
    assert differ(data, "of_view", "by_one") == differ(data, "of_few", "by_one") == 0


def test_a_cancel_is_answered(data: psycopg.Connection) -> None:
    data.execute("SELECT madtree.boost_train('t', 'm', 'id', 'v', 'x, z, i, c', num_trees => 60)")
    data.execute("SELECT madtree.tree_shap('m', 't', 'loaded', layout => 'long', top => 1)")
    data.execute("SET statement_timeout = '200ms'")
    begin = time.perf_counter()
    with pytest.raises(psycopg.errors.QueryCanceled):
        data.execute("SELECT madtree.tree_shap('m', 't', 'why')")
    took = time.perf_counter() - begin
    data.execute("RESET statement_timeout")
    assert took < 1.0  # 0.2 s, and as much again for a busy machine
    assert data.execute("SELECT to_regclass('why')").fetchone() == (None,)
