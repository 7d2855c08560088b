"""What gets installed where: `make install`, the wheel, the assembled script."""

from __future__ import annotations

import ast
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from madtree.install import assemble, find_installation, install, uninstall
from madtree.install.files import python_dir
from madtree.install.script import CLIENT_PARTS, PACKAGE, VERSION, definitions, extension_root, server_modules

ROOT = PACKAGE.parent


def installed_files(root: Path) -> set[str]:
    return {str(p.relative_to(root)) for p in root.rglob("*") if p.is_file() and p.suffix != ".pyc"}


def test_make_install_respects_destdir_and_uninstall_takes_everything_back(tmp_path):
    make = ["make", "-s", "-C", str(ROOT), f"DESTDIR={tmp_path}", f"PYTHON={sys.executable}"]
    subprocess.run([*make, "install"], check=True, umask=0o077)
    found, postgres = installed_files(tmp_path), find_installation()
    extension = f"{postgres.sharedir}/extension".lstrip("/")
    assert {f"{extension}/madtree.control", f"{extension}/madtree--{VERSION}.sql"} <= found
    modules = str(python_dir(postgres)).lstrip("/")
    assert {f"{modules}/{name}" for name in server_modules()} <= found
    assert not [name for name in found if f"{modules}/madtree/cli" in name]

    said = subprocess.run([*make, "uninstall"], check=True, capture_output=True, text=True).stdout
    assert "Next" not in said
    assert not installed_files(tmp_path)


def test_make_install_believes_pg_config(tmp_path):
    fake = tmp_path / "pg_config"
    real = find_installation()
    lib = tmp_path / "lib"
    lib.mkdir()
    (lib / "plpython3.so").symlink_to(real.plpython)
    fake.write_text(
        "#!/bin/sh\n"
        f"echo 'BINDIR = {real.bindir}'\necho 'SHAREDIR = {tmp_path}/share'\n"
        f"echo 'PKGLIBDIR = {lib}'\necho 'VERSION = PostgreSQL 16.3'\n"
    )
    fake.chmod(0o755)
    command = ["make", "-s", "-C", str(ROOT), "install", f"PG_CONFIG={fake}", f"PYTHON={sys.executable}"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert said[-2] == "Next, as a superuser in a database of PostgreSQL 16: CREATE EXTENSION madtree CASCADE;"
    assert "ALTER EXTENSION madtree UPDATE" in said[-1]
    assert (tmp_path / "share/extension/madtree.control").is_file()
    assert (lib / f"madtree-{VERSION}/madtree/entry/functions.py").is_file()


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory):
    """What an installation has made, for tests that look at it only; by somebody whose files others may not read."""
    root = tmp_path_factory.mktemp("laid_out")
    before = os.umask(0o077)
    try:
        install(find_installation(), root)
    finally:
        os.umask(before)
    return root


def test_installed_files_can_be_read_by_all_and_written_by_the_owner_only(laid_out):
    modules = laid_out / str(python_dir(find_installation())).lstrip("/")
    for path in [modules, *modules.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o755 if path.is_dir() else 0o644), path


