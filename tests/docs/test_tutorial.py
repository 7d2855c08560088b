"""The tutorial, followed literally between a run of the demo and the beginning of another: both find what they need."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from fix_server import Server
from pages import follow
from rich.console import Console
from waiting import PATIENCE

from madtree.cli.demo import story
from madtree.cli.demo.flights import find_flights
from madtree.cli.demo.screen import Screen
from madtree.cli.demo.tables import load, prepare
from madtree.cli.exits import DemoError

ANALYZED = """
SELECT relname, analyze_count FROM pg_stat_user_tables
WHERE schemaname = 'demo' AND relname IN ('flights_train', 'flights_held_out') ORDER BY relname
"""


@pytest.fixture
def flights_file() -> Path:
    try:
        return find_flights(None, say=list)
    except DemoError as error:
        pytest.skip(str(error))


@pytest.fixture
def no_demo(db: psycopg.Connection) -> Iterator[None]:
    """A database without the demo's schema, before and after."""
    db.execute("DROP SCHEMA IF EXISTS demo CASCADE")
    yield
    db.execute("DROP SCHEMA IF EXISTS demo CASCADE")


def demo(dsn: str, data: Path) -> str:
    """What `madtree demo` prints."""
    command = [sys.executable, "-m", "madtree", "demo", "--dsn", dsn, "--data", str(data)]
    environment = {**os.environ, "COLUMNS": "120"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=2 * PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.usefixtures("no_demo")
def test_demo_tutorial_demo(
    server: Server, db: psycopg.Connection, dsn: str, schema_name: str, tmp_path: Path, flights_file: Path
) -> None:
    printed = demo(dsn, flights_file)
    private = {"MADTREE_HOME": str(server.home)} if server.home else {}
    follow("tutorial.md", dsn, schema_name, tmp_path, private)
    again = io.StringIO()
    prepare(db, story.TABLES)
    load(Screen(Console(file=again, width=120), db), flights_file)  # all that follows is made anew

    assert db.execute(ANALYZED).fetchall() == [("flights_held_out", 1), ("flights_train", 1)], "when they were made"
    assert "336,776 rows loaded" in printed
    assert "336,776 rows from an earlier run" in again.getvalue()
    assert "\x1b" not in printed, "escape sequences where nobody can see colours"
    skipped = re.search(r"([\d,]+) rows were left out", printed)
    assert skipped is not None
    late = "SELECT count(*) FROM demo.flights_train WHERE late IS NULL"
    assert db.execute(late).fetchone() == (int(skipped[1].replace(",", "")),)
    aucs = [float(value) for value in re.findall(r"^auc +(0\.\d+)", printed, re.MULTILINE)]
    assert len(aucs) == 2
    assert min(aucs) > 0.65
    assert printed.count("FROM madtree.tree_evaluate('demo.") == 2
    for statement in (*(call.sql() for call in story.NEXT), story.NODES):  # what it says to try does work
        db.execute(statement)
