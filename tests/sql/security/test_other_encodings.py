"""PL/Python hands statements in UTF-8 to PostgreSQL, which reads them in the database's encoding: another one would
have `"é"` be the table `"Ã©"`, which anybody may have made, and `'ä'` another category than that of the rows.

In EUC-JP two characters may be the same in Unicode: of a table with two such columns one was looked at, and the other
one read, with what its owner has made; and so where a table was named in an argument. In EUC-JIS-2004 one character may
be the same as two. A letter may also take more bytes than in UTF-8, so that names are cut.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from fix_server import Server

import madtree

MAKE = """
CREATE EXTENSION madtree CASCADE;
CREATE TABLE "é" AS SELECT i AS id, i % 5 AS "größe", (ARRAY['nuß', 'süß', 'Äpfel', E'\\\\é'])[1 + i % 4] AS k,
    i % 4 > 1 AS y FROM generate_series(1, 200) AS i;
CREATE VIEW "Ã©" AS SELECT id, "größe", k, y FROM "é" WHERE 1 / (id - id) = 0;
"""


SAY = r"""
DO LANGUAGE plpython3u $$
from madtree.host.plpy import PlpyHost
for text in ("\u2603", "\u00e9"):
    PlpyHost(plpy).notice(text)
$$"""
# The second column is of an enum, whose owner has made what reads it as a number.
DOUBLES = """
CREATE EXTENSION madtree CASCADE;
CREATE TYPE odd AS ENUM ('1');
CREATE FUNCTION run(odd) RETURNS float8 LANGUAGE plpgsql AS $$BEGIN RAISE 'it ran'; END$$;
CREATE CAST (odd AS float8) WITH FUNCTION run AS IMPLICIT;
CREATE ROLE {0};
ALTER TYPE odd OWNER TO {0};
ALTER FUNCTION run OWNER TO {0};
DO $$BEGIN EXECUTE pg_catalog.format(
    'CREATE TABLE t AS SELECT i AS id, ''1''::odd AS %I, i::float8 AS %I, i > 9 AS y FROM generate_series(1, 20) AS i',
    convert_from('\\xade2', 'EUC_JP'), convert_from('\\x8fa2f1', 'EUC_JP')); END$$;
CREATE TABLE u AS SELECT i AS id, i AS x, i > 9 AS y FROM generate_series(1, 20) AS i;
"""
RENAME = """
DO $$DECLARE part text; BEGIN FOREACH part IN ARRAY ARRAY['', '_nodes', '_summary'] LOOP
EXECUTE pg_catalog.format('ALTER TABLE %I RENAME TO %I', 'n' || part, convert_from('\\x8fa2f1', 'EUC_JP') || part);
END LOOP; END$$;
"""


@contextmanager
def database_in(encoding: str, server: Server) -> Iterator[psycopg.Connection]:
    name = f"madtree_{encoding.lower()}_{os.getpid()}"
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        try:
            with psycopg.connect(server.dsn_of(dbname=name), autocommit=True, client_encoding="utf8") as db:
                yield db
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_names_and_texts_are_what_they_are(server: Server) -> None:
    with database_in("LATIN1", server) as db:
        db.execute(MAKE)
        more = "(k || 'ü'\n'\\0062'), (CASE WHEN\"größe\" = 1 THEN'é'END)"
        for features in ("k", "(k || 'ü' || E'\\é'), größe", more):
            db.execute("SELECT madtree.tree_train('é', 'm', 'id', 'y', %s, replace => true)", [features])
            db.execute("SELECT madtree.tree_predict('m', 'é', 'p', replace => true)")
            right = db.execute('SELECT count(*) FROM p NATURAL JOIN "é" AS t WHERE estimated_y = y').fetchone()
            assert right == (200,)
        refused = "in a database whose encoding is not UTF8, GRÖSSE cannot be read"
        with pytest.raises(psycopg.Error, match=refused):
            db.execute("SELECT madtree.tree_train('é', 'o', 'id', 'y', 'GRÖSSE + 1')")
        # A message with a character that the encoding lacks would leave Python broken, and the next one end the server.
        said: list[str] = []
        db.add_notice_handler(lambda notice: said.append(str(notice.message_primary)))
        db.execute(SAY)
        assert said == ["\\u2603", "é"]


def test_what_is_another_name_once_it_was_read_is_refused(server: Server) -> None:
    role = f"madtree_odd_{os.getpid()}"
    with database_in("EUC_JP", server) as db:
        db.execute(DOUBLES.format(role))
        try:
            with pytest.raises(psycopg.errors.CharacterNotInRepertoire):
                db.execute("SELECT madtree.tree_train('t', 'm', 'id', 'y', '\"№\" + 1')")
            with pytest.raises(psycopg.errors.CharacterNotInRepertoire, match="a text has a character"):
                db.execute("SELECT madtree.tree_train(convert_from('\\x8fa2f1', 'EUC_JP'), 'm', 'id', 'y', 'x')")
            db.execute(
                "SELECT madtree.tree_train('u', 'm', 'id', 'y', 'x'), madtree.tree_train('u', 'n', 'id', 'y', 'x')"
            )
            db.execute(RENAME)
            assert db.execute("SELECT model FROM madtree.models").fetchall() == [("public.m",)]
            with pytest.raises(psycopg.Error, match="is too long, as letters are in this database's encoding"):
                db.execute("SELECT madtree.tree_train('u', repeat('é', 18), 'id', 'y', 'x')")
            client = madtree.connect(db, engine="client")
            with pytest.raises(madtree.CallError, match="names that differ are the same to a client"):
                client.tree_train("t", "m", "id", "y", '"№" + 1')
        finally:
            db.execute(f"DROP OWNED BY {role} CASCADE; DROP ROLE {role}")


def test_two_characters_that_are_one_are_refused(server: Server) -> None:
    one, two = (f"convert_from('{each}', 'EUC_JIS_2004')" for each in ("\\xabe5", "\\xabe4abe0"))
    with database_in("EUC_JIS_2004", server) as db:
        db.execute(
            "CREATE EXTENSION madtree CASCADE; CREATE TABLE t AS SELECT i AS id, i AS x, i > 9 AS y, 1 AS c "
            "FROM generate_series(1, 20) AS i"
        )
        for name in (one, two):
            with pytest.raises(psycopg.errors.CharacterNotInRepertoire, match="a text has a character"):
                db.execute(f"SELECT count(*) FROM madtree.tree_importance({name})")
            db.execute(f"DO $$BEGIN EXECUTE pg_catalog.format('ALTER TABLE t RENAME COLUMN c TO %I', {name}); END$$")
            with pytest.raises(psycopg.errors.CharacterNotInRepertoire):
                db.execute("SELECT madtree.tree_train('t', 'm', 'id', 'y', '*')")
            db.execute(f"DO $$BEGIN EXECUTE pg_catalog.format('ALTER TABLE t RENAME %I TO c', {name}); END$$")
        db.execute("SELECT madtree.tree_train('t', 'm', 'id', 'y', '*')")
