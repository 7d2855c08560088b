"""The arguments of `boost_train`, checked as those of `tree_train` are, and those that only a boosted model has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import FUNCTIONS, defaults
from madtree.request.arguments import check_grouping, make_task
from madtree.request.needed_columns import held_out_table
from madtree.request.option_strings import checked
from madtree.request.outcome import INTEGER_TYPES, NUMBER_TYPES
from madtree.request.train_request import OrderedEncoding, TrainingTask
from madtree.sqltext.quote import binary
from madtree.sqltext.rows import ZERO
from madtree.trees import (
    BOOSTED,
    LOSSES,
    MAX_DEPTH_LIMIT,
    METHODS,
    ORDERED,
    UNPRUNED,
    BoostParameters,
    ClassParams,
    FeatureKind,
    LeafValue,
    losses_of,
)

_OF_COUNTS = "poisson"  # the loss, and the criterion of trees


def check_boost_arguments(host: Host, *given: Any, **named: Any) -> TrainingTask:
    """What to train, from the arguments of `boost_train`; NULL for an optional argument means its default.

    Raises:
        MadtreeError: an argument is not valid, in one sentence that names it.
    """
    values = checked(host, FUNCTIONS["boost_train"], given, named)
    loss = _loss_of(values)
    of_numbers = loss is not None and not LOSSES[loss].of_classes  # which says what integers are
    depth = MAX_DEPTH_LIMIT if values["max_depth"] is None else values["max_depth"]
    if values["exposure"] and loss != _OF_COUNTS:
        raise MadtreeError(
            f"exposure is for loss => '{_OF_COUNTS}' only, not for {loss or 'the default one'}",
            hint="What rows count for is their weight: weights => ...",
        )
    if values["offsets"] and METHODS[values["method"]].loss:
        raise MadtreeError(
            f"offsets are for boost_params => 'method=gradient', not for method {values['method']}, whose scores begin "
            "with 0"
        )
    # Rows with an exposure are packed as those of a tree of counts.
    criterion = {"split_criterion": _OF_COUNTS} if values["exposure"] else {}
    task = make_task(host, {**values, **criterion, "max_depth": depth, "integers_are_numbers": of_numbers})
    check_grouping(task, BOOSTED)
    known = losses_of(classes=task.is_classification)
    if loss is not None and loss not in known:
        meant = "classification" if task.is_classification else "regression"
        reason = f"dependent_variable {task.arguments.dependent_variable} is of type {task.dependent_type}, which"
        if values["classification"] is not None:
            reason = f"classification => {str(values['classification']).lower()}"
        what = f"loss {loss}" if values["loss"] else f"boost_params: method {values['method']}"
        raise MadtreeError(
            f"{what} is for {'classes' if LOSSES[loss].of_classes else 'numbers'}, and {reason} means {meant}: "
            f"its losses are {', '.join(known)}",
            hint="classification => true or false says what is meant.",
        )
    _check_class_params(task.parameters.class_params, values["correct_prior"])
    _tell_of_vain_keys(host, values)
    loss = loss or known[0]
    _check_newton(loss, values["method"], monotone=bool(task.parameters.monotone), top_rate=values["top_rate"])
    _check_rates(values["top_rate"], values["other_rate"], values["subsample"])
    same = {each.name: values[each.name] for each in fields(BoostParameters) if each.name in values}
    derived: dict[str, Any] = {
        "loss": loss,
        "n_rounds": values["num_trees"],
        "loss_quantile": _quantile(loss, values["quantile"]),
        "held_out": values["fraction"],
        "held_out_by": values["fold_col"] or values["table"],
        "patience": values["n_iter_no_change"],
        "tolerance": values["tol"],
    }
    boost = BoostParameters(**{**same, **derived})
    ordered = _ordered(host, task, values)
    if values["table"] is not None:
        with_identity = boost.draws_rows or ordered is not None
        other = held_out_table(host.source, task, values["table"], with_identity=with_identity)
        task = replace(task, held_out=other)
    parameters = replace(
        task.parameters,
        fold_col=_held_out(task),
        cp=UNPRUNED,
        min_split=2 * task.parameters.min_bucket,
        l2=values["l2_regularization"],
        keeps_outcomes=not task.is_classification,
    )
    return replace(task, parameters=parameters, ensemble=boost, fold_writer=None, ordered=ordered)


def _ordered(host: Host, task: TrainingTask, values: Mapping[str, Any]) -> OrderedEncoding | None:
    """What is to be encoded: unordered features but booleans, whose two values any split can part."""
    if values["category_encoding"] != ORDERED:
        return None
    if host.source is not host:
        raise MadtreeError(
            "boost_params: category_encoding ordered works on a copy of the rows, and where data and model are on "
            "different servers none is made",
            hint="Train on the server that has the data, or leave category_encoding out.",
            sqlstate="0A000",
        )
    unordered = [i for i, f in enumerate(task.features) if f.kind is FeatureKind.UNORDERED and f.type != "boolean"]
    if not unordered:
        host.notice("boost_params: category_encoding ordered: no feature has categories, so there is nothing to encode")
        return None
    return OrderedEncoding(tuple(unordered), values["prior_weight"])


def _loss_of(values: Mapping[str, Any]) -> str | None:
    """The loss that is given, or that of the method; raises MadtreeError where these are two."""
    given: str | None = values["loss"]
    of_method = METHODS[values["method"]].loss
    if given is not None and of_method not in (None, given):
        raise MadtreeError(
            f"boost_params: method {values['method']} lowers the loss {of_method}, not {given}",
            hint="Leave loss out, or write method=gradient.",
        )
    return given or of_method


def _is_held_out(values: Mapping[str, Any]) -> bool:
    """Whether rows are; raises MadtreeError where more than one key of `validation_params` says which."""
    given = [name for name in ("fraction", "fold_col", "table") if values[name]]
    if len(given) > 1:
        raise MadtreeError(
            f"validation_params: {given[0]} and {given[1]} both say which rows are held out; give one of them"
        )
    return bool(given)


def _tell_of_vain_keys(host: Host, values: Mapping[str, Any]) -> None:
    """A notice for each key that is given and means nothing without another one."""
    is_held_out, is_ordered = _is_held_out(values), values["category_encoding"] == ORDERED
    for argument, key, default, has_meaning, why in (
        ("validation_params", "n_iter_no_change", defaults.PATIENCE, is_held_out, "no rows are held out to stop by"),
        ("validation_params", "tol", defaults.TOLERANCE, is_held_out, "no rows are held out to stop by"),
        ("boost_params", "other_rate", defaults.OTHER_RATE, values["top_rate"] < 1, "top_rate is 1"),
        ("boost_params", "prior_weight", defaults.PRIOR_WEIGHT, is_ordered, "category_encoding is not ordered"),
    ):
        if values[key] != default and not has_meaning:
            host.notice(f"{argument}: {key} changes nothing where {why}")


def _held_out(task: TrainingTask) -> str | None:
    """SQL of whether a row is held out, where a column or a second table tells; raises MadtreeError where a column of
    that type does not.
    """
    if task.held_out:
        return task.held_out.flag
    column = task.parameters.fold_col
    if column is None or task.fold_type == "boolean":
        return column
    if task.fold_type in NUMBER_TYPES | INTEGER_TYPES:
        return binary(f"({column})::pg_catalog.float8", "<>", ZERO)
    raise MadtreeError(
        f"validation_params: fold_col {column} is of type {task.fold_type}; it must be boolean, or a number that "
        "is not 0 in the rows that are held out",
        sqlstate="42804",
    )


def _check_class_params(given: ClassParams | None, correct_prior: bool) -> None:
    """Raises MadtreeError where they are not for boosting, or where there is nothing to correct."""
    if given is not None and given.loss is not None:
        raise MadtreeError(
            "class_params: loss says what mistakes cost, which is for trees; boosting takes class_weight or prior",
            hint="Compare the predicted probabilities with a threshold that follows from the costs.",
        )
    if correct_prior and given is None:
        raise MadtreeError(
            "correct_prior: there is nothing to correct without class_params",
            hint="class_params => 'class_weight=balanced' lets all classes count alike.",
        )


def _quantile(loss: str, given: float | None) -> float | None:
    """That of a loss which has one; raises MadtreeError where it is given for another loss."""
    if LOSSES[loss].takes_quantile:
        return defaults.LOSS_QUANTILE if given is None else given
    if given is not None:
        takers = " and ".join(name for name, each in LOSSES.items() if each.takes_quantile)
        raise MadtreeError(
            f"boost_params: quantile is for the losses {takers}, and the loss is {loss}",
            hint="loss => 'quantile' predicts a quantile.",
        )
    return None


def _check_newton(loss: str, method: str, *, monotone: bool, top_rate: float) -> None:
    """Raises MadtreeError where what is asked for needs leaves that add Newton's steps, and those of a loss or a method
    do not.
    """
    argument = "monotone" if monotone else "boost_params: top_rate" if top_rate < 1 else None
    if argument and METHODS[method].leaf is not LeafValue.STEP:
        fitting = ", ".join(name for name, each in METHODS.items() if each.leaf is LeafValue.STEP)
        raise MadtreeError(f"{argument} is not for method {method}; it is for {fitting}")
    if argument and LOSSES[loss].of_quantiles:
        fitting = ", ".join(name for name, each in LOSSES.items() if not (each.of_classes or each.of_quantiles))
        raise MadtreeError(
            f"{argument} is not for loss {loss}, whose leaves are quantiles; of numbers it is for {fitting}"
        )


def _check_rates(top_rate: float, other_rate: float, subsample: float) -> None:
    """Raises MadtreeError where rows are to be sampled by their gradients, and that cannot be."""
    if top_rate == 1:
        return
    if top_rate + other_rate > 1:
        raise MadtreeError(
            f"boost_params: top_rate + other_rate must be at most 1, not {top_rate:g} + {other_rate:g}",
            hint="'top_rate=0.2, other_rate=0.1' grows trees on 30 % of the rows.",
        )
    if subsample < 1:
        raise MadtreeError(
            "boost_params: subsample and top_rate both say which rows a tree is grown on; give one of them"
        )
