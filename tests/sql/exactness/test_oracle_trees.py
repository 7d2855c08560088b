"""Trained trees against the brute-force oracle, node by node.

Hypothesis draws what a data set is like, numpy fills it. A batch of data sets becomes the groups of one grouped
training, which is both quick and a test of grouping.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import oracle
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shares import ALL
from training import train
from trees import Names, expected_rows, read_nodes, without_ids

# Upper before lower case and "é" last in one collation, mixed in another: levels come in the column's own order.
WORDS = ("b", "B", "a", "é", "Z", "a b", "it's", "", "zz", "{x,y}")
LABELS = ("yes", "No", "maybe", "never")
FEATURES = ("num", "small", "word", "flag")


@dataclass(frozen=True)
class Recipe:
    """What one group's data are like."""

    seed: int
    n_rows: int
    n_distinct: int
    n_words: int
    missing: float
    noise: float


@dataclass(frozen=True)
class TrainedTrees:
    """One training: the rules that its groups share, and their data."""

    criterion: str
    n_classes: int
    weighted: bool
    max_depth: int
    min_split: int
    min_bucket: int
    cp: float
    recipes: tuple[Recipe, ...]
    max_leaves: int | None = None
    min_decrease: float | None = None


RECIPES = st.builds(
    Recipe,
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 50),
    n_distinct=st.integers(1, 12),
    n_words=st.integers(1, 6),
    missing=st.sampled_from([0, 0, 0.15, 0.6]),
    noise=st.sampled_from([0, 0.1, 0.5, 1]),
)
CRITERIA = ("gini", "entropy", "gain_ratio", "misclassification")
KINDS = [("mse", 0)] + [(criterion, k) for criterion in CRITERIA for k in (2, 3, 4)]
BATCHES = st.builds(
    lambda kind, **rest: TrainedTrees(*kind, **rest),
    kind=st.sampled_from(KINDS),
    weighted=st.booleans(),
    max_depth=st.sampled_from([0, 1, 2, 5, 60]),
    min_split=st.sampled_from([1, 2, 4, 10]),
    min_bucket=st.sampled_from([1, 1, 2, 5]),
    cp=st.sampled_from([0, 0, 0.013, -1]),
    recipes=st.lists(RECIPES, min_size=1, max_size=20).map(tuple),
    max_leaves=st.sampled_from([None, None, 2, 3, 5, 9]),
    min_decrease=st.sampled_from([None, None, 0.03]),
)


@dataclass(frozen=True)
class Group:
    """Data of one group; features are float64 (n,), NaN where missing, words and flags as indices."""

    features: dict[str, np.ndarray]
    y: np.ndarray
    weights: np.ndarray


def make_group(recipe: Recipe, batch: TrainedTrees) -> Group:
    """Fill a recipe. Weights and targets are dyadic fractions, so that the oracle's own sums are exact.

    No two targets of a regression are alike: where two complexities tie exactly, rounding decides in rpart's recursion.
    """
    random = np.random.default_rng(recipe.seed)
    n = recipe.n_rows
    features = {
        "num": random.integers(-recipe.n_distinct, recipe.n_distinct, n) * 0.1,
        "small": random.integers(0, recipe.n_distinct, n).astype(float),
        "word": random.integers(0, recipe.n_words, n).astype(float),
        "flag": random.integers(0, 2, n).astype(float),
    }
    signal = features["num"] * 3 + features["small"] * (features["word"] % 2) - features["flag"]
    noisy = np.where(random.random(n) < recipe.noise, random.normal(0, 3, n), signal)
    if batch.n_classes:
        y = np.floor(noisy).astype(int) % batch.n_classes
    else:
        y = np.round((noisy + random.normal(0, 0.1, n)) * 2**16) / 2**16
    weights = random.integers(1, 9, n) / 4 if batch.weighted else np.ones(n)
    for name, values in features.items():
        values[random.random(n) < recipe.missing * (name != "small")] = np.nan  # one feature is always known
    return Group(features, y, weights)


