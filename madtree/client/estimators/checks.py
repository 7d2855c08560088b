"""What of scikit-learn's own checks the estimators cannot pass, and why."""

from __future__ import annotations

from typing import Any


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """For ``check_estimator(estimator, expected_failed_checks=...)``: each such check, and the reason."""
    counts_rows = estimator.min_split != 2 or estimator.min_bucket not in (None, 1)
    return dict(_WEIGHTS) if counts_rows or estimator.n_folds else {}


_WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "min_split and min_bucket count rows, not their weights, as in rpart and in scikit-learn's own trees: a row of "
        "weight 2 is one row, a row that is there twice is two. With min_split=2 and min_bucket=1 the check passes, "
        "unless there is cross-validation, whose folds are of rows too."
    ),
}
