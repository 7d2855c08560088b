"""Blocks of distributed tables are scored by the servers that have the rows: what becomes of them, by whose rights they
are read, and when they are not.
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from called import Listening, answer
from forced import differences
from psycopg import sql
from psycopg.conninfo import make_conninfo

MODELS = """
CREATE TABLE taught AS SELECT * FROM plain WHERE id <= 20000;
SELECT forest_train('taught', 'f', 'id', 'label', 'x, n, level, w, e', num_trees => 40, max_tree_depth => 6);
SELECT boost_train('taught', 'b', 'id', 'y', 'x, n, level', num_trees => 12);
"""
# Where the rows of `plain` lie, and how.
HELD = {
    "by a text": (
        "CREATE TABLE {t} (LIKE plain); ALTER TABLE {t} ALTER id TYPE varchar(12)",
        "SELECT create_distributed_table('{t}', 'id', shard_count => 5)",
    ),
    "by a number that is not the id": (
        "CREATE TABLE {t} (LIKE plain); ALTER TABLE {t} ALTER n TYPE numeric",
        "SELECT create_distributed_table('{t}', 'n', shard_count => 5)",
    ),
    "in parts": (
        "CREATE TABLE {t} (LIKE plain) PARTITION BY RANGE (fold); CREATE TABLE {t}_0 PARTITION OF {t} FOR VALUES "
        "FROM (0) TO (2); CREATE TABLE {t}_1 PARTITION OF {t} FOR VALUES FROM (2) TO (9)",
        "SELECT create_distributed_table('{t}', 'id', shard_count => 3)",
    ),
    "in columns": (
        "CREATE TABLE {t} (LIKE plain) USING columnar",
        "SELECT create_distributed_table('{t}', 'id', shard_count => 3)",
    ),
    "in two places": (
        "SET citus.shard_replication_factor = 2; CREATE TABLE {t} (LIKE plain)",
        "SELECT create_distributed_table('{t}', 'id', shard_count => 3)",
    ),
}


@pytest.fixture(scope="module")
def models(cluster: psycopg.Connection) -> psycopg.Connection:
    """Models f and b; tables f_plain and b_plain of what they say of the table `plain`."""
    cluster.execute(MODELS)
    for name, function in (("f", "forest_predict"), ("b", "boost_predict")):
        cluster.execute(f"SELECT {function}('{name}', 'plain', '{name}_plain')".encode())
    return cluster


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the servers that have the rows, whatever it costs."""
    monkeypatch.setattr("madtree.score.shards.Sharded.pays", lambda self, work, n_bytes: True)


def went(host: Listening) -> bool:
    """Whether rows were scored by the servers that have them."""
    return any("rows_of_shard(" in statement for statement in host.statements)


def test_predictions_lie_beside_their_rows(models: psycopg.Connection) -> None:
    """As users call it; see the next test for where they are scored."""
    models.execute("CREATE TABLE thousand (LIKE plain); SELECT create_distributed_table('thousand', 'id', "
                   "colocate_with => 'spread'); INSERT INTO thousand SELECT * FROM plain WHERE id <= 999")  # fmt: skip
    for call in ("forest_predict('f', 'spread', 'f_beside')", "boost_predict('b', 'spread', 'b_beside')",
                 "forest_predict('f', 'spread', 'pg_temp.f_here')",
                 "tree_shap('b', 'thousand', 'shap_beside')"):  # fmt: skip
        models.execute(f"SELECT {call}".encode())
    found = models.execute(
        "SELECT logicalrelid::text, column_to_column_name(logicalrelid, partkey), colocationid = "
        "(SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = 'spread'::regclass) FROM pg_dist_partition "
        "WHERE logicalrelid::text IN ('f_beside', 'b_beside', 'f_here', 'shap_beside') ORDER BY 1"
    ).fetchall()
    assert found == [(table, "id", True) for table in ("b_beside", "f_beside", "shap_beside")]
    for table, expected in (("f_beside", "f_plain"), ("b_beside", "b_plain"), ("f_here", "f_plain")):
        assert differences(models, table, expected) == 0
    left = models.execute("SELECT relname FROM pg_class WHERE relname LIKE 'madtree%' AND relkind = 'r' AND "
                          "relnamespace = current_schema()::regnamespace").fetchall()  # fmt: skip
    assert left == []


