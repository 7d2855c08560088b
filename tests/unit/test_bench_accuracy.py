"""The page on accuracy shows the committed results, and what its prose claims of them holds."""

from __future__ import annotations

import statistics

import pytest
from accuracy.page import LEARNERS, PAGE, gap, read, rendered

RESULTS = read()
SETS = RESULTS["sets"]


def test_the_page_shows_the_results_that_are_committed() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert rendered(page, RESULTS) == page


def test_another_result_changes_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    better = {name: dict(entry, trees=dict(entry["trees"])) for name, entry in SETS.items()}
    better["iris"]["trees"]["rpart"] = {"scores": [1.0] * 10, "leaves": [3] * 10}
    changed = rendered(page, {**RESULTS, "sets": better})
    assert "| 100.0 (3)" in changed
    assert changed != page


def test_the_page_says_how_many_data_sets_there_are() -> None:
    assert len(SETS) == 15
    assert "fifteen data sets" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["", ", pruned"])
@pytest.mark.parametrize("name", SETS)
def test_every_threshold_gives_trees_as_good_as_rparts(name: str, kind: str) -> None:
    """Within three standard errors, and with about as many leaves: where splits tie, each takes another one."""
    trees = SETS[name]["trees"]
    ours, theirs = trees[LEARNERS[1] + kind], trees["rpart" + kind]
    mean, error = gap(ours["scores"], theirs["scores"])
    assert abs(mean) <= 3 * error + 1e-9
    assert statistics.mean(ours["leaves"]) == pytest.approx(statistics.mean(theirs["leaves"]), rel=0.1, abs=1)


@pytest.mark.parametrize("kind", ["", ", pruned"])
@pytest.mark.parametrize("other", LEARNERS[2:])
def test_on_the_whole_the_default_is_as_good_as_the_others(other: str, kind: str) -> None:
    gaps = [gap(e["trees"]["madtree" + kind]["scores"], e["trees"][other + kind]["scores"]) for e in SETS.values()]
    assert sum(mean < -2 * error for mean, error in gaps) <= 1
    assert statistics.median(mean for mean, _ in gaps) > -0.005
