"""A comparison with a split's threshold or categories in SQL, and a class or number as an SQL literal.

Two spellings say the same: `QUALIFIED`, in which no schema on the search path can put itself before PostgreSQL's own
operators and types (for statements that madtree runs), and `READABLE` (for text that a user pastes into a view). There
an operator is bare where pg_catalog has one of just the operands' types: it is searched first, unless the search path
names it elsewhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from madtree.records import dataclass
from madtree.sqltext import values
from madtree.sqltext.quote import EQUALS, literal, operator, same
from madtree.sqltext.typenames import made_type
from madtree.trees import (
    MOMENTS,
    RANGES,
    Equality,
    Feature,
    Model,
    Tree,
    first_right_label,
    last_decimal,
    last_left,
    moment_text,
)

NAN_TYPES = ("real", "double precision", "numeric")  # whose NaN is larger than everything, and means missing
PLAIN = re.compile(r'^([a-z_][a-z0-9_$]*|"([^"]|"")+")$')
INT4_RANGE = RANGES["integer"]
# Types, as format_type prints them without their modifiers, for which pg_catalog has an "equals" of just this type.
_HAVE_EQUALS = frozenset(
    {
        "boolean", "smallint", "integer", "bigint", "real", "double precision", "numeric", "text", "character",
        "bpchar", "name", '"char"', "date", "time without time zone", "time with time zone",
        "timestamp without time zone",
        "timestamp with time zone", "interval", "uuid", "bytea", "oid", "jsonb",
    }
)  # fmt: skip
_MODIFIER = re.compile(r"\([0-9, -]+\)")
NEGATED = {"<=": ">", "<": ">="}
_OF_ENUMS = {"<": "enum_lt", "<=": "enum_le", ">": "enum_gt", ">=": "enum_ge"}
_TRUTHS = {True: "true", False: "false", None: "NULL"}


@dataclass(frozen=True)
class Spelling:
    """How conditions and values are written: for PostgreSQL with operators and the names of its types `qualified`, or
    bare. `portable.Portable` writes them for other databases.

    An *answer* is what a question comes to: true, false or NULL.
    """

    qualified: bool = False

    def operator(self, symbol: str) -> str:
        return operator(symbol) if self.qualified else symbol

    def type(self, name: str) -> str:
        return f"pg_catalog.{name}" if self.qualified else name

    def column(self, feature: Feature) -> str:
        """The feature's SQL, in parentheses unless it is a plain column."""
        return feature.name if PLAIN.match(feature.name) else f"({feature.name})"

    def expression(self, sql: str, argument: str) -> str:
        """A number of a row that was given as PostgreSQL's SQL, by that argument, as a float8."""
        return f"({sql})::{self.type('float8')}"

    def is_number(self, number: str) -> str:
        """A condition that is true of a float8 that is neither NULL nor NaN nor infinite, and else not."""
        ends = ((">", -math.inf), ("<", math.inf))
        low, high = (f"{number} {self.operator(symbol)} {self.number(end)}" for symbol, end in ends)
        return f"{low} AND {high}"

    def below(self, feature: Feature, threshold: float, *, whole: bool) -> str:
        """A condition that is true up to the threshold and false beyond.

        Args:
            whole: it must be an answer, NULL where the value is missing; else anything but true will do there.
        """
        operand, symbol, own_threshold = _comparison(feature, threshold, self)
        condition = _compared(feature, operand, symbol, own_threshold, self)
        if feature.null_last:
            return self.holds(condition) if whole else condition
        if whole and feature.type in NAN_TYPES:
            # In three-valued logic: what is not below is false, unless it is NaN, and then NULL.
            condition += f" OR ({operand} {self.operator('>=')} {_nan(feature, self)} AND NULL)"
        return condition

    def beyond(self, feature: Feature, threshold: float, *, whole: bool) -> str:
        """The opposite of `below`; `whole` as there."""
        if feature.null_last:
            return self.fails(self.below(feature, threshold, whole=False))
        operand, symbol, own_threshold = _comparison(feature, threshold, self)
        condition = _compared(feature, operand, NEGATED[symbol], own_threshold, self)
        if feature.type in NAN_TYPES:
            is_number = f"{operand} {self.operator('<')} {_nan(feature, self)}"
            condition += f" AND ({is_number} OR NULL)" if whole else f" AND {is_number}"
        return condition

    def among(self, feature: Feature, categories: Sequence[str]) -> str:
        """A condition that is true for these categories of an unordered feature, and false or NULL for all else."""
        operand = self.column(feature)
        if not categories:
            return "false"
        if feature.type == "boolean":
            if len(categories) > 1:
                return f"{operand} IS NOT NULL"
            return operand if categories[0] == "true" else f"NOT {operand}"
        if feature.type != "text":
            operand = f"{operand}::{self.type('text')}"
        # Categories are equal if their bytes are, whatever the column's collation says.
        operand += ' COLLATE pg_catalog."C"' if self.qualified else ' COLLATE "C"'
        if len(categories) == 1:
            value = literal(categories[0]) + (f"::{self.type('text')}" if self.qualified else "")
            return f"{operand} {self.operator('=')} {value}"
        array = ", ".join(map(literal, categories))
        return f"{operand} {self.operator('=')} ANY (ARRAY[{array}]::{self.type('text')}[])"

    def holds(self, condition: str) -> str:
        """A condition that is true where another one is, and false where that is false or NULL."""
        return f"({condition}) IS TRUE"

    def fails(self, condition: str) -> str:
        """The opposite of `holds`."""
        return f"({condition}) IS NOT TRUE"

    def answer(self, cases: Sequence[tuple[str, bool | None]], otherwise: bool | None = None) -> str:
        """The answer of the first condition that is true."""
        if len(cases) == 1 and None not in (cases[0][1], otherwise) and cases[0][1] != otherwise:
            condition, outcome = cases[0]
            return self.holds(condition) if outcome else self.fails(condition)
        whens = [f"WHEN {condition} THEN {_TRUTHS[outcome]}" for condition, outcome in cases]
        last = [] if otherwise is None else [f"ELSE {_TRUTHS[otherwise]}"]
        return " ".join(["CASE", *whens, *last, "END"])

    def truth_value(self, condition: str) -> str:
        """A condition as an answer."""
        return condition

    def answers_true(self, answers: Sequence[str]) -> str:
        """A condition: the first of the answers that is not NULL is true."""
        return f"COALESCE({', '.join(answers)})" if len(answers) > 1 else answers[0]

    def of_group(self, model: Model, tree: Tree) -> str:
        """A condition that is true for the rows of a tree's group."""
        operators = model.grouping_equals or (EQUALS,) * len(model.grouping_columns)
        keys = zip(model.grouping, model.grouping_types, operators, tree.group, strict=True)
        return " AND ".join(_equal(column, type_, equals, value, self) for column, type_, equals, value in keys)

    def number(self, value: float) -> str:
        """A number that reads back to the same bits (repr also writes infinities as PostgreSQL reads them)."""
        return f"'{value!r}'::{self.type('float8')}"

    def numbers(self, numbers: Sequence[float]) -> str:
        """An array of numbers."""
        return f"'{{{','.join(map(repr, numbers))}}}'::{self.type('float8')}[]"

    def array(self, numbers: Sequence[str]) -> str:
        """An array of numbers that are SQL."""
        return f"ARRAY[{', '.join(numbers)}]"

    def value(self, text: str, type_: str) -> str:
        """`text` as a value of a type."""
        return typed_literal(text, type_)

    def whole_number(self, number: int) -> str:
        return f"{number}::{self.type('int8')}"

    def null(self, type_: str) -> str:
        return f"NULL::{type_}"

    def exp(self, exponent: str, most: float) -> str:
        """The exponential of a number that is not NULL; of `most` or `-most`, where it is beyond."""
        return f"pg_catalog.exp(GREATEST(LEAST({exponent}, {self.number(most)}), {self.number(-most)}))"

    def computed(self, columns: str, source: str = "") -> str:
        """A sub-select in a row's expression whose columns are computed once, however often they are asked for; from
        nothing but the row, or from `source`.
        """
        return f"(SELECT {columns}{f' FROM {source}' if source else ''}\nOFFSET 0)"

    @property
    def greatest(self) -> str:
        """The function that gives the largest of its arguments."""
        return "GREATEST"

    @property
    def terms(self) -> int:
        """Of a sum at most, where sums have to be made of sums; 0 where they have not."""
        return 0