def test_large_tables_are_scored_where_they_are_and_small_ones_are_not(models: psycopg.Connection) -> None:
    models.execute("CREATE TABLE few (LIKE plain); SELECT create_distributed_table('few', 'id', shard_count => 6)")
    models.execute("INSERT INTO few SELECT * FROM plain WHERE id <= 2000")
    for table, there in (("spread", True), ("few", False)):
        host = Listening(models)
        answer(host, f"forest_predict('f', '{table}', 'pg_temp.f_{table}')")
        assert went(host) == there
    models.execute("CREATE TABLE f_some AS SELECT * FROM f_plain WHERE id <= 2000")
    assert differences(models, "pg_temp.f_few", "f_some") == 0


@pytest.mark.parametrize("held", HELD)
@pytest.mark.usefixtures("always")
def test_rows_lie_in_any_way(models: psycopg.Connection, held: str) -> None:
    """The table's name would end every statement that does not quote it."""
    table = sql.Identifier('it\'s a "table"').as_string(models)
    made, spread = (each.replace("'{t}'", "{quoted}") for each in HELD[held])
    quoted = sql.Literal(table).as_string(models)
    parts = {"t": table, "quoted": quoted}
    for statement in (made, spread):
        text = statement.replace("{t}_", "part_").format(**parts)
        for each in text.split("; "):
            models.execute(each.encode())
    models.execute("SET citus.shard_replication_factor = 1")
    models.execute(f"INSERT INTO {table} SELECT * FROM plain WHERE id <= 5000".encode())
    host = Listening(models)
    with models.transaction(force_rollback=True):
        answer(host, f"forest_predict('f', {table!r}, 'made')")
        assert went(host)
        models.execute("CREATE TEMP TABLE wanted AS SELECT * FROM f_plain WHERE id <= 5000")
        if held == "by a text":
            models.execute("ALTER TABLE wanted ALTER id TYPE varchar(12)")
        assert differences(models, "made", "wanted") == 0
        assert models.execute("SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attnum = 1 AND "
                              "attrelid = 'made'::regclass").fetchone() == models.execute(
            "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attname = 'id' AND "
            f"attrelid = {quoted}::regclass".encode()).fetchone()  # fmt: skip
    models.execute(f"DROP TABLE {table}".encode())


@pytest.mark.parametrize("change", [
    "UPDATE {t} SET x = x + 3", "DELETE FROM {t} WHERE id % 2 = 0", "INSERT INTO {t} SELECT * FROM spread LIMIT 0",
    "DELETE FROM owners WHERE id < 40",
])  # fmt: skip
@pytest.mark.usefixtures("always")
def test_what_the_transaction_has_changed_is_seen(models: psycopg.Connection, change: str) -> None:
    """The servers would read it by other connections than the one that has changed it, which do not see that."""
    models.execute("CREATE TABLE owners (id int PRIMARY KEY); SELECT create_reference_table('owners')")
    models.execute("INSERT INTO owners SELECT generate_series(0, 99)")
    models.execute("CREATE TABLE changed (LIKE plain, owner int REFERENCES owners ON DELETE CASCADE)")
    models.execute("SELECT create_distributed_table('changed', 'id', shard_count => 4)")
    models.execute("INSERT INTO changed SELECT p.*, id % 100 FROM plain AS p WHERE id <= 3000")
    try:
        with models.transaction(force_rollback=True):
            models.execute(change.format(t="changed").encode())
            host = Listening(models)
            answer(host, "boost_predict('b', 'changed', 'pg_temp.made')")
            assert not went(host)
            models.execute("CREATE TEMP TABLE here AS SELECT * FROM changed")
            models.execute("SELECT boost_predict('b', 'here', 'pg_temp.wanted')")
            assert differences(models, "made", "wanted") == 0
        host = Listening(models)
        answer(host, "boost_predict('b', 'changed', 'pg_temp.made')")
        assert went(host)
    finally:
        models.execute("DROP TABLE changed, owners; DROP TABLE IF EXISTS pg_temp.made")


