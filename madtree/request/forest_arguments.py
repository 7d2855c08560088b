"""The arguments of `forest_train`, checked as those of `tree_train` are, and those that only a forest has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, isqrt

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import defaults
from madtree.request.arguments import check_arguments
from madtree.request.train_request import TrainingTask
from madtree.sqltext.forest_tables import GROUP_COLUMNS, MEMBER_COLUMNS, MORE_MEMBER_COLUMNS
from madtree.sqltext.quote import ident
from madtree.trees import EXACT_LIMIT, MAX_DEPTH_LIMIT, SAMPLINGS, SPLIT_RULES, UNPRUNED, ForestParameters

_OWN_COLUMNS = dict((*MEMBER_COLUMNS, *MORE_MEMBER_COLUMNS, *GROUP_COLUMNS))
_MOST_TREES = 100_000
_MOST_PERMUTATIONS = 1_000


def check_forest_arguments(
    host: Host,
    training_table_name: str | None,
    output_table_name: str | None,
    id_col_name: str | None,
    dependent_variable: str | None,
    list_of_features: str | None,
    list_of_features_to_exclude: str | None = None,
    grouping_cols: str | None = None,
    num_trees: int | None = None,
    num_random_features: int | None = None,
    importance: bool | None = None,
    num_permutations: int | None = None,
    max_tree_depth: int | None = None,
    min_split: int | None = None,
    min_bucket: int | None = None,
    num_splits: int | None = None,
    null_handling_params: str | None = None,
    verbose: bool | None = None,
    sample_ratio: float | None = None,
    weights: str | None = None,
    split_criterion: str | None = None,
    split_rule: str | None = None,
    sampling: str | None = None,
    seed: int | None = None,
    replace_: bool | None = None,
    parallel_workers: int | None = None,
    memory_mb: int | None = None,
    classification: bool | None = None,
    strategy: str | None = None,
    oob_predictions: bool | None = None,
) -> TrainingTask:
    """What to train, from the arguments of `forest_train`; NULL for an optional argument means its default.

    Raises:
        MadtreeError: an argument is not valid, in one sentence that names it.
    """
    n_trees = _whole("num_trees", num_trees, defaults.NUM_TREES, 1, _MOST_TREES)
    permutations = _whole("num_permutations", num_permutations, defaults.NUM_PERMUTATIONS, 1, _MOST_PERMUTATIONS)
    kept = defaults.SAMPLE_RATIO if sample_ratio is None else sample_ratio
    if not 0 < kept <= 1:
        raise MadtreeError(f"sample_ratio must be above 0 and at most 1, not {kept!r}")
    way = _one_of("sampling", sampling, defaults.SAMPLING, SAMPLINGS)
    if oob_predictions and way == "none":
        raise MadtreeError(
            "oob_predictions: with sampling 'none' no row is out of bag, as each tree has all of them",
            hint="Draw samples (sampling => 'poisson' or 'without_replacement'), or leave out oob_predictions.",
        )
    rule = _one_of("split_rule", split_rule, defaults.SPLIT_RULE, SPLIT_RULES)
    task = check_arguments(
        host,
        training_table_name,
        output_table_name,
        id_col_name,
        dependent_variable,
        list_of_features,
        list_of_features_to_exclude,
        split_criterion=split_criterion,
        grouping_cols=grouping_cols,
        weights=weights,
        max_depth=_depth(host, max_tree_depth),
        min_split=min_split,
        min_bucket=min_bucket,
        n_bins=_splits(num_splits),
        null_handling_params=null_handling_params,
        verbose=verbose,
        seed=seed,
        replace=replace_,
        parallel_workers=parallel_workers,
        memory_mb=memory_mb,
        classification=classification,
        strategy=strategy,
    )
    _check_grouping(task)
    n_features = len(task.features)
    usual = max(1, isqrt(n_features)) if task.is_classification else ceil(n_features / 3)
    n_drawn = _whole("num_random_features", num_random_features, usual, 1, n_features)
    least = defaults.FOREST_MIN_SPLIT[task.is_classification]
    parameters = replace(
        task.parameters,
        cp=UNPRUNED,
        min_split=least if min_split is None else min_split,
        min_bucket=defaults.FOREST_MIN_BUCKET if min_bucket is None else min_bucket,
    )
    permuted = permutations if importance is None or importance else 0
    forest = ForestParameters(n_trees, n_drawn, way, kept, permuted, rule)
    return replace(task, parameters=parameters, forest=forest, oob_predictions=bool(oob_predictions))


def _check_grouping(task: TrainingTask) -> None:
    """Raise MadtreeError where a grouping column has the name of a column that only forests' tables have."""
    for column in task.grouping:
        if column.name in _OWN_COLUMNS:
            raise MadtreeError(
                f"grouping_cols: {ident(column.name)} is also the name of a column of a forest's tables",
                hint=f"Give it another one: {column.expression or column.sql} AS name.",
                sqlstate="42701",
            )


def _depth(host: Host, given: int | None) -> int:
    if given is not None and given > MAX_DEPTH_LIMIT:
        host.notice(f"max_tree_depth: {MAX_DEPTH_LIMIT} is taken for {given}; no tree grows deeper")
        return MAX_DEPTH_LIMIT
    return _whole("max_tree_depth", given, MAX_DEPTH_LIMIT, 0, MAX_DEPTH_LIMIT)


def _splits(given: int | None) -> int:
    if given == 1:
        raise MadtreeError(f"num_splits must be 0 (every threshold) or 2 to {EXACT_LIMIT}, not 1")
    return _whole("num_splits", given, defaults.N_BINS, 0, EXACT_LIMIT)


def _one_of(argument: str, value: str | None, default: str, known: Sequence[str]) -> str:
    wanted = default if value is None else value.strip().lower()
    if wanted not in known:
        raise MadtreeError(f"{argument} must be one of {', '.join(known)}, not {value!r}")
    return wanted


def _whole(argument: str, value: int | None, default: int, minimum: int, maximum: int) -> int:
    if value is None:
        return default
    if not minimum <= value <= maximum:
        raise MadtreeError(f"{argument} must be from {minimum} to {maximum}, not {value}")
    return value
