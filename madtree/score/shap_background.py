"""Rows that stand for what is not known of others that are explained: to which nodes they come, and what a plan says of
them.
"""

from __future__ import annotations

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.learn.data import Floats, Ints, Values, finished, require
from madtree.learn.shap import Background
from madtree.learn.walk import FlatTrees, Walk, inner_by_level
from madtree.trees import Model

MOST_ROWS = 10_000


def rows_by_group(walk: Walk, numbers: Floats, *, grouped: bool) -> list[Ints]:
    """Of each group the rows that belong to it; `numbers` (n_rows, n_numbers) as `background_numbers` has them."""
    place, known = walk.places(numbers[:, 0] if grouped else None, len(numbers))
    rows = np.arange(len(numbers)) if known is None else np.flatnonzero(known)
    place = place.take(rows)
    order = np.argsort(place, kind="stable")
    return np.split(rows.take(order), np.searchsorted(place.take(order), np.arange(1, len(walk.groups))))


def background_cover(host: Host, model: Model, trees: FlatTrees, numbers: Floats, given: str) -> Floats:
    """(n_nodes,) how many of the rows that count come to each node.

    Raises:
        MadtreeError: no row is of some group.
    """
    members, grouped = max(model.n_members, 1), bool(model.grouping_columns)
    values = Walk.values_of(trees, members, host.let_in, model.numbering.counts)
    walk = Walk.from_values(Values(values), members)
    by_group = rows_by_group(walk, numbers, grouped=grouped)
    lacking = sum(not len(rows) for rows in by_group)
    if lacking:
        raise MadtreeError(
            f"background: {given} has no row of {lacking} of the model's {len(by_group)} groups", sqlstate="P0002"
        )
    features = np.array(numbers[:, int(grouped) :][:, : len(walk.is_category)].T, np.float64, order="C")
    place = np.zeros(len(numbers), np.int64)
    for group, rows in enumerate(by_group):
        place[rows] = group
    route = walk.route_by_nodes(features, place)
    cover = np.zeros(len(walk.child))
    for group, rows in enumerate(by_group):
        own = route.of(rows)
        for root in walk.roots[walk.trees_of(members, group)].tolist():
            leaves, count = np.unique(finished(own.leaves(root), host.let_in), return_counts=True)
            cover[leaves] = count
        host.let_in()
    for nodes in reversed(inner_by_level(walk.child, walk.roots)):
        left = walk.child.take(nodes)
        cover[nodes] = cover.take(left) + cover.take(left + 1)
    return cover


def checked_background(given: Values, walk: Walk, members: int) -> Background:
    """What a plan says of a background. Raises MadtreeError where its rows are none of the trees'."""
    n_features, grouped = len(walk.is_category), given.boolean("grouped")
    numbers = given.floats("background", (None, max(grouped + n_features, 1)), finite=False)
    require(1 <= len(numbers) <= MOST_ROWS, "background", f"{MOST_ROWS} rows at most")
    by_group = rows_by_group(walk, numbers, grouped=grouped)
    require(all(len(rows) for rows in by_group), "background", "rows of each group")
    place, _ = walk.places(numbers[:, 0] if grouped else None, len(numbers))
    route = walk.route_by_nodes(np.array(numbers[:, int(grouped) :][:, :n_features].T, order="C"), place)
    n_trees = [len(walk.roots[walk.trees_of(members, group)]) for group in range(len(walk.groups))]
    return Background(route, by_group, np.repeat(np.arange(len(n_trees)), n_trees))
