"""What another role does on the servers of a cluster, where it may log in: none of it runs as a superuser who trains on
her own tables, scores them, or looks at that role's models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import psycopg
import pytest
from called import Listening, answer
from private_cluster import nodes_of
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from madtree.doctor import Status, examine
from madtree.errors import MadtreeError
from madtree.sqltext.profile import categories
from madtree.trees import Feature, FeatureKind

ROLE = "madtree_other"
CAUGHT = """
SET citus.enable_ddl_propagation = off;
CREATE TABLE public.caught (what text);
GRANT INSERT ON public.caught TO public
"""
MADE = f"""
CREATE SCHEMA {ROLE};
CREATE FUNCTION {ROLE}.trap(what text) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN INSERT INTO public.caught VALUES (what); END IF;
RETURN true; END $$;
CREATE DOMAIN {ROLE}.code AS text CHECK ({ROLE}.trap('domain'));
CREATE TYPE {ROLE}.size AS ENUM ('s', 'm');
GRANT USAGE ON SCHEMA {ROLE} TO public
"""
TABLE = f"""
CREATE SCHEMA own; SET search_path = own, madtree;
CREATE TABLE t (id int, x float8, y bool, a varchar(9), code {ROLE}.code, size {ROLE}.size);
SELECT create_distributed_table('t', 'id', shard_count => 4);
INSERT INTO t SELECT i, i % 17, i % 3 > 0, 'a' || i % 3, 'c' || i % 3, (enum_range(NULL::{ROLE}.size))[1 + i % 2]
FROM generate_series(1, 600) AS i;
CREATE TABLE here AS SELECT * FROM t
"""
Caught = Callable[[], list[str]]


@pytest.fixture(scope="module")
def servers(citus: str) -> Iterator[list[str]]:
    """DSNs of the coordinator and the workers, on each of which the role has a trap."""
    database = conninfo_to_dict(citus)["dbname"]
    dsns = [make_conninfo(node.dsn, dbname=database) for node in nodes_of(citus)]
    with ExitStack() as stack:
        sessions = [stack.enter_context(psycopg.connect(dsn, autocommit=True)) for dsn in dsns]
        sessions[0].execute(f"CREATE ROLE {ROLE} LOGIN; GRANT CREATE ON DATABASE {database} TO {ROLE}")
        for session in sessions:
            session.execute(CAUGHT)
        with as_role(citus) as other:
            for statement in MADE.split(";\nCREATE"):
                other.execute(statement if "CREATE" in statement[:9] else f"CREATE{statement}")
        yield dsns
        sessions[0].execute(f"DROP SCHEMA IF EXISTS own CASCADE; DROP OWNED BY {ROLE} CASCADE")
        for session in sessions:
            session.execute(f"{CAUGHT.partition(';')[0]}; DROP TABLE public.caught; DROP OWNED BY {ROLE} CASCADE")
        sessions[0].execute(f"DROP ROLE {ROLE}")


def as_role(dsn: str) -> psycopg.Connection:
    return psycopg.connect(make_conninfo(dsn, user=ROLE), autocommit=True)


def planted(server: str, statements: str) -> None:
    """Run statements as the role on that server alone."""
    with as_role(server) as other:
        other.execute("SET citus.enable_ddl_propagation = off; SET citus.enable_manual_changes_to_shards = on")
        other.execute(statements.encode())


@pytest.fixture(scope="module")
def owner(servers: list[str]) -> Iterator[psycopg.Connection]:
    """The superuser's session, with a distributed table of her own and a plain one of the same rows."""
    with psycopg.connect(servers[0], autocommit=True, prepare_threshold=None) as session:
        for statement in TABLE.split(";"):
            session.execute(statement.encode())
        yield session


@pytest.fixture
def caught(servers: list[str], owner: psycopg.Connection) -> Iterator[Caught]:
    """What the traps have caught, on any server, since the test began."""
    with ExitStack() as stack:
        sessions = [stack.enter_context(psycopg.connect(dsn, autocommit=True)) for dsn in servers]
        for session in sessions:
            session.execute("TRUNCATE public.caught")
        yield lambda: [what for s in sessions for (what,) in s.execute("SELECT DISTINCT what FROM public.caught")]


