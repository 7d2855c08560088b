"""Trees of several blocks: the order of the rows, the memory budget and the company of other groups change no bit."""

from __future__ import annotations

import psycopg
import pytest
from training import read_model, train
from trees import read_nodes

# 140,000 rows are three blocks. No target or weight is a dyadic fraction, no feature needs a sample for its bins.
DATA = """
    CREATE TABLE data AS SELECT
        i AS id,
        CASE WHEN i <= 139000 THEN 'large' WHEN i <= 139980 THEN 'small' ELSE 'tiny' END AS grp,
        (ARRAY['a', 'b', 'c'])[1 + (i * 7919 % 1009 / 300 + i % 17 / 16) % 3] AS label,
        sin(i * 7919 % 1009) + cos(i) / 3 AS target,
        (i * 7919 % 1009)::float8 / 7 AS x,
        CASE WHEN i % 19 > 0 THEN i * 31 % 501 END AS n,
        CASE WHEN i % 23 > 0 THEN 'level ' || i * 13 % 29 END AS level,
        sqrt(1 + i % 5) AS w
    FROM generate_series(1, 140000) i
"""
FEATURES = "x, n, level"
SETTINGS = {"weights": "w", "max_depth": 7, "n_bins": 0}
DEPENDENTS = ["label", "target"]


@pytest.fixture(scope="module")
def data(dsn: str, shared_schema: str) -> str:
    """The table `data`, by the schema that it is in."""
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(f"SET search_path = {shared_schema}")
        db.execute(DATA)
    return shared_schema


@pytest.fixture(autouse=True)
def _find_data(db: psycopg.Connection, schema: str, data: str) -> None:
    db.execute(f"SET search_path = {schema}, {data}, public, madtree")


@pytest.mark.parametrize("dependent", DEPENDENTS)
def test_permuted_rows_give_identical_tables(db: psycopg.Connection, dependent: str) -> None:
    db.execute("CREATE TABLE permuted AS SELECT * FROM data ORDER BY hashint4(id)")
    train(db, "data", "model", dependent, FEATURES, **SETTINGS)
    train(db, "permuted", "permuted_model", dependent, FEATURES, **SETTINGS)

    assert read_model(db, "permuted_model") == read_model(db, "model")
    assert len(read_nodes(db, "model")[1]) > 15


@pytest.mark.parametrize("dependent", DEPENDENTS)
def test_the_memory_budget_changes_no_bit(db: psycopg.Connection, dependent: str) -> None:
    """The least that is allowed makes several passes of a level that 64 MB take in one."""
    train(db, "data", "ample", dependent, FEATURES, **SETTINGS)
    train(db, "data", "tight", dependent, FEATURES, memory_mb=8, **SETTINGS)

    assert read_model(db, "tight") == read_model(db, "ample")


@pytest.mark.parametrize("dependent", DEPENDENTS)
def test_groups_large_and_small_have_the_trees_that_they_have_alone(db: psycopg.Connection, dependent: str) -> None:
    """One group of several blocks, and two that share a block."""
    train(db, "data", "grouped", dependent, FEATURES, grouping_cols="grp", **SETTINGS)
    trees = dict(db.execute("SELECT grp, tree_id FROM grouped").fetchall())
    assert set(trees) == {"large", "small", "tiny"}
    grouped = read_nodes(db, "grouped")
    for group, tree in trees.items():
        db.execute(f"CREATE VIEW only_{group} AS SELECT * FROM data WHERE grp = '{group}'")
        train(db, f"only_{group}", f"{group}_model", dependent, FEATURES, **SETTINGS)
        (alone,) = read_nodes(db, f"{group}_model").values()
        assert [{**row, "tree_id": 1} for row in grouped[tree].values()] == list(alone.values())
