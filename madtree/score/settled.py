"""Nodes below which every leaf says the same: there a row may stop, as its prediction is settled."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Bools, Floats, Ints


def settled_nodes(child: Ints, roots: Ints, value: Floats) -> tuple[Bools, Bools, Floats]:
    """Which inner nodes are settled, which nodes lie below none of these, and what all leaves below a node say, NaN
    where they differ; (n_nodes,) each.

    Args:
        child: (n_nodes,) position of the left child, whose sibling is next to it; a leaf's own.
        roots: (n_trees,)
        value: (n_nodes,) what each node says as a leaf.
    """
    inner = child != np.arange(len(child))
    levels = [roots[inner[roots]]]
    while len(levels[-1]):
        left = child.take(levels[-1])
        below = np.concatenate((left, left + 1))
        levels.append(below[inner.take(below)])
    said = np.where(inner, np.nan, value)  # NaN, which equals nothing, where leaves say several things
    for nodes in reversed(levels):
        left = child.take(nodes)
        one = said.take(left)
        said[nodes] = np.where(one == said.take(left + 1), one, np.nan)
    settled = inner & ~np.isnan(said)
    kept = np.ones(len(child), np.bool_)
    for nodes in levels:
        left = child.take(nodes)
        kept[left] = kept[left + 1] = kept.take(nodes) & ~settled.take(nodes)
    return settled, kept, said


def place_among(kept: Bools) -> Ints:
    """(n,) the place of each kept one among them."""
    place: Ints = np.cumsum(kept) - 1
    return place
