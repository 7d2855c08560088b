"""`madtree report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from madtree.cli.declared import Given, with_options_of
from madtree.cli.files import write
from madtree.cli.options import Dsn, examples
from madtree.cli.session import session
from madtree.report import build_report

EPILOG = examples(
    "$ madtree report delay_tree -o report.html",
    "$ madtree report delay_tree --data flights_today -o report.html",
    "$ madtree report delay_tree --data flights_today --row 4711 -o report.html",
    "$ madtree report delay_forest --tree 7 -o report.html",
)


@with_options_of("tree_call")  # a model, and whom to trust
def report_command(
    given: Given,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file to write; - for stdout.", show_default=False)
    ],
    data: Annotated[
        str | None,
        typer.Option(
            help="Table with known outcomes to measure the model on, best of rows that it was not trained on. "
            "Default: the training table; of a forest none, as its out-of-bag error says more.",
            show_default=False,
        ),
    ] = None,
    trees: Annotated[
        list[int] | None,
        typer.Option(
            "--tree",
            help="Of a model of several trees, show the one of this number; may be repeated.",
            show_default=False,
        ),
    ] = None,
    max_trees: Annotated[
        int, typer.Option(help="Of a model of several trees, how many at most, of up to 20,000 nodes together.", min=1)
    ] = 200,
    row: Annotated[
        str | None, typer.Option(help="Mark the path of the row with this id, of that table.", show_default=False)
    ] = None,
    dsn: Dsn = None,
) -> None:
    """Write a model as one HTML page: the tree to click through, importance, errors, the SQL to score.

    Of a forest also its out-of-bag error by the number of trees, of a boosted model its loss by the round, and trees to
    choose from.
    """
    with session(dsn) as opened:
        wanted = {**given.of("tree_call"), "data": data, "trees": trees, "max_trees": max_trees, "row": row}
        page = opened.here(lambda host: build_report(host, **wanted), "making the report")
    write(page, output, f"report of {given['model']}")
