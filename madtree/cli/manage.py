"""`madtree models`, `madtree prune`, `madtree cut` and `madtree drop`."""

from __future__ import annotations

from typing import Annotated

import typer

from madtree.calls import run
from madtree.cli.escapes import escaped_line
from madtree.cli.options import Dsn, Json, Model, ReplaceModel, TrustOwner, examples
from madtree.cli.output import as_json, rows, text, without_empty
from madtree.cli.session import answered, session
from madtree.interface import FUNCTIONS

PRUNE_EPILOG = examples("$ madtree prune delay_tree delay_small --cp 0.005")
CUT_EPILOG = examples("$ madtree cut delay_boost delay_short --trees 50")
DROP_EPILOG = examples("$ madtree drop delay_tree", "$ madtree drop delay_tree delay_small")


def prune_command(
    model: Model,
    new_model: Annotated[str, typer.Argument(help="Name of the pruned model, to be created.", show_default=False)],
    cp: Annotated[
        float,
        typer.Option(
            help="A split stays if it lowers the risk by more than this share of the root's.",
            min=0.0,
            show_default=False,
        ),
    ],
    replace: ReplaceModel = False,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Prune a model further, without the data, into a new model."""  # fmt: skip
    given = {"model": model, "new_model": new_model, "cp": cp, "trust_owner": trust_owner, "replace": replace}
    facts = {"model": new_model, "pruned_from": model, "cp": cp}
    answered("tree_prune", given, "pruning", dsn, facts, json=json)


def cut_command(
    model: Model,
    new_model: Annotated[str, typer.Argument(help="Name of the shorter model, to be created.", show_default=False)],
    trees: Annotated[int, typer.Option(help="Rounds to keep, from the first one on.", min=1, show_default=False)],
    replace: ReplaceModel = False,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Cut a boosted model to its first rounds, without the data, into a new model."""  # fmt: skip
    given = {"model": model, "new_model": new_model, "num_trees": trees, "trust_owner": trust_owner, "replace": replace}
    facts = {"model": new_model, "cut_from": model, "num_trees": trees}
    answered("boost_cut", given, "cutting", dsn, facts, json=json)


def drop_command(
    models: Annotated[list[str], typer.Argument(help="Names of the models.", show_default=False)],
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Drop models and all their tables: all of those named, or none."""
    with session(dsn) as opened:
        messages = opened.here(
            lambda host: [run(host, FUNCTIONS["tree_drop"], [model]) for model in models], "dropping"
        )
    if json:
        as_json([{"model": model, "message": line} for model, line in zip(models, messages, strict=True)])
    else:
        text("\n".join(map(escaped_line, messages)))


MODELS_EPILOG = examples("$ madtree models", "$ madtree models --json | jq -r '.[].model'")
SHOWN = ("model", "kind", "dependent", "n_rows", "n_trees", "depth", "n_leaves", "version", "age")
FURTHER = ("owner", "source_table", "parameters", "trained_at")


def models_command(
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also owner, training table, parameters and time of training.")
    ] = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """List every model that you can see, in any schema: the view madtree.models."""
    with session(dsn) as opened:
        found = opened.models()
    if json:
        rows(found, machine=True)
        return
    names = SHOWN + FURTHER if verbose else SHOWN
    rows(without_empty([{name: row[name] for name in names} for row in found]), machine=False, empty="no models")
