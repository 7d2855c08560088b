"""What users keep outlives an upgrade: models, predictions, views, generated columns, and dumps of all of these.

``tests/data/kept_models_<version>.sql`` is what a version made of ``kept_models.sql``: one that is released, or one
that is under way, whose models have all kinds that there are. Models of the latter are read by the extension as it is.
``tests/bare.sh`` does the same with the older versions themselves.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from catalogue import describe
from shares import share

from madtree.embedded import PrivateServer
from madtree.install.files import extension_files
from madtree.install.postgres import find_installation
from madtree.install.script import VERSION, expand, extension_root

RELEASES = sorted((extension_root() / "migrations" / "released").glob("madtree--*.sql"))
DATA = Path(__file__).parents[1] / "data"
MADE = sorted(DATA.glob("kept_models_[0-9]*.sql"))
# What objects of the user depend on of the extension.
DEPENDED_ON = """
SELECT DISTINCT pg_describe_object(d.refclassid, d.refobjid, 0) FROM pg_depend d
JOIN pg_depend e ON (e.classid, e.objid) = (d.refclassid, d.refobjid) AND e.deptype = 'e'
JOIN pg_extension x ON x.oid = e.refobjid AND e.refclassid = 'pg_extension'::regclass AND x.extname = 'madtree'
WHERE pg_describe_object(d.classid, d.objid, d.objsubid) ~ '\\ykept\\.'
"""

# Schemas and views of the extension in which everybody may look.
OPEN_TO_ALL = """
SELECT n.nspname FROM pg_namespace n, aclexplode(n.nspacl) a WHERE n.nspname LIKE 'madtree%' AND a.grantee = 0
UNION ALL SELECT c.relname FROM pg_class c, aclexplode(c.relacl) a
WHERE c.relnamespace = 'madtree'::regnamespace AND a.grantee = 0
"""


@pytest.fixture(params=MADE, ids=lambda path: path.stem)
def kept(
    request: pytest.FixtureRequest,
    scratch: Callable[[str, dict[str, str]], psycopg.Connection],
    standing: PrivateServer,
) -> Iterator[psycopg.Connection]:
    """A database with a version of madtree, and with what a user had made with it."""
    python, made_by = standing.home.python, request.param.stem.removeprefix("kept_models_")
    released = {path.stem: path for path in RELEASES}.get(f"madtree--{made_by}")
    scripts = extension_files(python)
    if released is not None and made_by != VERSION:
        scripts = {released.name: expand(released.read_text(), python), **scripts}
    version = made_by if released is not None else VERSION
    with scratch("kept", scripts) as connection:
        connection.execute(f"CREATE EXTENSION madtree VERSION '{version}' CASCADE")
        connection.execute(request.param.read_text())
        connection.execute("RESET ALL")
        yield connection


def update(connection: psycopg.Connection) -> None:
    connection.execute("ALTER EXTENSION madtree UPDATE")
    assert one(connection, "SELECT extversion FROM pg_extension WHERE extname = 'madtree'") == VERSION


def one(connection: psycopg.Connection, query: str) -> object:
    row = connection.execute(query).fetchone()
    assert row is not None
    return row[0]


def check_what_is_kept(connection: psycopg.Connection) -> None:
    """It says what it said, and this version's functions say the same of the older models."""
    connection.execute((DATA / "kept_models_check.sql").read_text())


def check_that_it_can_be_used(connection: psycopg.Connection) -> None:
    """Rows, expressions and models are added, pruned and dropped."""
    connection.execute("INSERT INTO kept.arrivals SELECT id + 1000, x, k, b FROM kept.arrivals")
    assert one(connection, "SELECT count(DISTINCT (id % 1000, estimated)) FROM kept.arrivals") == 20
    expression = one(connection, "SELECT madtree.tree_sql('kept.classes')")
    connection.execute(
        f"CREATE OR REPLACE VIEW kept.classes_view AS SELECT id, {expression} AS estimated FROM kept.rows"
    )
    assert one(
        connection,
        "SELECT value > 0.9 FROM madtree.tree_evaluate('kept.classes', 'kept.rows') WHERE metric = 'accuracy'",
    )
    connection.execute("SELECT madtree.tree_prune('kept.classes', 'kept.smaller', 0.1)")
    connection.execute("SELECT madtree.tree_drop('kept.smaller')")
    connection.execute(
        "SELECT madtree.tree_train('kept.rows', 'kept.new', 'id', 'y', 'x, k, b', parallel_workers => 0)"
    )
    connection.execute("SELECT madtree.tree_drop('kept.new')")


