"""Score a table by a model, or, as tree_sql, say how as an SQL expression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as replaced
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from madtree.host import Host, watching
from madtree.ingest import distribute_to_stay
from madtree.interface import FUNCTIONS, defaults
from madtree.model import (
    CONFORMAL,
    INTERVAL,
    UsableModel,
    check_first_rounds,
    check_kind,
    check_level,
    check_not_calibrated,
    check_type,
    column_names,
    find_to_use,
    notice_class,
    output_columns,
    output_expression,
    own_types,
    read_trees,
)
from madtree.records import dataclass
from madtree.request import COSTS, Costs
from madtree.score.case_or_blocks import Work, run_case, work_of
from madtree.score.former_table import predictions
from madtree.score.into_table import IntoTable
from madtree.score.new_rows import id_name_of
from madtree.score.sum_expression import vote_expression
from madtree.sqltext import predict as sql
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.portable import spelling_of
from madtree.sqltext.predict import Output, Scan
from madtree.trees import Joining, Model, Tree

if TYPE_CHECKING:
    from madtree.score.score_by_blocks import RowOutput


@dataclass(frozen=True)
class Scored:
    """A table that has been scored: the type of prediction, by its present name, rows, and seconds."""

    type_: str
    n_rows: int
    seconds: float


def score_table(
    host: Host,
    given: str | None,
    new_data_table: str | None,
    output_table: str | None,
    type_: str | None,
    trust_owner: bool | None = False,
    replace: bool | None = False,
    level: float | None = defaults.LEVEL,
    *,
    function: str,
    in_blocks: bool | None = None,
    n_rounds: int | None = None,
    costs: Costs = COSTS,
) -> Scored:
    """Create `output_table`, or replace it, with a prediction for every row of `new_data_table`.

    Args:
        given, new_data_table, output_table, type_: the model, and the others, as the usage text of the function says.
        trust_owner: whether what the model's owner wrote may run, see `find_model`.
        replace: whether a table of predictions may be there, and make way.
        level: of an interval the share of outcomes that lie in it; of others none but the default.
        function: the name of the function, whose kind of model it must be.
        in_blocks: whether rows are scored by blocks or by one expression; None lets `score.case_or_blocks` decide. By
            models that are no expression, they always are by blocks.
        n_rounds: of a boosted model those that are asked; None for all.
        costs: of work, by which workers share the blocks.

    Raises:
        MadtreeError: an argument is NULL or not valid, or the new data lacks a column. Nothing has been done then.
    """
    begin = perf_counter()
    argument = FUNCTIONS[function].arguments[0].name
    opened = find_to_use(host, given, trust_owner, argument)
    model = opened.model
    check_kind(model, function, argument)
    if n_rounds is not None:
        check_not_calibrated(model, "num_trees")
    wanted = check_type(model, type_)
    check_level(wanted, level)
    check_first_rounds(model, wanted, n_rounds)
    (response,) = output_columns(model, "response", QUALIFIED, id_name_of(model))
    named = (column_names(model, each, id_name_of(model)) for each in ("raw", INTERVAL, CONFORMAL))
    signature = predictions(response.name, *named)
    into = IntoTable.checked(opened, new_data_table, output_table, signature, replace=replace)
    outputs, row_output = _columns(opened, wanted, level, into.scan.id_name)
    into.send_notices()
    size = opened.size()
    if wanted == "prob" and size["single"] and len(model.classes) > 1 and model.kind.joining is Joining.NONE:
        _warn_of_single_leaves(host, model, size["single"], size["trees"])
    columns = len(model.classes) if wanted == CONFORMAL and model.is_classification else len(outputs)
    work = work_of(into.rows, size["leaves"], columns, costs)
    beside = work.spread and into.is_spread_by_id
    with into.making(), into.rows.casting():
        if work.in_blocks if in_blocks is None or not work.is_expression else in_blocks:
            from madtree.score.score_by_blocks import BlockScoring  # only here: numpy comes with it

            given_id = into.rows.source, into.scan, into.kept_id
            how = BlockScoring(opened, wanted, *given_id, outputs, work, None, n_rounds, level)
            rows = replaced(how, row_output=row_output, beside=beside).create()
        else:
            rows = _by_case(host, into.scan, work, read_trees(opened), outputs, beside=beside)
    rows = into.finished(rows)
    return Scored(wanted, rows, perf_counter() - begin)


def _columns(
    opened: UsableModel, wanted: str, level: float | None, id_name: str
) -> tuple[list[Output], RowOutput | None]:
    """The columns of predictions, and what blocks are asked for in their place, if anything."""
    if wanted != CONFORMAL:
        columns = output_columns(opened.model, wanted, QUALIFIED, id_name)
        return [replaced(output, value=watching(opened.host, output.value)) for output in columns], None
    from madtree.score.conformal_sets import ConformalSets  # numpy comes with it

    sets = ConformalSets.kept(opened, float(level or 0))
    return sets.outputs(id_name), sets.row_output


def _by_case(
    host: Host, scan: Scan, work: Work, trees: Sequence[Tree], outputs: Sequence[Output], *, beside: bool
) -> int:
    """Score by an expression into the table; returns the number of rows. `beside` as of `BlockScoring`."""
    if not beside:
        return run_case(host, work, sql.create_by_case(scan, trees, outputs))
    # Each server keeps the predictions of its rows.
    host.command(sql.create_empty(scan, outputs))
    distribute_to_stay(host, scan.target, scan.id_name, scan.source)
    return run_case(host, work, sql.insert_by_case(scan, trees, outputs))


tree_predict = partial(score_table, function="tree_predict")


def tree_sql(
    host: Host,
    model_name: str | None,
    type_: str | None,
    tree_id: int | None,
    trust_owner: bool | None = False,
    class_: str | None = None,
    dialect: str | None = None,
) -> str:
    """The model as an SQL expression; `trust_owner` is that of `find_model`, `class_` that of `output_expression`, and
    `dialect` that of `spelling_of`.

    Raises:
        MadtreeError: an argument is not valid, or the model has no tree `tree_id`.
    """
    spelling = spelling_of(dialect)
    opened = find_to_use(host, model_name, trust_owner)
    if tree_id is None:
        check_kind(opened.model, "tree_sql", "model")
        if opened.model.kind.joining is Joining.VOTE_OR_MEAN:
            return vote_expression(opened, type_, class_, spelling)
    single = opened.model.as_single_trees
    wanted = check_type(single, type_, own_types(single))
    output = output_expression(single, wanted, spelling, class_)
    if wanted == "prob" and class_ is None:
        notice_class(host, single)
    output = replaced(output, value=watching(host, output.value))
    model = replaced(single, trees=read_trees(opened, tree_id))
    if tree_id is not None:
        model = replaced(model, grouping_columns=(), grouping_types=(), grouping_equals=(), grouping_expressions=())
        if not model.trees[0].nodes:
            return spelling.null(output.type)
    return sql.row_expression(model, output, spelling, between=host.let_in)


def _warn_of_single_leaves(host: Host, model: Model, single: int, trees: int) -> None:
    what = f"{single} of {trees} trees of {model.name} have" if model.grouping_columns else f"{model.name} has"
    whose = "of such a tree" if model.grouping_columns else "of the table"
    host.notice(
        f"{what} a single leaf, so all rows {whose} get the same probabilities; a tree that is pruned less "
        "(pruning_params => 'cp=-1'), of weighted rows, or by another split_criterion may have more"
    )
