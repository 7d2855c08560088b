"""`madtree explain`: why a model predicts what it predicts of a row."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any

import typer

from madtree.cli.escapes import escaped_line
from madtree.cli.options import Dsn, Json, Model, TrustOwner, examples
from madtree.cli.output import rows, text
from madtree.cli.session import session
from madtree.render.waterfall import waterfall

EPILOG = examples(
    "$ madtree explain delay_tree flights_today --id 17",
    "$ madtree explain delay_boost flights_today --id 17 --top 3",
)


def explain_command(
    model: Model,
    table: Annotated[str, typer.Argument(help="Table or view with the row.", show_default=False)],
    id_: Annotated[str, typer.Option("--id", help="The row's id.", show_default=False)],
    type_: Annotated[
        str | None,
        typer.Option(
            "--type", help="The scale: prob, prob_mean, response or raw. Default: the usual one.", show_default=False
        ),
    ] = None,
    class_: Annotated[
        str | None,
        typer.Option(
            "--class", help="Whose prediction is explained. Default: of two the last one, else all.", show_default=False
        ),
    ] = None,
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
    if json:
        rows(found, machine=True)
        return
    for number, (of_class, steps) in enumerate(groupby(found, lambda row: row["class"])):
        if number:
            text("")
        if of_class is not None:
            text(escaped_line(f"class {of_class}"))
        for line in waterfall([*steps], top):
            text(escaped_line(line))
