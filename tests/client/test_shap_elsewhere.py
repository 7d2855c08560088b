"""Contributions of boosted models against LightGBM's pred_contrib."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import madtree

PLAIN = ["length", "Width", "id2"]
SOME = {"num_trees": 9, "max_leaf_nodes": 7, "min_bucket": 4}


@pytest.fixture(autouse=True)
def _rows(client: madtree.Client, flowers: None) -> None:
    client.query("ALTER TABLE flowers ADD id2 int, ADD late boolean")
    client.query("UPDATE flowers SET id2 = nullif(id * 7 % 11, 4), price = price + id * 7 % 31, late = id * 5 % 13 > 6")


def contributions(client: madtree.Client, name: str, **more: Any) -> list[dict[str, Any]]:
    client.query("DROP TABLE IF EXISTS why")
    client.tree_shap(name, "flowers", "why", **more)
    return list(client.query("SELECT * FROM why ORDER BY id").to_dicts())


@pytest.mark.in_turn
@pytest.mark.parametrize("weights", [None, "1 + id % 3"])
@pytest.mark.parametrize("y", ["price", "kind", "late"])
def test_boosted_models_contribute_what_lightgbm_says(client: madtree.Client, y: str, weights: str | None) -> None:
    try:
        import lightgbm  # noqa: F401
    except (ImportError, OSError) as error:
        pytest.skip(f"LightGBM cannot be imported: {error}")
    model = client.boost_train("flowers", "b", "id", y, PLAIN, weights=weights, **SOME)
    columns = ", ".join(f'"{name}"' for name in PLAIN)
    rows = client.query(f"SELECT {columns} FROM flowers ORDER BY id").to_pandas().astype(float)
    found = contributions(client, "b")
    said = np.array([[row[name] for name in (*PLAIN, "expected")] for row in found])
    theirs = model.to_lightgbm().predict(rows, pred_contrib=True)
    if y == "kind":
        n_classes = theirs.shape[1] // (len(PLAIN) + 1)
        said = said[np.lexsort(([row["class"] for row in found], [row["id"] for row in found]))]
        theirs = theirs.reshape(len(rows) * n_classes, -1)
    np.testing.assert_allclose(said, theirs, rtol=0, atol=1e-12)
