"""Without the extension what has its functions' names may be anybody's: it is not called, also where the extension is
asked for by name.
"""

from __future__ import annotations

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from terminal import run

import madtree


@pytest.fixture
def planted(other_database: str) -> str:
    """A database without the extension, in which somebody has made its functions."""
    with psycopg.connect(other_database, autocommit=True) as db:
        db.execute("CREATE SCHEMA madtree; CREATE VIEW madtree.models AS SELECT 1 / 0 AS model")
        db.execute(
            "CREATE FUNCTION madtree.tree_display(model text) RETURNS text LANGUAGE plpgsql "
            "AS $$ BEGIN RAISE EXCEPTION 'it runs'; END $$"
        )
    return other_database


def test_the_client_calls_nothing(planted: str) -> None:
    for how in (lambda c: c.tree_display("m"), lambda c: c.models(), lambda c: c.call("tree_display", "m")):
        with (
            madtree.connect(planted, engine="extension") as client,
            pytest.raises(madtree.MadtreeError, match="this database has no extension madtree"),
        ):
            how(client)


def test_commands_call_nothing(planted: str) -> None:
    for words in (["predict", "m", "t", "o"], ["models"]):
        said = run("--engine", "extension", *words, "--dsn", make_conninfo(planted))
        assert said.code == 1
        assert "this database has no extension madtree" in said.err
