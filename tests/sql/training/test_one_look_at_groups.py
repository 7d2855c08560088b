"""Classes and ranges, of all rows and of each group, are counted by one look at the rows, or by two where groups and
classes are the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest


@pytest.fixture
def rows(db: psycopg.Connection) -> Iterator[psycopg.Connection]:
    db.execute("""
        CREATE TABLE data AS
        SELECT i AS id, i % 3 AS g, (i / 3) % 2 AS y, 'k' || (i / 3) % 2 AS label, (i * 37 % 101)::float8 AS x,
            (i * 91 % 103)::float8 AS z, CASE WHEN i % 10 > 0 THEN i % 7 END AS w
        FROM generate_series(1, 600) i;
        INSERT INTO data VALUES
            (601, NULL, 1, 'k1', 3, 3, 1), (602, 1, NULL, NULL, NULL, 3, 1), (603, 7, NULL, NULL, NULL, 3, 1);
    """)
    yield db
    db.rollback()


def test_outcome_among_the_grouping_columns(rows: psycopg.Connection) -> None:
    for outcome, grouping in (("(y)::integer", "y"), ("(y)::integer", "y, g"), ("(label)::text", "g, label")):
        rows.execute(
            f"SELECT madtree.tree_train('data', 'm', 'id', '{outcome}', 'x', grouping_cols => '{grouping}',"
            " replace => true)"
        )
        expected = rows.execute(
            f"SELECT {grouping}, count(*) FROM data WHERE row({grouping}) IS NOT NULL GROUP BY {grouping}"
            f" ORDER BY {grouping}"
        ).fetchall()
        assert rows.execute(f"SELECT {grouping}, n_rows FROM m ORDER BY {grouping}").fetchall() == expected
        assert rows.execute("SELECT dependent_var_levels FROM m_summary").fetchone() in ((["0", "1"],), (["k0", "k1"],))


@pytest.mark.parametrize("outcome", ["y", "label", "x"])
@pytest.mark.parametrize("weights", [None, "w"])
def test_what_is_counted_of_all_rows(rows: psycopg.Connection, outcome: str, weights: str | None) -> None:
    rows.execute(
        "SELECT madtree.tree_train('data', 'm', 'id', %s, 'z', grouping_cols => 'g', weights => %s)",
        [outcome, weights],
    )
    known = f"({outcome}) IS NOT NULL AND g IS NOT NULL" + (" AND w <> 0" if weights else "")
    total, skipped, groups, failed = rows.execute(
        "SELECT total_rows_processed, total_rows_skipped, num_all_groups, num_failed_groups FROM m_summary"
    ).fetchone()
    assert rows.execute(f"SELECT count(*) FILTER (WHERE {known}), count(*) FROM data").fetchone() == (
        total,
        total + skipped,
    )
    assert (groups, failed) == (4, 1)
    assert rows.execute("SELECT n_rows FROM m WHERE g = 1").fetchone() == (
        rows.execute(f"SELECT count(*) FROM data WHERE g = 1 AND {known}").fetchone()
    )


@pytest.mark.parametrize("type_", ["text", "kind", "short"])
def test_what_is_counted_stands_in_no_column_of_others_types(db: psycopg.Connection, type_: str) -> None:
    """An event trigger writes down which types columns have of tables that are made."""
    db.execute(f"""
        CREATE TYPE kind AS ENUM ('b', 'a');
        CREATE DOMAIN short AS text;
        CREATE TABLE data AS
        SELECT i AS id, i % 3 AS g, (ARRAY['a', 'b'])[1 + i % 2]::{type_} AS y, i % 7 AS x
        FROM generate_series(1, 60) i;
        CREATE TABLE seen ("table" text, "column" text, type regtype);
        CREATE FUNCTION see() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO seen SELECT c.object_identity, a.attname, a.atttypid
            FROM pg_event_trigger_ddl_commands() AS c JOIN pg_attribute AS a ON a.attrelid = c.objid
            WHERE c.object_type = 'table' AND c.object_identity ~ 'madtree_counted' AND a.attnum > 0;
        END $$;
        CREATE EVENT TRIGGER seeing ON ddl_command_end EXECUTE FUNCTION see();
    """)
    db.execute("SELECT madtree.tree_train('data', 'm', 'id', 'y', 'x', grouping_cols => 'g')")
    db.execute("DROP EVENT TRIGGER seeing")
    types = dict(db.execute('SELECT "column", type FROM seen').fetchall())
    assert types["label"] == "text"
    assert not {"kind", "short"} & {*types.values()}
    expected = ["b", "a"] if type_ == "kind" else ["a", "b"]
    assert db.execute("SELECT dependent_var_levels FROM m_summary").fetchone() == (expected,)
