"""What each shortcut of the split search saves: trees and forests are grown with it and without it, in turns.

A shortcut rules out candidates before their gains are computed, or searches small nodes by their rows. The table tells
the learner's processor time without the shortcut over that with it, the median of some rounds: 1.05 means that it saves
5 %. Trees must be the same to the bit. docs/architecture.md ("Looking for splits") has the figures. Needs no database.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from unittest.mock import patch

import numpy as np
from measure.readme import table

from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.criteria import criterion_of
from madtree.learn.data import USUAL_BLOCK_ROWS, finished
from madtree.learn.data.block import Block
from madtree.learn.data.types import Floats, Ints
from madtree.learn.ensemble.boosted_model import Boosting
from madtree.learn.ensemble.learners import BoostLearner, ForestLearner, Held, Learner, TreeLearner
from madtree.learn.grow import feature_span
from madtree.learn.packing import RawRows, prepare
from madtree.learn.problem import Problem, identities
from madtree.learn.prune import TrainedTrees
from madtree.learn.requests import driven
from madtree.learn.split import applies, bin_gains_apply, coarse, row_tables, shortlist, sorted_rows
from madtree.learn.split.shortlist import rough_gains_apply
from madtree.trees import FEW_ROWS, BoostParameters, FeatureKind, ForestParameters, Parameters

NEVER = 2**62
MEMORY = 2**28  # bytes
A_TREE = TreeLearner()
CLEAR = 1.5  # a ratio that a single round shows well enough


@dataclass(frozen=True)
class Shortcut:
    """A shortcut, and how it is switched off: by other sizes, or by a name in a module with another value.

    `applies`: to which problems at all.
    """

    name: str
    tuning: dict[str, float]
    applies: Callable[[Problem], bool]
    patched: tuple[object, str, object] | None = None

    @contextmanager
    def off(self, problem: Problem) -> Iterator[Problem]:
        changed = replace(problem, tuning=replace(problem.tuning, **self.tuning))
        if self.patched is None:
            yield changed
            return
        module, name, value = self.patched
        with patch.object(module, name, value):
            yield changed


def has_likely_bins(problem: Problem) -> bool:
    return criterion_of(problem).rough_bin_gains is not None and rough_gains_apply(problem)


SHORTCUTS = (
    Shortcut("coarse", {"coarse_codes": NEVER}, lambda problem: coarse.pays(problem, 0, len(problem.unordered))),
    Shortcut("screen", {"many_classes": NEVER, "many_weighted_classes": NEVER}, applies),
    Shortcut("every bin", {}, bin_gains_apply, (feature_span, "bin_gains_apply", lambda problem: False)),
    Shortcut("shortlist", {}, has_likely_bins, (shortlist, "rough_gains_apply", lambda problem: False)),
    Shortcut("rough rows", {}, rough_gains_apply, (row_tables, "rough_gains_apply", lambda problem: False)),
    Shortcut("row tables", {}, lambda problem: not problem.unordered.all(), (sorted_rows, "MOST_ROWS", 0)),
    Shortcut("small nodes", {"bins_per_row": NEVER}, lambda problem: True),
)


@dataclass(frozen=True)
class Case:
    """Rows to grow on, and how."""

    name: str
    rows: Callable[[], RawRows]
    n_classes: int
    parameters: Parameters
    n_trees: int = 1  # groups
    learner: Learner = A_TREE
    unordered: int = 0  # of the features, the last ones

    def prepared(self) -> tuple[Problem, list[Block]]:
        rows = self.rows()
        n_features = len(rows.features)
        kinds = [FeatureKind.CONTINUOUS] * (n_features - self.unordered) + [FeatureKind.UNORDERED] * self.unordered
        parameters = replace(self.parameters, memory_bytes=MEMORY)
        if self.learner.draws_rows or parameters.n_folds:
            rows = replace(rows, identity=identities(np.arange(len(rows.target), dtype=float)))
        many = np.full(self.n_trees, FEW_ROWS + 1) if self.n_trees == 1 else None
        problem, block = prepare(
            rows, self.n_trees, self.n_classes, kinds, parameters, many, self.learner.samples(parameters)
        )
        n = block.codes.n_rows
        return problem, [block.take(np.arange(a, min(a + USUAL_BLOCK_ROWS, n))) for a in range(0, n, USUAL_BLOCK_ROWS)]

    def of_trees(self, problem: Problem) -> Problem:
        """What its trees are grown on: of boosted models gradients."""
        if not isinstance(self.learner, BoostLearner):
            return problem
        groups = np.arange(problem.n_groups)
        return Boosting(problem, self.learner.parameters, groups).of_trees(np.full(len(groups), 0.5))

    def grown(self, problem: Problem, blocks: Sequence[Block]) -> tuple[float, bytes]:
        """Seconds of processor time, and the trees."""
        provider = BlocksAtHand(blocks, MEMORY)
        start = time.process_time()
        delivered: list[TrainedTrees] = []
        groups = np.arange(problem.n_groups)
        program = self.learner.program(problem, groups, delivered.append, Held(1, True, True))
        said = finished(driven(program, provider))
        took, trees = time.process_time() - start, TrainedTrees.join([*delivered, said])
        return took, trees.dump()


def sample(
    n_rows: int,
    n_features: int,
    n_classes: int,
    distinct: int = 0,
    n_groups: int = 1,
    categories: tuple[int, int] = (0, 0),
    weighted: bool = False,
) -> RawRows:
    """Uniform features, the target depends on three of them, with noise; `categories`: how many unordered features
    come last, and of how many categories.
    """
    rng = np.random.default_rng(1)
    features = rng.random((n_features, n_rows))
    signal: Floats = features[0] + features[1] * features[2] + 0.1 * rng.normal(size=n_rows)
    if distinct:
        features = np.floor(features * distinct)
    more, size = categories
    if more:
        features[-more:] = rng.integers(0, size, (more, n_rows))
        signal = signal + (features[-1] * 7919 % size) / size
    target = signal
    if n_classes:
        target = np.searchsorted(np.quantile(signal, np.arange(1, n_classes) / n_classes), signal).astype(np.float64)
        noisy = rng.random(n_rows) < 0.1
        target[noisy] = rng.integers(0, n_classes, int(noisy.sum()))
    weight = rng.gamma(2.0, size=n_rows) if weighted else None
    tree: Ints | None = np.sort(rng.integers(0, n_groups, n_rows)) if n_groups > 1 else None
    return RawRows(features, target, weight, tree)


def cases() -> list[Case]:
    usual = Parameters("gini", 10, min_split=20, min_bucket=7)
    deep = Parameters("gini", 60, min_split=2, min_bucket=1, cp=-1)
    by_mse, deep_mse = replace(usual, criterion="mse"), replace(deep, criterion="mse", min_split=5)
    forest = ForestLearner(ForestParameters(20, 3))
    few = ForestLearner(ForestParameters(5, 3))
    boosted = replace(usual, max_leaf_nodes=31, min_bucket=20, learning_rate=0.1)
    rounds = BoostLearner(BoostParameters("log_loss", 20))
    return [
        Case("300 classes, 50k x 10", partial(sample, 50_000, 10, 300), 300, replace(usual, max_depth=14)),
        Case("30 classes, 50k x 10", partial(sample, 50_000, 10, 30), 30, usual),
        Case("10 classes, 50k x 10", partial(sample, 50_000, 10, 10), 10, usual),
        Case("300 classes, entropy", partial(sample, 20_000, 10, 300), 300, replace(usual, criterion="entropy")),
        Case("50,000 values, 200k x 5", partial(sample, 200_000, 5, 2, 50_000), 2, replace(usual, n_bins=0)),
        Case("5,000 values, 50k x 10", partial(sample, 50_000, 10, 2, 5_000), 2, replace(usual, n_bins=0)),
        Case(
            "50,000 values, entropy, weights",
            partial(sample, 100_000, 5, 2, 50_000, weighted=True),
            2,
            replace(usual, n_bins=0, criterion="entropy"),
        ),
        Case("tree 1M x 10", partial(sample, 1_000_000, 10, 2), 2, usual),
        Case("tree 100k x 10", partial(sample, 100_000, 10, 2), 2, usual),
        Case("tree 50k x 100", partial(sample, 50_000, 100, 2), 2, usual),
        Case("5 classes, 100k x 10", partial(sample, 100_000, 10, 5), 5, usual),
        Case("grown out, 50k x 10", partial(sample, 50_000, 10, 2), 2, deep),
        Case("600 groups of 100", partial(sample, 60_000, 5, 2, 0, 600), 2, usual, n_trees=600),
        Case("60 groups of 1,000", partial(sample, 60_000, 5, 2, 0, 60), 2, usual, n_trees=60),
        Case("600 groups of 100, mse", partial(sample, 60_000, 5, 0, 0, 600), 0, by_mse, n_trees=600),
        Case("forest, 100k x 10", partial(sample, 100_000, 10, 2), 2, replace(deep, max_depth=12), learner=forest),
        Case("forest grown out, 30k x 10", partial(sample, 30_000, 10, 2), 2, deep, learner=forest),
        Case("forest grown out, mse, 20k", partial(sample, 20_000, 10, 0), 0, deep_mse, learner=forest),
        Case("forest, 30 classes, 20k", partial(sample, 20_000, 10, 30), 30, deep, learner=few),
        Case("forest, 300 classes, 10k", partial(sample, 10_000, 10, 300), 300, deep, learner=few),
        Case("boosted, 1M x 10", partial(sample, 1_000_000, 10, 2), 2, boosted, learner=rounds),
        Case("boosted, 100k x 10", partial(sample, 100_000, 10, 2), 2, boosted, learner=rounds),
        Case("boosted, 50k x 100", partial(sample, 50_000, 100, 2), 2, boosted, learner=rounds),
        Case("ten folds, 50k x 10", partial(sample, 50_000, 10, 2), 2, replace(usual, n_folds=10)),
        Case("mse, 100k x 10", partial(sample, 100_000, 10, 0), 0, by_mse),
        Case("mse grown out, 50k x 10", partial(sample, 50_000, 10, 0), 0, deep_mse),
        Case("20 unordered of 50, 50k", partial(sample, 50_000, 20, 2, 0, 1, (20, 50)), 2, usual, unordered=20),
        Case("entropy, 100k x 10", partial(sample, 100_000, 10, 2), 2, replace(usual, criterion="entropy")),
    ]


def savings(case: Case, chosen: Sequence[Shortcut], rounds: int) -> tuple[float, list[str]]:
    """Seconds of a run with all shortcuts, and of each shortcut what it saves; empty where it does not apply."""
    problem, blocks = case.prepared()
    seconds, expected = case.grown(problem, blocks)
    found = []
    for shortcut in chosen:
        if not shortcut.applies(case.of_trees(problem)):
            found.append("")
            continue
        ratios: list[float] = []
        for number in range(rounds):
            with shortcut.off(problem) as changed:
                without, trees = case.grown(changed, blocks)
            assert trees == expected, f"{case.name}: other trees without {shortcut.name}"
            within, _ = case.grown(problem, blocks)
            seconds = min(seconds, within)
            ratios.append(without / within)
            if number == 0 and ratios[0] > CLEAR:
                break
        found.append(f"{statistics.median(ratios):.2f}")
        print(f"{case.name:32} {shortcut.name:12} {found[-1]}   {min(ratios):.2f} to {max(ratios):.2f}", flush=True)
    return seconds, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="pairs of runs (default: %(default)s)")
    parser.add_argument("--case", default="", help="only cases whose names contain this")
    parser.add_argument("--shortcut", default="", help="only shortcuts whose names contain this")
    options = parser.parse_args()
    chosen = [shortcut for shortcut in SHORTCUTS if options.shortcut in shortcut.name]
    lines = []
    for case in cases():
        if options.case in case.name:
            seconds, found = savings(case, chosen, options.rounds)
            lines.append((case.name, f"{seconds:.2f}", *found))
    print("\n".join(table(("case", "seconds", *(shortcut.name for shortcut in chosen)), lines)))


if __name__ == "__main__":
    main()
