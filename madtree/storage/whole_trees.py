"""Whole trees at once: from the images of whole groups to their trees, in one process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, field, replace
from typing import Any

import numpy as np

from madtree.learn.data import WIDE_LIMIT, Coroutine, Floats, Ints, LastPlan, Values, codec, require
from madtree.learn.ensemble import Learner, TreeLearner, learner_of
from madtree.learn.packing import RawRows, RowFormat, preparing, require_images
from madtree.learn.problem import parameters_of
from madtree.learn.prune import TrainedTrees
from madtree.learn.requests import Progress
from madtree.records import dataclass
from madtree.trees import OF_BOOSTING, FeatureKind, Parameters


@dataclass(frozen=True)
class GrowPlan:
    """What `grow_block` needs beside the rows."""

    row_format: RowFormat
    kinds: Sequence[FeatureKind]
    n_classes: int
    parameters: Parameters
    learner: Learner = field(default_factory=TreeLearner)

    def dump(self) -> bytes:
        return codec.dump(
            {
                **self.row_format.to_values(),
                "kinds": [kind.value for kind in self.kinds],
                "n_classes": self.n_classes,
                "parameters": asdict(self.parameters),
                **self.learner.to_values(),
            }
        )

    @classmethod
    def load(cls, values: dict[str, Any]) -> GrowPlan:
        """The plan that `dump` was called on; raises MadtreeError where these are values of none."""
        given = Values(values)
        row_format = RowFormat.from_values(values)
        require(len(row_format.category_keys) > 0, "category_sizes", "those of one feature at least")
        kinds = [
            FeatureKind(kind)
            for kind in given.texts("kinds", len(row_format.category_keys), [k.value for k in FeatureKind])
        ]
        n_classes = given.integer("n_classes", 0, WIDE_LIMIT)
        row_format.require_fit(n_classes, [kind is FeatureKind.UNORDERED for kind in kinds])
        parameters = parameters_of(Values(given.mapping("parameters")), n_classes)
        require(parameters.criterion not in OF_BOOSTING, "criterion", "one of those that are asked for")
        require(parameters.fit(len(kinds)), "parameters", "those of all features, or of none")
        learner = learner_of(given, row_format)
        if row_format.fold_keys is not None:
            fits = len(row_format.fold_keys) == (2 if learner.holds_out else parameters.n_folds)
            require(fits, "fold_keys", "as many as there are folds")
        elif parameters.n_folds:
            require("identity" in row_format.has, "has_identity", "true, since folds are drawn by it")
        return cls(row_format, kinds, n_classes, parameters, learner)


def growing_in_block(
    plan: GrowPlan,
    images: bytes | Floats,
    report: Callable[[Progress], None] = lambda progress: None,
    deliver: Callable[[TrainedTrees], None] | None = None,
) -> Coroutine[TrainedTrees | None]:
    """Train all trees whose rows are among `images`, each by its own bins, as a coroutine; None if no row has a feature
    that is known.

    Args:
        images: of the rows, or their numbers (n_rows, n_columns).
        report: of progress.
        deliver: is handed trees that are done while others grow, which are not in the result then; None for all in the
            result.
    """
    report(Progress(stage="pack"))
    rows = plan.row_format.read(images, by_tree=True)
    del images  # what is not needed any more makes room for the histograms
    yield
    given = replace(rows, features=np.empty((0, len(rows.target)))).select(rows.known())
    rows = rows.select(rows.usable())
    if len(rows.target) == 0:
        return None
    tree_ids: Ints = np.ones(1, np.int64)
    if rows.tree is not None:
        rows, tree_ids = rows.with_places_of_trees()
        given = rows if len(rows.target) == len(given.target) else _of_trees(given, tree_ids)
    samples = plan.learner.samples(plan.parameters)
    problem, block = yield from preparing(
        rows,
        len(tree_ids),
        plan.n_classes,
        plan.kinds,
        plan.parameters,
        replicas=samples,
        in_training=plan.learner.in_training(rows, plan.parameters),
        given=given,
    )
    del rows, given
    return (yield from plan.learner.in_block(problem, block, tree_ids, report, deliver))


def _of_trees(rows: RawRows, tree_ids: Ints) -> RawRows:
    """The rows whose tree is one of `tree_ids` (n_trees,), ascending; `tree` counts from 0."""
    assert rows.tree is not None
    place = np.minimum(np.searchsorted(tree_ids, rows.tree), len(tree_ids) - 1)
    return replace(rows, tree=place).select(tree_ids[place] == rows.tree)


_grow_plans = LastPlan(GrowPlan.load)


def grow_block(plan: bytes, images: bytes | None) -> Coroutine[bytes | None]:
    """The trained trees of a block, as the bytes of a `TrainedTrees`, as a coroutine.

    Raises:
        MadtreeError: the plan or the images are damaged, or they are too many rows for a block.
    """
    grow_plan = _grow_plans.get(plan)
    require_images(images or b"", grow_plan.row_format)
    batch = yield from growing_in_block(grow_plan, images or b"")
    return None if batch is None else batch.dump()
