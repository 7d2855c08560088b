"""The query that finds what of a model's summary is too large to be fetched."""

from __future__ import annotations

from collections.abc import Collection

from madtree.interface import NUMERIC_COLUMNS
from madtree.sqltext.quote import ident, literal
from madtree.sqltext.tables import model_table
from madtree.trees import (
    MAX_CATEGORIES,
    MAX_CLASSES,
    MOST_EXPRESSION_BYTES,
    MOST_FEATURES,
    MOST_GROUPING_COLUMNS,
    MOST_LABELS,
)

_LISTS = {
    "features": MOST_FEATURES,
    "feature_types": MOST_FEATURES,
    "feature_kinds": MOST_FEATURES,
    "dependent_var_levels": MAX_CLASSES,
    "grouping_columns": MOST_GROUPING_COLUMNS,
    "grouping_expressions": MOST_GROUPING_COLUMNS,
}
# Names and expressions: they are taken apart letter by letter.
_EXPRESSIONS = ("id_col_name", "dependent_varname", *NUMERIC_COLUMNS)
_LISTS_OF_EXPRESSIONS = ("features", "feature_types", "feature_kinds", "grouping_columns", "grouping_expressions")
_TEXTS = (*_LISTS_OF_EXPRESSIONS, "dependent_var_levels")
_DOCUMENTS = {"levels": MAX_CATEGORIES + 1, "enum_labels": MOST_LABELS}  # elements of each list


def oversized(schema: str, name: str, columns: Collection[str]) -> str:
    """`fault`s of the summary's rows, the end of a sentence each; `columns` are those that the table has."""
    faults = [
        (
            f"pg_catalog.cardinality(s.{column}) OPERATOR(pg_catalog.>) {most}",
            f"{column} has more than {most:,} entries",
        )
        for column, most in _LISTS.items()
        if column in columns
    ]
    faults += [(_is_long(f"s.{column}"), _long(column)) for column in _EXPRESSIONS if column in columns]
    faults += [
        (f"EXISTS (SELECT FROM pg_catalog.unnest(s.{column}) AS u(v) WHERE {_is_long('u.v')})", _long(column))
        for column in _TEXTS
        if column in columns
    ]
    faults += [
        (_has_long_list(f"s.{ident(column)}", most), f"{column} has a list of more than {most:,} entries")
        for column, most in _DOCUMENTS.items()
        if column in columns
    ]
    faults += [(_has_long_text(f"s.{ident(column)}"), _long(column)) for column in _DOCUMENTS if column in columns]
    cases = " WHEN ".join(f"{condition} THEN {literal(what)}" for condition, what in faults)
    return (
        f"SELECT f.fault FROM (SELECT CASE WHEN {cases} END AS fault "
        f"FROM {model_table(schema, name, '_summary')} AS s) AS f WHERE f.fault IS NOT NULL"
    )


def _is_long(text: str) -> str:
    return f"pg_catalog.octet_length({text}) OPERATOR(pg_catalog.>) {MOST_EXPRESSION_BYTES}"


def _long(column: str) -> str:
    return f"{column} has a text of more than {MOST_EXPRESSION_BYTES:,} bytes"


def _has_long_list(document: str, most: int) -> str:
    """Whether an object of lists, or of objects of lists, has a longer one."""
    inner = (
        f"EXISTS (SELECT FROM pg_catalog.jsonb_each({_if_is('d.value', 'object')}) AS t(key, value) "
        f"WHERE {_is_longer('t.value', most)})"
    )
    return (
        f"EXISTS (SELECT FROM pg_catalog.jsonb_each({_if_is(document, 'object')}) AS d(key, value) "
        f"WHERE {_is_longer('d.value', most)} OR {inner})"
    )


def _has_long_text(document: str) -> str:
    """Whether a text in an object of lists, or of objects of lists, is long. Most objects as a whole are shorter."""
    of_lists = f"SELECT v FROM pg_catalog.jsonb_array_elements_text({_if_is('d.value', 'array')}) AS u(v)"
    of_objects = (
        f"SELECT v FROM pg_catalog.jsonb_each({_if_is('d.value', 'object')}) AS t(key, value), "
        f"pg_catalog.jsonb_array_elements_text({_if_is('t.value', 'array')}) AS u(v)"
    )
    return (
        f"CASE WHEN {_is_long(f'{document}::pg_catalog.text')} THEN EXISTS (SELECT "
        f"FROM pg_catalog.jsonb_each({_if_is(document, 'object')}) AS d(key, value), "
        f"LATERAL ({of_lists} UNION ALL {of_objects}) AS e(v) WHERE {_is_long('e.v')}) ELSE false END"
    )


def _is_longer(value: str, most: int) -> str:
    return f"pg_catalog.jsonb_array_length({_if_is(value, 'array')}) OPERATOR(pg_catalog.>) {most}"


def _if_is(value: str, type_: str) -> str:
    """The value, or NULL where it is of another type: of that the functions would make an error."""
    return f"CASE WHEN pg_catalog.jsonb_typeof({value}) OPERATOR(pg_catalog.=) {literal(type_)} THEN {value} END"
