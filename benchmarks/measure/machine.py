"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

import psycopg

SERVER_PYTHON = """
    DO $$
        import sys, numpy
        plpy.execute(plpy.prepare(
            "SELECT set_config('madtree_bench.python', $1, false), set_config('madtree_bench.numpy', $2, false)",
            ["text", "text"]), [sys.version.partition(" ")[0], numpy.__version__])
    $$ LANGUAGE plpython3u
"""


def processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def describe(db: psycopg.Connection) -> dict[str, str]:
    """Machine and versions, the server's and the client's."""
    db.execute(SERVER_PYTHON)
    ((postgres, python, numpy, madtree, buffers),) = db.execute("""
        SELECT current_setting('server_version'), current_setting('madtree_bench.python'),
            current_setting('madtree_bench.numpy'), extversion, current_setting('shared_buffers')
        FROM pg_extension WHERE extname = 'madtree'
    """).fetchall()
    load = os.getloadavg()[0]  # of what else goes on: ratios to a program of many threads suffer from it
    return {
        "machine": f"{os.cpu_count()} cores, {processor()}, {memory_gib():.0f} GiB; load at the start {load:.1f}",
        "server": f"PostgreSQL {postgres}, shared_buffers {buffers}, Python {python}, numpy {numpy}, madtree {madtree}",
        "client": ", ".join(
            f"{name} {version(name)}"
            for name in ("lightgbm", "scikit-learn", "adbc-driver-postgresql", "psycopg", "pandas", "numpy")
        ),
    }
