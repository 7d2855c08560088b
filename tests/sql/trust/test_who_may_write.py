"""Whoever may write to a model's summary may have its user run what they like: for superusers it is theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest
from function_calls import model_calls

from madtree.engine import call as call_by_client
from madtree.errors import MadtreeError
from madtree.host.psycopg import PsycopgHost
from madtree.trees import BOOSTED, FOREST, TREE

# How another role gets to write there, and what takes it away again; {user} is that role, {group} one that it is in.
WAYS = {
    "to it": ("GRANT UPDATE ON {table} TO {user}", "REVOKE UPDATE ON {table} FROM {user}"),
    "a column": ("GRANT UPDATE (features) ON {table} TO {user}", "REVOKE UPDATE (features) ON {table} FROM {user}"),
    "new rows": ("GRANT INSERT, DELETE ON {table} TO {user}", "REVOKE INSERT ON {table} FROM {user}"),
    "to everybody": ("GRANT ALL ON {table} TO PUBLIC", "REVOKE ALL ON {table} FROM PUBLIC"),
    "to a group": ("GRANT ALL ON {table} TO {group}", "REVOKE ALL ON {table} FROM {group}"),
    "a view of a view": (
        "CREATE VIEW above AS TABLE {table}; CREATE VIEW top AS TABLE above; GRANT UPDATE ON top TO {user}",
        "DROP VIEW top, above",
    ),
    "a rule of deleting": (
        "CREATE TABLE above (x text); GRANT DELETE ON above TO {user};"
        "CREATE RULE r AS ON DELETE TO above DO ALSO UPDATE {table} SET dependent_varname = OLD.x",
        "DROP TABLE above",
    ),
    "a foreign key": (
        "CREATE TABLE above (x text PRIMARY KEY); GRANT UPDATE ON above TO {user};"
        "ALTER TABLE {table} ADD FOREIGN KEY (dependent_varname) REFERENCES above ON UPDATE CASCADE NOT VALID",
        "DROP TABLE above CASCADE",
    ),
    "what it is a part of": (
        "CREATE TABLE above (LIKE {table}) PARTITION BY LIST (method); GRANT INSERT ON above TO {user};"
        "ALTER TABLE above ATTACH PARTITION {table} DEFAULT",
        "ALTER TABLE above DETACH PARTITION {table}; DROP TABLE above",
    ),
}  # fmt: skip
MADE = {
    TREE: "tree_train('data', 'm', 'id', 'y', 'x, k', max_depth => 2)",
    FOREST: "forest_train('data', 'm', 'id', 'y', 'x, k', num_trees => 2, max_tree_depth => 2)",
    BOOSTED: "boost_train('data', 'm', 'id', 'y', 'x, k', num_trees => 2)",
}
FORGE = "UPDATE m_summary SET features = array_replace(features, 'x', 'spring()')"
# What says nothing but what stands in the tables, and what only drops them.
SHOWING = {
    *("tree_display", "tree_surr_display", "get_tree", "get_tree_surr", "tree_cp", "tree_to_json", "tree_to_pmml"),
    *("tree_importance", "get_var_importance", "model_alias", "tree_drop"),
}


@pytest.fixture
def group(db: psycopg.Connection, user_db: psycopg.Connection, schema: str) -> Iterator[str]:
    role = f"{schema}_group"
    db.execute(f"CREATE ROLE {role}; GRANT {role} TO {user_db.info.user}")
    yield role
    db.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")


def named(calls: list[str]) -> list[str]:
    return [call for call in calls if call.partition('madtree."')[2].partition('"')[0] not in SHOWING]


def ended(db: psycopg.Connection, call: str) -> str | None:
    """The SQLSTATE of the error that the call ends with."""
    try:
        db.execute(call.encode())
    except psycopg.Error as error:
        return error.sqlstate
    return None


@pytest.mark.parametrize("kind", MADE, ids=lambda kind: kind.noun)
def test_what_others_may_have_written_does_not_run(
    data: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]], kind: object
) -> None:
    data.execute(f"SELECT {MADE[kind]}".encode())  # type: ignore[index]
    data.execute(f"GRANT SELECT, UPDATE ON m_summary TO {user_db.info.user}")
    user_db.execute(FORGE.encode())
    for call in model_calls(kind):  # type: ignore[arg-type]
        with data.transaction(force_rollback=True):
            error = ended(data, call)
        assert error in ("42501", "22023", "42809") or (error is None and call not in named([call])), call
        assert canary() == set(), call


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_counts(
    data: psycopg.Connection,
    user_db: psycopg.Connection,
    canary: Callable[[], set[str]],
    group: str,
    way: str,
) -> None:
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'ln(x + 1), k', max_depth => 2)")
    grant, revoke = (text.format(table="m_summary", user=user_db.info.user, group=group) for text in WAYS[way])
    data.execute("SELECT tree_predict('m', 'data', 'before')")
    data.execute(grant.encode())
    said = 'may write to the summary of m, and it has the expression "?ln'
    try:
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match=said):
            data.execute("SELECT tree_predict('m', 'data', 'out')")
        with pytest.raises(MadtreeError, match=said):
            call_by_client(PsycopgHost(data), "tree_sql", ("m",), {})
        data.execute("SELECT tree_predict('m', 'data', 'trusted', trust_owner => true)")
        data.execute(f"GRANT SELECT ON m, m_nodes, m_summary TO {user_db.info.user}")
        user_db.execute("SELECT tree_predict('m', 'data', 'theirs')")
    finally:
        data.execute(revoke.encode())
    data.execute("SELECT tree_predict('m', 'data', 'after')")


def test_who_may_write_to_all_data_counts(data: psycopg.Connection, user_db: psycopg.Connection) -> None:
    """The grant holds for all databases of the server: other tests' sessions are not to see it."""
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'ln(x + 1), k', max_depth => 2)")
    said = 'may write to the summary of m, and it has the expression "?ln'
    with data.transaction(force_rollback=True):
        data.execute(f"GRANT pg_write_all_data TO {user_db.info.user}")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match=said), data.transaction():
            data.execute("SELECT tree_predict('m', 'data', 'out')")
        with pytest.raises(MadtreeError, match=said), data.transaction():
            call_by_client(PsycopgHost(data), "tree_sql", ("m",), {})
        data.execute("SELECT tree_predict('m', 'data', 'trusted', trust_owner => true)")
    data.execute("SELECT tree_predict('m', 'data', 'after')")


