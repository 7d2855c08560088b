"""What models keep beside their trees, damaged or another's: a sentence, soon, and nothing of others' is taken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from forest_data import rows

from madtree.model import size_limits

MAKE = """
CREATE TABLE data AS SELECT i AS id, i * 7919 % 100 AS x, i % 2 AS g, (ARRAY['red', 'blue'])[1 + i % 2] AS k,
    i * 7919 % 100 + (i * 37 % 11) * 4 > 60 AS y FROM generate_series(1, 120) AS i;
SELECT madtree.tree_train('data', 'm', 'id', 'y', 'x, k', grouping_cols => 'g');
SELECT madtree.tree_statistics('m', 'data');
"""


@pytest.fixture(autouse=True)
def _models(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute("SET statement_timeout = '20 s'")


@pytest.fixture
def other(db: psycopg.Connection, schema: str) -> Iterator[str]:
    """A role that may create in the schema."""
    role = f"{schema}_other"
    db.execute(f'CREATE ROLE "{role}"')
    db.execute(f'GRANT ALL ON SCHEMA "{schema}" TO "{role}"')
    yield role
    db.execute("RESET ROLE")
    db.execute(f'DROP OWNED BY "{role}"')
    db.execute(f'DROP ROLE "{role}"')


@pytest.mark.one_in(2)
@pytest.mark.parametrize("most", ["1", "2147483647"])
@pytest.mark.parametrize("suffix", ["surrogates", "competitors"])
def test_rows_beside_the_nodes_are_no_more_than_these_can_have(db: psycopg.Connection, suffix: str, most: str) -> None:
    """Of the one tree, and of those of a forest; they would all be in memory at once."""
    db.execute(
        "SELECT madtree.tree_train('data', 't', 'id', 'y', 'x, x + g', surrogate_params => 'max_surrogates=1', "
        "max_competitors => 1); "
        "SELECT madtree.forest_train('data', 'f', 'id', 'y', 'x, x + g', num_trees => 2, num_random_features => 2, "
        "null_handling_params => 'max_surrogates=1')"
    )
    calls = {"t": ["tree_display('t', false, true)"]}
    if suffix == "surrogates":
        calls["t"] += ["tree_to_json('t')", "tree_surr_display('t')", "tree_predict('t', 'data', 'o')"]
        calls["t"] += ["tree_prune('t', 'p', 0.1)"]
        calls["f"] = ["forest_predict('f', 'data', 'o')", "tree_to_json('f')", "get_tree_surr('f', 1, 1)"]
    for model, of_model in calls.items():
        table = f"{model}_{suffix}"
        db.execute(
            f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey; UPDATE {model}_summary SET max_{suffix} = {most}; "  # type: ignore[arg-type]
            f"INSERT INTO {table} SELECT s.* FROM {table} AS s, generate_series(1, 2000); "
            f"UPDATE {table} SET rank = p.place "
            f"FROM (SELECT ctid AS at, row_number() OVER () AS place FROM {table}) AS p WHERE ctid = p.at"
        )
        for call in of_model:
            with pytest.raises(psycopg.Error, match=f"{model} is damaged: it has [0-9,]+ {suffix}, but its nodes"):
                db.execute(f"SELECT madtree.{call}")  # type: ignore[arg-type]


@pytest.fixture
def _a_hundredth_of_the_limit(db: psycopg.Connection) -> Iterator[None]:
    """Of rows that this session holds in memory: to write 2,000,000 takes seconds."""
    change = """DO LANGUAGE plpython3u 'from madtree.model.size_limits import check_answer
check_answer.__defaults__ = (None, {})'"""
    db.execute(change.format(20_000))
    yield
    db.execute(change.format(2_000_000))


