"""Bootstrap samples: how often each row is drawn for each tree of an ensemble.

A draw is a hash of seed, tree and the row's identity (Breiman 2001, with Poisson(1) for sampling with replacement: Oza
and Russell 2001). So it is the same in any process, and wherever the row lies. Rows of the same identity are drawn
alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from math import exp, factorial
from typing import Any

import numpy as np

from madtree.learn.data import Array, Block, Floats, Ints, Values, flat_nonzero, keyed, mixed
from madtree.learn.problem.replicas import Folds, LeftOut, Replicas
from madtree.learn.problem.sampled import Sampled
from madtree.records import dataclass
from madtree.trees import MOST_FOLDS, SAMPLINGS

_DRAWN, _KEPT = 1, 2  # purposes of a hash
_RESOLUTION = 1 << 16  # of probabilities
MOST_MEMBERS = 1 << 20
_SHARE_WITHOUT = 1 - exp(-1)  # of the rows, as many as differ in a sample with replacement


@cache
def _poisson() -> Array:
    """(65536,) uint8: of equally likely numbers the quantiles of Poisson(1)."""
    cumulated = np.cumsum([exp(-1) / factorial(k) for k in range(10)])
    at = (np.arange(_RESOLUTION) + 0.5) / _RESOLUTION
    return np.searchsorted(cumulated, at).astype(np.uint8)


def identities(numbers: Floats) -> Array:
    """(n_rows,) uint32 identities of rows, from whole numbers below 2**32; what is none of these counts as 0."""
    fits = (numbers >= 0) & (numbers < 2**32)
    return mixed(np.where(fits, numbers, 0.0).astype(np.uint32))


@dataclass(frozen=True)
class Bootstrap(Replicas):
    """Some trees of an ensemble, each grown on a sample of the rows.

    Attributes:
        seed: of the ensemble.
        first, count: the ensemble's members that these replicas are, from 0.
        sampling: "poisson": with replacement; "without_replacement": each row once or not at all; "none": each row
            once, so that none is out of bag.
        kept: share of the rows that a tree's sample is drawn from; the others are out of reach, not out of bag.
        folds: where a fold is held out of all trees, the replicas that single trees would be. Its rows are out of bag,
            and no others.
        fold: that one.
    """

    seed: int
    first: int
    count: int
    sampling: str = "poisson"
    kept: float = 1.0
    folds: LeftOut | None = None
    fold: int = 0

    @property
    def n(self) -> int:
        return self.count

    @property
    def first_member(self) -> int:
        return self.first

    def multiplicity(self, block: Block, replica: int) -> Array:
        assert block.identity is not None
        drawn = self._drawn(block.identity, replica)
        if self.kept < 1:
            drawn = np.where(self._reached(block.identity, replica), drawn, np.uint8(0))
        in_training = None if self.folds is None else self.folds.multiplicity(block, self.fold)
        return drawn if in_training is None else drawn * in_training

    def held_out(self, block: Block, replica: int) -> Ints:
        """Indices of the rows out of bag."""
        assert block.identity is not None
        if self.folds is not None:
            return self.folds.held_out(block, self.fold)
        return self.out_of_bag(block.identity, replica)

    def out_of_bag(self, identity: Array, replica: int) -> Ints:
        """Indices of the rows out of bag, among those of some identities (n_rows,) uint32."""
        out = self._drawn(identity, replica) == 0
        if self.kept < 1:
            out &= self._reached(identity, replica)
        return flat_nonzero(out)

    def upper_bound(self, rows: Ints) -> Ints:
        """(n_trees,) what a tree's multiplicities add up to at most: all rows may have the same identity."""
        return rows * int(_poisson()[-1]) if self.sampling == "poisson" else rows

    def to_value(self) -> Any:
        return asdict(self)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Bootstrap:
        """What `to_value` gave; raises MadtreeError where it is none."""
        given = Values(values)
        return cls(
            given.integer("seed", -(2**63), 2**63 - 1),
            given.integer("first", 0, MOST_MEMBERS),
            given.integer("count", 1, MOST_MEMBERS),
            given.text("sampling", SAMPLINGS),
            given.number("kept", 0.0, 1.0),
            LeftOut.from_values(given.mapping("folds")) if "folds" in given else None,
            given.integer("fold", 0, MOST_FOLDS) if "fold" in given else 0,
        )

    def _drawn(self, identity: Array, replica: int) -> Array:
        """(n_rows,) uint8 how often each row is drawn, be it in reach or not."""
        if self.sampling == "none":
            return np.ones(len(identity), np.uint8)
        low = self._hash(identity, replica, _DRAWN).view(np.uint16)[_LOW_HALF::2]
        if self.sampling == "poisson":
            return _poisson().take(low)
        once: Array = (low < _SHARE_WITHOUT * _RESOLUTION).view(np.uint8)
        return once

    def _reached(self, identity: Array, replica: int) -> Array:
        return np.asarray(self._hash(identity, replica, _KEPT) < self.kept * 2.0**32)

    def _hash(self, identity: Array, replica: int, purpose: int) -> Array:
        return mixed(identity ^ keyed(purpose, self.seed, np.array([self.first + replica]))[0])


_LOW_HALF = 0 if np.little_endian else 1  # place of a number's lower 16 bits


def replicas_of(given: Values) -> Replicas:
    """The replicas that `Replicas.to_value` tells of, of any kind; raises MadtreeError where it tells of none."""
    if "replicas" not in given:
        return Replicas()
    if given.is_mapping("replicas"):
        values = given.mapping("replicas")
        if "kind" not in values:
            return Bootstrap.from_values(values)
        kind = Values(values).text("kind", ("sampled", "left_out"))
        return Sampled.from_values(values) if kind == "sampled" else LeftOut.from_values(values)
    return Folds(given.integer("replicas", 1, MOST_FOLDS))
