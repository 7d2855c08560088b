"""Where the two ways to search a node cross: scanning its statistics bin by bin, or sweeping over its sorted rows.

A tree is grown level by level, each frontier searched both ways; the nodes get smaller as it grows. The last table
tells the rows of the nodes at which both take the same time, and how many bins, and cells of statistics (bins times
channels), such a node has for each of its rows: what `SearchTuning.bins_per_row` is chosen by. Needs no database.
"""

from __future__ import annotations

import argparse
import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
from measure.readme import table

from madtree.learn.at_hand.blocks_at_hand import BlocksAtHand
from madtree.learn.counting.count_request import CountRequest
from madtree.learn.data import finished
from madtree.learn.data.block import Block
from madtree.learn.data.types import Ints
from madtree.learn.grow import grow as growing
from madtree.learn.grow.growing import GrowingTrees
from madtree.learn.grow.split_finder import SplitFinder
from madtree.learn.packing import RawRows, prepare
from madtree.learn.problem.problem import Problem
from madtree.learn.requests import BREATH, Program
from madtree.learn.requests.provider import driven
from madtree.learn.split.best_splits import BestSplits
from madtree.trees import FeatureKind
from madtree.trees.parameters import Parameters

N_FEATURES = 10
MEMORY = 2**30  # bytes: no batches
CLASSES = (0, 2, 10, 50)  # 0: regression
BINS = (20, 100, 250)


@dataclass(frozen=True)
class Level:
    """A frontier: its nodes, their rows, and the seconds that either way took."""

    n_nodes: int
    n_rows: int
    scan: float
    sweep: float

    @property
    def rows_per_node(self) -> float:
        return self.n_rows / self.n_nodes


class BothWays:
    """In place of a SplitFinder: searches every level by counting and by sweeping, and compares."""

    def __init__(self, problem: Problem, block: Block, levels: list[Level]) -> None:
        self._provider, self._levels = BlocksAtHand([block], 2**30), levels
        self._problem = problem
        self._scan, self._sweep = SplitFinder(problem, rows_at_hand=False), SplitFinder(problem, rows_at_hand=True)
        for span in self._sweep.spans:
            span.swept_below = math.inf

    def best_splits(self, growing: GrowingTrees, frontier: Ints) -> Program[BestSplits]:
        slots = np.zeros(growing.n_nodes, np.int32)
        # Finds the rows' nodes, for both.
        self._finished(self._provider.answer(CountRequest("totals", self._problem, growing.routing, slots, 1)))
        splits, scan = _timed(lambda: self._split(self._scan, growing, frontier))
        same, sweep = _timed(lambda: self._split(self._sweep, growing, frontier))
        assert np.array_equal(splits.gain, same.gain), "the two ways differ"
        self._levels.append(Level(len(frontier), int(growing.n_rows[frontier].sum()), scan, sweep))
        yield BREATH
        return splits

    def _split(self, finder: SplitFinder, growing: GrowingTrees, frontier: Ints) -> BestSplits:
        return finished(driven(finder.best_splits(growing, frontier), self._provider))

    _finished = staticmethod(finished)


def _timed(run: Callable[[], BestSplits]) -> tuple[BestSplits, float]:
    begin = time.perf_counter()
    found = run()
    return found, time.perf_counter() - begin


def rows(n_rows: int, n_classes: int, n_bins: int) -> RawRows:
    """Rows whose target is the sum of the features, so that splits halve the nodes; as many distinct values as bins."""
    rng = np.random.default_rng(1)
    features = rng.integers(0, n_bins, (N_FEATURES, n_rows)).astype(np.float64)
    target = features.sum(axis=0)
    if n_classes:
        target = np.searchsorted(np.quantile(target, np.arange(1, n_classes) / n_classes), target).astype(np.float64)
    return RawRows(features, target, None, None)


def levels(n_rows: int, n_classes: int, n_bins: int) -> tuple[Problem, list[Level]]:
    """Grow a tree both ways."""
    criterion = "gini" if n_classes else "mse"
    parameters = Parameters(criterion, max_depth=16, min_split=4, min_bucket=1, n_bins=n_bins, memory_bytes=MEMORY)
    problem, block = prepare(
        rows(n_rows, n_classes, n_bins), 1, n_classes, [FeatureKind.CONTINUOUS] * N_FEATURES, parameters
    )
    found: list[Level] = []
    with patch.object(growing, "SplitFinder", lambda problem, rows_at_hand: BothWays(problem, block, found)):
        finished(driven(growing.grow(problem, rows_at_hand=True), BlocksAtHand([block], 2**30)))
    return problem, found


def crossing(found: Sequence[Level]) -> float | None:
    """Rows a node at which both take the same time, between two levels on a logarithmic scale; None if nowhere."""
    for large, small in itertools.pairwise(found):
        above, below = np.log(large.sweep / large.scan), np.log(small.sweep / small.scan)
        if above > 0 >= below:
            share = above / (above - below)
            return float(large.rows_per_node * (small.rows_per_node / large.rows_per_node) ** share)
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=60_000, help="rows of the tree (default: %(default)s)")
    options = parser.parse_args()
    summary = []
    for n_classes, n_bins in _configurations():
        problem, found = levels(options.rows, n_classes, n_bins)
        cells = float(problem.bins.widths.mean()) * problem.channels.count
        target = f"{n_classes} classes" if n_classes else "regression"
        print(f"\n{target}, {n_bins} bins: {cells:.0f} cells a feature of a node\n")
        lines = [
            (
                f"{level.n_nodes:,}",
                f"{level.rows_per_node:,.1f}",
                f"{level.scan / level.n_nodes * 1e6:,.1f}",
                f"{level.sweep / level.n_nodes * 1e6:,.1f}",
                f"{level.sweep / level.scan:.2f}",
            )
            for level in found
        ]
        print("\n".join(table(("nodes", "rows a node", "scan, µs a node", "sweep, µs a node", "sweep / scan"), lines)))
        at = crossing(found)
        where = ("-", "-", "-") if at is None else (f"{at:,.0f}", f"{n_bins / at:.1f}", f"{cells / at:.1f}")
        summary.append((target, str(n_bins), f"{cells:.0f}", *where))
    print()
    print("\n".join(table(("target", "bins", "cells", "rows at the crossing", "bins a row", "cells a row"), summary)))


def _configurations() -> Iterator[tuple[int, int]]:
    for n_classes in CLASSES:
        for n_bins in BINS:
            yield n_classes, n_bins


if __name__ == "__main__":
    main()
