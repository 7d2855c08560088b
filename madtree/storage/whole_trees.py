"""Whole trees at once: from the images of whole groups to their trees, in one process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.data import WIDE_LIMIT, Block, Floats, Ints, LastPlan, Steps, Values, codec, finished, require
from madtree.learn.ensemble import Forest, bootstrap, said_of, train_forest
from madtree.learn.problem import (
    RowFormat,
    forest_parameters_of,
    parameters_of,
    preparing,
    require_images,
)
from madtree.learn.prune import TrainedTrees, training_at_hand
from madtree.learn.requests import Progress, driven
from madtree.learn.route import POSITION_BYTES
from madtree.trees import ForestParameters, Kind, Parameters


class GrowPlan:
    """What `grow_block` needs beside the rows."""

    def __init__(
        self,
        row_format: RowFormat,
        kinds: list[Kind],
        n_classes: int,
        parameters: Parameters,
        forest: ForestParameters | None = None,
    ) -> None:
        self.row_format = row_format
        self.kinds = kinds
        self.n_classes = n_classes
        self.parameters = parameters
        self.forest = forest

    def dump(self) -> bytes:
        return codec.dump(
            {
                **self.row_format.to_values(),
                "kinds": [kind.value for kind in self.kinds],
                "n_classes": self.n_classes,
                "parameters": asdict(self.parameters),
                **({} if self.forest is None else {"forest": asdict(self.forest)}),
            }
        )

    @classmethod
    def load(cls, values: dict[str, Any]) -> GrowPlan:
        """The plan that `dump` was called on; raises MadtreeError where these are values of none."""
        given = Values(values)
        row_format = RowFormat.from_values(values)
        require(len(row_format.category_keys) > 0, "category_sizes", "those of one feature at least")
        kinds = [Kind(kind) for kind in given.texts("kinds", len(row_format.category_keys), [k.value for k in Kind])]
        n_classes = given.integer("n_classes", 0, WIDE_LIMIT)
        row_format.require_fit(n_classes, [kind is Kind.UNORDERED for kind in kinds])
        parameters = parameters_of(Values(given.mapping("parameters")), n_classes)
        costs = len(parameters.feature_costs)
        require(not costs or costs == len(kinds), "feature_costs", "those of all features, or of none")
        if row_format.fold_keys is not None:
            fits = len(row_format.fold_keys) == parameters.n_folds
            require(fits, "fold_keys", "as many as there are folds")
        forest = forest_parameters_of(Values(given.mapping("forest")), len(kinds)) if "forest" in given else None
        require(forest is None or row_format.has_identity, "forest", "of rows that are told apart")
        return cls(row_format, kinds, n_classes, parameters, forest)


def grow_in_block(
    plan: GrowPlan,
    images: bytes | Floats,
    tell: Callable[[Progress], None] = lambda progress: None,
    between: Callable[[], None] = lambda: None,
    deliver: Callable[[TrainedTrees], None] | None = None,
) -> TrainedTrees | None:
    """Train all trees whose rows are among `images`, each by its own bins; None if no row has a feature that is
    known.

    Args:
        images: of the rows, or their numbers (n_rows, n_columns).
        tell: of progress.
        between: called between steps, for cancels to be let in.
        deliver: is handed trees that are done while others grow, which are not in the result then; None for all in the
            result.
    """
    return finished(_growing(plan, images, tell, deliver), between)


def _growing(
    plan: GrowPlan,
    images: bytes | Floats,
    tell: Callable[[Progress], None],
    deliver: Callable[[TrainedTrees], None] | None = None,
) -> Steps[TrainedTrees | None]:
    tell(Progress(stage="pack"))
    rows = plan.row_format.read(images)
    del images  # what is not needed any more makes room for the histograms
    yield
    known = rows.known()
    given, n_given = rows.tree, np.array([np.count_nonzero(known)])
    rows = rows.select(rows.usable())
    if len(rows.target) == 0:
        return None
    tree_ids: Ints = np.ones(1, np.int64)
    if rows.tree is not None and given is not None:
        tree_ids, local = np.unique(rows.tree, return_inverse=True)
        rows = replace(rows, tree=local)
        n_given = _counted(given[known], tree_ids)
    replicas = None if plan.forest is None else bootstrap(plan.parameters.seed, plan.forest)
    problem, block = yield from preparing(
        rows, len(tree_ids), plan.n_classes, plan.kinds, plan.parameters, n_given, replicas
    )
    del rows, given, known
    if plan.forest is not None:
        return (yield from _forest(Forest.of(problem, plan.forest, tree_ids), block, tell, deliver))
    outcome = yield from training_at_hand(problem, [block], tell)
    return TrainedTrees.of(*outcome, tree_ids)


def _forest(
    forest: Forest, block: Block, tell: Callable[[Progress], None], deliver: Callable[[TrainedTrees], None] | None
) -> Steps[TrainedTrees]:
    done: list[TrainedTrees] = []
    program = train_forest(forest, deliver or done.append)
    at_hand = BlocksAtHand([block], block.codes.n_rows * POSITION_BYTES * forest.members)
    said = said_of((yield from driven(program, at_hand, tell)), forest)
    return TrainedTrees.join([*done, said])


def _counted(tree: Ints, tree_ids: Ints) -> Ints:
    """(n_trees,) how many of `tree` (n_rows,) are each of `tree_ids`, ascending."""
    place = np.minimum(np.searchsorted(tree_ids, tree), len(tree_ids) - 1)
    return np.bincount(place[tree_ids[place] == tree], minlength=len(tree_ids))


_grow_plans = LastPlan(GrowPlan.load)


def grow_block(plan: bytes, images: bytes | None) -> Steps[bytes | None]:
    """The trained trees of a block, as the bytes of a `TrainedTrees`, in steps.

    Raises:
        MadtreeError: the plan or the images are damaged, or they are too many rows for a block.
    """
    grow_plan = _grow_plans.get(plan)
    require_images(images or b"", grow_plan.row_format)
    batch = yield from _growing(grow_plan, images or b"", lambda progress: None)
    return None if batch is None else batch.dump()
