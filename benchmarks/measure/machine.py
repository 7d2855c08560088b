"""What the figures were measured on, and when."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg

HERE = Path(__file__).parent
PEERS = ("lightgbm", "scikit-learn", "adbc-driver-postgresql", "psycopg", "pandas", "numpy")
SERVER_PYTHON = """
    DO $$
        import sys, numpy
        plpy.execute(plpy.prepare(
            "SELECT set_config('madtree_bench.python', $1, false), set_config('madtree_bench.numpy', $2, false)",
            ["text", "text"]), [sys.version.partition(" ")[0], numpy.__version__])
    $$ LANGUAGE plpython3u
"""
LIMITS = ("shared_buffers", "max_worker_processes", "max_parallel_workers", "max_parallel_workers_per_gather")


def processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    found = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return found[0] if found else platform.machine()


def load(seconds: float = 0.5) -> float:
    """Cores that are busy while nothing is being measured: figures of a busy machine are worth less."""
    before = _busy_ticks()
    if before is None:
        return round(os.getloadavg()[0], 1)
    time.sleep(seconds)
    after = _busy_ticks()
    assert after is not None
    return round((after - before) / os.sysconf("SC_CLK_TCK") / seconds, 1)


def _busy_ticks() -> int | None:
    """Ticks of all cores that were not idle (proc(5): user, nice, system, idle, iowait, ...), None where untold."""
    try:
        first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
    except OSError:
        return None
    ticks = [int(word) for word in first.split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4]


def git(*arguments: str) -> str | None:
    """What git says, None without git or without a repository."""
    try:
        done = subprocess.run(["git", *arguments], cwd=HERE, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def describe(db: psycopg.Connection) -> dict[str, Any]:
    """Machine and versions, the server's and the client's; date and commit."""
    db.execute(SERVER_PYTHON)
    settings = ", ".join(f"current_setting('{name}')" for name in LIMITS)
    row = db.execute(f"""
        SELECT current_setting('server_version'), current_setting('madtree_bench.python'),
            current_setting('madtree_bench.numpy'), extversion, {settings}
        FROM pg_extension WHERE extname = 'madtree'
    """).fetchone()
    assert row
    commit = git("rev-parse", "--short", "HEAD")
    dirty = git("status", "--porcelain", "--untracked-files=no", "--", "../../madtree", "../../sql")
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": f"{commit}, changed" if commit and dirty else commit,
        "cores": os.cpu_count(),
        "cpu": processor(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "postgresql": row[0].split()[0],
        "server_python": row[1],
        "server_numpy": row[2],
        "madtree": row[3],
        "settings": dict(zip(LIMITS, row[4:], strict=True)),
        "client": {name: version(name) for name in PEERS},
    }
