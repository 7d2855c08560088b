"""What a training shows of itself, as stages and steps come."""

from __future__ import annotations

from typing import Literal

import pytest

from madtree.learn.requests import Progress, StepReport
from madtree.train.activity import Activity
from madtree.trees import BOOSTED, FOREST, TREE, ModelKind


class Shown:
    """An activity whose clock a test moves, and the last text that it has shown."""

    def __init__(self, kind: ModelKind = TREE, relation: int | None = 16402, in_server: bool = True) -> None:
        self.now, self.text = 0.0, ""
        self.activity = Activity(self._show, kind, relation, in_server, lambda: self.now)

    def _show(self, text: str) -> None:
        self.text = text


def test_a_tree_shows_its_stage_its_rows_and_its_level() -> None:
    shown = Shown()
    shown.activity.begin("sample")
    assert shown.text == "madtree tree sample - - - 16402"
    shown.activity.counted(1000)
    shown.activity.begin("passes")
    assert shown.text == "madtree tree passes - - 1000 16402"
    shown.activity.report(Progress(step=StepReport("level", 1, n_nodes=1, n_rows=1000)))
    assert shown.text == "madtree tree level 1 - 1000 16402"
    shown.activity.begin("prune")
    assert shown.text == "madtree tree prune - - 1000 16402"


def test_what_remains_of_a_forest_takes_as_long_as_what_is_done() -> None:
    shown = Shown(FOREST)
    shown.now = 100.0
    shown.activity.begin("passes")
    shown.now = 110.0
    shown.activity.report(Progress(step=StepReport("tree", 10, 40)))
    assert shown.text == "madtree forest tree 10/40 30s - 16402"


def test_writing_trees_in_between_hides_nothing() -> None:
    shown = Shown(FOREST)
    shown.activity.begin("passes")
    shown.now = 10.0
    shown.activity.report(Progress(step=StepReport("tree", 10, 40)))
    for stage in ("write", "passes"):
        shown.activity.begin(stage)
        assert shown.text == "madtree forest tree 10/40 30s - 16402"
    shown.now = 20.0
    shown.activity.report(Progress(step=StepReport("tree", 20, 40)))
    assert shown.text == "madtree forest tree 20/40 20s - 16402"


@pytest.mark.parametrize(("kind", "unit"), [(FOREST, "tree"), (TREE, "block"), (BOOSTED, "tree")])
def test_what_is_written_last_is_shown(kind: ModelKind, unit: Literal["tree", "block"]) -> None:
    shown = Shown(kind)
    shown.activity.begin("passes")
    shown.activity.report(Progress(step=StepReport(unit, 40, 40)))
    shown.activity.begin("write")
    assert shown.text.split()[2] == "write"


def test_the_writing_of_a_boosted_model_that_stopped_early_is_shown() -> None:
    shown = Shown(BOOSTED)
    shown.activity.begin("passes")
    shown.activity.report(Progress(step=StepReport("tree", 10, 40)))
    shown.activity.begin("write")
    assert shown.text == "madtree boost write - - - 16402"


def test_stages_of_a_boosting_round_do_not_hide_the_round() -> None:
    shown = Shown(BOOSTED)
    shown.activity.begin("passes")
    shown.now = 1.0
    shown.activity.report(Progress(step=StepReport("round", 1, 100)))
    for stage in ("prune", "passes"):
        shown.activity.begin(stage)
        assert shown.text == "madtree boost round 1/100 99s - 16402"


def test_small_groups_show_their_blocks() -> None:
    shown = Shown()
    shown.activity.begin("sample")
    shown.now = 5.0
    for n_done in range(1, 5):
        for stage in ("pack", "passes", "prune"):
            shown.activity.begin(stage)
        shown.now += 2.0
        shown.activity.report(Progress(step=StepReport("block", n_done, 10)))
    assert shown.text == "madtree tree block 4/10 12s - 16402"
    shown.activity.begin("pack")
    assert shown.text == "madtree tree block 4/10 12s - 16402"


def test_a_client_shows_the_rows_that_it_reads_and_names_no_relation_of_another_server() -> None:
    shown = Shown(relation=None, in_server=False)
    shown.activity.begin("pack")
    shown.now = 3.0
    shown.activity.read(30, 40)
    assert shown.text == "madtree-client tree pack 30/40 1s - -"


def test_no_text_is_longer_than_what_postgres_keeps() -> None:
    shown = Shown(FOREST, relation=4_294_967_295)
    shown.activity.counted(10**12)
    shown.activity.begin("passes")
    shown.now = 1e6
    shown.activity.report(Progress(step=StepReport("tree", 10_000, 1_000_000)))
    assert shown.text == "madtree forest tree 10000/1000000 99000000s - -"
