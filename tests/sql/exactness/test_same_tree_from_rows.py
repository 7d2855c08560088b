"""What must not change a tree: repeated rows, their order, groups trained beside it, a weight in place of replicas."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import sql
from training import read_model, train
from trees import read_nodes, shape

# 300 rows with ties, missing values and noise; three groups; a dyadic weight.
DATA = """
    CREATE TABLE data AS SELECT
        i AS id,
        (ARRAY['a', 'b', 'c'])[1 + (i * 7 % 13 + i % 5 * (i % 3)) % 3] AS label,
        ((i * 7 % 13) * 3 + i % 5 + (i * i) % 11)::float8 / 4 AS target,
        i % 3 AS grp,
        (i * 7 % 13)::float8 / 8 AS x,
        CASE WHEN i % 9 > 0 THEN (i * i) % 11 END AS n,
        CASE WHEN i % 7 > 0 THEN 'level ' || i % 5 END AS level,
        i % 4 = 1 AS flag,
        (1 + i % 4) / 2.0::float8 AS w
    FROM generate_series(1, 300) i
"""
FEATURES = "x, n, level, flag"
DEPENDENTS = [("label", "gini"), ("label", "entropy"), ("label", "misclassification"), ("target", "mse")]


def grow(db: psycopg.Connection, table: str, model: str, dependent: str, criterion: str, **options: object) -> None:
    """A tree of all features, with small leaves unless `options` says otherwise."""
    limits = {"min_split": 4, "min_bucket": 2}
    train(db, table, model, dependent, FEATURES, split_criterion=criterion, **limits | options)


@pytest.fixture(autouse=True)
def _data(db: psycopg.Connection) -> None:
    db.execute(DATA)


@pytest.mark.parametrize(("dependent", "criterion"), DEPENDENTS)
@pytest.mark.parametrize("n_bins", [0, 100])
def test_rows_repeated_twenty_times_give_the_same_tree(
    db: psycopg.Connection, dependent: str, criterion: str, n_bins: int
) -> None:
    db.execute("CREATE TABLE repeated AS SELECT data.* FROM data, generate_series(1, 20)")
    grow(db, "data", "once", dependent, criterion, n_bins=n_bins, min_split=8, min_bucket=3)
    grow(db, "repeated", "often", dependent, criterion, n_bins=n_bins, min_split=160, min_bucket=60)

    (once,), (often,) = read_nodes(db, "once").values(), read_nodes(db, "often").values()
    assert shape(often) == shape(once)
    assert {k: row["n_rows"] for k, row in often.items()} == {k: 20 * row["n_rows"] for k, row in once.items()}
    assert {k: row["prediction"] for k, row in often.items()} == {
        k: row["prediction"] if criterion != "mse" else pytest.approx(row["prediction"]) for k, row in once.items()
    }
    assert len(once) > 5


@pytest.mark.parametrize(("dependent", "criterion"), DEPENDENTS)
def test_permuted_rows_give_identical_tables(db: psycopg.Connection, dependent: str, criterion: str) -> None:
    db.execute("CREATE TABLE permuted AS SELECT * FROM data ORDER BY hashint4(id)")
    grow(db, "data", "model", dependent, criterion, weights="w")
    grow(db, "permuted", "permuted_model", dependent, criterion, weights="w")

    assert read_model(db, "permuted_model") == read_model(db, "model")


@pytest.mark.in_turn
@pytest.mark.parametrize(("dependent", "criterion"), DEPENDENTS)
@pytest.mark.parametrize("n_bins", [0, 5])
def test_a_group_has_the_tree_that_it_has_alone(
    db: psycopg.Connection, dependent: str, criterion: str, n_bins: int
) -> None:
    grow(db, "data", "grouped", dependent, criterion, n_bins=n_bins, weights="w", grouping_cols="grp")
    grouped = read_nodes(db, "grouped")
    for group, tree in db.execute("SELECT grp, tree_id FROM grouped").fetchall():
        db.execute(
            sql.SQL("CREATE TABLE {} AS SELECT * FROM data WHERE grp = {}").format(sql.Identifier(f"g{group}"), group)
        )
        grow(db, f"g{group}", f"alone{group}", dependent, criterion, n_bins=n_bins, weights="w")
        (alone,) = read_nodes(db, f"alone{group}").values()

        assert [{**row, "tree_id": 0} for row in grouped[tree].values()] == [
            {**row, "tree_id": 0} for row in alone.values()
        ]


@pytest.mark.parametrize(("dependent", "criterion"), DEPENDENTS)
def test_a_weight_of_two_is_two_rows(db: psycopg.Connection, dependent: str, criterion: str) -> None:
    """With limits on rows that bind neither, both trees are one, but for the number of rows."""
    db.execute("CREATE TABLE doubled AS SELECT data.* FROM data, generate_series(1, 2)")
    db.execute("ALTER TABLE data ADD two int DEFAULT 2")
    limits = {"min_split": 1, "min_bucket": 1, "max_depth": 6, "n_bins": 0}
    grow(db, "data", "weighted", dependent, criterion, weights="two", **limits)
    grow(db, "doubled", "copied", dependent, criterion, **limits)

    (weighted,), (copied,) = read_nodes(db, "weighted").values(), read_nodes(db, "copied").values()
    assert [{**row, "n_rows": 2 * row["n_rows"]} for row in weighted.values()] == list(copied.values())
    assert len(copied) > 5


def test_a_scaled_weight_scales_the_sums_and_nothing_else(db: psycopg.Connection) -> None:
    grow(db, "data", "model", "label", "gini", weights="w")
    grow(db, "data", "scaled", "label", "gini", weights="w * 1e6")

    (model,), (scaled,) = read_nodes(db, "model").values(), read_nodes(db, "scaled").values()
    assert shape(scaled) == shape(model)
    assert [row["weight"] for row in scaled.values()] == pytest.approx([1e6 * row["weight"] for row in model.values()])


@pytest.mark.parametrize(("dependent", "criterion"), DEPENDENTS)
def test_no_more_distinct_values_than_bins_is_exact(db: psycopg.Connection, dependent: str, criterion: str) -> None:
    db.execute("CREATE TABLE many AS SELECT data.* FROM data, generate_series(1, 20)")  # too many to be exact anyhow
    for model, n_bins in (("exact", 0), ("binned", 13), ("coarse", 4)):  # x has 13 distinct values
        grow(db, "many", model, dependent, criterion, n_bins=n_bins)

    assert read_nodes(db, "binned") == read_nodes(db, "exact")
    assert read_nodes(db, "coarse") != read_nodes(db, "exact")


def test_ordered_features_keep_1024_values_apart_whatever_the_bins(db: psycopg.Connection) -> None:
    """The label changes within what would be one of five bins."""
    db.execute(
        "CREATE TABLE numbers AS SELECT i AS id, i % 1024 AS n, i % 1024 > 700 AS y FROM generate_series(1, 5120) i"
    )
    train(db, "numbers", "kept", "y", "n", n_bins=5)
    train(db, "numbers", "binned", "y", "n::float8", n_bins=5)

    (kept,), (binned,) = read_nodes(db, "kept").values(), read_nodes(db, "binned").values()
    assert kept[0]["threshold"] == 700.5
    assert (kept[1]["risk"], kept[2]["risk"]) == (0, 0)
    assert binned[0]["threshold"] != 700.5


@pytest.mark.parametrize(("dependent", "criterion"), DEPENDENTS)
@pytest.mark.parametrize("grouping", [None, "grp"])
def test_training_rows_score_into_the_leaves_that_they_made(
    db: psycopg.Connection, dependent: str, criterion: str, grouping: str | None
) -> None:
    """Missing values go the same way in training and in prediction, so every leaf gets its own rows back."""
    options = {"grouping_cols": grouping} if grouping else {}
    grow(db, "data", "model", dependent, criterion, weights="w", **options)
    db.execute("SELECT madtree.tree_predict('model', 'data', 'scored', 'leaf')")

    scored = db.execute(f"""
        SELECT {"d.grp" if grouping else "0"} AS grp, s.node_id, count(*), sum(d.w)
        FROM scored s JOIN data d USING (id) GROUP BY 1, 2
    """).fetchall()
    leaves = db.execute(f"""
        SELECT {"m.grp" if grouping else "0"} AS grp, n.node_id, n.n_rows, n.weight
        FROM model m JOIN model_nodes n USING (tree_id) WHERE n.is_leaf
    """).fetchall()
    assert sorted(scored) == sorted(leaves)
    assert len(leaves) > 3


@pytest.mark.parametrize(("dependent", "criterion"), DEPENDENTS)
def test_the_model_table_sums_up_its_nodes(db: psycopg.Connection, dependent: str, criterion: str) -> None:
    """One row a tree; the importance of a feature is the gain of its splits."""
    grow(db, "data", "model", dependent, criterion, weights="w", grouping_cols="grp")

    names = FEATURES.split(", ")
    for tree_id, *found in db.execute("""
        SELECT tree_id, n_rows, n_nodes, n_leaves, tree_depth, root_risk, impurity_var_importance, success, message
        FROM model
    """):
        nodes = read_nodes(db, "model")[tree_id]
        inner = [row for row in nodes.values() if not row["is_leaf"]]
        gains = [sum(row["improvement"] for row in inner if row["feature"] == name) for name in names]
        assert found == [
            nodes[0]["n_rows"],
            len(nodes),
            len(nodes) - len(inner),
            max(row["depth"] for row in nodes.values()),
            nodes[0]["risk"],
            pytest.approx(gains, rel=1e-12),
            True,
            None,
        ]
        assert inner
