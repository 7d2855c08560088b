"""A foreign server is told when a cursor is closed, and may fail then. PL/Python is not ready for an error there: the
session would go on with a Python that is broken, and some later call crash the server.
"""

from __future__ import annotations

import psycopg
import pytest
from psycopg import sql

MAKE = """
CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host {}, port {}, dbname {});
CREATE USER MAPPING FOR CURRENT_USER SERVER itself OPTIONS (user {});
CREATE TABLE t AS SELECT i AS id, i AS x, i / 11 AS y FROM generate_series(1, 20) AS i;
CREATE FOREIGN TABLE there (id integer, x integer, y integer) SERVER itself OPTIONS (schema_name {}, table_name 't');
CREATE FUNCTION seen(x integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$ BEGIN
    -- By now all rows have come. Then the other end of the connection goes.
    IF x = 20 THEN
        PERFORM pg_stat_clear_snapshot();
        PERFORM pg_terminate_backend(a.pid, 5000) FROM pg_stat_activity AS a
        WHERE a.application_name = 'postgres_fdw' AND a.datname = current_database();
    END IF;
    RETURN x; END $$;
CREATE VIEW data AS SELECT id, seen(x) AS x, y FROM there;
"""
PLACE = """
SELECT (regexp_split_to_array(current_setting('unix_socket_directories'), ',\\s*'))[1], current_setting('port'),
    current_database(), current_user, current_schema
"""


def test_an_error_when_a_cursor_is_closed_ends_the_session_and_nothing_else(
    db: psycopg.Connection, dsn: str, schema: str
) -> None:
    if not db.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'postgres_fdw'").fetchone():
        pytest.skip("this server has no postgres_fdw")
    db.execute("CREATE EXTENSION postgres_fdw")
    try:
        db.execute(sql.SQL(MAKE).format(*db.execute(PLACE).fetchone() or ()))
        db.execute("SELECT madtree.boost_train('t', 'model', 'id', 'y', 'x', num_trees => 2, min_bucket => 1)")
        with psycopg.connect(dsn, autocommit=True) as own:
            own.execute(f"SET search_path = {schema}, public, madtree")
            with pytest.raises(psycopg.errors.ConnectionFailure):
                own.execute("SELECT * FROM madtree.partial_dependence('model', 'data', 'x')")
            assert own.broken
    finally:
        db.execute("DROP EXTENSION postgres_fdw CASCADE")
