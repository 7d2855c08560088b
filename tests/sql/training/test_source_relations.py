"""Every kind of relation, under every kind of name, gives the tree that a plain table gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest
from psycopg import sql
from training import train
from trees import Row, read_nodes

COLUMNS = "id int, label text, x float8, n int, level text, w float8"
ROWS = """
    SELECT i AS id, (ARRAY['a', 'b', 'c'])[1 + (i * 7 % 13 + i % 4) % 3] AS label, (i * 7 % 13)::float8 / 8 AS x,
        CASE WHEN i % 9 > 0 THEN i % 11 END AS n, 'level ' || i % 5 AS level, 1.0::float8 + i % 2 AS w
    FROM generate_series(1, {}) i
"""
FEW, MANY = 2_000, 70_000  # rows of one block, and of several
NAMES = {
    "plain": "data",
    "mixed case": "Mixed Case",
    "keyword": "select",
    "quotes": 'it\'s a "name"',
    "dots and commas": "a.b, c",
    "backslash and percent": "50%\\n $1 {0}",
    "unicode": "дерево 木 ñ",
    "63 bytes": "x" * 63,
    "63 bytes of unicode": "木" * 21,
}


def trained(db: psycopg.Connection, source: str, output: str = "model") -> dict[int, Row]:
    """Train on `source`, an SQL name, into `output`; returns the nodes."""
    train(db, source, output, "label", "x, n, level", weights="w", min_split=4)
    (nodes,) = read_nodes(db, output).values()
    return nodes


@pytest.fixture
def plain(db: psycopg.Connection) -> dict[int, Row]:
    """The nodes of the tree of a plain table of few rows."""
    return made(db, FEW)


def made(db: psycopg.Connection, n_rows: int) -> dict[int, Row]:
    db.execute(f"CREATE TABLE plain ({COLUMNS}); INSERT INTO plain {ROWS.format(n_rows)}")
    nodes = trained(db, "plain", "plain_model")
    assert len(nodes) > 10
    return nodes


@pytest.fixture(scope="module")
def kept(shared_db: psycopg.Connection, request: pytest.FixtureRequest) -> Iterator[dict[int, Row]]:
    """The same for tests that only read the table and its model, of few rows unless a parameter says how many."""
    yield made(shared_db, getattr(request, "param", FEW))
    shared_db.execute("SELECT madtree.tree_drop('plain_model'); DROP TABLE plain")


@pytest.fixture
def reading(
    db: psycopg.Connection, schema: str, shared_schema: str, kept: dict[int, Row]
) -> tuple[psycopg.Connection, dict[int, Row]]:
    """A session that finds them, and the nodes."""
    db.execute(f"SET search_path = {schema}, {shared_schema}, public, madtree")
    return db, kept


def make_table_with_gaps(db: psycopg.Connection) -> None:
    """Dropped columns, pages of dead rows only, and rows moved to the end."""
    db.execute(f"CREATE TABLE source (gone text, {COLUMNS}, gone_too int)")
    db.execute("INSERT INTO source SELECT repeat('x', 100), r.*, 1 FROM plain r")
    db.execute("INSERT INTO source SELECT gone, -id, label, x, n, level, w FROM source")
    db.execute("DELETE FROM source WHERE id < 0")
    db.execute("UPDATE source SET level = level WHERE id % 3 = 0")
    db.execute("ALTER TABLE source DROP gone, DROP gone_too")


def make_partitioned(db: psycopg.Connection) -> None:
    """Two levels, an empty partition, and one whose columns stand in another order."""
    db.execute(f"CREATE TABLE source ({COLUMNS}) PARTITION BY RANGE (id)")
    db.execute("CREATE TABLE source_1 PARTITION OF source FOR VALUES FROM (1) TO (500)")
    db.execute("CREATE TABLE source_2 (w float8, extra int, n int, level text, id int, x float8, label text)")
    db.execute("ALTER TABLE source_2 DROP extra")
    db.execute("ALTER TABLE source ATTACH PARTITION source_2 FOR VALUES FROM (500) TO (1000)")
    db.execute(
        "CREATE TABLE source_3 PARTITION OF source FOR VALUES FROM (1000) TO (1000000) PARTITION BY LIST (level)"
    )
    db.execute("CREATE TABLE source_3a PARTITION OF source_3 FOR VALUES IN ('level 1', 'level 2')")
    db.execute("CREATE TABLE source_3b PARTITION OF source_3 DEFAULT")
    db.execute("CREATE TABLE source_4 PARTITION OF source FOR VALUES FROM (1000000) TO (MAXVALUE)")
    db.execute("INSERT INTO source SELECT * FROM plain")


def make_inheritance(db: psycopg.Connection) -> None:
    db.execute(f"CREATE TABLE source ({COLUMNS})")
    db.execute("CREATE TABLE child (more int) INHERITS (source)")
    db.execute("INSERT INTO source SELECT * FROM plain WHERE id <= 1200")
    db.execute("INSERT INTO child SELECT * FROM plain WHERE id > 1200")


def make_temporary(db: psycopg.Connection) -> None:
    db.execute("CREATE TEMPORARY TABLE source AS SELECT * FROM plain")


def make_unlogged(db: psycopg.Connection) -> None:
    db.execute("CREATE UNLOGGED TABLE source AS SELECT * FROM plain")


def make_view(db: psycopg.Connection) -> None:
    """A view of a join, which has no ctid."""
    db.execute("CREATE VIEW source AS SELECT p.* FROM plain p JOIN plain q ON q.id = p.id")


def make_materialized(db: psycopg.Connection) -> None:
    db.execute("CREATE MATERIALIZED VIEW source AS SELECT * FROM plain")


def make_foreign(db: psycopg.Connection) -> None:
    """The plain table of this database, by way of postgres_fdw."""
    if not db.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'postgres_fdw'").fetchone():
        pytest.skip("this server has no postgres_fdw")
    db.execute("CREATE EXTENSION postgres_fdw")
    settings = db.execute("""
        SELECT current_database(), current_setting('port'), (
                SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = 'plain'::regclass
            ), current_user,
            (regexp_split_to_array(current_setting('unix_socket_directories'), ',\\s*'))[1]
    """).fetchone()
    database, port, schema, user, directory = settings
    for statement in (
        sql.SQL(
            "CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host {}, port {}, dbname {})"
        ).format(directory, port, database),
        sql.SQL("CREATE USER MAPPING FOR CURRENT_USER SERVER loopback OPTIONS (user {})").format(user),
        sql.SQL("CREATE FOREIGN TABLE source ({}) SERVER loopback OPTIONS (schema_name {}, table_name 'plain')").format(
            sql.SQL(COLUMNS), schema
        ),
    ):
        db.execute(statement)


MAKERS: list[Callable[[psycopg.Connection], None]] = [
    make_table_with_gaps,
    make_partitioned,
    make_inheritance,
    make_temporary,
    make_unlogged,
    make_view,
    make_materialized,
    make_foreign,
]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("kept", [FEW, MANY], indirect=True, ids=["few rows", "many rows"])
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__.removeprefix("make_"))
def test_every_kind_of_relation_gives_the_same_tree(
    reading: tuple[psycopg.Connection, dict[int, Row]], make: Callable[[psycopg.Connection], None]
) -> None:
    db, plain = reading
    make(db)
    try:
        assert trained(db, "source") == plain
        assert plain[0]["n_rows"] in (FEW, MANY)

        db.execute("SELECT madtree.tree_predict('model', 'source', 'scored', 'leaf')")
        db.execute("SELECT madtree.tree_predict('plain_model', 'plain', 'plain_scored', 'leaf')")
        assert db.execute("SELECT * FROM scored ORDER BY id").fetchall() == (
            db.execute("SELECT * FROM plain_scored ORDER BY id").fetchall()
        )
    finally:
        db.execute("DROP EXTENSION IF EXISTS postgres_fdw CASCADE")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", NAMES.values(), ids=list(NAMES))
def test_relations_and_columns_may_have_any_name(reading: tuple[psycopg.Connection, dict[int, Row]], name: str) -> None:
    """The same awkward name for schema, table, id, dependent, feature and output; 52 bytes leave room for suffixes."""
    db, plain = reading
    quoted = sql.Identifier(name).as_string(db)
    output = "m" + name.encode()[:51].decode(errors="ignore")
    prefix = name.encode()[:62].decode(errors="ignore")
    columns = {c: sql.Identifier(f"{prefix}{i}") for i, c in enumerate(("id", "label", "x", "n", "level", "w"))}
    text = {c: identifier.as_string(db) for c, identifier in columns.items()}
    aliases = sql.SQL(", ").join(
        sql.SQL("{} AS {}").format(sql.Identifier(c), identifier) for c, identifier in columns.items()
    )
    db.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
    try:
        db.execute(sql.SQL("CREATE TABLE {0}.{0} AS SELECT {1} FROM plain").format(sql.Identifier(name), aliases))
        model, scored = (f"{quoted}.{sql.Identifier(o).as_string(db)}" for o in (output, f"s{output}"))
        train(
            db,
            f"{quoted}.{quoted}",
            model,
            text["label"],
            "{x}, {n}, {level}".format(**text),
            id_column=text["id"],
            weights=text["w"],
            min_split=4,
        )
        db.execute("SELECT madtree.tree_predict(%s, %s, %s)", [model, f"{quoted}.{quoted}", scored])

        db.execute(sql.SQL("SET search_path = {}, madtree").format(sql.Identifier(name)))
        (nodes,) = read_nodes(db, output).values()
        assert [row["n_rows"] for row in nodes.values()] == [row["n_rows"] for row in plain.values()]
        feature = nodes[0]["feature"]
        assert feature.strip('"').replace('""', '"') in {identifier._obj[0] for identifier in columns.values()}
        count = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(f"s{output}"))
        assert db.execute(count).fetchone() == (2000,)
    finally:
        db.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(name)))


def test_names_fold_to_lower_case_unless_quoted(db: psycopg.Connection, plain: dict[int, Row]) -> None:
    db.execute('CREATE TABLE "Plain" AS SELECT * FROM plain WHERE id <= 10')

    assert trained(db, "PLAIN", "upper") == plain
    train(db, '"Plain"', '"Upper"', "Label", "X", id_column="ID")
    assert db.execute('SELECT total_rows_processed FROM "Upper_summary"').fetchone() == (10,)
    assert db.execute("SELECT total_rows_processed FROM upper_summary").fetchone() == (2000,)


def test_an_ordinary_user_trains_and_scores(
    db: psycopg.Connection, user_db: psycopg.Connection, plain: dict[int, Row]
) -> None:
    """SELECT on the data and CREATE on a schema is all that it takes; the model belongs to the user."""
    db.execute(sql.SQL("GRANT SELECT ON plain TO {}").format(sql.Identifier(user_db.info.user)))

    assert trained(user_db, "plain", "user_model") == plain
    user_db.execute("SELECT madtree.tree_predict('user_model', 'plain', 'user_scored')")
    owners = db.execute("SELECT DISTINCT tableowner FROM pg_tables WHERE tablename LIKE 'user\\_%'").fetchall()
    assert owners == [(user_db.info.user,)]


def test_without_select_postgres_says_no(user_db: psycopg.Connection, plain: dict[int, Row]) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="plain"):
        trained(user_db, "plain", "user_model")


def test_without_create_postgres_says_no(
    db: psycopg.Connection, user_db: psycopg.Connection, schema: str, plain: dict[int, Row]
) -> None:
    user = sql.Identifier(user_db.info.user)
    db.execute(
        sql.SQL("GRANT SELECT ON plain TO {0}; REVOKE CREATE ON SCHEMA {1} FROM {0}").format(
            user, sql.Identifier(schema)
        )
    )

    with pytest.raises(psycopg.errors.InsufficientPrivilege, match=schema):
        trained(user_db, "plain", "user_model")


def test_row_level_security_holds(db: psycopg.Connection, user_db: psycopg.Connection, plain: dict[int, Row]) -> None:
    """A user trains and scores on the rows that a policy shows, and on no others."""
    user = sql.Identifier(user_db.info.user)
    db.execute(sql.SQL("GRANT SELECT ON plain TO {}").format(user))
    db.execute("CREATE POLICY odd ON plain USING (id % 2 = 1)")
    db.execute("ALTER TABLE plain ENABLE ROW LEVEL SECURITY")
    db.execute("CREATE TABLE visible AS SELECT * FROM plain WHERE id % 2 = 1")

    seen = trained(user_db, "plain", "user_model")
    user_db.execute("SELECT madtree.tree_predict('user_model', 'plain', 'user_scored')")

    assert seen == trained(db, "visible", "visible_model")
    assert user_db.execute("SELECT count(*), min(id % 2) FROM user_scored").fetchone() == (1000, 1)
