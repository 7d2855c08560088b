"""`madtree calibrate`, `madtree conformal`, `madtree refresh`, `madtree drift` and `madtree alias`: what a model needs
while it is used.
"""

from __future__ import annotations

from typing import Annotated

import typer

from madtree.cli.exits import USAGE, CommandError
from madtree.cli.options import Dsn, Json, Model, ReplaceModel, TrustOwner, examples
from madtree.cli.output import rows, without_empty
from madtree.cli.session import answered, session
from madtree.cli.trees import kind_of
from madtree.interface import defaults
from madtree.trees import Joining

CALIBRATE_EPILOG = examples(
    "$ madtree calibrate delay_boost flights_of_may delay_true",
    "$ madtree calibrate delay_tree flights_of_may delay_true --method sigmoid",
)
REFRESH_EPILOG = examples(
    "$ madtree refresh delay_tree flights_of_may delay_of_may",
    "$ madtree refresh delay_tree flights_of_may delay_now --replace",
)
CONFORMAL_EPILOG = examples(
    "$ madtree conformal delay_boost flights_of_may",
    "$ madtree conformal delay_boost flights_of_may --levels 0.5,0.9",
    "$ madtree predict delay_boost flights_of_june flights_between --type conformal",
)
ALIAS_EPILOG = examples("$ madtree alias champion delay_boost", "$ madtree alias champion --remove")
DRIFT_EPILOG = examples(
    "$ madtree drift delay_tree flights_of_may --training flights",
    "$ madtree drift delay_tree flights_of_june",
)


def calibrate_command(
    model: Model,
    table: Annotated[
        str,
        typer.Argument(help="Table with known outcomes, which training has not seen.", show_default=False),
    ],
    new_model: Annotated[str, typer.Argument(help="Name of the calibrated model, to be created.", show_default=False)],
    method: Annotated[str, typer.Option(help="isotonic, or sigmoid for fewer rows.")] = defaults.CALIBRATION_METHOD,
    replace: ReplaceModel = False,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Write a model whose probabilities are true, by rows that training has not seen."""  # fmt: skip
    names = {"model": model, "calibration_table": table, "output_model": new_model}
    given = {**names, "method": method, "trust_owner": trust_owner, "replace": replace}
    facts = {"model": new_model, "calibrated_from": model, "method": method}
    answered("calibrate", given, "calibrating", dsn, facts, json=json)


def conformal_command(
    model: Model,
    table: Annotated[
        str | None,
        typer.Argument(
            help="Table with known outcomes, which training has not seen; without it, rows out of bag.",
            show_default=False,
        ),
    ] = None,
    levels: Annotated[str, typer.Option(help="How many of the new rows are covered.")] = defaults.KEPT_LEVELS,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Keep with a model how far its predictions may be off, for intervals and sets of classes."""
    given = {"model": model, "calibration_table": table, "levels": levels, "trust_owner": trust_owner}
    answered("conformal_train", given, "calibrating", dsn, {"model": model, "levels": levels}, json=json)


def refresh_command(
    model: Model,
    table: Annotated[str, typer.Argument(help="Table with the new rows and their outcomes.", show_default=False)],
    new_model: Annotated[str, typer.Argument(help="Name of the refreshed model, to be created.", show_default=False)],
    replace: ReplaceModel = False,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Write a model anew by other rows: the same splits, and what these rows say."""
    names = {"model": model, "new_table": table, "output_model": new_model}
    given = {**names, "trust_owner": trust_owner, "replace": replace}
    facts = {"model": new_model, "refreshed_from": model}
    answered("tree_refresh", given, "refreshing", dsn, facts, json=json)


def alias_command(
    alias: Annotated[str, typer.Argument(help="The second name.", show_default=False)],
    model: Annotated[str | None, typer.Argument(help="The model that it names.", show_default=False)] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the alias instead.")] = False,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Give a model a second name, or let one that is there name this model."""
    if remove == (model is not None):
        raise CommandError("give a model, or --remove", code=USAGE)
    given = {"alias": alias, "model": model, "trust_owner": trust_owner}
    answered("model_alias", given, "naming", dsn, {"alias": alias, "model": model}, json=json)


def drift_command(
    model: Model,
    table: Annotated[str, typer.Argument(help="Table with the new rows.", show_default=False)],
    training: Annotated[
        str | None,
        typer.Option(
            help="The table that it was trained on: keep first how its values are distributed.", show_default=False
        ),
    ] = None,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Tell how far the values of new rows, and what the model says of them, have moved from those of the training."""
    with session(dsn) as opened:
        if training is not None:
            given = {"model": model, "training_table": training, "trust_owner": trust_owner}
            opened.line("tree_statistics", given, "counting")
        given = {"model": model, "new_data_table": table, "trust_owner": trust_owner}
        found = opened.call("tree_drift", given, "counting")
        kind = None if json else opened.run(lambda: kind_of(opened.connection, model), "reading")
    if kind is not None:
        of_model = "(leaves)" if kind.joining is Joining.NONE else "(predictions)"
        found = without_empty([{**row, "feature": row["feature"] or of_model} for row in found])
    rows(found, json, empty="no features")
