"""The host without a server says of arguments what a server's session says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import psycopg
from argument_calls import GOOD, HINTS, MISTAKES, SQLSTATES, TAKEN, shop
from memory_host import MemoryHost
from psycopg_host import PsycopgHost

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.request import check_arguments
from madtree.request.forest_arguments import check_forest_arguments

CALLS = [
    *(arguments for mistakes in MISTAKES.values() for arguments, _ in mistakes),
    *(arguments for arguments, _ in (*HINTS, *SQLSTATES)),
    *TAKEN,
]
OF_FORESTS: list[dict[str, Any]] = [
    {},
    {"num_trees": 0},
    {"num_random_features": 3},
    {"sampling": "none", "oob_predictions": True},
    {"grouping_cols": "n AS gid"},
    {"dependent_variable": "v", "list_of_features": "x, n, even", "num_splits": 30},
]


def outcome(host: Host, check: Any, arguments: dict[str, Any]) -> Any:
    """The task, or how the arguments are refused."""
    try:
        task = check(host, **(GOOD | arguments))
    except MadtreeError as error:
        return error.message, error.hint, error.sqlstate
    return replace(task, source=replace(task.source, oid=0))


def test_it_says_what_a_server_says(db: psycopg.Connection, schema: str) -> None:
    for statement in shop(schema).statements():
        db.execute(statement)
    checked = [(check_arguments, call) for call in CALLS] + [(check_forest_arguments, call) for call in OF_FORESTS]
    different = []
    for check, arguments in checked:
        server, memory = PsycopgHost(db), MemoryHost(shop(schema))
        expected, found = outcome(server, check, arguments), outcome(memory, check, arguments)
        if (found, [text for _, text in memory.said]) != (expected, server.notices):
            different.append((arguments, expected, server.notices, found, memory.said))
    assert different == []
