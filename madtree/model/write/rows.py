"""Writes a trained model into its tables, in bulk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from madtree.host import Host, local_settings
from madtree.learn.data import Ints
from madtree.learn.prune import (
    CompetitorColumns,
    CpColumns,
    NodeColumns,
    SplitColumns,
    SurrogateColumns,
    TreeColumns,
    TreeKeys,
)
from madtree.model import prediction_type
from madtree.model.write.columns_text import (
    CHUNK_BYTES,
    Encoder,
    category_texts,
    chunks,
    floats,
    integers,
    level_texts,
    longer,
    nothing,
    picked,
    repeated_floats,
    rows_of_floats,
    texts_or_null,
)
from madtree.model.write.encoded import Encodings
from madtree.records import dataclass
from madtree.request import TrainingTask
from madtree.sqltext import array_text as text
from madtree.sqltext import inserts
from madtree.sqltext import tables as sql
from madtree.trees import SINGLE, Categories, Numbering

NUMBER_BYTES = 24  # a float8 in text, with its comma

TEXT = "pg_catalog.text"


def tree_ids(numbering: Numbering, key: TreeKeys) -> Ints:
    """(n,) the ids of trees. Raises ValueError where a group has no such member."""
    if key.member.max(initial=0) >= numbering.most:
        raise ValueError(f"a member of an ensemble of more than {numbering.most}")
    counts = np.array(numbering.counts, np.int64)
    before = (np.cumsum(counts) - counts)[key.group - 1] if numbering.counts else (key.group - 1) * numbering.each
    return np.asarray(before + key.member + 1)


@dataclass(frozen=True)
class ModelOutput:
    """Where trees are written, and what they are written with.

    Attributes:
        categories: of each feature, None where it is not unordered.
        group_table: for a grouped task, SQL of a relation that holds each tree's group: `tree_id int` and `g1`, `g2`,
            ... in the types of the grouping columns; else None.
        encodings: by which splits part categories, where trees are grown by such.
    """

    host: Host
    task: TrainingTask
    categories: Sequence[Categories | None] = ()
    group_table: str | None = None
    encodings: Encodings | None = None

    @property
    def at(self) -> tuple[str, str]:
        """The model's schema and name."""
        return self.task.output_schema, self.task.output_name


def write_trees(
    output: ModelOutput, trees: TreeColumns, failure: str = "", categories: Mapping[str, Any] | None = None
) -> None:
    """Fill `<output>` of a model with a tree a group, whose nodes are all written.

    Args:
        categories: of each unordered feature, texts, or texts by tree id; None where they are not known.
        failure: message for the trees without nodes.
    """
    task = output.task
    levels, counts = level_texts(categories or {}, trees.key.group)
    encoders = of_trees(task, trees, SINGLE, failure)
    encoders |= {"cat_levels_in_text": texts_or_null(levels), "cat_n_levels": texts_or_null(counts)}
    statement = inserts.insert_trees(*output.at, task.grouping, output.group_table)
    sizes = longer(levels, counts) + len(task.features) * NUMBER_BYTES
    insert_rows(output.host, statement, sql.TREE_COLUMNS, encoders, sizes)
    if task.grouping:
        with local_settings(output.host, {"max_parallel_maintenance_workers": "0"}):
            output.host.command(sql.add_key(*output.at, "_nodes"))


def of_trees(task: TrainingTask, trees: TreeColumns, numbering: Numbering, failure: str = "") -> dict[str, Encoder]:
    """The columns that trees of all models have, but for categories."""
    has_failed = trees.n_nodes == 0
    return {
        "tree_id": integers(tree_ids(numbering, trees.key)),
        **{key: integers(getattr(trees, key)) for key in ("n_rows", "n_nodes", "n_leaves", "tree_depth")},
        **{key: floats(getattr(trees, key)) for key in ("pruning_cp", "root_risk")},
        "impurity_var_importance": rows_of_floats(trees.importance, len(task.features)),
        "success": picked(["true", "false"], has_failed),
        "message": picked(["NULL", text.quoted(failure)], has_failed),
    }


