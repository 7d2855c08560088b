"""What is asked of all rows of a training at once: classes, categories, ranges, groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from madtree.sqltext import values
from madtree.sqltext.query import Lasting
from madtree.sqltext.quote import binary, float_literal
from madtree.sqltext.relation import Column
from madtree.sqltext.rows import INFINITY, NONE, ZERO, RowSource, key_number
from madtree.trees import MAX_CATEGORIES, MOST_LIST_BYTES, RANGED_NUMBERS, Feature, RowNumber


def categories(relation: str, feature: Feature) -> str:
    """The categories of an unordered feature in SQL order, and their keys: as many as a feature can have, and one more.
    Each with how many there are, `n`, and the bytes of the `longest` and of all, `bytes`; where these are too many to
    be fetched, NULL in place of the text.
    """
    size = "pg_catalog.octet_length(c.category)"
    return (
        f"SELECT {_if_fetched('m.category')} AS category, m.key, m.n, m.longest, m.bytes FROM (SELECT c.*, "
        f"{key_number('pg_catalog.hashtextextended(c.category, 0)', feature.type)} AS key, pg_catalog.count(*) OVER () "
        f"AS n, pg_catalog.max({size}) OVER () AS longest, pg_catalog.sum({size}) OVER () AS bytes FROM ("
        f"SELECT {values.text_to_group_by(feature.name, None)} AS category, "
        f"pg_catalog.min(({feature.name})::pg_catalog.text) AS sorted FROM {relation} WHERE ({feature.name}) IS NOT "
        f"NULL GROUP BY 1) AS c) AS m ORDER BY m.sorted, m.category LIMIT {MAX_CATEGORIES + 1}"
    )


def _if_fetched(text: str) -> str:
    return f"CASE WHEN {binary('m.bytes', '<=', f'{MOST_LIST_BYTES}::pg_catalog.int8')} THEN {text} END"


def _measured(figures: Mapping[str, str], rows: str) -> str:
    """The rows, in their order, with the `bytes` of all labels; NULL in place of these where they are too many."""
    others = ", ".join(f"m.{name}" for name in figures if name != "label")
    size = "pg_catalog.sum(pg_catalog.octet_length(r.label)) OVER () AS bytes"
    return (
        f"SELECT {_if_fetched('m.label')} AS label, {others}, m.bytes FROM (SELECT r.*, {size} FROM ({rows}) AS r) AS m"
    )


def class_profile(source: RowSource, dependent: str, writer: values.Writer | None, most: int, sample: str = "") -> str:
    """Classes in SQL order with their numbers, rows, and faults of weights; and the `bytes` of all of them, where these
    are too many to be fetched, without the labels.

    Args:
        most: no more classes than so many; NULL counts as one.
        sample: a TABLESAMPLE clause.
    """
    figures, classes = _class_figures(source, dependent, writer), _classes(source, dependent)
    return _measured(
        figures,
        f"SELECT {_listed(figures)} FROM {source.relation} {sample} GROUP BY {classes} ORDER BY {classes} LIMIT {most}",
    )


def _classes(source: RowSource, dependent: str) -> str:
    return dependent if source.class_text is None else f"{dependent}, {source.class_text}"


def _class_figures(source: RowSource, dependent: str, writer: values.Writer | None) -> dict[str, str]:
    own = {"label": values.text_of(dependent, writer), "key": source.target}
    return own | _number_profile(source) | _weight_profile(source)


def value_profile(source: RowSource) -> str:
    """Range of a regression target and rows, and what is wrong with targets and with rows' numbers."""
    return f"SELECT {_listed(_value_figures(source))} FROM {source.relation}"


def _value_figures(source: RowSource) -> dict[str, str]:
    about_targets = {
        "bad_targets": f"pg_catalog.count(*) FILTER (WHERE NOT ({_finite(source.target)}))",
        "integral": f"pg_catalog.bool_and({_integral(source.target)}) FILTER (WHERE {source.usable})",
    }
    return _weight_profile(source) | _target_range(source) | _number_profile(source) | about_targets