@pytest.mark.usefixtures("_a_hundredth_of_the_limit")
def test_a_cp_table_that_is_too_large_to_be_in_memory_is_refused(db: psycopg.Connection) -> None:
    db.execute("SELECT madtree.tree_train('data', 't', 'id', 'y', 'x', pruning_params => 'n_folds=2')")
    db.execute("CREATE TABLE more AS SELECT t.* FROM (TABLE t_cv LIMIT 1) AS t")
    db.execute("INSERT INTO more SELECT m.* FROM more AS m, generate_series(1, 20000)")
    db.execute("DROP TABLE t_cv; ALTER TABLE more RENAME TO t_cv")
    for call in ("tree_cp('t')", "tree_to_json('t')"):
        with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="the answer would have 20,001 rows"):
            db.execute(f"SELECT madtree.{call}")  # type: ignore[arg-type]


def test_as_many_rows_of_a_cp_table_are_held_in_memory_as_the_page_says() -> None:
    page = (Path(__file__).parents[3] / "docs" / "security.md").read_text()
    assert f"{size_limits._MOST_ROWS:,} rows" in page


@pytest.mark.parametrize("number", ["2147483647", "NULL"])
@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
def test_groups_are_counted_by_their_rows(db: psycopg.Connection, method: str, number: str) -> None:
    db.execute("SELECT madtree.forest_train('data', 'f', 'id', 'y', 'x, k', num_trees => 2, grouping_cols => 'g')")
    db.execute(f"UPDATE m_summary SET num_all_groups = {number}; UPDATE f_summary SET num_all_groups = {number}")  # type: ignore[arg-type]
    said = []
    for model in ("m", "f"):
        try:
            db.execute("SELECT madtree.calibrate(%s, 'data', %s, %s)", [model, f"{model}_c", method])
        except psycopg.Error as error:
            said.append(str(error))
    assert all("is damaged" in each for each in said), said


DAMAGES = [
    "INSERT INTO m_statistics SELECT 'k', 'category', 100 + i, NULL, NULL, i || repeat('x', 20000), 1 "
    "FROM generate_series(1, 6000) AS i",
    "UPDATE m_statistics SET category = repeat('x', 300000) WHERE kind = 'category'",
    "UPDATE m_statistics SET n = 9e18 WHERE kind = 'range'",
    "UPDATE m_statistics SET n = -1",
    "UPDATE m_statistics SET high = 'NaN' WHERE kind = 'range'",
    "UPDATE m_statistics SET feature = 'other' WHERE feature = 'k'",
    "DELETE FROM m_statistics WHERE kind = 'range'",
]


def test_statistics_that_are_none_are_refused(db: psycopg.Connection) -> None:
    for damage in DAMAGES:
        with db.transaction(force_rollback=True):
            db.execute(damage)  # type: ignore[arg-type]
            with pytest.raises(psycopg.Error, match="is damaged: its statistics are none of its"), db.transaction():
                db.execute("SELECT madtree.tree_drift('m', 'data')")


OF_STEPS = ("boost_predict('c', 'data', 'o', 'prob')", "boost_sql('c')", "tree_to_json('c')")
STEPS = [
    "array_agg(i::float8), array_agg(0.5::float8) FROM generate_series(1, 100001) AS i",
    "ARRAY[1.0, 1.0]::float8[], ARRAY[0.5, 0.6]::float8[]",
    "ARRAY[1.0, 2.0]::float8[], ARRAY[0.6, 0.5]::float8[]",
    "ARRAY[1.0, 2.0]::float8[], ARRAY[0.5, 1.5]::float8[]",
    "ARRAY[1.0, 'NaN']::float8[], ARRAY[0.5, 0.6]::float8[]",
    "ARRAY[1.0]::float8[], ARRAY[0.5, 0.6]::float8[]",
    "'{}'::float8[], '{}'::float8[]",
    "NULL::float8[], NULL::float8[]",
    "ARRAY[-1.7e308, 1.7e308]::float8[], ARRAY[0.5, 0.6]::float8[]",
]


