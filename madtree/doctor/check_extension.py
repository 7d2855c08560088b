"""What madtree needs in the server: PL/Python, the extension, its Python half, numpy."""

from __future__ import annotations

import re
from collections.abc import Iterator

from madtree import __version__
from madtree.doctor.check_client import can_be_engine
from madtree.doctor.check_server import cloud
from madtree.doctor.facts import Finding, ServerFacts, ok, problem, warning

OLDEST_PYTHON = (3, 10)
OLDEST_NUMPY = (1, 24)
CREATE = "CREATE EXTENSION madtree CASCADE"


def check_extension(facts: ServerFacts) -> Iterator[Finding]:
    """PL/Python, then madtree, then what madtree's functions run in."""
    if "extensions" in facts.refused:
        yield problem("plpython3u", "the server does not list its extensions", None)
        return
    yield check_language(facts)
    yield from check_madtree(facts)
    yield from check_python(facts)


def check_language(facts: ServerFacts) -> Finding:
    """PL/Python: in the database, or at least to be had. It keeps from nothing where the client does the work."""
    lack, for_what = (warning, "the extension") if can_be_engine(facts) else (problem, "madtree")
    language = facts.extensions["plpython3u"]
    if language["installed"]:
        return ok("plpython3u", f"PL/Python {language['installed']} is in this database")
    if language["available"]:
        return ok("plpython3u", f"PL/Python {language['available']} is available; CASCADE adds it to the database")
    if name := cloud(facts):
        return lack(
            "plpython3u",
            f"{name} does not offer PL/Python on this server, which {for_what} runs in",
            "Use a server of your own, fed by logical replication or by pg_dump; 'madtree up' makes a private one.",
        )
    major = facts.server.get("version_num", 0) // 10_000
    return lack(
        "plpython3u",
        f"the server has no PL/Python, which {for_what} runs in",
        f"On the server: apt-get install postgresql-plpython3-{major} python3-numpy (Debian, Ubuntu); "
        f"dnf install postgresql{major}-plpython3 python3-numpy (PGDG's packages for Red Hat and its derivatives)",
    )


def check_madtree(facts: ServerFacts) -> Iterator[Finding]:
    """The extension, and whether its versions agree: installed, available, this client's."""
    lack = warning if can_be_engine(facts) else problem
    madtree, superuser = facts.extensions["madtree"], facts.server.get("superuser")
    installed, available = madtree["installed"], madtree["available"]
    who = "" if superuser else "As a superuser: "
    database = facts.server.get("database")
    if not installed and not available:
        yield lack(
            "madtree",
            "the extension madtree is not on the server",
            f"On the server's machine, as an administrator: madtree install; then, in this database: {CREATE}",
        )
    elif not installed:
        yield lack("madtree", f"madtree {available} is not in the database {database}", f"{who}{CREATE}")
    elif available is None:
        yield problem(
            "madtree",
            f"madtree {installed} is in this database, but its files are gone from the server",
            "On the server's machine, as an administrator: madtree install",
        )
    elif installed != available:
        yield warning(
            "madtree",
            f"madtree {installed} is in this database; {available} is available",
            f"{who}ALTER EXTENSION madtree UPDATE",
        )
    else:
        yield ok("madtree", f"madtree {installed} is in this database")
    if installed and installed != __version__:
        yield warning(
            "client",
            f"this client is madtree {__version__}, the server's is {installed}",
            f"Install madtree {installed} here; or, on the server: madtree install, ALTER EXTENSION madtree UPDATE",
        )
    else:
        yield ok("client", f"this client is madtree {__version__}")


def check_python(facts: ServerFacts) -> Iterator[Finding]:
    """The interpreter that PL/Python starts, its numpy, and the module that it has loaded."""
    madtree = facts.extensions["madtree"]
    if madtree["installed"] and not madtree["callable"]:
        why = "the server's madtree is too old to say, or its owner is no superuser any more"
        yield warning("python", f"unknown: {why}", f"ALTER EXTENSION madtree UPDATE; else DROP it, and {CREATE}")
        return
    if refused := facts.refused.get("python"):
        message = " ".join(word for word in (refused.message_primary, refused.message_detail) if word)
        if refused.sqlstate == "42501":
            yield warning("python", f"unknown: {message}", None)
        else:
            yield problem("python", re.sub(r"^[\w.]+: ", "", message), refused.message_hint)
        return
    python = facts.python
    if not python:
        yield ok("python", "unknown until madtree is there: the server's Python and numpy")
        return
    yield check_at_least("python", "Python", python["python_version"], OLDEST_PYTHON, f"in {python['python_prefix']}")
    if "numpy_error" in python:
        yield problem(
            "numpy",
            f"the server's Python cannot import numpy: {python['numpy_error']}",
            "On the server: apt-get install python3-numpy (Debian, Ubuntu), or pip install numpy for that interpreter",
        )
    else:
        yield check_at_least("numpy", "numpy", python["numpy_version"], OLDEST_NUMPY, f"in {python['numpy_path']}")
    loaded, installed = python.get("madtree_version"), madtree["installed"]
    if loaded and loaded != installed:
        yield problem(
            "module",
            f"the server has loaded madtree {loaded} from {python['madtree_path']}, the extension is {installed}",
            "Reconnect; if that does not help: ALTER EXTENSION madtree UPDATE, or madtree install on the server",
        )
    elif loaded:
        yield ok("module", f"madtree {loaded} in {python['madtree_path']}")


def check_at_least(check: str, name: str, version: str, oldest: tuple[int, int], where: str) -> Finding:
    """One program's version against the oldest that will do."""
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
    if numbers < oldest:
        wanted = ".".join(map(str, oldest))
        return problem(
            check,
            f"{name} {version} {where}; madtree needs {wanted} or newer",
            f"Install {name} {wanted} or newer for the server's interpreter, then reconnect.",
        )
    return ok(check, f"{name} {version} {where}")
