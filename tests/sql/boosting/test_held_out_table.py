"""Rows of a second table that are held out of boosting."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from boosted_data import FEW, MAKE, boost, tables
from forest_data import rows
from shares import share
from training import train_by_client

from madtree.request import Tuning

BY_FLAG = {"validation_params": "fold_col=later, n_iter_no_change=3", "num_trees": 6}
BY_TABLE = {**BY_FLAG, "validation_params": "table=rest, n_iter_no_change=3"}


@pytest.fixture(autouse=True)
def _tables(db: psycopg.Connection) -> None:
    """All rows, those to train on, and the others, whose columns are in another order."""
    db.execute(MAKE)
    db.execute(
        "ALTER TABLE t ADD later boolean; UPDATE t SET later = id % 4 = 1; ANALYZE t; "
        "CREATE TABLE u AS SELECT * FROM t WHERE NOT later; "
        "CREATE TABLE rest AS SELECT k, n, late, y, w, c, b, a, g, id FROM t WHERE later"
    )


@pytest.mark.parametrize(
    ("turn", "target", "more"),
    [
        (0, "y", {"weights": "w", "grouping_cols": "g"}),
        (1, "late", {}),
        (2, "k", {"boost_params": "subsample=0.7", "num_trees": 4}),
    ],
)
def test_it_is_as_if_a_column_told_which_rows(
    db: psycopg.Connection, turn: int, target: str, more: dict[str, Any]
) -> None:
    boost(db, target, **{**BY_FLAG, **more})
    expected = tables(db)
    for strategy in ("auto", *share(("memory", "workers", "aggregate"), 3, turn)):
        boost(db, target, source="u", strategy=strategy, parallel_workers=1, **{**BY_TABLE, **more})
        assert tables(db) == expected, strategy
    names = {"training_table_name": "u", "output_table_name": "m", "id_col_name": "id", "list_of_features": "a, b, c"}
    by_passes = Tuning(block_rows=150, read_rows=70, surely_large=1000)
    train_by_client(db, by_passes, **names, dependent_variable=target, **{**FEW, "loss": None, **BY_TABLE, **more})
    assert tables(db) == expected
    (summary,) = rows(db, "SELECT fold_col, validation_fraction, validation_table FROM m_summary")
    assert summary == {"fold_col": None, "validation_fraction": 0, "validation_table": "rest"}
    left = "SELECT relname FROM pg_class WHERE starts_with(relname, 'madtree_') AND relkind = 'r'"
    assert rows(db, left) == []


def test_views_and_partitions_and_odd_names_do(db: psycopg.Connection) -> None:
    boost(db, "y", **BY_FLAG)
    expected = tables(db)
    db.execute(
        'ALTER TABLE u RENAME b TO "B, or not"; ALTER TABLE u ADD madtree_held_out float8; '
        'UPDATE u SET madtree_held_out = "B, or not"; '
        'CREATE VIEW "the ""Rest" AS SELECT id, a, b AS madtree_held_out, c, y, b AS "B, or not" FROM rest; '
        "CREATE TABLE parts (LIKE u) PARTITION BY HASH (id); CREATE TABLE part PARTITION OF parts "
        "FOR VALUES WITH (MODULUS 1, REMAINDER 0); INSERT INTO parts TABLE u; ANALYZE parts"
    )
    for features in ("a, madtree_held_out, c", 'a, "B, or not", c', 'a, "B, or not" + 0, c'):
        call = (
            "SELECT madtree.boost_train('parts', 'm', 'id', 'y', %s, num_trees => 6, max_leaf_nodes => 6, "
            'replace => true, validation_params => \'table="the ""Rest", n_iter_no_change=3\')'
        )
        db.execute(call, [features])
        found = tables(db)
        assert found["_rounds"] == expected["_rounds"], features


def test_its_id_is_not_asked_for_where_none_is_drawn(db: psycopg.Connection) -> None:
    db.execute("ALTER TABLE rest DROP id")
    boost(db, "y", source="u", **BY_TABLE)
    with pytest.raises(psycopg.errors.UndefinedColumn, match="validation_params: table rest has no column id"):
        boost(db, "y", source="u", **BY_TABLE, boost_params="subsample=0.5")


@pytest.mark.parametrize(
    ("given", "made", "said"),
    [
        ("table=rest, fraction=0.1", "", "validation_params: fraction and table both say which rows are held out"),
        ("table=rest, fold_col=later", "", "validation_params: fold_col and table both say which rows are held out"),
        ("table=nosuch", "", "nosuch"),
        ("table=rest", "ALTER TABLE rest DROP b", "validation_params: table rest has no column b"),
        (
            "table=rest",
            "ALTER TABLE rest ALTER a TYPE text",
            "validation_params: table: a is of type text in rest, and integer in u",
        ),
        ("table=rest", "TRUNCATE rest", "validation_params: table rest has no row"),
        ("table=rest", "TRUNCATE u", "u has no rows to train on"),
        ("table=rest", "UPDATE rest SET y = 'NaN'", "y is infinite or NaN in 225 rows"),
    ],
)
def test_a_mistake_is_said(db: psycopg.Connection, given: str, made: str, said: str) -> None:
    db.execute(made)
    with pytest.raises(psycopg.Error) as error:
        boost(db, "y", source="u", validation_params=given)
    assert said in str(error.value)
    assert "Traceback" not in str(error.value)
