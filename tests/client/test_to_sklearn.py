"""`to_sklearn`: scikit-learn's estimator predicts what the database predicts, to the bit, on random trees."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pandas as pd
import psycopg
import pytest
from make_model import Nodes, Sketch, inner, leaf, random_tree, stand_in, write_model
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_graphviz, export_text

import madtree
from madtree.client.sklearn_tree import SplitEncoder
from madtree.trees import Feature, FeatureKind

NUMBERS = (
    Feature("a", "double precision", FeatureKind.CONTINUOUS),
    Feature('"B b"', "double precision", FeatureKind.CONTINUOUS),
    Feature("n", "bigint", FeatureKind.ORDERED),
)
MIXED = (
    *NUMBERS,
    Feature("t", "text", FeatureKind.UNORDERED),
    Feature("f", "boolean", FeatureKind.UNORDERED),
    Feature("d", "date", FeatureKind.CONTINUOUS),
    Feature("ts", "timestamp without time zone", FeatureKind.CONTINUOUS),
    Feature("i", "interval", FeatureKind.CONTINUOUS),
)
# Neighbours in float64 that are one number in float32, and thresholds that lie between them.
CLOSE = [0.1, np.nextafter(0.1, 1), 1 / 3, np.nextafter(1 / 3, 0), 16_777_217.0, 16_777_216.0, 1.7e9 + 1e-3, 1.7e9]
LEVELS: dict[str, list[str | None]] = {"t": ["red", "Grün", "o'k", 'q"q', ""], "f": ["true", "false"]}
THRESHOLDS: dict[str, list[float]] = {
    "a": CLOSE,
    '"B b"': [*CLOSE, -np.inf],
    "n": [0.5, 3.5, 2.0**53, 7.0],
    "d": [1.7e9, 86_400.0 * 19_000, 86_400.0 * 19_000.5],
    "ts": [1.7e9 + 1e-6, 1.7e9, 1.65e9],
    "i": [3_600.000001, 86_400.0, 90_000.5],
}
CLASSES = ("no", "Oui", "vielleicht")


def rows_of(rng: random.Random, n: int = 400) -> list[dict[str, Any]]:
    """Rows on and about the thresholds, with much missing, and with levels that no tree has seen."""

    def number(choices: list[float]) -> float | None:
        value = rng.choice([*choices, *(np.nextafter(c, np.inf) for c in choices), rng.uniform(-1, 5), None, np.nan])
        return None if value is None else float(value)

    moment = pd.Timestamp(1_700_000_000, unit="s")
    return [
        {
            "a": number(CLOSE),
            "B b": number([*CLOSE, np.inf, -np.inf]),
            "n": rng.choice([0, 1, 3, 4, 7, 8, 2**53, 2**53 + 1, 2**62, None]),
            "t": rng.choice([*LEVELS["t"], "unseen", None]),
            "f": rng.choice([True, False, None]),
            "d": rng.choice([moment.date(), (moment - pd.Timedelta(days=700 + rng.randint(-2, 2))).date(), None]),
            "ts": rng.choice(
                [moment + pd.Timedelta(microseconds=rng.randint(-2, 2)), moment - pd.Timedelta(days=700), None]
            ),
            "i": rng.choice(
                [pd.Timedelta(hours=1, microseconds=rng.randint(0, 2)), pd.Timedelta(days=1, hours=1), None]
            ),
        }
        for _ in range(n)
    ]


TYPES = {
    "a": "float8", "B b": "float8", "n": "int8", "t": "text", "f": "boolean", "d": "date", "ts": "timestamp",
    "i": "interval",
}  # fmt: skip


def in_database(db: psycopg.Connection, rows: list[dict[str, Any]], type_: str) -> list[Any]:
    """What tree_predict says of each row by the model `m`."""
    columns = ", ".join(f'"{name}" {kind}' for name, kind in TYPES.items())
    db.execute("DROP TABLE IF EXISTS scored, data")
    db.execute(f"CREATE TABLE data (id int, {columns})")
    with db.cursor().copy("COPY data FROM STDIN") as copy:
        for number, row in enumerate(rows):
            copy.write_row([number, *row.values()])
    db.execute("SELECT madtree.tree_predict('m', 'data', 'scored', %s)", [type_])
    scored = db.execute("SELECT * FROM scored ORDER BY id").fetchall()
    return [list(row[1:]) if type_ == "prob" else row[1] for row in scored]


def frame_of(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """The rows as objects, as they came."""
    return pd.DataFrame({name: pd.Series([row[name] for row in rows], dtype=object) for name in TYPES})


def node_numbers(model: madtree.Model, estimator: Any, X: Any) -> list[int]:
    """The leaves' numbers in madtree of the rows of X."""
    tree = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    encoded = estimator[:-1].transform(X) if isinstance(estimator, Pipeline) else X
    children = (tree.tree_.children_left, tree.tree_.children_right)
    number = {0: 0}
    for at in range(tree.tree_.node_count):
        if children[0][at] >= 0:
            number |= {children[0][at]: 2 * number[at] + 1, children[1][at]: 2 * number[at] + 2}
    return [number[at] for at in tree.apply(encoded)]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("classes", [CLASSES, CLASSES[:2], ()], ids=["three classes", "two classes", "regression"])
