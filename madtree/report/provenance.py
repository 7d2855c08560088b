"""On which rows a report's figures were measured, in words."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote
from typing import Any

from madtree.model import is_training_table
from madtree.render.labels import one_line
from madtree.report.trees import Choice
from madtree.sqltext.relation import Relation


def provenance(choice: Choice, table: str, relation: Relation, rows: int | None) -> dict[str, str]:
    """What the page says above its metrics.

    Args:
        table: as the user or the model names it; `relation` is the one that is found by that name.
        rows: of the table, those left out among them; None where nobody has counted them.

    Returns:
        `title`, a few words; `said`, a sentence or two; and `changed`, where the training table has other rows by now.
    """
    source = str(choice.model.source_table)
    name = one_line(table)
    if not is_training_table(choice.host, choice.model, relation):
        return {
            "title": f"On the rows of {name}",
            "said": f"Measured on {name}; the model was trained on {one_line(source)}.",
        }
    found = {
        "title": "On the training rows",
        "said": f"Measured on {name}, on the very rows that the model was trained on; others are predicted less well. "
        f"To measure it on held-out rows: madtree report {quote(one_line(choice.model.name))} --data TABLE",
    }
    trained = _rows_at_training(choice.model.summary)
    if rows is not None and rows != trained:
        found["changed"] = f"The table has {rows:,} rows now; it had {trained:,} when the model was trained."
    return found


def _rows_at_training(summary: Mapping[str, Any]) -> int:
    return sum(summary.get(column) or 0 for column in ("total_rows_processed", "total_rows_skipped"))


def folds_text(summary: Mapping[str, Any]) -> str:
    """What cross-validation measures, for a reader of its figures."""
    folds = summary.get("n_folds") or 0
    kind = f"{folds} folds" if not summary.get("fold_col") else f"{folds} folds by {one_line(summary['fold_col'])}"
    return f"{kind}: each row is held out once, and predicted by a tree that was trained without it."
