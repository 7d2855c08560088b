"""`madtree evaluate` and `madtree importance`: how good a model is, and what it uses."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from psycopg.rows import dict_row

from madtree.cli.options import Dsn, Json, Model, examples
from madtree.cli.output import rows, without_empty
from madtree.cli.session import Session, session

EVALUATE_EPILOG = examples(
    "$ madtree evaluate delay_tree flights_today",
    "$ madtree evaluate delay_tree flights_today --confusion",
)
IMPORTANCE_EPILOG = examples("$ madtree importance delay_tree", "$ madtree importance delay_tree --json")
SCRATCH = "pg_temp.madtree_importance"


def evaluate_command(
    model: Model,
    table: Annotated[str, typer.Argument(help="Table with known outcomes.", show_default=False)],
    confusion: Annotated[bool, typer.Option("--confusion", help="The confusion matrix instead, as rows.")] = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Measure a model on a table with known outcomes: accuracy, log loss, AUC; or RMSE, MAE, R²."""
    function = "tree_confusion" if confusion else "tree_evaluate"
    with session(dsn) as opened:
        found = opened.call(function, {"tree_model": model, "test_table": table}, "evaluating")
    rows(found if json else without_empty(found), json, empty="no rows")


def importance_command(model: Model, dsn: Dsn = None, json: Json = False) -> None:
    """Tell how much each feature did for a model, the most important first; of a grouped model, by group."""
    with session(dsn) as opened:
        found = opened.run(lambda: importance(opened, model), "asking")
    rows(found, json, empty="no tree could be trained")


def importance(opened: Session, model: str) -> list[dict[str, Any]]:
    """Rows of get_var_importance, by way of a table that is rolled back."""
    with opened.connection.transaction(force_rollback=True), opened.connection.cursor(row_factory=dict_row) as cursor:
        cursor.execute("SELECT madtree.get_var_importance(%s, %s)", [model, SCRATCH])
        found = cursor.execute(f"SELECT * FROM {SCRATCH}").fetchall()
    groups = [[value for name, value in row.items() if name not in MEASURES] for row in found]
    first = {tuple(map(str, group)): place for place, group in reversed(list(enumerate(groups)))}
    order = sorted(
        range(len(found)),
        key=lambda i: (first[tuple(map(str, groups[i]))], -(found[i]["impurity_var_importance"] or 0.0)),
    )
    return [found[i] for i in order]


MEASURES = ("feature", "impurity_var_importance", "raw_importance")
