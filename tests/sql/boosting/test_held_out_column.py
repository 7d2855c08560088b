"""Rows that a column tells to hold out of boosting."""

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


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute("ALTER TABLE t ADD later boolean; UPDATE t SET later = id % 4 = 1; ANALYZE t")


@pytest.mark.parametrize(
    ("turn", "target", "more"),
    [
        (0, "y", {"weights": "w", "grouping_cols": "g"}),
        (1, "late", {}),
        (2, "k", {"boost_params": "subsample=0.7", "num_trees": 4}),
    ],
)
def test_it_is_the_same_in_every_way(db: psycopg.Connection, turn: int, target: str, more: dict[str, Any]) -> None:
    boost(db, target, **{**BY_FLAG, **more})
    expected = tables(db)
    for strategy in share(("memory", "workers", "aggregate"), 3, turn):
        boost(db, target, strategy=strategy, parallel_workers=1, **{**BY_FLAG, **more})
        assert tables(db) == expected, strategy
    names = {"training_table_name": "t", "output_table_name": "m", "id_col_name": "id", "list_of_features": "a, b, c"}
    by_passes = Tuning(block_rows=150, read_rows=70, surely_large=100)
    train_by_client(db, by_passes, **names, dependent_variable=target, **{**FEW, "loss": None, **BY_FLAG, **more})
    assert tables(db) == expected


@pytest.mark.parametrize("n_bins", [255, 20])
def test_rows_held_out_teach_nothing_and_say_how_many_rounds_are_kept(db: psycopg.Connection, n_bins: int) -> None:
    """Their values are others, and so are those that they lack."""
    db.execute("UPDATE t SET b = b + id / 7.0, a = coalesce(a, 99) WHERE later")
    boost(db, "y", n_bins=n_bins, **BY_FLAG)
    (group,) = rows(db, "SELECT n_rows, n_held_out, n_rounds, validation_loss FROM m_group")
    assert (group["n_rows"], group["n_held_out"]) == (900, 225)
    losses = [row["validation_loss"] for row in rows(db, "SELECT validation_loss FROM m_rounds ORDER BY round")]
    assert losses.index(min(losses)) == group["n_rounds"]
    db.execute("CREATE TABLE u AS SELECT * FROM t WHERE NOT later; CREATE TABLE rest AS SELECT * FROM t WHERE later")
    boost(db, "y", "alone", "u", n_bins=n_bins, num_trees=group["n_rounds"])
    assert tables(db)["_packed"] == tables(db, "alone")["_packed"]
    for strategy in share(("memory", "workers", "aggregate"), 2, n_bins):
        boost(db, "y", n_bins=n_bins, strategy=strategy, parallel_workers=1, **BY_FLAG)
        assert tables(db)["_packed"] == tables(db, "alone")["_packed"], strategy
    staged = rows(db, "SELECT loss FROM madtree.boost_staged('alone', 'rest') ORDER BY num_trees")
    assert [row["loss"] for row in staged] == pytest.approx(losses[: group["n_rounds"] + 1], rel=1e-9)


def test_a_feature_that_only_rows_held_out_have_is_as_if_they_lacked_it(db: psycopg.Connection) -> None:
    db.execute("UPDATE t SET a = NULL WHERE NOT later")
    for more in ({}, {"grouping_cols": "g"}):
        boost(db, "y", **BY_FLAG, **more)
        expected = tables(db)
        assert expected["_packed"]
        for strategy in share(("memory", "workers", "aggregate"), 2, len(more)):
            boost(db, "y", strategy=strategy, parallel_workers=1, **BY_FLAG, **more)
            assert tables(db) == expected, strategy


