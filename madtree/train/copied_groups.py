"""The groups of rows that come from a server on which nothing is written."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.ingest import Groups, groups_of
from madtree.request import TrainingTask
from madtree.sqltext.relation import Column
from madtree.sqltext.value_rows import value_rows
from madtree.sqltext.work import WorkTables

_NUMBERS = (("tree_id", "int4"), ("block", "int4"), ("usable", "int8"))


def copied_groups(host: Host, listed: str, grouping: Sequence[Column], work: WorkTables) -> tuple[Groups, str]:
    """The groups, whose table is made at the model's server, and their SQL for statements at the rows' server.

    Args:
        listed: a query at the rows' server, `sqltext.profile.listed_groups` with the values of `grouping`.
    """
    found = host.source.query(listed)
    columns = [*_NUMBERS, *((f"g{i}", column.type) for i, column in enumerate(grouping, 1))]
    own = [*(name for name, _ in _NUMBERS), *(f"t{i}" for i, _ in enumerate(grouping, 1))]
    rows = [[None if row[name] is None else str(row[name]) for name in own] for row in found]
    values = f"{value_rows(columns, rows)} AS madtree_groups"
    host.command(work.create_as("groups", f"SELECT * FROM {values}"))
    return groups_of(found), values


def no_places(task: TrainingTask, most: int) -> MadtreeError:
    """The error for groups of more than `most` rows in what cannot be copied to be read by pages."""
    return MadtreeError(
        f"training_table_name: {task.arguments.training_table_name} is no plain table, and has groups of more than "
        f"{most:,} rows, which takes one where data and model are on different servers",
        hint="Train on a table or a materialized view, or on a view for each of the large groups.",
        sqlstate="0A000",
    )