CALLS = ("tree_train('t', '{}', 'id', 'y', 'x, code')", "tree_train('t', '{}', 'id', 'code', 'x')",
         "boost_train('t', '{}', 'id', 'y', 'x', grouping_cols => 'code', num_trees => 2)",
         "forest_train('t', '{}', 'id', 'y', 'x, pg_catalog.concat(code)', num_trees => 2)",
         "boost_train('here', '{}', 'id', 'y', 'x, code', num_trees => 2, validation_params => 'table=t')")  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_values_of_domains_are_not_moved(owner: psycopg.Connection, caught: Caught, call: str) -> None:
    """Citus reads them again where they come to: their checks would run."""
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match=r"concat\(code\) in its place"):
        owner.execute(f"SELECT {call.format('m')}".encode())
    assert caught() == []


def test_domains_in_views_and_enums_are_learned_from(owner: psycopg.Connection, caught: Caught) -> None:
    owner.execute("CREATE VIEW texts AS SELECT id, x, y, size, pg_catalog.concat(code) AS code FROM t")
    owner.execute("SELECT " + CALLS[0].replace("'t'", "'texts'").format("viewed"))
    owner.execute("SELECT tree_predict('viewed', 'texts', 'pg_temp.seen'); DROP TABLE pg_temp.seen")
    owner.execute("SELECT forest_train('t', 'sized', 'id', 'y', 'x, size', num_trees => 2)")
    assert caught() == []


def test_an_enum_may_be_another_type_on_other_servers(
    owner: psycopg.Connection, servers: list[str], caught: Caught
) -> None:
    """Its owner has renamed it there, and made a cast to a type that has its name now."""
    owner.execute("SELECT forest_train('here', 'ordered', 'id', 'y', 'x, size', num_trees => 2)")
    for worker in servers[1:]:
        planted(
            worker,
            f"ALTER TYPE {ROLE}.size RENAME TO former; CREATE TYPE {ROLE}.size AS ENUM ('s', 'm');"
            f"CREATE FUNCTION {ROLE}.swapped({ROLE}.former) RETURNS {ROLE}.size LANGUAGE sql AS "
            f"$$ SELECT 's'::{ROLE}.size WHERE {ROLE}.trap('cast') $$;"
            f"CREATE CAST ({ROLE}.former AS {ROLE}.size) WITH FUNCTION {ROLE}.swapped({ROLE}.former) AS IMPLICIT",
        )
    try:
        for call in (
            "tree_train('t', 'named', 'id', 'y', 'x, size')",
            "boost_train('t', 'named', 'id', 'size', 'x', num_trees => 2)",
            "forest_predict('ordered', 't', 'pg_temp.seen')",
            "tree_evaluate('ordered', 't')",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match=f"{ROLE}.size"):
                owner.execute(f"SELECT {call}".encode())
        assert caught() == []
    finally:
        for worker in servers[1:]:
            planted(worker, f"DROP TYPE {ROLE}.size CASCADE; ALTER TYPE {ROLE}.former RENAME TO size")


@pytest.mark.parametrize("held", ["create_distributed_table('lists', 'id')", "create_reference_table('lists')"])
def test_functions_of_any_type_are_postgres_own(
    owner: psycopg.Connection, servers: list[str], caught: Caught, held: str
) -> None:
    """Some of a role's fit arrays better, in a schema that has the superuser's name and is searched first. Citus leaves
    out pg_catalog in what it sends, or reads here; functions of Citus's leave out all schemas.
    """
    me = owner.info.user
    body = f"RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM {ROLE}.trap('any'); RETURN 1; END $$"
    for server in servers:
        planted(
            server,
            f"CREATE SCHEMA {me}; GRANT USAGE ON SCHEMA {me} TO public;"
            f"CREATE FUNCTION {me}.cardinality(float8[]) {body}; CREATE FUNCTION {me}.array_ndims(float8[]) {body};"
            f"CREATE FUNCTION {me}.format(text, text) RETURNS text LANGUAGE sql AS $$ SELECT ''::text WHERE "
            f"{ROLE}.trap('format') $$",
        )
    try:
        owner.execute("CREATE TABLE lists AS SELECT id, x, y, ARRAY[x, id % 3] AS list FROM here")
        owner.execute(f"SELECT {held}".encode())
        with psycopg.connect(owner.info.dsn, autocommit=True) as session:
            session.execute(
                "SELECT madtree.tree_train('own.lists', 'own.listed', 'id', 'y', 'x, list', replace => true)"
            )
            for _ in range(2):
                session.execute(
                    "SELECT madtree.tree_predict('own.listed', 'own.lists', 'own.of_lists', replace => true)"
                )
            assert not any(finding.status is Status.PROBLEM for finding in examine(session))
        assert caught() == []
    finally:
        owner.execute("DROP TABLE IF EXISTS lists, of_lists")
        for server in servers:
            planted(server, f"DROP SCHEMA {me} CASCADE")


