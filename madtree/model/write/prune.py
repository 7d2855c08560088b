"""tree_prune: prune a trained model further, by what its nodes say and without the data."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, listed, watched
from madtree.learn.data import Bools, Floats, Ints, sent_floats, sent_ints
from madtree.learn.prune import prune
from madtree.model import UsableModel, check_kind, check_rows, find_to_use
from madtree.model.write.copies import NewModel
from madtree.records import dataclass
from madtree.sqltext import array_text as text
from madtree.sqltext import prune as sql
from madtree.trees import CRITERIA, UNPRUNED, Model

_TEXT = "pg_catalog.text"
_FLOAT = "pg_catalog.float8"


@dataclass(frozen=True)
class PrunedModel:
    """What a pruning has left.

    Attributes:
        cp: at which it was done.
        before, after: leaves.
    """

    cp: float
    n_trees: int
    before: int
    after: int


def tree_prune(
    host: Host,
    model_name: str | None,
    new_model: str | None,
    cp: float | None,
    trust_owner: bool | None = False,
    replace: bool | None = False,
) -> PrunedModel:
    """Write the pruned model.

    The new model is the caller's and has the old one's expressions: so to prune is to trust them. `trust_owner` is that
    of `find_model`.

    Raises:
        MadtreeError: there is no such model, the new one's tables cannot be created, or `cp` is not a number or
            smaller than the model's own.
    """
    opened = find_to_use(host, model_name, trust_owner)
    check_kind(opened.model, "tree_prune", "model")
    for parameter in ("min_split", "max_depth"):
        if opened.model.summary[parameter] is None:
            raise MadtreeError(f"{model_name} is damaged: {parameter} in its summary is NULL")
    check_rows(opened)
    if cp is None or not math.isfinite(cp):
        raise MadtreeError(f"cp must be a number, not {'NULL' if cp is None else cp}")
    old = opened.tables.at
    own = {row["tree_id"]: float(row["pruning_cp"]) for row in watched(host, listed(host, sql.tree_cps(old)))}
    least = min(own.values(), default=0.0)
    if max(cp, UNPRUNED) < least:
        raise MadtreeError(
            f"cp must be at least {least!r}, at which {model_name} was pruned already, not {cp!r}",
            hint="What has been cut off is not stored: train again with a smaller cp.",
        )
    cp = max(cp, UNPRUNED)
    new = NewModel.check(opened, new_model, "new_model", replace)
    nodes = _read_nodes(opened)
    if not len(nodes.node_id):
        raise MadtreeError(f"model: {model_name} has no tree to prune: none of its groups could be trained")
    cps = np.array([own[tree] for tree in watched(host, nodes.trees.tolist())])
    kept = _prune(nodes, cps, cp, opened.model, host.let_in)
    _write(opened, new, cp, kept)
    return PrunedModel(cp, len(own), int(nodes.is_leaf.sum()), int(kept.is_leaf.sum()))


@dataclass(frozen=True)
class _Nodes:
    """A model's nodes by tree and id, an entry each; `trees` are the ids of the trees that have nodes."""

    trees: Ints
    tree_id: Ints
    node_id: Ints
    is_leaf: Bools
    depth: Ints
    n_rows: Ints
    risk: Floats
    complexity: Floats


@dataclass(frozen=True)
class _Kept:
    """The nodes of the pruned trees by tree and id, an entry each."""

    tree_id: Ints
    node_id: Ints
    is_leaf: Bools
    complexity: Floats


def _read_nodes(opened: UsableModel) -> _Nodes:
    row = opened.host.query(sql.node_numbers(opened.tables.at))[0]
    tree_id = sent_ints(row["tree_id"])
    return _Nodes(
        trees=np.unique(tree_id),
        tree_id=tree_id,
        node_id=sent_ints(row["node_id"]),
        is_leaf=sent_ints(row["is_leaf"]) == 1,
        depth=sent_ints(row["depth"]),
        n_rows=sent_ints(row["n_rows"]),
        risk=sent_floats(row["risk"]),
        complexity=sent_floats(row["complexity"]),
    )