def test_numbers_go_where_they_go_in_the_database(
    db: psycopg.Connection, schema: str, client: madtree.Client, classes: tuple[str, ...], seed: int
) -> None:
    rng = random.Random(seed)
    tree = random_tree(rng, NUMBERS, 7, THRESHOLDS, LEVELS, classes)
    sketch = Sketch(NUMBERS, [tree], classes=classes, dependent_type="text" if classes else "double precision")
    write_model(db, schema, "m", sketch)
    rows = rows_of(rng)

    estimator = client.model("m").to_sklearn()

    assert isinstance(estimator, DecisionTreeClassifier if classes else DecisionTreeRegressor)
    frame = frame_of(rows)
    array = np.array([[np.nan if row[f] is None else row[f] for f in ("a", "B b", "n")] for row in rows], np.float64)
    expected = in_database(db, rows, "response")
    assert estimator.predict(frame).tolist() == expected
    assert estimator.predict(array).tolist() == expected
    assert node_numbers(client.model("m"), estimator, array) == in_database(db, rows, "leaf")
    check_probabilities(estimator, frame, in_database(db, rows, "prob") if classes else None)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("null_is_level", [False, True])
@pytest.mark.parametrize("max_surrogates", [0, 3])
@pytest.mark.parametrize("classes", [CLASSES, CLASSES[:2], ()], ids=["three classes", "two classes", "regression"])
def test_levels_moments_surrogates_and_null_levels_go_where_they_go_in_the_database(
    db: psycopg.Connection,
    schema: str,
    client: madtree.Client,
    classes: tuple[str, ...],
    max_surrogates: int,
    null_is_level: bool,
) -> None:
    rng = random.Random(max_surrogates + null_is_level)
    levels = {name: [*of, None] for name, of in LEVELS.items()} if null_is_level else LEVELS
    tree = random_tree(rng, MIXED, 8, THRESHOLDS, levels, classes, max_surrogates=max_surrogates)
    sketch = Sketch(
        MIXED,
        [tree],
        classes=classes,
        dependent_type="text" if classes else "double precision",
        levels={**LEVELS, "t": [*LEVELS["t"], "seen elsewhere"]} if null_is_level else None,
    )
    write_model(db, schema, "m", sketch)
    rows = rows_of(rng)
    rows[0]["t"] = "seen elsewhere"

    estimator = client.model("m").to_sklearn()

    assert isinstance(estimator, Pipeline)
    assert type(estimator[0]) is SplitEncoder
    frame = frame_of(rows)
    assert estimator.predict(frame).tolist() == in_database(db, rows, "response")
    assert node_numbers(client.model("m"), estimator, frame) == in_database(db, rows, "leaf")
    array = frame[["a", "B b", "n", "t", "f", "d", "ts", "i"]].to_numpy()
    assert estimator.predict(array).tolist() == estimator.predict(frame).tolist()
    check_probabilities(estimator, frame, in_database(db, rows, "prob") if classes else None)
    again = pickle.loads(pickle.dumps(estimator))
    assert again.predict(frame).tolist() == estimator.predict(frame).tolist()


def check_probabilities(estimator: Any, frame: pd.DataFrame, expected: list[Any] | None) -> None:
    if expected is None:
        return
    assert estimator.predict_proba(frame).tolist() == expected


MIDDLE = {"prediction": "no", "class_weights": (6.0, 4.0)}  # of an inner node


def small_tree() -> Nodes:
    return {
        0: inner(0, "a", 0.25, majority_left=False, n_rows=10, weight=10.0, impurity=0.48, **MIDDLE),
        1: leaf(1, "yes", (1, 3), n_rows=4, weight=4.0, impurity=0.375),
        2: leaf(2, "no", (5, 1), n_rows=6, weight=6.0, impurity=0.25),
    }


