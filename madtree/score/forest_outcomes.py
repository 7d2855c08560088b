"""What a forest's rows come to: what each leaf says, and how the block scorer's bytes become columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.learn.data import Floats
from madtree.model import output_columns
from madtree.score.block_plan import ForestValues
from madtree.score.forest_scorer import EXPONENT_ABOVE, NUMBER_BYTES, class_type, count_type, row_bytes
from madtree.score.outcomes import Outcomes, Part, Said
from madtree.sqltext import predict as sql
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.predict import Output
from madtree.sqltext.scoreblocks import float_of, pick, pick_each
from madtree.trees import Model

OUT_OF_BAG = "out_of_bag"  # a type: what the trees say whose samples lack a row, and how many these are
JUDGED = "judged"  # a type of prediction that evaluation asks for: the class's number, and the classes' mean shares


def outcomes_of_forest(said: Said) -> Outcomes:
    """A row comes to a leaf of each tree, which vote, or whose means are averaged."""
    model, type_, nodes, outputs = said.model, said.type_, said.nodes, said.outputs
    shares: Floats | None = nodes.get("class_weights")
    if shares is not None:
        shares = shares / shares.sum(axis=1, keepdims=True)
    members, n_classes = model.n_members, len(model.classes)
    class_bytes, count_bytes = class_type(n_classes).itemsize, count_type(members).itemsize
    prediction = nodes["prediction"].astype(np.float64)[:, None]

    def made(what: str, values: Floats, parts: list[Part], expressions: list[str]) -> Outcomes:
        size = row_bytes(what, members, n_classes or values.shape[1])
        return Outcomes(
            ForestValues(members, what, n_classes, values, said.drawn, model.numbering.counts), parts, size, expressions
        )

    if type_ == "leaf":
        is_leaf = nodes["feature"] == 0
        position = np.where(is_leaf, np.cumsum(is_leaf), 0).astype(np.float64)[:, None]
        ids = sql.integer_array(nodes["node_id"][is_leaf].tolist())
        return made("leaves", position, [("outcome", 0, 4)], [pick_each(ids, members)])
    if type_ == "response" and model.is_classification:
        classes = sql.class_array(model.classes, model.dependent_type)
        return made("classes", prediction, [("outcome", 0, class_bytes)], [pick(classes)])
    if type_ == "prob":
        parts = [(f"votes_{k}", count_bytes * k, count_bytes) for k in range(n_classes)]
        each = [_share(f"scored.{part}", members) for part, _, _ in parts]
        return made("votes", prediction, parts, _columns(each, outputs))
    if type_ == OUT_OF_BAG and model.is_classification:
        classes = sql.class_array(model.classes, model.dependent_type)
        parts = [(f"votes_{k}", class_bytes + count_bytes * k, count_bytes) for k in range(n_classes)]
        parts.append(("n_trees", class_bytes + count_bytes * n_classes, count_bytes))
        each = [_share_of_some(f"scored.votes_{k}") for k in range(n_classes)]
        columns = [pick(classes), *_columns(each, outputs[1:-1]), _count(members)]
        return made("oob_votes", prediction, [("outcome", 0, class_bytes), *parts], columns)
    if type_ == OUT_OF_BAG:
        parts, each = _numbers(1, count_bytes)
        return made("oob_means", prediction, [("n_trees", 0, count_bytes), *parts], [*each, _count(members)])
    values = prediction if shares is None else shares
    if type_ == JUDGED:
        parts, each = _numbers(values.shape[1], class_bytes)
        number = "CASE WHEN scored.outcome OPERATOR(pg_catalog.>) 0 THEN scored.outcome END"
        both = np.concatenate([prediction, values], axis=1)
        return made("judged", both, [("outcome", 0, class_bytes), *parts], [number, _array(each)])
    parts, each = _numbers(values.shape[1])
    return made("means", values, parts, _columns(each, outputs))


def _numbers(n: int, first: int = 0) -> tuple[list[Part], list[str]]:
    """The parts of `n` numbers, of which the first one begins at byte `first`, and the numbers as SQL."""
    parts: list[Part] = []
    for k in range(n):
        start = first + NUMBER_BYTES * k
        parts += [(f"mantissa_{k}", start, 8), (f"exponent_{k}", start + 8, 2)]
    return parts, [float_of(f"scored.mantissa_{k}", f"scored.exponent_{k}", EXPONENT_ABOVE) for k in range(n)]


def _share(votes: str, members: int) -> str:
    share = f"{votes}::pg_catalog.float8 OPERATOR(pg_catalog./) {members}::pg_catalog.float8"
    return f"CASE WHEN {votes} OPERATOR(pg_catalog.<=) {members} THEN {share} END"


def _count(members: int) -> str:
    return f"CASE WHEN scored.n_trees OPERATOR(pg_catalog.<=) {members} THEN scored.n_trees END"


def _share_of_some(votes: str) -> str:
    share = f"{votes}::pg_catalog.float8 OPERATOR(pg_catalog./) scored.n_trees::pg_catalog.float8"
    return f"CASE WHEN scored.outcome OPERATOR(pg_catalog.>) 0 THEN {share} END"


def _columns(each: list[str], outputs: Sequence[Output]) -> list[str]:
    """A column for each number, or all of them as one array, NULL where there are none."""
    if len(outputs) == len(each):
        return each
    return [_array(each)]


def _array(each: list[str]) -> str:
    return f"CASE WHEN {each[0]} IS NOT NULL THEN ARRAY[{', '.join(each)}] END"


def question_to_forest(model: Model, taken: str) -> tuple[str, dict[str, Output]]:
    """What evaluation asks, as `kinds.KindScoring.question` has it: the prediction itself, as no leaf says it."""
    if not model.is_classification:
        return "response", {"prediction": output_columns(model, "response", QUALIFIED, taken)[0]}
    types = {"predicted": "pg_catalog.int4", "shares": "pg_catalog.float8[]"}
    return JUDGED, {name: Output(name, type_, lambda _: "NULL") for name, type_ in types.items()}
