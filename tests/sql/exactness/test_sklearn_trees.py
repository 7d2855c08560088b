"""scikit-learn as an oracle on real data sets.

scikit-learn breaks ties between splits at random, so whole trees are compared only where no tie matters. On every data
set each single split is: scikit-learn, given the rows of a node, must not find a better one.

Three differences are made up for: scikit-learn reads features as float32; it does not prune, and madtree at cp = 0
takes back splits that lower no risk; and its `min_samples_split` of 2 stops nothing that `min_split => 2` lets pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import oracle
import psycopg
import pytest
from datasets import facts
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from training import train
from trees import Row, read_nodes, route

Loader = Callable[[], Any]
LOADERS = [load_iris, load_wine, load_breast_cancer, load_digits]
CRITERIA = {"gini": "gini", "entropy": "entropy", "mse": "squared_error"}


def load(db: psycopg.Connection, loader: Loader) -> tuple[np.ndarray, np.ndarray]:
    """Put a bundled data set into the table `data`, features as the array x; returns it as scikit-learn sees it."""
    bunch = loader()
    x, y = bunch.data.astype(np.float32).astype(np.float64), bunch.target
    db.execute("CREATE TABLE data (id int, y int, x float8[])")
    with db.cursor().copy("COPY data FROM STDIN") as copy:
        for number, (row, label) in enumerate(zip(x, y, strict=True)):
            copy.write_row([number, int(label), row.tolist()])
    return x, y


def trained(db: psycopg.Connection, criterion: str, max_depth: int, min_bucket: int) -> dict[int, Row]:
    """The nodes of madtree's tree, with exact splits and no other bound."""
    limits = {"max_depth": max_depth, "min_split": 2, "min_bucket": min_bucket, "n_bins": 0}
    dependent = "y::float8" if criterion == "mse" else "y"
    train(db, "data", "model", dependent, "x", split_criterion=criterion, **limits)
    (nodes,) = read_nodes(db, "model").values()
    return nodes


def tree_of(criterion: str, max_depth: int, min_bucket: int) -> DecisionTreeClassifier | DecisionTreeRegressor:
    kind = DecisionTreeRegressor if criterion == "mse" else DecisionTreeClassifier
    return kind(criterion=CRITERIA[criterion], max_depth=max_depth, min_samples_leaf=min_bucket, random_state=0)


def node_impurity(nodes: dict[int, Row]) -> float:
    """Weighted impurity of all leaves."""
    return sum(row["weight"] * row["impurity"] for row in nodes.values() if row["is_leaf"])


def columns_of(x: np.ndarray, nodes: dict[int, Row]) -> dict[str, np.ndarray]:
    """The array's columns by the name that features of an array have, for the features that a tree uses."""
    used = {row["feature"] for row in nodes.values() if not row["is_leaf"]}
    columns = {f"(x)[{number + 1}]": x[:, number] for number in range(x.shape[1])}
    assert used <= set(columns)
    return columns


@pytest.mark.one_in(2)
@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "mse"])
def test_no_split_is_worse_than_scikit_learns(db: psycopg.Connection, loader: Loader, criterion: str) -> None:
    x, y = load(db, loader)
    nodes = trained(db, criterion, max_depth=6, min_bucket=3)

    columns = columns_of(x, nodes)
    for number, row in nodes.items():
        if row["is_leaf"]:
            continue
        above = {k: v for k, v in nodes.items() if k in ancestors(number)}
        members = route(above, columns) == number
        stump = tree_of(criterion, 1, 3).fit(x[members], y[members]).tree_
        weights = stump.weighted_n_node_samples * stump.impurity
        assert row["n_rows"] == members.sum()
        assert row["improvement"] == pytest.approx(weights[0] - weights[1:].sum(), rel=1e-9)
    assert len(nodes) > 3


def ancestors(number: int) -> set[int]:
    """Numbers of the nodes above a node."""
    above = set()
    while number:
        number = (number - 1) // 2
        above.add(number)
    return above


@pytest.mark.parametrize("loader", LOADERS)
def test_a_full_grown_tree_fits_the_training_data_as_well(db: psycopg.Connection, loader: Loader) -> None:
    """No tie can matter here: both grow until every leaf is pure."""
    x, y = load(db, loader)
    nodes = trained(db, "gini", max_depth=60, min_bucket=1)

    assert tree_of("gini", 60, 1).fit(x, y).score(x, y) == 1
    leaves = route(nodes, columns_of(x, nodes))
    assert [nodes[leaf]["prediction"] for leaf in leaves] == y.tolist()
    assert node_impurity(nodes) == 0


@pytest.mark.parametrize("case", facts("iris_sklearn")["cases"], ids=lambda case: f"{case['criterion']}")
def test_iris_has_the_recorded_accuracy_leaves_and_impurity(db: psycopg.Connection, case: dict[str, Any]) -> None:
    """Two features tie at the root; neither choice changes the rest of the tree."""
    x, y = load(db, load_iris)
    depth = case["max_depth"] or 60
    tree = tree_of(case["criterion"], depth, case["min_bucket"]).fit(x, y)
    unpruned = from_sklearn(tree)
    assert sum(node.split is None for node in unpruned.values()) == case["n_leaves"]
    pruned = oracle.prune(unpruned)
    leaf_totals = np.stack([node.totals for node in pruned.values() if node.split is None])

    nodes = trained(db, case["criterion"], depth, case["min_bucket"])

    leaves = route(nodes, columns_of(x, nodes))
    accuracy = np.mean([nodes[leaf]["prediction"] == label for leaf, label in zip(leaves, y, strict=True)])
    assert accuracy == pytest.approx(case["accuracy"])
    assert len(np.unique(leaves)) == len(leaf_totals)
    assert node_impurity(nodes) == pytest.approx(oracle.total_impurity(case["criterion"], leaf_totals).sum())


def from_sklearn(tree: DecisionTreeClassifier) -> dict[int, oracle.Node]:
    """A fitted classifier as the oracle's nodes; the splits say only that there is one."""
    fitted = tree.tree_
    nodes = {}
    waiting = [(0, 0)]
    while waiting:
        number, at = waiting.pop()
        totals = fitted.value[at][0] * fitted.weighted_n_node_samples[at]
        risk = float(totals.sum() - totals.max())
        nodes[number] = oracle.Node(int(fitted.n_node_samples[at]), totals, risk)
        if fitted.children_left[at] >= 0:
            nodes[number].split = oracle.Split(0.0, int(fitted.feature[at]), np.empty(0, bool))
            waiting.append((2 * number + 1, fitted.children_left[at]))
            waiting.append((2 * number + 2, fitted.children_right[at]))
    return nodes
