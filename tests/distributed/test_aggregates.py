"""Every aggregate of the extension has the form that a distributed engine can push down."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest

# Of each aggregate: kind, state type, and for its transition, combine and final function whether it is there, its
# volatility, parallel safety, and strictness.
AGGREGATES = """
SELECT a.aggfnoid::regprocedure::text, a.aggkind, a.aggtranstype::regtype::text, a.aggcombinefn <> 0 AS combines,
       p.proparallel, a.agginitval IS NULL OR a.agginitval = '' AS neutral,
       (SELECT array_agg(DISTINCT f.provolatile::text || f.proparallel::text) FROM pg_proc AS f
        WHERE f.oid IN (a.aggtransfn, a.aggcombinefn, a.aggfinalfn)) AS kinds,
       (SELECT bool_or(f.proisstrict) FROM pg_proc AS f WHERE f.oid = a.aggcombinefn) AS strict
FROM pg_aggregate AS a JOIN pg_proc AS p ON p.oid = a.aggfnoid
WHERE p.pronamespace = ANY (ARRAY['madtree', 'madtree_internal']::regnamespace[]) ORDER BY 1"""


def test_all_aggregates_can_be_pushed_down(db: psycopg.Connection) -> None:
    found = db.execute(AGGREGATES).fetchall()
    assert found
    for name, kind, state, combines, parallel, neutral, kinds, strict in found:
        assert kind == "n", f"{name}: takes an ORDER BY"
        assert state != "internal", f"{name}: a state of type internal does not travel"
        assert combines, f"{name}: no combine function"
        assert not strict, f"{name}: a strict combine function is another one than a NULL-safe one"
        assert parallel == "s", name
        assert neutral, f"{name}: a start that is counted once for each shard"
        assert kinds == ["is"], f"{name}: a function that is not immutable and parallel safe: {kinds}"


@pytest.mark.parametrize("dtype", ["<i4", "<f8"])
def test_the_combine_function_is_safe_for_null_on_both_sides(db: psycopg.Connection, dtype: str) -> None:
    state = dtype.encode().ljust(8) + np.arange(6, dtype=dtype).tobytes()
    twice = dtype.encode().ljust(8) + (2 * np.arange(6, dtype=dtype)).tobytes()
    found = db.execute(
        "SELECT madtree_internal.node_statistics_merge(NULL, NULL), "
        "madtree_internal.node_statistics_merge(%(s)s::bytea, NULL), "
        "madtree_internal.node_statistics_merge(NULL, %(s)s::bytea), "
        "madtree_internal.node_statistics_merge(%(s)s::bytea, %(s)s::bytea)",
        {"s": state},
    ).fetchone()
    assert found == (None, state, state, twice)


def test_no_block_gives_no_state(db: psycopg.Connection) -> None:
    found = db.execute(
        "SELECT madtree_internal.node_statistics(0, ''::bytea, ''::bytea, NULL, NULL, NULL, NULL, NULL, ''::bytea) "
        "WHERE false"
    ).fetchone()
    assert found == (None,)


@pytest.mark.parametrize("function", ["pack_images", "array_image", "node_statistics_final", "moved_nodes"])
def test_what_runs_beside_the_rows_is_immutable_and_parallel_safe(db: psycopg.Connection, function: str) -> None:
    found = db.execute(
        "SELECT DISTINCT provolatile::text || proparallel::text FROM pg_proc "
        "WHERE pronamespace = 'madtree_internal'::regnamespace AND proname = %s",
        [function],
    ).fetchall()
    assert found == [("is",)]
