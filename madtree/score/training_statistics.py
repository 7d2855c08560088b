"""tree_statistics: how the values of a model's training rows are spread, kept beside the model, and read again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf, isnan, nan
from typing import Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, Row, listed, watched
from madtree.learn.data import Floats
from madtree.model import ModelTables, casting, find_model, look_again_at, make_beside, read_summary
from madtree.records import dataclass
from madtree.request import COSTS, find_source
from madtree.score.counted_table import CountedTable, category_points
from madtree.score.new_rows import fit_to_source, scan_of
from madtree.score.prediction_statistics import (
    SAMPLED,
    KeptPredictions,
    has_class_numbers,
    has_prediction_statistics,
    sampled_predictions,
)
from madtree.score.rows_at_hand import numbers_of_rows
from madtree.score.value_counts import MISSING, MOST_RANGES, N_FIRST, CountedFeatures, ValueCounts
from madtree.sqltext import array_text as text
from madtree.sqltext import statistics as sql
from madtree.sqltext.inserts import fill_beside
from madtree.sqltext.models import longest_list
from madtree.sqltext.quote import literal
from madtree.sqltext.tables import STATISTICS_COLUMNS, create_beside, model_table
from madtree.trees import MOST_EXPRESSION_BYTES, FeatureKind, Model

_N_RANGES = 10  # of a number
_RANGE, _CATEGORY, _MISSING, _PREDICTION = "range", "category", "missing", "prediction"
_TABLE = "training_table"
_TEXT = "pg_catalog.text"


def tree_statistics(
    host: Host, model_name: str | None, training_table: str | None, trust_owner: bool | None = False
) -> int:
    """Keep how the values of a model's training rows are spread, in `<output>_statistics`; returns how many rows there
    are.

    Args:
        trust_owner: that of `find_model`.

    Raises:
        MadtreeError: there is no such model or table, it lacks a column or has no rows, or the model is another role's.
    """
    tables = find_model(host, model_name, "model", trust_owner=trust_owner)
    model = read_summary(host, tables)
    if training_table is None:
        raise MadtreeError(f"{_TABLE} must be the name of a table or view, not NULL")
    source = find_source(host.source, training_table, _TABLE)
    data = fit_to_source(host, model, source, training_table, _TABLE)
    rows = CountedTable(host, tables, model, source, data, training_table, _TABLE)
    scan = scan_of(host, tables, model, source, data, "", "")
    used = np.arange(len(model.features))
    with casting(model, data.features, training_table, _TABLE):
        sample, *_ = numbers_of_rows(host, model, scan, used, data.types[model.id_column], SAMPLED)
    if not len(sample):
        raise MadtreeError(f"{_TABLE}: {training_table} has no rows", sqlstate="P0002")
    own = sample[:, int(bool(model.grouping_columns)) :]
    categories = _categories(host, tables, model)
    features, order = [], []
    for place, feature in enumerate(model.features):
        if feature.kind is FeatureKind.UNORDERED:
            texts = categories.get(place, [])
            keys, first = category_points(host, model, place, texts)
            order.append([texts[number] for number in first.tolist()])
            features.append((True, False, nan, nan, keys))
        else:
            known = own[:, place]
            known = known[~np.isnan(known) & ~(np.isinf(known) & feature.null_last)]
            order.append([])
            features.append((False, feature.null_last, inf, -inf, _ends_of_ranges(known)))
    counted = CountedFeatures.of(features)
    counts = rows.counts(counted, COSTS)
    for feature, at in zip(model.features, counted.slots, strict=True):
        if not counts.slots[at][MISSING] + counts.slots[at][N_FIRST:].sum():
            raise MadtreeError(
                f"{_TABLE}: of {feature.name} {training_table} has no value that {model_name} knows",
                hint="Give the table that the model was trained on.",
            )
    host.let_in()
    of_model = None
    if has_prediction_statistics(model):
        predicted = sampled_predictions(host, tables, model, source, data, training_table, _TABLE, counts.n_rows)
        of_model = _counted_predictions(model, predicted) if len(predicted) else None
    _write(host, tables, model, counted, counts, order, of_model)
    return counts.n_rows


def _counted_predictions(model: Model, predicted: Floats) -> KeptPredictions:
    """Of the predictions of the training."""
    if has_class_numbers(model):
        return KeptPredictions(np.bincount(predicted.astype(np.int64), minlength=len(model.classes)).tolist(), None)
    ends = _ends_of_ranges(predicted)
    none = KeptPredictions([0] * (len(ends) + 1), ends.tolist())
    return KeptPredictions(none.counts_of(predicted).tolist(), none.ends)


def _ends_of_ranges(values: Floats) -> Floats:
    """The largest value of each range but the last, of about equally many rows."""
    if not len(values):
        return np.zeros(0)
    at = np.arange(1, _N_RANGES) / _N_RANGES
    ends = np.unique(np.quantile(values, at, method="inverted_cdf") + 0.0)
    inner: Floats = ends[ends < values.max()]
    return inner


def _categories(host: Host, tables: ModelTables, model: Model) -> dict[int, list[str]]:
    """The categories that the trees have seen, by the place of their feature."""
    places = [place for place, f in enumerate(model.features) if f.kind is FeatureKind.UNORDERED]
    if not places:
        return {}
    found: dict[int, list[str]] = {}
    known = tables.facts.tables[model.kind.groups_in].columns.keys()
    if not {"cat_n_levels", "cat_levels_in_text"} <= known:  # a model of an older version
        return {}
    table = model_table(tables.schema, tables.name, model.kind.groups_in)
    size = host.query(longest_list(table, ["cat_levels_in_text"]))[0]
    if size["total"] > sql.MOST_BYTES:
        raise MadtreeError(
            f"model: {tables.given} has categories of {size['total']:,} bytes, and statistics are kept of at most "
            f"{sql.MOST_BYTES:,}",
            sqlstate="54000",
        )
    rows = listed(host, sql.categories(table))
    if len(rows) > sql.MOST_ROWS:
        raise MadtreeError(f"model: {tables.given} has more than {sql.MOST_ROWS:,} categories", sqlstate="54000")
    for row in watched(host, rows):
        if 1 <= int(row["feature"]) <= len(places):
            found.setdefault(places[int(row["feature"]) - 1], []).append(row["category"])
    return {place: sorted(texts) for place, texts in found.items()}


def _write(
    host: Host,
    tables: ModelTables,
    model: Model,
    counted: CountedFeatures,
    counts: ValueCounts,
    texts: Sequence[Sequence[str]],
    of_model: KeptPredictions | None,
) -> None:
    """Put the table in the place of one that may be there."""
    rows: list[tuple[Any, ...]] = []
    for number, (feature, at) in enumerate(zip(model.features, counted.slots, strict=True)):
        own, points = counts.slots[at].tolist(), counted.points_of(number).tolist()
        rows.append((feature.name, _MISSING, 0, None, None, None, own[MISSING]))
        if counted.is_category[number]:
            rows += [
                (feature.name, _CATEGORY, place, None, None, text_, n)
                for place, (text_, n) in enumerate(zip(texts[number], own[N_FIRST:], strict=True), 1)
            ]
        else:
            ends: list[float | None] = [float(counts.low[number]), *points, float(counts.high[number])]
            if not sum(own[N_FIRST:]):  # no row has a value
                ends = [None] * len(ends)
            rows += [
                (feature.name, _RANGE, place, ends[place - 1], ends[place], None, n)
                for place, n in enumerate(own[N_FIRST:], 1)
            ]
    if of_model is not None:
        labels = model.classes if of_model.ends is None else [None] * len(of_model.counts)
        highest = [*(of_model.ends or []), *[None] * len(of_model.counts)]
        rows += [
            (None, _PREDICTION, place, None, high, text_, n)
            for place, (high, text_, n) in enumerate(zip(highest, labels, of_model.counts, strict=False), 1)
        ]
    table = tables.schema, tables.name, "_statistics", STATISTICS_COLUMNS
    make_beside(host, tables, "_statistics", create_beside(*table))
    columns = [*zip(*rows, strict=True)]
    literals = [
        text.texts(columns[0]),
        text.texts(columns[1]),
        text.integers(columns[2]),
        *(text.joined(["NULL" if value is None else repr(value) for value in column]) for column in columns[3:5]),
        text.texts(columns[5]),
        text.integers(columns[6]),
    ]
    host.command(fill_beside(*table), [_TEXT] * len(literals), literals)


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


def kept_statistics(
    host: Host, tables: ModelTables, model: Model
) -> tuple[list[KeptStatistics], KeptPredictions | None]:
    """The statistics of each feature, and of the predictions, where these are kept.

    Raises:
        MadtreeError: there are none, or they are damaged.
    """
    if "_statistics" not in tables.facts.tables:
        raise MadtreeError(
            f"model: {tables.given} has no statistics of its training rows",
            hint=f"Keep them, while the training table is there: SELECT madtree.tree_statistics("
            f"{literal(tables.given)}, {literal(model.source_table)}).",
            sqlstate="42809",
        )
    look_again_at(host, tables, "_statistics")
    by_feature: dict[str | None, list[Row]] = {feature.name: [] for feature in model.features}
    by_feature[None] = []
    size = host.query(sql.size(tables.schema, tables.name))[0]
    if size["n"] > sql.MOST_ROWS or size["total"] > sql.MOST_BYTES or size["largest"] > MOST_EXPRESSION_BYTES:
        raise _damaged(tables)
    rows = listed(host, sql.kept(tables.schema, tables.name))
    for row in watched(host, rows):
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
    if not fits or any(row["kind"] != _PREDICTION for row in rows) or not sum(counts):
        raise _damaged(tables)
    return KeptPredictions(counts, ends)


def _kept_of(tables: ModelTables, rows: Sequence[Row], is_category: bool) -> KeptStatistics:
    own = [row for row in rows if row["kind"] == (_CATEGORY if is_category else _RANGE)]
    missing = [row["n"] for row in rows if row["kind"] == _MISSING]
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


def _damaged(tables: ModelTables) -> MadtreeError:
    return MadtreeError(
        f"{tables.given} is damaged: its statistics are none of its features",
        hint="Keep them anew, by madtree.tree_statistics.",
    )