def test_bins_are_those_of_training_where_rows_are_many_and_held_out_by_their_ids(db: psycopg.Connection) -> None:
    """The aggregate finds bins in a sample, or here in all rows, and packs by them; a group of few rows is binned as it
    is packed. Those of rows that are held out are far away.
    """
    db.execute(
        "CREATE TABLE many AS SELECT i AS id, (i * 7919 % 10007)::float8 AS a, (i * 31 % 977) / 3.0 AS b, "
        "i % 3 AS c, i * 7919 % 10007 / 500.0 + i % 13 AS y, i % 5 = 0 AS later FROM generate_series(1, 6000) AS i; "
        "UPDATE many SET a = a * 1e6 WHERE later; ANALYZE many"
    )
    given = {"validation_params": "fold_col=later, n_iter_no_change=50", "num_trees": 3, "n_bins": 50}
    boost(db, "y", source="many", **given)
    expected = tables(db)
    db.execute("CREATE TABLE alone AS SELECT * FROM many WHERE NOT later; ANALYZE alone")
    (group,) = rows(db, "SELECT n_rounds FROM m_group")
    boost(db, "y", "only", "alone", n_bins=50, num_trees=group["n_rounds"])
    assert tables(db, "only")["_packed"] == expected["_packed"]
    for strategy in ("workers", "aggregate"):
        boost(db, "y", source="many", strategy=strategy, parallel_workers=1, **given)
        assert tables(db) == expected, strategy
    by_id = {**given, "validation_params": "fraction=0.2, n_iter_no_change=50"}
    boost(db, "y", source="many", **by_id)
    expected = tables(db)
    for strategy in ("workers", "aggregate"):
        boost(db, "y", source="many", strategy=strategy, parallel_workers=1, **by_id)
        assert tables(db) == expected, strategy


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
        ("fold_col=unknown", "t has no usable row: y or unknown is NULL in each of its rows"),
    ],
)
def test_a_mistake_is_said(db: psycopg.Connection, given: str, said: str) -> None:
    db.execute("ALTER TABLE t ADD never boolean DEFAULT false, ADD always int DEFAULT 1, ADD unknown int")
    with pytest.raises(psycopg.Error) as error:
        boost(db, "y", validation_params=given)
    assert said in str(error.value)
    assert "Traceback" not in str(error.value)


@pytest.mark.in_turn
@pytest.mark.parametrize("strategy", ["memory", "aggregate"])
@pytest.mark.parametrize("target", ["y", "late", "k"])
def test_a_group_whose_rows_are_all_held_out_has_no_model(db: psycopg.Connection, target: str, strategy: str) -> None:
    db.execute("UPDATE t SET later = true WHERE g = 2")
    boost(db, target, grouping_cols="g", strategy=strategy, **{**BY_FLAG, "num_trees": 3})
    found = {row["g"]: row for row in rows(db, "SELECT * FROM m_group")}
    assert {g: row["success"] for g, row in found.items()} == {0: True, 2: False, 3: True, 4: True}
    assert found[2]["message"].endswith("or all others held out")
    assert rows(db, "SELECT count(*) AS n FROM m_rounds WHERE g = 2") == [{"n": 0}]
    db.execute("SELECT madtree.boost_predict('m', 't', 'scored')")
    missing = (
        f"SELECT g, bool_and(estimated_{target} IS NULL) AS lacks FROM scored JOIN t USING (id) GROUP BY g ORDER BY g"
    )
    assert [row["lacks"] for row in rows(db, missing)] == [False, True, False, False]


@pytest.mark.parametrize("by", ["(id / 100)", "(id > 1200)"], ids=["small", "large"])
def test_groups_whose_rows_are_all_held_out_may_fill_blocks(db: psycopg.Connection, by: str) -> None:
    more_rows = "SELECT (jsonb_populate_record(t, jsonb_build_object('id', id + 900))).* FROM t"
    db.execute(f"INSERT INTO t {more_rows}; UPDATE t SET later = id <= 1200 OR id % 4 = 1".encode())
    more: dict[str, Any] = {**FEW, **BY_FLAG, "loss": None, "grouping_cols": by}
    boost(db, "y", **more)
    expected = tables(db)
    names = {"training_table_name": "t", "output_table_name": "m", "id_col_name": "id", "list_of_features": "a, b, c"}
    train_by_client(db, Tuning(block_rows=1024), **names, dependent_variable="y", **more)
    assert tables(db) == expected


def test_a_share_that_leaves_no_row_to_train_on_is_refused(db: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="every feature is NULL, or it is held out, in"):
        boost(db, "y", validation_params="fraction=0.99999")
    assert rows(db, "SELECT to_regclass('m_group') AS is_there") == [{"is_there": None}]