def load(db: psycopg.Connection, groups: list[Group], classes: tuple[str, ...]) -> None:
    """Put all groups into the table `data`."""
    db.execute("DROP TABLE IF EXISTS data")
    db.execute(
        f"CREATE TABLE data (grp int, id int, y {'text' if classes else 'float8'}, w float8,"
        " num float8, small smallint, word text, flag boolean)"
    )
    with db.cursor().copy("COPY data FROM STDIN") as copy:
        number = 0
        for index, group in enumerate(groups):
            for row in range(len(group.y)):
                num, small, word, flag = (group.features[name][row] for name in FEATURES)
                copy.write_row(
                    [
                        index,
                        number := number + 1,
                        classes[group.y[row]] if classes else float(group.y[row]),
                        float(group.weights[row]),
                        # NULL and NaN are both missing
                        float(num) if number % 2 or not np.isnan(num) else None,
                        int(small),
                        None if np.isnan(word) else WORDS[int(word)],
                        None if np.isnan(flag) else bool(flag),
                    ]
                )


def sql_order(db: psycopg.Connection, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words as the server sorts them."""
    return tuple(word for (word,) in db.execute("SELECT w FROM unnest(%s::text[]) w ORDER BY w", [list(words)]))


def grown(
    group: Group, batch: TrainedTrees, classes: tuple[str, ...], words: tuple[str, ...]
) -> tuple[dict[int, oracle.Node], oracle.Rules, Names]:
    """The oracle's tree of a group, and what `expected_rows` wants to know beside it."""
    limits = batch.max_depth, batch.min_split, batch.min_bucket, batch.max_leaves, batch.min_decrease or 0.0
    rules = oracle.Rules(batch.criterion, len(classes), *limits)
    word = group.features["word"]
    word_rank = np.array([words.index(word) for word in WORDS], float)
    columns = [
        oracle.Column(group.features["num"]),
        oracle.Column(group.features["small"]),
        oracle.Column(np.where(np.isnan(word), np.nan, word_rank[np.nan_to_num(word).astype(int)]), ordered=False),
        oracle.Column(group.features["flag"], ordered=False),
    ]
    y = np.array([classes.index(LABELS[label]) for label in group.y]) if classes else group.y
    nodes = oracle.prune(oracle.grow(columns, y, group.weights, rules), batch.cp)
    return nodes, rules, Names(FEATURES, classes, {"word": words, "flag": ("false", "true")})


@given(batch=BATCHES)
@settings(max_examples=500 if ALL else 30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_node_is_the_oracles(db: psycopg.Connection, batch: TrainedTrees) -> None:
    groups = [make_group(recipe, batch) for recipe in batch.recipes]
    seen = sorted(set().union(*(group.y.tolist() for group in groups))) if batch.n_classes else []
    classes = sql_order(db, tuple(LABELS[label] for label in seen))
    words = sql_order(db, WORDS)
    load(db, groups, LABELS if batch.n_classes else ())

    train(
        db,
        *("data", "model", "y", "num, small, word, flag"),
        split_criterion=batch.criterion,
        grouping_cols="grp",
        weights="w" if batch.weighted else None,
        max_depth=batch.max_depth,
        min_split=batch.min_split,
        min_bucket=batch.min_bucket,
        n_bins=0,
        pruning_params=f"cp={batch.cp}",
        max_leaf_nodes=batch.max_leaves,
        min_impurity_decrease=batch.min_decrease,
        replace=True,
    )

    trained = read_nodes(db, "model")
    tree_ids = dict(db.execute("SELECT grp, tree_id FROM model").fetchall())
    assert sorted(tree_ids) == list(range(len(groups)))
    for index, group in enumerate(groups):
        expected = expected_rows(*grown(group, batch, classes, words))
        assert without_ids(trained[tree_ids[index]]) == expected, f"group {index}"


@pytest.mark.parametrize(("criterion", "n_classes"), [("gini", 2), ("entropy", 3), ("mse", 0)])
def test_trees_of_several_blocks_are_the_oracles(db: psycopg.Connection, criterion: str, n_classes: int) -> None:
    """70,000 rows do not fit one block: the passes are SQL aggregates here, and not a loop over rows in hand."""
    batch = TrainedTrees(criterion, n_classes, True, 4, 20, 6, 0, ())
    group = make_group(Recipe(5, 70_000, 12, 6, 0.15, 0.5), batch)
    classes = sql_order(db, LABELS[:n_classes])
    words = sql_order(db, WORDS)
    load(db, [group], LABELS[:n_classes])

    options = {"split_criterion": criterion, "weights": "w", "max_depth": 4, "n_bins": 0}
    train(db, "data", "model", "y", "num, small, word, flag", **options)

    expected = expected_rows(*grown(group, batch, classes, words))
    assert without_ids(read_nodes(db, "model")[1]) == expected
    assert len(expected) > 10


@pytest.mark.parametrize("n_levels", [9, 10])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
def test_three_classes_try_every_subset_of_up_to_ten_levels(
    db: psycopg.Connection, criterion: str, n_levels: int
) -> None:
    random = np.random.default_rng(n_levels)
    level = random.integers(0, n_levels, 400)
    y = (level * 7 % 3 + (random.random(400) < 0.4) * random.integers(0, 3, 400)) % 3
    db.execute("CREATE TABLE data (id int, y int, level text)")
    with db.cursor().copy("COPY data FROM STDIN") as copy:
        for row, values in enumerate(zip(y, level, strict=True)):
            copy.write_row([row, int(values[0]), f"level {values[1]}"])

    train(db, "data", "model", "y", "level", split_criterion=criterion, max_depth=3)

    rules = oracle.Rules(criterion, 3, max_depth=3)
    columns = [oracle.Column(level.astype(float), ordered=False)]
    expected = oracle.prune(oracle.grow(columns, y, np.ones(400), rules))
    names = Names(("level",), (0, 1, 2), {"level": tuple(f"level {number}" for number in range(n_levels))})
    assert without_ids(read_nodes(db, "model")[1]) == expected_rows(expected, rules, names)


def test_nodes_of_one_value_are_pure_whatever_their_sums_round_to(db: psycopg.Connection) -> None:
    """Neither 0.1 nor its multiples are exact in binary; the noise must not be taken for something to split."""
    db.execute("""
        CREATE TABLE data AS SELECT i AS id, (i % 3 + 1) * 0.1::float8 AS y, i % 3 AS x, i * 7 % 11 AS noise,
            0.1::float8 * (1 + i % 4) AS w FROM generate_series(1, 1000) i
    """)
    for weights in (None, "w"):
        options = {"split_criterion": "mse", "min_split": 1, "weights": weights}
        train(db, "data", "model", "y", "noise, x", replace=True, **options)

        (nodes,) = read_nodes(db, "model").values()
        leaves = sorted((row["prediction"], row["risk"]) for row in nodes.values() if row["is_leaf"])
        assert len(leaves) == 3
        assert [prediction for prediction, _ in leaves] == pytest.approx([0.1, 0.2, 0.3], rel=1e-12)
        assert [risk for _, risk in leaves] == pytest.approx([0, 0, 0], abs=1e-20)


def test_infinities_are_ordinary_values_and_thresholds_stay_between_neighbours(db: psycopg.Connection) -> None:
    """A split between a float and its next neighbour, or beside an infinity, still tells the two apart."""
    values = np.array([-np.inf, -1e308, 1.0, np.nextafter(1.0, 2), 1e308, np.inf])
    y = np.array([0, 1, 0, 1, 0, 1])
    db.execute("CREATE TABLE data (id int, y int, x float8)")
    with db.cursor().copy("COPY data FROM STDIN") as copy:
        for row in range(6):
            copy.write_row([row, int(y[row]), float(values[row])])

    train(db, "data", "model", "y", "x", min_split=2, min_bucket=1)
    db.execute("SELECT madtree.tree_predict('model', 'data', 'scored')")

    scored = db.execute("SELECT estimated_y FROM scored ORDER BY id").fetchall()
    assert [label for (label,) in scored] == y.tolist()


def test_rows_that_cannot_be_used_are_counted_and_change_nothing(db: psycopg.Connection) -> None:
    """NULL dependent, NULL or zero weight, and rows of NULLs and NaNs only."""
    db.execute("""
        CREATE TABLE clean AS SELECT i AS id, (i % 7 < 3) AS y, 1 + i % 3 AS w, i % 7 + 0.5::float8 AS x,
            CASE WHEN i % 5 > 0 THEN 'level ' || i % 4 END AS level FROM generate_series(1, 200) i;
        CREATE TABLE dirty AS SELECT * FROM clean;
        INSERT INTO dirty VALUES
            (1001, NULL, 1, 1, 'level 1'), (1002, true, NULL, 1, 'level 1'), (1003, true, 0, 1, 'level 1'),
            (1004, true, 1, NULL, NULL), (1005, true, 1, 'NaN', NULL)
    """)
    for table in ("clean", "dirty"):
        train(db, table, f"{table}_model", "y", "x, level", weights="w")

    assert read_nodes(db, "dirty_model") == read_nodes(db, "clean_model")
    counts = db.execute("SELECT total_rows_processed, total_rows_skipped FROM dirty_model_summary").fetchone()
    assert counts == (200, 5)
