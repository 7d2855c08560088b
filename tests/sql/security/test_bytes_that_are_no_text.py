"""PostgreSQL takes a setting from a connection's options as it comes, so anybody may have text that is no UTF-8: in
rows, and in names. PL/Python crashes on it, and the server ends all sessions.
"""

from __future__ import annotations

import os
import subprocess

import psycopg
import pytest

from madtree.install.postgres import find_installation

MAKE = """
SET search_path = {schema}, public;
CREATE TABLE t AS SELECT i AS id, i AS x, CASE WHEN i % 3 = 0 THEN current_setting('my.bytes') ELSE 'a' END AS k,
    i % 3 = 0 AS y FROM generate_series(1, 60) AS i;
CREATE FUNCTION refuse(integer) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN
    RAISE USING ERRCODE = 'P0002', MESSAGE = (SELECT 'no ' || k FROM t WHERE id = 3); END $$;
CREATE TABLE named AS TABLE t;
DO $$ BEGIN EXECUTE format('ALTER TABLE named RENAME k TO %I', current_setting('my.bytes')); END $$;
SELECT madtree.tree_train('t', 'm', 'id', 'y', 'x'), madtree.tree_train('t', 'n', 'id', 'y', 'x');
CREATE TABLE parts (LIKE t) PARTITION BY RANGE (id);
DO $$ BEGIN
    EXECUTE format('CREATE TABLE %I PARTITION OF parts DEFAULT', current_setting('my.bytes') || 'part'); END $$;
INSERT INTO parts SELECT * FROM t;
DO $$ DECLARE part text; BEGIN FOREACH part IN ARRAY ARRAY['', '_nodes', '_summary'] LOOP
EXECUTE format('ALTER TABLE %I RENAME TO %I', 'n' || part, current_setting('my.bytes') || part); END LOOP; END $$;
"""
CALLS = [
    "tree_train('t', 'o', 'id', 'y', 'k')",
    "tree_train('t', 'g', 'id', 'y', 'x', grouping_cols => 'k')",
    "tree_display('g')",
    "tree_train('t', 'o', 'id', 'k', 'x')",
    "tree_train('named', 'o', 'id', 'y', '*')",
    "partial_dependence('m', 't', 'x', max_rows => 20)",
    "tree_path('g', 't', '3')",
    "tree_explain('g', 't', '3')",
    "tree_evaluate('g', 't')",
    "tree_predict('m', 'parts', 'p')",
    "tree_drop('g')",
    "tree_sql((SELECT k FROM t WHERE id = 3))",
    "tree_path('m', 't', (SELECT k FROM t WHERE id = 3))",
]


def test_they_end_in_an_error(db: psycopg.Connection, dsn: str, schema: str) -> None:
    psql = [find_installation().bindir / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", dsn]
    options = {**os.environb, b"PGOPTIONS": b"-c my.bytes=\xff"}
    subprocess.run(psql, input=MAKE.format(schema=schema).encode(), env=options, check=True, stdout=subprocess.DEVNULL)
    refused = []
    for call in CALLS:
        try:
            db.execute(f"SELECT madtree.{call}".encode())
        except psycopg.errors.CharacterNotInRepertoire:
            refused.append(call)
    assert {CALLS[0], "tree_train('named', 'o', 'id', 'y', '*')", *CALLS[-2:]} <= {*refused}
    assert db.execute("SELECT name FROM madtree.models WHERE schema = %s", [schema]).fetchall() == [("m",)]
    for _ in range(2):
        with pytest.raises(psycopg.errors.NoDataFound, match=r"no \\xff"):
            db.execute("SELECT madtree.tree_train('t', 'o', 'id', 'y', 'refuse(x)')")
