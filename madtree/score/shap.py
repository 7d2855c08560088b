"""tree_shap: what each feature contributes to the predictions of a table's rows."""

from __future__ import annotations

from dataclasses import replace as replaced
from time import perf_counter

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import FUNCTIONS
from madtree.model import find_to_use
from madtree.records import dataclass
from madtree.request import COSTS, Costs
from madtree.score.case_or_blocks import work_of
from madtree.score.former_table import contributions
from madtree.score.into_table import IntoTable
from madtree.score.new_rows import id_name_of
from madtree.score.rows_at_hand import feature_places
from madtree.score.score_by_blocks import BlockScoring, RowOutput
from madtree.score.shap_columns import COLUMNS, checked_layout
from madtree.score.shap_plan import Terms
from madtree.sqltext.explain import shown
from madtree.sqltext.predict import Scan
from madtree.sqltext.split import split_list
from madtree.trees import Model

_LEAF = 12e-9  # seconds of a row for each leaf
_WIDE = "wide"


@dataclass(frozen=True)
class ExplainedTable:
    """A table that has been explained: the scale, the class if one is asked for, rows of the new table, and seconds."""

    type_: str
    class_: str | None
    n_rows: int
    seconds: float


def explain_table(
    host: Host,
    given: str | None,
    new_data_table: str | None,
    output_table: str | None,
    type_: str | None = None,
    class_: str | None = None,
    layout: str | None = _WIDE,
    top: int | None = None,
    interactions: bool | None = False,
    features: str | None = None,
    background: str | None = None,
    trust_owner: bool | None = False,
    replace: bool | None = False,
    *,
    costs: Costs = COSTS,
) -> ExplainedTable:
    """Create `output_table`, or replace it, with what each feature contributes to the prediction of each row.

    Args:
        given, ...: the arguments, as the usage text of `tree_shap` says.
        costs: of work, by which workers share the blocks.

    Raises:
        MadtreeError: an argument is NULL or not valid, or the new data lacks a column. Nothing has been done then.
    """
    begin = perf_counter()
    opened = find_to_use(host, given, trust_owner)
    model = opened.model
    terms = _checked_terms(model, features, interactions=bool(interactions))
    n_kept = _check_layout(terms, layout, top)
    table_layout = checked_layout(opened, type_, class_, terms, n_kept, background)
    wanted, classes = table_layout.scale.type_, table_layout.scale.classes
    signature = contributions(table_layout.former_columns(id_name_of(model)))
    into = IntoTable.checked(opened, new_data_table, output_table, signature, replace=replace)
    outputs = table_layout.outputs(into.scan.id_name)
    into.send_notices()
    size = opened.size()
    work = work_of(into.rows, size["leaves"], 1, costs)
    work = replaced(work, row_seconds=_LEAF * size["leaves"] * model.n_members / max(size["trees"], 1))
    how = RowOutput(COLUMNS, table_layout.outcomes, _values_shown if n_kept else None)
    with into.making(), into.rows.casting():
        rows = BlockScoring(
            opened,
            wanted,
            into.rows.source,
            into.scan,
            into.kept_id,
            outputs,
            work,
            row_output=how,
            beside=work.spread and into.is_spread_by_id,
        ).create()
    rows = into.finished(rows, tells_repeated=n_kept == 0 and len(classes) <= 1)
    named = model.classes[classes[0]] if len(classes) == 1 else None
    return ExplainedTable(wanted, named, rows, perf_counter() - begin)


def _values_shown(scan: Scan) -> list[str]:
    return [shown(feature) for feature in scan.features.values()]


def _checked_terms(model: Model, features: str | None, *, interactions: bool) -> Terms:
    """What is told of each row."""
    if features is None:
        return Terms(range(len(model.features)), with_pairs=interactions)
    if not interactions:
        raise MadtreeError("features names those whose interactions are told: it is for interactions => true")
    (places,) = feature_places(model, [split_list(features, "features")], "features")
    return Terms(sorted(places), with_pairs=True)


def _check_layout(terms: Terms, layout: str | None, top: int | None) -> int:
    """How many terms of each row the long layout has; 0 of the wide one."""
    if FUNCTIONS["tree_shap"].checked("layout", layout or "") == _WIDE:
        if top is not None:
            raise MadtreeError("top is for layout => 'long', whose rows are a row's features by rank")
        return 0
    return min(top or len(terms.all_terms), len(terms.all_terms))
