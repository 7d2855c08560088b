"""The rows of a table that stand for what is not known of a row that is explained."""

from __future__ import annotations

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.learn.data import Floats, Ints, Values, finished, require
from madtree.learn.shap import Background
from madtree.learn.walk import FlatTrees, Walk, inner_by_level
from madtree.model import ModelTables, NewData, casting
from madtree.records import dataclass
from madtree.request import find_source
from madtree.score.new_rows import fit_to_source, scan_of
from madtree.score.rows_at_hand import numbers_of_rows
from madtree.sqltext.predict import Scan
from madtree.trees import Model

MOST_ROWS = 10_000
_ARGUMENT = "background"


@dataclass(frozen=True)
class BackgroundTable:
    """The table, as it was given and as its rows are read."""

    given: str
    data: NewData
    scan: Scan

    @classmethod
    def checked(cls, host: Host, tables: ModelTables, model: Model, given: str) -> BackgroundTable:
        """The argument `background`.

        Raises:
            MadtreeError: there is no such table, or it lacks a column.
        """
        source = find_source(host.source, given, _ARGUMENT)
        data = fit_to_source(host, model, source, given, _ARGUMENT)
        return cls(given, data, scan_of(host, tables, model, source, data, "", ""))

    def numbers(self, host: Host, model: Model, used: Ints) -> Floats:
        """(n_rows, n_numbers) of its rows, as the model's plan takes them: the group, then the features that trees ask.

        Rows are in order of these: the table's own is none to rely on.

        Raises:
            MadtreeError: there are no rows, or too many.
        """
        id_type = self.data.types[model.id_column]
        with casting(model, self.data.features, self.given, _ARGUMENT):
            numbers, _ = numbers_of_rows(host, model, self.scan, used, id_type, MOST_ROWS + 1)
        if not len(numbers):
            raise MadtreeError(f"{_ARGUMENT}: {self.given} has no rows", sqlstate="P0002")
        if len(numbers) > MOST_ROWS:
            raise MadtreeError(
                f"{_ARGUMENT}: {self.given} has more than {MOST_ROWS:,} rows",
                hint="A few hundred tell as much: give a view of some rows, such as those where "
                f"madtree.holdout({model.id_column}, 0.01) is true.",
                sqlstate="54000",
            )
        return numbers[np.lexsort(numbers.T[::-1])]


def rows_by_group(walk: Walk, numbers: Floats, *, grouped: bool) -> list[Ints]:
    """Of each group the rows that belong to it; `numbers` (n_rows, n_numbers) as `BackgroundTable` has them."""
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
            f"{_ARGUMENT}: {given} has no row of {lacking} of the model's {len(by_group)} groups", sqlstate="P0002"
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
