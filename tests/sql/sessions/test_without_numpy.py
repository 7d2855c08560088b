"""numpy is loaded by those calls that need it, and by no others."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

MADE = """
CREATE TABLE {0}.t AS SELECT i AS id, i % 10 AS x, i % 10 > 6 AS y FROM generate_series(1, 200) AS i;
SELECT madtree.tree_train('{0}.t', '{0}.m', 'id', 'y', 'x');
"""
SEEN = "plpy.notice('loaded' if 'numpy' in __import__('sys').modules else 'not loaded')"
BROKEN = """
import os, sys, tempfile
with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, 'numpy'))
    with open(os.path.join(folder, 'numpy', '__init__.py'), 'w') as file:
        file.write('raise ImportError("it was built for another interpreter")')
    sys.path.insert(0, folder)
    try:
        plpy.execute("SELECT madtree.tree_train('{0}.t', '{0}.new', 'id', 'y', 'x')")
    finally:
        sys.path.remove(folder)
"""


@pytest.fixture
def session(dsn: str, schema: str, db: psycopg.Connection) -> Iterator[psycopg.Connection]:
    """A new one, with a model in the schema that another one has made."""
    db.execute(MADE.format(schema))  # type: ignore[arg-type]
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


def block(body: str) -> str:
    return f"DO LANGUAGE plpython3u $python$\n{body}\n$python$"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("madtree.tree_display('{0}.m')", "not loaded"),
        ("count(*) FROM madtree.tree_rules('{0}.m')", "not loaded"),
        ("count(*) FROM madtree.tree_path('{0}.m', '{0}.t', '1')", "not loaded"),
        ("madtree.tree_sql('{0}.m')", "not loaded"),
        ("madtree.tree_predict('{0}.m', '{0}.t', '{0}.scored')", "not loaded"),
        ("count(*) FROM madtree.models", "not loaded"),
        ("madtree.tree_drop('{0}.m')", "not loaded"),
        ("madtree.tree_train('{0}.t', '{0}.new', 'id', 'y', 'x')", "loaded"),
    ],
)
def test_a_call_loads_what_it_needs(session: psycopg.Connection, schema: str, call: str, said: str) -> None:
    notices: list[str] = []
    session.execute(f"SELECT {call.format(schema)}")  # type: ignore[arg-type]
    session.add_notice_handler(lambda told: notices.append(str(told.message_primary)))
    session.execute(block(SEEN))  # type: ignore[arg-type]
    assert notices == [said]


def test_a_numpy_that_cannot_be_loaded_is_named(session: psycopg.Connection, schema: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        session.execute(block(BROKEN.format(schema)))  # type: ignore[arg-type]
    error = caught.value.diag
    assert "madtree: the Python package numpy cannot be imported: it was built for another inter" in str(
        error.message_primary
    )
    assert (error.sqlstate, "madtree doctor" in str(error.message_hint)) == ("58000", True)
