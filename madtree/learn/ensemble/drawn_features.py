"""The features that are drawn for each node of a forest's trees (Breiman 2001).

A draw is a hash of seed, tree and node, so it does not depend on the order in which nodes are split.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from madtree.learn.data import Array, Bools, Ints, keyed, mixed
from madtree.learn.grow import GrowingTrees

_FEATURES, _ORDER = 3, 4  # purposes of a hash
_STEP = np.uint32(0x9E3779B9)  # 2**32 divided by the golden ratio


def drawn(keys: Array, n: int, m: int) -> Ints:
    """(n_nodes, m) `m` of `n` features without replacement for each node, ascending; `keys` (n_nodes,) uint32.

    Floyd's method (Bentley and Floyd, "A sample of brilliance", 1987).
    """
    h, found = mixed(keys), np.empty((len(keys), m), np.int64)
    for j, top in enumerate(range(n - m, n)):
        h = mixed(h + _STEP)
        feature = ((h.astype(np.uint64) * np.uint64(top + 1)) >> np.uint64(32)).astype(np.int64)
        taken = (found[:, :j] == feature[:, None]).any(axis=1)
        found[:, j] = np.where(taken, top, feature)
    return np.sort(found, axis=1)


@dataclass(frozen=True)
class DrawnFeatures:
    """Draws `m` of `n` features for each node of the trees of an ensemble.

    Attributes:
        seed: of the ensemble.
        first: the ensemble's member, from 0, that replica 0 is.
        n_groups: trees of each replica. They draw alike, so that a group's forest is that of its rows alone.
    """

    seed: int
    first: int
    n_groups: int
    n: int
    m: int

    def allowed(self, growing: GrowingTrees, nodes: Ints) -> Bools:
        """(n_nodes, n) the features that were drawn."""
        found: Bools = np.zeros((len(nodes), self.n), np.bool_)
        np.put_along_axis(found, drawn(self._keys(growing, nodes, _FEATURES), self.n, self.m), True, axis=1)
        return found

    def rank(self, growing: GrowingTrees, nodes: Ints) -> Ints:
        """(n_nodes, n) in which order features are tried: first, together, those that were drawn, all of rank 0; then
        the others, one after the other, from 1.
        """
        keys = self._keys(growing, nodes, _ORDER)
        h = mixed(keys[:, None] ^ np.arange(self.n, dtype=np.uint32))
        order = np.where(self.allowed(growing, nodes), np.int64(-1), h.astype(np.int64))
        place = np.argsort(np.argsort(order, axis=1, kind="stable"), axis=1, kind="stable")
        ranks: Ints = np.maximum(place - (self.m - 1), 0)
        return ranks

    def _keys(self, growing: GrowingTrees, nodes: Ints, purpose: int) -> Array:
        tree = growing.tree[nodes].astype(np.int64)
        key = keyed(purpose, self.seed, self.first + tree // self.n_groups)
        node = growing.node_id[nodes]
        for word in (node & 0xFFFFFFFF, node >> 32):
            key = mixed(key ^ word.astype(np.uint32))
        return key