@pytest.mark.parametrize("setting", ["citus.function_opens_transaction_block", "citus.select_opens_transaction_block"])
def test_schemas_of_the_path_may_be_others_on_the_workers(
    owner: psycopg.Connection, servers: list[str], caught: Caught, setting: str
) -> None:
    """Who made one there before Citus did owns it. And a setting keeps Citus from telling the workers of a path."""
    me = owner.info.user
    body = f"LANGUAGE plpgsql AS $$ BEGIN PERFORM {ROLE}.trap('path'); RETURN 26; END $$"
    for worker in servers[1:]:
        planted(
            worker,
            f"CREATE SCHEMA {me}; GRANT USAGE ON SCHEMA {me} TO public;"
            f"CREATE FUNCTION {me}.cardinality(float8[]) RETURNS int {body};"
            f"CREATE FUNCTION {me}.pg_typeof(float8[]) RETURNS regtype {body}",
        )
    try:
        owner.execute(f"CREATE SCHEMA IF NOT EXISTS {me}".encode())
        owner.execute("CREATE TABLE lists AS SELECT id, x, y, ARRAY[x, id % 3] AS list FROM here")
        owner.execute("SELECT create_distributed_table('lists', 'id', shard_count => 4)")
        with psycopg.connect(owner.info.dsn, autocommit=True) as session:
            session.execute(f"SET search_path = {me}, own, madtree; SET {setting} = off".encode())
            session.execute("SELECT tree_train('lists', 'own.earlier', 'id', 'y', 'x, list', replace => true)")
        assert caught() == []
    finally:
        for worker in servers[1:]:
            planted(worker, f"DROP SCHEMA {me} CASCADE")
        owner.execute(f"DROP TABLE IF EXISTS lists; DROP SCHEMA IF EXISTS {me}".encode())


def set_for_database(workers: list[str], database: str, settings: dict[str, str] | dict[str, None]) -> None:
    """Set parameters for a database's sessions at some servers; with None what was set is gone."""
    for worker in workers:
        with psycopg.connect(worker, autocommit=True) as session:
            session.execute("SET citus.enable_ddl_propagation = off")
            for name, value in settings.items():
                how = f"RESET {name}" if value is None else f"SET {name} = {value}"
                session.execute(f"ALTER DATABASE {database} {how}".encode())


def test_texts_of_values_are_the_same_on_all_servers(owner: psycopg.Connection, servers: list[str]) -> None:
    """Whatever a worker's database says of them, or the caller's session."""
    settings = {"datestyle": "'SQL, DMY'", "timezone": "'Asia/Kolkata'", "extra_float_digits": "-9"}
    set_for_database(servers[1:], owner.info.dbname, settings)
    try:
        with psycopg.connect(owner.info.dsn, autocommit=True) as session:
            session.execute("SET search_path = own, madtree; SET timezone = 'Europe/Berlin'")
            at = "timestamptz ''2026-03-28 22:00+00'' + id % 4 * interval ''1 hour''"
            for table in ("t", "here"):
                call = f"SELECT tree_train('{table}', 'of_{table}', 'id', 'concat({at}, x / 7)', 'x, ({at})')"
                session.execute(call.encode())
            for what in ("dependent_var_levels FROM {}_summary", "* FROM {}_nodes"):
                same = f"SELECT {what.format('of_t')} EXCEPT SELECT {what.format('of_here')}"
                assert session.execute(same.encode()).fetchall() == []
    finally:
        set_for_database(servers[1:], owner.info.dbname, dict.fromkeys(settings, None))


