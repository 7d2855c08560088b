"""Conditions and values for other databases than PostgreSQL: the same rows go the same way there.

Only what all have is used, where that is possible: CASE, COALESCE, IN, comparisons. An answer is 1, 0 or NULL, as not
all have truth values. What differs is in `DIALECTS`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from madtree.errors import MadtreeError
from madtree.records import dataclass
from madtree.sqltext.condition import NAN_TYPES, PLAIN, READABLE, Spelling
from madtree.sqltext.dialects import DIALECTS, POSTGRESQL, Dialect
from madtree.sqltext.split import parse_name
from madtree.trees import (
    INTEGERS,
    MOMENTS,
    RANGES,
    Feature,
    Model,
    Tree,
    first_right_label,
    last_left,
    moment_text,
)

_TEXTS = ("text", "character varying", "character", "bpchar")
_PADDED = ("character", "bpchar")  # PostgreSQL does not count the blanks at the end
_NUMBERS = (*INTEGERS, *NAN_TYPES)
_ANSWERS = {True: "1", False: "0", None: "NULL"}
_FALSE = "1 = 0"
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")
_TERMS = 50  # of a sum; SQLite and DuckDB have room for some 1,000 levels


@dataclass(frozen=True)
class Portable(Spelling):
    """How conditions and values are written for another database.

    All methods raise MadtreeError where its dialect has nothing that means the same.
    """

    dialect: Dialect = DIALECTS["duckdb"]

    def column(self, feature: Feature) -> str:
        return self._name(feature.name, f"feature {feature.name}")

    def expression(self, sql: str, argument: str) -> str:
        return f"CAST({self._name(sql, argument)} AS {self.dialect.double})"

    def is_number(self, number: str) -> str:
        is_number = self.dialect.is_number.format(number)
        return f"{number} IS NOT NULL{f' AND {is_number}' if is_number else ''}"

    def below(self, feature: Feature, threshold: float, *, whole: bool) -> str:
        return self._compared(feature, threshold, whole=whole, is_below=True)

    def beyond(self, feature: Feature, threshold: float, *, whole: bool) -> str:
        return self._compared(feature, threshold, whole=whole, is_below=False)

    def among(self, feature: Feature, categories: Sequence[str]) -> str:
        if not categories:
            return _FALSE
        operand = self.column(feature)
        if feature.type == "boolean":
            true, false = self.dialect.truths
            if len(categories) > 1:
                return f"{operand} IS NOT NULL"
            return f"{operand} = {true if categories[0] == 'true' else false}"
        if feature.type in INTEGERS:
            return _in(operand, [self._number_text(category) for category in categories])
        if feature.type not in _TEXTS:
            raise self._lacks(f"feature {feature.name}", feature.type)
        return self._of_texts(operand, feature.type, categories)

    def holds(self, condition: str) -> str:
        return f"CASE WHEN {condition} THEN 1 ELSE 0 END = 1"

    def fails(self, condition: str) -> str:
        return f"CASE WHEN {condition} THEN 1 ELSE 0 END = 0"

    def answer(self, cases: Sequence[tuple[str, bool | None]], otherwise: bool | None = None) -> str:
        whens = " ".join(f"WHEN {condition} THEN {_ANSWERS[outcome]}" for condition, outcome in cases)
        return f"CASE {whens} ELSE {_ANSWERS[otherwise]} END"

    def truth_value(self, condition: str) -> str:
        return self.answer([(condition, True), (f"NOT ({condition})", False)])

    def answers_true(self, answers: Sequence[str]) -> str:
        return f"COALESCE({', '.join(answers)}) = 1" if len(answers) > 1 else answers[0]

    def of_group(self, model: Model, tree: Tree) -> str:
        keys = zip(model.grouping, model.grouping_types, tree.group, strict=True)
        return " AND ".join(self._is_group(column, type_.split("(")[0], value) for column, type_, value in keys)

    def number(self, value: float) -> str:
        if not math.isfinite(value):
            raise self._lacks(f"the number {value}", "double precision")
        return f"CAST('{value!r}' AS {self.dialect.double})" if self.dialect.casts_numbers else _float(value)

    def numbers(self, numbers: Sequence[float]) -> str:
        return self.array([])

    def array(self, numbers: Sequence[str]) -> str:
        raise MadtreeError(
            "dialect: numbers of more than two classes are an array, which other databases do not have",
            hint="class => '...' says whose number is wanted.",
        )

    def value(self, text: str, type_: str) -> str:
        if type_ == "boolean":
            true, false = self.dialect.truths
            return true if text == "true" else false
        if type_ in _NUMBERS:
            return self._number_text(text)
        template = self.dialect.moments.get(type_)
        return self._text(text) if template is None else template.format(text.translate(self.dialect.escapes))

    def whole_number(self, number: int) -> str:
        return str(number)

    def null(self, type_: str) -> str:
        return "NULL"

    def exp(self, exponent: str, most: float) -> str:
        least, greatest = self.dialect.least, self.dialect.greatest
        return f"EXP({greatest}({least}({exponent}, {self.number(most)}), {self.number(-most)}))"

    def computed(self, columns: str, source: str = "") -> str:
        if not self.dialect.has_sub_selects:
            raise MadtreeError(
                f"dialect: this takes a sub-select over the columns of a row, which {self.dialect.name} does not have",
                hint="Take what it is made of, class by class: 'raw' of a boosted model, 'prob' of another one.",
                sqlstate="0A000",
            )
        for name in self.dialect.hidden:
            if f'"{name}"' in f"{columns}{source}".lower():
                raise MadtreeError(
                    f"dialect: this takes a sub-select over the columns of a row, where {self.dialect.name} takes the "
                    f'column "{name}" for a function of its own',
                    hint="Give the column another name in a view, and train on that.",
                    sqlstate="0A000",
                )
        return f"(SELECT {columns}{f' FROM {source}' if source else ''})"

    @property
    def greatest(self) -> str:
        return self.dialect.greatest

    @property
    def terms(self) -> int:
        return _TERMS

    def _compared(self, feature: Feature, threshold: float, *, whole: bool, is_below: bool) -> str:
        """The condition, or the answer, that a value is up to the threshold, or beyond."""
        low, high = self._sides(feature, threshold)
        if feature.null_last:  # NULL is beyond all values
            if not whole:
                return low if is_below else self.fails(low)
            return self.answer([(low, is_below)], otherwise=not is_below)
        if not whole:
            return low if is_below else high
        return self.answer([(low, is_below), (high, not is_below)])

    def _sides(self, feature: Feature, threshold: float) -> tuple[str, str]:
        """The conditions that a value is up to the threshold, and that it is beyond; neither is true of a missing
        one.
        """
        operand = self.column(feature)
        if feature.labels:  # which are texts elsewhere
            label, is_right = first_right_label(feature, threshold)
            first = feature.labels.index(label) + (not is_right)
            parts = feature.labels[:first], feature.labels[first:]
            low, high = (self._of_texts(operand, "text", part) if part else _FALSE for part in parts)
            return low, high
        if feature.type in RANGES:
            if threshold == math.inf:  # whether a value is there
                return f"{operand} IS NOT NULL", _FALSE
            last = last_left(feature.type, threshold)
            limit = self._moment(feature, last) if feature.type in MOMENTS else str(last)
            return f"{operand} <= {limit}", f"{operand} > {limit}"
        if feature.type not in NAN_TYPES:
            raise self._lacks(f"feature {feature.name}", feature.type)
        if feature.type == "numeric":
            operand = f"CAST({operand} AS {self.dialect.double})"
        is_number = f" AND {self.dialect.is_number.format(operand)}" if self.dialect.is_number else ""
        if threshold == math.inf:
            return f"{operand} IS NOT NULL{is_number}", _FALSE
        limit = self.number(threshold)
        return f"{operand} <= {limit}", f"{operand} > {limit}{is_number}"

    def _is_group(self, column: str, type_: str, value: str | None) -> str:
        what = f"grouping column {column}"
        operand = self._name(column, what)
        if type_ in _TEXTS:
            return self._of_texts(operand, type_, [str(value)])
        if type_ not in (*_NUMBERS, "boolean", *self.dialect.moments):
            raise self._lacks(what, type_)
        return f"{operand} = {self.value(str(value), type_)}"

    def _of_texts(self, operand: str, type_: str, texts: Sequence[str]) -> str:
        """The condition that a value is one of these texts, byte by byte."""
        own = f"RTRIM({operand})" if type_ in _PADDED else operand
        return _in(self.dialect.by_bytes.format(own), [self._text(text) for text in texts])

    def _moment(self, feature: Feature, value: int) -> str:
        template = self.dialect.moments.get(feature.type)
        text = moment_text(feature.type, value)
        if template is None or text.endswith("BC") or len(text.split("-")[0]) > 4:
            raise self._lacks(f"feature {feature.name}", feature.type if template is None else text)
        return template.format(text)

    def _name(self, sql: str, what: str) -> str:
        """A column's name, which is given as PostgreSQL's SQL, in the dialect's quotes."""
        parts = parse_name(sql) if PLAIN.match(sql) else None
        if parts is None or len(parts) != 1:
            raise MadtreeError(
                f"dialect: {what} is an expression of PostgreSQL's, which {self.dialect.name} may read otherwise",
                hint="Train on a view that has it as a column, and make such a column there.",
                sqlstate="0A000",
            )
        (name,) = parts
        close = self.dialect.quotes
        if close is None:
            return sql
        inside = name.translate(self.dialect.escapes) if self.dialect.escapes_names else name.replace(close, close * 2)
        return f"{'[' if close == ']' else close}{inside}{close}"

    def _text(self, text: str) -> str:
        return self.dialect.text.format(text.translate(self.dialect.escapes))

    def _number_text(self, text: str) -> str:
        """A number as PostgreSQL writes it; without quotes, so it must be one, whoever has written the model."""
        if not _NUMBER.fullmatch(text):
            raise self._lacks(f"the value {text!r}", "a number")
        return text

    def _lacks(self, what: str, type_: str) -> MadtreeError:
        return MadtreeError(
            f"dialect: {what} is of type {type_}, for which {self.dialect.name} has nothing that means the same",
            hint="Train on a view that has it as a number or a text.",
            sqlstate="0A000",
        )


def _in(operand: str, values: Sequence[str]) -> str:
    return f"{operand} = {values[0]}" if len(values) == 1 else f"{operand} IN ({', '.join(values)})"


def _float(value: float) -> str:
    """With an exponent, as a number without one would be a decimal."""
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def spelling_of(dialect: str | None) -> Spelling:
    """How a text for users is written; NULL, like 'postgresql', for PostgreSQL. Raises MadtreeError for others than
    `DIALECTS`.
    """
    name = POSTGRESQL if dialect is None else dialect.lower()
    if name == POSTGRESQL:
        return READABLE
    if name not in DIALECTS:
        known = ", ".join((POSTGRESQL, *DIALECTS))
        raise MadtreeError(f"dialect must be one of {known}, not {dialect!r}")
    return Portable(dialect=DIALECTS[name])
