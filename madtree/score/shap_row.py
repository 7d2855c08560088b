"""What each feature contributes to the predictions of a row, as tree_explain tells it, or of some that are at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.learn.data import Bools, Floats, Ints, finished, sent_rows
from madtree.model import UsableModel, find_to_use, kept
from madtree.model.arrays import read_arrays
from madtree.records import dataclass
from madtree.score.block_plan import build_plan
from madtree.score.block_scorer import score_rows
from madtree.score.new_rows import NewRows, only_row
from madtree.score.rows_at_hand import numbers_of_rows
from madtree.score.shap_columns import COLUMNS, Layout, checked_layout
from madtree.score.shap_plan import Terms
from madtree.score.shap_scorer import Entry
from madtree.sqltext.explain import shown
from madtree.sqltext.relation import Relation
from madtree.sqltext.rows import as_number
from madtree.sqltext.scoreblocks import BlockScan
from madtree.sqltext.values import text_of
from madtree.trees import Model


def explain_row(
    host: Host,
    given: str | None,
    table_name: str | None,
    id_: str | None,
    type_: str | None = None,
    class_: str | None = None,
    trust_owner: bool | None = False,
) -> list[Row]:
    """What leads from what is expected of any row to the prediction of one, feature after feature.

    Args:
        given, ...: the arguments, as the usage text of `tree_explain` says.

    Raises:
        MadtreeError: an argument is NULL or not valid, the table lacks a column, not just one row has the id, or the
            row's group has no tree.
    """
    opened = find_to_use(host, given, trust_owner)
    model = opened.model
    layout = checked_layout(opened, type_, class_, Terms(range(len(model.features))), 0)
    rows = NewRows.named(opened, table_name, "table_name")
    scan, plan = rows.scan(), _plan(host, layout)
    numbers = [as_number(scan.features[model.features[place].name]) for place in plan.used]
    blocks = BlockScan(scan, numbers, [], [], 0, "pg_catalog.text", array_id=False)
    row = only_row(rows, scan, id_, blocks.image)
    image = sent_rows(bytes(row["asked"]), blocks.sent_stretches)
    known, expected, terms = plan.explained(host, image)
    if not known.all():
        raise MadtreeError(f"id: no tree could be trained for the group of the row with {model.id_column} = {id_}")
    return [
        {"class": class_, **each}
        for number, class_ in enumerate(_classes(layout))
        for each in _contributions(model, float(expected[0, number]), terms[0, number], plan.unit, row["shown"])
    ]


@dataclass(frozen=True)
class ExplainedRows:
    """Rows of a table, and what features contribute to their predictions.

    Attributes:
        type_: the scale.
        classes: whose predictions are explained; one that is None of a model of numbers.
        ids: of the rows, as text.
        values: of each row the features', as text.
        numbers: (n_rows, n_features) the features' values as trees compare them; of categories anything.
        expected: (n_rows, n_classes) of any row of the row's group.
        terms: (n_rows, n_classes, n_features) what the features contribute.
    """

    type_: str
    classes: Sequence[str | None]
    ids: Sequence[str | None]
    values: Sequence[Sequence[str | None]]
    numbers: Floats
    expected: Floats
    terms: Floats


def explain_some(opened: UsableModel, source: Relation, given: str, argument: str, most: int) -> ExplainedRows:
    """At most `most` rows of a table, drawn by their ids; those of a group without trees are left out.

    Args:
        given: the table, as the user wrote it, as the argument of that name.

    Raises:
        MadtreeError: the table lacks a column, or a row takes too many numbers.
    """
    host, model = opened.host, opened.model
    layout = checked_layout(opened, None, None, Terms(range(len(model.features))), 0)
    table = NewRows.of(opened, source, given, argument)
    plan = _plan(host, layout)
    features = [table.data.features[feature.name] for feature in model.features]
    texts = [text_of(model.id_column, table.id_type.writer), *map(shown, features)]
    asked = [*map(as_number, features)], texts
    own, numbers, row_texts = numbers_of_rows(table, plan.used, most, *asked, with_offset=False)
    known, expected, terms = plan.explained(host, own)
    rows = [row for row, is_known in zip(row_texts, known.tolist(), strict=True) if is_known]
    return ExplainedRows(
        layout.scale.type_,
        _classes(layout),
        [row[0] for row in rows],
        [row[1:] for row in rows],
        numbers[known],
        expected[known],
        np.asarray(terms[known] * plan.unit, np.float64),
    )


def _classes(layout: Layout) -> Sequence[str | None]:
    return [layout.scale.opened.model.classes[place] for place in layout.scale.classes] or [None]


@dataclass(frozen=True)
class _Plan:
    """A model, ready to explain rows.

    Attributes:
        used: (n_used,) places in the model of the features that rows bring.
        plan: as the scorer takes it.
        record: what it says of a row and an output, as numpy describes a dtype.
        expected: (n_groups, n_outputs)
        unit: of the grid.
        places: (n_terms,) of the features among the model's, of which there are `n_features`.
    """

    used: Ints
    plan: bytes
    record: Entry
    expected: Floats
    unit: float
    places: Ints
    n_features: int

    def explained(self, host: Host, numbers: Floats) -> tuple[Bools, Floats, Ints]:
        """Of rows (n_rows, n_numbers) whether they have a tree, (n_rows, n_outputs) what is expected, and (n_rows,
        n_outputs, n_features) what the features contribute, in units of the grid.
        """
        n_outputs = self.expected.shape[1]
        scorer_values = finished(score_rows(self.plan, numbers), host.let_in)
        found = np.frombuffer(scorer_values, self.record).reshape(-1, n_outputs)
        terms = np.zeros((len(found), n_outputs, self.n_features), np.int64)
        terms[:, :, self.places] = found["terms"]
        outcome = found["outcome"][:, 0].astype(np.int64)
        return outcome > 0, self.expected.take(np.maximum(outcome - 1, 0), axis=0), terms


def _plan(host: Host, layout: Layout) -> _Plan:
    """Of all features, against the rows of training."""
    scale, opened = layout.scale, layout.scale.opened

    def make() -> _Plan:
        arrays = read_arrays(opened, COLUMNS)
        of_node, shap, record = layout.scorer_values(arrays)
        plan = build_plan(arrays.trees, of_node, grouped=bool(opened.model.grouping_columns), between=host.let_in)
        return _Plan(arrays.used, plan, record, shap.expected, shap.unit, shap.places, shap.n_places)

    what = "contributions", scale.type_, *scale.classes
    return kept(opened, what, make, lambda made: len(made.plan))


def _contributions(
    model: Model, expected: float, terms: Ints, unit: float, values: Sequence[str | None]
) -> Iterator[Row]:
    """What is expected, then the features by the size of what they contribute, each with what that comes to."""
    nothing = dict.fromkeys(("feature", "value"))
    yield {"rank": 0, **nothing, "contribution": expected, "estimated": expected}
    order = np.argsort(-np.abs(terms), kind="stable")
    so_far = expected + np.cumsum(terms.take(order)) * unit
    for rank, (place, estimated) in enumerate(zip(order.tolist(), so_far.tolist(), strict=True), 1):
        yield {
            "rank": rank,
            "feature": model.features[place].name,
            "value": values[place],
            "contribution": float(terms[place]) * unit,
            "estimated": estimated,
        }
