"""Rows that a column tells to hold out of boosting."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from boosted_data import FEW, MAKE, boost
from forest_data import rows
from training import read_model, train_by_client

from madtree.request import Tuning

BY_FLAG = {"validation_params": "fold_col=later, n_iter_no_change=3", "num_trees": 12}


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute("ALTER TABLE t ADD later boolean; UPDATE t SET later = id % 4 = 1; ANALYZE t")


def tables(db: psycopg.Connection, model: str = "m") -> dict[str, Any]:
    packed = rows(db, f"SELECT * FROM {model}_packed ORDER BY tree_id")
    parts = read_model(db, model).items()
    return {"_packed": packed, **{part: found for part, found in parts if part != "_summary"}}


@pytest.mark.parametrize(
    ("target", "more"),
    [("y", {"weights": "w", "grouping_cols": "g"}), ("late", {}), ("k", {"boost_params": "subsample=0.7"})],
)
def test_it_is_the_same_in_every_way(db: psycopg.Connection, target: str, more: dict[str, Any]) -> None:
    boost(db, target, **BY_FLAG, **more)
    expected = tables(db)
    for strategy in ("memory", "workers", "aggregate"):
        boost(db, target, strategy=strategy, parallel_workers=2, **BY_FLAG, **more)
        assert tables(db) == expected, strategy
    names = {"training_table_name": "t", "output_table_name": "m", "id_col_name": "id", "list_of_features": "a, b, c"}
    by_passes = Tuning(block_rows=150, read_rows=70, surely_large=100)
    train_by_client(db, by_passes, **names, dependent_variable=target, **{**FEW, "loss": None, **BY_FLAG, **more})
    assert tables(db) == expected


def test_rows_held_out_teach_nothing_and_say_how_many_rounds_are_kept(db: psycopg.Connection) -> None:
    """The features have the same values in both parts, so that bins are the same."""
    boost(db, "y", **BY_FLAG)
    (group,) = rows(db, "SELECT n_rows, n_held_out, n_rounds, validation_loss FROM m_group")
    assert (group["n_rows"], group["n_held_out"]) == (900, 225)
    losses = [row["validation_loss"] for row in rows(db, "SELECT validation_loss FROM m_rounds ORDER BY round")]
    assert losses.index(min(losses)) == group["n_rounds"]
    db.execute("CREATE TABLE u AS SELECT * FROM t WHERE NOT later; CREATE TABLE rest AS SELECT * FROM t WHERE later")
    boost(db, "y", "alone", "u", num_trees=group["n_rounds"])
    assert tables(db)["_packed"] == tables(db, "alone")["_packed"]
    staged = rows(db, "SELECT loss FROM madtree.boost_staged('alone', 'rest') ORDER BY num_trees")
    assert [row["loss"] for row in staged] == pytest.approx(losses[: group["n_rounds"] + 1], rel=1e-9)


def test_a_number_but_0_holds_out_as_true_does_and_null_leaves_a_row_out(db: psycopg.Connection) -> None:
    boost(db, "late", **BY_FLAG)
    expected = tables(db)
    db.execute("ALTER TABLE t ALTER later TYPE int USING later::int * 7")
    boost(db, "late", **BY_FLAG)
    assert tables(db) == expected
    (summary,) = rows(db, "SELECT fold_col, validation_fraction FROM m_summary")
    assert summary == {"fold_col": "later", "validation_fraction": 0}
    db.execute("UPDATE t SET later = NULL WHERE id <= 100")
    boost(db, "late", **BY_FLAG)
    assert rows(db, "SELECT n_rows FROM m_group") == [{"n_rows": 800}]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("fold_col=later, fraction=0.1", "fraction and fold_col both say which rows are held out"),
        ("fold_col=c", "fold_col c is of type text; it must be boolean, or a number"),
        ("fold_col=nosuch", "nosuch"),
        ("fold_col=never", "fold_col: never is false, or 0, in all rows"),
        ("fold_col=always", "fold_col: always is true, or not 0, in all rows"),
    ],
)
def test_a_mistake_is_said(db: psycopg.Connection, given: str, said: str) -> None:
    db.execute("ALTER TABLE t ADD never boolean DEFAULT false, ADD always int DEFAULT 1")
    with pytest.raises(psycopg.Error) as error:
        boost(db, "y", validation_params=given)
    assert said in str(error.value)
    assert "Traceback" not in str(error.value)