def test_superusers_may_write_and_models_of_columns_may_be_used(
    data: psycopg.Connection, user_db: psycopg.Connection, schema: str
) -> None:
    data.execute(f"CREATE ROLE {schema}_boss SUPERUSER")
    try:
        data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'ln(x + 1), k', max_depth => 2)")
        data.execute(f"GRANT ALL ON m_summary TO {schema}_boss; SELECT tree_predict('m', 'data', 'one')")
        data.execute("SELECT tree_train('data', 'n', 'id', 'y', 'x, k', max_depth => 2)")
        data.execute(f"GRANT ALL ON n, n_nodes, n_summary TO {user_db.info.user}")
        data.execute("SELECT tree_predict('n', 'data', 'two')")
        with data.transaction():
            data.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            data.execute("SELECT tree_predict('n', 'data', 'three')")
    finally:
        data.execute(f"DROP OWNED BY {schema}_boss; DROP ROLE {schema}_boss")


MADE_OF = (
    "SELECT tree_prune('m', 'pruned', 0.1)",
    "SELECT tree_refresh('m', 'data', 'refreshed'), calibrate('m', 'data', 'calibrated')",
    "SELECT boost_train('data', 'b', 'id', 'y', 'x, k', num_trees => 2), boost_cut('b', 'cut', 1)",
    "SELECT forest_train('data', 'f', 'id', 'y', 'x, k', num_trees => 2, oob_predictions => true)",
    "SELECT tree_statistics('m', 'data'), conformal_train('m', 'data', '0.5')",
)


def test_default_privileges_let_nobody_write_to_a_model(
    data: psycopg.Connection, user_db: psycopg.Connection, schema: str
) -> None:
    """They may read it. Whoever has written could hide that they were allowed to, by DROP OWNED. Rows out
    of the bag are data.
    """
    data.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT ALL ON TABLES TO {user_db.info.user}, PUBLIC")
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'ln(x + 1), k', surrogate_params => 'max_surrogates=1', "
                 "pruning_params => 'n_folds=2', max_competitors => 1)")  # fmt: skip
    call_by_client(PsycopgHost(data), "tree_train", ("data", "c", "id", "y", "ln(x + 1)"), {})
    for statement in MADE_OF:
        data.execute(statement.encode())
    rights = user_db.execute(
        "SELECT c.relname, ARRAY(SELECT DISTINCT e.privilege_type FROM aclexplode(c.relacl) AS e "
        "WHERE e.grantee <> c.relowner) FROM pg_class AS c WHERE c.relnamespace = %s::regnamespace "
        "AND c.relkind IN ('r', 'v') AND c.relname NOT IN ('data', 'f_oob')",
        [schema],
    ).fetchall()
    assert len(rights) > 25
    assert {table: found for table, found in rights if found != ["SELECT"]} == {}
    data.execute("SELECT tree_predict('m', 'data', 'out'), tree_predict('c', 'data', 'out_c')")
