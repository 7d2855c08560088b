"""The tables that a boosted model has of its own: columns, and the statement that fills the losses by round."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.interface import own_settings
from madtree.sqltext.inserts import insert_with_groups
from madtree.sqltext.relation import Column
from madtree.sqltext.tables import SUMMARY_COLUMNS, model_table
from madtree.trees import BOOSTED

# Of `<output>`, behind the columns of all models.
MORE_TREE_COLUMNS: tuple[tuple[str, str], ...] = (("round", "int4"), ("class", "text"))
GROUP_COLUMNS: tuple[tuple[str, str], ...] = (
    ("success", "bool"),
    ("cat_n_levels", "int4[]"),
    ("cat_levels_in_text", "text[]"),
    ("impurity_var_importance", "float8[]"),
    ("n_trees", "int4"),
    ("n_rounds", "int4"),
    ("base_score", "float8[]"),
    ("loss_threshold", "float8"),
    ("n_rows", "int8"),
    ("n_held_out", "int8"),
    ("training_loss", "float8"),
    ("validation_loss", "float8"),
    ("message", "text"),
)
# Of `<output>_group` of models that were calibrated by isotonic regression; and of those of more than two classes,
# where the points of each class end.
ISOTONIC_COLUMNS: tuple[tuple[str, str], ...] = (("point_scores", "float8[]"), ("point_probabilities", "float8[]"))
ISOTONIC_ENDS: tuple[tuple[str, str], ...] = (("point_ends", "int4[]"),)


def isotonic_columns(n_scores: int) -> tuple[tuple[str, str], ...]:
    """Those of a model whose rows have so many scores."""
    return ISOTONIC_COLUMNS + ISOTONIC_ENDS * (n_scores > 1)


ROUND_COLUMNS: tuple[tuple[str, str], ...] = (
    ("gid", "int4"),
    ("round", "int4"),
    ("training_loss", "float8"),
    ("validation_loss", "float8"),
)
# Of `<output>_categories`, which models have whose categories are encoded. It has no column by the groups' names, which
# may be any.
CATEGORY_COLUMNS: tuple[tuple[str, str], ...] = (
    ("gid", "int4"),
    ("feature", "text"),
    ("category", "text"),
    ("n_rows", "int8"),
    ("weight", "float8"),
    ("total", "float8"),
    ("prior", "float8"),
    ("encoded", "float8"),
)
_KNOWN = dict(SUMMARY_COLUMNS)
BOOST_SUMMARY_COLUMNS = SUMMARY_COLUMNS + tuple(each for each in own_settings(BOOSTED) if each[0] not in _KNOWN)


def insert_rounds(schema: str, name: str, grouping: Sequence[Column], group_source: str | None) -> str:
    """Fill `<output>_rounds` from one array literal per column of `ROUND_COLUMNS`."""
    return insert_with_groups(
        model_table(schema, name, "_rounds"), ROUND_COLUMNS, grouping, group_source, "t.gid, t.round"
    )
