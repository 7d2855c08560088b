"""The queries that find what of a model's summary, and of its rows for trees and groups, is too large to be fetched."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from madtree.sqltext.kinds import SUMMARY_COLUMNS
from madtree.sqltext.quote import ident, literal
from madtree.sqltext.tables import model_table
from madtree.trees import (
    MAX_CATEGORIES,
    MAX_CLASSES,
    MOST_EXPRESSION_BYTES,
    MOST_FEATURES,
    MOST_GROUPING_COLUMNS,
    MOST_LABELS,
    MOST_LIST_BYTES,
)

_LISTS = {
    "features": MOST_FEATURES,
    "feature_types": MOST_FEATURES,
    "feature_kinds": MOST_FEATURES,
    "dependent_var_levels": MAX_CLASSES,
    "grouping_columns": MOST_GROUPING_COLUMNS,
    "grouping_expressions": MOST_GROUPING_COLUMNS,
}
_LISTS_OF_EXPRESSIONS = ("features", "feature_types", "feature_kinds", "grouping_columns", "grouping_expressions")
_TEXTS = (*_LISTS_OF_EXPRESSIONS, "dependent_var_levels")
_WRITTEN = {"grouping_expressions": 2 * MOST_EXPRESSION_BYTES}  # users' expressions with what is written around them
# Lists that are one text: of features, and what is told of some of them.
_JOINED = frozenset({
    "list_of_features", "list_of_features_to_exclude", "independent_varnames", "independent_var_types", "cat_features",
    "con_features", "grouping_cols", "class_params", "feature_costs", "monotone", "interaction_constraints",
})  # fmt: skip
_ONE_TEXT = tuple(name for name, type_ in SUMMARY_COLUMNS.items() if type_ == "text")
_TEXT_LISTS = tuple(name for name, type_ in SUMMARY_COLUMNS.items() if type_ == "text[]")
_DOCUMENTS = {"levels": MAX_CATEGORIES + 1, "enum_labels": MOST_LABELS}  # elements of each list


_SMALL = 2**17  # bytes: below the bound of each text; a list of JSON has 3 for each entry


def are_small(columns: Collection[str]) -> str:
    """Whether nothing of a summary's row `s` is as long as what `oversized` looks for: a condition that takes a tenth
    of the time, and is false of some rows without a fault, too.
    """

    def largest(measure: str, names: Iterable[str]) -> str:
        sizes = [measure.format(f"s.{ident(name)}") for name in names if name in columns]
        return f"GREATEST({', '.join(['0', *sizes])})"

    # A compressed list may be of any size.
    packed = [f"pg_catalog.pg_column_compression(s.{ident(name)})" for name in _TEXT_LISTS if name in columns]
    sizes = (
        (largest("pg_catalog.octet_length({})", _ONE_TEXT), _SMALL),
        (largest("pg_catalog.octet_length({}::pg_catalog.text)", _DOCUMENTS), _SMALL - 2),
        (largest("pg_catalog.pg_column_size({})", _TEXT_LISTS), _SMALL),
        (f"pg_catalog.num_nonnulls({', '.join(['NULL', *packed])})", 0),
        *((largest("pg_catalog.cardinality({})", [name]), most) for name, most in _LISTS.items()),
    )
    return " AND ".join(f"{size} OPERATOR(pg_catalog.<=) {most}" for size, most in sizes)


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
    bounds = {name: MOST_LIST_BYTES if name in _JOINED else MOST_EXPRESSION_BYTES for name in _ONE_TEXT}
    faults += [
        (_is_long(f"s.{ident(column)}", most), _long(column, most))
        for column, most in bounds.items()
        if column in columns
    ]
    faults += [
        (
            f"EXISTS (SELECT FROM pg_catalog.unnest(s.{column}) AS u(v) WHERE {_is_long('u.v', most)})",
            _long(column, most),
        )
        for column, most in ((name, _WRITTEN.get(name, MOST_EXPRESSION_BYTES)) for name in _TEXTS)
        if column in columns
    ]
    faults += [
        (
            "(SELECT pg_catalog.sum(pg_catalog.octet_length(u.v)) "
            f"FROM pg_catalog.unnest(s.{ident(column)}) AS u(v)) OPERATOR(pg_catalog.>) {MOST_LIST_BYTES}",
            f"{column} has texts of more than {MOST_LIST_BYTES:,} bytes",
        )
        for column in _TEXT_LISTS
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


def sizes_of_rows(schema: str, name: str, texts: Mapping[str, Sequence[str]]) -> str:
    """Of some of a model's tables, by `suffix`: how many bytes the `largest` of some texts has, and all in `total`;
    `texts`: by suffix, SQL of texts over a row `t`.
    """
    parts = []
    for suffix, own in texts.items():
        sizes = [f"COALESCE(pg_catalog.octet_length({text}), 0)" for text in own]
        total = " OPERATOR(pg_catalog.+) ".join(f"{size}::pg_catalog.int8" for size in sizes)
        parts.append(
            f"SELECT {literal(suffix)}::pg_catalog.text AS suffix, "
            "COALESCE(pg_catalog.max(m.largest), 0) AS largest, "
            "COALESCE(pg_catalog.sum(m.total), 0)::pg_catalog.int8 AS total "
            f"FROM (SELECT GREATEST({', '.join(sizes)}) AS largest, {total} AS total "
            f"FROM {model_table(schema, name, suffix)} AS t) AS m"
        )
    return " UNION ALL ".join(parts)


def _is_long(text: str, most: int = MOST_EXPRESSION_BYTES) -> str:
    return f"pg_catalog.octet_length({text}) OPERATOR(pg_catalog.>) {most}"


def _long(column: str, most: int = MOST_EXPRESSION_BYTES) -> str:
    return f"{column} has a text of more than {most:,} bytes"


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
    """Whether a text in an object of lists, or of objects of lists, is long, or what is in the place of a list. Most
    objects as a whole are shorter.
    """
    inner = (
        f"EXISTS (SELECT FROM pg_catalog.jsonb_each(d.value) AS t(key, value) "
        f"WHERE {_is_long('t.key')} OR {_is_long_in('t.value')})"
    )
    is_object = "pg_catalog.jsonb_typeof(d.value) OPERATOR(pg_catalog.=) 'object'"
    return (
        f"CASE WHEN {_is_long(f'{document}::pg_catalog.text')} THEN EXISTS (SELECT "
        f"FROM pg_catalog.jsonb_each({_if_is(document, 'object')}) AS d(key, value) "
        f"WHERE {_is_long('d.key')} OR CASE WHEN {is_object} THEN {inner} ELSE {_is_long_in('d.value')} END"
        ") ELSE false END"
    )


def _is_long_in(value: str) -> str:
    """Whether an element of a list is long, or as a whole what is none."""
    elements = f"SELECT FROM pg_catalog.jsonb_array_elements_text({value}) AS u(v) WHERE {_is_long('u.v')}"
    return (
        f"CASE WHEN pg_catalog.jsonb_typeof({value}) OPERATOR(pg_catalog.=) 'array' THEN EXISTS ({elements}) "
        f"ELSE {_is_long(f'{value}::pg_catalog.text')} END"
    )


def _is_longer(value: str, most: int) -> str:
    return f"pg_catalog.jsonb_array_length({_if_is(value, 'array')}) OPERATOR(pg_catalog.>) {most}"


def _if_is(value: str, type_: str) -> str:
    """The value, or NULL where it is of another type: of that the functions would make an error."""
    return f"CASE WHEN pg_catalog.jsonb_typeof({value}) OPERATOR(pg_catalog.=) {literal(type_)} THEN {value} END"


def rows_beside(schema: str, name: str, suffix: str, packed_bytes: int) -> str:
    """How many rows a table has that tells of the nodes, as `n`, and how many `nodes` there are.

    Args:
        packed_bytes: that a packed node has; 0 where each node is a row.
    """
    if packed_bytes:
        size = "COALESCE(pg_catalog.sum(pg_catalog.octet_length(p.nodes)), 0)::pg_catalog.int8"
        nodes = f"SELECT {size} OPERATOR(pg_catalog./) {packed_bytes} FROM {model_table(schema, name, '_packed')} AS p"
    else:
        nodes = f"SELECT pg_catalog.count(*) FROM {model_table(schema, name, '_nodes')}"
    return f"SELECT pg_catalog.count(*) AS n, ({nodes}) AS nodes FROM {model_table(schema, name, suffix)}"