QUALIFIED = Spelling(qualified=True)
READABLE = Spelling()


def typed_literal(text: str | None, type_: str) -> str:
    """`text` as a value of a type."""
    return f"NULL::{type_}" if text is None else f"{literal(text)}::{type_}"


def _equal(column: str, type_: str, equals: Equality, value: str | None, spelling: Spelling) -> str:
    plain = _MODIFIER.sub("", type_).removeprefix("pg_catalog.")
    if not spelling.qualified and plain == "character varying":  # which has the operators of text
        return f"{column}::text = {typed_literal(value, 'text')}"
    if spelling.qualified and made_type(type_) is not None and equals == EQUALS and value is not None:
        # An enum or the like, which an operator would compare with another type by casts that anybody may have made.
        return f"{values.text_of(column, values.OUTPUT)} {EQUALS.operator} {literal(value)}::pg_catalog.text"
    equality = Equality("=") if not spelling.qualified and plain in _HAVE_EQUALS else equals
    return same(column, equality, typed_literal(value, type_))


def _compared(feature: Feature, operand: str, symbol: str, own_threshold: str, spelling: Spelling) -> str:
    """Enums are compared by the functions for any enum: of an operator PostgreSQL takes that for texts, where the
    type's owner has made an implicit cast to text, and runs the cast.
    """
    if feature.labels:
        return f"pg_catalog.{_OF_ENUMS[symbol]}({operand}, {own_threshold})"
    return f"{operand} {spelling.operator(symbol)} {own_threshold}"


