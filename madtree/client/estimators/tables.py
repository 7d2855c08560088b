"""Tables that an estimator is fitted on where they are, and in which order their rows come."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from madtree.client.calls import CallError
from madtree.client.client import Client
from madtree.host import Host
from madtree.interface import NUMERIC_COLUMNS
from madtree.request import class_texts, find_column, find_columns, find_source, plain_expressions
from madtree.sqltext.estimator import (
    COLUMNS,
    PLACE_IN_TABLE,
    PRIMARY_KEY,
    labels_of,
    numbered,
    rows_by_class,
    rows_with,
    weighted_by_class,
)
from madtree.sqltext.quote import ident, literal, qualified
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import check_expression, parse_name, split_alias
from madtree.wording import first_of

# Options that name a column beside those of X and the weights, which only tables have.
COLUMN_OPTIONS = {"fold_col", *NUMERIC_COLUMNS} - {"weights"}


@dataclass(frozen=True)
class TableInPlace:
    """A table or view of the user's, which is fitted on or scored where it is.

    Attributes:
        given: its name as the user wrote it.
        relation: what that name means, looked up once.
    """

    given: str
    relation: Relation

    @classmethod
    def find(cls, host: Host, given: str) -> TableInPlace:
        """Raises MadtreeError if there is no such table."""
        return cls(given, find_source(host, given, "X"))

    @property
    def sql(self) -> str:
        return qualified(self.relation.schema, self.relation.name)

    @property
    def place(self) -> str | None:
        """By what rows without a key are put in order: their place in it. A view has the order it gives."""
        return PLACE_IN_TABLE if self.relation.is_stored else None

    def primary_key(self, host: Host) -> str | None:
        """The column that is its primary key, as SQL; None if it has none of one column."""
        rows = host.query(PRIMARY_KEY, ["pg_catalog.oid"], [self.relation.oid])
        return str(rows[0]["sql"]) if len(rows) == 1 else None

    def check_columns(self, host: Host, **given: str | None) -> None:
        """Raises MadtreeError, by the argument's name, where one that is no expression is none of its columns."""
        columns = find_columns(host, self.relation)
        for argument, text in given.items():
            if text is not None:
                find_column(columns, text, argument, self.given)

    def plain(self, host: Host, *expressions: str) -> list[str]:
        """Expressions over its row, as SQL that can be cast without running what others wrote.

        Raises:
            MadtreeError: one of them is no expression over it. No other is used then, either.
        """
        return plain_expressions(host, self.relation, expressions)


@dataclass(frozen=True)
class TrainingTable:
    """What is trained on, and the column that stands for the rows' ids there; both as SQL."""

    name: str
    id_sql: str


@contextlib.contextmanager
def training_table(
    host: Host, table: TableInPlace, id_sql: str | None, y: str, *, draws: bool = False
) -> Iterator[TrainingTable]:
    """The table to train on, with a column for the ids, which is none of the features.

    Training does not read the ids, but for distributed tables, which have a key. So where no column tells the rows
    apart the target may stand for them; where the target is an expression, a view adds a column. What `draws`
    samples or folds does so by the ids: there a view adds the rows' places.
    """
    if id_sql is not None or (parse_name(y) is not None and not draws):
        yield TrainingTable(table.given, id_sql or y)
        return
    taken = {row["name"] for row in host.query(COLUMNS, ["pg_catalog.oid"], [table.relation.oid])}
    id_name = "madtree_row"
    while id_name in taken:
        id_name += "_"
    view = ident(f"madtree_rows_{secrets.token_hex(8)}")
    host.command(numbered(view, table.sql, ident(id_name), by_place=draws))
    yield TrainingTable(f"pg_temp.{view}", ident(id_name))
    host.command(f"DROP VIEW pg_temp.{view}")


def outcome_of(y: str) -> str:
    """The column or expression that `y` is, without the name that it may give it by AS.

    Raises:
        MadtreeError: it is no expression.
    """
    expression, _ = split_alias(y, "y")
    check_expression(expression, "y")
    return expression


def count_rows(client: Client, table: TableInPlace, y: str) -> int:
    """How many rows have an outcome."""
    return int(client.query(rows_with(table.sql, outcome_of(y)))[0].rows)


def weights_of_classes(
    client: Client, table: TableInPlace, y: str, class_weight: Any, sample_weight: str | None
) -> str:
    """The rows' weights times those of their classes, as SQL.

    Args:
        class_weight: "balanced": as if all classes had as many rows; or weights by class, as scikit-learn takes them.

    Raises:
        CallError: it is neither, or has something else in the place of a class.
    """
    outcome, weight = outcome_of(y), [] if sample_weight is None else table.plain(client.host, sample_weight)
    text_of = class_texts(client.host, table.relation, outcome)
    if class_weight != "balanced" and not isinstance(class_weight, Mapping):
        raise CallError(f"class_weight must be None, 'balanced' or weights by class, not {class_weight!r}")
    counts = {row.label: row.rows for row in client.query(rows_by_class(table.sql, text_of(outcome)))}
    if class_weight == "balanced":
        total = sum(counts.values())
        weights = {label: total / (len(counts) * rows) for label, rows in counts.items()}
    else:
        weights = {str(label): float(factor) for label, factor in class_weight.items()}
        labels = [row.label for row in client.query(labels_of(text_of), [[*weights]])]
        others = [given for given, label in zip(weights, labels, strict=True) if label not in counts]
        if others and (lacking := sorted(counts.keys() - {*labels})):  # as scikit-learn has it
            raise CallError(f"class_weight: {others[0]!r} is no class of {y}; no weight has {first_of(lacking, 10)}")
    classes = {text_of(f"{literal(label)}::pg_catalog.text"): factor for label, factor in weights.items()}
    return weighted_by_class(text_of(outcome), classes, *weight)