def test_nobody_else_may_write_to_a_file_before_it_has_its_rights(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(Path, "chmod", lambda path, mode: made.append(path.stat().st_mode) or os.chmod(path, mode))
    monkeypatch.setattr("madtree.install.files.compile_modules", lambda *given: None)
    before = os.umask(0)
    try:
        install(find_installation(), tmp_path)
    finally:
        os.umask(before)
    assert made
    assert not any(mode & 0o022 for mode in made)


def test_byte_code_is_made_for_the_interpreter_of_plpython(laid_out, db):
    tag = db.execute("SHOW server_version_num").fetchone()
    assert tag is not None
    db.execute("CREATE FUNCTION tag() RETURNS text LANGUAGE plpython3u AS "
               "'import sys; return sys.implementation.cache_tag'")  # fmt: skip
    (cache_tag,) = db.execute("SELECT tag()").fetchone()
    assert list(laid_out.rglob(f"functions.{cache_tag}.pyc"))


def test_installing_again_changes_nothing_and_removes_what_is_gone(tmp_path):
    postgres = find_installation()
    install(postgres, tmp_path)
    module = tmp_path / str(python_dir(postgres)).lstrip("/") / "madtree" / "entry" / "functions.py"
    before = module.stat().st_mtime_ns
    (module.parent / "old").mkdir()
    (module.parent / "old" / "gone.py").write_text("")
    install(postgres, tmp_path)
    assert module.stat().st_mtime_ns == before
    assert not (module.parent / "old").exists()
    assert uninstall(postgres, tmp_path)
    assert not uninstall(postgres, tmp_path)


def test_the_control_file_has_the_version_of_the_package(laid_out):
    (control,) = laid_out.rglob("madtree.control")
    assert f"default_version = '{VERSION}'" in control.read_text()


def test_the_assembled_script_holds_all_topics_in_order_and_no_open_place():
    script = assemble("/some/where")
    topics = sorted(path.name for path in (extension_root() / "sql").glob("*.sql"))
    places = [script.index(f"-- {name}\n") for name in topics]
    assert topics
    assert places == sorted(places)
    assert "@load@" not in script
    assert script.startswith("\\echo Use")


def test_the_script_does_not_load_outside_create_extension(dsn, tmp_path):
    (tmp_path / "script.sql").write_text(assemble("/some/where"))
    done = subprocess.run(
        ["psql", dsn, "-X", "-f", str(tmp_path / "script.sql")], capture_output=True, text=True, check=False
    )
    assert "CREATE EXTENSION madtree CASCADE" in done.stdout
    assert not done.stderr


def test_the_server_half_imports_numpy_and_the_standard_library_only():
    allowed = {"numpy", "madtree", *sys.stdlib_module_names}
    client = {f"madtree.{part.removesuffix('.py').replace('/', '.')}" for part in CLIENT_PARTS}
    for name, source in server_modules().items():
        for node in ast.walk(ast.parse(source)):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            for imported in names:
                assert imported.partition(".")[0] in allowed, f"{name} imports {imported}"
                assert imported not in client, f"{name} imports {imported}"


def test_a_server_with_madtree_installed_creates_the_extension_for_a_superuser_only(user_db):
    user_db.execute("SET search_path = public")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        user_db.execute("DROP EXTENSION madtree")


@pytest.mark.parametrize(
    ("schema", "owner", "refusal"),
    [
        ("madtree", "somebody", 'schema "madtree" or "madtree_internal" exists and does not belong to a superuser'),
        ("madtree_internal", "somebody", 'schema "madtree_internal" exists and does not belong to the extension'),
        ("madtree_internal", "superuser", 'schema "madtree_internal" exists and does not belong to the extension'),
    ],
)
def test_a_schema_of_somebody_else_is_not_taken_over(server, dsn, ordinary_user, schema, owner, refusal):
    """Its owner could put functions of their own in the place of ours."""
    name = "madtree_hostile_" + str(os.getpid())
    authorization = f"AUTHORIZATION {ordinary_user[0]}" if owner == "somebody" else ""
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        try:
            with psycopg.connect(server.dsn_of(dbname=name), autocommit=True) as connection:
                connection.execute(f"CREATE SCHEMA {schema} {authorization}")
                with pytest.raises(psycopg.Error, match=refusal):
                    connection.execute("CREATE EXTENSION madtree CASCADE")
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def check_that_a_schema_is_held(connection, dsn):
    """Its owner could have it renamed while it is looked at. (PostgreSQL 15.20 itself keeps an extension's.)"""
    look = definitions().partition("END\n$do$;")[0] + "END\n$do$"
    with pytest.raises(psycopg.Error, match="has just been renamed"):
        connection.execute(look.replace("'madtree'", "'nowhere'"))
    with connection.transaction(force_rollback=True), psycopg.connect(dsn) as other:
        connection.execute(look)
        other.execute("SET lock_timeout = '100ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            other.execute("ALTER SCHEMA madtree RENAME TO elsewhere")


# Of a call with sample_ratio => 1 it is taken for ours, whose argument is a float8.
PLANTED = (
    "CREATE FUNCTION madtree.forest_train(training_table_name text, output_table_name text, id_col_name text, "
    "dependent_variable text, list_of_features text, sample_ratio int) RETURNS text LANGUAGE sql AS 'SELECT NULL'"
)


@pytest.mark.parametrize("grantee", ["PUBLIC", "somebody"])
def test_a_schema_in_which_others_may_create_is_refused(server, ordinary_user, grantee):
    """A function of theirs would be taken for ours."""
    name = "madtree_open_" + str(os.getpid())
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        try:
            with psycopg.connect(server.dsn_of(dbname=name), autocommit=True) as connection:
                role = grantee if grantee == "PUBLIC" else ordinary_user[0]
                connection.execute(f"CREATE SCHEMA madtree; GRANT CREATE ON SCHEMA madtree TO {role}")
                with pytest.raises(psycopg.Error, match='others may create objects in schema "madtree"'):
                    connection.execute("CREATE EXTENSION madtree CASCADE")
                connection.execute("GRANT USAGE ON SCHEMA madtree TO PUBLIC")
                user, password = ordinary_user
                with (
                    psycopg.connect(server.dsn_of(dbname=name, user=user, password=password)) as planting,
                    psycopg.connect(server.dsn_of(dbname=name)) as older,
                ):
                    older.execute("SELECT pg_current_xact_id()")  # than what another one does to the schema
                    planting.execute(PLANTED)
                    planting.rollback()
                    planting.execute("SELECT 1")  # has the right as long as it locks nothing
                    revoke = f"REVOKE CREATE ON SCHEMA madtree FROM {role}"
                    for made in (
                        f"BEGIN; {revoke}; CREATE EXTENSION madtree CASCADE",
                        "CREATE EXTENSION madtree CASCADE",
                    ):
                        with (
                            psycopg.connect(server.dsn_of(dbname=name), autocommit=True) as making,
                            pytest.raises(psycopg.Error, match="in transactions that have not ended yet"),
                        ):
                            making.execute(made)
                        connection.execute(revoke)
                    with pytest.raises(psycopg.Error, match="in transactions that have not ended yet"):
                        older.execute("CREATE EXTENSION madtree CASCADE")
                    planting.execute(PLANTED)
                with pytest.raises(psycopg.Error, match=r"or has others' objects"):
                    connection.execute("CREATE EXTENSION madtree CASCADE")
                connection.execute("DROP FUNCTION madtree.forest_train")
                check_that_a_schema_is_held(connection, server.dsn_of(dbname=name))
                connection.execute("CREATE EXTENSION madtree CASCADE; DROP EXTENSION madtree; DROP SCHEMA madtree")
                with psycopg.connect(server.dsn_of(dbname=name, user=user, password=password)) as writing:
                    writing.execute("SELECT pg_current_xact_id()")
                    with connection.transaction(), connection.transaction():  # a savepoint
                        connection.execute("CREATE EXTENSION madtree CASCADE")
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_without_a_target_explains_itself():
    said = subprocess.run(["make", "-s", "-C", str(ROOT)], check=True, capture_output=True, text=True).stdout
    assert "make demo" in said
