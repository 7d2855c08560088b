"""The first look at the training rows: classes, groups, ranges, and what makes them unfit to learn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, Row, WorkSpace
from madtree.ingest.bin_finder import takes_all
from madtree.ingest.categories import check_bytes, check_labels, distinct_keys
from madtree.ingest.page_ranges import OID
from madtree.ingest.unfit_rows import (
    MOST_WHOLE_NUMBERS,
    check_counts,
    check_heaviest,
    check_numbers,
    check_offsets,
    check_rows,
    check_squares,
    check_weights,
    too_many_classes,
)
from madtree.learn.data import Floats
from madtree.learn.packing import Scale
from madtree.records import dataclass
from madtree.request import TrainingTask
from madtree.sqltext import profile as sql
from madtree.sqltext import work as work_sql
from madtree.sqltext.rows import RowSource, sampled
from madtree.sqltext.values import Writer
from madtree.trees import COUNTS, EXPOSURE, MAX_CLASSES, MOST_LIST_BYTES, OFFSET, RANGED_NUMBERS, ROW_NUMBERS
from madtree.wording import count_text

INTEGERS = ("smallint", "integer", "bigint")
_MOST_SAMPLED, _SAMPLED_SHARE = 50_000, 8  # rows, at most, and of the table 1 / this
_MOSTLY_USABLE = 0.9
_MOST_LABELS = 2 * MAX_CLASSES  # that are fetched, some of which may be of rows that do not count
# Classes that the sample has one row of: with more there are surely others that it has none of (the share of rows of
# unseen classes is about that of rows of classes seen once; Good 1953), and all rows would have to be packed again.
_MOST_SINGLE = 1


@dataclass(frozen=True)
class Profile:
    """Attributes:
    total: rows of the relation.
    usable: rows whose dependent, weight and grouping columns are fit to be used.
    classes: labels in SQL order, and class_keys (K,) the numbers that stand for them in packed rows; None for
        regression.
    low, high, heaviest: smallest and largest target, largest weight.
    integral: all that is summed, of targets and of rows' numbers, is whole.
    estimated: it was made of a sample: rows are about right, and a rare class may be missing.
    of_counts: the target counts events.
    ranges: of those of `RANGED_NUMBERS` that rows have, by name, the smallest and the largest one.
    """

    total: int
    usable: int
    classes: tuple[str, ...]
    class_keys: Floats | None
    low: float
    high: float
    heaviest: float
    integral: bool
    estimated: bool = False
    of_counts: bool = False
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def never_null(self) -> bool:
        """No dependent, weight or grouping column is NULL (and no weight 0)."""
        return self.usable == self.total

    def scale(self) -> Scale:
        """The scale of a single tree over all usable rows."""
        rows, heaviest = np.array([self.usable]), np.array([self.heaviest])
        targets = np.array([[self.low], [self.high]])
        ranges = {name: np.array([[least], [largest]]) for name, (least, largest) in self.ranges.items()}
        return Scale.of(rows, targets, heaviest, self.integral, ranges, is_centred=not self.of_counts)


def count_by_group(host: Host, space: WorkSpace, task: TrainingTask, source: RowSource) -> str | None:
    """Make a table of what `read_profile` and `groups_query` count, by one look at the rows, and return its name; None
    where the outcome is what rows are grouped by, so that each has to look for itself.
    """
    outcome = _outcome(task)
    space.make("counted", space.tables.create_as("counted", sql.profile_by_group(source, *outcome)))
    name = space.tables.name("counted")
    return name if host.query(sql.counted_profile(source, name, *outcome, most=1)) else None


def _outcome(task: TrainingTask) -> tuple[str | None, Writer | None]:
    """What rows have as classes, and how it is written; None of regression."""
    return (task.dependent_sql, task.dependent_writer) if task.is_classification else (None, None)


def read_profile(host: Host, task: TrainingTask, source: RowSource, counted: str | None = None) -> Profile:
    """Look at dependent and weights, or at the table where they have been counted (`count_by_group`).

    Raises:
        MadtreeError: no row, no usable row, a target that is not finite, a negative count, a negative or infinite
            weight, another number of a row that is not what it should be, too many classes.
    """
    most = classes_at_most(task) if task.is_classification else None
    limit = most + 2 if most else _MOST_LABELS
    if counted:
        query = sql.counted_profile(source, counted, *_outcome(task), limit)
    elif task.is_classification:
        query = sql.class_profile(source, task.dependent_sql, task.dependent_writer, limit)
    else:
        query = sql.value_profile(source)
    rows = host.query(query)
    if most and len(rows) > most + 1:  # NULL is no class
        raise too_many_classes(task)
    total, usable = (sum(int(row[name]) for row in rows) for name in ("total", "usable"))
    check_weights(task, rows)
    if not task.is_classification and (bad := int(rows[0]["bad_targets"] or 0)):
        raise MadtreeError(
            f"dependent_variable: {task.dependent_sql} is infinite or NaN in {count_text(bad, 'row')}; "
            "a regression target must be finite",
            hint="Leave these rows out, in a view, or make the value NULL.",
        )
    check_numbers(task, rows)
    check_rows(task, total, usable)
    ranges = {
        each.name: _ends(rows, each.least, each.largest) for each in RANGED_NUMBERS if each.name in source.numbers
    }
    check_offsets(task, ranges.get(OFFSET.name))
    heaviest = max(float(row["heaviest"] or 0) for row in rows) if source.weight else 1.0
    check_heaviest(task, [heaviest])
    integral = all(row.get(f"integral_{each.name}") in (True, None) for row in rows for each in ROW_NUMBERS)
    if not task.is_classification:
        low, high = float(rows[0]["low"]), float(rows[0]["high"])
        check_squares(task, max(abs(low), abs(high)), high / 2 - low / 2, heaviest, usable)
        integral = integral and bool(rows[0]["integral"])
        if of_counts := task.parameters.outcome == COUNTS:
            check_counts(task, low, high, ranges.get(EXPOSURE.name))
        return Profile(total, usable, (), None, low, high, heaviest, integral, of_counts=of_counts, ranges=ranges)
    check_bytes(f"dependent_variable: the classes of {task.dependent_sql[:100]}", int(rows[0]["bytes"] or 0))
    present = [row for row in rows if row["label"] is not None and int(row["usable"])]
    if len(present) > MAX_CLASSES or len(rows) == _MOST_LABELS:
        or_more = " or more" * (len(rows) == _MOST_LABELS)
        raise MadtreeError(
            f"dependent_variable: {task.dependent_sql} has {len(present)}{or_more} classes; at most {MAX_CLASSES} are "
            "possible",
            hint="Cast it to double precision for a regression tree.",
        )
    classes = tuple(str(row["label"]) for row in present)
    check_labels("dependent_variable", task.dependent_sql, classes)
    keys = np.array([float(row["key"]) for row in present])
    keys = distinct_keys(keys, "dependent_variable")
    return Profile(total, usable, classes, keys, 0.0, 0.0, heaviest, integral, ranges=ranges)


def _ends(rows: Sequence[Row], *ends: str) -> tuple[float, float]:
    """The smallest and the largest of a number, by the profile's rows, of which one at least is of usable rows."""
    least, largest = ([float(row[end]) for row in rows if row[end] is not None] for end in ends)
    return min(least), max(largest)