def _prune(nodes: _Nodes, own: Floats, cp: float, model: Model, between: Callable[[], None]) -> _Kept:
    """Prune at `cp` those trees whose own cp, (n_trees,), is not larger; the others stay as they are. `between`: called
    after each few passes over all nodes, for cancels to be let in.

    Raises:
        MadtreeError: the nodes are not those of whole trees.
    """
    tree = np.searchsorted(nodes.trees, nodes.tree_id)
    between()
    child = _children(nodes, tree, model.name)
    between()
    # The recursion wants the roots first; siblings stay neighbours.
    is_root = nodes.node_id == 0
    order = np.concatenate((np.flatnonzero(is_root), np.flatnonzero(~is_root)))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    between()
    risk = nodes.risk[order]
    left = np.where(nodes.is_leaf, -1, place[child])[order]
    tree = tree[order]
    # Training tried to split some of the leaves in vain. The complexity that this left them with takes part in the
    # recursion as two children that lower the risk by so much.
    tried = np.flatnonzero(_was_tried(nodes, own[np.searchsorted(nodes.trees, nodes.tree_id)], model)[order])
    between()
    left[tried] = len(order) + 2 * np.arange(len(tried))
    gained = np.minimum(nodes.complexity[order][tried], cp) * risk[tree[tried]]
    stubs = np.column_stack((risk[tried] - gained, np.zeros(len(tried)))).ravel()
    pruned = prune(
        np.concatenate((risk, stubs)),
        np.concatenate((left, np.full(len(stubs), -1))),
        np.concatenate((tree, np.repeat(tree[tried], 2))),
        cp,
        between,
    )
    between()
    stays = own[np.searchsorted(nodes.trees, nodes.tree_id)] > cp
    keep = pruned.keep[place] | stays
    return _Kept(
        nodes.tree_id[keep],
        nodes.node_id[keep],
        np.where(stays, nodes.is_leaf, pruned.is_leaf[place])[keep],
        np.where(stays, nodes.complexity, pruned.complexity[place])[keep],
    )


def _children(nodes: _Nodes, tree: Ints, name: str) -> Ints:
    """(n,) position of each inner node's left child, the right one's is one more; 0 for leaves.

    Within a tree, by id, the j-th inner node has its children at 1 + 2j and 2 + 2j from the root.
    """
    roots = np.searchsorted(tree, np.arange(len(nodes.trees)))
    inner = ~nodes.is_leaf
    rank: Ints = np.cumsum(inner) - inner
    child: Ints = np.where(inner, roots[tree] + 1 + 2 * (rank - rank[roots[tree]]), 0)
    sizes, n_inner = np.bincount(tree), np.bincount(tree, inner)
    whole = not nodes.node_id[roots].any() and np.array_equal(sizes, 2 * n_inner + 1)
    left, first = child[inner], 2 * nodes.node_id[inner] + 1
    if not (
        whole and np.array_equal(nodes.node_id[left], first) and np.array_equal(nodes.node_id[left + 1], first + 1)
    ):
        raise MadtreeError(f"{name} is damaged: its nodes are not whole trees")
    return child


def _was_tried(nodes: _Nodes, own: Floats, model: Model) -> Bools:
    """(n,) whether training split a leaf and took the split back, because it was worth no more than the cp.

    Such a leaf keeps what the split was worth as its complexity; a leaf that was never split has the cp itself, as
    all leaves have of a tree that was not pruned. At cp 0 the two can be the same: then a leaf counts as tried if it
    could have been split, by a criterion that sees gain where the risk stays the same. Whichever it is, the pruned
    trees are the same but for that leaf's complexity.
    """
    summary = model.summary
    could_split = (
        nodes.is_leaf
        & (nodes.risk > 0)
        & (nodes.n_rows >= int(str(summary["min_split"])))
        & (nodes.depth < int(str(summary["max_depth"])))
    )
    criterion = CRITERIA.get(str(summary["split_criterion"]))
    lenient = (criterion is not None and criterion.sees_purity) or bool(summary.get("class_params"))
    # The stored cp went through a multiplication and a division by the root's risk.
    is_cp = np.abs(nodes.complexity - own) <= 1e-12 * np.abs(own)
    tried: Bools = could_split & (~is_cp | ((own == 0) & lenient))
    return tried


def _write(opened: UsableModel, new: NewModel, cp: float, kept: _Kept) -> None:
    """Create and fill the new model's tables."""
    host = opened.host
    copy = new.of(opened.tables)
    new.make(host, copy.create())
    values = [text.integers(kept.tree_id.tolist())]
    host.let_in()
    values.append(text.integers(kept.node_id.tolist()))
    host.let_in()
    values.append(text.joined(["true" if leaf else "false" for leaf in kept.is_leaf.tolist()]))
    host.let_in()
    values.append(text.floats(kept.complexity.tolist()))
    host.command(sql.fill_nodes(copy), [_TEXT] * 4, values)
    for suffix in ("_surrogates", "_competitors"):
        if suffix in copy.parts:
            host.command(sql.fill_of_splits(copy, suffix))
    for suffix in copy.parts.keys() & {"_cv", "_statistics"}:
        host.command(copy.fill(suffix))
    host.command(sql.fill_trees(copy), [_FLOAT], [cp])
    new.write_summary(host, copy, {"input_cp": cp})