def _listed(figures: Mapping[str, str]) -> str:
    """A select list of figures by their names."""
    return ", ".join(f"{figure} AS {name}" for name, figure in figures.items())


def profile_by_group(source: RowSource, dependent: str | None, writer: values.Writer | None) -> str:
    """What `class_profile` says of each class, or `value_profile` of all rows, and the same of each group, by one look
    at the rows; `is_group` tells which of them a row is, and `place` the order of classes.

    `dependent`: None for regression. Where it is one of the grouping columns, all that comes are groups.
    """
    grouping = ", ".join(source.grouping)
    figures = {f"g{i}": g for i, g in enumerate(source.grouping, 1)} | _figures(source, dependent, writer)
    is_group = binary(f"GROUPING({source.grouping[0]})", "=", "0")
    classes = _classes(source, dependent) if dependent else ""
    query = (
        f"SELECT {is_group} AS is_group, {_listed(figures)}, {dependent or '0'} AS outcome "
        f"FROM {source.relation} GROUP BY GROUPING SETS (({grouping}), ({classes}))"
    )
    # The outcome itself may be of a type that is not PostgreSQL's own.
    names = ", ".join(f"c.{name}" for name in ("is_group", *figures))
    order = "c.outcome" if dependent is None else 'c.outcome, c.label COLLATE pg_catalog."C"'
    return f"SELECT {names}, pg_catalog.row_number() OVER (ORDER BY {order}) AS place FROM ({query}) AS c"


def counted_profile(
    source: RowSource, table: str, dependent: str | None, writer: values.Writer | None, most: int
) -> str:
    """As `class_profile` or `value_profile`, from the rows of `profile_by_group`."""
    figures = _figures(source, dependent, writer)
    rows = f"SELECT {', '.join(f'c.{name}' for name in figures)} FROM {table} AS c WHERE NOT c.is_group"
    return rows if dependent is None else _measured(figures, f"{rows} ORDER BY c.place LIMIT {most}")


def _figures(source: RowSource, dependent: str | None, writer: values.Writer | None) -> dict[str, str]:
    return _value_figures(source) if dependent is None else _class_figures(source, dependent, writer)


def counted_groups(source: RowSource, table: str, dependent_is_number: bool) -> str:
    """As `group_counts`, from the same rows."""
    names = [*source.group_columns, *group_figures(source, dependent_is_number)]
    known = " AND ".join(f"c.{g} IS NOT NULL" for g in source.group_columns)
    return f"SELECT {', '.join(f'c.{name}' for name in names)} FROM {table} AS c WHERE c.is_group AND {known}"


def _finite(number: str) -> str:
    """Whether a float8 is no NaN and not infinite."""
    above = binary(number, ">", "'-Infinity'::pg_catalog.float8")
    return f"{above} AND {binary(number, '<', INFINITY)}"


def _integral(number: str) -> str:
    """Whether a float8 is a whole number."""
    return binary(number, "=", f"pg_catalog.trunc({number})")


def _range(source: RowSource, number: str, low: str, high: str) -> dict[str, str]:
    """The smallest and the largest value of a number in usable rows, by these names."""
    return {
        low: f"pg_catalog.min({number}) FILTER (WHERE {source.usable})",
        high: f"pg_catalog.max({number}) FILTER (WHERE {source.usable})",
    }


def _target_range(source: RowSource) -> dict[str, str]:
    return _range(source, source.target, "low", "high")


def _ranged(source: RowSource) -> list[tuple[RowNumber, str]]:
    """Those of `RANGED_NUMBERS` that rows have, and the SQL of each."""
    return [(each, source.numbers[each.name]) for each in RANGED_NUMBERS if each.name in source.numbers]


def _number_ranges(source: RowSource) -> dict[str, str]:
    figures: dict[str, str] = {}
    for each, number in _ranged(source):
        figures |= _range(source, number, each.least, each.largest)
    return figures


