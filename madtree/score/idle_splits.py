"""Splits of a forest that decide nothing: below them all leaves vote for one class.

Most splits of a forest of limited depth are such. Without them a row's way is shorter, and the plan smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import TypeVar

import numpy as np

from madtree.learn.data import Bools, Ints
from madtree.learn.walk import where_leaves_agree
from madtree.score.flat_trees import FlatForest, FlatNodes, FlatSplits, SplitCategories

_T = TypeVar("_T", FlatNodes, FlatSplits, SplitCategories)


def without_idle_splits(
    nodes: FlatNodes,
    splits: FlatSplits,
    categories: SplitCategories,
    forest: FlatForest,
    child: Ints,
    roots: Ints,
    between: Callable[[], None],
) -> tuple[FlatNodes, FlatSplits, SplitCategories, FlatForest, Ints, Ints]:
    """The same trees with each node as a leaf below which all leaves say the same, and without the nodes below it.

    Args and what is returned:
        child: (n_nodes,) the left child, the right one is behind it; a leaf's own index.
        roots: (n_trees,) of the trees.
        between: called after each few passes over all nodes, for cancels to be let in.
    """
    n_nodes = len(child)
    every = np.arange(n_nodes)
    agree, said = where_leaves_agree(child, roots, forest.values[:, 0])
    between()
    idle = np.flatnonzero(agree & (child != every))
    kept = np.ones(n_nodes, np.bool_)
    kept[child[idle]] = kept[child[idle] + 1] = False
    asks = kept & ~agree
    # Each node's own split stays, whether it asks anything or not; surrogates stay with those that do.
    stays = np.concatenate((kept, asks[splits.node[n_nodes:]]))
    asks_still = np.concatenate((asks, np.ones(len(stays) - n_nodes, np.bool_)))
    named = _only(categories, (stays & asks_still)[categories.split])
    between()
    place, place_of_split = np.cumsum(kept) - 1, np.cumsum(stays) - 1
    own, asks_still = _only(splits, stays), asks_still[stays]
    own = replace(
        own,
        node=place.take(own.node),
        feature=np.where(asks_still, own.feature, -1),
        threshold=np.where(asks_still, own.threshold, np.nan),
    )
    return (
        _only(nodes, kept),
        own,
        replace(named, split=place_of_split[named.split]),
        replace(forest, values=said[kept, None]),
        place.take(np.where(agree, every, child)[kept]),
        place.take(roots),
    )


def _only(columns: _T, wanted: Bools) -> _T:
    """Only the entries that are `wanted` (n,)."""
    places = np.flatnonzero(wanted)
    return replace(columns, **{f.name: getattr(columns, f.name).take(places) for f in fields(columns)})
