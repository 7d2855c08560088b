"""The plan by which blocks of rows are scored: all trees of a model as flat arrays, which every worker is handed.

Nodes are sorted by tree and id. In that order the children of a tree's inner nodes follow its root pair by pair, so
that one array of first children describes all trees. What a split asks is kept apart from its node: the splits are
those of the nodes, in their order, and behind them the surrogates, in the order of their nodes and ranks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.data import LEFT, RIGHT, Array, Bools, Ints, codec
from madtree.score.coded_forest import coded_splits
from madtree.score.flat_trees import ALL_TREES, FlatForest, FlatNodes, FlatSplits, SeenCategories, SplitCategories
from madtree.score.forest_scorer import SAYS_NUMBERS, VOTES, unsigned
from madtree.score.idle_splits import without_idle_splits

MOST_MEMBERS = 2**20  # of a forest


def outcome_type(outcomes: Array) -> np.dtype:
    """The smallest unsigned integer that holds every outcome."""
    return unsigned(int(outcomes.max(initial=0)))


def _small(numbers: Array) -> Array:
    """The same from 0 on in fewer bytes: every block is handed the whole plan."""
    return numbers.astype(outcome_type(numbers))


def build_plan(
    nodes: FlatNodes,
    splits: FlatSplits,
    categories: SplitCategories,
    seen: SeenCategories,
    is_category: list[bool],
    *,
    grouped: bool,
    forest: FlatForest | None = None,
    between: Callable[[], None] = lambda: None,
) -> bytes:
    """The plan as `score.block_scorer.score_block` reads it.

    Args:
        is_category: for each feature whether its values are keys of categories, else numbers.
        grouped: whether rows bring a tree's id, or a forest's number, before their features.
        forest: None for single trees.
        between: called after each few passes over all nodes, for cancels to be let in.

    Raises:
        MadtreeError: the nodes are not those of whole trees.
    """
    between()
    child, roots = _first_children(nodes, splits)
    between()
    if forest and forest.what in VOTES:
        nodes, splits, categories, forest, child, roots = without_idle_splits(
            nodes, splits, categories, forest, child, roots, between
        )
        between()
    n_nodes = len(child)
    members = forest.members if forest else 1
    group_id = (nodes.tree_id - 1) // members + 1 if forest else nodes.tree_id
    trees = np.unique(group_id[roots])
    if len(roots) != len(trees) * members:
        raise MadtreeError("the model is damaged: some of its trees are missing")
    coded = None
    if forest and not any(is_category) and len(splits.node) == n_nodes:
        coded = coded_splits(splits.feature, splits.threshold, len(is_category), between)
    return codec.dump(
        {
            "trees": trees.astype(np.int64),
            "roots": roots.astype(np.int64),
            "child": _small(child),
            "missing_right": (splits.feature[:n_nodes] >= 0) & ~nodes.majority_left.astype(np.bool_),
            # Rows without a tree find an outcome, too: none.
            "outcome": np.append(nodes.outcome, 0).astype(outcome_type(nodes.outcome)),
            "grouped": grouped,
            "feature": _small(np.maximum(splits.feature, 0)),
            **(_threshold_arrays(splits, n_nodes) if coded is None else coded),
            "is_category": is_category,
            **_category_arrays(group_id, splits, categories, seen, is_category, trees, between),
            "members": 0 if forest is None else forest.members,
            **({} if forest is None else _forest_arrays(forest)),
        }
    )


def _threshold_arrays(splits: FlatSplits, n_nodes: int) -> dict[str, Any]:
    """What splits ask, where that is not said by codes (`score.coded_forest`)."""
    of_surrogates = splits.node[n_nodes:]
    return {
        # A leaf asks what no value passes, and so leads to itself.
        "threshold": np.where(splits.feature < 0, np.inf, splits.threshold).astype(np.float64),
        "low_goes_left": splits.low_goes_left.astype(np.bool_),
        # Of node i the surrogates' splits are surrogates[i] .. surrogates[i + 1] - 1.
        "surrogates": _small(n_nodes + np.searchsorted(of_surrogates, np.arange(n_nodes + 1))),
    }


def _forest_arrays(forest: FlatForest) -> dict[str, Any]:
    values = forest.values if forest.what in SAYS_NUMBERS else _small(forest.values)
    drawn = forest.drawn
    samples = {} if drawn is None else {"samples": drawn.samples.to_value(), "is_tested": drawn.is_tested}
    return {"what": forest.what, "n_classes": forest.n_classes, "values": values, **samples}


def first_nodes(tree_id: Ints) -> Ints:
    """(n_trees,) positions of the first node of each tree; `tree_id` (n_nodes,) is ascending."""
    return np.flatnonzero(np.diff(tree_id, prepend=tree_id[:1] - 1))


def _first_children(nodes: FlatNodes, splits: FlatSplits) -> tuple[Ints, Ints]:
    """(n_nodes,) each node's left child, whose sibling is next to it, a leaf's own position; (n_trees,) the roots."""
    n_nodes = len(nodes.node_id)
    roots = first_nodes(nodes.tree_id)
    inner = splits.feature[:n_nodes] >= 0
    child = children_in_order(inner, roots)
    parents = np.flatnonzero(inner)
    if n_nodes and (
        nodes.node_id[roots].any()
        or (len(parents) and child[parents].max() + 1 >= n_nodes)
        or not np.array_equal(nodes.node_id[child[parents]], 2 * nodes.node_id[parents] + 1)
        or not np.array_equal(nodes.tree_id[child[parents] + 1], nodes.tree_id[parents])
    ):
        raise MadtreeError("the model is damaged: its nodes are not whole trees")
    return child, roots


def children_in_order(inner: Bools, roots: Ints) -> Ints:
    """(n_nodes,) first children of nodes by tree and id, a leaf's own: `inner` (n_nodes,), `roots` (n_trees,)."""
    # Within a tree the j-th inner node has its children at 1 + 2j and 2 + 2j from the root.
    rank: Ints = np.cumsum(inner) - inner
    child = 2 * rank + by_node(roots + 1 - 2 * rank.take(roots), roots, len(inner))
    return np.where(inner, child, np.arange(len(inner)))


