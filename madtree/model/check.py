"""Refusing a model: whose tables hold what training never writes, before anything of them becomes SQL or arrays; and
that a function does not take.
"""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Row
from madtree.interface import FUNCTIONS
from madtree.model.find import ModelTables
from madtree.model.opened import OpenModel
from madtree.sqltext import check as sql
from madtree.sqltext.explain import importances
from madtree.sqltext.quote import literal
from madtree.sqltext.sizes import rows_beside
from madtree.trees import FeatureKind, Members, Model

_TEXTS = "pg_catalog.text[]"
_INT = "pg_catalog.int4"


def check_trees(opened: OpenModel) -> None:
    """Look at the rows of all trees, and of their groups where these have a table of their own.

    Raises:
        MadtreeError: a row cannot be a model's; it is named.
    """
    host, tables, model = opened.host, opened.tables, opened.model
    at = tables.at
    grouping = list(opened.grouping)
    n_features = len(model.features)
    _refuse(tables, host.query(sql.faulty_trees(*at, grouping), [_INT], [n_features]))
    if model.kind.members is Members.ONE:
        return
    if model.kind.members is Members.EQUAL:
        _refuse(tables, host.query(sql.faulty_members(*at), [_INT], [model.n_members]))
    else:
        _refuse(tables, host.query(sql.faulty_own_members(*at)))
    if tables.is_packed:
        _refuse(tables, host.query(sql.faulty_packed(*at, model.node_layout.size)))
    n_groups = model.summary["num_all_groups"]
    of_features = importances(model.kind)
    for row in host.query(sql.faulty_groups(*at, grouping, of_features), [_INT, _INT], [n_features, n_groups]):
        which = "a group" if row["gid"] is None else f"group {row['gid']}"
        raise tables.damaged(f"{which} {row['fault']}")


def check_rows(opened: OpenModel, tree_id: int | None = None, *, competitors: bool = False, nodes: bool = True) -> None:
    """`check_trees`, and look at the nodes and surrogates, or at the nodes of the tree `tree_id` only.

    That the nodes are those of whole trees is found where they are put together.

    Args:
        competitors: whether these are looked at, too.
        nodes: whether these are.

    Raises:
        MadtreeError: a row cannot be a model's; it is named.
    """
    tables = opened.tables
    at = tables.at
    check_trees(opened)
    if nodes:
        check_nodes(opened, tree_id)
    if tables.has("_surrogates"):
        _check_number(opened, "_surrogates")
        _refuse(tables, opened.host.query(sql.faulty_surrogates(*at), [_TEXTS] * 3, _kinds(opened.model)))
    if competitors:
        _check_number(opened, "_competitors")
        _refuse(tables, opened.host.query(sql.faulty_competitors(*at), [_TEXTS] * 3, _kinds(opened.model)))


def _check_number(opened: OpenModel, suffix: str) -> None:
    """Refuse more surrogates or competitors than the nodes can have, which is one by each feature: who reads a tree
    holds all of them at once.

    Raises:
        MadtreeError: there are more.
    """
    packed_bytes = opened.model.node_layout.size if opened.tables.is_packed else 0
    found = opened.host.query(rows_beside(*opened.tables.at, suffix, packed_bytes))[0]
    most = len(opened.model.features) * (found["nodes"] // 2)
    if found["n"] > most:
        raise opened.tables.damaged(f"it has {found['n']:,} {suffix[1:]}, but its nodes can have {most:,} at most")


def check_nodes(opened: OpenModel, tree_id: int | None = None) -> None:
    """Look at the nodes of all trees, or of one; raises as `check_rows`."""
    one, model = tree_id is not None, opened.model
    statement = sql.faulty_nodes(
        *opened.tables.at, opened.nodes, is_classification=model.has_class_leaves, one_tree=one
    )
    types, params = [_TEXTS] * 4 + [_INT] * one, [*_kinds(model), list(model.classes), *([tree_id] if one else [])]
    _refuse(opened.tables, opened.host.query(statement, types, params))


def _kinds(model: Model) -> list[list[str]]:
    """Names of the features, of those that are unordered, and of those that are boolean."""
    return [
        model.feature_names,
        [feature.name for feature in model.features if feature.kind is FeatureKind.UNORDERED],
        [feature.name for feature in model.features if feature.type == "boolean"],
    ]


def _refuse(tables: ModelTables, rows: list[Row]) -> None:
    for row in rows:
        where = (
            f"tree {row['tree_id']}" if row["node_id"] is None else f"node {row['node_id']} of tree {row['tree_id']}"
        )
        raise tables.damaged(f"{where} {row['fault']}")


def check_kind(model: Model, function: str, argument: str) -> None:
    """Refuse a model of a kind that a function does not take, as it is declared.

    Args:
        function: its name.
        argument: name of the argument that the model came in.

    Raises:
        MadtreeError: it is of such a kind.
    """
    takes = FUNCTIONS[function].takes
    if takes is not None and model.kind not in takes.kinds:
        refusal, hint = takes.refused(model.kind, literal(model.name))
        raise MadtreeError(f"{argument}: {model.name} {refusal}", hint=hint, sqlstate="42809")


def check_not_calibrated(model: Model, function: str) -> None:
    """Refuse a calibrated model where some of its trees are to be asked, as what its scores mean holds of all.

    Raises:
        MadtreeError: it is one.
    """
    of = model.summary.get("calibrated_model")
    if of is not None:
        raise MadtreeError(
            f"model: {model.name} is calibrated, which holds for all of its trees only, and {function} asks the first "
            "ones",
            hint=f"{function} takes the model that was calibrated, {str(of)[:100]}.",
            sqlstate="42809",
        )


def check_no_offsets(model: Model, why: str, hint: str) -> None:
    """Refuse a model whose rows have offsets.

    Args:
        why: the end of a sentence that says what it has.

    Raises:
        MadtreeError: it is one.
    """
    if model.offsets is not None:
        raise MadtreeError(
            f"model: {model.name} has offsets, {model.offsets[:100]}, {why}", hint=hint, sqlstate="0A000"
        )
