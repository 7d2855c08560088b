"""A training's rows as SQL, from what is to be trained; and what the numbers of a row then are."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.ingest.categories import Categories
from madtree.ingest.profile import Profile
from madtree.learn.data import Floats
from madtree.learn.packing import RowFormat
from madtree.request import TrainingTask
from madtree.sqltext import rows as sql
from madtree.sqltext.elements import elements
from madtree.sqltext.quote import qualified
from madtree.sqltext.rows import RowSource
from madtree.sqltext.values import text_of
from madtree.sqltext.work import aliased, aliased_together
from madtree.trees import Feature, FeatureKind


def row_source(
    task: TrainingTask, relation: str, groups: str | None, *, with_identity: bool, is_sent: bool
) -> RowSource:
    """The rows of `relation`, SQL.

    Args:
        groups: SQL name of the table of groups that there will be; None for no groups.
        with_identity: whether rows tell who they are, for samples of them.
        is_sent: whether they are read over a connection.
    """
    outcome = task.dependent_sql, task.dependent_type, task.dependent_writer
    target = sql.class_number(*outcome) if task.is_classification else f"({task.dependent_sql})::pg_catalog.float8"
    fold = fold_feature(task)
    return RowSource(
        relation,
        target,
        f"({task.dependent_sql}) IS NOT NULL",
        tuple(sql.as_number(feature) for feature in task.features),
        tuple(column.value for column in task.grouping),
        groups,
        None if fold is None else sql.as_number(fold),
        elements(task.features, task.others_arrays),
        tuple(column.equals for column in task.grouping),
        {name: f"({number})::pg_catalog.float8" for name, number in task.numbers.items()},
        sql.identity_number(task.id_sql, task.id_type, task.id_writer) if with_identity else None,
        sent=is_sent,
        class_text=sql.class_text(*outcome) if task.is_classification else None,
    )


def relation_of(task: TrainingTask) -> str:
    """SQL of the training's rows, and of those of a table that is held out."""
    source, other = task.source, task.held_out
    if other is None:
        return aliased(source.schema, source.name)
    training, held_out = (qualified(each.schema, each.name) for each in (source, other.relation))
    return aliased_together(training, held_out, other.columns, other.flag)


def fold_feature(task: TrainingTask) -> Feature | None:
    """The column of folds: these are told apart by their text, whatever its type."""
    fold = task.parameters.fold_col
    return None if fold is None else Feature(text_of(fold, task.fold_writer), "text", FeatureKind.UNORDERED)


def row_format(
    source: RowSource, profile: Profile, categories: Sequence[Categories | None], fold_keys: Floats | None
) -> RowFormat:
    """What the numbers of a packed row are."""
    keys = [None if found is None else found.keys for found in categories]
    return RowFormat(source.has, profile.class_keys, keys, fold_keys)
