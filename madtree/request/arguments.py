"""The arguments of `tree_train`, checked against the catalogue before any row is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from dataclasses import replace as replaced
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import FUNCTIONS, NUMERIC_COLUMNS, defaults
from madtree.records import dataclass
from madtree.request import catalog
from madtree.request.catalog import Type
from madtree.request.class_params import class_params_of
from madtree.request.derived import warn_of_derived_features
from madtree.request.features import FEATURES, Item, list_items, make_features
from madtree.request.hints import as_number
from madtree.request.holding import check_known_types
from madtree.request.named_features import NamedFeatures, parse_costs, parse_directions, parse_groups
from madtree.request.names import DEPENDENT, SourceNames, grouping_columns, name_of
from madtree.request.new_tables import check_new, required_name
from madtree.request.option_strings import checked
from madtree.request.outcome import INTEGER_TYPES, NUMBER_TYPES, fitting_criterion, outcome_of
from madtree.request.source import find_source
from madtree.request.train_request import Arguments, TrainingTask
from madtree.sqltext.kinds import TABLES
from madtree.sqltext.quote import ident
from madtree.sqltext.relation import Relation
from madtree.sqltext.tables import SUFFIXES
from madtree.sqltext.values import text_of
from madtree.trees import (
    CRITERIA,
    MOST_EXPRESSION_BYTES,
    ROW_NUMBERS,
    UNPRUNED,
    Feature,
    FeatureKind,
    ModelKind,
    Parameters,
    is_of_counts,
)

_TREE_TRAIN = FUNCTIONS["tree_train"]
ID = "id_col_name"


def check_arguments(host: Host, *given: Any, **named: Any) -> TrainingTask:
    """What to train, from the arguments of `tree_train`; NULL for an optional argument means its default.

    Raises:
        MadtreeError: an argument is not valid, in one sentence that names it.
    """
    return make_task(host, checked(host, _TREE_TRAIN, given, named))


def make_task(host: Host, values: Mapping[str, Any]) -> TrainingTask:
    """What to train, by values that are valid each by itself.

    Reads the catalogue, and the training relation's rows only where it has array columns, whose length it must know.

    Args:
        values: of the arguments of `tree_train`, and of the keys of its strings of options; others have their defaults.

    Raises:
        MadtreeError: an argument is not valid, in one sentence that names it.
    """
    values = {**{each.name: each.default for each in _TREE_TRAIN.options if not each.is_required}, **values}
    arguments = _as_given(values)
    output_name = required_name(arguments.output_table_name, "output_table_name", "model")
    _check_fitting(values, values["split_criterion"])
    by_class = class_params_of(values["class_params"])

    rows = host.source
    source = find_source(rows, arguments.training_table_name, "training_table_name")
    output_schema, output_name = check_new(host, output_name, "output_table_name", "model", SUFFIXES, values["replace"])
    names = SourceNames(catalog.find_columns(rows, source), arguments.training_table_name)
    folds = "fold_column" if "fold_column" in values else "fold_col"  # as the function has it
    columns = _Columns.of(host, source, names, arguments, (folds, values[folds]))
    roles, types = columns.roles, columns.types
    id_item, dependent, fold = roles["id_col_name"], roles[DEPENDENT], roles.get(folds)
    of_dependent, classification = types[DEPENDENT], values["classification"]
    are_numbers = values.get("integers_are_numbers", is_of_counts(values["split_criterion"]))
    outcome = outcome_of(rows, source, dependent, of_dependent, classification, are_numbers)
    for argument in roles.keys() & arguments.numbers.keys():
        _check_number(argument, roles[argument], types[argument])
    criterion = fitting_criterion(
        host, values["split_criterion"], outcome.is_classification, dependent, of_dependent, classification
    )
    if by_class and not outcome.is_classification:
        raise MadtreeError(
            f"class_params are for classification, and dependent_variable {dependent.text} is a number here",
            hint="Leave class_params out, or say classification => true.",
        )
    features, bare = _features(host, source, columns, outcome.type)
    warn_of_derived_features(rows, source, names.columns, dependent, columns.items)
    named = NamedFeatures(features, names.columns, names.relation)
    return TrainingTask(
        arguments=arguments,
        source=source,
        output_schema=output_schema,
        output_name=output_name,
        id_sql=id_item.sql,
        dependent_sql=outcome.sql,
        dependent_name=name_of(rows, source, dependent),
        dependent_type=outcome.type,
        is_classification=outcome.is_classification,
        classes_meant=classification is True,
        features=tuple(
            replaced(f, null_last=values["null_as_category"] and f.kind is FeatureKind.ORDERED) for f in features
        ),
        feature_is_column=tuple(bare),
        numbers={each.name: roles[each.argument].sql for each in ROW_NUMBERS if each.argument in roles},
        grouping=tuple(grouping_columns(rows, source, columns.grouping, columns.group_types)),
        parameters=_parameters(values, named, criterion, class_params=by_class, fold_col=fold.sql if fold else None),
        verbose=values["verbose"] or values["verbose_mode"],
        replace=values["replace"],
        strategy=values["strategy"],
        parallel_workers=values["parallel_workers"],
        dependent_writer=outcome.writer,
        fold_argument=folds,
        fold_writer=types[folds].writer if fold else None,
        fold_type=types[folds].base if fold else "",
        id_type=types[ID].name,
        id_writer=types[ID].writer,
        others_arrays=columns.others_arrays,
    )


def _as_given(values: Mapping[str, Any]) -> Arguments:
    """The arguments for the summary, from those of any function that trains."""
    numbers = {name: values.get(name) for name in NUMERIC_COLUMNS}
    return Arguments(
        **{each.name: values[each.name] for each in fields(Arguments) if each.name in values}, numbers=numbers
    )


def _features(
    host: Host, source: Relation, columns: _Columns, outcome_type: str
) -> tuple[Sequence[Feature], Sequence[bool]]:
    """The features, and which of them are columns; raises MadtreeError where one cannot be learned from, or where a
    type is not known where the model is.
    """
    id_text = text_of(columns.roles["id_col_name"].sql, columns.types["id_col_name"].writer)
    features, bare = make_features(host.source, source, id_text, columns.items, columns.item_types)
    groups = zip(columns.grouping, columns.group_types, strict=True)
    check_known_types(
        host,
        [
            *((f"{FEATURES}: {feature.name}", feature.type) for feature in features),
            (f"dependent_variable {columns.roles[DEPENDENT].text}", outcome_type),
            *((f"grouping_cols: {item.text}", type_.as_kept.name) for item, type_ in groups),
        ],
    )
    return features, bare


@dataclass(frozen=True)
class _Columns:
    """Columns and expressions over the training relation, with their types.

    Attributes:
        roles, types: those beside features and groups, by argument.
        items, item_types: of the list of features, as they are listed.
        grouping, group_types: of the groups.
    """

    roles: Mapping[str, Item]
    types: Mapping[str, Type]
    items: Sequence[Item]
    item_types: Sequence[Type]
    grouping: Sequence[Item]
    group_types: Sequence[Type]

    @property
    def others_arrays(self) -> frozenset[str]:
        """As `TrainingTask` has them."""
        pairs = zip(self.items, self.item_types, strict=True)
        return frozenset(item.text for item, type_ in pairs if type_.is_array and not type_.own)

    @classmethod
    def of(
        cls, host: Host, source: Relation, names: SourceNames, arguments: Arguments, folds: tuple[str, str | None]
    ) -> _Columns:
        """Those that a user asks for; raises MadtreeError where they are not there, or cannot be looked at."""
        roles = _roles(names, arguments, *folds)
        grouping = names.grouping(arguments.grouping_cols, roles[DEPENDENT])
        listed, excluded = arguments.list_of_features, arguments.list_of_features_to_exclude
        others = [*roles.values(), *grouping]
        items = list_items(host.notice, names.columns, names.relation, listed, excluded, others)
        found = iter(_types(host.source, source, [*roles.values(), *items, *grouping], grouping))
        types = {name: next(found) for name in roles}
        return cls(roles, types, items, [next(found) for _ in items], grouping, [*found])


def _roles(names: SourceNames, arguments: Arguments, folds: str, fold_col: str | None) -> dict[str, Item]:
    """The columns and expressions beside features and groups, by argument, as far as there are any."""
    given: dict[str, Item | None] = {
        "id_col_name": names.column("id_col_name", arguments.id_col_name),
        DEPENDENT: names.aliased(DEPENDENT, arguments.dependent_variable),
        **{name: names.item(name, text) for name, text in arguments.numbers.items() if text},
        folds: names.column(folds, fold_col) if fold_col else None,
    }
    return {argument: item for argument, item in given.items() if item}


def _parameters(values: Mapping[str, Any], named: NamedFeatures, criterion: str, **known: Any) -> Parameters:
    """The learner's: values of the same names, `known` ones, and what follows from the others. What is NULL has the
    learner's default.

    Raises:
        MadtreeError: what is said of features is malformed, or they are none of the `named` ones.
    """
    split, bucket = _minimum_rows(values["min_split"], values["min_bucket"])
    same = {each.name: values[each.name] for each in fields(Parameters) if values.get(each.name) is not None}
    derived = {
        "min_split": split,
        "min_bucket": bucket,
        "memory_bytes": values["memory_mb"] * 2**20,
        "cp": max(values["cp"], UNPRUNED),
        # A single fold leaves nothing to train on, and means none, as in MADlib.
        "n_folds": 0 if values["n_folds"] == 1 else values["n_folds"],
        "criterion": criterion,
        "feature_costs": parse_costs(values["feature_costs"], named),
        "monotone": parse_directions(values.get("monotone"), named),
        "interactions": parse_groups(values.get("interaction_constraints"), named),
    }
    return Parameters(**{**same, **derived, **known})


def _minimum_rows(min_split: int | None, min_bucket: int | None) -> tuple[int, int]:
    """`min_split` and `min_bucket`; one follows from the other where only one is given (semantics, section 1)."""
    split = defaults.MIN_SPLIT if min_split is None else min_split
    bucket = max(1, split // defaults.SPLIT_PER_BUCKET) if min_bucket is None else min_bucket
    if min_split is None and min_bucket is not None:
        split = defaults.SPLIT_PER_BUCKET * bucket
    return split, bucket


def _check_fitting(values: Mapping[str, Any], criterion: str) -> None:
    """Raises MadtreeError where an argument is given that is for another kind of outcome than the criterion."""
    for each in _TREE_TRAIN.arguments:
        if each.only_for and values[each.name] is not None and not each.fits(CRITERIA[criterion].outcome):
            refusal = each.only_for.refusal.format(criterion=criterion)
            raise MadtreeError(f"{each.name} {refusal}", each.only_for.hint)


def _check_number(argument: str, item: Item, type_: Type) -> None:
    if type_.is_array or type_.base not in NUMBER_TYPES | INTEGER_TYPES:
        number = as_number(item.text, type_.base)
        raise MadtreeError(
            f"{argument} {item.text} is of type {type_.name}; it must be numeric",
            f"Write {number}." if number else None,
            "42804",
        )


def _types(host: Host, source: Relation, items: Sequence[Item], grouping: Sequence[Item]) -> list[Type]:
    """Types of the items; those of `grouping` among them must have an equality and an order.

    Raises:
        MadtreeError: an expression is not valid, or too long; or the table is another one than that of the snapshot in
            which the catalogue is read.
    """
    for item in items:
        if not item.column and len(item.text.encode()) > MOST_EXPRESSION_BYTES:
            raise MadtreeError(
                f"{item.argument} has an expression of {len(item.text.encode()):,} bytes; at most "
                f"{MOST_EXPRESSION_BYTES:,} are possible",
                hint="Make a view that has its value as a column.",
                sqlstate="54000",
            )
    keys = [item.sql for item in grouping]
    # An id that the caller may not read is not read in training, unless rows are drawn by it.
    probed = [item for item in items if not (item.column and item.argument == ID and not item.column.may_read)]
    found = catalog.probe_types(host, source, [(item.argument, item.text) for item in probed], keys)
    for item, oid in zip(probed, found, strict=True):
        if item.column and item.column.type_oid != oid:
            raise catalog.changed(f"{item.argument}: the type of {item.text}")
    left = iter(found)
    oids = [next(left) if item in probed or not item.column else item.column.type_oid for item in items]
    types = catalog.find_types(host, oids)
    return [types[oid] for oid in oids]


def check_grouping(task: TrainingTask, kind: ModelKind) -> None:
    """Raise MadtreeError where a grouping column has the name of a column that only the kind's tables have."""
    for column in task.grouping:
        if column.name in TABLES[kind].own_names:
            raise MadtreeError(
                f"grouping_cols: {ident(column.name)} is also the name of a column of {kind.in_words}'s tables",
                hint=f"Give it another one: {column.expression or column.sql} AS name.",
                sqlstate="42701",
            )
