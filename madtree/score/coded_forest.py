"""Forests whose splits ask for thresholds alone, by codes: a block's values become codes once, for all trees.

A value's code is 1 + the number of the model's thresholds of its feature that lie below it, and 0 where it is missing.
So `value > threshold` holds just where its code is above the threshold's place among them, from 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from madtree.learn.binning import EdgeEncoder
from madtree.learn.data import Array, Bools, Floats, Ints, Steps, Values, ascends, require
from madtree.learn.walk import CodeMatrix, Descent

_DTYPES = (np.dtype("<u1"), np.dtype("<u2"))


def coded_splits(
    feature: Ints, threshold: Floats, n_features: int, between: Callable[[], None] = lambda: None
) -> dict[str, Any] | None:
    """What a plan says of the splits (n_nodes,) of trees: `cut`, and the thresholds of all features in one array.

    Args:
        feature: -1 for a leaf.
        between: called after each feature, for cancels to be let in.

    Returns:
        None where a feature has more thresholds than there are codes.
    """
    nodes, edges = [], []
    for f in range(n_features):
        between()
        nodes.append(np.flatnonzero(feature == f))
        edges.append(np.unique(threshold.take(nodes[-1])))
    most = max((len(own) for own in edges), default=0)
    dtype = next((dtype for dtype in _DTYPES if most < np.iinfo(dtype).max), None)
    if dtype is None:
        return None
    cut = np.full(len(feature), np.iinfo(dtype).max, dtype)
    for mine, own in zip(nodes, edges, strict=True):
        between()
        cut[mine] = np.searchsorted(own, threshold.take(mine)) + 1
    return {
        "cut": cut,
        "edges": np.concatenate([np.zeros(0), *edges]),
        "n_edges": np.array([len(own) for own in edges], np.int64),
    }


@dataclass(frozen=True)
class CodedForest:
    """What `coded_splits` says, checked and ready for blocks of rows.

    Attributes:
        encoders: of each feature.
        descent: of all trees.
    """

    encoders: list[EdgeEncoder]
    descent: Descent

    @classmethod
    def checked(
        cls,
        given: Values,
        child: Ints,
        feature: Ints,
        missing_right: Bools,
        n_features: int,
        deepest: int,
        together: Ints,
    ) -> CodedForest:
        """Raises MadtreeError where the plan is damaged; the arrays (n_nodes,) are checked already.

        `together`: roots of the trees that a row goes down, of any group.
        """
        n_edges = given.ints("n_edges", (n_features,), 0, np.iinfo(_DTYPES[-1]).max - 1)
        edges = given.floats("edges", (int(n_edges.sum()),), finite=False)
        own = np.split(edges, np.cumsum(n_edges)[:-1]) if n_features else []
        cut: Array = given.ints("cut", child.shape, 0, np.iinfo(_DTYPES[-1]).max, None)
        require(cut.dtype in _DTYPES, "cut", "unsigned integers of one byte or two")
        largest = np.iinfo(cut.dtype).max
        require(all(len(one) < largest and ascends(one) for one in own), "edges", "ascending, no more than codes")
        # A leaf asks what no code passes, and so leads to itself.
        leaf = child == np.arange(len(child))
        require(bool((cut[leaf] == largest).all()), "cut", "the largest number in a leaf")
        encoders = [EdgeEncoder(one, cut.dtype.type, quantiles=False) for one in own]
        return cls(encoders, Descent(feature, cut, child, missing_right, n_features, deepest, together))

    def route(self, values: Floats) -> CodedRows:
        """The ways of rows whose values (n_features, n_rows) these are, NaN where missing."""
        codes: Array = np.empty(values.shape, self.descent.cut.dtype)
        for f, encoder in enumerate(self.encoders):
            codes[f] = encoder.codes(values[f])
        return CodedRows(self.descent, codes)


class CodedRows:
    """The ways of some rows, by their codes."""

    def __init__(self, descent: Descent, codes: Array) -> None:
        """`codes`: (n_features, n_rows)."""
        self._descent, self._codes = descent, codes
        self._matrix = CodeMatrix(codes)

    def leaves(self, root: int | Ints) -> Steps[Ints]:
        """As `forest_scorer.Route`."""
        yield
        return self._descent.leaves(root, self._matrix)

    def of(self, rows: Ints) -> CodedRows:
        """As `forest_scorer.Route`."""
        return CodedRows(self._descent, self._codes.take(rows, axis=1))
