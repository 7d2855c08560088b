"""Another role's table stays as it was looked at until a superuser's call is done with it: its owner cannot give its
columns other types, nor put another table or view in its place, between two statements of the call.

The client engine runs the same statements as the server's functions. Here its host lets the owner act before each.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import psycopg
import pytest
from shares import share
from test_swapped_schemas import SWAP, Interrupted, hers  # noqa: F401

from madtree.engine import call
from madtree.report import build_report

CALLS: dict[str, tuple[str, ...]] = {
    "tree_train": ("{}.t", "out", "id", "y", "x, k"),
    "forest_train": ("{}.t", "out", "id", "y", "x, k"),
    "tree_predict": ("m", "{}.t", "out"),
    "forest_predict": ("f", "{}.t", "out"),
    "tree_evaluate": ("m", "{}.t"),
    "tree_confusion": ("m", "{}.t"),
    "tree_curve": ("m", "{}.t"),
    "tree_reliability": ("m", "{}.t"),
    "tree_path": ("m", "{}.t", "7"),
    "page": ("r", "{}.t"),
}
_CAST = """
CREATE FUNCTION to_{0}(size) RETURNS {0} LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM spring(); RETURN 1; END $$;
CREATE CAST (size AS {0}) WITH FUNCTION to_{0}(size) AS IMPLICIT
"""
_AS_SIZE = "(x % 7)::text::{schema}.size"
CHANGES = {
    "another type": f"ALTER TABLE {{hers}}.t ALTER x TYPE {{schema}}.size USING {_AS_SIZE}",
    "a view": f"{SWAP}; CREATE VIEW {{hers}}.t AS SELECT id, x * {{schema}}.spring() AS x, k, w, y "
    "FROM was_1_{schema}.t; GRANT SELECT ON {hers}.t TO PUBLIC",
    "a table of another type": f"{SWAP}; CREATE TABLE {{hers}}.t AS SELECT id, {_AS_SIZE} AS x, k, w, y "
    "FROM was_1_{schema}.t; GRANT SELECT ON {hers}.t TO PUBLIC",
}


@pytest.fixture
def table(data: psycopg.Connection, user_db: psycopg.Connection, hers: str) -> str:  # noqa: F811
    """Her table, and models of the superuser's to use on it."""
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x, k'); SELECT tree_train('data', 'r', 'id', 'w', 'x, k')")
    data.execute("SELECT forest_train('data', 'f', 'id', 'y', 'x, k', num_trees => 2)")
    labels = ", ".join(f"'{number}'" for number in range(7))
    user_db.execute(f"CREATE TYPE size AS ENUM ({labels})".encode())
    for type_ in ("float8", "int4"):
        user_db.execute(_CAST.format(type_).encode())
    user_db.execute(f"CREATE TABLE {hers}.t AS SELECT id, x, k, w, y FROM data".encode())
    user_db.execute(f"GRANT SELECT ON {hers}.t TO PUBLIC".encode())
    return f"{hers}.t"


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("function", "change"),
    [(function, change) for turn, function in enumerate(CALLS) for change in share([*CHANGES], 3, turn)],
)
def test_a_table_that_its_owner_changes_meanwhile_runs_nothing(
    data: psycopg.Connection,
    user_db: psycopg.Connection,
    canary: Callable[[], set[str]],
    table: str,
    schema: str,
    function: str,
    change: str,
) -> None:
    """The first statement with the table's name looks at its columns. Before each later one in turn she tries."""
    tried: dict[int, str] = {}
    n_statements = 0

    def act(found: re.Match[str]) -> None:
        nonlocal n_statements
        n_statements += 1
        if n_statements != turn:
            return
        statements = CHANGES[change].format(schema, 1, hers=table.removesuffix(".t"), schema=schema)
        try:
            with user_db.transaction():
                user_db.execute(statements.encode())
            tried[turn] = "changed"
        except psycopg.errors.LockNotAvailable:
            tried[turn] = "held"

    host = Interrupted(data, rf'{table.replace(".", "[.]")}|"{table.replace(".", chr(34) + "[.]" + chr(34))}"', act)
    given = [each.format(table.removesuffix(".t")) for each in CALLS[function]]
    turn = 2
    while turn == 2 or n_statements >= turn - 1:
        n_statements = 0
        with data.transaction(force_rollback=True):
            canary()
            build_report(host, given[0], data=given[1]) if function == "page" else call(host, function, given)
            assert canary() == set(), tried
        turn += 1
    assert set(tried.values()) == {"held"}
