"""Which columns a training needs, of its table and of a second one whose rows are held out."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.request.catalog import FIRST_OTHER, SourceColumn, find_columns, types_of_others
from madtree.request.holding import renamed_by_others
from madtree.request.source import find_source
from madtree.request.train_request import HeldOutTable, TrainingTask
from madtree.sqltext.owners import BY_SUPERUSER
from madtree.sqltext.quote import ident
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import columns_in

_FLAG = "madtree_held_out"


def columns_needed(host: Host, task: TrainingTask, *, with_identity: bool) -> list[str] | None:
    """The columns that training needs, as SQL; None where an expression may need any."""
    columns = find_columns(host, task.source)
    names = _names(task, columns, with_identity=with_identity)
    return None if names is None else [columns[name].sql for name in names]


def refuse_moved(host: Host, relation: Relation, columns: Sequence[str] | None, *, is_spread: bool) -> None:
    """Raise MadtreeError where a superuser has values moved from server to server, of another role's type: they are
    read there as a text is, by which checks run that this role may have made. An enum has none on this server. On
    others its name may be that of a domain by now, of which nobody here knows.

    Args:
        columns: as of `columns_needed`.
        is_spread: whether others than this server get values.
    """
    every = find_columns(host, relation).items()
    moved = {n: c for n, c in every if c.type_oid >= FIRST_OTHER and (columns is None or c.sql in columns)}
    if not moved or not host.query(BY_SUPERUSER)[0]["by_superuser"]:
        return
    # An enum, or an array of one, has none here; a domain over it has.
    others = types_of_others(host, moved)
    checked = {n for n, t in others.items() if t.typtype != "e" or t.name.removesuffix("[]") != t.base}
    renamed = renamed_by_others(host, [column.type_oid for column in moved.values()]) if is_spread else set()
    for name, column in moved.items():
        if name in checked or column.type_oid in renamed:
            raise MadtreeError(
                f"{column.sql} of {relation.schema}.{relation.name} is of type {column.full_type}, which is another "
                "role's, or in another role's schema: Citus would run the checks that this role makes for what is of "
                "that name, with the rights of a superuser, where it moves rows",
                hint=f"Train on a view of yours that has pg_catalog.concat({column.sql}) in its place.",
                sqlstate="42501",
            )


def held_out_table(host: Host, task: TrainingTask, given: str, *, with_identity: bool) -> HeldOutTable:
    """The table `given`, whose rows are held out, and what is read of it.

    Raises:
        MadtreeError: there is none, or it lacks a column that the training needs, or has another type there.
    """
    argument = "validation_params: table"
    relation = find_source(host, given, argument)
    columns, there = find_columns(host, task.source), find_columns(host, relation)
    names = _names(task, columns, with_identity=with_identity)
    needed = list(columns) if names is None else names
    hint = f"It must have the columns of {task.arguments.training_table_name} that the training uses; a view may have."
    for name in needed:
        column, other = columns[name], there.get(name)
        if other is None:
            raise MadtreeError(f"{argument} {given} has no column {column.sql}", hint, "42703")
        if other.type_oid != column.type_oid:
            raise MadtreeError(
                f"{argument}: {column.sql} is of type {other.full_type} in {given}, and {column.full_type} in "
                f"{task.arguments.training_table_name}",
                hint,
                "42804",
            )
    flag = _FLAG
    while flag in columns:
        flag += "_"
    return HeldOutTable(relation, tuple(columns[name].sql for name in needed), ident(flag))


def _names(task: TrainingTask, columns: dict[str, SourceColumn], *, with_identity: bool) -> list[str] | None:
    """Of `columns` those that training needs, unquoted; None where an expression may need any."""
    used = [f.array or f.name for f in task.features] + [task.dependent_sql, *(c.value for c in task.grouping)]
    used += task.numbers.values()
    used += [task.parameters.fold_col] if task.parameters.fold_col else []
    used += [task.id_sql] if with_identity else []
    names = columns_in(dict.fromkeys(used), columns)
    return None if names is None else [name for name in columns if name in names]
