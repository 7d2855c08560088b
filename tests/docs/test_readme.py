"""The README's SQL runs, and its table of functions is complete."""

from __future__ import annotations

import psycopg
from pages import DOCS, examples, run

README = (DOCS.parent / "README.md").read_text()
# What users are not meant to call; their comments say so.
INTERNAL = "SELECT p.proname FROM pg_proc p WHERE obj_description(p.oid, 'pg_proc') LIKE 'internal:%%'"


def test_the_sql_runs(db: psycopg.Connection, dsn: str) -> None:
    for table, n_rows in (("flights", 4_000), ("flights_today", 500)):
        db.execute(
            f"CREATE TABLE {table} AS SELECT i AS id, (ARRAY['UA', 'B6', 'EV'])[1 + i % 3] AS carrier, "
            "(ARRAY['EWR', 'JFK', 'LGA'])[1 + i % 7 % 3] AS origin, 5 + i * 7919 % 18 AS hour, "
            "nullif(100 + i * 31 % 2400, 131) AS distance, (i * 7919 % 18 > 9) <> (i % 11 = 0) AS late "
            f"FROM generate_series(1, {n_rows}) AS i"
        )
    schema = db.execute("SELECT quote_ident(current_schema())").fetchone()
    assert schema
    blocks = examples(README)
    assert len(blocks) == 2
    printed = run(dsn, schema[0], blocks)
    assert "(0)[" in printed[0]
    assert "accuracy" in printed[1]


def test_every_public_function_is_listed(db: psycopg.Connection) -> None:
    public = db.execute(
        "SELECT DISTINCT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
        f"WHERE n.nspname = 'madtree' AND p.proname NOT IN ({INTERNAL})"
    ).fetchall()
    listed = {
        line.split("`")[1].split("(")[0] for line in README.splitlines() if line.startswith("| `") and "(" in line
    }
    assert {name for (name,) in public} <= listed
