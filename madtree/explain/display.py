"""tree_display and tree_surr_display: a model for people, as text or as a graph."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import FUNCTIONS
from madtree.model import check_kind, find_to_show, read_model, tree_of_group, trees_of_group
from madtree.render.dot import model_dot
from madtree.render.text import model_text, surrogates_text
from madtree.trees import Model


def tree_display(
    host: Host,
    model_name: str | None,
    dot_format: bool | None,
    verbosity: bool | None,
    full: bool | None = False,
    max_depth: int | None = None,
) -> str:
    """A model as a graph in the dot language (also if `dot_format` is NULL), or as text; nodes down to `max_depth`.

    Long lists of categories are shortened unless `full`.

    Raises:
        MadtreeError: there is no such model, or its groups have many trees.
    """
    _check_kind(host, model_name, "tree_display")
    model = read_model(host, model_name, competitors=bool(verbosity) and dot_format is False)
    return _drawn(host, model, dot_format, verbosity, full, max_depth)


def get_tree(
    host: Host,
    model_name: str | None,
    gid: int | None,
    sample_id: int | None,
    dot_format: bool | None,
    verbose: bool | None,
    max_depth: int | None = None,
) -> str:
    """One of a group's many trees, as `tree_display` draws it.

    Raises:
        MadtreeError: there is no such model, it is one of single trees, or there is no such tree in it.
    """
    return _drawn(host, _member(host, "get_tree", model_name, gid, sample_id), dot_format, verbose, False, max_depth)


def get_tree_surr(host: Host, model_name: str | None, gid: int | None, sample_id: int | None) -> str:
    """The surrogates of one of a group's many trees; errors as of `tree_surr_display` and `get_tree`."""
    return _surrogates(host, _member(host, "get_tree_surr", model_name, gid, sample_id), False)


def tree_surr_display(host: Host, model_name: str | None, full: bool | None = False) -> str:
    """The surrogates of every internal node as text; `full` as of `tree_display`.

    Raises:
        MadtreeError: there is no such model, its groups have many trees, or it was trained without surrogates.
    """
    _check_kind(host, model_name, "tree_surr_display")
    return _surrogates(host, read_model(host, model_name), full)


def _member(host: Host, function: str, given: str | None, gid: int | None, sample_id: int | None) -> Model:
    argument = FUNCTIONS[function].arguments[0].name
    opened = find_to_show(host, given, argument)
    model = opened.model
    check_kind(model, function, argument)
    tree_id = tree_of_group(model, gid, sample_id)
    if not trees_of_group(opened, model.numbering.group(tree_id)):
        raise MadtreeError(
            f"gid: no {model.kind.noun} could be trained for group {gid} of {given}",
            hint=f"See the column message of {opened.tables.part(model.kind.groups_in)}.",
        )
    found = read_model(host, given, argument, tree_id)
    return found.as_single_trees if found.kind.says_numbers else found


def _check_kind(host: Host, given: str | None, function: str) -> None:
    """Refuse to draw all trees of groups that have many, which nobody could read."""
    check_kind(find_to_show(host, given).model, function, "model")


def _drawn(
    host: Host,
    model: Model,
    dot_format: bool | None,
    verbosity: bool | None,
    full: bool | None,
    max_depth: int | None = None,
) -> str:
    draw = model_text if dot_format is False else model_dot
    return draw(model, bool(verbosity), bool(full), host.let_in, max_depth)


def _surrogates(host: Host, model: Model, full: bool | None) -> str:
    if not model.summary.get("max_surrogates"):
        kind = model.kind
        keyed = (
            each for each in FUNCTIONS[kind.trains].arguments if "max_surrogates" in [key.name for key in each.keys]
        )
        raise MadtreeError(
            f"model: {model.name} has no surrogates: it was trained with max_surrogates=0",
            hint=f"Train it with {next(keyed).name} => 'max_surrogates=5', or see {kind.draws}.",
        )
    return surrogates_text(model, bool(full), host.let_in)
