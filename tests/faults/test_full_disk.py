"""A disk that is full at every stage of every kind of run: PostgreSQL's error for it, and nothing is left. No backend
dies of it, which would end everybody's sessions.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from multiprocessing import get_context
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

import psycopg
import pytest
from breakable import BreakableServer
from runs import FOREST, RUNS, outcome, outcome_of
from waiting import PATIENCE

import madtree
from madtree.errors import MadtreeError

FORK = get_context("fork")
TOLD = re.compile(
    r"madtree: there is no room on the disk for a temporary file(?: of [\d.]+ [kM]B)? with ([a-z ]+): "
    "No space left on device"
)
SIZE = 160 * 2**20
STEPS = (0, 8_192, 40_000, 100_000, 300_000, 800_000, 2_000_000, 5_000_000, 10_000_000, 40_000_000)  # bytes left
MEGABYTE = 2**20
# With 8 MB of memory, packed rows go to a file beyond 2 MB, rows that are read once and a forest's copies beyond 4 MB.
MANY = f"""CREATE TABLE many AS SELECT i AS id, i % 2 AS half, i % 300 AS g, sin(i) > 0.3 AS y,
    {", ".join(f"sin(i * {k})::real AS x{k}" for k in range(1, 17))} FROM generate_series(1, 300000) AS i"""
TREE = "SELECT tree_train('many', 'out', 'id', 'y', '{}', max_depth => 4, memory_mb => 8, parallel_workers => {}, {})"
SOME, ALL = "x1, x2, x3", ", ".join(f"x{k}" for k in range(1, 17))
TREES = FOREST.replace("num_trees => 6", "num_trees => {}") + ", memory_mb => 8, parallel_workers => {}, {})"
BOOSTED = (
    "SELECT boost_train('many', 'out', 'id', 'y', '{}', num_trees => 3, memory_mb => 8, parallel_workers => {}, {})"
)
TUNED = "SELECT tree_tune('many', 'out', 'id', 'y', '{}', params => 'max_depth=2,3', n_folds => 2, memory_mb => 8)"
# Each run, and what of it exceeds its memory.
IN_FILES = {
    "tree in memory": (TREE.format(ALL, 0, "strategy => 'memory'"), "packed rows"),
    "tree by workers": (TREE.format(ALL, 1, "strategy => 'workers'"), "packed rows"),
    "tree by the aggregate": (TREE.format(ALL, 0, "strategy => 'aggregate'"), ""),
    "tree of rows that are read once": (TREE.format(SOME, 0, "n_bins => 1000"), "rows that are read once"),
    "large groups": (TREE.format(SOME, 0, "grouping_cols => 'half'"), "rows that are read once"),
    "small groups": (TREE.format(SOME, 0, "grouping_cols => 'g'"), ""),
    "small groups by workers": (TREE.format(SOME, 2, "grouping_cols => 'g'"), ""),
    "forest in memory": (TREES.format(20, 0, "strategy => 'memory'"), "copies of packed rows"),
    "forest by workers": (TREES.format(20, 2, "oob_predictions => true"), "copies of packed rows"),
    "forest by the aggregate": (TREES.format(4, 0, "strategy => 'aggregate', oob_predictions => true"), ""),
    "boosting in memory": (BOOSTED.format(ALL, 0, "strategy => 'memory'"), "packed rows"),
    "boosting by workers": (BOOSTED.format(ALL, 2, "strategy => 'workers'"), "packed rows"),
    "boosting by the aggregate": (BOOSTED.format(SOME, 0, "strategy => 'aggregate'"), ""),
    "settings in memory": (TUNED.format(ALL), "packed rows"),
    "contributions": (RUNS["contributions of a forest"], ""),
    "scores by an expression": (RUNS["predict"], ""),
    "scores by blocks": (RUNS["predict by blocks"], ""),
    "scores by a forest": (RUNS["predict by a forest"], ""),
}
# Groups so small that PostgreSQL sorts their rows in memory, and with trees that take half a megabyte.
FEW = "CREATE TABLE few AS SELECT * FROM data WHERE id <= 12000"
GROWN_OUT = "max_depth => 20, min_split => 2, min_bucket => 1, grouping_cols => 'g', parallel_workers => 2"
# Runs, and what of them only resident workers have files for.
TOGETHER = {
    "workers": (RUNS["workers"], {"requests to parallel workers"}),
    "groups": (
        f"SELECT tree_train('few', 'out', 'id', 'y', 'x, z, n', {GROWN_OUT})",
        {"trees of small groups", "answers of parallel workers"},
    ),
    "forest": (RUNS["forest by workers"], {"packed rows"}),
}


@pytest.fixture(scope="module")
def small_disk(breakable: BreakableServer) -> Iterator[Path]:
    """A disk of its own for tables and temporary files; making one takes root."""
    disk = breakable.server.home.root / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=700", "tmpfs", disk], capture_output=True, text=True
    )
    if mounted.returncode:
        disk.rmdir()
        pytest.skip(f"no disk of a given size can be made here: {mounted.stderr.strip()}")
    try:
        os.chown(disk, breakable.server.user.uid, breakable.server.user.gid)
        with breakable.session() as session:
            session.execute(f"CREATE TABLESPACE small LOCATION '{disk}'")
        yield disk
        with breakable.session() as session:
            session.execute("DROP TABLESPACE small")
    finally:
        breakable.stop()
        subprocess.run(["umount", disk], check=True)
        breakable.start()


def fill(disk: Path, leave: int) -> Path:
    """Take all of the disk but so many bytes; the file that does."""
    found = os.statvfs(disk)
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        if (size := found.f_bavail * found.f_frsize - leave) > 0:
            os.posix_fallocate(file.fileno(), 0, size)
    return ballast


@pytest.mark.parametrize("name", RUNS)
def test_a_full_disk(breakable: BreakableServer, small_disk: Path, name: str) -> None:
    with breakable.session() as session:
        expected = outcome(session, name)
        session.execute("SET default_tablespace = small; SET temp_tablespaces = small")
        assert outcome(session, name) == expected
        before = breakable.traces(session)
        for leave in STEPS:
            ballast = fill(small_disk, leave)
            try:
                session.execute("BEGIN")
                session.execute(RUNS[name])
            except psycopg.errors.DiskFull:
                pass  # by PostgreSQL or by madtree; any other error fails
            finally:
                session.execute("ROLLBACK")
                ballast.unlink()
            assert breakable.traces(session) == before
        assert outcome(session, name) == expected


@pytest.fixture(scope="module")
def tables(breakable: BreakableServer) -> None:
    with breakable.session() as session:
        session.execute(MANY)
        session.execute(FEW)
        session.execute("ANALYZE many, few")


@contextlib.contextmanager
def nobody_ends(breakable: BreakableServer) -> Iterator[psycopg.Connection]:
    """A session whose temporary files are on the small disk. Where a backend is killed, all others end, too."""
    breakable.wait_for_recovery()  # where a run before this one has failed
    with breakable.session() as older, breakable.session() as session:
        started = older.execute("SELECT pg_postmaster_start_time()").fetchall()
        session.execute("SET temp_tablespaces = small")
        yield session
        assert older.execute("SELECT pg_postmaster_start_time()").fetchall() == started


def errors_of(
    breakable: BreakableServer, session: psycopg.Connection, disk: Path, run: str, leaves: Iterable[int]
) -> set[str]:
    """What did not fit on a disk with so many bytes left; it grows until the run succeeds."""
    expected = outcome_of(session, run)
    before = breakable.traces(session)
    contents = set()
    for leave in leaves:
        ballast = fill(disk, leave)
        try:
            assert outcome_of(session, run) == expected
            break
        except psycopg.errors.DiskFull as error:
            contents.add(content_of(error.diag.message_primary or "", error.diag.message_hint or ""))
        finally:
            ballast.unlink()
        assert breakable.traces(session) == before
    else:
        pytest.fail("the disk is too small for the run")
    assert outcome_of(session, run) == expected
    assert breakable.traces(session) == before
    return contents


def content_of(message: str, hint: str, setting: str = "temp_tablespaces") -> str:
    """What the file that is told of holds; "" where PostgreSQL tells of its own."""
    if not message.startswith("madtree: "):
        return ""
    found = TOLD.fullmatch(message)
    assert found, message
    assert f"set {setting} to" in hint
    return found[1]


@pytest.mark.parametrize("name", IN_FILES)
def test_a_disk_that_ends_at_any_megabyte(
    breakable: BreakableServer, small_disk: Path, tables: None, name: str
) -> None:
    """From a disk that is full to one on which the run succeeds."""
    run, content = IN_FILES[name]
    with nobody_ends(breakable) as session:
        session.execute("SET default_tablespace = small")
        assert content in errors_of(breakable, session, small_disk, run, range(0, SIZE, MEGABYTE))


@pytest.mark.parametrize("name", TOGETHER)
def test_a_disk_without_room_for_what_workers_share(
    breakable: BreakableServer, small_disk: Path, tables: None, name: str
) -> None:
    """Tables are elsewhere, and files of some kilobytes are all that is on the disk."""
    run, contents = TOGETHER[name]
    leaves = (0, 4096, 40_000, 130_000, 260_000, 380_000, 800_000, MEGABYTE, 2 * MEGABYTE, 4 * MEGABYTE)
    with nobody_ends(breakable) as session:
        assert errors_of(breakable, session, small_disk, run, leaves) & contents


def test_a_disk_of_the_clients_that_ends_at_any_megabyte(breakable: BreakableServer, small_disk: Path) -> None:
    """The client engine's files are where TMPDIR says."""
    arguments = {"num_trees": 20, "max_tree_depth": 8, "memory_mb": 8}

    def work(results: Queue[Any]) -> None:
        tempfile.tempdir = str(small_disk)
        said = []
        with madtree.connect(breakable.dsn, engine="client") as client:
            for leave in range(0, SIZE, MEGABYTE):
                ballast = fill(small_disk, leave)
                try:
                    client.forest_train("data", "public.out", "id", "y", "x, z, n, word", **arguments)
                    break
                except MadtreeError as error:
                    said.append((error.sqlstate, error.message, error.hint))
                finally:
                    ballast.unlink()
            client.tree_drop("public.out")
        results.put(said)

    results: Queue[Any] = FORK.Queue()
    process = FORK.Process(target=work, args=(results,), daemon=True)
    process.start()
    process.join(PATIENCE)
    assert process.exitcode == 0, "a signal has ended it"
    said = results.get()
    assert {sqlstate for sqlstate, _, _ in said} == {"53100"}
    assert "copies of packed rows" in {content_of(message, hint, "TMPDIR") for _, message, hint in said}
    assert list(small_disk.glob("pgsql_tmp*")) == []