def test_operators_on_the_workers_alone_are_not_ours(
    owner: psycopg.Connection, servers: list[str], caught: Caught, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a schema of the search path that is not there on the coordinator, one fits better than PostgreSQL's own."""
    monkeypatch.setattr("madtree.score.shards.Sharded.pays", lambda self, work, n_bytes: True)
    owner.execute("SELECT forest_train('here', 'f', 'id', 'y', 'x, (a = ''a1'')', num_trees => 5)")
    for worker in servers[1:]:
        with as_role(worker) as other:
            other.execute(
                "SET citus.enable_ddl_propagation = off; CREATE SCHEMA planted; GRANT USAGE ON SCHEMA planted TO "
                "public;"
                "CREATE FUNCTION planted.same(varchar, varchar) RETURNS bool LANGUAGE sql AS "
                f"$$ SELECT {ROLE}.trap('operator') $$; CREATE OPERATOR planted.= (LEFTARG = varchar, RIGHTARG = "
                "varchar, FUNCTION = planted.same)"
            )
    with owner.transaction(force_rollback=True):
        owner.execute("SET LOCAL search_path = planted, own, madtree")
        host = Listening(owner)
        answer(host, "forest_predict('f', 't', 'pg_temp.seen')")
        assert any("rows_of_shard(" in statement for statement in host.statements)
        owner.execute("SELECT forest_predict('f', 'here', 'pg_temp.wanted')")
        assert owner.execute("TABLE pg_temp.seen EXCEPT TABLE pg_temp.wanted").fetchall() == []
    assert caught() == []


def test_a_model_that_citus_holds_may_have_become_a_view(
    owner: psycopg.Connection, servers: list[str], caught: Caught
) -> None:
    """On the server that has it, whatever it is on the coordinator; and in others' schemas, where one's own may be."""
    with as_role(servers[0]) as other:
        other.execute(f"SET search_path = {ROLE}, madtree")
        other.execute("CREATE TABLE d AS SELECT i AS id, i % 3 AS x, i % 2 AS y FROM generate_series(1, 60) AS i")
        other.execute("SELECT tree_train('d', 'm', 'id', 'y', 'x')")
        other.execute("SELECT create_distributed_table('m_summary', 'method', shard_count => 1)")
        found = other.execute("SELECT shard_name, nodename, nodeport FROM citus_shards WHERE table_name = "
                              "'m_summary'::regclass").fetchone()  # fmt: skip
    assert found
    name, host, port = found
    with as_role(make_conninfo(servers[1], host=host, port=port)) as other:
        other.execute("SET citus.enable_ddl_propagation = off; SET citus.enable_manual_changes_to_shards = on")
        other.execute(f"ALTER TABLE {name} RENAME TO shard")
        other.execute(f"CREATE VIEW {name} AS SELECT *, ctid, xmin, cmin, tableoid FROM {ROLE}.shard "
                      f"WHERE {ROLE}.trap('view')")  # fmt: skip
    for call in (f"tree_display('{ROLE}.m')", f"tree_predict('{ROLE}.m', 'here', 'pg_temp.seen')"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="has its rows in tables of Citus's"):
            owner.execute(f"SELECT {call}".encode())
    owner.execute(f"SELECT tree_train('here', '{ROLE}.own', 'id', 'y', 'x')".encode())
    owner.execute(f"SELECT create_reference_table('{ROLE}.own_summary')".encode())
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="lies in a schema of"):
        owner.execute(f"SELECT tree_display('{ROLE}.own')".encode())
    assert caught() == []


def test_own_tables_do_not_go_to_others_schemas_on_other_servers(owner: psycopg.Connection, servers: list[str]) -> None:
    """Who owns a schema could put another one in its place there, with a table of that name that has a trigger."""
    owner.execute("SELECT tree_train('here', 'scorer', 'id', 'y', 'x')")
    owner.execute(f"SELECT tree_predict('scorer', 't', '{ROLE}.seen'), tree_predict('scorer', 't', 'seen')".encode())
    found = owner.execute("SELECT logicalrelid::text FROM pg_dist_partition WHERE logicalrelid::text ~ 'seen$'")
    assert found.fetchall() == [("seen",)]
    with as_role(servers[0]) as other:
        other.execute("SET citus.enable_schema_based_sharding = on; CREATE SCHEMA tenant")
    with pytest.raises(MadtreeError, match='tables of the schema "tenant" on another server'):
        answer(Listening(owner), "tree_train('here', 'tenant.m', 'id', 'y', 'x')")


