"""tree_to_json and tree_to_pmml: a model as a document that other programs read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from madtree.errors import MadtreeError
from madtree.explain.complexity import stored_cp_table
from madtree.host import Host, listed, watched
from madtree.model import ModelTables, each_tree, find_model, read_summary, unquoted
from madtree.render.document import dump, model_document
from madtree.render.pmml import model_pmml
from madtree.sqltext import explain as sql
from madtree.sqltext.quote import literal

MOST_BYTES = 2**30 - 2**10  # of a text of PostgreSQL's


def tree_to_json(host: Host, model_name: str | None, tree_id: int | None = None) -> str:
    """A model, or one tree of it, as the text of a JSON document (`docs/json.md`).

    Raises:
        MadtreeError: there is no such model, it has no tree `tree_id`, or its document is too large.
    """
    tables = find_model(host, model_name, "model")
    whole = read_summary(host, tables, to_run=False)
    model = whole if tree_id is None else replace(whole, n_members=0)
    at = tables.schema, tables.name
    grouping = tables.group_writers([unquoted(column) for column in model.grouping_columns])
    facts = {row.pop("tree_id"): row for row in watched(host, listed(host, sql.tree_facts(*at, model.n_members > 0)))}
    groups = listed(host, sql.forest_groups(*at, grouping)) if model.n_members else []
    document = model_document(model, stored_cp_table(host, tables, model), groups)
    return _joined(host, dump(model, document, each_tree(host, tables, whole, tree_id), facts), tables, "tree_to_json")


def tree_to_pmml(host: Host, model_name: str | None, tree_id: int | None = None) -> str:
    """A model, or one tree of it, as the text of a PMML 4.4 document.

    Raises:
        MadtreeError: there is no such model, it has no tree `tree_id`, no tree of it could be trained, its document is
            too large, or XML cannot hold a text of it.
    """
    tables = find_model(host, model_name, "model")
    model = read_summary(host, tables, to_run=False)
    trees = each_tree(host, tables, model, tree_id)
    if tree_id is not None:  # without the group, as tree_sql has it
        model = replace(model, n_members=0, grouping_columns=(), grouping_types=())
    grown = (tree for tree in trees if tree.nodes)
    first = next(grown, None)
    if first is None:
        what = "none of its groups" if tree_id is None else f"the group of tree {tree_id}"
        raise MadtreeError(f"model: {model.name} has no tree to write: {what} could be trained")
    return _joined(host, model_pmml(model, chain([first], grown), host.let_in), tables, "tree_to_pmml")


def _joined(host: Host, parts: Iterable[str], tables: ModelTables, function: str) -> str:
    kept, size = [], 0
    for part in watched(host, parts):
        kept.append(part)
        size += len(part.encode())
        if size > MOST_BYTES:
            raise MadtreeError(
                f"model: {tables.given} is too large for one document: PostgreSQL's texts have at most 1 GB",
                hint=f"Write its trees one by one: madtree.{function}({literal(tables.given)}, tree_id => 1).",
                sqlstate="54000",
            )
    return "".join(kept)
