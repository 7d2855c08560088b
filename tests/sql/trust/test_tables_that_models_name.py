"""The table that a model says it was trained on is another role's choice in a copy of that role's model, too, and may
be another role's view by now: a superuser names the table herself.
"""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from madtree.errors import MadtreeError
from madtree.host.psycopg import PsycopgHost
from madtree.model import check_own_table, find_to_show
from madtree.report import build_report

COPIES = {
    "tree_prune": "tree_prune('theirs', 'copy', 0.1)",
    "tree_refresh": "tree_refresh('theirs', 'data', 'copy')",
    "calibrate": "calibrate('theirs', 'data', 'copy')",
    "boost_cut": "boost_cut('theirs_b', 'copy', 1)",
    "tree_refresh of a forest": "tree_refresh('theirs_f', 'data', 'copy')",
    "calibrate a boosted model": "calibrate('theirs_b', 'data', 'copy')",
}
HIDDEN = "what that role has made. As a superuser, name a table by --data"


@pytest.fixture
def named(
    data: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]]
) -> Callable[[], set[str]]:
    """The canary; and models of plain columns of the ordinary user's, which say that they were trained on a view."""
    user_db.execute(
        "SELECT tree_train('data', 'theirs', 'id', 'y', 'x, k', pruning_params => 'n_folds=2');"
        "SELECT forest_train('data', 'theirs_f', 'id', 'y', 'x, k', num_trees => 3);"
        "SELECT boost_train('data', 'theirs_b', 'id', 'y', 'x, k', num_trees => 2);"
        "CREATE VIEW named AS SELECT id, x, k, g, w, y FROM data WHERE spring() = 1; GRANT SELECT ON named TO PUBLIC"
    )
    for name in ("theirs", "theirs_f", "theirs_b"):
        user_db.execute(f"UPDATE {name}_summary SET source_table = 'named'")  # type: ignore[arg-type]
    canary()
    return canary


@pytest.mark.one_in(4)
@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_a_page_of_a_copy_does_not_read_it(data: psycopg.Connection, named: Callable[[], set[str]], copy: str) -> None:
    data.execute(f"SELECT {copy}")  # type: ignore[arg-type]
    for page in (build_report(data, "copy"), build_report(data, "copy", row="7")):
        assert HIDDEN in page
    assert named() == set()
    assert HIDDEN not in build_report(data, "copy", data="data")
    assert named() == set()
    build_report(data, "copy", trust_owner=True)
    assert named() == {"boss"}


def test_a_copy_of_a_forest_is_not_judged_by_it(data: psycopg.Connection, named: Callable[[], set[str]]) -> None:
    data.execute(f"SELECT {COPIES['tree_refresh of a forest']}")  # type: ignore[arg-type]
    for call in ("conformal_quantiles('copy')", "conformal_train('copy')"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="calibration_table: named, by which copy was"):
            data.execute(f"SELECT * FROM {call}")  # type: ignore[arg-type]
    assert named() == set()
    data.execute("SELECT conformal_train('copy', 'data')")


def test_a_table_that_has_become_a_view_is_not_read(
    data: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]]
) -> None:
    user_db.execute("CREATE TABLE lent AS TABLE data; GRANT SELECT ON lent TO PUBLIC")
    data.execute("SELECT forest_train('lent', 'own', 'id', 'y', 'x, k', num_trees => 3)")
    expected = data.execute("SELECT * FROM conformal_quantiles('own', 'lent')").fetchall()
    user_db.execute(
        "ALTER TABLE lent RENAME TO lent_before; CREATE VIEW lent AS SELECT * FROM lent_before WHERE spring() = 1;"
        "GRANT SELECT ON lent, lent_before TO PUBLIC"
    )
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="by which own was trained, belongs to ") as told:
        data.execute("SELECT * FROM conformal_quantiles('own')")
    assert "to read it may run what that role has made" in str(told.value)
    assert HIDDEN in build_report(data, "own")
    assert canary() == set()
    user_db.execute("DROP VIEW lent")
    assert "could not be tried on its training table" in build_report(data, "own")
    user_db.execute("ALTER TABLE lent_before RENAME TO lent")
    assert data.execute("SELECT * FROM conformal_quantiles('own', 'lent')").fetchall() == expected


def test_others_and_owners_read_it_unasked(
    data: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]]
) -> None:
    user_db.execute("SELECT forest_train('data', 'theirs', 'id', 'y', 'x, k', num_trees => 3)")
    data.execute("SELECT forest_train('data', 'own', 'id', 'y', 'x, k', num_trees => 3)")
    for db, model in ((user_db, "theirs"), (data, "own")):
        db.execute(f"SELECT conformal_train('{model}')")  # type: ignore[arg-type]
        assert HIDDEN not in build_report(db, model)
    assert canary() == set()


