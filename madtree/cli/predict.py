"""`madtree predict`."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

import psycopg
import typer

from madtree.cli.options import Dsn, Json, Model, TrustOwner, examples
from madtree.cli.output import answer
from madtree.cli.session import session
from madtree.cli.trees import kind_of
from madtree.errors import MadtreeError
from madtree.interface import FUNCTIONS
from madtree.model import CONFORMAL
from madtree.trees import KINDS, TREE, ModelKind

EPILOG = examples(
    "$ madtree predict delay_tree flights_today flights_scored",
    "$ madtree predict delay_tree flights_today flights_prob --type prob",
    "$ madtree predict delay_forest flights_today flights_prob --type prob_mean",
    "$ madtree predict delay_forest flights_today flights_between --type interval --level 0.8",
    "$ madtree predict delay_boost flights_today flights_between --type conformal --level 0.95",
    "$ madtree predict delay_tree flights_today flights_scored --replace",
)


# Of all kinds of model; the ensembles, which have more of them, first.
_OF_KINDS = [type_ for kind in reversed(KINDS.values()) for type_ in (*kind.class_types, *kind.number_types)]
_TYPES = dict.fromkeys([*_OF_KINDS, CONFORMAL])
PredictionType = Enum("PredictionType", [(type_, type_) for type_ in _TYPES], type=str)  # type: ignore[misc]
_RESPONSE = PredictionType(FUNCTIONS["tree_predict"].defaults["type"])


def predict_command(
    model: Model,
    table: Annotated[str, typer.Argument(help="Table or view to score.", show_default=False)],
    output: Annotated[str, typer.Argument(help="Table to create: the id and the prediction.", show_default=False)],
    type_: Annotated[
        PredictionType,
        typer.Option(
            "--type",
            help="The prediction; each class's probability, of a forest its share of votes (prob) or the mean of the "
            "trees' probabilities (prob_mean); of a forest of numbers the mean and between what the outcome lies "
            "(interval); the same of every model, or a set of classes, by what `madtree conformal` has kept "
            "(conformal); or the leaf that a row ends in, of a forest one for each tree.",
        ),
    ] = _RESPONSE,
    level: Annotated[
        float | None,
        typer.Option(
            "--level", help="With interval and conformal: the share of outcomes that are covered.", show_default="0.9"
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the predictions in that table, where it is one of yours.")
    ] = False,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Score a table by a model, a tree or a forest, into a new table."""
    arguments: dict[str, Any] = {"new_data_table": table, "output_table": output, "type": type_.value}
    arguments |= {"level": level, "trust_owner": trust_owner, "replace": replace}
    with session(dsn) as opened:
        function = FUNCTIONS[opened.run(lambda: _kind_of(opened.connection, model), "reading").predicts]
        message = opened.line(function.name, {function.arguments[0].name: model, **arguments}, "scoring")
    answer(message, {"model": model, "output": output, "type": type_.value}, json=json)


def _kind_of(connection: psycopg.Connection, model: str) -> ModelKind:
    """Its kind; of a model that cannot be read the function that predicts says what is wrong."""
    try:
        return kind_of(connection, model)
    except MadtreeError:
        return TREE
