"""The tables of each kind of model: which it has, and their columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from madtree.interface import LATER_SETTINGS
from madtree.records import dataclass
from madtree.sqltext import boost_tables as of_boosted
from madtree.sqltext import forest_tables as of_forests
from madtree.sqltext import tables as sql
from madtree.sqltext.quote import ident
from madtree.sqltext.relation import Column
from madtree.sqltext.typenames import type_sql
from madtree.trees import BOOSTED, FOREST, TREE, ModelKind

Columns = tuple[tuple[str, str], ...]  # name, type


@dataclass(frozen=True)
class KindTables:
    """What a kind's tables have of their own.

    Attributes:
        summary: columns of `<output>_summary`.
        own, more: of `<output>`, in front of all others and behind them.
        of_groups: of `<output>_group`, beside the group's number and values; empty where there is no such table.
        of_rounds: of `<output>_rounds`, beside the groups' values; empty where there is no such table.
        of_calibrated: of `<output>_group`, where a model is calibrated.
    """

    summary: Columns
    own: Columns = ()
    more: Columns = ()
    of_groups: Columns = ()
    of_rounds: Columns = ()
    of_calibrated: Columns = ()

    @property
    def own_names(self) -> frozenset[str]:
        """Names that only this kind's tables have: no grouping column may have one."""
        columns = (*self.own, *self.more, *self.of_groups, *self.of_rounds, *self.of_calibrated)
        return frozenset(name for name, _ in columns)


TABLES: Mapping[ModelKind, KindTables] = {
    TREE: KindTables(sql.SUMMARY_COLUMNS),
    FOREST: KindTables(
        of_forests.FOREST_SUMMARY_COLUMNS,
        own=sql.MEMBER_COLUMNS,
        more=of_forests.MORE_MEMBER_COLUMNS,
        of_groups=of_forests.GROUP_COLUMNS,
    ),
    BOOSTED: KindTables(
        of_boosted.BOOST_SUMMARY_COLUMNS,
        own=sql.MEMBER_COLUMNS,
        more=of_boosted.MORE_TREE_COLUMNS,
        of_groups=of_boosted.GROUP_COLUMNS,
        of_rounds=of_boosted.ROUND_COLUMNS,
        of_calibrated=of_boosted.isotonic_columns(2),
    ),
}
# Of a model of any kind, by suffix: tables that not every one has.
OPTIONAL: Mapping[str, Columns] = {
    "_surrogates": sql.SURROGATE_COLUMNS,
    "_cv": sql.CV_COLUMNS,
    "_competitors": sql.COMPETITOR_COLUMNS,
    "_outcomes": sql.OUTCOME_COLUMNS,
    "_categories": of_boosted.CATEGORY_COLUMNS,
}
# Of the summary, and behind the others of `<output>`, whatever the kind.
SUMMARY_COLUMNS: Mapping[str, str] = {name: type_ for each in TABLES.values() for name, type_ in each.summary} | dict(
    sql.CALIBRATION_COLUMNS + sql.REFRESH_COLUMNS
)
_WITH_GROUPS = [each.of_groups for each in TABLES.values() if each.of_groups]
_OF_ALL_GROUPS: Columns = tuple(each for each in _WITH_GROUPS[0] if all(each in others for others in _WITH_GROUPS))

# Suffix, columns with their types (None: the prediction's), and those that a model of an older version may lack. What
# only some kinds have, `columns_of_kind` knows: the groups of others may be told by columns of such names.
EXPECTED: tuple[tuple[str, tuple[tuple[str, str | None], ...], frozenset[str]], ...] = (
    ("", sql.TREE_COLUMNS, frozenset({"cat_levels_in_text", "cat_n_levels"})),
    ("_nodes", sql.NODE_COLUMNS, frozenset()),
    (
        "_summary",
        sql.SUMMARY_COLUMNS + sql.CALIBRATION_COLUMNS + sql.REFRESH_COLUMNS,
        frozenset({"levels", "trained_at", "dependent_name", "grouping_expressions"})
        | frozenset(dict(sql.CALIBRATION_COLUMNS + sql.REFRESH_COLUMNS))
        | LATER_SETTINGS,
    ),
    ("_surrogates", sql.SURROGATE_COLUMNS, frozenset()),
    ("_cv", sql.CV_COLUMNS, frozenset()),
    ("_competitors", sql.COMPETITOR_COLUMNS, frozenset()),
    ("_group", (("gid", "int4"), *_OF_ALL_GROUPS), frozenset()),
    ("_packed", sql.PACKED_COLUMNS, frozenset()),
    ("_rounds", of_boosted.ROUND_COLUMNS, frozenset()),
    ("_statistics", sql.STATISTICS_COLUMNS, frozenset()),
    ("_outcomes", sql.OUTCOME_COLUMNS, frozenset()),
    ("_conformal", sql.CONFORMAL_COLUMNS, frozenset()),
)


def columns_of_kind(kind: ModelKind) -> tuple[tuple[str, Columns], ...]:
    """Suffixes, and columns that only models of that kind have, which are read where they are there."""
    each = TABLES[kind]
    return (("", each.more), ("_group", each.of_groups + each.of_calibrated))


def create_tables(
    schema: str,
    name: str,
    kind: ModelKind,
    grouping: Sequence[Column],
    prediction_type: str | None,
    wanted: Collection[str] = (),
) -> str:
    """Statements that create a model's tables. The nodes of groups get their key when all are there: then the index is
    built in a quarter of the time.

    Args:
        prediction_type: None for a model whose nodes are packed.
        wanted: suffixes of the tables of `OPTIONAL` that it is to have.
    """
    own = TABLES[kind]
    groups = [f"{ident(column.name)} {type_sql(column.type)}" for column in grouping]
    tables = {"": [*sql.definitions(own.own), *groups, *sql.definitions((*sql.TREE_COLUMNS, *own.more))]}
    if prediction_type is None:
        tables["_packed"] = sql.definitions(sql.PACKED_COLUMNS)
    else:
        tables["_nodes"] = [f"{column} {type_sql(type_ or prediction_type)}" for column, type_ in sql.NODE_COLUMNS]
    tables["_summary"] = sql.definitions(own.summary)
    tables["_statistics"] = sql.definitions(sql.STATISTICS_COLUMNS)
    for suffix, columns in OPTIONAL.items():
        if suffix in wanted:
            tables[suffix] = [*(groups if suffix == "_cv" else ()), *sql.definitions(columns)]
    if own.of_groups:
        tables["_group"] = ["gid pg_catalog.int4", *groups, *sql.definitions(own.of_groups)]
    if own.of_rounds:
        tables["_rounds"] = [*sql.definitions(own.of_rounds), *groups]
    return ";\n".join(
        sql.create_table(schema, name, suffix, columns, keyed=not grouping or suffix != "_nodes")
        for suffix, columns in tables.items()
    )
