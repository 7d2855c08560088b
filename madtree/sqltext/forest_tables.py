"""The tables that a forest has beside a tree model's: columns, and the statements that fill them.

`<output>` has a row for each tree, with the columns of a tree model behind its own, so whatever reads trees reads those
of a forest. `<output>_group` has a row for each group, `<output>_oob`, on wish, one for each row of the training table.
"""

from __future__ import annotations

from collections.abc import Sequence

from madtree.interface import own_settings
from madtree.sqltext.inserts import unnested, with_arrays
from madtree.sqltext.quote import ident
from madtree.sqltext.relation import Column
from madtree.sqltext.tables import SUMMARY_COLUMNS, TREE_COLUMNS, model_table
from madtree.trees import FOREST

FOREST_METHOD = FOREST.trains  # in the summary
# In front of the grouping columns and of TREE_COLUMNS, and behind them.
MEMBER_COLUMNS: tuple[tuple[str, str], ...] = (("gid", "int4"), ("sample_id", "int4"))
MORE_MEMBER_COLUMNS: tuple[tuple[str, str], ...] = (("oob_error", "float8"),)
GROUP_COLUMNS: tuple[tuple[str, str], ...] = (
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
_MADLIBS_SUMMARY: tuple[tuple[str, str], ...] = (
    ("method", "text"),
    ("is_classification", "bool"),
    ("source_table", "text"),
    ("model_table", "text"),
    ("id_col_name", "text"),
    ("dependent_varname", "text"),
    ("independent_varnames", "text"),
    ("cat_features", "text"),
    ("con_features", "text"),
    ("grouping_cols", "text"),
    ("num_trees", "int4"),
    ("num_random_features", "int4"),
    ("max_tree_depth", "int4"),
    ("min_split", "int4"),
    ("min_bucket", "int4"),
    ("num_splits", "int4"),
    ("verbose", "bool"),
    ("importance", "bool"),
    ("num_permutations", "int4"),
    ("num_all_groups", "int4"),
    ("num_failed_groups", "int4"),
    ("total_rows_processed", "int8"),
    ("total_rows_skipped", "int8"),
    ("dependent_var_levels", "text[]"),
    ("dependent_var_type", "text"),
    ("independent_var_types", "text"),
    ("null_proxy", "text"),
    ("sample_ratio", "float8"),
    ("sampling", "text"),
    ("split_rule", "text"),
)
_KNOWN = {column for column, _ in _MADLIBS_SUMMARY}
FOREST_SUMMARY_COLUMNS = _MADLIBS_SUMMARY + tuple(
    each for each in (*SUMMARY_COLUMNS, *own_settings(FOREST)) if each[0] not in _KNOWN
)

FOREST_TREE_PARAMETERS = MEMBER_COLUMNS + TREE_COLUMNS + MORE_MEMBER_COLUMNS
GROUP_PARAMETERS = (("gid", "int4"), *GROUP_COLUMNS)


def insert_members(schema: str, name: str, grouping: Sequence[Column], group_source: str | None) -> str:
    """Fill `<output>` from one array literal per column of `FOREST_TREE_PARAMETERS`; see `tables.insert_trees`."""
    table = model_table(schema, name)
    return _insert(table, FOREST_TREE_PARAMETERS, grouping, group_source, "t.gid, t.sample_id")


def insert_groups(schema: str, name: str, grouping: Sequence[Column], group_source: str | None) -> str:
    """Fill `<output>_group` from one array literal per column of `GROUP_PARAMETERS`."""
    return _insert(model_table(schema, name, "_group"), GROUP_PARAMETERS, grouping, group_source, "t.gid")


def _insert(
    table: str,
    parameters: Sequence[tuple[str, str]],
    grouping: Sequence[Column],
    group_source: str | None,
    order: str,
) -> str:
    """`group_source` is a relation with `tree_id`, which is a group's number, and its values in `g1`, `g2`, ..."""
    names = [column for column, _ in parameters]
    values = [f"t.{column}" for column in names]
    join = ""
    if grouping:
        names += [ident(column.name) for column in grouping]
        values += [f"g.g{i + 1}" for i in range(len(grouping))]
        join = f" JOIN {group_source} AS g ON g.tree_id OPERATOR(pg_catalog.=) t.gid"
    return (
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {with_arrays(values)} "
        f"FROM {unnested('t', parameters)}{join} ORDER BY {order}"
    )
