"""`madtree explain`, `madtree shap` and `madtree dependence`: why a model predicts what it predicts."""

from __future__ import annotations

from enum import Enum
from itertools import groupby
from typing import Annotated, Any

import typer

from madtree.cli.escapes import escaped_line
from madtree.cli.options import Dsn, Json, Model, TrustOwner, examples
from madtree.cli.output import rows, text, without_empty
from madtree.cli.session import answered, session
from madtree.cli.trees import explained_sum
from madtree.interface import defaults
from madtree.render.waterfall import waterfall

SHAP_EPILOG = examples(
    "$ madtree shap delay_tree flights_today reasons",
    "$ madtree shap delay_boost flights_today reasons --layout long --top 3 --replace",
    "$ madtree shap delay_boost flights_today against --background flights_last_year",
)
DEPENDENCE_EPILOG = examples(
    "$ madtree dependence delay_tree flights_today hour",
    "$ madtree dependence delay_boost flights_today 'hour, carrier' --class true --grid-size 10",
    "$ madtree dependence delay_boost flights_today hour --accumulated",
)
EPILOG = examples(
    "$ madtree explain delay_tree flights_today --id 17",
    "$ madtree explain delay_boost flights_today --id 17 --top 3",
)

Layout = Enum("Layout", {"wide": "wide", "long": "long"}, type=str)
Type = Annotated[
    str | None,
    typer.Option(
        "--type", help="The scale: prob, prob_mean, response or raw. Default: the usual one.", show_default=False
    ),
]
Class = Annotated[
    str | None,
    typer.Option(
        "--class", help="Whose prediction is explained. Default: of two the last one, else all.", show_default=False
    ),
]


def explain_command(
    model: Model,
    table: Annotated[str, typer.Argument(help="Table or view with the row.", show_default=False)],
    id_: Annotated[str, typer.Option("--id", help="The row's id.", show_default=False)],
    type_: Type = None,
    class_: Class = None,
    top: Annotated[int, typer.Option(min=0, help="Features with a line of their own.")] = 10,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Show what each feature contributes to the prediction of a row (SHAP values), the strongest first."""
    arguments: dict[str, Any] = {"model": model, "table_name": table, "id": id_}
    arguments |= {"type": type_, "class": class_, "trust_owner": trust_owner}
    with session(dsn) as opened:
        found = opened.call("tree_explain", arguments, "explaining")
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


def shap_command(
    model: Model,
    table: Annotated[str, typer.Argument(help="Table or view to explain.", show_default=False)],
    output: Annotated[str, typer.Argument(help="Table to create: the id and the contributions.", show_default=False)],
    type_: Type = None,
    class_: Class = None,
    layout: Annotated[Layout, typer.Option(help="A column for each feature, or a row for each.")] = Layout.wide,
    top: Annotated[
        int | None,
        typer.Option(min=1, help="With long: so many of each row's features, the strongest.", show_default=False),
    ] = None,
    interactions: Annotated[
        bool, typer.Option("--interactions", help="Also what each two features contribute together.")
    ] = False,
    features: Annotated[
        str | None, typer.Option(help="With --interactions: of these features only.", show_default=False)
    ] = None,
    background: Annotated[
        str | None,
        typer.Option(help="Table whose rows stand for what is not known, not those of training.", show_default=False),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the contributions in that table, where it is one of yours.")
    ] = False,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Write what each feature contributes to the prediction of each row (SHAP values) into a new table."""
    arguments: dict[str, Any] = {"model": model, "new_data_table": table, "output_table": output, "type": type_}
    arguments |= {"class": class_, "layout": layout.value, "top": top, "interactions": interactions}
    arguments |= {"features": features, "background": background, "trust_owner": trust_owner, "replace": replace}
    answered("tree_shap", arguments, "explaining", dsn, {"model": model, "output": output}, json=json)


def dependence_command(
    model: Model,
    table: Annotated[str, typer.Argument(help="Table or view whose rows are asked.", show_default=False)],
    features: Annotated[str, typer.Argument(help="One feature or two.", show_default=False)],
    type_: Annotated[
        str | None, typer.Option("--type", help="Of prediction. Default: prob or response.", show_default=False)
    ] = None,
    class_: Class = None,
    accumulated: Annotated[
        bool,
        typer.Option("--accumulated", help="Accumulated local effects, of features whose values have an order."),
    ] = False,
    ice: Annotated[bool, typer.Option("--ice", help="Of each row, not on average.")] = False,
    grid_size: Annotated[int, typer.Option(min=2, help="Values of a feature.")] = defaults.GRID_SIZE,
    max_rows: Annotated[int, typer.Option(min=1, help="Rows that are asked, drawn by their ids.")] = defaults.MAX_ROWS,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Show what a model predicts by the values of one feature or two (partial dependence)."""
    arguments: dict[str, Any] = {"model": model, "new_data_table": table, "features": features, "type": type_}
    arguments |= {"class": class_, "accumulated": accumulated, "ice": ice, "grid_size": grid_size}
    arguments |= {"max_rows": max_rows, "trust_owner": trust_owner}
    with session(dsn) as opened:
        found = opened.call("partial_dependence", arguments, "asking")
    rows(found if json else without_empty(found), json, empty="no rows")