def write_nodes(output: ModelOutput, nodes: NodeColumns, classes: Sequence[str] = ()) -> None:
    """Fill `<output>_nodes`; `classes`: the class labels as text, for classification."""
    host, task = output.host, output.task
    is_leaf = nodes.feature < 0
    of_counts = repeated_floats if task.is_classification else floats  # what nodes with the same rows by class share
    left, right = (category_texts(output.categories, nodes.feature, side) for side in (nodes.left, nodes.right))
    encoders: dict[str, Encoder] = {
        "tree_id": integers(tree_ids(SINGLE, nodes.key)),
        **{key: integers(getattr(nodes, key)) for key in ("node_id", "depth", "n_rows")},
        **{key: floats(getattr(nodes, key)) for key in ("threshold", "weight", "risk")},
        **{key: of_counts(getattr(nodes, key)) for key in ("impurity", "complexity")},
        # -1, a leaf, picks the last: NULL.
        "feature": picked([*(text.quoted(f.name) for f in task.features), "NULL"], nodes.feature),
        "left_levels": texts_or_null(left),
        "right_levels": texts_or_null(right),
        "majority_left": picked(["false", "true", "NULL"], np.where(is_leaf, -1, nodes.majority_left)),
        "improvement": floats(np.where(is_leaf, np.nan, nodes.improvement)),
    }
    n_classes = len(classes)
    if task.is_classification:
        encoders["prediction"] = picked([text.quoted(label) for label in classes], nodes.prediction)
        encoders["class_weights"] = rows_of_floats(nodes.class_weights, n_classes)
    else:
        encoders["prediction"] = floats(nodes.prediction)
        encoders["class_weights"] = nothing
    sizes = longer(left, right) + n_classes * NUMBER_BYTES
    statement = inserts.insert_nodes(*output.at, prediction_type(task), classes)
    with local_settings(host, _compression(host, int(sizes.sum()))):
        insert_rows(host, statement, inserts.NODE_PARAMETERS, encoders, sizes)


def write_surrogates(output: ModelOutput, surrogates: SurrogateColumns, numbering: Numbering) -> None:
    """Fill `<output>_surrogates`."""
    encoders, sizes = _of_nodes(output, surrogates, numbering)
    encoders |= {key: floats(getattr(surrogates, key)) for key in ("agreement", "adjusted_agreement")}
    encoders["low_goes_left"] = picked(["false", "true"], surrogates.low_goes_left)
    statement = inserts.insert_surrogates(*output.at)
    insert_rows(output.host, statement, sql.SURROGATE_COLUMNS, encoders, sizes)


def write_competitors(output: ModelOutput, competitors: CompetitorColumns, numbering: Numbering) -> None:
    """Fill `<output>_competitors`."""
    encoders, sizes = _of_nodes(output, competitors, numbering)
    encoders["improvement"] = floats(competitors.improvement)
    statement = inserts.insert_competitors(*output.at)
    insert_rows(output.host, statement, sql.COMPETITOR_COLUMNS, encoders, sizes)


def _of_nodes(output: ModelOutput, splits: SplitColumns, numbering: Numbering) -> tuple[dict[str, Encoder], Ints]:
    """The columns that surrogates and competitors share, and bytes a row."""
    left, right = (category_texts(output.categories, splits.feature, side) for side in (splits.left, splits.right))
    encoders: dict[str, Encoder] = {
        "tree_id": integers(tree_ids(numbering, splits.key)),
        **{key: integers(getattr(splits, key)) for key in ("node_id", "rank")},
        "threshold": floats(splits.threshold),
        "feature": picked([text.quoted(f.name) for f in output.task.features], splits.feature),
        "left_levels": texts_or_null(left),
        "right_levels": texts_or_null(right),
    }
    return encoders, longer(left, right)


def write_cv(output: ModelOutput, cp_table: CpColumns) -> None:
    """Fill `<output>_cv`."""
    numbers = ("cp", "rel_error", "cv_error_avg", "cv_error_stddev", "xerror", "xstd")
    encoders: dict[str, Encoder] = {
        "tree_id": integers(tree_ids(SINGLE, cp_table.key)),
        "n_splits": integers(cp_table.n_splits),
        **{key: floats(getattr(cp_table, key)) for key in numbers},
        "chosen": picked(["false", "true"], cp_table.chosen),
    }
    statement = inserts.insert_cv(*output.at, output.task.grouping, output.group_table)
    insert_rows(output.host, statement, inserts.CV_PARAMETERS, encoders, np.full(len(cp_table.cp), NUMBER_BYTES))


def insert_rows(
    host: Host, statement: str, columns: Sequence[tuple[str, Any]], encoders: dict[str, Encoder], sizes: Ints
) -> None:
    """Run the statement for chunks of the rows; `columns` are its parameters, `sizes` bytes a row."""
    for part in chunks(sizes):
        values = [encoders[column](part) for column, _ in columns]
        host.command(statement, [TEXT] * len(values), values)


def _compression(host: Host, n_bytes: int) -> dict[str, str]:
    """Settings for the compression of so many bytes of categories and class weights."""
    worth_it = n_bytes > CHUNK_BYTES and host.query(inserts.QUICKER_COMPRESSION)
    return {"default_toast_compression": "lz4"} if worth_it else {}
