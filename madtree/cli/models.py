"""`madtree models`."""

from __future__ import annotations

from typing import Annotated

import typer

from madtree.cli.options import Dsn, Json, examples
from madtree.cli.output import rows, without_empty
from madtree.cli.session import session

EPILOG = examples("$ madtree models", "$ madtree models --json | jq -r '.[].model'")
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