def _comparison(feature: Feature, threshold: float, spelling: Spelling) -> tuple[str, str, str]:
    """Operand, operator and threshold of the condition "goes left", in the type of the feature
    (`madtree.trees.threshold`).
    """
    operand = spelling.column(feature)
    if feature.labels:
        label, is_right = first_right_label(feature, threshold)
        # An untyped literal becomes a label of the operand's own type.
        return operand, "<" if is_right else "<=", literal(label)
    if feature.type in MOMENTS and threshold == math.inf and feature.type != "time without time zone":
        return operand, "<=", f"'infinity'::{spelling.type(_moment_type(feature.type))}"
    if feature.type in RANGES:
        last, lowest = last_left(feature.type, threshold), RANGES[feature.type][0]
        symbol, own_threshold = ("<=", last) if last >= lowest else ("<", lowest)
        return operand, symbol, _threshold_literal(feature.type, own_threshold, spelling)
    if feature.type == "numeric" and spelling.qualified:
        text, is_left = last_decimal(threshold)
        return operand, "<=" if is_left else "<", f"'{text}'::pg_catalog.numeric"
    if feature.type == "numeric":  # the same rows go left, and the threshold can be read
        operand = f"{operand}::float8"
    elif feature.type not in NAN_TYPES:
        operand = values.number(feature)
    return operand, "<=", spelling.number(threshold)


def _moment_type(type_: str) -> str:
    name = {"date": "date", "time without time zone": "time"}.get(type_)
    return name or ("timestamptz" if type_ == "timestamp with time zone" else "timestamp")


def _threshold_literal(type_: str, own_threshold: int, spelling: Spelling) -> str:
    if type_ in MOMENTS:
        return f"'{moment_text(type_, own_threshold)}'::{spelling.type(_moment_type(type_))}"
    if INT4_RANGE[0] < own_threshold <= INT4_RANGE[1]:
        return str(own_threshold)
    return f"'{own_threshold}'::{spelling.type('int8')}"


def _nan(feature: Feature, spelling: Spelling) -> str:
    type_ = "pg_catalog.numeric" if feature.type == "numeric" and spelling.qualified else spelling.type("float8")
    return f"'NaN'::{type_}"
