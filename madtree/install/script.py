"""Where madtree's own files are, beside the package in a checkout, inside it in a wheel; and the extension's SQL.

The install script is `sql/*.sql` in file-name order, with the macros expanded.

`-- @functions@` is where the functions that users call are put: `madtree.install.wrappers` makes them from what is
declared of them.

`@load@` stands where a PL/Python body needs madtree's Python. It expands to a loader that binds the local name
`madtree` to the module `madtree.entry.functions`. The directory that it imports from is written into the text here, at
installation, where only an administrator can write: a setting, an environment variable or a path given by a user would
hand the server's account to whoever can set it. Where that directory is gone, it is that of the server's libraries.

`@raise@` stands in a PL/pgSQL body whose variable `mistake` holds what a PL/Python function returned for an error
(`madtree.entry.mistakes`): it raises that, unless it is NULL.

`@set_up_servers@` is a PL/pgSQL body that users' calls begin with, as the client engine's do
(`madtree.sqltext.servers`).
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import madtree
from madtree.install.wrappers import functions_sql
from madtree.sqltext.servers import SET_UP_SERVERS

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


# A cached call costs one dictionary look-up and one comparison. The version is compared on every call because
# ALTER EXTENSION UPDATE can happen under a session that has loaded the older Python. Then all of that goes and the
# newer one is imported; but not for a call of the older one that is under way and has come here by a query of its own,
# since an error is better than half a training by each. The directory goes to the front of the path: the older
# version's stays there. pg_upgrade takes the text to a newer server, and the older one's directory goes with its
# package: then it is the one among the server's own libraries, whose path no user can set. numpy is looked for, and
# not loaded: that takes two thirds of a session's first call, and some functions do without it.
# Of an argument that is no text PL/Python makes None, and leaves an error behind, which goes off somewhere later. An
# index of -1 is where Python itself asks whether there has been one.
LOADER = """\
try:
    [None][-1]
except UnicodeError:
    plpy.error("madtree: an argument has bytes that are no text in the encoding of the database", sqlstate="22021")
madtree = GD.get("madtree")
if madtree is None or madtree.__version__ != {version!r}:
    import importlib.util
    import os
    import sys
    problem, directory = None, {directory!r}
    if not os.path.isdir(directory):
        import ctypes
        libraries = (ctypes.c_char * 1024).in_dll(ctypes.CDLL(None), "pkglib_path").value
        directory = os.path.join(os.fsdecode(libraries), "madtree-{version}")
    if sys.version_info < (3, 10):
        problem = "madtree needs Python 3.10 or newer"
        cure = "Use a PostgreSQL whose PL/Python is built with a newer Python."
    elif madtree is not None and getattr(madtree, "is_at_work", bool)():
        problem = "the extension was updated while a call of version " + madtree.__version__ + " was under way"
        cure = "Call again."
    else:
        for name in [name for name in sys.modules if name.partition(".")[0] == "madtree"]:
            del sys.modules[name]
        sys.path[:] = [directory, *(place for place in sys.path if place != directory)]
        importlib.invalidate_caches()
        try:
            if importlib.util.find_spec("numpy") is None:
                raise ImportError("it is not installed", name="numpy")
            madtree = importlib.import_module("madtree.entry.functions")
        except ImportError as error:
            if (error.name or "").partition(".")[0] == "madtree":
                problem = "its Python package madtree is missing or incomplete in " + directory + ": " + str(error)
                cure = "Run 'make install' in madtree's source directory (or 'madtree install')."
            elif (error.name or "").partition(".")[0] == "numpy":
                problem = "the Python package numpy cannot be imported: " + str(error)
                cure = "Install numpy for this interpreter ('apt-get install python3-numpy' on Debian)."
            else:
                problem = "its Python package madtree cannot be imported: " + str(error)
                cure = "Run 'make install' in madtree's source directory (or 'madtree install')."
        else:
            if madtree.__version__ != {version!r}:
                problem = "it found madtree " + madtree.__version__ + " in " + str(madtree.__file__)
                cure = "Run 'make install' in madtree's source directory (or 'madtree install')."
    if problem is not None:
        plpy.error(
            "madtree {version} cannot load its Python half: " + problem,
            detail="PL/Python's interpreter is Python " + sys.version.partition(" ")[0] + " in " + sys.prefix + ".",
            hint=cure,
            sqlstate="58000",
        )
    GD["madtree"] = madtree
"""

# RAISE takes no NULL for an option, and would show an empty one. The code is in every function's text: a function that
# they called for it would be one more line of the context that users see.
RAISE = """\
IF mistake IS NOT NULL THEN
    IF mistake[3] IS NULL AND mistake[4] IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = mistake[1], MESSAGE = mistake[2];
    ELSIF mistake[3] IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = mistake[1], MESSAGE = mistake[2], HINT = mistake[4];
    ELSIF mistake[4] IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = mistake[1], MESSAGE = mistake[2], DETAIL = mistake[3];
    ELSE
        RAISE EXCEPTION USING ERRCODE = mistake[1], MESSAGE = mistake[2], DETAIL = mistake[3], HINT = mistake[4];
    END IF;
END IF;
"""

MACRO_LINE = re.compile(r"^([ \t]*)@(load|raise|set_up_servers)@[ \t]*$", re.MULTILINE)
NO_PSQL = '\\echo Use "{command}" to load this file. \\quit\n'


def definitions(root: Path | None = None) -> str:
    """The newest definitions: all of ``sql/*.sql``, with the functions that users call; other macros as they are."""
    files = sorted(((root or extension_root()) / "sql").glob("*.sql"))
    written = "\n".join(f"-- {path.name}\n{path.read_text(encoding='utf-8')}" for path in files)
    return written.replace("-- @functions@\n", functions_sql())


def expand(sql: str, python_dir: str | Path) -> str:
    """Put the loader for `python_dir` in the place of every `@load@` line, at that line's indentation; and so with the
    other macros.
    """
    loader = LOADER.format(version=VERSION, directory=str(python_dir))
    texts = {"load": loader, "raise": RAISE, "set_up_servers": SET_UP_SERVERS.strip()}
    return MACRO_LINE.sub(lambda match: textwrap.indent(texts[match[2]].rstrip("\n"), match[1]), sql)


def assemble(python_dir: str | Path, root: Path | None = None) -> str:
    """The install script ``madtree--<version>.sql`` for an installation whose Python half is in `python_dir`.

    Args:
        python_dir: absolute path of the directory that holds the server half as ``madtree/``.
        root: where ``sql/`` is, if not with this package.
    """
    header = NO_PSQL.format(command="CREATE EXTENSION madtree CASCADE")
    return header + expand(definitions(root), python_dir)


def control_file() -> str:
    """``madtree.control`` with the version filled in."""
    text = (extension_root() / "madtree.control").read_text(encoding="utf-8")
    return text.replace("@version@", VERSION)
