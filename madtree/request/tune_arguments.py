"""The arguments of `tree_tune`: each setting becomes what is to be trained, checked as by the function that trains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import FUNCTIONS, Argument
from madtree.records import dataclass
from madtree.request.arguments import check_arguments, make_task
from madtree.request.boost_arguments import check_boost_arguments
from madtree.request.caching_host import CachingHost
from madtree.request.forest_arguments import check_forest_arguments
from madtree.request.grid import SettingGrid, setting_text
from madtree.request.new_tables import check_new, required_name
from madtree.request.option_strings import checked
from madtree.request.train_request import TrainingTask
from madtree.sqltext.tuning import MODEL_SUFFIX, beside
from madtree.trees import COUNTS, KINDS, METRICS, BoostParameters, ModelKind, OutcomeKind

# What checks the arguments, by function.
CHECKS = {
    "tree_train": check_arguments,
    "forest_train": check_forest_arguments,
    "boost_train": check_boost_arguments,
}
_SHARED = (
    "training_table_name",
    "id_col_name",
    "dependent_variable",
    "list_of_features",
    "weights",
    "seed",
    "verbose",
    "replace",
    "parallel_workers",
    "memory_mb",
    "strategy",
    "classification",
)
# Rows are packed by these.
_PACKED = ("n_bins", "num_splits", "null_as_category")
_ALL_FEATURES = "*"


@dataclass(frozen=True)
class TuneTask:
    """One call of `tree_tune`, checked.

    Attributes:
        kind: of model.
        settings: by name of what is tried, in their order.
        columns: what these are of.
        tasks: what is to be trained by each setting, into the best one's model.
        rows: what is to be trained, as far as rows are concerned: they have folds.
        n_folds: that are drawn; 0 where a column tells them.
        metric: the name of one of `METRICS`.
        halving: whether settings are left out after they have been tried on a part of the rows.
        output: name of the table of scores, as it was given; `schema` and `name`: its own, unquoted.
        replace: whether such a table may be there.
    """

    kind: ModelKind
    settings: Sequence[Mapping[str, Any]]
    columns: Sequence[Argument]
    tasks: Sequence[TrainingTask]
    rows: TrainingTask
    n_folds: int
    metric: str
    halving: bool
    output: str
    schema: str
    name: str
    replace: bool


def check_tune_arguments(host: Host, *given: Any, **named: Any) -> TuneTask:
    """What to try, from the arguments of `tree_tune`; NULL for an optional argument means its default.

    Raises:
        MadtreeError: an argument is not valid, in one sentence that names it.
    """
    values = checked(host, FUNCTIONS["tree_tune"], given, named)
    kind = KINDS[f"{values['method']}_train"]
    output = required_name(values["output_table_name"], "output_table_name")
    schema, name = check_new(host, output, "output_table_name", suffixes=())
    grid = SettingGrid.parsed(FUNCTIONS[kind.trains], values["params"])
    for key in _PACKED:
        if len(grid.values.get(key, ())) > 1:
            raise MadtreeError(
                f"params: {key} has one value for all settings, since rows are packed once",
                hint="Call tree_tune once for each of them.",
            )
    shared = {each: values[each] for each in _SHARED} | {"output_table_name": beside(output, MODEL_SUFFIX)}
    shared["list_of_features_to_exclude"] = _left_out(values)
    once, settings, tasks = CachingHost(host), grid.settings, []
    for each in settings:
        host.let_in()
        tasks.append(_checked(once.as_host, kind, {**shared, **grid.arguments(each)}, each))
        if len(tasks) == 1:
            once.remember()
    first = tasks[0]
    _check_outcomes(tasks)
    _check_boosted(tasks, halving=values["search"] == "halving")
    rows = replace(first, parameters=replace(first.parameters, n_folds=values["n_folds"]))
    if values["fold_column"]:
        classes = {"classification": first.is_classification}
        told_by = make_task(host, {**shared, **classes, "fold_column": values["fold_column"]})
        parameters = replace(first.parameters, fold_col=told_by.parameters.fold_col)
        told = {name: getattr(told_by, name) for name in ("fold_argument", "fold_writer", "fold_type")}
        rows = replace(first, parameters=parameters, **told)
    return TuneTask(
        kind=kind,
        settings=settings,
        columns=grid.columns,
        tasks=tasks,
        rows=rows,
        n_folds=0 if values["fold_column"] else values["n_folds"],
        metric=_metric(kind, first, values["metric"]),
        halving=values["search"] == "halving",
        output=output,
        schema=schema,
        name=name,
        replace=values["replace"],
    )


def _checked(host: Host, kind: ModelKind, arguments: Mapping[str, Any], setting: Mapping[str, Any]) -> TrainingTask:
    known = {each.name for each in FUNCTIONS[kind.trains].arguments}
    try:
        return CHECKS[kind.trains](host, **{name: value for name, value in arguments.items() if name in known})
    except MadtreeError as error:
        if not any(error.message.startswith(name) for name in setting):
            raise
        raise MadtreeError(f"params: {error.message} ({setting_text(setting)})", error.hint, error.sqlstate) from None


def _left_out(values: Mapping[str, Any]) -> str | None:
    """The columns that '*' leaves out, that of the folds among them."""
    given: str | None = values["list_of_features_to_exclude"]
    fold = values["fold_column"]
    if not fold or values["list_of_features"] != _ALL_FEATURES:
        return given
    return f"{given}, {fold}" if given else fold


def _outcome(task: TrainingTask) -> OutcomeKind:
    """What is predicted; of numbers, counts where that is what the loss is for."""
    of_counts = isinstance(task.ensemble, BoostParameters) and task.ensemble.loss == "poisson"
    return COUNTS if of_counts else task.parameters.outcome


def _check_outcomes(tasks: Sequence[TrainingTask]) -> None:
    """Raises MadtreeError where settings are for different outcomes."""
    if len({_outcome(each) for each in tasks}) > 1:
        raise MadtreeError(
            "params: these settings are for different outcomes, such as numbers and counts, and cannot be compared",
            hint="Call tree_tune once for each kind of outcome.",
        )


def _check_boosted(tasks: Sequence[TrainingTask], *, halving: bool) -> None:
    """Raises MadtreeError where boosted models have what cannot be compared by scores of the rows as they are."""
    for task in tasks:
        if not isinstance(task.ensemble, BoostParameters):
            return
        if task.parameters.class_params is not None:
            raise MadtreeError(
                "params: class_params is not tried for boosted models, whose rows it weighs; metrics are of the rows "
                "as they are",
                hint="Leave it out here, and give it to boost_train.",
            )
        if task.ordered:
            raise MadtreeError(
                "params: category_encoding=ordered is not tried: the encodings would be those of all rows, also of "
                "those that are held out",
                hint="Try the other settings, and train the best with it.",
                sqlstate="0A000",
            )
        if halving and task.ensemble.draws_by_gradient:
            raise MadtreeError("search: halving is not for settings with top_rate, which draws rows of its own")


def _metric(kind: ModelKind, task: TrainingTask, given: str | None) -> str:
    """The metric that is given, or the usual one; raises MadtreeError where the outcome, or the model, lacks it."""
    outcome = _outcome(task)
    fitting = [name for name in kind.metrics if METRICS[name].outcome == outcome]
    if given is None or given in fitting:
        return given or fitting[0]
    argument = task.arguments.dependent_variable
    raise MadtreeError(
        f"metric {given} is not for {kind.noun}s of {outcome.name}, which {argument} is here; there {_are(fitting)}",
        hint="Leave metric out, or choose one of these.",
    )


def _are(names: Sequence[str]) -> str:
    return f"{'are' if len(names) > 1 else 'is'} {', '.join(names)}"
