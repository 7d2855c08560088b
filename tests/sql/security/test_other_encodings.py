"""PL/Python hands statements in UTF-8 to PostgreSQL, which reads them in the database's encoding: another one would
have `"é"` be the table `"Ã©"`, which anybody may have made, and `'ä'` another category than that of the rows.
"""

from __future__ import annotations

import os

import psycopg
import pytest
from fix_server import Server

MAKE = """
CREATE EXTENSION madtree CASCADE;
CREATE TABLE "é" AS SELECT i AS id, i % 5 AS "größe", (ARRAY['nuß', 'süß', 'Äpfel', E'\\\\é'])[1 + i % 4] AS k,
    i % 4 > 1 AS y FROM generate_series(1, 200) AS i;
CREATE VIEW "Ã©" AS SELECT id, "größe", k, y FROM "é" WHERE 1 / (id - id) = 0;
"""


def test_names_and_texts_are_what_they_are(server: Server) -> None:
    name = f"madtree_latin1_{os.getpid()}"
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    try:
        with psycopg.connect(server.dsn_of(dbname=name), autocommit=True, client_encoding="utf8") as db:
            db.execute(MAKE)
            for features in ("k", "(k || 'ü' || E'\\é'), größe"):
                db.execute("SELECT madtree.tree_train('é', 'm', 'id', 'y', %s, replace => true)", [features])
                db.execute("SELECT madtree.tree_predict('m', 'é', 'p', replace => true)")
                right = db.execute('SELECT count(*) FROM p NATURAL JOIN "é" AS t WHERE estimated_y = y').fetchone()
                assert right == (200,)
            refused = "in a database whose encoding is not UTF8, GRÖSSE cannot be read"
            with pytest.raises(psycopg.Error, match=refused):
                db.execute("SELECT madtree.tree_train('é', 'o', 'id', 'y', 'GRÖSSE + 1')")
    finally:
        with psycopg.connect(server.dsn, autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
