"""tree_to_json and tree_to_pmml: a model as a document that other programs read."""

from __future__ import annotations

from dataclasses import replace

from madtree.errors import MadtreeError
from madtree.explain.complexity import stored_cp_table
from madtree.host import Host
from madtree.model import ModelTables, find_model, read_summary, read_trees
from madtree.render.document import dump, model_document
from madtree.render.pmml import model_pmml
from madtree.sqltext import explain as sql
from madtree.trees import Model


def tree_to_json(host: Host, model_name: str | None) -> str:
    """A model as the text of a JSON document (`docs/json.md`).

    Raises:
        MadtreeError: there is no such model.
    """
    tables, model = _whole(host, model_name)
    facts = {row.pop("tree_id"): row for row in host.query(sql.tree_facts(tables.schema, tables.name))}
    return dump(model_document(model, facts, stored_cp_table(host, tables, model)))


def tree_to_pmml(host: Host, model_name: str | None) -> str:
    """A model as the text of a PMML 4.4 document.

    Raises:
        MadtreeError: there is no such model, no tree of it could be trained, or XML cannot hold a text of it.
    """
    _, model = _whole(host, model_name)
    if not any(tree.nodes for tree in model.trees):
        raise MadtreeError(f"model: {model.name} has no tree to write: none of its groups could be trained")
    return model_pmml(model)


def _whole(host: Host, model_name: str | None) -> tuple[ModelTables, Model]:
    tables = find_model(host, model_name, "model")
    model = read_summary(host, tables, to_run=False)
    return tables, replace(model, trees=read_trees(host, tables, model))