def test_steps_that_are_none_are_refused(db: psycopg.Connection) -> None:
    db.execute("SELECT madtree.boost_train('data', 'b', 'id', 'y', 'x, k', num_trees => 3)")
    db.execute("SELECT madtree.calibrate('b', 'data', 'c')")
    for steps in STEPS:
        db.execute(f"UPDATE c_group SET (point_scores, point_probabilities) = (SELECT {steps})")  # type: ignore[arg-type]
        for call in OF_STEPS:
            with pytest.raises(psycopg.Error, match="c is damaged: point_scores and point_probabilities of"):
                db.execute(f"SELECT madtree.{call}")  # type: ignore[arg-type]


ENDS = [
    "NULL",
    "'{}'",
    "'{1,2}'",
    "'{1,2,3,4}'",
    "'{0,1,2}'",
    "'{2,1,3}'",
    "'{1,NULL,3}'",
    "'{-1,1,3}'",
    "'{1,2,9}'",
    "'{{1,2,3}}'",
    "array_fill(1, ARRAY[100000])",
]


def test_ends_of_steps_that_are_none_are_refused(db: psycopg.Connection) -> None:
    db.execute("ALTER TABLE data ADD z text; UPDATE data SET z = (ARRAY['a', 'b', 'c'])[1 + id % 3]")
    db.execute("SELECT madtree.boost_train('data', 'b', 'id', 'z', 'x, k', num_trees => 2)")
    db.execute("SELECT madtree.calibrate('b', 'data', 'c')")
    db.execute(
        "UPDATE c_group SET point_scores = '{1,2,3}', point_probabilities = '{0.1,0.2,0.3}', point_ends = '{1,2,3}'"
    )
    db.execute("SELECT madtree.boost_predict('c', 'data', 'fine', 'prob')")
    for ends in ENDS:
        db.execute(f"UPDATE c_group SET point_ends = {ends}")  # type: ignore[arg-type]
        for call in OF_STEPS:
            with pytest.raises(psycopg.Error, match="c is damaged: point_scores and point_probabilities of"):
                db.execute(f"SELECT madtree.{call}")  # type: ignore[arg-type]


def test_anothers_table_is_not_taken_for_statistics(db: psycopg.Connection, other: str) -> None:
    db.execute("DROP TABLE m_statistics")
    db.execute(f'SET ROLE "{other}"')
    db.execute(
        "CREATE TABLE m_statistics "
        "(feature text, kind text, place int, low float8, high float8, category text, n int8);"
        "INSERT INTO m_statistics (feature) VALUES ('precious')"
    )
    db.execute("RESET ROLE")
    with pytest.raises(psycopg.errors.DuplicateTable, match="exists already"):
        db.execute("SELECT madtree.tree_statistics('m', 'data')")
    assert rows(db, "SELECT feature FROM m_statistics") == [{"feature": "precious"}]


def test_nobody_takes_anothers_alias(db: psycopg.Connection, schema: str, other: str) -> None:
    db.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO "{other}"')
    db.execute(f'SET ROLE "{other}"')
    db.execute("SELECT madtree.model_alias('best', 'm')")
    db.execute("RESET ROLE")
    for model in ("'m'", "NULL"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="alias: best is"):
            db.execute(f"SELECT madtree.model_alias('best', {model})")  # type: ignore[arg-type]


def test_a_lasting_alias_names_no_temporary_model(db: psycopg.Connection) -> None:
    db.execute("SELECT madtree.tree_train('data', 'pg_temp.t', 'id', 'y', 'x')")
    with pytest.raises(psycopg.Error, match=r"model: pg_temp\.t is temporary"):
        db.execute("SELECT madtree.model_alias('lasting', 'pg_temp.t')")
    db.execute("SELECT madtree.model_alias('pg_temp.passing', 'pg_temp.t')")
    db.execute("SELECT madtree.tree_display('pg_temp.passing')")
