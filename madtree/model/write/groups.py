"""Writes the tables that a model has whose groups have several trees each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from madtree.learn.data import Floats, Ints
from madtree.learn.prune import RoundColumns, TreeColumns
from madtree.model.write.columns_text import (
    Encoder,
    floats,
    integers,
    level_texts,
    longer,
    nothing,
    picked,
    rows_of_floats,
    texts_or_null,
)
from madtree.model.write.rows import NUMBER_BYTES, ModelOutput, insert_rows, of_trees
from madtree.records import dataclass
from madtree.sqltext import array_text as text
from madtree.sqltext import boost_tables as boost_sql
from madtree.sqltext import inserts
from madtree.trees import Numbering

_MOST_ARRAYS = 3  # of a group that have a number for each feature


@dataclass(frozen=True)
class GroupTotals:
    """What is known of the groups of any model with several trees each.

    Attributes:
        group: (n,) from 1.
        n_trees: (n,) 0 for a group without a usable row.
        impurity_var_importance: (n, number of features) of all trees of a group.
    """

    group: Ints
    n_trees: Ints
    impurity_var_importance: Floats


def write_members(
    output: ModelOutput,
    trees: TreeColumns,
    numbering: Numbering,
    more: Mapping[str, Encoder],
    columns: Sequence[tuple[str, str]],
) -> None:
    """Write the trees of a model with several trees a group, whose categories are told of groups; `columns` that only
    models of this kind have, and what makes `more`, them, of some rows.
    """
    task = output.task
    encoders = of_trees(task, trees, numbering)
    encoders |= {
        "cat_levels_in_text": nothing,
        "cat_n_levels": nothing,
        "gid": integers(trees.key.group),
        "sample_id": integers(trees.key.member + 1),
        **more,
    }
    parameters = inserts.member_parameters(columns)
    statement = inserts.insert_members(*output.at, parameters, task.grouping, output.group_table)
    sizes = np.full(len(trees.n_rows), len(task.features) * NUMBER_BYTES)
    insert_rows(output.host, statement, parameters, encoders, sizes)


def write_groups(
    output: ModelOutput,
    groups: GroupTotals,
    more: Mapping[str, Encoder],
    columns: Sequence[tuple[str, str]],
    failure: str,
    categories: Mapping[str, Any],
) -> None:
    """Fill `<output>_group`.

    Args:
        columns: of that table, beside the group's number and values.
        more: what makes those of some rows that only models of this kind have.
        failure, categories: as for `write_trees`.
    """
    task, width = output.task, len(output.task.features)
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
    parameters = (("gid", "int4"), *columns)
    statement = inserts.insert_groups(*output.at, parameters, task.grouping, output.group_table)
    insert_rows(
        output.host, statement, parameters, encoders, longer(levels, counts) + _MOST_ARRAYS * width * NUMBER_BYTES
    )


def write_rounds(output: ModelOutput, rounds: RoundColumns) -> None:
    """Fill `<output>_rounds`."""
    encoders: dict[str, Encoder] = {
        "gid": integers(rounds.group),
        "round": integers(rounds.number),
        "training_loss": floats(rounds.training),
        "validation_loss": floats(rounds.held_out),
    }
    statement = boost_sql.insert_rounds(*output.at, output.task.grouping, output.group_table)
    insert_rows(output.host, statement, boost_sql.ROUND_COLUMNS, encoders, np.full(len(rounds.group), 4 * NUMBER_BYTES))
