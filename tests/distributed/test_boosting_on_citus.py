"""Boosting on a real Citus cluster: the model of a distributed table is that of a plain one, to the byte."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from forced import differences

PARTS = ("", "_packed", "_rounds", "_group")


@pytest.fixture(scope="module")
def boosted(cluster: psycopg.Connection) -> psycopg.Connection:
    """The cluster's tables know later rows; those alone are plain_later and spread_later."""
    for table in ("plain", "spread"):
        cluster.execute(f"ALTER TABLE {table} ADD later boolean GENERATED ALWAYS AS (id % 7 = 0) STORED")
    cluster.execute("CREATE TABLE plain_later AS SELECT * FROM plain WHERE later")
    cluster.execute("CREATE TABLE spread_later (LIKE plain); SELECT create_distributed_table('spread_later', 'id')")
    cluster.execute("INSERT INTO spread_later TABLE plain_later")
    return cluster


def boost(db: psycopg.Connection, table: str, model: str, target: str, **more: Any) -> None:
    """`{table}` in an argument stands for the table's name."""
    named = {"num_trees": 3, "max_leaf_nodes": 8, "replace": True, **more}
    values = [value.format(table=table) if isinstance(value, str) else value for value in named.values()]
    names = "".join(f", {name} => %s" for name in named)
    features = "x, n, level"
    db.execute(f"SELECT boost_train(%s, %s, 'id', %s, '{features}'{names})", [table, model, target, *values])


@pytest.mark.parametrize(
    ("target", "more"),
    [
        ("y", {}),
        ("y", {"loss": "absolute_error", "weights": "w"}),
        ("y", {"loss": "quantile", "boost_params": "quantile=0.9"}),
        ("y", {"loss": "huber"}),
        ("n + 100", {"loss": "poisson", "exposure": "w + 1"}),
        ("y + 10", {"loss": "gamma"}),
        ("y > 7", {"validation_params": "fraction=0.2, n_iter_no_change=2"}),
        ("y > 7", {"loss": "exponential", "validation_params": "table={table}_later, n_iter_no_change=2"}),
        ("label", {"class_params": "class_weight=balanced", "correct_prior": True}),
        ("label", {"boost_params": "method=adaboost"}),
        ("y > 7", {"boost_params": "method=real"}),
        ("y", {"boost_params": "subsample=0.5, feature_fraction=0.7, l2_regularization=1"}),
        ("y > 7", {"boost_params": "top_rate=0.2, other_rate=0.1"}),
        ("y", {"monotone": "x=+1", "interaction_constraints": "[x, n], [level]"}),
        ("y > 7", {"boost_params": "category_encoding=ordered"}),
        ("y", {"grouping_cols": "grp", "validation_params": "fold_col=later"}),
        ("y", {"grouping_cols": "id % 400"}),
    ],
    ids=[
        "squares",
        "absolute",
        "quantile",
        "huber",
        "poisson",
        "gamma",
        "two classes",
        "held-out table",
        "classes",
        "adaboost",
        "real",
        "samples",
        "by gradient",
        "constraints",
        "ordered categories",
        "groups",
        "small groups",
    ],
)
def test_a_cluster_gives_the_model_of_one_server(
    boosted: psycopg.Connection, target: str, more: dict[str, Any]
) -> None:
    for table in ("plain", "spread"):
        boost(boosted, table, f"b_{table}", target, **more)
    assert {part: differences(boosted, f"b_spread{part}", f"b_plain{part}") for part in PARTS} == dict.fromkeys(
        PARTS, 0
    )
    assert boosted.execute("SELECT count(*) > 0 FROM b_spread_nodes WHERE NOT is_leaf").fetchone() == (True,)


def test_a_round_fails_and_leaves_nothing(boosted: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error, match="division by zero"):
        boost(boosted, "spread", "b_failed", "1 / (id - id)")
    left = "SELECT count(*) FROM pg_class WHERE relname ~ '^madtree_(rows|blocks|states)_'"
    assert boosted.execute(left.encode()).fetchone() == (0,)
    assert set(boosted.execute("SELECT result FROM run_command_on_workers(%s)", [left]).fetchall()) == {("0",)}
