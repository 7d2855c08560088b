"""The arguments of `tree_train`, checked against the catalogue before any row is read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace as replaced

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import defaults
from madtree.request import catalog
from madtree.request.catalog import Type
from madtree.request.class_params import class_params_of
from madtree.request.derived import tell_of_derived
from madtree.request.feature_costs import parse_costs
from madtree.request.features import FEATURES, Item, list_items, make_features
from madtree.request.names import DEPENDENT, SourceNames, grouping_columns, name_of
from madtree.request.new_tables import check_new, required_name
from madtree.request.option_strings import TextParameters, parse_params
from madtree.request.outcome import INTEGER_TYPES, NUMBER_TYPES, criterion_of, fitting_criterion, outcome_of
from madtree.request.train_request import STRATEGIES, Arguments, TrainingTask
from madtree.request.two_servers import check_known_types
from madtree.sqltext.relation import Relation
from madtree.sqltext.tables import SUFFIXES
from madtree.sqltext.values import text_of
from madtree.trees import (
    EXACT_LIMIT,
    MAX_DEPTH_LIMIT,
    MOST_COMPETITORS,
    MOST_EXPRESSION_BYTES,
    POISSON,
    Kind,
    Parameters,
)

_LARGEST = 2**31 - 1  # of an integer argument


def check_arguments(
    host: Host,
    training_table_name: str | None,
    output_table_name: str | None,
    id_col_name: str | None,
    dependent_variable: str | None,
    list_of_features: str | None,
    list_of_features_to_exclude: str | None = None,
    split_criterion: str | None = None,
    grouping_cols: str | None = None,
    weights: str | None = None,
    max_depth: int | None = None,
    min_split: int | None = None,
    min_bucket: int | None = None,
    n_bins: int | None = None,
    surrogate_params: str | None = None,
    pruning_params: str | None = None,
    verbose: bool | None = None,
    seed: int | None = None,
    replace: bool | None = None,
    parallel_workers: int | None = None,
    memory_mb: int | None = None,
    strategy: str | None = None,
    max_leaf_nodes: int | None = None,
    min_impurity_decrease: float | None = None,
    classification: bool | None = None,
    class_params: str | None = None,
    exposure: str | None = None,
    shrink: float | None = None,
    feature_costs: str | None = None,
    max_competitors: int | None = None,
    null_handling_params: str | None = None,
    verbose_mode: bool | None = None,
) -> TrainingTask:
    """What to train, from the arguments of `tree_train`; NULL for an optional argument means its default.

    Reads the catalogue, and the training relation's rows only where it has array columns, whose length it must know.

    Raises:
        MadtreeError: an argument is not valid, in one sentence that names it.
    """
    arguments = Arguments(
        training_table_name=_required("training_table_name", training_table_name),
        output_table_name=required_name(output_table_name, "output_table_name", "model"),
        id_col_name=_required("id_col_name", id_col_name),
        dependent_variable=_required("dependent_variable", dependent_variable),
        list_of_features=_required("list_of_features", list_of_features),
        list_of_features_to_exclude=_optional(list_of_features_to_exclude),
        grouping_cols=_optional(grouping_cols),
        weights=_optional(weights),
        exposure=_optional(exposure),
        feature_costs=_optional(feature_costs),
    )
    text = parse_params(surrogate_params, pruning_params, null_handling_params)
    criterion = criterion_of(split_criterion)
    prior = _shrink(shrink, criterion)
    _check_counted(arguments.exposure, criterion)
    depth = _depth(host, max_depth)
    split, bucket = _minimum_rows(min_split, min_bucket)
    bins = _in_range("n_bins", n_bins, defaults.N_BINS, 0, EXACT_LIMIT)
    if bins == 1:
        raise MadtreeError(f"n_bins must be 0 (every threshold) or 2 to {EXACT_LIMIT}, not 1: one bin has no threshold")
    workers = None if parallel_workers is None else _in_range("parallel_workers", parallel_workers, 0, 0, 1024)
    leaves = None if max_leaf_nodes is None else _in_range("max_leaf_nodes", max_leaf_nodes, 2, 2, _LARGEST)
    competitors = _in_range("max_competitors", max_competitors, defaults.MAX_COMPETITORS, 0, MOST_COMPETITORS)
    decrease = _least_decrease(min_impurity_decrease)
    by_class = class_params_of(class_params)
    replace = defaults.REPLACE if replace is None else replace
    memory = _in_range("memory_mb", memory_mb, defaults.MEMORY_MB, 8, 2**20)

    rows = host.source
    source = catalog.find_relation(rows, arguments.training_table_name, "training_table_name")
    output_schema, output_name = check_new(
        host, arguments.output_table_name, "output_table_name", "model", SUFFIXES, replace
    )
    names = SourceNames(catalog.find_columns(rows, source), arguments.training_table_name)
    id_item = names.column("id_col_name", arguments.id_col_name)
    dependent = names.aliased(DEPENDENT, arguments.dependent_variable)
    weight = names.item("weights", arguments.weights) if arguments.weights else None
    exposed = names.item("exposure", arguments.exposure) if arguments.exposure else None
    grouping = names.grouping(arguments.grouping_cols, dependent)
    fold = names.column("fold_col", text.fold_col) if text.fold_col else None
    taken = [item for item in (id_item, dependent, weight, exposed, *grouping, fold) if item]
    items = list_items(
        host.notice,
        names.columns,
        names.relation,
        arguments.list_of_features,
        arguments.list_of_features_to_exclude,
        taken,
    )

    roles = [item for item in (dependent, id_item, weight, exposed, fold) if item]
    types = _types(rows, source, [*roles, *items, *grouping], grouping)
    item_types, group_types = types[len(roles) :][: len(items)], types[len(roles) + len(items) :]
    outcome = outcome_of(rows, source, dependent, types[0], classification, criterion)
    is_classification = outcome.is_classification
    for argument, item in (("weights", weight), ("exposure", exposed)):
        if item:
            _check_number(argument, item, types[roles.index(item)])
    criterion = fitting_criterion(host, criterion, is_classification, dependent, types[0], classification)
    if by_class and not is_classification:
        raise MadtreeError(
            f"class_params are for classification, and dependent_variable {dependent.text} is a number here",
            hint="Leave class_params out, or say classification => true.",
        )
    features, bare = make_features(rows, source, text_of(id_item.sql, types[1].writer), items, item_types)
    check_known_types(
        host,
        [
            *((f"{FEATURES}: {feature.name}", feature.type) for feature in features),
            (f"dependent_variable {dependent.text}", outcome.type),
            *(
                (f"grouping_cols: {item.text}", type_.as_kept.base)
                for item, type_ in zip(grouping, group_types, strict=True)
            ),
        ],
    )
    tell_of_derived(rows, source, names.columns, dependent, items)
    return TrainingTask(
        arguments=arguments,
        source=source,
        output_schema=output_schema,
        output_name=output_name,
        id_sql=id_item.sql,
        dependent_sql=outcome.sql,
        dependent_name=name_of(rows, source, dependent),
        dependent_type=outcome.type,
        is_classification=is_classification,
        classes_meant=classification is True,
        features=tuple(replaced(f, null_last=text.null_as_category and f.kind is Kind.ORDERED) for f in features),
        feature_is_column=tuple(bare),
        weights_sql=weight.sql if weight else None,
        exposure_sql=exposed.sql if exposed else None,
        grouping=tuple(grouping_columns(rows, source, grouping, group_types)),
        parameters=_parameters(
            text,
            fold,
            criterion=criterion,
            max_depth=depth,
            min_split=split,
            min_bucket=bucket,
            n_bins=bins,
            seed=defaults.SEED if seed is None else seed,
            memory_bytes=memory * 2**20,
            max_leaf_nodes=leaves,
            min_impurity_decrease=decrease,
            class_params=by_class,
            shrink=prior,
            max_competitors=competitors,
            feature_costs=parse_costs(arguments.feature_costs, features, names.columns, names.relation),
        ),
        verbose=bool(defaults.VERBOSE if verbose is None else verbose) or bool(verbose_mode),
        replace=replace,
        strategy=_strategy(strategy),
        parallel_workers=workers,
        dependent_writer=outcome.writer,
        fold_writer=types[len(roles) - 1].writer if fold else None,
        id_type=types[1].name,
        id_writer=types[1].writer,
    )


def _required(argument: str, value: str | None) -> str:
    if value is None or not value.strip():
        raise MadtreeError(f"{argument} must not be {'NULL' if value is None else 'empty'}")
    return value.strip()


def _strategy(given: str | None) -> str:
    found = defaults.STRATEGY if given is None else given.strip().lower()
    if found not in STRATEGIES:
        raise MadtreeError(f"strategy must be one of {', '.join(STRATEGIES)}, not {given!r}")
    return found


def _optional(value: str | None) -> str | None:
    return value.strip() or None if value else None


def _in_range(argument: str, value: int | None, default: int, minimum: int, maximum: int) -> int:
    if value is None:
        return default
    if not minimum <= value <= maximum:
        valid = f"at least {minimum}" if maximum == _LARGEST else f"from {minimum} to {maximum}"
        raise MadtreeError(f"{argument} must be {valid}, not {value}")
    return value


def _depth(host: Host, given: int | None) -> int:
    """`max_depth`; what is beyond the limit is taken for the limit, with a notice."""
    if given is not None and given > MAX_DEPTH_LIMIT:
        host.notice(f"max_depth: {MAX_DEPTH_LIMIT} is taken for {given}; no tree grows deeper")
        return MAX_DEPTH_LIMIT
    return _in_range("max_depth", given, defaults.MAX_DEPTH, 0, MAX_DEPTH_LIMIT)


def _minimum_rows(min_split: int | None, min_bucket: int | None) -> tuple[int, int]:
    """`min_split` and `min_bucket`; one follows from the other where only one is given (semantics, section 1)."""
    split = _in_range("min_split", min_split, defaults.MIN_SPLIT, 1, _LARGEST)
    bucket = _in_range("min_bucket", min_bucket, max(1, split // defaults.SPLIT_PER_BUCKET), 1, _LARGEST)
    if min_split is None and min_bucket is not None:
        split = defaults.SPLIT_PER_BUCKET * bucket
    return split, bucket


def _least_decrease(given: float | None) -> float:
    if given is None:
        return defaults.MIN_IMPURITY_DECREASE
    if not 0 <= given < math.inf:
        raise MadtreeError(f"min_impurity_decrease must be a number of at least 0, not {given!r}")
    return given


def _shrink(given: float | None, criterion: str) -> float:
    if given is None:
        return defaults.SHRINK
    if criterion != POISSON:
        raise MadtreeError("shrink is for split_criterion => 'poisson' only, whose rates it draws to the root's")
    if not 0 <= given < math.inf:
        raise MadtreeError(f"shrink must be a number of at least 0, not {given!r}", hint="0 shrinks no rate.")
    return given


def _check_counted(exposure: str | None, criterion: str) -> None:
    if exposure and criterion != POISSON:
        raise MadtreeError(
            f"exposure is for split_criterion => 'poisson' only, not for {criterion}",
            hint="What rows count for is their weight: weights => ...",
        )


def _check_number(argument: str, item: Item, type_: Type) -> None:
    if type_.is_array or type_.base not in NUMBER_TYPES | INTEGER_TYPES:
        raise MadtreeError(f"{argument} {item.text} is of type {type_.name}; it must be numeric", sqlstate="42804")


def _types(host: Host, source: Relation, items: Sequence[Item], grouping: Sequence[Item]) -> list[Type]:
    """Types of the items; those of `grouping` among them must have an equality and an order."""
    expressions = [(item.argument, item.text) for item in items if not item.column]
    for argument, text in expressions:
        if len(text.encode()) > MOST_EXPRESSION_BYTES:
            raise MadtreeError(
                f"{argument} has an expression of {len(text.encode()):,} bytes; at most {MOST_EXPRESSION_BYTES:,} are "
                "possible",
                hint="Make a view that has its value as a column.",
                sqlstate="54000",
            )
    probed: Iterator[int] = iter(())
    if expressions or grouping:
        keys = [item.sql for item in grouping]
        probed = iter(catalog.probe_types(host, source, expressions, keys))
    oids = [item.column.type_oid if item.column else next(probed) for item in items]
    types = catalog.find_types(host, oids)
    return [types[oid] for oid in oids]


def _parameters(text: TextParameters, fold: Item | None, **others: object) -> Parameters:
    return Parameters(
        cp=text.cp,
        n_folds=text.n_folds,
        rule=text.rule,
        fold_col=fold.sql if fold else None,
        max_surrogates=text.max_surrogates,
        surrogate_style=text.surrogate_style,
        null_as_category=text.null_as_category,
        **others,  # type: ignore[arg-type]
    )
