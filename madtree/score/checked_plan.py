"""The plan of `score.block_plan`, checked when it is read: anybody may hand `score_block` a plan of their own.

What holds afterwards is what `score.block_scorer` relies on: each way down ends after `MAX_DEPTH_LIMIT` steps at most,
and no look-up leaves its array.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from madtree.learn.data import RIGHT, WIDE_LIMIT, Bools, Ints, Values, ascends, require
from madtree.score.block_plan import MOST_MEMBERS, by_node, children_in_order
from madtree.score.coded_forest import CodedForest
from madtree.score.forest_scorer import OUT_OF_BAG, SAYS_NUMBERS, WHATS
from madtree.trees import MAX_DEPTH_LIMIT

_MOST_OUTCOME = 2**32 - 1
_KEY = 2**63 - 1  # the largest key of a category
_KEYS = -_KEY - 1, _KEY


def checked_plan(values: Mapping[str, Any]) -> dict[str, Any]:
    """The plan whose values these are; raises MadtreeError where they are none of a plan's."""
    given = Values(values)
    is_category = given.booleans("is_category", None)
    grouped = given.boolean("grouped")
    trees = given.ints("trees", (None,), *_KEYS)
    require(ascends(trees) and (grouped or len(trees) <= 1), "trees", "ascending; one where rows do not name theirs")
    members = given.integer("members", 0, MOST_MEMBERS)
    require(not members or len(trees) > 0, "members", "those of a forest that is there")
    n_roots = len(trees) * max(members, 1)
    child, roots, deepest = _children(given, n_roots)
    n_nodes = len(child)
    leaf = child == np.arange(n_nodes)
    feature = given.ints("feature", (None,), 0, max(len(is_category) - 1, 0))
    require(bool(is_category) or bool(leaf.all()), "is_category", "of one feature at least, to split by")
    missing_right = given.bools("missing_right", (n_nodes,))
    require(not missing_right[leaf].any(), "missing_right", "false in a leaf")
    coded = None
    if "cut" in given:
        simple = members > 0 and not any(is_category) and len(feature) == n_nodes
        require(simple, "cut", "of a forest without categories and surrogates")
        coded = CodedForest.checked(given, child, feature, missing_right, len(is_category), deepest, roots[:members])
    outcome = given.ints("outcome", (n_nodes + 1,), 0, _MOST_OUTCOME, None)
    require(outcome.dtype.kind == "u", "outcome", "unsigned integers")
    require(int(outcome[-1]) == 0, "outcome", "0 where there is no tree")
    return {
        "trees": trees,
        "roots": roots,
        "child": child,
        "missing_right": missing_right,
        "outcome": outcome,
        "grouped": grouped,
        "feature": feature,
        "coded": coded,
        **(_thresholds(given, leaf, len(feature), len(is_category)) if coded is None else {}),
        "is_category": is_category,
        **_categories(given, is_category, len(feature), len(trees)),
        "members": members,
        **(_forest(given, n_nodes) if members else {}),
        **_samples(given, members, n_roots),
    }


def _thresholds(given: Values, leaf: Bools, n_splits: int, n_features: int) -> dict[str, Any]:
    """What splits ask, where that is not said by codes; `leaf` (n_nodes,)."""
    n_nodes = len(leaf)
    threshold = given.floats("threshold", (n_splits,), finite=False)
    # A leaf asks what no value passes, and so leads to itself.
    stays = n_splits >= n_nodes and (threshold[:n_nodes][leaf] == np.inf).all()
    require(stays, "threshold", "infinite in a leaf")
    surrogates = given.ints("surrogates", (n_nodes + 1,), n_nodes, n_splits)
    per_node = np.diff(surrogates)
    fits = not n_nodes or 0 <= int(per_node.min()) <= int(per_node.max()) <= n_features
    require(fits, "surrogates", "ascending, no more of a node than there are features")
    return {
        "threshold": threshold,
        "low_goes_left": given.bools("low_goes_left", (n_splits,)),
        "surrogates": surrogates,
    }