def test_a_schema_may_have_been_there_before_citus_made_it(
    owner: psycopg.Connection, servers: list[str], caught: Caught
) -> None:
    """On a server where its name was free: who owns it there puts a view in the place of what is filled."""
    owner.execute("SELECT tree_train('here', 'before', 'id', 'y', 'x')")
    owner.execute("SET citus.enable_ddl_propagation = off; CREATE SCHEMA early; RESET citus.enable_ddl_propagation")
    for worker in servers[1:]:
        planted(worker, "CREATE SCHEMA early")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match=f"of another owner on the server .*: {ROLE}"):
        owner.execute("SELECT tree_predict('before', 't', 'early.scores')")
    owner.execute("CREATE TABLE early.scores (id int, estimated_y bool)")
    owner.execute("SELECT create_distributed_table('early.scores', 'id', shard_count => 4)")
    shards = owner.execute("SELECT shard_name, nodename, nodeport FROM citus_shards WHERE table_name = "
                           "'early.scores'::regclass").fetchall()  # fmt: skip
    for shard, host, port in shards:
        planted(
            make_conninfo(servers[1], host=host, port=port),
            f"DROP TABLE {shard}; CREATE TABLE IF NOT EXISTS {ROLE}.filled (id int, estimated_y bool);"
            f"CREATE OR REPLACE FUNCTION {ROLE}.fills() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN PERFORM {ROLE}.trap('view'); RETURN NEW; END $$;"
            f"CREATE OR REPLACE TRIGGER fills BEFORE INSERT ON {ROLE}.filled FOR EACH ROW EXECUTE FUNCTION "
            f"{ROLE}.fills();"
            f"CREATE VIEW {shard} AS TABLE {ROLE}.filled",
        )
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="of another owner on the server"):
        owner.execute("SELECT tree_predict('before', 't', 'early.scores', replace => true)")
    assert caught() == []


def test_a_training_table_in_anothers_schema_is_not_taken_unasked(owner: psycopg.Connection) -> None:
    """A view may be in its place, where its rows are."""
    table = f"{ROLE}.rows"
    owner.execute(f"CREATE TABLE {table} AS SELECT id, x, id % 5 AS z FROM here".encode())
    owner.execute(f"SELECT forest_train('{table}', 'of', 'id', 'x', 'z', num_trees => 3)".encode())
    owner.execute("SELECT * FROM conformal_quantiles('of')")
    owner.execute(f"SELECT create_distributed_table('{table}', 'id')".encode())
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="to read it may run what that role has made"):
        owner.execute("SELECT * FROM conformal_quantiles('of')")


@pytest.mark.parametrize("revoked", [False, True])
def test_triggers_on_shards_keep_a_table_from_being_replaced(
    owner: psycopg.Connection, servers: list[str], caught: Caught, *, revoked: bool
) -> None:
    """Whoever has been given the right to make them has made them there; the coordinator knows of none."""
    owner.execute("SELECT tree_train('here', 'filler', 'id', 'y', 'x', replace => true)")
    owner.execute("SELECT tree_predict('filler', 't', 'filled')")
    call = "SELECT tree_predict('filler', 't', 'filled', replace => true)"
    owner.execute(call.encode())
    owner.execute(f"GRANT USAGE ON SCHEMA own TO {ROLE}; GRANT TRIGGER ON filled TO {ROLE}".encode())
    found = owner.execute("SELECT shard_name, nodename, nodeport FROM citus_shards WHERE table_name = "
                          "'filled'::regclass LIMIT 1").fetchone()  # fmt: skip
    assert found
    with as_role(make_conninfo(servers[1], host=found[1], port=found[2])) as other:
        other.execute("SET citus.enable_ddl_propagation = off; SET citus.enable_manual_changes_to_shards = on")
        other.execute(f"CREATE OR REPLACE FUNCTION {ROLE}.filled() RETURNS trigger LANGUAGE plpgsql AS "
                      f"$$ BEGIN PERFORM {ROLE}.trap('trigger'); RETURN NEW; END $$")  # fmt: skip
        other.execute(f"CREATE TRIGGER trap BEFORE INSERT ON {found[0]} FOR EACH ROW EXECUTE FUNCTION {ROLE}.filled()")
    if revoked:
        owner.execute(f"REVOKE TRIGGER ON filled FROM {ROLE}".encode())
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="others may put a trigger on its shards"):
        owner.execute(call.encode())
    assert caught() == []
    owner.execute("DROP TABLE filled")


