"""How arguments name columns and expressions of the training relation, and what the model's own columns are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.request.catalog import (
    ID_COLUMN,
    SourceColumn,
    Type,
    find_column,
    has_order,
    quoted_name,
    spelling,
    warn_of_texts,
)
from madtree.request.features import Item
from madtree.request.hints import ADD_IDS, to_be_quoted
from madtree.sqltext import catalog as sql
from madtree.sqltext.quote import MAX_IDENTIFIER_BYTES, ident, same
from madtree.sqltext.relation import Column, Relation
from madtree.sqltext.split import check_expression, name_of_words, split_alias, split_list
from madtree.sqltext.tables import TREE_COLUMNS, identifier_cut
from madtree.trees import Equality

DEPENDENT = "dependent_variable"
GROUPING = "grouping_cols"
_NO_NAME = "?column?"  # what PostgreSQL calls a column of an expression that suggests no name


class SourceNames:
    """The training relation's columns, and how arguments name them."""

    def __init__(self, columns: dict[str, SourceColumn], relation: str) -> None:
        self.columns = columns
        self.relation = relation

    def item(self, argument: str, given: str) -> Item:
        """A column or one expression."""
        check_expression(given, argument)
        column = find_column(self.columns, given, argument, self.relation)
        return Item(argument, column.sql if column else given, column)

    def aliased(self, argument: str, given: str) -> Item:
        """A column or one expression, with or without ``AS name``."""
        check_expression(given, argument)
        expression, alias = split_alias(given, argument)
        if alias is not None and len(alias.encode()) > MAX_IDENTIFIER_BYTES:
            raise MadtreeError(
                f"{argument}: {ident(alias)} has {len(alias.encode())} bytes, but a name may have "
                f"{MAX_IDENTIFIER_BYTES}",
                hint="Choose a shorter name.",
                sqlstate="42622",
            )
        return replace(self.item(argument, expression), alias=alias)

    def column(self, argument: str, given: str) -> Item:
        """A column and nothing else."""
        item = self.item(argument, given)
        if item.column is None:
            hints = to_be_quoted(given, spelling(self.columns.values())), ADD_IDS if argument == ID_COLUMN else None
            raise MadtreeError(
                f"{argument} must be the name of a column of {self.relation}, not an expression: {given}",
                hint=next(filter(None, hints), None),
            )
        return item

    def grouping(self, given: str | None, dependent: Item) -> list[Item]:
        """The columns and expressions to group by."""
        items: dict[str, Item] = {}
        for part in split_list(given, GROUPING) if given else []:
            item = self.aliased(GROUPING, part)
            if item.text in items:
                raise MadtreeError(f"{GROUPING}: {item.text} is listed twice")
            if item.text == dependent.text:
                raise MadtreeError(f"{GROUPING}: {item.text} is the dependent variable and cannot be a grouping column")
            items[item.text] = item
        return [*items.values()]


def name_of(host: Host, relation: Relation, item: Item) -> str:
    """What a column of the item's values is called, unquoted: its alias, or the name that it has in a select list.

    Where PostgreSQL has no name for an expression, one is made of the words in it.
    """
    if item.alias is not None:
        return item.alias
    if item.column:
        return item.column.name
    (row,) = host.query(sql.name_probe(relation.schema, relation.name, item.sql))
    (name,) = row
    return name if name != _NO_NAME else identifier_cut(name_of_words(item.text))


def grouping_columns(host: Host, relation: Relation, items: Sequence[Item], types: Sequence[Type]) -> list[Column]:
    """The model's grouping columns.

    Raises:
        MadtreeError: two have the same name, or one the name of another column of the output table; or one's type is
            none that a column can have.
    """
    columns: list[Column] = []
    for item, type_ in zip(items, types, strict=True):
        name = name_of(host, relation, item)
        _check_name(item, name, [column.name for column in columns])
        if type_.typtype == "p":
            raise MadtreeError(
                f"{GROUPING}: {item.text} is of type {type_.name}, which a table's column cannot have",
                hint="List its parts one by one.",
                sqlstate="42804",
            )
        own = item.column
        warn_of_texts(host, GROUPING, item.text, type_.name, type_.kept)
        if not type_.kept.as_is:
            quoted = quoted_name(host, name)
            keep = type_.as_kept
            columns.append(Column(name, quoted, keep.name, keep.equals, type_.kept.value(item.sql), keep.writer))
        elif own and own.name == name:
            columns.append(Column(name, own.sql, own.full_type, own.equals, writer=type_.writer))
        else:
            quoted = quoted_name(host, name)
            type_sql, equals = (own.full_type, own.equals) if own else (type_.name, type_.equals)
            columns.append(Column(name, quoted, type_sql, equals, item.sql, type_.writer))
        if type_.kept.as_is:
            _check_equals(host, relation, item, type_, columns[-1].equals)
    return columns


def _check_equals(host: Host, relation: Relation, item: Item, type_: Type, equals: Equality) -> None:
    """GROUP BY compares values of any type that has an order. Groups are also joined, by the operator."""
    if not type_.own and not has_order(host, relation, f"({same(f'({item.sql})', equals, f'({item.sql})')})"):
        raise MadtreeError(
            f"{GROUPING}: {item.text} is of type {type_.name}, for which PostgreSQL finds no operator =, or more than "
            "one",
            hint=f"Group by its text: ({item.text})::text AS {item.sql if item.column else 'name'}.",
            sqlstate="42883",
        )


def _check_name(item: Item, name: str, others: Sequence[str]) -> None:
    hint = f"Give it another one: {item.text} AS name."
    called = f"{item.text} is" if item.text == ident(name) or item.text == name else f"{item.text} is called {name},"
    if name in dict(TREE_COLUMNS):
        raise MadtreeError(
            f"{GROUPING}: {called} also the name of a column of the output table, which has "
            f"{', '.join(dict(TREE_COLUMNS))} besides the grouping columns",
            hint=hint,
            sqlstate="42701",
        )
    if name in others:
        raise MadtreeError(f"{GROUPING}: {item.text} is called {name}, as another one", hint=hint, sqlstate="42701")
