"""`madtree explain` and `madtree importance`: why a model predicts what it predicts, and what it uses."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated

import typer

from madtree.cli.declared import Given, with_options_of
from madtree.cli.escapes import escaped_line
from madtree.cli.options import Dsn, Json, examples
from madtree.cli.output import rows, text, without_empty
from madtree.cli.session import session
from madtree.cli.trees import explained_sum
from madtree.render.waterfall import waterfall

EPILOG = examples(
    "$ madtree explain delay_tree flights_today --id 17",
    "$ madtree explain delay_boost flights_today --id 17 --top 3",
)
IMPORTANCE_EPILOG = examples(
    "$ madtree importance delay_tree",
    "$ madtree importance delay_tree --data flights_today",
    "$ madtree importance delay_tree --data flights_today --features '[origin, dest], hour'",
)


@with_options_of("tree_explain")
def explain_command(
    given: Given,
    top: Annotated[int, typer.Option(min=0, help="Features with a line of their own.")] = 10,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Show what each feature contributes to the prediction of a row (SHAP values), the strongest first."""
    model = given["model"]
    with session(dsn) as opened:
        found = opened.call("tree_explain", given.of("tree_explain"), "explaining")
        total = "prediction" if json else opened.run(lambda: explained_sum(opened.connection, model), "explaining")
    if json:
        rows(found, machine=True)
        return
    for number, (of_class, contributions) in enumerate(groupby(found, lambda row: row["class"])):
        if number:
            text("")
        if of_class is not None:
            text(escaped_line(f"class {of_class}"))
        for line in waterfall([*contributions], top, total):
            text(escaped_line(line))


@with_options_of("tree_importance", permutation_importance="--data")
def importance_command(given: Given, dsn: Dsn = None, json: Json = False) -> None:
    """Show how much each feature contributes to a model, the most important first; of a grouped model, by group.

    Where training has permuted features, also what the trees lose on out-of-bag rows by that, and how it differs
    between trees (a standard deviation). With --data, how much worse the model predicts that table where the feature's
    values are exchanged among its rows.
    """  # fmt: skip
    function, doing = ("permutation_importance", "exchanging") if given.asked() else ("tree_importance", "asking")
    arguments = given.of(function)
    with session(dsn) as opened:
        found = opened.call(function, arguments, doing)
    if not json and not any(row.get("group_values") for row in found):  # there are no groups
        found = [{name: value for name, value in row.items() if name != "tree_id"} for row in found]
    rows(found if json else without_empty(found), json, empty="no tree could be trained")
