"""Permuted rows go down a tree together where they are few: what is lost is the same."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.learn.ensemble import permutations
from madtree.learn.route import WayDown
from madtree.trees import ForestParameters, Parameters
from tests.unit.learn.ensemble.test_forest import N_TREES, SETTINGS, forest_of, forest_problem


@pytest.mark.one_in(8)
@pytest.mark.parametrize("rows_together", [1, 250, 1_000])
@pytest.mark.parametrize("name", SETTINGS)
def test_importance_is_the_same_however_many_rows_go_down_together(
    name: str, rows_together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_classes, parameters, weighted, n_groups = SETTINGS[name]
    problem, block, _ = forest_problem(300, n_classes, parameters, weighted=weighted, n_trees=n_groups)
    forest = ForestParameters(N_TREES, 2, n_permutations=3)
    walked: list[int] = []

    def noted(way: WayDown, some: object, *more: object) -> object:
        walked.append(some.codes.n_rows)  # type: ignore[attr-defined]
        return leaves(way, some, *more)  # type: ignore[arg-type]

    leaves = WayDown.leaves
    monkeypatch.setattr(WayDown, "leaves", noted)
    _, together = forest_of(problem, [block], forest)
    n_walks = len(walked)
    monkeypatch.setattr(permutations, "_WALKED_ROWS", rows_together)
    walked.clear()
    _, parted = forest_of(problem, [block], forest)
    assert len(walked) > n_walks
    assert max(walked) <= max(rows_together, 300)
    for field in ("importance", "importance_sd", "error"):
        assert np.array_equal(getattr(together, field), getattr(parted, field), equal_nan=True), field


@pytest.mark.parametrize("max_surrogates", [0, 4])
def test_features_that_a_tree_does_not_ask_for_cost_nothing(
    max_surrogates: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of its surrogates are asked for, too: with all of them permuted no feature costs anything else."""
    parameters = Parameters(min_split=40, min_bucket=20, cp=-1, n_bins=20, max_surrogates=max_surrogates)
    problem, block, _ = forest_problem(300, 2, parameters)
    forest = ForestParameters(N_TREES, 1, n_permutations=2)
    grown, said = forest_of(problem, [block], forest)
    assert {*grown.surrogates.feature.tolist()} or not max_surrogates
    monkeypatch.setattr(permutations, "_used_features", lambda routing, roots, n_features: np.arange(n_features))
    _, by_all = forest_of(problem, [block], forest)
    assert said.importance is not None
    assert by_all.importance is not None
    assert np.array_equal(said.importance, by_all.importance)
    assert said.importance.any()
