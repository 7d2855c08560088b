"""`madtree export`: a model for other programs."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from madtree.cli.exits import USAGE, CommandError
from madtree.cli.files import write
from madtree.cli.options import Dsn, Full, Group, Model, Tree, TrustOwner, examples
from madtree.cli.session import session
from madtree.cli.show import ChosenTrees, draw
from madtree.cli.trees import kind_of

EPILOG = examples(
    "$ madtree export delay_tree --format sql",
    "$ madtree export delay_tree --format svg -o tree.svg",
    "$ madtree export delay_tree --format pmml -o delay_tree.pmml",
    "$ madtree export delays --format dot --group carrier=UA -o ua.dot",
    "$ madtree export delay_forest --format json --tree 1 -o tree.json",
    "$ madtree export delay_boost --format sql --type prob",
    "$ madtree export delay_tree --format sql --dialect duckdb",
)


class Format(str, Enum):
    """What a model can be written as."""

    SQL = "sql"
    DOT = "dot"
    SVG = "svg"
    JSON = "json"
    PMML = "pmml"


DRAWN = (Format.DOT, Format.SVG)
FUNCTIONS = {Format.SQL: "tree_sql", Format.JSON: "tree_to_json", Format.PMML: "tree_to_pmml"}


def export_command(
    model: Model,
    format_: Annotated[Format, typer.Option("--format", "-f", help="What to write.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write. Default: stdout.", show_default=False)
    ] = None,
    type_: Annotated[
        str | None,
        typer.Option(
            "--type",
            help="Of sql: response, prob, leaf; of a boosted model raw. Default: response.",
            show_default=False,
        ),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(
            "--dialect",
            help="Of sql: the database that it is for, such as duckdb, sqlite or bigquery. Default: postgresql.",
            show_default=False,
        ),
    ] = None,
    group: Group = None,
    tree: Tree = None,
    full: Full = False,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
) -> None:
    """Write a model for another program: an SQL expression, a graph for graphviz, a picture, JSON, PMML."""
    for option, value in (("--type", type_), ("--dialect", dialect)):
        if value is not None and format_ is not Format.SQL:
            raise CommandError(f"{option} is for --format sql", code=USAGE)
    if full and format_ not in DRAWN:
        raise CommandError("--full is for --format dot and svg", "The others always have all categories.", USAGE)
    with session(dsn) as opened:
        trees = ChosenTrees(opened, model, tree, group)
        if format_ in DRAWN:
            content = draw(trees, format_.value, full=full)
        else:
            content = from_server(trees, format_, type_, trust_owner, dialect)
    write(content, output, f"{model} as {format_.value}")


def from_server(trees: ChosenTrees, format_: Format, type_: str | None, trust_owner: bool, dialect: str | None) -> str:
    """What a function of the extension writes."""
    opened, model = trees.opened, trees.model
    # Only an expression is handed out to be run.
    trust = trust_owner if format_ is Format.SQL else None
    number = trees.one()
    function = FUNCTIONS[format_]
    if format_ is Format.SQL and number is None:
        function = opened.run(lambda: kind_of(opened.connection, model), "reading").writes_sql
    arguments = {"model": model, "type": type_, "tree_id": number, "trust_owner": trust, "dialect": dialect}
    return opened.line(function, arguments, "exporting")
