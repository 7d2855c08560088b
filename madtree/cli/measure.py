"""`madtree evaluate`, `madtree cp` and `madtree importance`: how good a model and its smaller trees are, what it uses.
"""  # fmt: skip

from __future__ import annotations

from typing import Annotated, Any

import typer

from madtree.cli.exits import USAGE, CommandError
from madtree.cli.options import Dsn, Json, Model, TrustOwner, examples
from madtree.cli.output import rows, without_empty
from madtree.cli.session import session
from madtree.interface import FUNCTIONS
from madtree.sqltext.evaluate import COUNTS

EVALUATE_EPILOG = examples(
    "$ madtree evaluate delay_tree flights_today",
    "$ madtree evaluate delay_tree flights_today --confusion",
    "$ madtree evaluate delay_tree flights_today --curve --points 10",
    "$ madtree evaluate delay_tree flights_today --reliability",
    "$ madtree evaluate delay_boost flights_today --rounds",
    "$ madtree evaluate delay_boost flights_today --conformal 0.5,0.9",
)
CP_EPILOG = examples("$ madtree cp delay_cv", "$ madtree cp delay_cv --json")
IMPORTANCE_EPILOG = examples(
    "$ madtree importance delay_tree",
    "$ madtree importance delay_tree --data flights_today",
    "$ madtree importance delay_tree --data flights_today --features '[origin, dest], hour'",
)


def evaluate_command(
    model: Model,
    table: Annotated[str, typer.Argument(help="Table with known outcomes.", show_default=False)],
    confusion: Annotated[bool, typer.Option("--confusion", help="The confusion matrix instead, as rows.")] = False,
    curve: Annotated[
        bool, typer.Option("--curve", help="ROC, lift and calibration instead, of the last class or that of --class.")
    ] = False,
    reliability: Annotated[
        bool, typer.Option("--reliability", help="How far probabilities are from what happens instead, by bins.")
    ] = False,
    rounds: Annotated[
        bool,
        typer.Option("--rounds", help="Loss, and accuracy or RMSE, by the number of a boosted model's rounds instead."),
    ] = False,
    conformal: Annotated[
        str | None,
        typer.Option(
            help="How far predictions may be off at these levels instead, as for intervals.",
            metavar="LEVELS",
            show_default=False,
        ),
    ] = None,
    class_: Annotated[
        str | None,
        typer.Option(
            "--class", help="With --curve and --reliability: whose probability is looked at.", show_default=False
        ),
    ] = None,
    points: Annotated[
        int | None, typer.Option(min=1, help="With --curve: rows at most; 10 for deciles.", show_default=False)
    ] = None,
    bins: Annotated[
        int | None, typer.Option(min=1, help="With --reliability: bins. Default: 10.", show_default=False)
    ] = None,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Measure a model on a table with known outcomes: accuracy, log loss, AUC; or RMSE, MAE, R²."""
    chosen = {
        "tree_curve": curve,
        "tree_reliability": reliability,
        "tree_confusion": confusion,
        "boost_staged": rounds,
        "conformal_quantiles": conformal is not None,
    }
    if sum(chosen.values()) > 1:
        raise CommandError("choose one of --confusion, --curve, --reliability, --rounds and --conformal", code=USAGE)
    if not (curve or reliability) and class_ is not None:
        raise CommandError("--class is for --curve and --reliability", code=USAGE)
    if not curve and points is not None:
        raise CommandError("--points is for --curve", code=USAGE)
    if not reliability and bins is not None:
        raise CommandError("--bins is for --reliability", code=USAGE)
    function = next((name for name, is_wanted in chosen.items() if is_wanted), "tree_evaluate")
    with session(dsn) as opened:
        named = FUNCTIONS[function].arguments[0].name
        tested = FUNCTIONS[function].arguments[1].name
        arguments: dict[str, Any] = {named: model, tested: table, "trust_owner": trust_owner}
        arguments |= {"class": class_, "max_points": points, "n_bins": bins, "levels": conformal}
        found = opened.call(function, arguments, "evaluating")
    rows(found if json else without_empty([*map(_with_counts, found)]), json, empty="no rows")


def _with_counts(row: dict[str, Any]) -> dict[str, Any]:
    """For people: a metric that counts rows as a whole number."""
    return {**row, "value": int(row["value"])} if row.get("metric") in COUNTS else row


def cp_command(model: Model, dsn: Dsn = None, json: Json = False) -> None:
    """Show the cp table of a model: the trees that pruning makes of it, and their errors; of a grouped model, by group.
    """  # fmt: skip
    with session(dsn) as opened:
        found = opened.call("tree_cp", {"model": model}, "reading")
    rows(found if json else without_empty(found), json, empty="no tree could be trained")


def importance_command(
    model: Model,
    data: Annotated[
        str | None,
        typer.Option(help="Table with known outcomes, whose values are exchanged among its rows.", show_default=False),
    ] = None,
    features: Annotated[
        str | None, typer.Option(help="With --data: these; [a, b] are exchanged together.", show_default=False)
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="With --data: log_loss or accuracy; rmse or mae.", show_default=False),
    ] = None,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Show how much each feature contributes to a model, the most important first; of a grouped model, by group.

    Where training has permuted features, also what the trees lose on out-of-bag rows by that, and how it differs
    between trees (a standard deviation). With --data, how much worse the model predicts that table where the feature's
    values are exchanged among its rows.
    """  # fmt: skip
    if data is None and (features is not None or metric is not None):
        raise CommandError("--features and --metric are for --data", code=USAGE)
    arguments = {"model": model, "test_table": data, "features": features, "metric": metric, "trust_owner": trust_owner}
    with session(dsn) as opened:
        if data is None:
            found = opened.call("tree_importance", {"model": model}, "asking")
        else:
            found = opened.call("permutation_importance", arguments, "exchanging")
    if not json and not any(row.get("group_values") for row in found):  # there are no groups
        found = [{name: value for name, value in row.items() if name != "tree_id"} for row in found]
    rows(found if json else without_empty(found), json, empty="no tree could be trained")