PARTS = {
    "partition": "CREATE TABLE whole (LIKE data) PARTITION BY LIST (k); CREATE TABLE lent PARTITION OF whole DEFAULT",
    "child": "CREATE TABLE whole (LIKE data); CREATE TABLE middle () INHERITS (whole);"
    "CREATE TABLE lent () INHERITS (middle)",
    "table below a view": "CREATE TABLE lent (LIKE data); CREATE VIEW middle AS TABLE lent;"
    "CREATE VIEW whole AS TABLE middle",
    "function below a view": "CREATE FUNCTION lent() RETURNS int LANGUAGE sql AS 'SELECT 1';"
    "CREATE VIEW whole AS SELECT data.* FROM data, lent()",
}


@pytest.mark.parametrize("part", PARTS)
def test_what_reads_what_is_anothers_is_not_read(
    data: psycopg.Connection, user_db: psycopg.Connection, part: str
) -> None:
    """PostgreSQL runs what the owner of a part has put into its indexes and checks, while it plans."""
    data.execute(PARTS[part])  # type: ignore[arg-type]
    data.execute("SELECT forest_train('data', 'own', 'id', 'y', 'x, k', num_trees => 3)")
    data.execute("UPDATE own_summary SET source_table = 'whole'")
    check_own_table(find_to_show(PsycopgHost(data), "own"), "data")
    lent = "FUNCTION lent()" if part.startswith("function") else "TABLE lent"
    data.execute(f"ALTER {lent} OWNER TO {user_db.info.user}")  # type: ignore[arg-type]
    with pytest.raises(MadtreeError, match=r"by which own was trained, belongs to .+, or reads what does"):
        check_own_table(find_to_show(PsycopgHost(data), "own"), "data")


RELATIONS = {
    "materialized view": "CREATE MATERIALIZED VIEW own.lent AS TABLE data",
    "foreign table": "CREATE FOREIGN TABLE own.lent (id int, x int, k text, y boolean) SERVER elsewhere",
    "table": "CREATE TABLE own.lent AS TABLE data",
}


@pytest.mark.parametrize("kind", RELATIONS)
def test_what_is_a_superusers_in_anothers_schema_stays_there(
    data: psycopg.Connection, user_db: psycopg.Connection, kind: str
) -> None:
    """The owner of a schema may drop what others have in it, and put a view in its place."""
    data.execute("SELECT forest_train('data', 'own', 'id', 'y', 'x, k', num_trees => 3)")
    data.execute("CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER elsewhere FOREIGN DATA WRAPPER nothing")
    try:
        data.execute(f"CREATE SCHEMA own AUTHORIZATION {user_db.info.user}")  # type: ignore[arg-type]
        data.execute(RELATIONS[kind])  # type: ignore[arg-type]
        data.execute("UPDATE own_summary SET source_table = 'own.lent'")
        user_db.execute("SET lock_timeout = '200ms'")
        host = PsycopgHost(data)
        with data.transaction():
            check_own_table(find_to_show(host, "own"), "data")
            with pytest.raises(psycopg.errors.LockNotAvailable):
                user_db.execute(f"DROP {kind} own.lent")  # type: ignore[arg-type]
        with data.transaction():  # where nobody holds a schema
            data.execute("SET TRANSACTION READ ONLY")
            with pytest.raises(MadtreeError, match="by which own was trained, belongs to "):
                check_own_table(find_to_show(host, "own"), "data")
        user_db.execute(f"DROP {kind} own.lent")  # type: ignore[arg-type]
    finally:
        data.execute("DROP SCHEMA IF EXISTS own CASCADE; DROP FOREIGN DATA WRAPPER nothing CASCADE")


def test_what_is_a_superusers_in_a_schema_of_her_own_stays_there(
    data: psycopg.Connection, connect: Callable[[], psycopg.Connection]
) -> None:
    """Where others may create in it, they could put a view in the place of what another superuser drops."""
    data.execute("SELECT forest_train('data', 'own', 'id', 'y', 'x, k', num_trees => 3)")
    data.execute("CREATE MATERIALIZED VIEW lent AS TABLE data; UPDATE own_summary SET source_table = 'lent'")
    admin = connect()
    admin.execute("SET lock_timeout = '200ms'")
    with data.transaction():
        check_own_table(find_to_show(PsycopgHost(data), "own"), "data")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            admin.execute("ALTER MATERIALIZED VIEW lent RENAME TO lent_before")