def _number_profile(source: RowSource) -> dict[str, str]:
    """As `_number_ranges`, and what is wrong with the numbers: of how many rows they are not what they should be, and
    whether those that are summed are whole.
    """
    figures = _number_ranges(source)
    for each, number in _ranged(source):
        assert each.between is not None
        low, high = map(float_literal, each.between)
        fit = f"{binary(number, '>', low)} AND {binary(number, '<', high)}"
        figures[f"bad_{each.name}"] = f"pg_catalog.count(*) FILTER (WHERE NOT ({fit}))"
        if each.is_summed:
            figures[f"integral_{each.name}"] = (
                f"pg_catalog.bool_and({_integral(number)}) FILTER (WHERE {source.usable})"
            )
    return figures


def _usable(source: RowSource) -> dict[str, str]:
    return {"usable": f"pg_catalog.count(*) FILTER (WHERE {source.usable})"}


def _heaviest(source: RowSource) -> dict[str, str]:
    return {"heaviest": f"pg_catalog.max({source.weight}) FILTER (WHERE {source.usable})"}


def _weight_profile(source: RowSource) -> dict[str, str]:
    counts = {"total": "pg_catalog.count(*)"} | _usable(source)
    if source.weight is None:
        return counts
    w = source.weight
    return counts | {
        "negative_weights": f"pg_catalog.count(*) FILTER (WHERE {binary(w, '<', ZERO)})",
        "infinite_weights": f"pg_catalog.count(*) FILTER (WHERE NOT ({_finite(w)}))",
        **_heaviest(source),
        "integral_weight": f"pg_catalog.bool_and({_integral(w)}) FILTER (WHERE {source.usable})",
    }


def group_counts(source: RowSource, dependent_is_number: bool, by: str = "") -> str:
    """The groups, their usable rows and the ranges of what these have (`group_figures`).

    `by`: SQL of an integer by which the rows of a group are counted apart, named madtree_by.
    """
    keys = "".join(f", {g} AS g{i}" for i, g in enumerate(source.grouping, 1))
    figures = _number_ranges(source) | _usable(source)
    if dependent_is_number:
        figures |= _target_range(source)
    if source.weight is not None:
        figures |= _heaviest(source)
    known = " AND ".join(f"({g}) IS NOT NULL" for g in source.grouping)
    places = ", ".join(str(i) for i in range(1, len(source.grouping) + 2))
    return (
        f"SELECT {by or '0::pg_catalog.int4'} AS madtree_by{keys}, {_listed(figures)} FROM {source.relation} "
        f"WHERE {known} GROUP BY {places}"
    )


def group_figures(source: RowSource, dependent_is_number: bool) -> dict[str, str]:
    """What `group_counts` has of each group beside g1, ...: by name how those of parts of a group make the group's."""
    figures = {"usable": "pg_catalog.sum(usable)::pg_catalog.int8"}
    if dependent_is_number:
        figures |= {"low": "pg_catalog.min(low)", "high": "pg_catalog.max(high)"}
    if source.weight is not None:
        figures["heaviest"] = "pg_catalog.max(heaviest)"
    for each, _ in _ranged(source):
        figures |= {each.least: f"pg_catalog.min({each.least})", each.largest: f"pg_catalog.max({each.largest})"}
    return figures


def listed_groups(source: RowSource, table: str, dependent_is_number: bool, grouping: Sequence[Column] = ()) -> str:
    """A query for the figures of all groups in `table`, in order; and for the values of `grouping` as texts t1, ..."""
    names = ["tree_id", "block", *group_figures(source, dependent_is_number)]
    names += [f"{values.text_of(f'g{i}', column.writer)} AS t{i}" for i, column in enumerate(grouping, 1)]
    return f"SELECT {', '.join(names)} FROM {table} AS madtree_group ORDER BY tree_id"


