"""`madtree models`, `madtree alias` and `madtree drop`."""

from __future__ import annotations

from typing import Annotated

import typer

from madtree.calls import run
from madtree.cli.declared import Given, with_options_of
from madtree.cli.escapes import escaped_line
from madtree.cli.exits import USAGE, CommandError
from madtree.cli.options import Dsn, Json, examples
from madtree.cli.output import answer, as_json, rows, text, without_empty
from madtree.cli.session import session
from madtree.interface import FUNCTIONS

ALIAS_EPILOG = examples("$ madtree alias champion delay_boost", "$ madtree alias champion --remove")
DROP_EPILOG = examples("$ madtree drop delay_tree", "$ madtree drop delay_tree delay_small")


@with_options_of("model_alias")
def alias_command(
    given: Given,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the alias instead.")] = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Give a model a second name, or let an alias that is there name this model."""
    if remove == (given["model"] is not None):
        raise CommandError("give a model, or --remove", code=USAGE)
    arguments = given.of("model_alias")
    with session(dsn) as opened:
        message = opened.line("model_alias", arguments, "naming")
    answer(message, {"alias": given["alias"], "model": given["model"]}, json=json)


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
