"""Plans, states and images of a user's own making, handed to the internal functions through SQL: whatever they say, the
session can be stopped, and goes on afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import psycopg
import pytest
from test_forged_bytes import CASES, CIRCLES, changed_bytes, changed_values, score_plan
from waiting import wait_until

COLUMNS = ", ".join(f"%({name})s::bytea" for name in ("codes", "target", "weight", "tree", "fold", "identity"))
CALLS = {
    "pack": "SELECT (madtree_internal.pack_images(%(rows)s::bytea, %(plan)s::bytea)).n_rows",
    "grow": "SELECT length(madtree_internal.grow_block(%(plan)s::bytea, %(rows)s::bytea))",
    "score": "SELECT length(madtree_internal.score_block(%(plan)s::bytea, %(rows)s::bytea))",
    "count": f"SELECT length(madtree_internal.node_statistics(%(n_rows)s, {COLUMNS}, %(nodes)s::bytea, "
    "%(plan)s::bytea))",
    "move": f"SELECT length(madtree_internal.moved_nodes(%(plan)s::bytea, %(n_rows)s, {COLUMNS}, %(nodes)s::bytea))",
    **{
        column: f"SELECT length(madtree_internal.new_column(%(plan)s::bytea, '{column}', %(n_rows)s, {COLUMNS}, "
        "%(scores)s::bytea, %(nodes)s::bytea))"
        for column in ("fold", "target", "weight")
    },
    "sums": f"SELECT length(madtree_internal.row_sums(%(plan)s::bytea, %(n_rows)s, {COLUMNS}, %(scores)s::bytea, "
    "%(nodes)s::bytea))",
}


def arguments(plan: bytes, rows: Any) -> dict[str, Any]:
    if isinstance(rows, bytes):
        return {"plan": plan, "rows": rows}
    names = ("codes", "target", "weight", "tree", "fold", "identity", "nodes", "scores")
    columns = dict(zip(names, rows[1], strict=False))
    return {"plan": plan, "n_rows": rows[0], "nodes": None, "scores": None, **columns}


@pytest.mark.parametrize("name", CASES)
def test_a_changed_plan_is_refused_or_harmless(db: psycopg.Connection, name: str) -> None:
    plan, rows, _ = CASES[name]
    call = CALLS[name.split()[0]]
    (length,) = db.execute(call, arguments(plan, rows)).fetchone() or (0,)
    assert length > 0
    rng = np.random.default_rng(4714)
    db.execute("SET statement_timeout = '20s'")
    n_refused = 0
    for number in range(12):
        changed = (changed_bytes, changed_values)[number % 2](plan, rng)
        try:
            db.execute(call, arguments(changed, rows))
        except (psycopg.errors.InvalidParameterValue, psycopg.errors.SerializationFailure) as error:
            # The latter: sums that are no longer exact, as of powers about a mean that is far away.
            n_refused += "madtree: " in (error.diag.message_primary or "")
    assert n_refused > 2
    assert db.execute(call, arguments(plan, rows)).fetchone() == (length,)


@pytest.mark.parametrize("child", CIRCLES, ids=["to the root", "from a leaf", "into another tree", "past the end"])
def test_children_in_a_circle_are_refused(db: psycopg.Connection, child: list[int]) -> None:
    plan, rows = score_plan(False, False, child)
    db.execute("SET statement_timeout = '20s'")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="damaged: child must be"):
        db.execute(CALLS["score"], arguments(plan, rows))


# As many rows as take seconds, and deep: images of three numbers each.
LONG = (
    "SELECT length(madtree_internal.score_block(%(plan)s::bytea, "
    "decode(repeat(encode(%(rows)s::bytea, 'hex'), 60000), 'hex')))"
)


def test_a_long_score_keeps_to_its_time(db: psycopg.Connection) -> None:
    plan, rows = score_plan(True, True)
    db.execute(LONG.replace("60000", "10"), arguments(plan, rows))  # loads the Python half
    begin = time.monotonic()
    db.execute("SET statement_timeout = '300ms'")
    with pytest.raises(psycopg.errors.QueryCanceled, match="due to statement timeout"):
        db.execute(LONG, arguments(plan, rows))
    assert time.monotonic() - begin < 20
    db.execute("SET statement_timeout = 0")
    assert db.execute(LONG.replace("60000", "10"), arguments(plan, rows)).fetchone() == (800,)


@pytest.mark.parametrize("how", ["pg_cancel_backend", "pg_terminate_backend"])
def test_a_long_score_can_be_stopped(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection], how: str
) -> None:
    plan, rows = score_plan(True, True)
    session = connect()
    pid = session.info.backend_pid
    with ThreadPoolExecutor() as pool:
        scoring = pool.submit(session.execute, LONG, arguments(plan, rows))
        query = "SELECT state FROM pg_stat_activity WHERE pid = %s"
        wait_until(lambda: db.execute(query, [pid]).fetchone() == ("active",), "it was never begun")
        time.sleep(0.3)  # past the making of the rows, and into their scoring
        db.execute(f"SELECT {how}(%s)", [pid])
        with pytest.raises(psycopg.Error, match=r"due to user request|terminating connection"):
            scoring.result(60)
