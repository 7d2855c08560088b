"""Where madtree's own files are: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

import madtree

PACKAGE = Path(madtree.__file__).resolve().parent
VERSION = madtree.__version__

# The client half: what runs on the user's side and has dependencies that the server's interpreter lacks.
CLIENT_PARTS = (
    "__main__.py",
    "cli",
    "embedded",
    "report",
    "install",
    "doctor",
    "client",
    "engine",
    "host/lost_connection.py",
    "host/more_sessions.py",
    "host/psycopg.py",
    "host/read_ahead.py",
    "host/statements.py",
)


def extension_root() -> Path:
    """The directory that holds ``madtree.control``, ``sql/`` and ``migrations/``."""
    checkout = PACKAGE.parent
    return checkout if (checkout / "madtree.control").is_file() else PACKAGE / "_extension"


def server_modules() -> dict[str, bytes]:
    """The server half of the package: path inside a Python directory (``madtree/...``) to the file's bytes."""
    modules = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE)
        if not any(inside.as_posix() == part or inside.as_posix().startswith(f"{part}/") for part in CLIENT_PARTS):
            modules[f"madtree/{inside.as_posix()}"] = path.read_bytes()
    return modules
