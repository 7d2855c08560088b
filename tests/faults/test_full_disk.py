"""A disk that is full at every stage of every kind of run: PostgreSQL's error for it, and nothing is left."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from breakable import BreakableServer
from runs import RUNS, outcome

SIZE = 160 * 2**20
STEPS = (0, 8_192, 40_000, 100_000, 300_000, 800_000, 2_000_000, 5_000_000, 10_000_000, 40_000_000)  # bytes left


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
    ballast.write_bytes(bytes(max(0, found.f_bavail * found.f_frsize - leave)))
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