def longest_values(table: str, grouping: Sequence[Column]) -> str:
    """How many bytes the longest value of each grouping column has as text, as t1, ...; `table`: of the groups."""
    longest = (
        f"pg_catalog.max(pg_catalog.octet_length({values.text_of(f'g{i}', column.writer)})) AS t{i}"
        for i, column in enumerate(grouping, 1)
    )
    return f"SELECT {', '.join(longest)} FROM {table} AS madtree_group"


def groups(source: RowSource, counted: str, small_rows: int, block_rows: int) -> str:
    """The table of groups: tree_id from 1 in the order of the groups, their rows, and the block of the small ones.

    Small groups, of at most `small_rows` rows, share blocks of about `block_rows`; large ones have no block.

    `counted`: the query of the groups' figures.
    """
    names = ", ".join(source.group_columns)
    small = f"{binary('usable', '>', NONE)} AND {binary('usable', '<=', f'{small_rows}::pg_catalog.int8')}"
    so_far = f"(pg_catalog.sum(usable) FILTER (WHERE {small}) OVER (ORDER BY tree_id))::pg_catalog.int8"
    block = binary(binary(so_far, "-", "1::pg_catalog.int8"), "/", f"{max(block_rows, 1)}::pg_catalog.int8")
    return (
        f"SELECT *, CASE WHEN {small} THEN {block}::pg_catalog.int4 END AS block "
        f"FROM (SELECT pg_catalog.row_number() OVER (ORDER BY {names})::pg_catalog.int4 AS tree_id, * "
        f"FROM ({counted}) AS madtree_rows) AS madtree_trees"
    )


# Of the relation $1: what tells whether its column $2, unquoted, tells rows apart; `n_rows` is negative where unknown,
# and from PostgreSQL 18 on whatever its owner has said (`pg_restore_relation_stats`).
ROW_IDS = Lasting("""
SELECT LEAST(c.reltuples::pg_catalog.float8, 1e15::pg_catalog.float8) AS n_rows,
    COALESCE(m.amname OPERATOR(pg_catalog.=) 'heap', false) AS is_heap,
    pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT') AS may_read,
    EXISTS (
        SELECT FROM pg_catalog.pg_index AS i
        WHERE i.indrelid OPERATOR(pg_catalog.=) c.oid AND i.indisunique AND i.indisvalid
            AND i.indpred IS NULL AND i.indnkeyatts OPERATOR(pg_catalog.=) 1::pg_catalog.int2
            AND i.indkey[0] OPERATOR(pg_catalog.=) a.attnum
    ) AND NOT (c.relkind OPERATOR(pg_catalog.=) 'r' AND c.relhassubclass) AS is_unique
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) c.oid
LEFT JOIN pg_catalog.pg_am AS m ON m.oid OPERATOR(pg_catalog.=) c.relam
WHERE c.oid OPERATOR(pg_catalog.=) $1::pg_catalog.oid AND a.attname OPERATOR(pg_catalog.=) $2::pg_catalog.name
    AND NOT a.attisdropped""")


def sample_of_ids(relation: str, id_sql: str, rows: int, percent: float | None) -> str:
    """A query that counts rows with an id, different ids, and rows without one, among `rows` rows: the first ones, or
    those of some of the pages.
    """
    sample = "" if percent is None else f" TABLESAMPLE pg_catalog.system ({percent!r}) REPEATABLE (1)"
    first = f"SELECT s.{id_sql} AS id FROM {relation} AS s{sample} LIMIT {rows}"
    return (
        "SELECT COALESCE(pg_catalog.sum(g.n) FILTER (WHERE g.id IS NOT NULL), 0)::pg_catalog.int8 AS n_rows, "
        "pg_catalog.count(g.id) AS n_ids, "
        "COALESCE(pg_catalog.sum(g.n) FILTER (WHERE g.id IS NULL), 0)::pg_catalog.int8 AS n_without "
        f"FROM (SELECT f.id, pg_catalog.count(*) AS n FROM ({first}) AS f GROUP BY f.id) AS g"
    )
