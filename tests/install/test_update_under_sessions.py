"""ALTER EXTENSION UPDATE while sessions are open that hold the older version's Python, as those of a pool do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from madtree.embedded import PrivateServer
from madtree.install.files import write_tree
from madtree.install.migrations import repeatable
from madtree.install.script import VERSION, assemble, definitions, expand, server_modules

OLD = "0.0.9"
# Fails in every process, parallel workers too, that has loaded another version than this one.
WATCH = """
CREATE OR REPLACE FUNCTION watched(x float8) RETURNS float8 PARALLEL SAFE LANGUAGE plpython3u AS $python$
import sys
if "madtree" in sys.modules and sys.modules["madtree"].__version__ != "{}":
    plpy.error("this process has " + sys.modules["madtree"].__version__)
return x
$python$
"""


@pytest.fixture
def old_session(
    scratch: Callable[[str, dict[str, str]], psycopg.Connection], standing: PrivateServer, open_directory: Path
) -> Iterator[psycopg.Connection]:
    """A session of a database with an older version, which differs from this one by its number and its place."""
    old, python = open_directory / "old", standing.home.python
    modules = server_modules()
    name = "madtree/__init__.py"
    write_tree(old, {**modules, name: modules[name].replace(VERSION.encode(), OLD.encode())})
    scripts = {
        f"madtree--{OLD}.sql": assemble(old).replace(VERSION, OLD),
        f"madtree--{OLD}--{VERSION}.sql": expand(repeatable(definitions()), python),
    }
    with scratch("pooled", scripts) as connection:
        connection.execute(f"CREATE EXTENSION madtree VERSION '{OLD}' CASCADE")
        connection.execute("SET search_path = public, madtree")
        connection.execute(
            "CREATE TABLE points AS SELECT i AS id, (i % 977)::float8 AS x, i % 7 AS z, i % 977 < 300 AS y "
            "FROM generate_series(1, 20000) AS i"
        )
        yield connection


def train(session: psycopg.Connection, version: str, **more: str) -> None:
    """A training whose every process is of that version, and what is called of its model."""
    session.execute(WATCH.format(version))
    further = "".join(f", {name} => {value}" for name, value in more.items())
    session.execute(
        f"SELECT tree_train('points', 'm', 'id', 'y', 'watched(x), z', max_depth => 3, replace => true{further})"
    )
    assert session.execute("SELECT version FROM madtree.models").fetchone() == (version,)
    assert session.execute("SELECT count(*) > 0 FROM tree_rules('m')").fetchone() == (True,)


def holds(session: psycopg.Connection, directory: Path) -> None:
    """All of madtree's modules of this session are from this directory."""
    session.execute(
        "DO LANGUAGE plpython3u $python$\nimport sys\n"
        "found = {str(m.__file__) for n, m in sys.modules.items() if n.partition('.')[0] == 'madtree'}\n"
        f"assert found and all(place.startswith({str(directory)!r}) for place in found), found\n"
        f"assert GD['madtree'].__file__.startswith({str(directory)!r})\n$python$"
    )


def update(standing: PrivateServer) -> None:
    with psycopg.connect(standing.status().uri or "", dbname="pooled", autocommit=True) as other:
        other.execute("ALTER EXTENSION madtree UPDATE")


WAYS = [
    {"strategy": "'memory'", "parallel_workers": "0"},
    {"strategy": "'workers'", "parallel_workers": "2"},
    {"strategy": "'aggregate'", "parallel_workers": "2"},
]


def test_an_open_session_goes_on_with_the_new_version(
    old_session: psycopg.Connection, standing: PrivateServer, open_directory: Path
) -> None:
    for way in WAYS:
        train(old_session, OLD, **way)
    holds(old_session, open_directory / "old")
    update(standing)
    for way in WAYS:
        train(old_session, VERSION, **way)
    holds(old_session, standing.home.python)


def test_an_update_that_is_rolled_back_leaves_the_old_version_at_work(
    old_session: psycopg.Connection, standing: PrivateServer, open_directory: Path
) -> None:
    old_session.execute("SELECT tree_train()")
    with old_session.transaction(force_rollback=True):
        old_session.execute("ALTER EXTENSION madtree UPDATE")
        old_session.execute("SELECT tree_train()")
        holds(old_session, standing.home.python)
    old_session.execute("SELECT tree_train()")
    holds(old_session, open_directory / "old")


def test_a_call_that_is_under_way_is_not_finished_by_another_version(
    old_session: psycopg.Connection, open_directory: Path
) -> None:
    """The update comes with the rows that are read; then the old version's aggregate is no more to be had."""
    old_session.execute(
        "CREATE FUNCTION updates(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN "
        "IF i = 5 THEN ALTER EXTENSION madtree UPDATE; END IF; RETURN i; END $$"
    )
    old_session.execute("CREATE TABLE few AS SELECT id, z, y FROM points ORDER BY id LIMIT 500")
    call = "SELECT tree_train('few', 'n', 'id', 'y', 'updates(z)', strategy => 'aggregate', parallel_workers => 0)"
    with pytest.raises(psycopg.Error, match=f"updated while a call of version {OLD} was under way") as caught:
        old_session.execute(call)
    assert caught.value.diag.message_hint == "Call again."
    assert old_session.execute("SELECT to_regclass('n')").fetchone() == (None,)
    train(old_session, OLD)
    holds(old_session, open_directory / "old")


def test_without_the_new_python_half_a_session_does_not_go_on_with_the_old_one(
    old_session: psycopg.Connection, standing: PrivateServer, open_directory: Path
) -> None:
    old_session.execute("SELECT tree_train()")
    package = standing.home.python / "madtree"
    update(standing)
    package.rename(open_directory / "elsewhere")
    for _ in range(2):
        with pytest.raises(psycopg.Error, match=f"it found madtree {OLD} in {open_directory}/old/") as caught:
            old_session.execute("SELECT tree_train()")
        assert "make install" in (caught.value.diag.message_hint or "")
    (open_directory / "elsewhere").rename(package)
    old_session.execute("SELECT tree_train()")
    holds(old_session, standing.home.python)