def test_the_structure_is_scikit_learns_own(db: psycopg.Connection, schema: str, client: madtree.Client) -> None:
    write_model(db, schema, "m", Sketch(NUMBERS, [small_tree()]))
    estimator = client.model("m").to_sklearn()

    tree = estimator.tree_
    assert (tree.node_count, tree.max_depth, tree.n_leaves) == (3, 1, 2)
    assert (tree.feature.tolist(), tree.threshold.tolist()) == ([0, -2, -2], [0.25, -2.0, -2.0])
    assert tree.n_node_samples.tolist() == [10, 4, 6]
    assert tree.missing_go_to_left.tolist()[0] == 0
    assert estimator.classes_.tolist() == ["no", "yes"]
    assert estimator.feature_importances_.tolist() == [1, 0, 0]
    names = list(estimator.feature_names_in_)
    assert names == ["a", "B b", "n"]
    assert export_text(estimator, feature_names=names).splitlines()[0] == "|--- a <= 0.25"
    assert "a <= 0.25" in export_graphviz(estimator, feature_names=names)
    path = estimator.decision_path(np.array([[0.0, 0, 0], [1.0, 0, 0]])).toarray()
    assert path.tolist() == [[1, 1, 0], [1, 0, 1]]
    assert isinstance(clone(estimator), DecisionTreeClassifier)


def test_columns_of_the_encoder_are_called_by_their_splits(
    db: psycopg.Connection, schema: str, client: madtree.Client
) -> None:
    tree = small_tree()
    tree[0] = inner(0, "t", left_levels=("red", ""), right_levels=("Grün",), surrogates=(stand_in("a", 0.5),), **MIDDLE)
    write_model(db, schema, "m", Sketch(MIXED, [tree]))
    encoder, fitted = client.model("m").to_sklearn()
    assert encoder.get_feature_names_out().tolist() == ['not 0: t in {red,""}']
    assert export_text(fitted, feature_names=list(encoder.get_feature_names_out())).startswith("|--- not 0: t in")


@pytest.mark.parametrize(
    ("type_", "classes", "expected"),
    [("boolean", ("false", "true"), [False, True]), ("integer", ("-1", "10"), [-1, 10])],
)
def test_classes_are_of_the_dependents_type(
    db: psycopg.Connection, schema: str, client: madtree.Client, type_: str, classes: tuple[str, ...], expected: Any
) -> None:
    write_model(
        db, schema, "m", Sketch(NUMBERS, [{0: leaf(0, classes[1], (1, 2))}], classes=classes, dependent_type=type_)
    )
    estimator = client.model("m").to_sklearn()
    assert estimator.classes_.tolist() == expected
    assert estimator.predict(np.zeros((2, 3))).tolist() == [expected[1]] * 2


def test_a_grouped_model_needs_a_tree_id(db: psycopg.Connection, client: madtree.Client) -> None:
    db.execute("CREATE TABLE data AS SELECT g AS id, g % 2 AS k, g AS x, g > 50 AS y FROM generate_series(1, 100) AS g")
    model = client.tree_train("data", "m", "id", "y", "x", grouping_cols="k")
    with pytest.raises(ValueError, match="m has 2 trees, one for each group of k: tree_id must say which one"):
        model.to_sklearn()
    with pytest.raises(madtree.MadtreeError, match="tree_id must be one of"):
        model.to_sklearn(7)
    (second,) = db.execute("SELECT tree_id FROM m WHERE k = 1").fetchone() or ()
    assert model.to_sklearn(second).predict([[51], [49]]).tolist() == [True, False]


def test_a_tree_without_nodes_is_refused(db: psycopg.Connection, schema: str, client: madtree.Client) -> None:
    write_model(db, schema, "m", Sketch(NUMBERS, [{}]))
    with pytest.raises(ValueError, match="has no nodes: its group could not be trained"):
        client.model("m").to_sklearn()


def test_columns_that_lack_or_do_not_fit_are_named(db: psycopg.Connection, schema: str, client: madtree.Client) -> None:
    tree = {
        0: inner(0, "a", 1.0, **MIDDLE),
        1: inner(1, '"B b"', 1.0, **MIDDLE),
        **{number: leaf(number, "no") for number in (2, 3, 4)},
    }
    write_model(db, schema, "m", Sketch(MIXED, [tree]))
    estimator = client.model("m").to_sklearn()
    with pytest.raises(ValueError, match="X lacks columns that the model needs: 'a', 'B b'"):
        estimator.predict(pd.DataFrame({"b": [1.0]}))
    with pytest.raises(ValueError, match="X has 2 features, but the model is expecting 8 features"):
        estimator.predict([[1.0, 2.0]])
    with pytest.raises(TypeError, match="column 'a' holds text, but the model's feature is of the type double"):
        estimator.predict(pd.DataFrame({"a": ["x"], "B b": [1.0]}))
