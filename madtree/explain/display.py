"""tree_display and tree_surr_display: a model for people, as text or as a graph."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.model import read_model
from madtree.render.dot import model_dot
from madtree.render.surrogates import surrogates_text
from madtree.render.text import model_text


def tree_display(
    host: Host, model_name: str | None, dot_format: bool | None, verbosity: bool | None, full: bool | None = False
) -> str:
    """A model as a graph in the dot language (also if `dot_format` is NULL), or as text.

    Long lists of categories are shortened unless `full`.

    Raises:
        MadtreeError: there is no such model.
    """
    model = read_model(host, model_name, competitors=bool(verbosity) and dot_format is False)
    draw = model_text if dot_format is False else model_dot
    return draw(model, bool(verbosity), bool(full))


def tree_surr_display(host: Host, model_name: str | None, full: bool | None = False) -> str:
    """The surrogates of every internal node as text; `full` as above.

    Raises:
        MadtreeError: there is no such model, or it was trained without surrogates.
    """
    model = read_model(host, model_name)
    if not model.summary.get("max_surrogates"):
        raise MadtreeError(
            f"model: {model.name} has no surrogates: it was trained with max_surrogates=0",
            hint="Train it with surrogate_params => 'max_surrogates=5', or see tree_display.",
        )
    return surrogates_text(model, bool(full))
