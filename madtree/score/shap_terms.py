"""What is told of a row that is explained: what each feature contributes, or what each does alone and each two together
beyond that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from madtree.learn.data import Ints
from madtree.records import dataclass

Term = tuple[int, ...]  # places of features in the model: one, or two in their order


@dataclass(frozen=True)
class Terms:
    """Of a row and an output.

    Attributes:
        features: places of those that are told of, in their order.
        with_pairs: whether each two of them are told of, too.
    """

    features: Sequence[int]
    with_pairs: bool = False

    @cached_property
    def told(self) -> list[Term]:
        """The features, and then the pairs of them."""
        return _terms(self.features, with_pairs=self.with_pairs)

    def places(self, used: Ints) -> Ints:
        """Of the terms of trees that ask some features (n_used,), of places in the model, where they are among those
        that are told; -1 of the others.
        """
        number = {term: place for place, term in enumerate(self.told)}
        of_trees = _terms(used.tolist(), with_pairs=self.with_pairs)
        return np.array([number.get(term, -1) for term in of_trees], np.int64)


def _terms(features: Sequence[int], *, with_pairs: bool) -> list[Term]:
    alone: list[Term] = [(place,) for place in features]
    return [*alone, *combinations(features, 2)] if with_pairs else alone
