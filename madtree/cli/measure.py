"""`madtree evaluate` and `madtree drift`: how good a model is, and whether new rows are still what it was trained for.
"""  # fmt: skip

from __future__ import annotations

from typing import Any

from madtree.cli.declared import Given, with_options_of
from madtree.cli.options import Dsn, Json, examples
from madtree.cli.output import rows, without_empty
from madtree.cli.session import session
from madtree.cli.trees import kind_of
from madtree.sqltext.evaluate import COUNTS
from madtree.trees import Joining

EVALUATE_EPILOG = examples(
    "$ madtree evaluate delay_tree flights_today",
    "$ madtree evaluate delay_tree flights_today --confusion",
    "$ madtree evaluate delay_tree flights_today --curve --points 10",
    "$ madtree evaluate delay_tree flights_today --reliability",
    "$ madtree evaluate delay_boost flights_today --rounds",
    "$ madtree evaluate delay_boost flights_today --conformal 0.5,0.9",
)
DRIFT_EPILOG = examples(
    "$ madtree drift delay_tree flights_of_may --training flights",
    "$ madtree drift delay_tree flights_of_june",
)


@with_options_of(
    "tree_evaluate",
    tree_confusion="--confusion",
    tree_curve="--curve",
    tree_reliability="--reliability",
    boost_staged="--rounds",
    conformal_quantiles="--conformal",
)
def evaluate_command(given: Given, dsn: Dsn = None, json: Json = False) -> None:
    """Measure a model on a table with known outcomes: accuracy, log loss, AUC; or RMSE, MAE, R²."""
    function = given.asked() or "tree_evaluate"
    arguments = given.of(function)
    with session(dsn) as opened:
        found = opened.call(function, arguments, "evaluating")
    rows(found if json else without_empty([*map(_with_counts, found)]), json, empty="no rows")


def _with_counts(row: dict[str, Any]) -> dict[str, Any]:
    """For people: a metric that counts rows as a whole number."""
    return {**row, "value": int(row["value"])} if row.get("metric") in COUNTS else row


@with_options_of("tree_drift", tree_statistics="--training")
def drift_command(given: Given, dsn: Dsn = None, json: Json = False) -> None:
    """Tell how far the values of new rows, and what the model says of them, have moved from those of the training."""
    with session(dsn) as opened:
        if given["training"] is not None:
            opened.line("tree_statistics", given.of("tree_statistics"), "counting")
        found = opened.call("tree_drift", given.of("tree_drift"), "counting")
        kind = None if json else opened.run(lambda: kind_of(opened.connection, given["model"]), "reading")
    if kind is not None:
        of_model = "(leaves)" if kind.joining is Joining.NONE else "(predictions)"
        found = without_empty([{**row, "feature": row["feature"] or of_model} for row in found])
    rows(found, json, empty="no features")
