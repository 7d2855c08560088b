"""The groups of rows that have a model each: their table, and its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from madtree.host import Host, Row, WorkSpace
from madtree.ingest.categories import check_length
from madtree.ingest.profile import Profile
from madtree.learn.data import Floats, Ints
from madtree.learn.packing import Scale
from madtree.records import dataclass
from madtree.sqltext import profile as sql
from madtree.sqltext.inserts import value_rows
from madtree.sqltext.relation import Column
from madtree.sqltext.rows import RowSource
from madtree.trees import RANGED_NUMBERS

_NUMBERS = (("tree_id", "int4"), ("block", "int4"), ("usable", "int8"))


@dataclass(frozen=True)
class Groups:
    """The groups of a grouped run; an entry for each, by ascending tree id.

    Attributes:
        tree_id, usable: int64.
        block: the block of small groups, -1 for the others.
        low, high, heaviest: float64, NaN where a group has no usable row.
        ranges: of each of `RANGED_NUMBERS`, by name, the smallest and the largest ones, (2, n_groups); the same.
    """

    tree_id: Ints
    usable: Ints
    block: Ints
    low: Floats
    high: Floats
    heaviest: Floats
    ranges: Mapping[str, Floats]

    def scale(self, groups: Ints, profile: Profile) -> Scale:
        """Of some groups (n,), from the profile of all rows."""
        ranges = {name: np.nan_to_num(self.ranges[name][:, groups]) for name in profile.ranges}
        targets, is_centred = np.nan_to_num(np.stack((self.low, self.high))[:, groups]), not profile.of_counts
        rows, heaviest = self.usable[groups], self.heaviest[groups]
        return Scale.of(rows, targets, heaviest, profile.integral, ranges, is_centred=is_centred)


def groups_query(
    source: RowSource, whole_rows: int, together: int, dependent_is_number: bool, counted: str | None = None
) -> str:
    """The query of the groups: those of at most `whole_rows` rows share blocks of about `together` rows.

    `counted`: the query of their figures, where they are counted in another way than by one look at all rows.
    """
    return sql.groups(source, counted or sql.group_counts(source, dependent_is_number), whole_rows, together)


def make_groups(
    host: Host, reader: Host, space: WorkSpace, source: RowSource, query: str, dependent_is_number: bool
) -> Groups:
    """Make the table of groups from `groups_query`; `reader` runs statements over the rows."""
    space.make("groups", space.tables.create_as("groups", query), by=reader)
    # Else PostgreSQL would hash the rows, not the groups, to join them.
    reader.command(space.tables.analyze("groups", source.group_columns))
    return groups_of(host.query(sql.listed_groups(source, space.tables.name("groups"), dependent_is_number)))


def copy_groups(
    reader: Host, space: WorkSpace, source: RowSource, query: str, dependent_is_number: bool, grouping: Sequence[Column]
) -> tuple[Groups, str]:
    """Make the table of groups where `reader` is the session of another server, on which nothing is written: at the
    model's server. Returns also the groups' SQL for statements at the rows' server.
    """
    found = reader.query(sql.listed_groups(source, f"({query})", dependent_is_number, grouping))
    columns = [*_NUMBERS, *((f"g{i}", column.type) for i, column in enumerate(grouping, 1))]
    own = [*(name for name, _ in _NUMBERS), *(f"t{i}" for i, _ in enumerate(grouping, 1))]
    rows = [[None if row[name] is None else str(row[name]) for name in own] for row in found]
    values = f"{value_rows(columns, rows)} AS madtree_groups"
    space.make("groups", space.tables.create_as("groups", f"SELECT * FROM {values}"))
    return groups_of(found), values


def check_group_values(host: Host, table: str, grouping: Sequence[Column]) -> None:
    """Refuse values of groups that are too long to be read from a model later; `table`: that of the groups.

    Raises:
        MadtreeError: there is one.
    """
    longest = host.query(sql.longest_values(table, grouping))[0]
    for number, column in enumerate(grouping, 1):
        check_length("grouping_cols", column.sql, longest[f"t{number}"] or 0)


def groups_of(found: Sequence[Row]) -> Groups:
    """The groups from the rows of `sqltext.profile.listed_groups`."""

    def column(name: str, missing: float) -> Floats:
        if not found or name not in found[0]:
            return np.full(len(found), missing)
        return np.array([missing if row[name] is None else float(row[name]) for row in found])

    return Groups(
        column("tree_id", 0).astype(np.int64),
        column("usable", 0).astype(np.int64),
        column("block", -1).astype(np.int64),
        column("low", np.nan),
        column("high", np.nan),
        column("heaviest", 1.0),
        {each.name: np.stack([column(end, np.nan) for end in (each.least, each.largest)]) for each in RANGED_NUMBERS},
    )
