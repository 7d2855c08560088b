"""Finished trees by codes: where splits ask for thresholds alone, a block's values become codes once, for all trees.

A value's code is 1 + the number of the trees' thresholds of its feature that lie below it, and 0 where it is missing.
So `value > threshold` holds just where its code is above the threshold's place among them, from 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from madtree.learn.binning import EdgeEncoder
from madtree.learn.data import Array, Bools, Coroutine, Floats, Ints, Values, ascends, flat_nonzero, require
from madtree.learn.walk.code_matrix import CodeMatrix
from madtree.learn.walk.descent import Descent
from madtree.learn.walk.flat_trees import FlatTrees
from madtree.records import dataclass

_DTYPES = (np.dtype("<u1"), np.dtype("<u2"))


@dataclass(frozen=True)
class CodeTrees:
    """Trees whose splits compare codes, ready for rows.

    Attributes:
        encoders: of each feature.
        descent: of all trees.
    """

    encoders: list[EdgeEncoder]
    descent: Descent

    @staticmethod
    def values_of(trees: FlatTrees, between: Callable[[], None] = lambda: None) -> dict[str, Any] | None:
        """What is said of the splits, for `codec.dump`: `cut`, and the thresholds of all features in one array.

        None where the trees ask for more than thresholds, or a feature has more of these than there are codes.
        `between` is called after each feature, for cancels to be let in.
        """
        if not trees.by_thresholds_alone:
            return None
        feature, threshold = trees.splits.feature, trees.splits.threshold
        nodes, edges = [], []
        for f in range(len(trees.is_category)):
            between()
            nodes.append(flat_nonzero(feature == f))
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

    @classmethod
    def from_values(
        cls,
        given: Values,
        child: Ints,
        missing_right: Bools,
        feature: Ints,
        n_features: int,
        deepest: int,
        together: Ints,
    ) -> CodeTrees:
        """What `values_of` says, of arrays (n_nodes,) that are checked already; the others are those of `Descent`.

        Raises:
            MadtreeError: a leaf sends rows on, or thresholds are no more than codes.
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

    @property
    def threshold(self) -> Floats:
        """(n_nodes,) of the splits; infinite in a leaf."""
        cut = self.descent.cut
        found: Floats = np.full(len(cut), np.inf)
        for f, encoder in enumerate(self.encoders):
            mine = flat_nonzero((self.descent.feature == f) & (cut < np.iinfo(cut.dtype).max))
            found[mine] = encoder.edges.take(cut[mine].astype(np.int64) - 1)
        return found

    def route(self, values: Floats) -> RowsByCodes:
        """The ways of at most `MOST_ROWS` rows whose values (n_features, n_rows) these are, NaN where missing."""
        codes: Array = np.empty(values.shape, self.descent.cut.dtype)
        for f, encoder in enumerate(self.encoders):
            codes[f] = encoder.codes(values[f])
        return RowsByCodes(self.descent, codes)


class RowsByCodes:
    """The ways of some rows, by their codes."""

    def __init__(self, descent: Descent, codes: Array) -> None:
        """`codes`: (n_features, n_rows)."""
        self._descent, self._codes = descent, codes
        self._matrix = CodeMatrix(codes)

    def of(self, rows: Ints) -> RowsByCodes:
        """As `Route`."""
        return RowsByCodes(self._descent, self._codes.take(rows, axis=1))

    def leaves(self, root: int | Ints) -> Coroutine[Ints]:
        """As `Route`."""
        yield
        return self._descent.leaves(root, self._matrix)

    def sides(self, nodes: Ints) -> Coroutine[Bools]:
        """As `Route`."""
        yield
        return self._descent.sides(nodes, self._matrix)
