"""The features that are drawn for each node of a tree (Breiman 2001).

A draw is a hash of seed, tree and node, so it does not depend on the order in which nodes are split.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Array, Ints, keyed, mixed
from madtree.learn.grow import GrowingTrees
from madtree.records import dataclass

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
        n_groups: trees of each replica. They draw alike, so that a group's trees are those of its rows alone.
    """

    seed: int
    first: int
    n_groups: int
    n: int
    m: int

    def drawn(self, growing: GrowingTrees, nodes: Ints) -> Ints:
        """(n_nodes, m) the features that are drawn, ascending."""
        return drawn(self.keys(growing, nodes, _FEATURES), self.n, self.m)

    def others(self, growing: GrowingTrees, nodes: Ints) -> Ints:
        """(n_nodes, n - m) all others, in the order in which they are drawn one by one."""
        keys = self.keys(growing, nodes, _ORDER)
        order = mixed(keys[:, None] ^ np.arange(self.n, dtype=np.uint32)).astype(np.int64)
        np.put_along_axis(order, self.drawn(growing, nodes), -1, axis=1)
        return np.argsort(order, axis=1, kind="stable")[:, self.m :]

    def keys(self, growing: GrowingTrees, nodes: Ints, purpose: int) -> Array:
        """(n_nodes,) uint32 what else is drawn for nodes depends on; `purpose` tells draws for different uses apart."""
        tree = growing.tree[nodes].astype(np.int64)
        key = keyed(purpose, self.seed, self.first + tree // self.n_groups)
        node = growing.node_id[nodes]
        for word in (node & 0xFFFFFFFF, node >> 32):
            key = mixed(key ^ word.astype(np.uint32))
        return key