def by_node(of_trees: Ints, roots: Ints, n_nodes: int) -> Ints:
    """(n_nodes,) what each node's tree has, `of_trees` (n_trees,); the trees begin at `roots` (n_trees,), the first of
    them at 0. numpy's repeat takes several times as long.
    """
    steps = np.zeros(n_nodes, np.int64)
    steps[roots] = np.diff(of_trees, prepend=0)
    return np.cumsum(steps)


def _category_arrays(
    tree_id: Ints,
    splits: FlatSplits,
    categories: SplitCategories,
    seen: SeenCategories,
    is_category: list[bool],
    trees: Ints,
    between: Callable[[], None],
) -> dict[str, Any]:
    """The arrays in which a split's categories, and those that a feature has, are looked up.

    A category's code is its place among the keys of its feature, in `categories_<feature>`. NULL's is the one behind
    the last, where it is a category. `entries` are split x width + code of the categories that splits name, ascending,
    and `entry_side` is where they go. A category that no tree has seen has no code. One that some trees have seen and
    others have not is looked up in `seen_<feature>`: tree's position x width + code, ascending.
    """
    arrays: dict[str, Any] = {}
    codes = np.zeros(len(categories.split), np.int64)
    has_null = [False] * len(is_category)
    known_in_all: dict[int, Ints] = {}
    for feature in np.flatnonzero(is_category).tolist():
        between()
        mine = categories.feature == feature
        named, stored = categories.key[mine & ~categories.is_null], seen.key[seen.feature == feature]
        keys = np.unique(np.concatenate([named, stored]))
        has_null[feature] = bool(categories.is_null[mine].any())
        codes[mine] = np.where(categories.is_null[mine], len(keys), np.searchsorted(keys, categories.key[mine]))
        arrays[f"categories_{feature}"] = known_in_all[feature] = keys.astype(np.int64)
    width = 1 + max((len(keys) for keys in known_in_all.values()), default=0)
    tree_of = np.searchsorted(trees, tree_id)
    for feature in np.flatnonzero(has_null).tolist():
        between()
        mine, stored = (categories.feature == feature) & ~categories.is_null, seen.feature == feature
        if (seen.tree_id[stored] == ALL_TREES).any():
            continue
        stored &= np.isin(seen.tree_id, trees)  # a group may have categories, and no tree
        in_splits = tree_of[splits.node[categories.split[mine]]] * width + codes[mine]
        in_stored = np.searchsorted(trees, seen.tree_id[stored]) * width
        in_stored += np.searchsorted(known_in_all[feature], seen.key[stored])
        arrays[f"seen_{feature}"] = np.unique(np.concatenate([in_splits, in_stored])).astype(np.int64)
    between()
    entries = categories.split.astype(np.int64) * width + codes
    order = np.argsort(entries, kind="stable")
    return {
        **arrays,
        "width": width,
        "has_null": has_null,
        "entries": entries[order],
        "entry_side": np.where(categories.goes_left[order], LEFT, RIGHT).astype(np.uint8),
    }