def test_a_table_of_the_role_that_a_superuser_has_taken_is_not_replaced(owner: psycopg.Connection) -> None:
    """That role, and its members, may put a trigger on its shards until they are filled, which are perhaps here."""
    owner.execute("SELECT tree_train('here', 'filler', 'id', 'y', 'x', replace => true)")
    owner.execute("SELECT tree_predict('filler', 't', 'filled')")
    tables = "own.t, own.filler, own.filler_nodes, own.filler_summary"
    owner.execute(f"GRANT USAGE, CREATE ON SCHEMA own TO {ROLE}; GRANT SELECT ON {tables} TO {ROLE}".encode())
    owner.execute(f"ALTER TABLE filled OWNER TO {ROLE}".encode())
    owner.execute(f"SET ROLE {ROLE}".encode())
    try:
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="others may put a trigger on its shards"):
            owner.execute("SELECT tree_predict('filler', 't', 'filled', replace => true)")
    finally:
        owner.execute("RESET ROLE")
        owner.execute(f"DROP TABLE filled; REVOKE CREATE ON SCHEMA own FROM {ROLE}; "
                      f"REVOKE SELECT ON {tables} FROM {ROLE}".encode())  # fmt: skip


def test_what_is_set_for_a_workers_database_changes_nothing(
    owner: psycopg.Connection, servers: list[str], caught: Caught
) -> None:
    """Its owner, who may be anybody, says how strings are read there, and in which schemas operators are looked for."""
    settings = {"standard_conforming_strings": "off", "search_path": f"{ROLE}, pg_catalog"}
    for worker in servers[1:]:
        with as_role(worker) as other:
            other.execute(
                f"SET citus.enable_ddl_propagation = off; CREATE FUNCTION {ROLE}.same(int, int) RETURNS bool LANGUAGE "
                f"sql AS $$ SELECT {ROLE}.trap('drop') $$; CREATE OPERATOR {ROLE}.= (LEFTARG = int, RIGHTARG = int, "
                f"FUNCTION = {ROLE}.same)"
            )
    set_for_database(servers[1:], owner.info.dbname, settings)
    try:
        with psycopg.connect(owner.info.dsn, autocommit=True) as session:
            session.execute("SET search_path = own, madtree")
            session.execute(r"CREATE TABLE slashes AS SELECT id, x, '\' || id % 3 AS a FROM here")
            session.execute("SELECT tree_train('slashes', 's', 'id', 'a', 'x', pruning_params => 'cp=-1')")
            session.execute("SELECT tree_train('t', 'u', 'id', 'y', 'x')")
            for table in ("here", "t"):
                session.execute(f"SELECT tree_predict('s', '{table}', 'pg_temp.s_{table}', 'prob')".encode())
            assert session.execute("TABLE pg_temp.s_t EXCEPT TABLE pg_temp.s_here").fetchall() == []
        assert caught() == []
    finally:
        set_for_database(servers[1:], owner.info.dbname, dict.fromkeys(settings, None))


def test_columns_that_may_be_read_are_enough(owner: psycopg.Connection, servers: list[str]) -> None:
    """Rows are not asked for their place then, which only who may read all of a table can."""
    owner.execute(f"GRANT USAGE ON SCHEMA own TO {ROLE}; GRANT SELECT (id, x, y) ON t TO {ROLE}".encode())
    owner.execute("SELECT tree_train('here', 'all_columns', 'id', 'y', 'x')")
    with as_role(servers[0]) as other:
        other.execute(f"SELECT madtree.tree_train('own.t', '{ROLE}.some_columns', 'id', 'y', 'x')")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            other.execute(f"SELECT madtree.tree_train('own.t', '{ROLE}.more', 'id', 'y', 'x, a')")
    same = f"TABLE all_columns_nodes EXCEPT TABLE {ROLE}.some_columns_nodes"
    assert owner.execute(same.encode()).fetchall() == []


def test_categories_of_a_varchar_are_texts(owner: psycopg.Connection) -> None:
    """Of a varchar that is grouped by as a text Citus says that it is none."""
    statement = categories("t AS madtree_source", Feature("a", "character varying", FeatureKind.UNORDERED))
    assert [row[0] for row in owner.execute(statement.encode())] == ["a0", "a1", "a2"]
