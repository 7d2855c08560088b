"""Contributions against those of the package shap, of the same models as scikit-learn's.

It reads rows, as scikit-learn does, as float32, and against a background adds up what leaves say as float32, too.
"""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import madtree

FEATURES = ["a", "b", "c"]  # whose values and thresholds are the same as float32
PAIRS = [*combinations(range(3), 2)]
MODELS: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    "tree of numbers": ("tree", "price", {"min_split": 9}, {}),
    "tree of classes": ("tree", "kind", {"min_split": 9}, {}),
    "forest of numbers": ("forest", "price", {"num_trees": 5, "importance": False}, {}),
    "forest of classes": ("forest", "kind", {"num_trees": 5, "importance": False}, {"type": "prob_mean"}),
}


@pytest.fixture(scope="session")
def shap() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("shap")


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest, client: madtree.Client, flowers: None) -> tuple[Any, dict[str, Any]]:
    """A model, and how it is explained on scikit-learn's scale."""
    client.query("ALTER TABLE flowers ADD a float8, ADD b float8, ADD c int")
    client.query(
        'UPDATE flowers SET a = floor(length * 8) / 8, b = floor(coalesce("Width", 1) * 8) / 8, c = id * 7 % 11, '
        "price = price + id * 7 % 31"
    )
    client.query("CREATE VIEW others AS SELECT * FROM flowers WHERE id % 9 = 4")
    kind, y, more, told = MODELS[request.param]
    return getattr(client, f"{kind}_train")("flowers", "m", "id", y, FEATURES, **more), told


def rows_of(client: madtree.Client, table: str = "flowers") -> np.ndarray:
    return client.query(f"SELECT {', '.join(FEATURES)} FROM {table} ORDER BY id").to_pandas().astype(float).to_numpy()


def ours(model: Any, columns: list[str], told: dict[str, Any]) -> np.ndarray:
    """(n_rows, n_columns) or, of several classes, (n_rows, n_columns, n_classes)."""
    found = model.shap("flowers", **told).to_dicts()
    by_id: dict[int, list[Any]] = {}
    for row in sorted(found, key=lambda row: (row["id"], row.get("class", ""))):
        by_id.setdefault(row["id"], []).append([row[name] for name in columns])
    numbers = np.array([*by_id.values()])
    return numbers[:, 0] if numbers.shape[1] == 1 else numbers.transpose(0, 2, 1)


def test_contributions_are_the_packages(client: madtree.Client, model: Any, shap: Any) -> None:
    made, told = model
    theirs = shap.TreeExplainer(made.to_sklearn(), feature_perturbation="tree_path_dependent")
    found = ours(made, ["expected", *FEATURES], told)
    np.testing.assert_allclose(found[:, 1:], theirs.shap_values(rows_of(client)), rtol=0, atol=1e-9)
    np.testing.assert_allclose(found[0, 0], np.ravel(theirs.expected_value), rtol=0, atol=1e-9)


@pytest.mark.one_in(2)
def test_interactions_are_the_packages(client: madtree.Client, model: Any, shap: Any) -> None:
    made, told = model
    explainer = shap.TreeExplainer(made.to_sklearn(), feature_perturbation="tree_path_dependent")
    theirs = explainer.shap_interaction_values(rows_of(client))
    names = [f"{FEATURES[i]}:{FEATURES[j]}" for i, j in PAIRS]
    found = ours(made, [*FEATURES, *names], {**told, "interactions": True})
    assert (np.abs(found[:, 3:]) > 1e-3).any()
    for place in range(3):
        np.testing.assert_allclose(found[:, place], theirs[:, place, place], rtol=0, atol=1e-9)
    for number, (i, j) in enumerate(PAIRS):
        np.testing.assert_allclose(found[:, 3 + number], theirs[:, i, j] + theirs[:, j, i], rtol=0, atol=1e-9)


def test_contributions_against_a_background_are_the_packages(client: madtree.Client, model: Any, shap: Any) -> None:
    made, told = model
    others = rows_of(client, "others")
    theirs = shap.TreeExplainer(made.to_sklearn(), others, feature_perturbation="interventional")
    found = ours(made, ["expected", *FEATURES], {**told, "background": "others"})
    np.testing.assert_allclose(found[:, 1:], theirs.shap_values(rows_of(client)), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found[0, 0], np.ravel(theirs.expected_value), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_interactions_against_a_background_are_the_packages(
    client: madtree.Client, flowers: None, shap: Any, kind: str
) -> None:
    """Of two features: what the package sums up over all subsets of more is another index (Shapley-Taylor)."""
    more = {"num_trees": 5, "importance": False} if kind == "forest" else {}
    client.query("ALTER TABLE flowers ADD a float8, ADD b int")
    client.query("UPDATE flowers SET a = floor(length * 8) / 8, b = id * 7 % 11, price = price * (id * 7 % 11)")
    client.query("CREATE VIEW others AS SELECT * FROM flowers WHERE id % 9 = 4 AND a IS NOT NULL")
    client.query("CREATE VIEW asked AS SELECT * FROM flowers WHERE id % 5 = 0 AND a IS NOT NULL")
    made = getattr(client, f"{kind}_train")("flowers", "m", "id", "price", ["a", "b"], **more)
    asked, others = (
        client.query(f"SELECT a, b FROM {table} ORDER BY id").to_pandas().astype(float).to_numpy()
        for table in ("asked", "others")
    )
    explainer = shap.explainers.Exact(made.to_sklearn().predict, shap.maskers.Independent(others, len(others)))
    theirs = explainer(asked, interactions=True).values
    found = made.shap("asked", interactions=True, background="others").to_dicts()
    own = np.array([[row[name] for name in ("a", "b", "a:b")] for row in sorted(found, key=lambda row: row["id"])])
    assert (np.abs(own) > 1e-3).any(axis=0).all()
    wanted = [theirs[:, 0, 0], theirs[:, 1, 1], theirs[:, 0, 1] + theirs[:, 1, 0]]
    np.testing.assert_allclose(own, np.transpose(wanted), rtol=0, atol=1e-9)
