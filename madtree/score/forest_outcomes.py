"""What a forest's rows come to: what each leaf says, how the block scorer's bytes become columns, and what trees add to
an explanation.
"""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Floats
from madtree.model import INTERVAL
from madtree.model.arrays import ModelArrays, read_leaf_outcomes
from madtree.score.additive import LeafNumbers, SumScale, alike
from madtree.score.block_plan import MemberValues
from madtree.score.member_scorer import INTERVAL_NUMBERS, row_bytes
from madtree.score.number_columns import CLASS_OF_ROW, EVALUATED, array_of, columns_of, numbers_of
from madtree.score.outcomes import Outcomes, Part, ScoredLeaves
from madtree.score.routed_rows import class_type, count_type
from madtree.sqltext import predict as sql
from madtree.sqltext.outcome_numbers import pick, pick_each

OUT_OF_BAG = "out_of_bag"  # a type: what the trees say whose samples lack a row, and how many these are


def outcomes_of_forest(leaves: ScoredLeaves) -> Outcomes:
    """A row comes to a leaf of each tree, which vote, or whose means are averaged."""
    model, type_, nodes, outputs = leaves.opened.model, leaves.type_, leaves.nodes, leaves.outputs
    shares: Floats | None = nodes.get("class_weights")
    if shares is not None:
        shares = shares / shares.sum(axis=1, keepdims=True)
    members, n_classes = model.n_members, len(model.classes)
    class_bytes, count_bytes = class_type(n_classes).itemsize, count_type(members).itemsize
    prediction = nodes["prediction"].astype(np.float64)[:, None]

    def outcomes_of(what: str, values: Floats, parts: list[Part], expressions: list[str]) -> Outcomes:
        size = row_bytes(what, members, n_classes or values.shape[1])
        return Outcomes(
            MemberValues(members, what, n_classes, values, leaves.drawn, model.numbering.counts),
            parts,
            size,
            expressions,
        )

    if type_ == "leaf":
        is_leaf = nodes["feature"] == 0
        position = np.where(is_leaf, np.cumsum(is_leaf), 0).astype(np.float64)[:, None]
        ids = sql.integer_array(nodes["node_id"][is_leaf].tolist())
        return outcomes_of("leaves", position, [("outcome", 0, 4)], [pick_each(ids, members)])
    if type_ == "response" and model.is_classification:
        classes = sql.class_array(model.classes, model.dependent_type)
        return outcomes_of("classes", prediction, [("outcome", 0, class_bytes)], [pick(classes)])
    if type_ == "prob":
        parts = [(f"votes_{k}", count_bytes * k, count_bytes) for k in range(n_classes)]
        each = [_share(f"scored.{part}", members) for part, _, _ in parts]
        return outcomes_of("votes", prediction, parts, columns_of(each, outputs))
    if type_ == INTERVAL:
        both = np.stack([prediction[:, 0], read_leaf_outcomes(leaves.opened, nodes)], axis=1)
        parts, each = numbers_of(INTERVAL_NUMBERS)
        of_node = MemberValues(members, "interval", 0, both, level=leaves.level)
        return Outcomes(of_node, parts, row_bytes("interval", members, INTERVAL_NUMBERS), each)
    if type_ == OUT_OF_BAG and model.is_classification:
        classes = sql.class_array(model.classes, model.dependent_type)
        parts = [(f"votes_{k}", class_bytes + count_bytes * k, count_bytes) for k in range(n_classes)]
        parts.append(("n_trees", class_bytes + count_bytes * n_classes, count_bytes))
        each = [_share_of_some(f"scored.votes_{k}") for k in range(n_classes)]
        columns = [pick(classes), *columns_of(each, outputs[1:-1]), _count(members)]
        return outcomes_of("oob_votes", prediction, [("outcome", 0, class_bytes), *parts], columns)
    if type_ == OUT_OF_BAG:
        parts, each = numbers_of(1, count_bytes)
        return outcomes_of("oob_means", prediction, [("n_trees", 0, count_bytes), *parts], [*each, _count(members)])
    values = prediction if shares is None else shares
    if type_ == EVALUATED:
        parts, each = numbers_of(values.shape[1], class_bytes)
        both = np.concatenate([prediction, values], axis=1)
        what = "judged" if leaves.drawn is None else "oob_judged"
        return outcomes_of(what, both, [("outcome", 0, class_bytes), *parts], [CLASS_OF_ROW, array_of(each)])
    if leaves.drawn is not None:
        parts, each = numbers_of(values.shape[1], count_bytes)
        return outcomes_of("oob_means", values, parts, columns_of(each, outputs))
    parts, each = numbers_of(values.shape[1])
    return outcomes_of("means", values, parts, columns_of(each, outputs))


def numbers_of_forest(scale: SumScale, arrays: ModelArrays) -> LeafNumbers:
    """Each tree of a forest says its part of the share of votes, or of the mean. Nodes are covered by the weight of
    their in-bag rows.
    """
    nodes = arrays.nodes
    # Packed nodes have no weight where each row counts one.
    cover = nodes["weight"] if "weight" in nodes else nodes["n_rows"]
    classes = list(scale.classes)
    if scale.type_ == "prob":
        values = (nodes["prediction"][:, None] == np.array(classes) + 1).astype(np.float64)
    elif scale.type_ == "prob_mean":
        shares = nodes["class_weights"].astype(np.float64)
        values = (shares / shares.sum(axis=1, keepdims=True))[:, classes]
    else:
        values = nodes["prediction"].astype(np.float64)[:, None]
    return alike(scale, arrays, values / scale.opened.model.n_members, cover.astype(np.float64))


def _share(votes: str, members: int) -> str:
    share = f"{votes}::pg_catalog.float8 OPERATOR(pg_catalog./) {members}::pg_catalog.float8"
    return f"CASE WHEN {votes} OPERATOR(pg_catalog.<=) {members} THEN {share} END"


def _count(members: int) -> str:
    return f"CASE WHEN scored.n_trees OPERATOR(pg_catalog.<=) {members} THEN scored.n_trees END"


def _share_of_some(votes: str) -> str:
    share = f"{votes}::pg_catalog.float8 OPERATOR(pg_catalog./) scored.n_trees::pg_catalog.float8"
    return f"CASE WHEN scored.outcome OPERATOR(pg_catalog.>) 0 THEN {share} END"