def estimate_profile(host: Host, task: TrainingTask, source: RowSource, oids: Sequence[int]) -> Profile | None:
    """The size of a table that is expected to be too large for one block, and its classes, by a sample, unless there
    are rare ones in that as well; None where the sample does not say enough, or says otherwise.

    Saves a scan of the table. Whoever uses it counts the rows while packing them, and looks for unknown classes there.

    `oids`: of the plain tables that hold the rows.
    """
    if not task.is_classification or source.numbers or source.grouping or source.fold:
        return None
    if task.parameters.class_params is not None:
        return None  # they go by the order of all classes: a sample may lack one
    expected_rows = host.query(work_sql.EXPECTED_ROWS, [f"{OID}[]"], [oids])[0]["expected"]
    if expected_rows is None or not _is_large(task, expected_rows):
        return None
    wanted = min(_MOST_SAMPLED, expected_rows / _SAMPLED_SHARE)
    share = wanted / expected_rows
    sample = sampled(share, task.parameters.seed)
    rows = host.query(sql.class_profile(source, task.dependent_sql, task.dependent_writer, _MOST_LABELS, sample))
    found, usable = (sum(int(row[name]) for row in rows) for name in ("total", "usable"))
    if not wanted / 2 < found < 2 * wanted or usable < _MOSTLY_USABLE * found:
        return None
    present = [row for row in rows if row["label"] is not None]
    if int(rows[0]["bytes"] or 0) > MOST_LIST_BYTES:
        return None
    if len(present) > (classes_at_most(task) or len(present)):
        raise too_many_classes(task)
    if len(present) > MAX_CLASSES:
        return None
    keys = distinct_keys(np.array([float(row["key"]) for row in present]), "dependent_variable")
    classes = tuple(str(row["label"]) for row in present)
    check_labels("dependent_variable", task.dependent_sql, classes)
    size = int(expected_rows), int(expected_rows * usable / found)
    profile = Profile(*size, classes, keys, 0.0, 0.0, 1.0, True, estimated=True)
    if sum(int(row["usable"]) == 1 for row in present) <= _MOST_SINGLE:
        return profile
    # The size stays the estimated one: the sample for the bins, and so the tree, must not depend on the classes' way.
    known = read_profile(host, task, source)
    return replace(profile, classes=known.classes, class_keys=known.class_keys)


def _is_large(task: TrainingTask, expected_rows: float) -> bool:
    """Whether so many rows, about, are surely too many for one block."""
    tuning = task.tuning
    whatever_the_size = takes_all(task.parameters, expected_rows, tuning.least_sample)
    return expected_rows >= (tuning.large if whatever_the_size else tuning.surely_large) * tuning.block_rows


def classes_at_most(task: TrainingTask) -> int | None:
    """How many classes an outcome may have before they are taken for numbers; None for no such limit."""
    is_number = task.is_classification and task.dependent_type in INTEGERS
    return MOST_WHOLE_NUMBERS if is_number and not task.classes_meant else None
