"""Settings that are tried from Python."""

from __future__ import annotations

import pytest

import madtree
from madtree.client.calls import as_grid

FEATURES = ["length", "Width", "colour"]


def test_a_grid_is_a_mapping_or_text() -> None:
    assert as_grid(None) is None
    assert as_grid("max_depth=3") == "max_depth=3"
    given = {"max_depth": [3, None], "cp": 0.5, "split_criterion": ("gini", "entropy"), "null_as_category": True}
    assert as_grid(given) == ("max_depth=3, null; cp=0.5; split_criterion='gini', 'entropy'; null_as_category=true")
    assert as_grid({"class_params": ["it's"]}) == "class_params='it''s'"


def test_scores_come_back_and_the_best_model_is_there(client: madtree.Client, flowers: None) -> None:
    params = {"max_depth": [1, 3], "split_criterion": ["gini", "entropy"], "max_leaf_nodes": [None, 4]}
    scores = client.tree_tune("flowers", "s", "id", "kind", FEATURES, params=params, n_folds=3, metric="log_loss")
    assert len(scores) == 8 * 3
    assert {row.max_leaf_nodes for row in scores} == {None, 4}
    (best,) = {(row.setting, row.max_depth, row.split_criterion) for row in scores if row.is_best}
    means = {n: sum(row.score for row in scores if row.setting == n) / 3 for n in range(1, 9)}
    assert means[best[0]] == min(means.values())
    summary = client.model("s_model").summary
    assert (summary["max_depth"], summary["split_criterion"]) == best[1:]


def test_losses_of_classes_are_values_with_commas(client: madtree.Client, flowers: None) -> None:
    params = {"class_params": [None, "class_weight=balanced"], "max_depth": 2}
    scores = client.tree_tune("flowers", "s", "id", "kind", FEATURES, params=params, metric="balanced_accuracy")
    assert {row.class_params for row in scores} == {None, "class_weight=balanced"}
    with pytest.raises(madtree.CallError, match="class_params is not tried for boosted models"):
        client.tree_tune("flowers", "s2", "id", "kind", FEATURES, "boost", {"class_params": "class_weight=balanced"})
