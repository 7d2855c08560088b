"""What makes training rows unfit to learn from, by what the first look at them says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from madtree.errors import MadtreeError
from madtree.host import Row
from madtree.request import TrainingTask, refused_value
from madtree.trees import LOSSES, OFFSET, RANGED_NUMBERS, WEIGHT, BoostParameters, Link
from madtree.wording import count_text

MOST_WHOLE_NUMBERS = 1_000  # that may be classes where nobody has said that they are
_MOST_DIGITS = 300  # decimal digits before the point of a sum of squares, and after it
_FARTHEST = 1e40  # of exposures and counts from 1
_FARTHEST_WEIGHT = 1e100  # of the largest weight from 1: its square times that of an outcome is still a number
_WIDEST = 90.0  # range of offsets on the scale of a logarithm: about that of such exposures


def check_rows(task: TrainingTask, total: int, usable: int) -> None:
    """Raises MadtreeError where there is no row, or none that is usable."""
    if total == 0:
        raise MadtreeError(f"training_table_name: {task.arguments.training_table_name} has no rows")
    if usable == 0:
        others = [number for name, number in task.numbers.items() if name != WEIGHT.name]
        fold = [] if task.held_out or task.folds_by is None else [task.folds_by]
        columns = [task.dependent_sql, *(column.value for column in task.grouping), *others, *fold]
        weight = f", or {task.numbers[WEIGHT.name]} is NULL or 0," if WEIGHT.name in task.numbers else ""
        raise no_usable_row(task, f"{' or '.join(columns)} is NULL{weight} in each of")


@contextmanager
def telling_of_expressions(task: TrainingTask) -> Iterator[None]:
    """Has an error of a row's values name the expressions that are computed of rows."""
    try:
        yield
    except Exception as error:
        given = [task.dependent_sql, *task.numbers.values()]
        given += [column.value for column in task.grouping]
        features = zip(task.features, task.feature_is_column, strict=True)
        computed = [each[1:-1] for each in given if each.startswith("(")]
        computed += [feature.name for feature, is_column in features if not is_column and feature.array is None]
        refused = refused_value(error, task.arguments.training_table_name, computed)
        if refused is None:
            raise
        raise refused from error


def no_usable_row(task: TrainingTask, why: str) -> MadtreeError:
    return MadtreeError(f"training_table_name: {task.arguments.training_table_name} has no usable row: {why} its rows")


def check_weights(task: TrainingTask, rows: Sequence[Row]) -> None:
    """Raises MadtreeError where the profile's rows tell of a weight that is negative or not finite."""
    for name, fault in (("negative_weights", "negative"), ("infinite_weights", "infinite or NaN")):
        bad = sum(int(row.get(name) or 0) for row in rows)
        if bad:
            raise MadtreeError(
                f"weights: {task.numbers[WEIGHT.name]} is {fault} in {count_text(bad, 'row')}; "
                "weights must be finite and not negative",
                hint="A weight of 0 or NULL leaves a row out.",
            )


def check_heaviest(task: TrainingTask, heaviest: Sequence[float]) -> None:
    """Raises MadtreeError where the largest weight of a table, or of one of its groups, is one of those of which
    double precision cannot hold sums; 0 of a group without weights.
    """
    where = " in a group" if task.grouping else ""
    for largest in (max(heaviest), min((each for each in heaviest if each > 0), default=1.0)):
        if not 1 / _FARTHEST_WEIGHT <= largest <= _FARTHEST_WEIGHT:
            raise MadtreeError(
                f"weights: {task.numbers[WEIGHT.name]} is {largest:.3g} at most{where}, and double precision cannot "
                f"hold the sums; it must be between {1 / _FARTHEST_WEIGHT:.0e} and {_FARTHEST_WEIGHT:.0e}",
                hint=f"Train on weights {'divided' if largest > 1 else 'multiplied'} by a power of ten.",
            )


def check_squares(task: TrainingTask, largest: float, spread: float, heaviest: float, usable: int) -> None:
    """Raises MadtreeError where sums of squares would leave the range of float8, or where none would reach it."""
    too_large = largest > 1 and math.log10(largest) * 2 + math.log10(max(heaviest, 1.0) * usable) > _MOST_DIGITS
    too_small = spread > 0 and math.log10(spread) * 2 + math.log10(min(heaviest, 1.0)) < -_MOST_DIGITS
    if too_large or too_small:
        raise MadtreeError(
            f"dependent_variable: {task.dependent_sql} has values "
            + (f"of a size of {largest:.3g}" if too_large else f"that differ by no more than {2 * spread:.3g}")
            + ", whose sums of squares double precision cannot hold",
            hint=f"Train on {task.dependent_sql} {'divided' if too_large else 'multiplied'} by a power of ten.",
        )


def too_many_classes(task: TrainingTask) -> MadtreeError:
    return MadtreeError(
        f"dependent_variable: {task.dependent_sql} is of type {task.dependent_type}, which means classification, and "
        f"has more than {MOST_WHOLE_NUMBERS:,} distinct values",
        hint=f"For a regression, write {task.dependent_sql}::float8, or classification => false. If these are classes, "
        "say so: classification => true.",
    )


def check_numbers(task: TrainingTask, rows: Sequence[Row]) -> None:
    """Raises MadtreeError where the profile's rows tell of a number of a row that is not what it should be."""
    for each in RANGED_NUMBERS:
        bad = sum(int(row.get(f"bad_{each.name}") or 0) for row in rows)
        if bad:
            raise MadtreeError(
                f"{each.argument}: {task.numbers[each.name]} is {each.fault} in {count_text(bad, 'row')}",
                hint=f"An {each.name} of NULL leaves a row out.",
            )


def check_offsets(task: TrainingTask, offset: tuple[float, float] | None) -> None:
    """Raises MadtreeError where the exponentials of some offsets are so much larger than those of others that double
    precision cannot hold their sums; `offset`: the smallest and the largest one.
    """
    if offset is None:
        return
    least, largest = offset
    assert isinstance(task.ensemble, BoostParameters)
    link = LOSSES[task.ensemble.loss].link
    if link is not Link.IDENTITY and largest - least > _WIDEST:
        raise MadtreeError(
            f"offsets: {task.numbers[OFFSET.name]} is {least:.6g} to {largest:.6g}, and loss {task.ensemble.loss} "
            f"takes the exponentials of offsets, whose sums double precision cannot hold beyond a range of {_WIDEST:g}",
            hint="Offsets are on the scale of 'raw' predictions: a logarithm of the odds, or of the mean.",
        )


def check_counts(task: TrainingTask, low: float, high: float, exposure: tuple[float, float] | None) -> None:
    """Raises MadtreeError where a count is negative, or where the sizes of counts and exposures are further apart than
    sums can hold; `exposure`: the smallest and the largest one.
    """
    if low < 0:
        raise MadtreeError(
            f"dependent_variable: {task.dependent_sql} is negative, {low:.6g}; split_criterion poisson counts events, "
            "which are 0 or more",
            hint="For other numbers use split_criterion => 'mse'.",
        )
    if exposure is None:
        return
    shortest, longest = exposure
    if high > _FARTHEST or longest > _FARTHEST or shortest < 1 / _FARTHEST:
        raise MadtreeError(
            f"exposure: with counts up to {high:.3g} and exposures of {shortest:.3g} to {longest:.3g}, double "
            "precision cannot hold the sums of their deviances",
            hint=f"All should be between {1 / _FARTHEST:.0e} and {_FARTHEST:.0e}; count exposures in another unit.",
        )
