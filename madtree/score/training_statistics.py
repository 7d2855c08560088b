"""How the values of a model's training rows are distributed, kept beside the model: by its training, and by
`tree_statistics`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, listed, watched
from madtree.learn.data import Floats, Ints
from madtree.model import find_own
from madtree.model.arrays import keys_of
from madtree.records import dataclass
from madtree.request import TrainingTask
from madtree.score.value_counts import MISSING, N_FIRST, CountedFeatures, ValueCounts, ends_of_ranges
from madtree.sqltext import array_text as text
from madtree.sqltext import statistics as sql
from madtree.sqltext.inserts import fill_beside
from madtree.sqltext.models import longest_list
from madtree.sqltext.tables import STATISTICS_COLUMNS, model_table
from madtree.trees import Feature, FeatureKind, Joining, ModelKind

if TYPE_CHECKING:
    from madtree.score.prediction_statistics import KeptPredictions

RANGE, CATEGORY, NO_VALUE, PREDICTION = "range", "category", "missing", "prediction"  # kinds of rows of the table
_TEXT = "pg_catalog.text"
_TOO_MUCH = "54000"
_MOST_CATEGORIES = 10_000  # that are looked at by each training: 60 ms


def keep_statistics(host: Host, task: TrainingTask, kind: ModelKind, sample: Floats) -> None:
    """Keep how the values of rows of a training are distributed, and what the model that has just been trained says of
    them. Where they cannot be kept, as of too many categories, the table stays empty.

    Args:
        sample: (n_rows, n_numbers) of the rows, as `train.sampled_rows` has them.
    """
    n_groups, at = int(bool(task.grouping)), (task.output_schema, task.output_name)
    values = sample[:, n_groups : n_groups + len(task.features)]
    try:
        counting = Counting.of(host, task.features, values, model_table(*at, kind.groups_in), at[1], _MOST_CATEGORIES)
    except MadtreeError as error:
        if error.sqlstate != _TOO_MUCH:
            raise
        return
    counts = ValueCounts(len(values), *counting.features.count(np.ascontiguousarray(values.T)), np.zeros(0, np.int64))
    if counting.unknown(counts):
        return
    of_model = None
    if kind.joining is not Joining.NONE:
        from madtree.score.prediction_statistics import predictions_of  # only here: who trains a tree need not load it

        of_model = predictions_of(find_own(host, *at), sample)
    write_statistics(host, *at, counting, counts, of_model)


@dataclass(frozen=True)
class Counting:
    """What is counted of features.

    Attributes:
        names: of the features.
        features: in whose order the counts are.
        texts: of each feature its categories in that order.
    """

    names: Sequence[str]
    features: CountedFeatures
    texts: Sequence[Sequence[str]]

    @classmethod
    def of(
        cls,
        host: Host,
        features: Sequence[Feature],
        sample: Floats,
        groups_in: str | None,
        given: str,
        most: int = sql.MOST_ROWS,
    ) -> Counting:
        """Ranges follow from a sample's values, (n_rows, n_features); categories are those that the trees have seen,
        which the table `groups_in` tells, if any.

        Raises:
            MadtreeError: they are more than `most`, or take too many bytes.
        """
        categories = _categories(host, features, groups_in, given, most)
        found, texts = [], []
        for place, feature in enumerate(features):
            if feature.kind is FeatureKind.UNORDERED:
                own = categories.get(place, [])
                keys, first = category_points(host, features, place, own)
                texts.append([own[number] for number in first.tolist()])
                found.append((True, False, nan, nan, keys))
            else:
                known = sample[:, place]
                known = known[~np.isnan(known) & ~(np.isinf(known) & feature.null_last)]
                texts.append([])
                found.append((False, feature.null_last, inf, -inf, ends_of_ranges(known)))
        return cls([feature.name for feature in features], CountedFeatures.of(found), texts)

    def unknown(self, counts: ValueCounts) -> str | None:
        """The first feature of which no row has a value that is counted, or lacks one; None where there is none."""
        for name, at in zip(self.names, self.features.slots, strict=True):
            if not counts.slots[at][MISSING] + counts.slots[at][N_FIRST:].sum():
                return name
        return None


def _categories(
    host: Host, features: Sequence[Feature], groups_in: str | None, given: str, most: int
) -> dict[int, list[str]]:
    """The categories that the trees have seen, by the place of their feature."""
    places = [place for place, f in enumerate(features) if f.kind is FeatureKind.UNORDERED]
    if not places or groups_in is None:
        return {}
    found: dict[int, list[str]] = {}
    size = host.query(longest_list(groups_in, ["cat_levels_in_text"]))[0]
    if size["total"] > sql.MOST_BYTES:
        raise MadtreeError(
            f"model: {given} has categories of {size['total']:,} bytes, and statistics are kept of at most "
            f"{sql.MOST_BYTES:,}",
            sqlstate=_TOO_MUCH,
        )
    rows = listed(host, sql.categories(groups_in, most))
    if len(rows) > most:
        raise MadtreeError(f"model: {given} has more than {most:,} categories", sqlstate=_TOO_MUCH)
    for row in watched(host, rows):
        if 1 <= int(row["feature"]) <= len(places):
            found.setdefault(places[int(row["feature"]) - 1], []).append(row["category"])
    return {place: sorted(texts) for place, texts in found.items()}


def write_statistics(
    host: Host,
    schema: str,
    name: str,
    counting: Counting,
    counts: ValueCounts,
    of_model: KeptPredictions | None,
) -> None:
    """Fill the table."""
    rows: list[tuple[Any, ...]] = []
    counted = counting.features
    for number, (feature, at) in enumerate(zip(counting.names, counted.slots, strict=True)):
        own, points = counts.slots[at].tolist(), counted.points_of(number).tolist()
        rows.append((feature, NO_VALUE, 0, None, None, None, own[MISSING]))
        if counted.is_category[number]:
            rows += [
                (feature, CATEGORY, place, None, None, text_, n)
                for place, (text_, n) in enumerate(zip(counting.texts[number], own[N_FIRST:], strict=True), 1)
            ]
        else:
            ends: list[float | None] = [float(counts.low[number]), *points, float(counts.high[number])]
            if not sum(own[N_FIRST:]):  # no row has a value
                ends = [None] * len(ends)
            rows += [
                (feature, RANGE, place, ends[place - 1], ends[place], None, n)
                for place, n in enumerate(own[N_FIRST:], 1)
            ]
    if of_model is not None:
        n_kept = len(of_model.counts)
        nothing: list[str | None] = [None] * n_kept
        highest, labels = [*(of_model.ends or []), *[None] * n_kept], of_model.classes or nothing
        rows += [
            (None, PREDICTION, place, None, high, text_, n)
            for place, (high, text_, n) in enumerate(zip(highest, labels, of_model.counts, strict=False), 1)
        ]
    columns = [*zip(*rows, strict=True)]
    literals = [
        text.texts(columns[0]),
        text.texts(columns[1]),
        text.integers(columns[2]),
        *(text.joined(["NULL" if value is None else repr(value) for value in column]) for column in columns[3:5]),
        text.texts(columns[5]),
        text.integers(columns[6]),
    ]
    host.command(fill_beside(schema, name, "_statistics", STATISTICS_COLUMNS), [_TEXT] * len(literals), literals)


def category_points(host: Host, features: Sequence[Feature], place: int, texts: Sequence[str]) -> tuple[Floats, Ints]:
    """(n,) the keys of a feature's categories, ascending, as `CountedFeatures` has its points; and the place in `texts`
    of each. `place`: of the feature among the model's, from 0.
    """
    keys = keys_of(host, features, np.full(len(texts), place + 1), texts).astype(np.float64)
    return np.unique(keys, return_index=True)
