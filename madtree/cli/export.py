"""`madtree export`: a model for other programs."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from madtree.cli.declared import Given, with_options_of
from madtree.cli.files import write
from madtree.cli.options import Dsn, Group, examples
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


FUNCTIONS = {
    Format.SQL: "tree_sql",
    Format.DOT: "tree_display",
    Format.SVG: "tree_display",
    Format.JSON: "tree_to_json",
    Format.PMML: "tree_to_pmml",
}


@with_options_of(
    "tree_to_json",
    "tree_to_pmml",
    tree_sql="--format sql",
    boost_sql="--format sql",
    tree_display="--format dot and svg",
)
def export_command(
    given: Given,
    format_: Annotated[Format, typer.Option("--format", "-f", help="What to write.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write. Default: stdout.", show_default=False)
    ] = None,
    group: Group = None,
    dsn: Dsn = None,
) -> None:
    """Write a model for another program: an SQL expression, a graph for graphviz, a picture, JSON, PMML."""
    function = FUNCTIONS[format_]
    given.of(function)  # before a server is asked
    with session(dsn) as opened:
        trees = ChosenTrees(opened, given, group)
        if function == "tree_display":
            content = draw(trees, format_.value)
        else:
            number = trees.one()
            if format_ is Format.SQL and number is None:
                function = opened.run(lambda: kind_of(opened.connection, given["model"]), "reading").writes_sql
            content = opened.line(function, {**given.of(function), "tree_id": number}, "exporting")
    write(content, output, f"{given['model']} as {format_.value}")
