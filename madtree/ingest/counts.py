"""What the first look at the training rows says of counts of events, and of the exposures that they were made over."""

from __future__ import annotations

from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Row
from madtree.request import TrainingTask

_FARTHEST = 1e40  # of exposures and counts from 1


def check_exposures(task: TrainingTask, row: Row) -> None:
    """Raises MadtreeError where the profile's row tells of an exposure that is not above 0."""
    bad = int(row.get("bad_exposures") or 0)
    if bad:
        raise MadtreeError(
            f"exposure: {task.exposure_sql} is not above 0, or not finite, in {bad} row{'s' * (bad > 1)}; events are "
            "counted over an exposure above 0",
            hint="An exposure of NULL leaves a row out.",
        )


def counts_profile(task: TrainingTask, row: Row) -> dict[str, Any]:
    """What the profile says of counts.

    Raises:
        MadtreeError: a count is negative, or the sizes of counts and exposures are further apart than sums can hold.
    """
    low, high = float(row["low"]), float(row["high"])
    if low < 0:
        raise MadtreeError(
            f"dependent_variable: {task.dependent_sql} is negative, {low:.6g}; split_criterion poisson counts events, "
            "which are 0 or more",
            hint="For other numbers use split_criterion => 'mse'.",
        )
    if task.exposure_sql is None:
        return {"of_counts": True}
    shortest, longest = float(row["shortest"]), float(row["longest"])
    if high > _FARTHEST or longest > _FARTHEST or shortest < 1 / _FARTHEST:
        raise MadtreeError(
            f"exposure: with counts up to {high:.3g} and exposures of {shortest:.3g} to {longest:.3g}, double "
            "precision cannot hold the sums of their deviances",
            hint=f"All should be between {1 / _FARTHEST:.0e} and {_FARTHEST:.0e}; count exposures in another unit.",
        )
    return {"of_counts": True, "shortest": shortest, "longest": longest}
