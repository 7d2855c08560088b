"""Where the server keeps its temporary files, seen from where its processes work: its data directory."""

from __future__ import annotations

import os
from pathlib import Path

SERVER_TEMPORARY = Path("base/pgsql_tmp")


def temporary_directory() -> str | None:
    """Where files without a name go that vanish with the process; None for the system's own place."""
    return str(SERVER_TEMPORARY) if os.access(SERVER_TEMPORARY, os.W_OK) else None
