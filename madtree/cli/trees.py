"""Reading a model for drawing it: whole, or one tree of its groups."""

from __future__ import annotations

from collections.abc import Sequence

import psycopg

from madtree.cli.escapes import escaped_line
from madtree.cli.exits import USAGE, CommandError
from madtree.host.psycopg import as_host
from madtree.model import OpenModel, find_to_show, read_model
from madtree.sqltext import models as sql
from madtree.trees import Joining, Members, Model, ModelKind

# As the extension's own functions that draw have them: a group's values read the same in every session.
SETTINGS = "SET LOCAL datestyle = 'ISO'; SET LOCAL intervalstyle = 'postgres'; SET LOCAL extra_float_digits = 1"
SHOWN = 10  # groups named in an error


def kind_of(connection: psycopg.Connection, name: str) -> ModelKind:
    """What kind of model it is. Raises MadtreeError if there is no such model."""
    return find_to_show(as_host(connection), name).model.kind


def explained_sum(connection: psycopg.Connection, name: str) -> str:
    """What the contributions to one of the model's predictions add up to. Raises as `kind_of`."""
    model = find_to_show(as_host(connection), name).model
    if model.kind.joining is not Joining.SUM:
        return "prediction"
    return "raw score" if model.offsets is None else "raw score without its offset"


def read_trees(connection: psycopg.Connection, name: str, tree: int | None, group: Sequence[str] | None) -> Model:
    """The model with the trees asked for.

    Args:
        connection: inside a transaction.
        name: of the model, as the user wrote it.
        tree: number of the one tree to read.
        group: ``column=value`` for each grouping column, or the values alone, in the columns' order.

    Raises:
        MadtreeError: there is no such model, or no such tree.
        CommandError: `group` does not say which group.
    """
    connection.execute(SETTINGS)
    return read_model(as_host(connection), name, tree_id=tree_number(connection, name, tree, group))


def tree_number(connection: psycopg.Connection, name: str, tree: int | None, group: Sequence[str] | None) -> int | None:
    """The number of the one tree asked for, by itself or by its group; None for all.

    Where groups have many trees, one must be asked for: by its number, or by the group and its number there.
    """
    shown = find_to_show(as_host(connection), name)
    if shown.model.kind.members is Members.ONE:
        return tree_of_group(shown, group) if group else tree
    return member_of_group(shown, tree, group)


def member_of_group(shown: OpenModel, tree: int | None, group: Sequence[str] | None) -> int:
    """The number of one of many trees; with `group`, `tree` counts the trees of that group, from 1."""
    model = shown.model
    if tree is None:
        raise CommandError(
            f"{model.name} is {model.kind.described} of {model.n_members} trees",
            "--tree 1 shows one of them; madtree importance and madtree report tell of the whole.",
            USAGE,
        )
    if not group:
        return tree
    if not model.grouping_columns:
        raise CommandError(f"{model.name} is not grouped", "Leave --group out.", USAGE)
    first = tree_of_group(shown, group)
    members = model.numbering.members(model.numbering.group(first))
    if not 1 <= tree <= members:
        raise CommandError(f"--tree must be from 1 to {members}, not {tree}")
    return first + tree - 1


def tree_of_group(shown: OpenModel, group: Sequence[str]) -> int:
    """The number of the group's tree."""
    columns = list(shown.grouping)
    if not columns:
        raise CommandError(f"{shown.model.name} is not grouped: it has one tree", "Leave --group out.", USAGE)
    wanted = values_by_column(columns, group)
    if set(wanted) != set(columns):
        needed = " ".join(f"--group {column}=..." for column in columns)
        raise CommandError(f"--group must have one value for each of {', '.join(columns)}", needed, USAGE)
    found = shown.host.query(sql.trees(*shown.tables.at, shown.group_writers))
    for row in found:
        if list(row["group"]) == [wanted[column] for column in columns]:
            return int(row["tree_id"])
    groups = list(dict.fromkeys("/".join(row["group"]) for row in found))  # which may have several trees each
    known, more = ", ".join(map(escaped_line, groups[:SHOWN])), len(groups) - SHOWN
    raise CommandError(
        f"{shown.model.name} has no tree of the group {'/'.join(wanted.values())}",
        f"It has those of {known}{f' and {more:,} more' if more > 0 else ''}.",
    )


def values_by_column(columns: Sequence[str], group: Sequence[str]) -> dict[str, str]:
    """``column=value`` taken apart; a value alone is that of the column in its place."""
    found = {}
    for place, given in enumerate(group):
        name, equals, value = given.partition("=")
        if equals and name in columns:
            found[name] = value
        elif place < len(columns):
            found[columns[place]] = given
    return found
