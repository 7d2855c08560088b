"""tree_drift: how far the values of other rows have moved from those of a model's training rows.

The distance is the population stability index (Siddiqi 2006): the sum over ranges or categories of (a - e) ln(a / e),
where e is the share of the training rows and a that of the others. A share of none counts as that of half a row.
"""

from __future__ import annotations

from math import nan

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.learn.data import Floats, Ints, sent_ints
from madtree.model import NewTable, UsableModel, find_to_use, fit_features
from madtree.model.arrays import read_arrays
from madtree.request import COSTS, Costs, find_source
from madtree.score.counted_table import counts_of
from madtree.score.kept_statistics import KeptStatistics, kept_statistics
from madtree.score.new_rows import NewRows
from madtree.score.prediction_statistics import has_prediction_statistics, sampled_predictions
from madtree.score.training_statistics import category_points
from madtree.score.value_counts import ABOVE, BELOW, MISSING, N_FIRST, UNSEEN, CountedFeatures
from madtree.sqltext import statistics as sql
from madtree.trees import FeatureKind, Joining

_N_CATEGORIES = 20  # that are held against each other, the most frequent ones; all others are one more
_MOST_LEAVES = 100_000  # of all trees, that are held against each other
_UNDEFINED_COLUMN = "42703"
_OF_FEATURES = dict.fromkeys(("missing", "missing_before", "outside"))  # which only features have


def tree_drift(
    host: Host,
    model_name: str | None,
    new_data_table: str | None,
    trust_owner: bool | None = False,
    *,
    costs: Costs = COSTS,
) -> list[Row]:
    """A row for each feature, those that have moved most first, and one of the leaves of single trees, or of what other
    models say; see its usage text.

    Args:
        trust_owner: that of `find_model`.
        costs: of work, by which workers share the blocks.

    Raises:
        MadtreeError: there is no such model or table, the table lacks a column or has no rows, or the model has no
            statistics.
    """
    opened = find_to_use(host, model_name, trust_owner)
    model = opened.model
    kept, of_model = kept_statistics(opened)
    source, given = find_source(host.source, new_data_table, "new_data_table"), str(new_data_table)
    trusts = opened.tables.trust_owner
    table = NewTable(host.source, source, given, "new_data_table")
    hint = "It must have all features and the grouping columns of the training table."
    data = fit_features(model, table, model.grouping, hint=hint, trust_owner=trusts)
    rows = NewRows(opened, source, data, given, "new_data_table")
    features, orders = [], []
    for place, (feature, own) in enumerate(zip(model.features, kept, strict=True)):
        if feature.kind is FeatureKind.UNORDERED:
            keys, first = category_points(host, model.features, place, own.texts)
            features.append((True, False, nan, nan, keys))
            orders.append(first)
        else:
            features.append((False, feature.null_last, own.low, own.high, np.array(own.ends, np.float64)))
            orders.append(np.arange(len(own.counts)))
    counted = CountedFeatures.of(features)
    arrays = None
    if model.kind.joining is Joining.NONE:
        arrays = read_arrays(opened)
        if len(arrays.nodes["node_id"]) > _MOST_LEAVES:
            arrays = None
    found = counts_of(rows, counted, costs, arrays)
    if not found.n_rows:
        raise MadtreeError(f"new_data_table: {new_data_table} has no rows", sqlstate="P0002")
    answer = [
        _feature_row(
            model.features[number].name, kept[number], found.slots[at], orders[number], counted.is_category[number]
        )
        for number, at in enumerate(counted.slots)
    ]
    answer.sort(key=lambda row: (-row["psi"], row["feature"]))
    if arrays is not None:
        is_leaf = arrays.nodes["feature"] == 0
        before, now = _rows_of_nodes(opened)[is_leaf], found.leaves[is_leaf]
        if not before.any():
            raise opened.tables.damaged("its leaves have no rows")
        if now.any():  # and not all are of unknown groups
            answer.append({"feature": None, "psi": _psi(before, now), **_OF_FEATURES})
    answer = [{**row, "n": found.n_rows} for row in answer]
    if has_prediction_statistics(model):
        predicted = _predictions(rows, found.n_rows if of_model else None)
        if of_model is not None and len(predicted):
            of_all = np.array(of_model.counts, np.int64), of_model.counts_of(predicted)
            if of_model.ends is None:
                of_all = _most_frequent(*of_all)
            answer.append({"feature": None, "psi": _psi(*of_all), **_OF_FEATURES, "n": len(predicted)})
    return answer


def _predictions(table: NewRows, n_rows: int | None) -> Floats:
    """(n_rows,) as `sampled_predictions` has them; where these cannot be told, none, and why is said.

    `n_rows`: of the table; None where no predictions of the training are kept.
    """
    opened, given = table.opened, table.given
    why = f"the statistics of {opened.tables.given} are of its features alone; madtree.tree_statistics keeps both"
    if n_rows is not None:
        try:
            return sampled_predictions(NewRows.of(opened, table.source, given), n_rows)
        except MadtreeError as error:
            if error.sqlstate != _UNDEFINED_COLUMN:
                raise
        why = f"{given} lacks {opened.model.id_column}, by which rows are drawn"
    opened.host.notice(f"how far predictions have moved is not told: {why}")
    return np.zeros(0)


def _rows_of_nodes(opened: UsableModel) -> Ints:
    """(n_nodes,) the training rows of each node, in order of tree and id."""
    return sent_ints(opened.host.query(sql.rows_of_nodes(*opened.tables.at))[0]["n_rows"])


def _feature_row(name: str, kept: KeptStatistics, slots: Ints, order: Ints, is_category: bool) -> Row:
    """What is told of a feature; `order`: of each slot behind the first ones the place in `kept.counts`."""
    n, before = int(slots.sum()) - (0 if is_category else int(slots[BELOW] + slots[ABOVE])), kept.total
    own = np.zeros(len(kept.counts), np.int64)
    own[order] = slots[N_FIRST:]
    expected = np.array(kept.counts, np.int64)
    outside = int(slots[UNSEEN]) if is_category else int(slots[BELOW] + slots[ABOVE])
    if is_category:
        expected, own = _most_frequent(expected, own)
        own[-1] += outside
    return {
        "feature": name,
        "psi": _psi(np.append(expected, kept.missing), np.append(own, slots[MISSING])),
        "missing": int(slots[MISSING]) / n,
        "missing_before": kept.missing / before,
        "outside": outside / n,
    }


def _most_frequent(expected: Ints, own: Ints) -> tuple[Ints, Ints]:
    """The rows of the most frequent categories in training, and of all others together."""
    most = np.argsort(-expected, kind="stable")
    first, others = most[:_N_CATEGORIES], most[_N_CATEGORIES:]
    before, now = (np.append(counts[first], counts[others].sum()) for counts in (expected, own))
    return before, now


def _psi(before: Ints, now: Ints) -> float:
    """The population stability index of two sets of rows, counted alike; each has some."""
    there = (before > 0) | (now > 0)
    before, now = before[there].astype(np.float64), now[there].astype(np.float64)
    expected, actual = (np.maximum(counts, 0.5) / counts.sum() for counts in (before, now))
    return float(((actual - expected) * np.log(actual / expected)).sum())
