"""What `<output>_statistics` tells of the rows of a model's training: read, and kept anew by tree_statistics."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf, isnan

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, Row, listed, watched
from madtree.model import ModelTables, UsableModel, find_to_use, make_beside
from madtree.records import dataclass
from madtree.request import COSTS
from madtree.score.counted_table import counts_of
from madtree.score.new_rows import NewRows
from madtree.score.prediction_statistics import SAMPLED, KeptPredictions, has_class_numbers, predictions_of
from madtree.score.rows_at_hand import numbers_of_rows
from madtree.score.training_statistics import CATEGORY, NO_VALUE, PREDICTION, RANGE, Counting, write_statistics
from madtree.score.value_counts import MOST_RANGES
from madtree.sqltext import statistics as sql
from madtree.sqltext.quote import literal
from madtree.sqltext.tables import STATISTICS_COLUMNS, create_beside
from madtree.trees import MOST_EXPRESSION_BYTES, FeatureKind, Model

_TABLE = "training_table"


@dataclass(frozen=True)
class KeptStatistics:
    """What `<output>_statistics` has of a feature: the rows of each range or category, in order, with the ends of the
    ranges or the texts; the least and the largest value; and the rows without one.
    """

    counts: Sequence[int]
    ends: Sequence[float]
    texts: Sequence[str]
    low: float
    high: float
    missing: int

    @property
    def total(self) -> int:
        return sum(self.counts) + self.missing


def kept_statistics(opened: UsableModel) -> tuple[list[KeptStatistics], KeptPredictions | None]:
    """The statistics of each feature, and of the predictions, where these are kept.

    Raises:
        MadtreeError: there are none, or they are damaged.
    """
    tables, model = opened.tables, opened.model
    if not tables.has("_statistics"):
        raise _none(tables, model)
    opened.look_again_at("_statistics")
    by_feature: dict[str | None, list[Row]] = {feature.name: [] for feature in model.features}
    by_feature[None] = []
    size = opened.host.query(sql.size(*tables.at))[0]
    if not size["n"]:
        raise _none(tables, model)
    if size["n"] > sql.MOST_ROWS or size["total"] > sql.MOST_BYTES or size["largest"] > MOST_EXPRESSION_BYTES:
        raise _damaged(tables)
    rows = listed(opened.host, sql.kept(*tables.at))
    for row in watched(opened.host, rows):
        if row["feature"] not in by_feature or not isinstance(row["n"], int) or not 0 <= row["n"] < 2**40:
            raise _damaged(tables)
        by_feature[row["feature"]].append(row)
    of_features = [_kept_of(tables, by_feature[f.name], f.kind is FeatureKind.UNORDERED) for f in model.features]
    return of_features, _kept_predictions(tables, model, by_feature[None]) if by_feature[None] else None


def _kept_predictions(tables: ModelTables, model: Model, rows: Sequence[Row]) -> KeptPredictions:
    of_classes = has_class_numbers(model)
    ends = None if of_classes else [row["high"] for row in rows[:-1]]
    if ends is None:
        fits = [row["category"] for row in rows] == list(model.classes)
    else:
        known = all(isinstance(end, float) and not isnan(end) for end in ends)
        fits = known and all(a < b for a, b in pairwise(ends)) and len(rows) <= MOST_RANGES
    counts = [row["n"] for row in rows]
    if not fits or any(row["kind"] != PREDICTION for row in rows) or not sum(counts):
        raise _damaged(tables)
    return KeptPredictions(counts, ends, model.classes if of_classes else ())


def _kept_of(tables: ModelTables, rows: Sequence[Row], is_category: bool) -> KeptStatistics:
    own = [row for row in rows if row["kind"] == (CATEGORY if is_category else RANGE)]
    missing = [row["n"] for row in rows if row["kind"] == NO_VALUE]
    texts = [row["category"] for row in own] if is_category else []
    ends = [] if is_category else [row["high"] for row in own]
    fits = len(missing) == 1 and len(own) + 1 == len(rows) and len(set(texts)) == len(texts)
    if not fits or not all(isinstance(each, str) for each in texts) or missing[0] + sum(row["n"] for row in own) == 0:
        raise _damaged(tables)
    low, high = inf, -inf
    if ends and not all(end is None for end in ends):
        low, high, inner = own[0]["low"], ends[-1], ends[:-1]
        known = all(isinstance(end, float) and not isnan(end) for end in (low, high, *inner))
        if not known or not all(a < b for a, b in pairwise(inner)):
            raise _damaged(tables)
        ends = inner
    else:
        ends = []
    if not is_category and (len(own) != len(ends) + 1 or len(own) > MOST_RANGES):
        raise _damaged(tables)
    return KeptStatistics([row["n"] for row in own], ends, texts, low, high, missing[0])


def _none(tables: ModelTables, model: Model) -> MadtreeError:
    return MadtreeError(
        f"model: {tables.given} has no statistics of its training rows",
        hint=f"Keep them, while the training table is there: SELECT madtree.tree_statistics("
        f"{literal(tables.given)}, {literal(model.source_table)}).",
        sqlstate="42809",
    )


def _damaged(tables: ModelTables) -> MadtreeError:
    return tables.damaged("its statistics are none of its features", "Keep them anew, by madtree.tree_statistics.")


def tree_statistics(
    host: Host, model_name: str | None, training_table: str | None, trust_owner: bool | None = False
) -> int:
    """Keep how the values of a model's training rows are distributed, in `<output>_statistics`; returns how many rows
    there are.

    Args:
        trust_owner: that of `find_model`.

    Raises:
        MadtreeError: there is no such model or table, it lacks a column or has no rows, or the model is another role's.
    """
    opened = find_to_use(host, model_name, trust_owner)
    tables, model = opened.tables, opened.model
    rows = NewRows.named(opened, training_table, _TABLE)
    sample, *_ = numbers_of_rows(rows, np.arange(len(model.features)), SAMPLED)
    if not len(sample):
        raise MadtreeError(f"{_TABLE}: {training_table} has no rows", sqlstate="P0002")
    known = {"cat_n_levels", "cat_levels_in_text"} <= tables.facts.tables[model.kind.groups_in].columns.keys()
    groups_in = tables.part(model.kind.groups_in) if known else None  # of older versions
    counting = Counting.of(
        host, model.features, sample[:, int(bool(model.grouping_columns)) :], groups_in, tables.given
    )
    counts = counts_of(rows, counting.features, COSTS)
    if unknown := counting.unknown(counts):
        raise MadtreeError(
            f"{_TABLE}: of {unknown} {training_table} has no value that {model_name} knows",
            hint="Give the table that the model was trained on.",
        )
    host.let_in()
    of_model = predictions_of(opened, sample)
    table = *tables.at, "_statistics", STATISTICS_COLUMNS
    make_beside(opened, "_statistics", create_beside(*table))
    write_statistics(host, *tables.at, counting, counts, of_model)
    return counts.n_rows
