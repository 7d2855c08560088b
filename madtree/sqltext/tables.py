"""The model's tables: their names, their columns, and the statements that make and drop them (design, section 5.5)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from madtree.interface import SETTINGS
from madtree.sqltext.quote import MAX_IDENTIFIER_BYTES, ident, qualified

NULL_PROXY = "__NULL__"  # MADlib's name for NULL among the categories
SUFFIXES = (
    *("", "_nodes", "_summary", "_surrogates", "_cv", "_competitors", "_group", "_packed", "_oob", "_rounds"),
    *("_statistics", "_categories", "_outcomes", "_conformal"),
)
# Not read when the model is: there may be many rows, which say nothing of how it predicts.
BESIDE = frozenset({"_oob", "_categories"})
OOB_TREES = "n_oob_trees"  # its last column

# (column, type); None stands for the prediction's own type.
TREE_COLUMNS: tuple[tuple[str, str], ...] = (
    ("cat_levels_in_text", "text[]"),
    ("cat_n_levels", "int4[]"),
    ("impurity_var_importance", "float8[]"),
    ("tree_depth", "int4"),
    ("pruning_cp", "float8"),
    # Up to here MADlib's, in its order.
    ("tree_id", "int4"),
    ("n_rows", "int8"),
    ("n_nodes", "int4"),
    ("n_leaves", "int4"),
    ("root_risk", "float8"),
    ("success", "bool"),
    ("message", "text"),
)
# Of groups with many trees, in front of the grouping columns and of TREE_COLUMNS.
MEMBER_COLUMNS: tuple[tuple[str, str], ...] = (("gid", "int4"), ("sample_id", "int4"))
NODE_COLUMNS: tuple[tuple[str, str | None], ...] = (
    ("tree_id", "int4"),
    ("node_id", "int8"),
    ("parent_id", "int8"),
    ("depth", "int4"),
    ("is_leaf", "bool"),
    ("feature", "text"),
    ("threshold", "float8"),
    ("left_levels", "text[]"),
    ("majority_left", "bool"),
    ("n_rows", "int8"),
    ("weight", "float8"),
    ("impurity", "float8"),
    ("risk", "float8"),
    ("complexity", "float8"),
    ("improvement", "float8"),
    ("prediction", None),
    ("class_weights", "float8[]"),
    ("right_levels", "text[]"),
)
SURROGATE_COLUMNS: tuple[tuple[str, str], ...] = (
    ("tree_id", "int4"),
    ("node_id", "int8"),
    ("rank", "int4"),
    ("feature", "text"),
    ("threshold", "float8"),
    ("left_levels", "text[]"),
    ("low_goes_left", "bool"),
    ("agreement", "float8"),
    ("adjusted_agreement", "float8"),
    ("right_levels", "text[]"),
)
COMPETITOR_COLUMNS: tuple[tuple[str, str], ...] = (
    ("tree_id", "int4"),
    ("node_id", "int8"),
    ("rank", "int4"),
    ("feature", "text"),
    ("threshold", "float8"),
    ("left_levels", "text[]"),
    ("right_levels", "text[]"),
    ("improvement", "float8"),
)
CV_COLUMNS: tuple[tuple[str, str], ...] = (
    ("cp", "float8"),
    ("n_splits", "int4"),
    ("rel_error", "float8"),
    ("cv_error_avg", "float8"),
    ("cv_error_stddev", "float8"),
    ("xerror", "float8"),
    ("xstd", "float8"),
    ("chosen", "bool"),
)
# How the training rows' values are distributed, of models that were asked to keep it.
STATISTICS_COLUMNS: tuple[tuple[str, str], ...] = (
    ("feature", "text"),
    ("kind", "text"),
    ("place", "int4"),
    ("low", "float8"),
    ("high", "float8"),
    ("category", "text"),
    ("n", "int8"),
)
# How far predictions may be off, of models that were asked to keep it: by group, or by all groups together (NULL).
CONFORMAL_COLUMNS: tuple[tuple[str, str], ...] = (
    ("tree_id", "int4"),
    ("level", "float8"),
    ("n", "int8"),
    ("quantile", "float8"),
)
# Of models whose nodes are packed (`packed_nodes`).
PACKED_COLUMNS: tuple[tuple[str, str], ...] = (("tree_id", "int4"), ("category_sets", "text[]"), ("nodes", "bytea"))
# Of models that keep an outcome of each leaf, in order of the leaves' ids.
OUTCOME_COLUMNS: tuple[tuple[str, str], ...] = (("tree_id", "int4"), ("outcomes", "float8[]"))
_FIRST_SUMMARY_COLUMNS: tuple[tuple[str, str], ...] = (
    ("method", "text"),
    ("is_classification", "bool"),
    ("source_table", "text"),
    ("model_table", "text"),
    ("id_col_name", "text"),
    ("list_of_features", "text"),
    ("list_of_features_to_exclude", "text"),
    ("dependent_varname", "text"),
    ("independent_varnames", "text"),
    ("cat_features", "text"),
    ("con_features", "text"),
    ("grouping_cols", "text"),
    ("num_all_groups", "int4"),
    ("num_failed_groups", "int4"),
    ("total_rows_processed", "int8"),
    ("total_rows_skipped", "int8"),
    ("dependent_var_levels", "text[]"),
    ("dependent_var_type", "text"),
    ("independent_var_types", "text"),
    ("input_cp", "float8"),
    ("n_folds", "int4"),
    ("null_proxy", "text"),
    # From here on what madtree needs to read its own models again.
    ("madtree_version", "text"),
    ("seed", "int8"),
    ("split_criterion", "text"),
    ("weights", "text"),
    ("max_depth", "int4"),
    ("min_split", "int4"),
    ("min_bucket", "int4"),
    ("n_bins", "int4"),
    ("max_surrogates", "int4"),
    ("surrogate_style", "int4"),
    ("null_as_category", "bool"),
    ("rule", "text"),
    ("fold_col", "text"),
    ("features", "text[]"),
    ("feature_types", "text[]"),
    ("feature_kinds", "text[]"),
    ("enum_labels", "jsonb"),
    ("grouping_columns", "text[]"),
    ("grouping_types", "text[]"),
    ("levels", "jsonb"),
    ("trained_at", "timestamptz"),
    ("dependent_name", "text"),
    ("grouping_expressions", "text[]"),
)
# Of calibrated models: by which method, of which model, and by which table.
CALIBRATION_COLUMNS: tuple[tuple[str, str], ...] = (
    ("calibration", "text"),
    ("calibrated_model", "text"),
    ("calibration_table", "text"),
)
# Of refreshed ones: of which model, and by which table.
REFRESH_COLUMNS: tuple[tuple[str, str], ...] = (("refreshed_model", "text"), ("refresh_table", "text"))
_KNOWN = {column for column, _ in _FIRST_SUMMARY_COLUMNS}
SUMMARY_COLUMNS = _FIRST_SUMMARY_COLUMNS + tuple(each for each in SETTINGS if each[0] not in _KNOWN)
# Each of which is there once, and never NULL. Some tables have none.
KEYS: dict[str, tuple[str, ...]] = {
    "": ("tree_id",),
    "_nodes": ("tree_id", "node_id"),
    "_surrogates": ("tree_id", "node_id", "rank"),
    "_competitors": ("tree_id", "node_id", "rank"),
    "_packed": ("tree_id",),
    "_outcomes": ("tree_id",),
    "_group": ("gid",),
    "_rounds": ("gid", "round"),
}
# Columns by which a table is known as a part of a model, before it is dropped as one.
SIGNATURES: dict[str, frozenset[str]] = {
    "": frozenset({"tree_id", "impurity_var_importance", "root_risk"}),
    "_nodes": frozenset({"tree_id", "node_id", "majority_left", "complexity"}),
    "_summary": frozenset({"method", "madtree_version", "independent_varnames"}),
    "_surrogates": frozenset({"tree_id", "node_id", "adjusted_agreement"}),
    "_cv": frozenset({"cp", "cv_error_avg", "xerror"}),
    "_competitors": frozenset({"tree_id", "node_id", "rank", "improvement"}),
    "_group": frozenset({"gid", "n_trees", "impurity_var_importance"}),
    "_packed": frozenset({"tree_id", "category_sets", "nodes"}),
    "_oob": frozenset({OOB_TREES}),
    "_rounds": frozenset({"gid", "round", "training_loss"}),
    "_categories": frozenset({"gid", "feature", "category", "encoded"}),
    "_statistics": frozenset({"feature", "kind", "place", "category", "n"}),
    "_outcomes": frozenset({"tree_id", "outcomes"}),
    "_conformal": frozenset({"tree_id", "level", "n", "quantile"}),
}


def identifier_cut(name: str, n_bytes: int = MAX_IDENTIFIER_BYTES) -> str:
    """The longest beginning of `name` that takes at most that many bytes, never a part of a character."""
    return name.encode()[:n_bytes].decode(errors="ignore")


def suffixed(name: str, suffix: str) -> str:
    """Name of a model's table: `name` + `suffix`, made to fit PostgreSQL's bytes of one.

    Everybody who reads or writes a model's tables must name them by this function. PostgreSQL would cut a longer name
    at its end, so that all of a model's tables had the same one. Here the name is cut at a character, and 8 digits of
    its SHA-256 keep names apart that begin alike.
    """
    whole = name + suffix
    if len(whole.encode()) <= MAX_IDENTIFIER_BYTES or not suffix:
        return whole
    digits = hashlib.sha256(name.encode()).hexdigest()[:8]
    room = MAX_IDENTIFIER_BYTES - len(suffix.encode()) - 1 - len(digits)
    return f"{name.encode()[:room].decode(errors='ignore')}_{digits}{suffix}"


def model_table(schema: str, name: str, suffix: str = "") -> str:
    """Quoted and qualified name of one of a model's tables."""
    return qualified(schema, suffixed(name, suffix))


