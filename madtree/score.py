"""Scoring blocks of rows with numpy, for models that are too large for one SQL expression.

The plan holds all trees as flat arrays over their nodes, sorted by tree and id. In that order the children of a tree's
inner nodes follow its root pair by pair, so that one array of first children describes all trees. Every row of a block
steps down at once, a level at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.core import codec
from madtree.core.image import decode
from madtree.core.types import Bools, Floats, Ints
from madtree.errors import MadtreeError

NOWHERE = -1  # a row of a group that has no tree
NO_CHILD = -1


def build_plan(
    tree_ids: Ints,
    node_ids: Ints,
    features: Ints,
    thresholds: Floats,
    majority_left: Bools,
    minority_nodes: Ints,
    minority_keys: Ints,
    minority_features: Ints,
    is_level: Sequence[bool],
    outcomes: Ints,
) -> bytes:
    """The bytes that `score_block` works by.

    Args:
        tree_ids, node_ids: (n_nodes,) sorted by tree, then by id.
        features: (n_nodes,) position of the feature that splits the node; -1 for a leaf.
        thresholds: (n_nodes,) NaN where the feature is unordered or the node a leaf.
        majority_left: (n_nodes,) whether the left child is the majority's; anything for a leaf.
        minority_nodes, minority_keys, minority_features: (n_entries,) the levels that leave unordered nodes by the
            branch other than the majority's: position of the node, key of the level, position of the feature.
        is_level: for each feature whether its values are keys of levels, else numbers.
        outcomes: (n_nodes,) what to return for a row that ends in the node: a position from 1.

    Raises:
        MadtreeError: the nodes are not those of whole trees.
    """
    n_nodes = len(node_ids)
    trees, roots = np.unique(tree_ids, return_index=True)
    inner = features >= 0
    # Within a tree the j-th inner node has its children at 1 + 2j and 2 + 2j from the root.
    rank: Ints = np.cumsum(inner) - inner
    root_of = np.repeat(roots, np.diff(np.append(roots, n_nodes)))
    child = np.where(inner, root_of + 1 + 2 * (rank - rank[root_of]), NO_CHILD)
    parents = np.flatnonzero(inner)
    if n_nodes and (
        node_ids[roots].any()
        or child.max() + 1 >= n_nodes
        or not np.array_equal(node_ids[child[parents]], 2 * node_ids[parents] + 1)
        or not np.array_equal(tree_ids[child[parents] + 1], tree_ids[parents])
    ):
        raise MadtreeError("the model is damaged: its nodes are not whole trees")
    levels = {}
    codes = np.zeros(len(minority_keys), np.int64)
    for feature in np.flatnonzero(is_level):
        of_feature = minority_features == feature
        known, code = np.unique(minority_keys[of_feature], return_inverse=True)
        levels[f"levels_{feature}"] = known.astype(np.int64)
        codes[of_feature] = code
    width = int(codes.max(initial=0)) + 1
    return codec.dump(
        {
            "is_level": [bool(flag) for flag in is_level],
            "width": width,
            "trees": trees.astype(np.int64),
            "roots": roots.astype(np.int64),
            "feature": features.astype(np.int32),
            "threshold": thresholds.astype(np.float64),
            "majority_left": majority_left.astype(np.bool_),
            "child": child.astype(np.int64),
            "minority": np.sort(minority_nodes.astype(np.int64) * width + codes),
            "outcome": np.append(outcomes, 0).astype(np.int32),  # NOWHERE, too, finds an outcome: none
            **levels,
        }
    )


def score_block(plan: bytes, tree_ids: bytes, images: Sequence[bytes]) -> list[int | None]:
    """What the rows of one block end in: (n_rows,) the plan's outcomes, None for rows without a tree.

    Args:
        plan: of `build_plan`.
        tree_ids: array image, (n_rows,) integers; NULL for a row of an unknown group.
        images: array images of the features, (n_rows,) each: numbers, or the keys of levels.
    """
    # Arrays are views of the plan's bytes: reading it again for every block costs microseconds.
    model = codec.load(plan)
    values = np.empty((len(images), _length(tree_ids)))
    for feature, image in enumerate(images):
        values[feature] = _as_numbers(model, feature, image)
    node = _route(model, _roots(model, tree_ids), values)
    return [number or None for number in model["outcome"][node].tolist()]


def _length(image: bytes) -> int:
    return len(decode(image)[0])


def _roots(model: dict[str, Ints], tree_ids: bytes) -> Ints:
    """(n_rows,) position of each row's root, or NOWHERE."""
    wanted, valid = decode(tree_ids)
    trees, roots = model["trees"], model["roots"]
    if len(trees) == 0:
        return np.full(len(wanted), NOWHERE, np.int64)
    place = np.minimum(np.searchsorted(trees, wanted), len(trees) - 1)
    known = trees[place] == wanted
    if valid is not None:
        known &= valid
    return np.where(known, roots[place], NOWHERE)


def _as_numbers(model: dict[str, Ints], feature: int, image: bytes) -> Floats:
    """(n_rows,) a feature's numbers, or codes of its levels; NaN where missing or unknown to every node."""
    raw, valid = decode(image)
    if model["is_level"][feature]:
        levels = model[f"levels_{feature}"]
        keys = raw.astype(np.int64)
        code = np.searchsorted(levels, keys)
        known = levels[np.minimum(code, len(levels) - 1)] == keys if len(levels) else np.zeros(len(keys), bool)
        numbers = np.where(known, code, np.nan)
    else:
        numbers = raw.astype(np.float64)
    if valid is not None:
        numbers[~valid] = np.nan
    return numbers


def _route(model: dict[str, Ints], node: Ints, values: Floats) -> Ints:
    """(n_rows,) position of the leaf that each row ends in, from the roots `node`; NOWHERE stays."""
    node = node.copy()
    rows = np.flatnonzero(node != NOWHERE)
    at = node[rows]
    is_level = np.asarray(model["is_level"], bool)
    while True:
        inner = model["feature"][at] >= 0
        rows, at = rows[inner], at[inner]
        if len(rows) == 0:
            return node
        feature = model["feature"][at]
        value = values[feature, rows]
        majority_left = model["majority_left"][at]
        goes_left = value <= model["threshold"][at]
        missing = np.isnan(value)
        goes_left[missing] = majority_left[missing]
        by_level = np.flatnonzero(is_level[feature] & ~missing)
        if len(by_level):
            entry = at[by_level] * model["width"] + value[by_level].astype(np.int64)
            goes_left[by_level] = majority_left[by_level] ^ _contains(model["minority"], entry)
        at = model["child"][at] + ~goes_left
        node[rows] = at


def _contains(entries: Ints, wanted: Ints) -> Bools:
    """(n,) whether each number is among the sorted `entries`."""
    if len(entries) == 0:
        return np.zeros(len(wanted), bool)
    place = np.minimum(np.searchsorted(entries, wanted), len(entries) - 1)
    found: Bools = entries[place] == wanted
    return found
