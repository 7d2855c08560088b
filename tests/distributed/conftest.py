"""A database on a real cluster: the one that ``MADTREE_CITUS_DSN`` names, on a coordinator with workers, as superuser,
with the extensions citus and madtree (docs/scale.md tells how to set one up). The servers must have this checkout's
madtree. Where nothing is named, and PostgreSQL here has Citus, a cluster of private servers; elsewhere the tests that
need one are skipped.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator

import psycopg
import pytest
from fix_server import HOME
from private_cluster import citus_is_here, joined_database, run, started
from spread_table import N_SHARDS

N_ROWS = 250_000

TABLE = f"""
CREATE TYPE size AS ENUM ('s', 'm', 'l');
CREATE TABLE plain AS SELECT i AS id, nullif((random() * 90)::int, 7) / 8.0::float8 AS x, (random() * 200)::int - 100
AS n, chr(97 + (random() * 5)::int) AS level, (random() * 9)::int / 3.0 AS w, i % 4 AS fold,
(enum_range(NULL::size))[1 + i % 3] AS e,
CASE WHEN i <= 80000 THEN 1 WHEN i <= 160000 THEN 2 ELSE i / 400 END AS grp, random() AS u
FROM generate_series(1, {N_ROWS}) AS i;
ALTER TABLE plain ADD y float8, ADD label int;
UPDATE plain SET y = round((coalesce(x, 3) + n / 50.0 * (level > 'c')::int + u * 3)::numeric, 3);
UPDATE plain SET label = (y > 7)::int + (y > 9)::int;
CREATE TABLE spread (LIKE plain);
SELECT create_distributed_table('spread', 'id', shard_count => {N_SHARDS});
INSERT INTO spread TABLE plain;
ANALYZE plain;
"""


@pytest.fixture(scope="session")
def citus(pytestconfig: pytest.Config) -> Iterator[str]:
    """DSN of the coordinator."""
    if dsn := os.environ.get("MADTREE_CITUS_DSN"):
        yield dsn
    elif citus_is_here():
        nodes = started(pytestconfig.stash[HOME] / "citus")
        with joined_database(nodes, f"madtree_cluster_{os.getpid()}") as dsn:
            run(dsn, "CREATE EXTENSION madtree CASCADE")
            yield dsn
    else:
        pytest.skip("MADTREE_CITUS_DSN names no Citus coordinator, and PostgreSQL here has no Citus")


@pytest.fixture(scope="module")
def cluster(citus: str) -> Iterator[psycopg.Connection]:
    """The coordinator, with a plain and a distributed table of the same rows."""
    schema = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(citus, autocommit=True, prepare_threshold=None) as connection:
        nodes = connection.execute("SELECT count(*) FROM pg_dist_node WHERE noderole = 'primary' AND groupid > 0")
        assert nodes.fetchone() != (0,), "a coordinator without workers shows nothing"
        connection.execute(f"CREATE SCHEMA {schema}")
        connection.execute(f"SET search_path = {schema}, public, madtree")
        # What does not end must not hold up the others.
        connection.execute("SET statement_timeout = '120s'")
        connection.execute("SELECT setseed(0.25)")
        connection.execute(TABLE.encode())
        yield connection
        connection.execute(f"DROP SCHEMA {schema} CASCADE")
