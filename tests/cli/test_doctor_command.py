"""`madtree doctor` on real servers: what is found, that the cures work, that nothing is changed."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from fix_server import Server
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from terminal import run

from madtree import MadtreeError, __version__
from madtree.host.psycopg import found_engine


@pytest.fixture
def examined() -> Callable[..., tuple[int, dict[str, dict[str, Any]]]]:
    """Exit code, and findings by check."""

    def call(dsn: str, *words: str, **changes: str) -> tuple[int, dict[str, dict[str, Any]]]:
        said = run("doctor", "--json", "--dsn", dsn, *words, **changes)
        told = json.loads(said.out)
        assert told["client_version"] == __version__
        found = {finding["check"]: finding for finding in told["findings"]}
        assert len(found) == len(told["findings"])
        worst = max((f["status"] for f in told["findings"]), key=["ok", "warning", "problem"].index)
        assert told["status"] == worst
        return said.code, found

    return call


@pytest.fixture
def empty(server: Server) -> Iterator[str]:
    """DSN of a database without any extension."""
    name = f"madtree_doctor_{secrets.token_hex(4)}"
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
    yield server.dsn_of(dbname=name)
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def user_dsn(dsn: str, ordinary_user: tuple[str, str]) -> str:
    return make_conninfo(dsn, user=ordinary_user[0], password=ordinary_user[1])


def cure(found: dict[str, Any]) -> str:
    return str(found["cure"]).removeprefix("As a superuser: ").removeprefix("As the database's owner: ")


Examined = Callable[..., tuple[int, dict[str, dict[str, Any]]]]


def test_a_server_with_madtree_is_well(dsn: str, examined: Examined) -> None:
    code, found = examined(dsn)
    assert code == 0
    assert {f["status"] for f in found.values()} <= {"ok", "warning"}
    for check in ("version", "plpython3u", "madtree", "client", "python", "numpy", "module", "functions", "models"):
        assert found[check]["status"] == "ok", found[check]
    assert f"madtree {__version__} in /" in found["module"]["message"]
    with psycopg.connect(dsn) as db:
        (version,) = db.execute("SHOW server_version").fetchone() or ()
    assert found["version"]["message"] == f"PostgreSQL {version}"


def test_for_people_each_finding_is_a_line_with_its_cure_below(empty: str) -> None:
    said = run("--engine", "extension", "doctor", "--dsn", empty)
    assert (said.code, said.err) == (1, "")
    lines = said.out.splitlines()
    problem = next(number for number, line in enumerate(lines) if line.startswith("problem  madtree"))
    assert lines[problem + 1] == "         cure: CREATE EXTENSION madtree CASCADE"
    assert lines[-1].startswith("1 problem")


def test_a_database_without_madtree_is_cured_by_what_is_said(empty: str, examined: Examined) -> None:
    code, found = examined(empty, MADTREE_ENGINE="extension")
    assert code == 1
    assert found["madtree"]["status"] == "problem"
    assert found["plpython3u"]["status"] == "ok"
    with psycopg.connect(empty, autocommit=True) as admin:
        assert admin.execute("SELECT count(*) FROM pg_extension WHERE extname <> 'plpgsql'").fetchone() == (0,)
        admin.execute(cure(found["madtree"]))
    assert examined(empty, MADTREE_ENGINE="extension")[0] == 0


def test_without_the_extension_the_client_is_said_to_do_the_work(plain: str, examined: Examined) -> None:
    """By an ordinary user, who may write to one schema alone."""
    code, found = examined(plain, "--schema", "mine")
    assert code == 0
    assert found["engine"]["message"].startswith("engine=client: this process does the work over the connection, by Py")
    assert found["madtree"]["status"] == "warning"
    assert "may make models in the schema mine" in found["models"]["message"]
    assert "may not make schemas in" in found["schemas"]["message"]
    assert found["pooler"]["message"] == "no pooler that can be seen is in between"
    assert found["ssl"]["status"] == "ok"
    assert examined(plain)[1]["models"]["status"] == "problem"  # in public it may not


def test_before_madtree_a_superuser_hears_of_the_servers_python(empty: str, examined: Examined) -> None:
    with psycopg.connect(empty, autocommit=True) as admin:
        admin.execute("CREATE EXTENSION plpython3u")
    _, found = examined(empty)
    assert found["python"]["message"].startswith("Python 3.")
    assert found["numpy"]["message"].startswith("numpy ")


def test_an_extension_older_than_its_internal_schema_is_to_be_updated(
    empty: str, ordinary_user: tuple[str, str], examined: Examined
) -> None:
    """Version 0.1.0 has no such schema, so one of that name may be anybody's: nothing in it is called. Nor is it where
    the extension's owner is no superuser any more.
    """
    with psycopg.connect(empty, autocommit=True) as admin:
        admin.execute("CREATE EXTENSION madtree CASCADE")
        assert found_engine(admin)[0] == "extension"
        for what in (
            "SCHEMA madtree_internal",
            "SCHEMA madtree",
            "VIEW madtree.models",
            "FUNCTION madtree.model_alias(text)",
        ):
            with admin.transaction(force_rollback=True):
                admin.execute(f"ALTER {what} OWNER TO {ordinary_user[0]}")  # type: ignore[arg-type]
                assert found_engine(admin)[0] == "client"
        admin.execute("ALTER SCHEMA madtree_internal RENAME TO elsewhere")
        admin.execute(
            "CREATE SCHEMA madtree_internal; CREATE FUNCTION madtree_internal.server_info() RETURNS jsonb "
            "LANGUAGE plpgsql AS $$ BEGIN RAISE 'called'; END $$"
        )
        _, found = examined(empty)
        assert found["python"]["message"].startswith("unknown: the server's madtree is too old to say")
        assert "ALTER EXTENSION madtree UPDATE" in found["python"]["cure"]
        with pytest.raises(MadtreeError, match=f"has an extension madtree {re.escape(__version__)}, which is too old"):
            found_engine(admin, "extension")
        assert found_engine(admin)[0] == "client"


def test_rights_that_lack_are_cured_by_what_is_said(
    empty: str, ordinary_user: tuple[str, str], examined: Examined
) -> None:
    name, password = ordinary_user
    user_dsn = make_conninfo(empty, user=name, password=password)
    with psycopg.connect(empty, autocommit=True) as admin:
        admin.execute("CREATE EXTENSION madtree CASCADE; REVOKE ALL ON SCHEMA public FROM PUBLIC")
        admin.execute("REVOKE USAGE ON SCHEMA madtree, madtree_internal FROM PUBLIC")
        admin.execute("REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA madtree, madtree_internal FROM PUBLIC")
        admin.execute(f"REVOKE TEMPORARY ON DATABASE {conninfo_to_dict(empty)['dbname']} FROM PUBLIC")

        code, found = examined(user_dsn)
        assert code == 1
        assert "may not use the schema madtree or madtree_internal" in found["functions"]["message"]
        assert found["models"]["status"] == "problem"
        assert found["temporary tables"]["status"] == "warning"

        admin.execute(cure(found["functions"]))
        admin.execute(cure(found["temporary tables"]))
        _, found = examined(user_dsn)
        assert "may not call all of madtree's functions" in found["functions"]["message"]
        admin.execute(cure(found["functions"]))

        admin.execute(sql.SQL("CREATE SCHEMA AUTHORIZATION {}").format(sql.Identifier(name)))
        code, found = examined(user_dsn)
        assert code == 0, found
        assert found["models"]["message"].endswith(f"may make models in the schema {name}")
        of_administrators = "SELECT has_function_privilege(%s, 'madtree.install_madlib_names()', 'EXECUTE')"
        assert admin.execute(of_administrators, [name]).fetchone() == (False,)
    with psycopg.connect(user_dsn, autocommit=True) as user:
        user.execute("CREATE TABLE t AS SELECT i AS id, i::float8 AS x, i > 30 AS y FROM generate_series(1, 60) AS i")
        user.execute("SELECT madtree.tree_train('t', 'm', 'id', 'y', 'x')")


def test_a_healthy_server_is_one_to_an_ordinary_role(
    empty: str, ordinary_user: tuple[str, str], examined: Examined
) -> None:
    """That `install_madlib_names` is for administrators is no problem of hers."""
    name, password = ordinary_user
    with psycopg.connect(empty, autocommit=True) as admin:
        admin.execute("CREATE EXTENSION madtree CASCADE")
        admin.execute(sql.SQL("CREATE SCHEMA AUTHORIZATION {}").format(sql.Identifier(name)))
    code, found = examined(make_conninfo(empty, user=name, password=password))
    assert code == 0, found
    assert found["functions"]["message"] == f"{name} may call madtree's functions"


def test_a_schema_where_models_may_not_go(dsn: str, schema: str, user_dsn: str, examined: Examined) -> None:
    code, found = examined(user_dsn, "--schema", schema)
    assert code == 1
    assert "may not make tables in the schema" in found["models"]["message"]
    assert "GRANT USAGE, CREATE ON SCHEMA" in found["models"]["cure"]
    code, found = examined(dsn, "--schema", "Not There")
    assert (code, found["models"]["cure"]) == (1, 'CREATE SCHEMA "Not There"')


def test_an_empty_search_path(dsn: str, examined: Examined) -> None:
    code, found = examined(dsn, PGOPTIONS="-c search_path=")
    assert code == 1
    assert "no schema of the search_path" in found["models"]["message"]
    assert found["search_path"]["message"].endswith("madtree.tree_train(...)")
    assert found["module"]["status"] == "ok"


def test_settings_of_the_session_are_seen(dsn: str, examined: Examined) -> None:
    options = "-c statement_timeout=60s -c default_transaction_read_only=on -c work_mem=64kB "
    _, found = examined(dsn, PGOPTIONS=options + "-c max_parallel_workers_per_gather=0")
    assert {check for check, f in found.items() if f["status"] != "ok"} >= {
        "statement_timeout",
        "read-only",
        "work_mem",
        "parallel workers",
    }


def test_names_with_capitals_are_quoted_in_cures(server: Server, examined: Examined) -> None:
    name, password = f'Ada "{secrets.token_hex(3)}"', secrets.token_hex(8)
    role, base = sql.Identifier(name), sql.Identifier(f"Data {name}")
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(role, sql.Literal(password)))
        admin.execute(sql.SQL("CREATE DATABASE {}").format(base))
        admin.execute(sql.SQL("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC").format(base))
    try:
        _, found = examined(server.dsn_of(user=name, password=password, dbname=f"Data {name}"))
        assert found["temporary tables"]["status"] == "warning"
        with psycopg.connect(server.dsn, autocommit=True) as admin:
            admin.execute(cure(found["temporary tables"]))
        _, found = examined(server.dsn_of(user=name, password=password, dbname=f"Data {name}"))
        assert found["temporary tables"]["status"] == "ok"
    finally:
        with psycopg.connect(server.dsn, autocommit=True) as admin:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(base))
            admin.execute(sql.SQL("DROP ROLE {}").format(role))


@pytest.mark.parametrize(
    ("changes", "cure_of_it"),
    [
        ({"port": "1", "host": "127.0.0.1"}, "Start the server"),
        ({"dbname": "not there"}, "createdb"),
        ({"user": "nobody-of-that-name"}, "CREATE ROLE"),
        ({"host": "no-such-host.invalid"}, "host's name"),
    ],
)
def test_no_connection(server: Server, examined: Examined, changes: dict[str, str], cure_of_it: str) -> None:
    code, found = examined(server.dsn_of(**changes))
    assert code == 3
    assert list(found) == ["connection"]
    assert cure_of_it in found["connection"]["cure"]


def test_nothing_is_changed(dsn: str, db: psycopg.Connection, examined: Examined) -> None:
    everything = (
        "SELECT (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_proc), (SELECT count(*) FROM pg_namespace "
        "WHERE nspname !~ '^pg_t'), (SELECT array_agg(extname::text ORDER BY extname) FROM pg_extension)"
    )
    before = db.execute(everything).fetchone()
    examined(dsn)
    assert db.execute(everything).fetchone() == before


def test_an_ordinary_user_learns_no_more_of_the_server_than_versions_and_sizes(
    user_dsn: str, examined: Examined
) -> None:
    _, found = examined(user_dsn)
    assert found["numpy"]["status"] == "ok"
    with psycopg.connect(user_dsn) as user:
        (told,) = user.execute("SELECT madtree_internal.server_info()").fetchone() or ()
    assert set(told) == {
        "madtree_version", "madtree_path", "python_version", "python_prefix", "numpy_version", "numpy_path", "cpus",
        "memory_bytes",
    }  # fmt: skip
