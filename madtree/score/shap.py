"""tree_shap: what each feature contributes to the predictions of a table's rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as replaced
from time import perf_counter

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import FUNCTIONS
from madtree.model import casting, class_position, find_model, read_summary
from madtree.records import dataclass
from madtree.request import COSTS, Costs
from madtree.score.additive import SumScale
from madtree.score.case_or_blocks import work_of
from madtree.score.former_table import contributions
from madtree.score.into_table import IntoTable
from madtree.score.new_rows import id_name_of
from madtree.score.score_by_blocks import Asked, BlockScoring
from madtree.score.shap_columns import Layout
from madtree.score.shap_plan import MOST_TERMS
from madtree.sqltext import models as models_sql
from madtree.sqltext.explain import shown
from madtree.trees import Model

# Of nodes, beside what a walk asks: what leaves say, and how many rows came to them.
_COLUMNS = ("class_weights", "n_rows", "weight")
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
    tables = find_model(host, given, "model", trust_owner=trust_owner)
    model = read_summary(host, tables)
    wanted = _check_type(model, type_)
    classes = _check_class(model, class_)
    n_kept = _check_layout(model, layout, top)
    if not any(model.numbering.counts or [1]):
        raise MadtreeError(f"model: {given} has no trees")
    _check_terms(model, max(len(classes), 1), n_kept)
    asked = Layout(SumScale(host, tables, model, wanted, classes), n_kept)
    made = contributions(asked.former_columns(id_name_of(model)))
    into = IntoTable.checked(host, tables, model, new_data_table, output_table, made, replace=replace)
    outputs = asked.outputs(into.scan.id_name)
    into.tell()
    size = host.query(models_sql.size(tables.schema, tables.name))[0]
    work = work_of(host, into.source, model, size["leaves"], 1, costs, has_surrogates=tables.has_surrogates)
    work = replaced(work, row_seconds=_LEAF * size["leaves"] * model.n_members / max(size["trees"], 1))
    how = Asked(_COLUMNS, asked.outcomes, shown if n_kept else None)
    with casting(model, into.data.features, into.given, "new_data_table"):
        rows = BlockScoring(
            host, tables, model, wanted, into.source, into.scan, into.kept_id, outputs, work, asked=how
        ).create()
    rows = into.finished(rows, tells_repeated=n_kept == 0 and len(classes) <= 1)
    named = model.classes[classes[0]] if len(classes) == 1 else None
    return ExplainedTable(wanted, named, rows, perf_counter() - begin)


def _check_type(model: Model, type_: str | None) -> str:
    """The `type` in lower case; by default the usual one of the kind."""
    valid = model.kind.class_sums if model.is_classification else model.kind.number_sums
    wanted = valid[0] if type_ is None else type_.strip().lower()
    if wanted not in valid:
        words = valid[0] if len(valid) == 1 else f"one of {', '.join(valid)}"
        what = "of classes" if model.is_classification else "of numbers"
        raise MadtreeError(
            f"type must be {words} for {model.kind.in_words} {what}, not {type_!r}: contributions add up on that scale"
        )
    return wanted


def _check_class(model: Model, class_: str | None) -> Sequence[int]:
    """Positions of the classes that are asked for: of at most two the last one, of more all, if none is named."""
    if not model.is_classification:
        if class_ is not None:
            raise MadtreeError(f"class: {model.name} predicts numbers, and has no class {class_!r}")
        return []
    if class_ is None and len(model.classes) > 2:
        return range(len(model.classes))
    return [class_position(model, class_)]


def _check_terms(model: Model, n_outputs: int, n_kept: int) -> None:
    n_terms = n_outputs * (len(model.features) + n_kept)
    if n_terms > MOST_TERMS:
        raise MadtreeError(
            f"model: {model.name} has {n_outputs} classes and {len(model.features)} features, and a row of so many "
            f"takes {n_terms:,} numbers, more than {MOST_TERMS:,}",
            hint="Ask for one class.",
            sqlstate="54000",
        )


def _check_layout(model: Model, layout: str | None, top: int | None) -> int:
    """How many features of each row the long layout has; 0 of the wide one."""
    declared = FUNCTIONS["tree_shap"]
    if top is not None:
        declared.checked("top", top)
    if declared.checked("layout", layout or "") == _WIDE:
        if top is not None:
            raise MadtreeError("top is for layout => 'long', whose rows are a row's features by rank")
        return 0
    return min(top or len(model.features), len(model.features))
