"""Models outlive what made them: dumped and restored into another database, or left behind by DROP EXTENSION."""

from __future__ import annotations

import subprocess

import psycopg
import pytest
from training import train


def run(*command: str, text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def scored(db: psycopg.Connection) -> psycopg.Connection:
    """Tables `data`, the model `Model 1` (a tree for each mood), and `before`, which it has scored."""
    db.execute("CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad')")
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, i * 7919 % 1000 / 7.0::float8 AS x, 'w' || i % 5 AS word, "
        "(ARRAY['glad', 'sad', 'ok'])[1 + i % 3]::mood AS mood, i * 7919 % 1000 > 300 + i % 5 * 100 AS y "
        "FROM generate_series(1, 900) AS i"
    )
    train(db, "data", '"Model 1"', "y", "x, word", grouping_cols="mood")
    db.execute("""SELECT tree_predict('"Model 1"', 'data', 'before', 'prob')""")
    db.execute("SELECT forest_train('data', 'forest', 'id', 'y', 'x, word', grouping_cols => 'mood', num_trees => 3)")
    db.execute("SELECT forest_predict('forest', 'data', 'forest_before', 'prob_mean')")
    return db


def test_a_model_scores_alike_in_another_database(
    scored: psycopg.Connection, dsn: str, schema: str, other_database: str
) -> None:
    dump = run("pg_dump", "--no-owner", "--schema", schema, dsn)  # as a schema, as extensions are not part of one
    run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", other_database, text=dump)
    with psycopg.connect(other_database, autocommit=True) as there:
        there.execute(f"CREATE EXTENSION madtree CASCADE; SET search_path = {schema}, madtree")
        there.execute("""SELECT tree_predict('"Model 1"', 'data', 'after', 'prob')""")

        there.execute("SELECT forest_predict('forest', 'data', 'forest_after', 'prob_mean')")
        differ = "SELECT count(*) FROM (TABLE forest_before EXCEPT TABLE forest_after) AS x"
        assert there.execute(differ).fetchone() == (0,)
        assert there.execute("SELECT count(*) FROM tree_evaluate('forest', 'data')").fetchone() == (24,)
        assert there.execute("SELECT count(*) FROM after").fetchone() == (900,)
        assert there.execute("SELECT count(*) FROM (TABLE before EXCEPT TABLE after) AS x").fetchone() == (0,)
        there.execute("""SELECT tree_drop('"Model 1"')""")


def test_the_whole_database_can_be_dumped_and_restored(
    scored: psycopg.Connection, dsn: str, schema: str, other_database: str
) -> None:
    dump = run("pg_dump", "--no-owner", dsn)
    run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", other_database, text=dump)
    with psycopg.connect(other_database, autocommit=True) as there:
        there.execute(f"SET search_path = {schema}, madtree")
        there.execute("""SELECT tree_predict('"Model 1"', 'data', 'after', 'prob')""")
        assert there.execute("SELECT count(*) FROM (TABLE before EXCEPT TABLE after) AS x").fetchone() == (0,)


def test_models_stay_when_the_extension_goes(
    scored: psycopg.Connection, dsn: str, schema: str, other_database: str
) -> None:
    run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", other_database, text=run("pg_dump", "--no-owner", dsn))
    with psycopg.connect(other_database, autocommit=True) as there:
        there.execute("DROP EXTENSION madtree")
        assert there.execute(f'SELECT count(*) FROM {schema}."Model 1"').fetchone() == (3,)

        there.execute(f"CREATE EXTENSION madtree; SET search_path = {schema}, madtree")
        there.execute("""SELECT tree_predict('"Model 1"', 'data', 'after', 'prob')""")
        assert there.execute("SELECT count(*) FROM (TABLE before EXCEPT TABLE after) AS x").fetchone() == (0,)
