"""The session keeps the plans of look-ups in the catalogue; what they say is of the role and path of each call."""

from __future__ import annotations

import psycopg

_PLANS = """
CREATE FUNCTION plans() RETURNS text[] LANGUAGE plpython3u AS $$
from madtree.host import PlpyHost
return sorted(str(id(plan)) for plan in PlpyHost._lasting.values())
$$
"""


def test_a_look_up_is_prepared_once_in_a_session(db: psycopg.Connection) -> None:
    db.execute(_PLANS)
    db.execute("CREATE TABLE data AS SELECT i AS id, i % 7 AS x, i % 7 > 3 AS y FROM generate_series(1, 100) i")
    db.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x'); SELECT tree_predict('m', 'data', 'first')")
    (kept,) = db.execute("SELECT plans()").fetchall()
    assert kept[0]
    db.execute("SELECT tree_train('data', 'n', 'id', 'y', 'x'); SELECT tree_predict('n', 'data', 'second')")
    assert db.execute("SELECT plans()").fetchall() == [kept]


def test_a_kept_plan_tells_of_the_role_and_the_path_of_each_call(db: psycopg.Connection, schema: str) -> None:
    reader = f"reader_of_{schema}"
    db.execute("CREATE TYPE size AS ENUM ('small', 'large')")
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, (ARRAY['small', 'large'])[1 + i % 2]::size AS s, i % 2 = 0 AS y "
        "FROM generate_series(1, 100) i"
    )
    db.execute("SELECT tree_train('data', 'm', 'id', 'y', 's')")
    db.execute(f"CREATE ROLE {reader}; GRANT USAGE ON SCHEMA {schema} TO {reader}".encode())
    db.execute(f"CREATE SCHEMA {reader} AUTHORIZATION {reader}; GRANT SELECT ON data TO {reader}".encode())
    for number in range(8):  # from the sixth on PostgreSQL plans for any parameters
        db.execute(f"SELECT tree_predict('m', 'data', 'p{number}')".encode())
    try:
        db.execute(f"SET search_path = madtree; SET ROLE {reader}".encode())
        try:
            db.execute(f"SELECT tree_predict('{schema}.m', '{schema}.data', '{reader}.p')".encode())
            raise AssertionError("the reader may not read the model")
        except psycopg.errors.InsufficientPrivilege:
            pass
        db.execute("RESET ROLE")
        db.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {reader}; SET ROLE {reader}".encode())
        db.execute(f"SELECT tree_predict('{schema}.m', '{schema}.data', '{reader}.p')".encode())
        assert db.execute(f"SELECT count(*) FROM {reader}.p".encode()).fetchone() == (100,)
    finally:
        db.execute(f"RESET ROLE; DROP OWNED BY {reader}; DROP ROLE {reader}".encode())