def create_table(schema: str, name: str, suffix: str, columns: Sequence[str], *, keyed: bool = True) -> str:
    """A table of a model's, with the key of its suffix unless that comes later; `columns` as SQL."""
    parts = [*columns, *([_key(suffix)] if suffix in KEYS and keyed else [])]
    # A heap, whatever the session's default is: others have no places of rows, by which changes are noticed.
    return f"CREATE TABLE {model_table(schema, name, suffix)} ({', '.join(parts)}) USING heap"


def add_key(schema: str, name: str, suffix: str) -> str:
    """Give a table of a model's the key of its suffix."""
    return f"ALTER TABLE {model_table(schema, name, suffix)} ADD {_key(suffix)}"


def _key(suffix: str) -> str:
    return f"PRIMARY KEY ({', '.join(KEYS[suffix])})"


def create_beside(schema: str, name: str, suffix: str, columns: Sequence[tuple[str, str]]) -> str:
    """An empty table beside a model that is there."""
    return create_table(schema, name, suffix, definitions(columns))


def drop_tables(schema: str, tables: Mapping[str, bool]) -> str:
    """Statements that drop relations, given by their unquoted names, and whether each is a view."""
    kinds = {"VIEW": [name for name, is_view in tables.items() if is_view]}  # before what it reads
    kinds["TABLE"] = [name for name in tables if name not in kinds["VIEW"]]
    return ";\n".join(
        f"DROP {kind} {', '.join(qualified(schema, name) for name in names)}" for kind, names in kinds.items() if names
    )


def definitions(columns: Sequence[tuple[str, str]]) -> list[str]:
    """Columns of PostgreSQL's own types as SQL."""
    return [f"{ident(column)} pg_catalog.{kind}" for column, kind in columns]