def test_what_users_keep_works_on_and_is_the_same_object(kept: psycopg.Connection) -> None:
    views = "SELECT oid, relname FROM pg_class WHERE relnamespace = 'kept'::regnamespace AND relkind = 'v' ORDER BY 1"
    before = kept.execute(views).fetchall()
    update(kept)
    check_what_is_kept(kept)
    check_that_it_can_be_used(kept)
    check_what_is_kept(kept)
    assert kept.execute(views).fetchall() == before


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kept", [MADE[-1]], indirect=True, ids=["newest"])
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE kept.boosts_then SET raw_z = raw_z * (1 + 2.3e-16) WHERE id = 7",
        "DELETE FROM kept.means_then WHERE id = 7",
        "DROP TABLE kept.forest_then; CREATE TABLE kept.other_then AS TABLE kept.rows",
        "UPDATE kept.arrivals SET k = 'green', x = NULL",
    ],
)
def test_the_comparison_sees_one_bit_one_row_and_what_it_does_not_know(kept: psycopg.Connection, change: str) -> None:
    check_what_is_kept(kept)
    kept.execute(change)
    with pytest.raises(psycopg.errors.RaiseException, match=r"differ|were compared|says the same of"):
        check_what_is_kept(kept)


def test_what_users_keep_depends_on_nothing_internal(kept: psycopg.Connection) -> None:
    assert kept.execute(DEPENDED_ON).fetchall() == [("view madtree.models",)]
    update(kept)
    assert kept.execute(DEPENDED_ON).fetchall() == [("view madtree.models",)]


@pytest.mark.parametrize("kept", [DATA / "kept_models_0.1.0.sql"], indirect=True, ids=["0.1.0"])
def test_an_update_stops_at_what_is_in_its_way_and_opens_nothing_that_was_closed(kept: psycopg.Connection) -> None:
    kept.execute("CREATE SCHEMA madtree_internal")
    refusal = 'schema "madtree_internal" exists and does not belong to the extension'
    with pytest.raises(psycopg.Error, match=refusal) as caught:
        update(kept)
    assert "Drop or rename that schema" in (caught.value.diag.message_hint or "")
    kept.execute("DROP SCHEMA madtree_internal")

    kept.execute("CREATE VIEW kept.image AS SELECT madtree.array_image(ARRAY[1]) AS image")
    with pytest.raises(psycopg.errors.DependentObjectsStillExist) as caught:
        update(kept)
    assert "kept.image" in (caught.value.diag.message_detail or "")
    kept.execute("DROP VIEW kept.image")

    kept.execute("REVOKE USAGE ON SCHEMA madtree FROM PUBLIC; REVOKE SELECT ON madtree.models FROM PUBLIC")
    update(kept)
    check_what_is_kept(kept)
    assert set(kept.execute(OPEN_TO_ALL).fetchall()) == {("madtree_internal",), ("model_list",), ("activity",)}


# In a usual run a text before the update, and an archive after it.
@pytest.mark.one_in(2)
@pytest.mark.parametrize(("updated", "archive"), share([(False, False), (False, True), (True, True), (True, False)], 2))
def test_a_dump_restores_both_schemas_and_what_users_keep(
    kept: psycopg.Connection, standing: PrivateServer, updated: bool, archive: bool
) -> None:
    """The restored extension is of this version in either case: a dump names none."""
    if updated:
        update(kept)
    with restored(standing, "kept", archive) as copy:
        check_what_is_kept(copy)
        if updated:
            assert describe(copy) == describe(kept)
        check_that_it_can_be_used(copy)


def restored(server: PrivateServer, name: str, archive: bool) -> psycopg.Connection:
    """A new database, restored from a dump of another: by psql, or by pg_restore from pg_dump's own format."""
    bindir, uri = find_installation().bindir, server.status().uri
    assert uri is not None
    with psycopg.connect(uri, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}_copy")
    old, new = (psycopg.conninfo.make_conninfo(uri, dbname=database) for database in (name, f"{name}_copy"))
    dump = [bindir / "pg_dump", *(["--format=custom"] if archive else []), old]
    by_psql = [bindir / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", new]
    restore = [bindir / "pg_restore", "--exit-on-error", "--dbname", new] if archive else by_psql
    dumped = subprocess.run(dump, check=True, stdout=subprocess.PIPE)
    subprocess.run(restore, check=True, input=dumped.stdout, stdout=subprocess.DEVNULL)
    return psycopg.connect(new, autocommit=True)


def test_a_private_server_is_upgraded_when_it_comes_up(running: PrivateServer) -> None:
    """Without dropping what a user's view depends on."""
    uri, python = running.up(), running.home.python
    (oldest,) = (path for path in RELEASES if path.stem == "madtree--0.1.0")
    (control,) = running.home.prefix.rglob("madtree.control")
    (control.parent / oldest.name).write_text(expand(oldest.read_text(), python))
    (control.parent / oldest.name).chmod(0o644)
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("DROP EXTENSION madtree; CREATE EXTENSION madtree VERSION '0.1.0'")
        connection.execute("CREATE VIEW public.mine AS SELECT name FROM madtree.models")
        found = "SELECT extversion, 'public.mine'::regclass::oid FROM pg_extension WHERE extname = 'madtree'"
        (version, view) = connection.execute(found).fetchone() or ()
        assert version == "0.1.0"
        state = running.home.read_state()
        assert state is not None
        state.sql_sha256 = "that of the older version's script"
        running.home.write_state(state)
        running.up()
        assert connection.execute(found).fetchone() == (VERSION, view)
