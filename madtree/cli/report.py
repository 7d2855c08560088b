"""`madtree report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from madtree.cli.files import write
from madtree.cli.options import Dsn, examples
from madtree.cli.session import session
from madtree.interface import command_line
from madtree.report import build_report

EPILOG = examples(
    "$ madtree report delay_tree -o report.html",
    "$ madtree report delay_tree --data flights_today -o report.html",
    "$ madtree report delay_tree --data flights_today --row 4711 -o report.html",
    "$ madtree report delay_forest --tree 7 -o report.html",
)


def report_command(
    model: Annotated[str, typer.Argument(help="Name of the model, with its schema where needed.", show_default=False)],
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
    tree: Annotated[
        list[int] | None,
        typer.Option(
            help="Of a model of several trees, show the one of this number; may be repeated.", show_default=False
        ),
    ] = None,
    max_trees: Annotated[
        int,
        typer.Option(
            help="Of a model of several trees, how many at most; all together have up to 20,000 nodes.",
            min=1,
        ),
    ] = 200,
    row: Annotated[
        str | None, typer.Option(help="Mark the path of the row with this id, of that table.", show_default=False)
    ] = None,
    trust_owner: Annotated[
        bool,
        typer.Option(
            "--trust-owner",
            help="As a superuser, use another role's model although it runs what that role wrote.",
            rich_help_panel=command_line.SERVER,
        ),
    ] = False,
    dsn: Dsn = None,
) -> None:
    """Write a model as one HTML page: the tree to click through, importance, errors, the SQL to score; of a forest its
    out-of-bag error by the number of trees, and trees to choose from.
    """  # fmt: skip
    with session(dsn) as opened:
        page = opened.here(
            lambda host: build_report(
                host, model, data=data, trees=tree, max_trees=max_trees, trust_owner=trust_owner, row=row
            ),
            "making the report",
        )
    write(page, output, f"report of {model}")
