"""Of a small model no statements are made that larger ones take: the summary is read at once, and trees written
together.
"""

from __future__ import annotations

import psycopg
import pytest
from datasets import load_golf
from training import train

from madtree.sqltext.kinds import SUMMARY_COLUMNS
from madtree.sqltext.sizes import are_small

SMALL = 2**17  # bytes

LARGER = {
    "a text": f"id_col_name = repeat('i', {SMALL + 1})",
    "a list": f"features = ARRAY[(SELECT string_agg(md5(i::text), '') FROM generate_series(1, {SMALL // 32 + 1}) i)]",
    "a list that is packed": "features = array_fill(''::text, ARRAY[100000])",
    "grouping columns": "grouping_columns = array_fill(''::text, ARRAY[1601])",
    "a document": f"""levels = jsonb_build_object('f', (SELECT jsonb_agg(0) FROM generate_series(1, {SMALL}) i))""",
}


# A NULL takes one bit of an array.
OF_NULLS = {"features": 2**16 + 1, "dependent_var_levels": 2**16, "grouping_columns": 1601}


def is_small(db: psycopg.Connection) -> bool:
    columns = [
        name
        for (name,) in db.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'm_summary'::regclass AND attnum > 0"
        ).fetchall()
    ]
    assert {"features", "levels", "enum_labels"} <= {*columns} & {*SUMMARY_COLUMNS}
    (found,) = db.execute(f"SELECT {are_small(columns)} FROM m_summary AS s").fetchone()  # type: ignore[arg-type]
    return bool(found)


def test_an_ordinary_summary_is_small(db: psycopg.Connection) -> None:
    load_golf(db)
    train(db, "golf", "m", "class", "temperature")
    assert is_small(db)


@pytest.mark.parametrize("what", LARGER)
def test_a_summary_with_something_larger_is_looked_at_closely(db: psycopg.Connection, what: str) -> None:
    load_golf(db)
    train(db, "golf", "m", "class", "temperature")
    db.execute(f"UPDATE m_summary SET {LARGER[what]}")  # type: ignore[arg-type]
    assert not is_small(db)


@pytest.mark.parametrize("name", OF_NULLS)
def test_a_list_of_nulls_is_counted_though_it_has_few_bytes(db: psycopg.Connection, name: str) -> None:
    load_golf(db)
    train(db, "golf", "m", "class", "temperature")
    db.execute(f"ALTER TABLE m_summary ALTER {name} SET STORAGE EXTERNAL")  # type: ignore[arg-type]
    db.execute(f"UPDATE m_summary SET {name} = array_fill(NULL::text, ARRAY[{OF_NULLS[name]}])")  # type: ignore[arg-type]
    assert not is_small(db)
    with pytest.raises(psycopg.Error, match=f"its summary is too large: {name} has more than .* entries"):
        db.execute("SELECT madtree.tree_rules('m')")


def test_a_summary_of_two_small_rows_is_damaged(db: psycopg.Connection) -> None:
    load_golf(db)
    train(db, "golf", "m", "class", "temperature")
    db.execute("INSERT INTO m_summary SELECT * FROM m_summary")
    with pytest.raises(psycopg.Error, match="m is damaged: its summary has 2 rows, not 1"):
        db.execute("SELECT madtree.tree_rules('m')")


def test_one_small_row_beside_a_large_one_is_not_taken_for_the_summary(db: psycopg.Connection) -> None:
    load_golf(db)
    train(db, "golf", "m", "class", "temperature")
    db.execute("INSERT INTO m_summary SELECT * FROM m_summary")
    db.execute(
        f"UPDATE m_summary SET id_col_name = repeat('i', {SMALL + 1}) WHERE ctid = (SELECT max(ctid) FROM m_summary)"
    )
    with pytest.raises(psycopg.Error, match="m is damaged: its summary has 2 rows, not 1"):
        db.execute("SELECT madtree.tree_rules('m')")


def test_trees_of_small_rounds_are_written_by_one_statement(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE t AS SELECT i AS id, (i % 7)::real AS y, i % 13 AS x FROM generate_series(1, 200) i")
    db.execute("SELECT madtree.boost_train('t', 'm', 'id', 'y', 'x', num_trees => 12)")
    found = db.execute("SELECT count(*), count(DISTINCT cmin::text) FROM m_packed").fetchone()
    assert found == (12, 1)
