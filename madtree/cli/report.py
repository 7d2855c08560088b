"""`madtree report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from madtree.cli.files import write
from madtree.cli.options import Dsn, Model, TrustOwner, examples
from madtree.cli.session import session
from madtree.report import build_report

EPILOG = examples(
    "$ madtree report delay_tree -o report.html",
    "$ madtree report delay_tree --data flights_today -o report.html",
)


def report_command(
    model: Model,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file to write; - for stdout.", show_default=False)
    ],
    data: Annotated[
        str | None,
        typer.Option(
            help="Table with known outcomes to measure the model on, best of rows that it was not trained on. "
            "Default: the training table.",
            show_default=False,
        ),
    ] = None,
    max_trees: Annotated[int, typer.Option(help="Of a grouped model, how many trees at most.", min=1)] = 200,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
) -> None:
    """Write a model as one HTML page: the tree to click through, importance, errors, the SQL to score."""  # fmt: skip
    with session(dsn) as opened:
        page = opened.run(
            lambda: build_report(opened.connection, model, data=data, max_trees=max_trees, trust_owner=trust_owner),
            "making the report",
        )
    write(page, output, f"report of {model}")
