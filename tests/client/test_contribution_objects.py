"""Contributions as objects in Python: the rows of tree_shap and tree_explain, and what the package shap draws."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

import madtree

FEATURES = ["length", "Width", "colour"]
TRAIN: dict[str, dict[str, Any]] = {
    "tree": {},
    "forest": {"num_trees": 3, "importance": False},
    "boost": {"num_trees": 4, "max_leaf_nodes": 4, "min_bucket": 3},
}


@pytest.fixture(autouse=True)
def _rows(client: madtree.Client, flowers: None) -> None:
    """The rows that all tests read."""


def trained(client: madtree.Client, kind: str, y: str) -> Any:
    return getattr(client, f"{kind}_train")("flowers", "m", "id", y, FEATURES, replace=True, **TRAIN[kind])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("y", ["price", "kind"])
@pytest.mark.parametrize("kind", TRAIN)
def test_a_models_contributions_are_those_of_the_function(client: madtree.Client, kind: str, y: str) -> None:
    model = trained(client, kind, y)
    client.tree_shap("m", "flowers", "why")
    found = model.shap("flowers")
    assert found.columns == client.query("SELECT * FROM why").columns
    assert sorted(map(tuple, found)) == sorted(map(tuple, client.query("SELECT * FROM why")))
    assert [tuple(row) for row in model.explain("flowers", 7)] == [
        tuple(row) for row in client.tree_explain("m", "flowers", 7)
    ]
    strongest = model.shap("flowers", layout="long", top=1)
    assert {row.rank for row in strongest} == {1}
    with pytest.raises(madtree.MadtreeError, match="needs a column for each feature"):
        strongest.to_explanation()


@pytest.mark.parametrize("y", ["price", "kind"])
def test_an_explanation_is_one_of_the_package_shap(client: madtree.Client, y: str) -> None:
    shap = pytest.importorskip("shap")
    found = trained(client, "tree", y).shap("flowers")
    told = found.to_explanation(np.zeros((len({row.id for row in found}), len(FEATURES))))
    assert isinstance(told, shap.Explanation)
    assert told.feature_names == FEATURES
    by_id: dict[Any, list[Any]] = {}
    for row in found:
        by_id.setdefault(row.id, []).append(row)
    classes = sorted({row[1] for row in found}) if y == "kind" else [None]
    for number, rows in enumerate(by_id.values()):
        for row in rows:
            own = (number, classes.index(row[1])) if y == "kind" else (number,)
            values = told.values[number, :, own[1]] if y == "kind" else told.values[number]
            np.testing.assert_array_equal(values, row[-len(FEATURES) :])
            assert told.base_values[own] == row.expected
    if y == "price":
        assert told.values.shape == (len(by_id), len(FEATURES))


@pytest.mark.parametrize("kind", TRAIN)
def test_a_model_is_probed_as_by_the_functions(client: madtree.Client, kind: str) -> None:
    model = trained(client, kind, "price")
    by_values = client.partial_dependence("m", "flowers", "length", accumulated=True, grid_size=5)
    assert [*model.partial_dependence("flowers", "length", accumulated=True, grid_size=5)] == [*by_values]
    exchanged = client.permutation_importance("m", "flowers", "length", "mae", 2, seed=7)
    assert [*model.permutation_importance("flowers", "length", "mae", n_repeats=2, seed=7)] == [*exchanged]


def test_ids_that_are_there_several_times_are_refused(client: madtree.Client) -> None:
    model = trained(client, "tree", "price")
    client.query("CREATE TABLE twice AS TABLE flowers; UPDATE twice SET id = 7 WHERE id = 8")
    with pytest.raises(madtree.MadtreeError, match="an id is there several times"):
        model.shap("twice").to_explanation()


def test_they_are_awaited(url: str, client: madtree.Client) -> None:
    model = trained(client, "tree", "price")

    async def ask() -> tuple[list[Any], list[Any]]:
        async with await madtree.connect_async(url) as awaited:
            found = await awaited.model("m")
            return [*await found.shap("flowers")], [*await found.explain("flowers", 7)]

    contributions, steps = asyncio.run(ask())
    assert sorted(map(tuple, contributions)) == sorted(map(tuple, model.shap("flowers")))
    assert [*map(tuple, steps)] == [*map(tuple, model.explain("flowers", 7))]
