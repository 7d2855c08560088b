"""tree_display and tree_surr_display: a model for people, as text or as a graph."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.model import find_model, read_model, read_summary, require_single_trees, trees_of_group
from madtree.render.dot import model_dot
from madtree.render.surrogates import surrogates_text
from madtree.render.text import model_text
from madtree.sqltext.quote import literal
from madtree.sqltext.tables import model_table
from madtree.trees import Model


def tree_display(
    host: Host, model_name: str | None, dot_format: bool | None, verbosity: bool | None, full: bool | None = False
) -> str:
    """A model as a graph in the dot language (also if `dot_format` is NULL), or as text.

    Long lists of categories are shortened unless `full`.

    Raises:
        MadtreeError: there is no such model, or it is a forest.
    """
    _no_forest(host, model_name, "get_tree")
    model = read_model(host, model_name, competitors=bool(verbosity) and dot_format is False)
    return _drawn(host, model, dot_format, verbosity, full)


def get_tree(
    host: Host,
    model_name: str | None,
    gid: int | None,
    sample_id: int | None,
    dot_format: bool | None,
    verbose: bool | None,
) -> str:
    """One tree of a forest, as `tree_display` draws it.

    Raises:
        MadtreeError: there is no such forest, or no such tree in it.
    """
    return _drawn(host, _member(host, model_name, gid, sample_id), dot_format, verbose, False)


def get_tree_surr(host: Host, model_name: str | None, gid: int | None, sample_id: int | None) -> str:
    """The surrogates of one tree of a forest, as `tree_surr_display` writes them; errors as there, and as above."""
    return _surrogates(host, _member(host, model_name, gid, sample_id), False)


def tree_surr_display(host: Host, model_name: str | None, full: bool | None = False) -> str:
    """The surrogates of every internal node as text; `full` as above.

    Raises:
        MadtreeError: there is no such model, it is a forest, or it was trained without surrogates.
    """
    _no_forest(host, model_name, "get_tree_surr")
    return _surrogates(host, read_model(host, model_name), full)


def _member(host: Host, given: str | None, gid: int | None, sample_id: int | None) -> Model:
    argument = "forest_model_table"
    tables = find_model(host, given, argument)
    model = read_summary(host, tables, to_run=False)
    members, n_groups = model.n_members, int(str(model.summary["num_all_groups"]))
    if not members:
        raise MadtreeError(f"{argument}: {given} is not a forest", hint="tree_display draws it.", sqlstate="42809")
    if gid is None or not 1 <= gid <= n_groups:
        raise MadtreeError(f"gid must be from 1 to {n_groups}, the number of a group of {given}, not {_sql(gid)}")
    if sample_id is None or not 1 <= sample_id <= members:
        raise MadtreeError(f"sample_id must be from 1 to {members}, not {_sql(sample_id)}")
    if not trees_of_group(host, tables, model, gid):
        raise MadtreeError(
            f"gid: no forest could be trained for group {gid} of {given}",
            hint=f"See the column message of {model_table(tables.schema, tables.name, '_group')}.",
        )
    return read_model(host, given, argument, (gid - 1) * members + sample_id)


def _no_forest(host: Host, given: str | None, instead: str) -> None:
    """Refuse to draw all trees of a forest, which nobody could read."""
    model = read_summary(host, find_model(host, given, "model"), to_run=False)
    call = f"madtree.{instead}({literal(str(given))}, gid, sample_id)"
    require_single_trees(model, "model", f"{call} shows one of its trees, for instance that of gid 1 and sample_id 1.")


def _sql(value: int | None) -> str:
    return "NULL" if value is None else str(value)


def _drawn(host: Host, model: Model, dot_format: bool | None, verbosity: bool | None, full: bool | None) -> str:
    draw = model_text if dot_format is False else model_dot
    return draw(model, bool(verbosity), bool(full), host.let_in)


def _surrogates(host: Host, model: Model, full: bool | None) -> str:
    if not model.summary.get("max_surrogates"):
        given, shown = ("null_handling_params", "get_tree") if model.n_members else ("surrogate_params", "tree_display")
        raise MadtreeError(
            f"model: {model.name} has no surrogates: it was trained with max_surrogates=0",
            hint=f"Train it with {given} => 'max_surrogates=5', or see {shown}.",
        )
    return surrogates_text(model, bool(full), host.let_in)
