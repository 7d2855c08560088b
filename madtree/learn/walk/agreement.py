"""Nodes below which all leaves say the same: a row's way may end there."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Array, Bools, Ints


def where_leaves_agree(child: Ints, roots: Ints, said: Array) -> tuple[Bools, Array]:
    """Of all nodes (n_nodes,) whether the leaves below them, or they as leaves, say the same, and what that is.

    Args:
        child: (n_nodes,) the left child, the right one is behind it; a leaf's own index.
        roots: (n_trees,) of the trees.
        said: (n_nodes,) by each node as a leaf; where leaves differ it stays as it is.
    """
    agree: Bools = child == np.arange(len(child))
    said = said.copy()
    levels, nodes = [], roots
    while len(nodes):
        nodes = nodes[~agree.take(nodes)]
        levels.append(nodes)
        left = child.take(nodes)
        nodes = np.concatenate((left, left + 1))
    for nodes in reversed(levels):
        left = child.take(nodes)
        right = left + 1
        alike = agree.take(left) & agree.take(right) & (said.take(left) == said.take(right))
        agree[nodes] = alike
        said[nodes[alike]] = said.take(left[alike])
    return agree, said