@pytest.fixture
def reader(models: psycopg.Connection, citus: str) -> Iterator[psycopg.Connection]:
    """The session of an ordinary role that may read the tables and make no table but temporary ones."""
    (schema,) = models.execute("SELECT current_schema()").fetchone() or ()
    models.execute("CREATE ROLE madtree_reader LOGIN")
    models.execute(f"GRANT USAGE ON SCHEMA {schema} TO madtree_reader".encode())
    models.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO madtree_reader".encode())
    with psycopg.connect(make_conninfo(citus, user="madtree_reader"), autocommit=True) as session:
        session.execute(f"SET search_path = {schema}, public, madtree".encode())
        yield session
    models.execute("DROP OWNED BY madtree_reader; DROP ROLE madtree_reader")


@pytest.mark.usefixtures("always")
def test_rows_are_read_by_the_callers_own_rights(models: psycopg.Connection, reader: psycopg.Connection) -> None:
    models.execute("CREATE TABLE kept (LIKE plain); SELECT create_distributed_table('kept', 'id', shard_count => 4)")
    models.execute("INSERT INTO kept SELECT * FROM plain WHERE id <= 3000")
    call = "forest_predict('f', 'kept', 'pg_temp.made', trust_owner => true)"
    try:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            answer(Listening(reader), call)
        models.execute("GRANT SELECT ON kept TO madtree_reader")
        host = Listening(reader)
        answer(host, call)
        assert not went(host), "there is no schema for a work table"
        assert reader.execute("DROP TABLE pg_temp.made") is not None
        models.execute("CREATE SCHEMA madtree_own; GRANT ALL ON SCHEMA madtree_own TO madtree_reader")
        models.execute("ALTER TABLE kept ENABLE ROW LEVEL SECURITY")
        models.execute("CREATE POLICY own ON kept USING (id % 3 = 0)")
        host = Listening(reader)
        answer(host, call.replace("pg_temp.made", "madtree_own.made"))
        assert went(host)
        made = reader.execute("SELECT count(*), count(*) FILTER (WHERE id % 3 = 0) FROM madtree_own.made").fetchone()
        assert made == (1000, 1000)
    finally:
        models.execute("DROP TABLE kept; DROP SCHEMA IF EXISTS madtree_own CASCADE")


@pytest.mark.usefixtures("always")
def test_names_mean_what_they_mean_to_the_caller(models: psycopg.Connection) -> None:
    """The servers' sessions have a search path of their own, by which a function's name may be another's."""
    (schema,) = models.execute("SELECT current_schema()").fetchone() or ()
    for where, factor in ((schema, 2), ("public", 1000)):
        models.execute(f"CREATE FUNCTION {where}.scaled(int) RETURNS float8 IMMUTABLE LANGUAGE sql AS "
                       f"'SELECT $1 * {factor}.0::float8'".encode())  # fmt: skip
    try:
        models.execute("SELECT forest_train('taught', 'scaled', 'id', 'label', 'scaled(n), x', num_trees => 2)")
        models.execute("SELECT forest_predict('scaled', 'plain', 'pg_temp.wanted')")
        host = Listening(models)
        answer(host, "forest_predict('scaled', 'spread', 'pg_temp.made')")
        assert went(host)
        assert differences(models, "made", "wanted") == 0
    finally:
        models.execute("DROP TABLE IF EXISTS pg_temp.made, pg_temp.wanted; DROP FUNCTION public.scaled")


@pytest.mark.usefixtures("always")
def test_errors_name_the_server(models: psycopg.Connection) -> None:
    models.execute("SELECT forest_train('taught', 'shares', 'id', 'label', '1000 / (n - 500), x', num_trees => 2)")
    models.execute("CREATE TABLE wrong (LIKE plain); SELECT create_distributed_table('wrong', 'id', shard_count => 4)")
    models.execute("INSERT INTO wrong SELECT id, x, 500, level, w, fold, e, grp, u, y, label FROM plain WHERE id < 100")
    with pytest.raises(psycopg.errors.DivisionByZero) as caught:
        answer(Listening(models), "forest_predict('shares', 'wrong', 'pg_temp.made')")
    assert "The error is one of the server" in (caught.value.diag.message_detail or "")
    models.execute("DROP TABLE wrong")
