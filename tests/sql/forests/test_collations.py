"""Classes and categories are in the order of their column's collation, and one collation makes one model."""

from __future__ import annotations

import psycopg


def test_one_collation_makes_one_model(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE plain AS SELECT i AS id, (ARRAY['a', 'B', 'c', 'D', 'e'])[1 + i % 5] COLLATE \"C\" AS t,"
        " (ARRAY['no', 'YES'])[1 + (i * 7 % 11 < 5)::int] COLLATE \"C\" AS y FROM generate_series(1, 300) i"
    )
    words = 'ALTER t TYPE text COLLATE "{0}", ALTER y TYPE text COLLATE "{0}"'
    db.execute("CREATE TABLE language AS TABLE plain")
    db.execute(f"ALTER TABLE language {words.format('und-x-icu')}")
    db.execute("SELECT madtree.forest_train('plain', 'm', 'id', 'y', 't', num_trees => 3)")
    db.execute("SELECT madtree.forest_train('language', 'n', 'id', 'y', 't', num_trees => 3)")
    assert _orders(db, "m") == (["YES", "no"], ["B", "D", "a", "c", "e"])
    assert _orders(db, "n") == (["no", "YES"], ["a", "B", "c", "D", "e"])
    assert _nodes(db, "m") != _nodes(db, "n")
    db.execute(f"ALTER TABLE language {words.format('C')}")
    db.execute("SELECT madtree.forest_train('language', 'n', 'id', 'y', 't', num_trees => 3, replace => true)")
    assert _nodes(db, "m") == _nodes(db, "n")


def _orders(db: psycopg.Connection, model: str) -> tuple[list[str], list[str]]:
    """That of the classes, and that of the categories."""
    found = db.execute(
        f"SELECT dependent_var_levels, cat_levels_in_text FROM {model}_summary, {model}_group"
    ).fetchone()
    assert found is not None
    return found[0], found[1]


def _nodes(db: psycopg.Connection, model: str) -> list[tuple[object, ...]]:
    return db.execute(f"SELECT * FROM {model}_packed ORDER BY 1, 2").fetchall()
