"""Writes the tables that a model has whose groups have several trees each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from madtree.host import Host
from madtree.learn.data import Floats, Ints
from madtree.learn.prune import RoundColumns, TreeColumns
from madtree.model.write.columns_text import (
    NO_VALUES,
    Encoder,
    floats,
    integers,
    level_texts,
    longer,
    picked,
    rows_of_floats,
    texts_or_null,
)
from madtree.model.write.rows import NUMBER_BYTES, insert_rows, of_trees
from madtree.records import dataclass
from madtree.request import TrainingTask
from madtree.sqltext import array_text as text
from madtree.sqltext import boost_tables as boost_sql
from madtree.sqltext import forest_tables as forest_sql
from madtree.sqltext import group_tables as group_sql
from madtree.trees import Numbering


@dataclass(frozen=True)
class GroupTotals:
    """The forests, n rows, one a group.

    Attributes:
        group: (n,) from 1.
        n_trees: (n,) 0 for a group without a usable row.
        oob_error, oob_score: (n,) NaN where there are none.
        oob_var_importance, oob_var_importance_sd: (n, number of features), None if they were not asked for.
        impurity_var_importance: (n, number of features) means over the trees.
    """

    group: Ints
    n_trees: Ints
    oob_error: Floats
    oob_score: Floats
    oob_var_importance: Floats | None
    oob_var_importance_sd: Floats | None
    impurity_var_importance: Floats


@dataclass(frozen=True)
class BoostedTotals:
    """The boosted models, n rows, one a group.

    Attributes:
        group: (n,) from 1.
        n_trees, n_rounds: (n,) 0 for a group without a usable row.
        base_score: (n, n_scores) before any tree.
        loss_threshold: (n,) by which the loss is told, NaN where it has none.
        n_rows, n_held_out: (n,) of the training.
        training_loss, validation_loss: (n,) means after the last round, NaN where there are none.
        impurity_var_importance: (n, number of features) gains of all trees' splits.
        rounds: the losses of all rounds that were grown.
    """

    group: Ints
    n_trees: Ints
    n_rounds: Ints
    base_score: Floats
    loss_threshold: Floats
    n_rows: Ints
    n_held_out: Ints
    training_loss: Floats
    validation_loss: Floats
    impurity_var_importance: Floats
    rounds: RoundColumns


def write_members(
    host: Host,
    task: TrainingTask,
    trees: TreeColumns,
    numbering: Numbering,
    more: Mapping[str, Encoder],
    columns: Sequence[tuple[str, str]],
    group_source: str | None = None,
) -> None:
    """Write the trees of a model with several trees a group, whose categories are told of groups; `columns` that only
    models of this kind have, and what makes `more`, them, of some rows.
    """
    encoders = of_trees(task, trees, numbering)
    encoders |= {
        "cat_levels_in_text": lambda _: NO_VALUES,
        "cat_n_levels": lambda _: NO_VALUES,
        "gid": integers(trees.key.group),
        "sample_id": integers(trees.key.member + 1),
        **more,
    }
    parameters = group_sql.member_parameters(columns)
    statement = group_sql.insert_members(task.output_schema, task.output_name, parameters, task.grouping, group_source)
    sizes = np.full(len(trees.n_rows), len(task.features) * NUMBER_BYTES)
    insert_rows(host, statement, parameters, encoders, sizes)


def write_groups(
    host: Host,
    task: TrainingTask,
    groups: GroupTotals,
    failure: str = "",
    group_source: str | None = None,
    categories: Mapping[str, Any] | None = None,
) -> None:
    """Fill `<output>_group` of a forest; `failure`, `group_source` and `categories` as for `write_trees`."""
    width = len(task.features)
    more: dict[str, Encoder] = {key: floats(getattr(groups, key)) for key in ("oob_error", "oob_score")}
    for name in ("oob_var_importance", "oob_var_importance_sd"):
        values = getattr(groups, name)
        more[name] = (lambda _: NO_VALUES) if values is None else rows_of_floats(values, width)
    _insert_groups(host, task, groups, more, forest_sql.GROUP_PARAMETERS, 3, failure, group_source, categories or {})


def write_boosted_groups(
    host: Host,
    task: TrainingTask,
    groups: BoostedTotals,
    failure: str,
    group_source: str | None,
    categories: Mapping[str, Any],
) -> None:
    """Fill `<output>_group` and `<output>_rounds` of a boosted model; the others as for `write_trees`."""
    more: dict[str, Encoder] = {
        "base_score": rows_of_floats(groups.base_score, groups.base_score.shape[1]),
        **{key: integers(getattr(groups, key)) for key in ("n_rounds", "n_rows", "n_held_out")},
        **{key: floats(getattr(groups, key)) for key in ("loss_threshold", "training_loss", "validation_loss")},
    }
    _insert_groups(host, task, groups, more, boost_sql.GROUP_PARAMETERS, 2, failure, group_source, categories)
    rounds = groups.rounds
    of_rounds: dict[str, Encoder] = {
        "gid": integers(rounds.group),
        "round": integers(rounds.number),
        "training_loss": floats(rounds.training),
        "validation_loss": floats(rounds.held_out),
    }
    statement = boost_sql.insert_rounds(task.output_schema, task.output_name, task.grouping, group_source)
    insert_rows(host, statement, boost_sql.ROUND_COLUMNS, of_rounds, np.full(len(rounds.group), 4 * NUMBER_BYTES))


def _insert_groups(
    host: Host,
    task: TrainingTask,
    groups: GroupTotals | BoostedTotals,
    more: Mapping[str, Encoder],
    parameters: Sequence[tuple[str, str]],
    arrays: int,
    failure: str,
    group_source: str | None,
    categories: Mapping[str, Any],
) -> None:
    """Fill `<output>_group`: what all kinds have there, and `more`; `arrays` of a number for each feature make up the
    size of a row.
    """
    width = len(task.features)
    levels, counts = level_texts(categories, groups.group)
    has_failed = groups.n_trees == 0
    encoders: dict[str, Encoder] = {
        "gid": integers(groups.group),
        "success": picked(["true", "false"], has_failed),
        "cat_n_levels": texts_or_null(counts),
        "cat_levels_in_text": texts_or_null(levels),
        "impurity_var_importance": rows_of_floats(groups.impurity_var_importance, width),
        "n_trees": integers(groups.n_trees),
        "message": picked(["NULL", text.quoted(failure)], has_failed),
        **more,
    }
    statement = group_sql.insert_groups(task.output_schema, task.output_name, parameters, task.grouping, group_source)
    insert_rows(host, statement, parameters, encoders, longer(levels, counts) + arrays * width * NUMBER_BYTES)