def _samples(given: Values, members: int, n_trees: int) -> dict[str, Any]:
    """The samples of all trees, where the plan asks what is said out of bag."""
    if not members or given.text("what", WHATS) not in OUT_OF_BAG:
        return {"samples": None}
    from madtree.learn.problem import Bootstrap  # takes long to load, and most predictions do without

    samples = Bootstrap.from_values(given.mapping("samples"))
    require(samples.count == members, "samples", "one of each tree")
    return {"samples": samples, "is_tested": given.bools("is_tested", (n_trees,))}


def _forest(given: Values, n_nodes: int) -> dict[str, Any]:
    """What the trees of a forest say."""
    what, n_classes = given.text("what", WHATS), given.integer("n_classes", 0, WIDE_LIMIT)
    if what in SAYS_NUMBERS:
        values = given.floats("values", (n_nodes, None))
        if what != "judged":
            return {"what": what, "n_classes": n_classes, "values": values}
        require(values.shape[1] == 1 + n_classes, "values", f"{1 + n_classes} of each node")
        said = values[:, 0]
        require(said.min() >= 1 and said.max() <= n_classes, "values", "numbers of classes")
        class_of = said.astype(np.min_scalar_type(n_classes))
        return {"what": what, "n_classes": n_classes, "values": values[:, 1:], "class_of": class_of}
    low, high = (0, 2**31 - 1) if what == "leaves" else (1, n_classes)
    whole = given.ints("values", (n_nodes, 1), low, high, None)
    require(whole.dtype.kind == "u", "values", "unsigned integers")
    return {"what": what, "n_classes": n_classes, "values" if what == "leaves" else "class_of": whole[:, 0]}


def _children(given: Values, n_trees: int) -> tuple[Ints, Ints, int]:
    """(n_nodes,) first children, of whole trees of no more than the greatest depth; (n_trees,) their roots; and the
    depth of the deepest.
    """
    child = given.ints("child", (None,), 0, 2**48)
    n_nodes = len(child)
    roots = given.ints("roots", (n_trees,), 0, max(n_nodes - 1, 0))
    starts = bool(ascends(roots)) and (not n_trees or int(roots[0]) == 0) and (n_trees > 0) == (n_nodes > 0)
    require(starts, "roots", "the first nodes of the trees")
    own = np.arange(n_nodes)
    inner = child != own
    require(np.array_equal(child, children_in_order(inner, roots)), "child", "in the order of the nodes")
    # In that order a child has one parent. If it stands behind that, and in the same tree, there is no circle.
    last = by_node(np.append(roots[1:], n_nodes)[: len(roots)], roots, n_nodes) - 1
    require(bool((~inner | ((child > own) & (child < last))).all()), "child", "behind its parent")
    at, depth = roots[inner[roots]], 0
    while len(at):
        depth += 1
        require(depth <= MAX_DEPTH_LIMIT, "child", f"at a depth of {MAX_DEPTH_LIMIT} at most")
        below = np.concatenate((child[at], child[at] + 1))
        at = below[inner[below]]
    return child, roots, depth


def _categories(given: Values, is_category: list[bool], n_splits: int, n_trees: int) -> dict[str, Any]:
    """The arrays in which categories are looked up."""
    arrays: dict[str, Any] = {}
    longest = 0
    for feature in np.flatnonzero(is_category).tolist():
        name = f"categories_{feature}"
        arrays[name] = given.ints(name, (None,), *_KEYS)
        require(ascends(arrays[name]), name, "ascending")
        longest = max(longest, len(arrays[name]))
    width = given.integer("width", 1 + longest, 1 + longest)
    for feature in np.flatnonzero(is_category).tolist():
        name = f"seen_{feature}"
        if name in given:
            arrays[name] = given.ints(name, (None,), 0, max(n_trees * width - 1, 0))
            require(ascends(arrays[name]), name, "ascending")
    entries = given.ints("entries", (None,), 0, max(n_splits * width - 1, 0))
    require(bool((entries[1:] >= entries[:-1]).all()), "entries", "ascending")
    return {
        **arrays,
        "width": width,
        "has_null": given.booleans("has_null", len(is_category)),
        "entries": entries,
        "entry_side": given.ints("entry_side", entries.shape, 0, RIGHT, np.uint8),
    }
