"""How a feature's value becomes a number in SQL: one expression each, used alike by packing and by scoring."""

from __future__ import annotations

from madtree.records import dataclass
from madtree.sqltext.quote import binary, literal
from madtree.sqltext.typenames import type_sql
from madtree.trees import Feature, FeatureKind

# Types whose arrays hold numbers that numpy can read as they are (see `madtree.learn.data.postgres_bytes`).
NATIVE_TYPES = frozenset({"smallint", "integer", "bigint", "real", "double precision", "boolean"})


@dataclass(frozen=True)
class Writer:
    """How a type is written as text where a cast will not do: that of a date goes by DateStyle.

    Attributes:
        function: SQL name of a function that makes JSON.
        bare: SQL of the type below all domains.
        is_quoted: whether the function puts the text between double quotes.
        in_utc: a time with a zone is written as in UTC, whatever the session's zone.
    """

    function: str
    bare: str
    is_quoted: bool = False
    in_utc: bool = False


@dataclass(frozen=True)
class Kept:
    """How values of a type are kept in a table that madtree makes: as they are, unless somebody whom the caller does
    not trust has functions that PostgreSQL runs over a column of that type (docs/security.md).

    Attributes:
        type: SQL of the column's type: the values' own, the type below its domains, or text.
        as_is: whether it is the values' own.
        writer: how values become text, where that is the column's type.
    """

    type: str
    as_is: bool = True
    writer: Writer | None = None

    def value(self, expression: str) -> str:
        """An expression of the values' type as one of the column's type."""
        if self.as_is:
            return expression
        # Whoever makes a cast for a domain makes it for nothing: PostgreSQL takes the type below.
        return f"({expression})::{type_sql(self.type)}" if self.writer is None else text_of(expression, self.writer)


def kept(type_: str, trusted: bool, bare: str, bare_trusted: bool, writer: Writer | None) -> Kept:
    """How values of a type are kept, from the types by name as SQL, and whether the caller trusts these.

    Args:
        bare: the type below its domains.
        writer: how values of the type are written as text.
    """
    if trusted:
        return Kept(type_)
    return Kept(bare, as_is=False) if bare_trusted else Kept("text", as_is=False, writer=writer)


# A type that is not PostgreSQL's own: by its output function, without a cast, which may be a function of the type's
# owner, and without the type's name, which its owner may give to another one while a model keeps the expression.
OUTPUT = Writer("pg_catalog.concat", "")
ISO_DATE = Writer("pg_catalog.to_json", "pg_catalog.date", is_quoted=True)


_OF_CLASSES = {
    "timestamp without time zone": Writer("pg_catalog.to_json", "pg_catalog.timestamp", is_quoted=True),
    "timestamp with time zone": Writer("pg_catalog.to_json", "pg_catalog.timestamptz", is_quoted=True, in_utc=True),
}


def class_writer(type_: str, writer: Writer | None) -> Writer | None:
    """The writer of a dependent variable of that type, by which a session of any settings finds a row's class again.

    `writer` is the type's otherwise.
    """
    return _OF_CLASSES.get(type_.removeprefix("pg_catalog."), writer)


def own_writer(type_: str) -> Writer | None:
    """The writer of a type of PostgreSQL's own, as `format_type` prints it; None where a cast will do."""
    return ISO_DATE if type_.removeprefix("pg_catalog.") == "date" else None


def text_of(expression: str, writer: Writer | None) -> str:
    """A value as text, NULL as NULL; `writer` is None where a cast will do."""
    if writer is None:
        return f"({expression})::pg_catalog.text"
    if writer == OUTPUT:  # of NULL it would make an empty text
        is_known = f"pg_catalog.num_nulls({expression}) OPERATOR(pg_catalog.=) 0"
        return f"(CASE WHEN {is_known} THEN {writer.function}({expression}) END)"
    value = f"({expression})::{writer.bare}"
    text = f"{writer.function}({_as_in_utc(value) if writer.in_utc else value})::pg_catalog.text"
    if writer.is_quoted:
        text = f"pg_catalog.btrim({text}, '\"')"
    if writer.in_utc:  # infinity is in no zone
        text = f"({text} OPERATOR(pg_catalog.||) CASE WHEN pg_catalog.isfinite({value}) THEN '+00' ELSE '' END)"
    return text


def text_of_equal(number: str, type_: str) -> str:
    """A number as text, the same of all that are equal: of 1.0 and 1.00, of 0 and -0; of a boolean that of true and 1.
    In new data it may have another type, whose text is read as `type_`.
    """
    return f"({_alike(number, type_)})::pg_catalog.text"


def parts_of_equal(alike: str) -> tuple[str, str, str]:
    """SQL of `text_of_equal` without its last cast, cut before the number and after it; other SQL as a number alone."""
    for type_ in ("numeric", "real", "double precision"):
        before, after = _alike("|", type_).split("|")
        if alike.startswith(before) and alike.endswith(after):
            return before, alike.removeprefix(before).removesuffix(after), after
    return "", alike, ""


def _alike(number: str, type_: str) -> str:
    # By its output function, as its type may be another role's domain; of NULL that makes an empty text.
    read = f"pg_catalog.substring({OUTPUT.function}({number}), '.+')::{type_}"
    if type_ == "boolean":
        return read
    return f"pg_catalog.trim_scale({read})" if type_ == "numeric" else binary(read, "+", f"0::{type_}")


def text_to_group_by(expression: str, writer: Writer | None) -> str:
    """As `text_of`, byte by byte. Grouped by a mere cast of a varchar, Citus says that it is no text."""
    return binary(text_of(expression, writer), "||", "''") + ' COLLATE pg_catalog."C"'


def _as_in_utc(value: str) -> str:
    return f"pg_catalog.timezone('UTC', {value})"


def json_of(expression: str, writer: Writer | None) -> str:
    """What a JSON object is built of: for other types than PostgreSQL's own their text, as to make JSON of these looks
    for casts, too.
    """
    return f"({expression})" if writer is None else text_of(expression, writer)


def number(feature: Feature) -> str:
    """The expression that a continuous or ordered feature's threshold is compared with.

    Dates, times and intervals count in seconds (`date_part('epoch', ...)`), an enum by the number of the model's labels
    up to its own: one that was added to the type since then lies between two positions as it lies between two labels in
    a comparison. The labels are a constant, which is made once. Native numeric types stay in their own width;
    everything else becomes float8.
    """
    if feature.kind is FeatureKind.UNORDERED:
        raise ValueError(f"{feature.name} is unordered: it has categories, not numbers")
    if feature.type in NATIVE_TYPES:
        return f"({feature.name})"
    if feature.labels:
        labels = ", ".join(f"{literal(label)}::{feature.type}" for label in feature.labels)
        return f"pg_catalog.width_bucket(({feature.name}), ARRAY[{labels}])"
    if feature.type == "numeric":
        return f"({feature.name})::pg_catalog.float8"
    return f"pg_catalog.date_part('epoch', ({feature.name}))"


def category(feature: Feature) -> str:
    """The text of an unordered feature's category, as `left_levels` holds it."""
    return f"({feature.name})::pg_catalog.text"


def category_key(feature: Feature) -> str:
    """A number that stands for a category of an unordered feature: the boolean itself, or a 64-bit hash of the text.

    A hash maps text to codes in one function call a row where a join on the category table would cost a hash probe and
    more; the category table is checked for collisions when it is made.
    """
    if feature.type == "boolean":
        return f"({feature.name})"
    return f'pg_catalog.hashtextextended(({feature.name})::pg_catalog.text COLLATE pg_catalog."C", 0)'
