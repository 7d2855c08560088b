"""The tables that a forest has beside a tree model's: columns, and the statements that fill them.

`<output>` has a row for each tree, with the columns of a tree model behind its own, so whatever reads trees reads those
of a forest. `<output>_group` has a row for each group; on wish `<output>_oob` has one for each row of the training
table, and `<output>_outcomes` one for each tree.
"""

from __future__ import annotations

from madtree.interface import own_settings
from madtree.sqltext.tables import SUMMARY_COLUMNS, model_table
from madtree.trees import FOREST

# Behind those of all models with several trees a group.
MORE_MEMBER_COLUMNS: tuple[tuple[str, str], ...] = (("oob_error", "float8"), ("oob_tested", "bool"))
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


def untested_trees(schema: str, name: str) -> str:
    """The places, from 0 in order of the trees' ids, of the trees that no row is out of the bag of."""
    place = "(pg_catalog.row_number() OVER (ORDER BY t.tree_id) OPERATOR(pg_catalog.-) 1)::pg_catalog.int4"
    trees = f"SELECT {place} AS place, t.oob_tested FROM {model_table(schema, name)} AS t"
    return f"SELECT p.place FROM ({trees}) AS p WHERE p.oob_tested IS FALSE"


def oob_figures(schema: str, name: str) -> str:
    """What out-of-bag rows say of each group's forest."""
    return f"SELECT g.gid, g.oob_error, g.oob_score FROM {model_table(schema, name, '_group')} AS g"
