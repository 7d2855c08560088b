"""The tutorial, followed literally between two runs of the demo: neither disturbs the other."""

from __future__ import annotations

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
from waiting import PATIENCE

from madtree.cli.demo import story
from madtree.cli.demo.flights import find_flights
from madtree.cli.exits import DemoError

SECONDS = re.compile(r"(\d[\d,]*) rows a second|\d+\.\d+ s\b")
ANALYZED = """
SELECT relname, analyze_count FROM pg_stat_user_tables
WHERE schemaname = 'demo' AND relname IN ('flights_train', 'flights_held_out') ORDER BY relname
"""
LOADING = ("1. The data", "2. A tree")  # between these titles a second run says what it found


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


def figures(printed: str) -> str:
    """All but what loading the flights says, and seconds."""
    begin, end = (printed.index(title) for title in LOADING)
    return SECONDS.sub("", printed[:begin] + printed[end:])


@pytest.mark.usefixtures("no_demo")
def test_demo_tutorial_demo(
    server: Server, db: psycopg.Connection, dsn: str, schema_name: str, tmp_path: Path, flights_file: Path
) -> None:
    first = demo(dsn, flights_file)
    private = {"MADTREE_HOME": str(server.home)} if server.home else {}
    follow("tutorial.md", dsn, schema_name, tmp_path, private)
    second = demo(dsn, flights_file)

    assert db.execute(ANALYZED).fetchall() == [("flights_held_out", 1), ("flights_train", 1)], "when they were made"
    assert figures(second) == figures(first)
    assert "336,776 rows loaded" in first
    assert "336,776 rows from an earlier run" in second
    assert "\x1b" not in first, "escape sequences where nobody can see colours"
    skipped = re.search(r"([\d,]+) rows were left out", first)
    assert skipped is not None
    late = "SELECT count(*) FROM demo.flights_train WHERE late IS NULL"
    assert db.execute(late).fetchone() == (int(skipped[1].replace(",", "")),)
    aucs = [float(value) for value in re.findall(r"^auc +(0\.\d+)", first, re.MULTILINE)]
    assert len(aucs) == 2
    assert min(aucs) > 0.65
    assert first.count("FROM madtree.tree_evaluate('demo.") == 2
    for statement in (*(call.sql() for call in story.NEXT), story.NODES):  # what it says to try does work
        db.execute(statement)
