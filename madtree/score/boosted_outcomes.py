"""What a boosted model's rows come to: the scores of its groups, and how the block scorer's bytes become columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from madtree.learn.data import Array, Ints
from madtree.model import UsableModel, base_scores, isotonic_functions, loss_thresholds
from madtree.model.arrays import IsotonicArrays, ModelArrays
from madtree.score.additive import LeafNumbers, SumScale, groups_of_trees
from madtree.score.block_plan import MemberValues, ScoreValues
from madtree.score.member_scorer import row_bytes
from madtree.score.number_columns import CLASS_OF_ROW, EVALUATED, columns_of, numbers_of
from madtree.score.outcomes import Outcomes, Part, ScoredLeaves
from madtree.score.routed_rows import class_type
from madtree.sqltext import predict as sql
from madtree.sqltext.outcome_numbers import pick, pick_each


def outcomes_of_boosted(leaves: ScoredLeaves) -> Outcomes:
    """A row comes to a leaf of each tree, whose numbers are added to the scores to begin with."""
    model, type_, nodes = leaves.opened.model, leaves.type_, leaves.nodes
    members, n_classes = model.n_members, len(model.classes)
    counts = model.numbering.counts
    n_first = None if leaves.n_rounds is None else leaves.n_rounds * model.n_scores
    class_bytes = class_type(n_classes).itemsize

    def outcomes_of(what: str, n_values: int, parts: list[Part], expressions: list[str]) -> Outcomes:
        of_node = _values(leaves.opened, nodes, what, n_first)
        return Outcomes(of_node, parts, _row_bytes(what, n_values, n_classes), expressions)

    if type_ == "leaf":
        is_leaf = nodes["feature"] == 0
        position = np.where(is_leaf, np.cumsum(is_leaf), 0).astype(np.float64)[:, None]
        ids = sql.integer_array(nodes["node_id"][is_leaf].tolist())
        of_node = MemberValues(members, "leaves", n_classes, position, counts=counts)
        # A group with fewer trees than others has none in the last places.
        picked = f"pg_catalog.array_remove({pick_each(ids, members)}, NULL)"
        return Outcomes(of_node, [("outcome", 0, 4)], row_bytes("leaves", members, n_classes), [picked])
    if type_ == "raw":
        parts, each = numbers_of(model.n_scores)
        return outcomes_of("raw", model.n_scores, parts, columns_of(each, leaves.outputs))
    if type_ == "prob":
        parts, each = numbers_of(n_classes)
        return outcomes_of("shares", n_classes, parts, columns_of(each, leaves.outputs))
    if type_ == EVALUATED:
        parts, each = numbers_of(n_classes, class_bytes)
        return outcomes_of(
            "likely", n_classes, [("outcome", 0, class_bytes), *parts], [CLASS_OF_ROW, *columns_of(each, [])]
        )
    if model.is_classification:
        classes = sql.class_array(model.classes, model.dependent_type)
        return outcomes_of("likeliest", 0, [("outcome", 0, class_bytes)], [pick(classes)])
    parts, each = numbers_of(1)
    return outcomes_of("expected", 1, parts, columns_of(each, leaves.outputs))


def numbers_of_boosted(scale: SumScale, arrays: ModelArrays) -> LeafNumbers:
    """Each tree of a boosted model adds to one score. Nodes are covered by the numbers of their rows, as LightGBM has
    it; of two classes the score of the first one is that of the last one, with the other sign.
    """
    model = scale.opened.model
    group, numbers = groups_of_trees(scale, arrays)
    bases = np.array(base_scores(scale.opened))
    base = bases.take(numbers - 1, axis=0)
    values = arrays.nodes["prediction"].astype(np.float64)[:, None]
    member = np.arange(len(group)) - np.searchsorted(group, group)
    first_output = np.zeros(len(group), np.int64)
    if model.n_scores > 1:
        place = np.full(model.n_scores, -1)
        place[list(scale.classes)] = np.arange(len(scale.classes))
        first_output, base = place.take(member % model.n_scores), base[:, list(scale.classes)]
    elif scale.classes and scale.classes[0] != len(model.classes) - 1:
        values, base = -values, -base
    return LeafNumbers(values, arrays.nodes["n_rows"].astype(np.float64), first_output, group, base)


def staged_values(opened: UsableModel, nodes: Mapping[str, Array]) -> MemberValues:
    """What the nodes say, where rows are judged after each round."""
    return _values(opened, nodes, "staged", None)


def numbers_beside(leaves: Ints | MemberValues, scan: sql.Scan) -> list[str]:
    """SQL of what a plan of what nodes say asks of a row behind its features: the offset, or nothing."""
    asks = isinstance(leaves, MemberValues) and leaves.scores is not None and leaves.scores.has_offset
    return [scan.offset] if asks and scan.offset is not None else []


def _values(opened: UsableModel, nodes: Mapping[str, Array], what: str, n_first: int | None) -> MemberValues:
    model = opened.model
    bases, has_offset = np.array(base_scores(opened)), model.offsets is not None
    scores = ScoreValues(bases, model.loss, n_first, has_offset=has_offset)
    if what == "staged":
        scores = replace(scores, quantile=model.loss_quantile)
    if what == "staged" and model.loss.has_threshold:
        scores = replace(scores, thresholds=np.array(loss_thresholds(opened)))
    if functions := isotonic_functions(opened):
        scores = replace(scores, isotonic=IsotonicArrays.of(functions))
    values = nodes["prediction"].astype(np.float64)[:, None]
    counts = model.numbering.counts
    return MemberValues(model.n_members, what, len(model.classes), values, counts=counts, scores=scores)


def _row_bytes(what: str, n_values: int, n_classes: int) -> int:
    """Bytes of a row's outcome of so many numbers."""
    numbers = row_bytes("raw", 0, n_values)
    of_class = {"likeliest": 1, "likely": 1}.get(what, 0) * class_type(n_classes).itemsize
    return numbers + of_class
