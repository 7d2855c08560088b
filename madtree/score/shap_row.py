"""tree_explain: what each feature contributes to the prediction of one row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.learn.data import Ints, finished, sent_rows
from madtree.model import casting, find_model, read_summary
from madtree.model.arrays import read_arrays
from madtree.request import find_source
from madtree.score.block_plan import build_plan
from madtree.score.block_scorer import score_rows
from madtree.score.new_rows import fit_to_source, only_row, scan_of
from madtree.score.shap_columns import COLUMNS, checked_layout
from madtree.score.shap_plan import Terms
from madtree.sqltext.rows import as_number
from madtree.sqltext.scoreblocks import BlockScan
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
    tables = find_model(host, given, "model", trust_owner=trust_owner)
    model = read_summary(host, tables)
    asked = checked_layout(host, tables, model, type_, class_, Terms(range(len(model.features))), 0)
    if table_name is None:
        raise MadtreeError("table_name must be the name of a table or view, not NULL")
    source = find_source(host.source, table_name, "table_name")
    data = fit_to_source(host, model, source, table_name, "table_name")
    scan = scan_of(host, tables, model, source, data, "", "")
    arrays = read_arrays(host, tables, model, COLUMNS)
    of_node, shap, record = asked.said(arrays)
    numbers = [as_number(scan.features[model.features[place].name]) for place in arrays.used]
    blocks = BlockScan(scan, numbers, [], [], 0, "pg_catalog.text", array_id=False)
    with casting(model, data.features, table_name, "table_name"):
        row = only_row(host, scan, model, id_, data.types[model.id_column].as_kept, blocks.image)
    grouped = bool(model.grouping_columns)
    plan = build_plan(arrays.trees, of_node, grouped=grouped, between=host.let_in)
    image = sent_rows(bytes(row["asked"]), blocks.sent_stretches)
    found = np.frombuffer(finished(score_rows(plan, image), host.let_in), record)
    if not found["outcome"].all():
        raise MadtreeError(f"id: no tree could be trained for the group of the row with {model.id_column} = {id_}")
    terms = np.zeros((asked.scale.n_outputs, shap.n_places), np.int64)
    terms[:, shap.places] = found["terms"]
    expected = shap.expected[int(found["outcome"][0]) - 1]
    classes: list[str | None] = [model.classes[place] for place in asked.scale.classes] or [None]
    return [
        {"class": class_, **step}
        for number, class_ in enumerate(classes)
        for step in _steps(model, float(expected[number]), terms[number], shap.unit, row["shown"])
    ]


def _steps(model: Model, expected: float, terms: Ints, unit: float, shown: Sequence[str | None]) -> Iterator[Row]:
    """What is expected, then the features by the size of what they contribute, each with what that comes to."""
    nothing = dict.fromkeys(("feature", "value"))
    yield {"rank": 0, **nothing, "contribution": expected, "estimated": expected}
    order = np.argsort(-np.abs(terms), kind="stable")
    so_far = expected + np.cumsum(terms.take(order)) * unit
    for rank, (place, estimated) in enumerate(zip(order.tolist(), so_far.tolist(), strict=True), 1):
        yield {
            "rank": rank,
            "feature": model.features[place].name,
            "value": shown[place],
            "contribution": float(terms[place]) * unit,
            "estimated": estimated,
        }
