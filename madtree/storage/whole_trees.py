"""Whole trees at once: from the images of whole groups to their trees, in one process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from madtree.learn.data import Ints, LastPlan, codec
from madtree.learn.histogram import Progress
from madtree.learn.problem import RowFormat, prepare
from madtree.learn.prune import TrainedTrees, train_at_hand
from madtree.trees import Kind, Parameters


class GrowPlan:
    """What `grow_block` needs beside the rows."""

    def __init__(self, row_format: RowFormat, kinds: list[Kind], n_classes: int, parameters: Parameters) -> None:
        self.row_format = row_format
        self.kinds = kinds
        self.n_classes = n_classes
        self.parameters = parameters

    def dump(self) -> bytes:
        return codec.dump(
            {
                **self.row_format.to_values(),
                "kinds": [kind.value for kind in self.kinds],
                "n_classes": self.n_classes,
                "parameters": asdict(self.parameters),
            }
        )

    @classmethod
    def load(cls, values: dict[str, Any]) -> GrowPlan:
        return cls(
            RowFormat.from_values(values),
            [Kind(kind) for kind in values["kinds"]],
            values["n_classes"],
            Parameters(**values["parameters"]),
        )


def grow_in_block(
    plan: GrowPlan,
    images: bytes,
    tell: Callable[[Progress], None] = lambda progress: None,
    between: Callable[[], None] = lambda: None,
) -> TrainedTrees | None:
    """Train all trees whose rows are among `images`, each by its own bins; None if no row has a feature that is
    known.

    Args:
        tell: of progress.
        between: called between steps, for cancels to be let in.
    """
    tell(Progress(stage="pack"))
    rows = plan.row_format.read(images)
    del images  # what is not needed any more makes room for the histograms
    rows = rows.select(rows.usable())
    if len(rows.target) == 0:
        return None
    tree_ids: Ints = np.ones(1, np.int64)
    if rows.tree is not None:
        tree_ids, local = np.unique(rows.tree, return_inverse=True)
        rows = replace(rows, tree=local)
    problem, block = prepare(rows, len(tree_ids), plan.n_classes, plan.kinds, plan.parameters)
    del rows
    return TrainedTrees.of(*train_at_hand(problem, [block], tell, between), tree_ids)


_grow_plans = LastPlan(GrowPlan.load)


def grow_block(plan: bytes, images: bytes | None) -> bytes | None:
    """The trained trees of a block, as the bytes of a `TrainedTrees`."""
    batch = grow_in_block(_grow_plans.get(plan), images or b"")
    return None if batch is None else batch.dump()
