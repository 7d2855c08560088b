"""What each SQL function answers to ``'usage'``, ``'help'`` or ``'?'``, and without an argument.

They answer to an empty one, too, and to ``'example'`` by the end of the text; where the one argument is a model, only
as long as no relation has that name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from madtree.entry.help_texts import explain, export, forest, manage, measure, predict, train
from madtree.errors import MadtreeError

if TYPE_CHECKING:
    from madtree.host import Host

WORDS = ("usage", "help", "?")
EXAMPLE = "example"
_HEADING = "\nExample"  # of the last part of each text
TEXTS = {
    "tree_train": train.TREE_TRAIN,
    "tree_predict": predict.TREE_PREDICT,
    "tree_sql": predict.TREE_SQL,
    "tree_evaluate": measure.TREE_EVALUATE,
    "tree_confusion": measure.TREE_CONFUSION,
    "get_var_importance": measure.GET_VAR_IMPORTANCE,
    "tree_display": explain.TREE_DISPLAY,
    "tree_surr_display": explain.TREE_SURR_DISPLAY,
    "tree_rules": explain.TREE_RULES,
    "tree_path": explain.TREE_PATH,
    "tree_cp": explain.TREE_CP,
    "tree_to_json": export.TREE_TO_JSON,
    "tree_to_pmml": export.TREE_TO_PMML,
    "tree_prune": manage.TREE_PRUNE,
    "tree_drop": manage.TREE_DROP,
    "forest_train": forest.FOREST_TRAIN,
    "forest_predict": forest.FOREST_PREDICT,
    "get_tree": forest.GET_TREE,
    "get_tree_surr": forest.GET_TREE_SURR,
}


def instead_of_model(host: Host, function: str, model: str | None) -> str | None:
    """The usage text, or its example, where what stands for a model asks for it; None where it may be a model."""
    from madtree.request import is_relation  # only here: much of madtree comes with it

    asked = None if model is None else model.strip().lower()
    if asked is None or asked not in ("", EXAMPLE, *WORDS) or is_relation(host, asked):
        return None
    return usage(function, asked)


def usage(function: str, message: str | None) -> str:
    """The usage text, or its example, of a function whose one argument may only ask for it.

    Raises:
        MadtreeError: the message does not ask for help.
    """
    text, asked = TEXTS[function], (message or "").strip().lower()
    if asked == EXAMPLE:
        return text[text.index(_HEADING) + 1 :]
    if asked and asked not in WORDS:
        words = ", ".join(map(repr, (*WORDS[:2], EXAMPLE, *WORDS[2:])))
        raise MadtreeError(
            f"{function} with one argument takes {words}, not {message!r}",
            hint=f"SELECT madtree.{function}() shows how to call it.",
        )
    return text
