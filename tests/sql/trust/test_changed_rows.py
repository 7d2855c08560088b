"""What a superuser has read of another role's model stays what it is until her call ends: a copy that she makes of it
has nothing that she has not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from test_swapped_schemas import Interrupted

from madtree.engine import call

COPIES = {
    "tree_prune": ("m", ("hers.m", "bosses_m", 0.01)),
    "tree_refresh": ("m", ("hers.m", "data", "bosses_m")),
    "calibrate": ("m", ("hers.m", "data", "bosses_m")),
    "boost_cut": ("b", ("hers.b", "bosses_m", 2)),
    "calibrate of a boosted model": ("b", ("hers.b", "data", "bosses_m")),
}


@pytest.fixture
def hers(data: psycopg.Connection, user_db: psycopg.Connection, schema: str) -> Iterator[str]:
    """The ordinary user's schema with models of plain columns."""
    role = user_db.info.user
    data.execute(f"CREATE SCHEMA hers_{schema} AUTHORIZATION {role}")
    data.execute(f"GRANT SELECT ON data TO {role}")
    user_db.execute(f"SELECT tree_train('data', 'hers_{schema}.m', 'id', 'y', 'x, k')".encode())
    user_db.execute(f"SELECT boost_train('data', 'hers_{schema}.b', 'id', 'y', 'x, k', num_trees => 3)".encode())
    user_db.execute("SET lock_timeout = '200ms'")
    yield f"hers_{schema}"
    data.execute(f"SET client_min_messages = error; DROP SCHEMA hers_{schema} CASCADE".encode())


@pytest.mark.one_in(2)
@pytest.mark.parametrize("function", COPIES)
def test_a_copy_has_the_expressions_that_were_looked_at(
    data: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]], hers: str, function: str
) -> None:
    model, given = COPIES[function]
    tried: list[str] = []

    def change(found: re.Match[str]) -> None:
        """Just before the copy is written, once."""
        if tried:
            return
        tried.append("changed")
        try:
            user_db.execute(
                f"UPDATE {hers}.{model}_summary SET features[1] = 'x + 0 * spring()', id_col_name = 'spring()'".encode()
            )
        except psycopg.errors.LockNotAvailable:
            tried[:] = ["held"]

    host = Interrupted(data, r"INSERT INTO [^ ]*bosses_m_summary", change)
    arguments: list[Any] = [each.replace("hers", hers) if isinstance(each, str) else each for each in given]
    with data.transaction(force_rollback=True):
        call(host, function.partition(" ")[0], arguments)
        predict = "boost_predict" if model == "b" else "tree_predict"
        data.execute(f"SELECT {predict}('bosses_m', 'data', 'predicted')".encode())
        assert canary() == set()
    assert tried == ["held"]
