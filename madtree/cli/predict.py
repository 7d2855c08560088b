"""`madtree predict`."""

from __future__ import annotations

import psycopg

from madtree.cli.declared import Given, with_options_of
from madtree.cli.options import Dsn, Json, examples
from madtree.cli.output import answer
from madtree.cli.session import session
from madtree.cli.trees import kind_of
from madtree.errors import MadtreeError
from madtree.interface import defaults
from madtree.trees import TREE, ModelKind

EPILOG = examples(
    "$ madtree predict delay_tree flights_today flights_scored",
    "$ madtree predict delay_tree flights_today flights_prob --type prob",
    "$ madtree predict delay_forest flights_today flights_prob --type prob_mean",
    "$ madtree predict delay_forest flights_today flights_between --type interval --level 0.8",
    "$ madtree predict delay_boost flights_today flights_between --type conformal --level 0.95",
    "$ madtree predict delay_tree flights_today flights_scored --replace",
)


@with_options_of("forest_predict", "tree_predict", boost_predict="a boosted model")
def predict_command(given: Given, dsn: Dsn = None, json: Json = False) -> None:
    """Score a table by a model of any kind, into a new table."""
    model = given["model"]
    with session(dsn) as opened:
        function = opened.run(lambda: _kind_of(opened.connection, model), "reading").predicts
        message = opened.line(function, given.of(function), "scoring")
    facts = {"model": model, "output": given["output"], "type": given["type"] or defaults.PREDICTION_TYPE}
    answer(message, facts, json=json)


def _kind_of(connection: psycopg.Connection, model: str) -> ModelKind:
    """Its kind; of a model that cannot be read the function that predicts says what is wrong."""
    try:
        return kind_of(connection, model)
    except MadtreeError:
        return TREE
