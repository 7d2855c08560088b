"""The tables of each kind of model: which it has, and their columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from madtree.interface import LATER_SETTINGS, own_settings
from madtree.records import dataclass
from madtree.sqltext import boost_tables as of_boosted
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


# `<output>` of a forest has a row for each tree, with the columns of a tree model behind its own, so whatever reads
# trees reads those of a forest. `<output>_group` has a row for each group; on wish `<output>_oob` has one for each row
# of the training table, and `<output>_outcomes` one for each tree.
_MORE_MEMBER_COLUMNS: Columns = (("oob_error", "float8"), ("oob_tested", "bool"))
_FOREST_GROUP_COLUMNS: Columns = (
    ("success", "bool"),
    ("cat_n_levels", "int4[]"),
    ("cat_levels_in_text", "text[]"),
    ("oob_error", "float8"),
    ("oob_var_importance", "float8[]"),
    ("impurity_var_importance", "float8[]"),
    # Up to here MADlib's, in its order.
    ("oob_score", "float8"),
    ("oob_var_importance_sd", "float8[]"),
    ("n_trees", "int4"),
    ("message", "text"),
)
_IN_MADLIBS_ORDER = (
    "method", "is_classification", "source_table", "model_table", "id_col_name", "dependent_varname",
    "independent_varnames", "cat_features", "con_features", "grouping_cols", "num_trees", "num_random_features",
    "max_tree_depth", "min_split", "min_bucket", "num_splits", "verbose", "importance", "num_permutations",
    "num_all_groups", "num_failed_groups", "total_rows_processed", "total_rows_skipped", "dependent_var_levels",
    "dependent_var_type", "independent_var_types", "null_proxy", "sample_ratio", "sampling", "split_rule",
)  # fmt: skip
_FOREST_SUMMARY = dict((*sql.SUMMARY_COLUMNS, *own_settings(FOREST)), num_splits="int4", verbose="bool")
_FOREST_SUMMARY_COLUMNS = tuple(
    (name, _FOREST_SUMMARY[name]) for name in dict.fromkeys((*_IN_MADLIBS_ORDER, *_FOREST_SUMMARY))
)
TABLES: Mapping[ModelKind, KindTables] = {
    TREE: KindTables(sql.SUMMARY_COLUMNS),
    FOREST: KindTables(
        _FOREST_SUMMARY_COLUMNS,
        own=sql.MEMBER_COLUMNS,
        more=_MORE_MEMBER_COLUMNS,
        of_groups=_FOREST_GROUP_COLUMNS,
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
