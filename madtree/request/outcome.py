"""What is learned: classes or numbers, and by which criterion."""

from __future__ import annotations

import re
from collections.abc import Callable

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import defaults
from madtree.records import dataclass
from madtree.request.catalog import Type, find_types, has_order, probe_types, warn_of_texts
from madtree.request.features import Item, is_text
from madtree.request.hints import as_number
from madtree.sqltext.relation import Relation
from madtree.sqltext.values import Writer, class_writer, text_of_equal
from madtree.trees import criteria_of

NUMBER_TYPES = frozenset({"real", "double precision", "numeric"})
INTEGER_TYPES = frozenset({"smallint", "integer", "bigint"})
_CLASS_TYPES = frozenset({"boolean", "smallint", "integer", "bigint", "date"})
# By pg_type.typcategory: dates and times, network addresses, bit strings, and what is in none of PostgreSQL's
# categories (uuid): no arithmetic makes a regression of them.
_CLASS_CATEGORIES = frozenset("DIUV")
# A constant alone, which GROUP BY takes for the place of a column, or refuses; not so one with its type.
_CONSTANT = re.compile(r"[\s()+-]*(\d+|'([^']|'')*'|true|false|null)[\s()]*", re.IGNORECASE)
_TYPES_OF_CONSTANTS = {"integer": "int4", "bigint": "int8", "text": "text", "boolean": "bool"}
_WRITTEN_BY_SETTINGS = frozenset({"bytea"})  # by bytea_output, so that its text is not always the same


def fitting_criterion(
    host: Host, criterion: str, is_classification: bool, dependent: Item, type_: Type, classification: bool | None
) -> str:
    """The criterion for this dependent. A regression has mse and poisson: for others mse is taken, with a warning
    unless it is gini, the argument's default.

    Raises:
        MadtreeError: one of these for classes; or the argument `classification` says another thing than the criterion.
    """
    of_numbers = criterion in criteria_of(classes=False)
    wrong = of_numbers if is_classification else not of_numbers and criterion != defaults.SPLIT_CRITERION
    if wrong and classification is not None:
        raise MadtreeError(
            f"split_criterion {criterion} is for {'regression' if is_classification else 'classification'}, but "
            f"classification is {str(classification).lower()}"
        )
    if is_classification and of_numbers:
        *others, last = criteria_of(classes=True)
        raise MadtreeError(
            f"split_criterion {criterion} is for regression, but dependent_variable {dependent.text} is of type "
            f"{type_.name}, which means classification: {', '.join(others)} or {last}",
            hint=f"For regression, cast it: ({dependent.text})::float8." if type_.base in INTEGER_TYPES else None,
        )
    if wrong:
        host.warning(
            f"split_criterion: mse is taken for {criterion}, as dependent_variable {dependent.text} is of type "
            f"{type_.name}, which means regression; for classification, cast it: ({dependent.text})::text"
        )
    return criterion if is_classification or of_numbers else "mse"


@dataclass(frozen=True)
class CheckedOutcome:
    """What is learned: classes or numbers, SQL of a row's, its type, and how it is written as text."""

    is_classification: bool
    sql: str
    type: str
    writer: Writer | None


def outcome_of(
    host: Host, source: Relation, dependent: Item, type_: Type, classification: bool | None, integers_are_numbers: bool
) -> CheckedOutcome:
    """The outcome as the argument `classification` has it; by the dependent's type where that is NULL. Then the
    criterion, or the loss, may say that integers are numbers.
    """
    is_number = not type_.is_array and type_.base in NUMBER_TYPES
    is_class = not type_.is_array and (type_.base in _CLASS_TYPES or type_.typtype == "e" or is_text(type_))
    is_class = is_class or (_is_for_classes(type_) and has_order(host, source, dependent.sql))
    if not is_number and not is_class:
        number = as_number(dependent.text, type_.base)
        raise MadtreeError(
            f"dependent_variable {dependent.text} is of type {type_.name}; it must be boolean, integer, text, an "
            "enum, a date, a timestamp or another type with an order and no arithmetic for classification, float or "
            "numeric for regression",
            hint=f"Write {number}." if number else "Cast it to one of these.",
            sqlstate="42804",
        )
    if classification is False and not is_number and type_.base not in INTEGER_TYPES:
        raise MadtreeError(
            f"classification => false asks for a regression, but dependent_variable {dependent.text} is of type "
            f"{type_.name}, which is no number",
            hint="Leave classification out, or cast the dependent variable to a number.",
            sqlstate="42804",
        )
    if classification and is_number:
        return CheckedOutcome(True, f"({text_of_equal(dependent.sql, type_.base)})", "text", None)
    by_type = is_class and not (integers_are_numbers and type_.base in INTEGER_TYPES)
    wanted = by_type if classification is None else classification
    if wanted and type_.kept.writer is not None:
        warn_of_texts(host, dependent.argument, dependent.text, type_.name, type_.kept)
        return CheckedOutcome(True, f"({type_.kept.value(dependent.sql)})", type_.kept.type, None)
    writer = class_writer(type_.base, type_.writer) if wanted else type_.writer
    is_constant = dependent.column is None and _CONSTANT.fullmatch(dependent.text) is not None
    if is_constant and type_.base in _TYPES_OF_CONSTANTS:
        typed = f"({dependent.sql}::pg_catalog.{_TYPES_OF_CONSTANTS[type_.base]})"
        return CheckedOutcome(wanted, typed, type_.base, writer)
    return CheckedOutcome(wanted, dependent.sql, type_.base, writer)


def class_texts(host: Host, source: Relation, outcome: str) -> Callable[[str], str]:
    """How a class is told from others as text: SQL of it from SQL of the outcome, or of a class that a user has named
    in a text. Equal numbers, such as 1 and 1.0, are one class, and so are true and 1.
    """
    (oid,) = probe_types(host, source, [("y", outcome)])
    type_ = find_types(host, [oid])[oid]
    if type_.is_array or type_.base not in NUMBER_TYPES | INTEGER_TYPES | {"boolean"}:
        return type_.as_text
    read_as = "numeric" if type_.base in INTEGER_TYPES else type_.base
    return lambda number: text_of_equal(number, read_as)


def _is_for_classes(type_: Type) -> bool:
    """Whether a type is one of those whose values are classes if they have an order."""
    is_base = type_.typtype == "b" and not type_.is_array
    return is_base and type_.category in _CLASS_CATEGORIES and type_.base not in _WRITTEN_BY_SETTINGS
