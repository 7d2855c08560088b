"""tree_to_json and tree_to_pmml: a model as a document that other programs read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from madtree.errors import MadtreeError
from madtree.explain.complexity import stored_cp_table
from madtree.host import Host, listed, rows_at_once, watched
from madtree.model import (
    ModelTables,
    OpenModel,
    base_scores,
    check_no_offsets,
    check_trees,
    each_tree,
    find_to_show,
    isotonic_functions,
)
from madtree.render.document import Document, dump, model_document
from madtree.render.pmml import model_pmml
from madtree.sqltext import explain as sql
from madtree.sqltext import models as models_sql
from madtree.sqltext.quote import literal
from madtree.trees import Tree

MOST_BYTES = 2**30 - 2**10  # of a text of PostgreSQL's
_MOST_NUMBERS = 2**25  # importances of all groups: more would hardly have room in such a text


def tree_to_json(host: Host, model_name: str | None, tree_id: int | None = None) -> str:
    """A model, or one tree of it, as the text of a JSON document (`docs/json.md`).

    Raises:
        MadtreeError: there is no such model, it has no tree `tree_id`, or its document is too large.
    """
    whole = find_to_show(host, model_name)
    check_trees(whole)
    opened = whole if tree_id is None else replace(whole, model=whole.model.as_single_trees)
    model = opened.model
    document = model_document(model, _facts(opened))
    trees = _with_facts(opened, each_tree(whole, tree_id))
    return _joined(opened, dump(model, document, trees), "tree_to_json")


def _with_facts(opened: OpenModel, trees: Iterable[Tree]) -> Iterator[tuple[Tree, Mapping[str, Any]]]:
    """Trees in order, each with what else `<output>` tells of it."""
    n_features = len(opened.model.features)
    statement = sql.tree_facts(*opened.tables.at, opened.model.kind.place, n_features)
    rows = watched(opened.host, opened.host.stream(statement, batch=rows_at_once(n_features)))
    for tree in trees:
        yield tree, next((row for row in rows if row["tree_id"] == tree.tree_id), {})


def _facts(opened: OpenModel) -> Document:
    """What a document tells beside the trees and what those of all kinds tell."""
    tables, model = opened.tables, opened.model
    if not model.kind.groups_in:
        return {"cp_table": stored_cp_table(opened)}
    if model.adds_scores:
        base_scores(opened)  # refuses scores that are no finite numbers, which the groups would hand on
    grouping = opened.group_writers
    table, n_features = tables.part(model.kind.groups_in), len(model.features)
    n_groups = opened.host.query(models_sql.n_rows(table))[0]["n"]
    if n_groups * n_features * len(sql.importances(model.kind)) > _MOST_NUMBERS:
        raise _too_large(tables, "tree_to_json")
    statement = sql.described_groups(*tables.at, grouping, model.kind, n_features, model.n_scores)
    groups = listed(opened.host, statement)
    if model.adds_scores:
        for group, functions in zip(groups, isotonic_functions(opened), strict=False):
            points = [[[*point] for point in zip(own.scores, own.probabilities, strict=True)] for own in functions]
            group["calibration"] = None if not group["n_trees"] else points[0] if model.n_scores == 1 else points
    return {"groups": groups}


def tree_to_pmml(host: Host, model_name: str | None, tree_id: int | None = None) -> str:
    """A model, or one tree of it, as the text of a PMML 4.4 document.

    Raises:
        MadtreeError: there is no such model, it has no tree `tree_id`, no tree of it could be trained, its document is
            too large, or XML cannot hold a text of it.
    """
    opened = find_to_show(host, model_name)
    model = opened.model
    trees = each_tree(opened, tree_id)
    if tree_id is None:
        check_no_offsets(model, "which a PMML document does not add to scores", "madtree.boost_sql writes them, too.")
    else:  # without the group, as tree_sql has it
        model = replace(model.as_single_trees, grouping_columns=(), grouping_types=())
    grown = (tree for tree in trees if tree.nodes)
    first = next(grown, None)
    if first is None:
        what = "none of its groups" if tree_id is None else f"the group of tree {tree_id}"
        raise MadtreeError(f"model: {model.name} has no tree to write: {what} could be trained")
    document = model_pmml(model, chain([first], grown), host.let_in, base_scores(opened))
    return _joined(opened, document, "tree_to_pmml")


def _joined(opened: OpenModel, parts: Iterable[str], function: str) -> str:
    kept, size = [], 0
    for part in watched(opened.host, parts):
        kept.append(part)
        size += len(part.encode())
        if size > MOST_BYTES:
            raise _too_large(opened.tables, function)
    return "".join(kept)


def _too_large(tables: ModelTables, function: str) -> MadtreeError:
    return MadtreeError(
        f"model: {tables.given} is too large for one document: PostgreSQL's texts have at most 1 GB",
        hint=f"Write its trees one by one: madtree.{function}({literal(tables.given)}, tree_id => 1).",
        sqlstate="54000",
    )
