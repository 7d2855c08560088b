"""The summary of a model, read back and checked: what stands in it becomes part of statements.

Names of types are looked up in the catalogue, and what the catalogue calls them is used in their place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host, Row, listed, watched
from madtree.model.facts import ColumnFacts
from madtree.model.find import ModelTables
from madtree.model.size_limits import check_texts
from madtree.model.summary_row import SummaryRow, uncast_class, uncast_groups
from madtree.model.trust import check_columns, check_columns_of_kind, check_owners_code
from madtree.request import Type, cannot_hold, find_types, kind_of, named_types
from madtree.sqltext import models as models_sql
from madtree.sqltext import trust as trust_sql
from madtree.sqltext.kinds import TABLES
from madtree.sqltext.owners import BY_SUPERUSER
from madtree.sqltext.split import are_columns, check_expression, is_plain, parse_name
from madtree.sqltext.tables import TREE_COLUMNS
from madtree.sqltext.typenames import quoted_type
from madtree.trees import (
    KINDS,
    ROW_NUMBERS,
    SINGLE,
    Feature,
    FeatureKind,
    Members,
    Model,
    ModelKind,
    Numbering,
    kind_of_method,
    loss_fault,
)

_TEXTS = "pg_catalog.text[]"
_MOST_TREES = 2**31 - 1  # their numbers are integers
# The types of nearly all features, and how a feature of each may be split: to know them takes no look-up.
_KNOWN = {
    **dict.fromkeys(("real", "double precision", "numeric", "date", "interval"), FeatureKind.CONTINUOUS),
    **dict.fromkeys((f"timestamp {zone} time zone" for zone in ("with", "without")), FeatureKind.CONTINUOUS),
    **dict.fromkeys((f"time {zone} time zone" for zone in ("with", "without")), FeatureKind.CONTINUOUS),
    **dict.fromkeys(("smallint", "integer", "bigint"), FeatureKind.ORDERED),
    **dict.fromkeys(("boolean", "text", "character varying", "bpchar", "name"), FeatureKind.UNORDERED),
}


def read_summary(host: Host, tables: ModelTables, *, to_run: bool = True) -> Model:
    """The model without its trees: what `<output>_summary` says.

    Args:
        to_run: its expressions will be run or handed out, so a superuser must own or trust them. To show a model, its
            names and numbers, nothing is run.

    Raises:
        MadtreeError: the summary does not have exactly one row, or what it says cannot be a model's; or the model is
            another role's, and to use it would run what that role wrote as a superuser.
    """
    given = tables.given
    summary = SummaryRow.read(host, tables)
    row = summary.values
    labels, categories = summary.document("enum_labels"), summary.document("levels")
    is_classification = summary.truth("is_classification")
    features, trusted = _features(host, summary, labels, categories)
    grouping = tuple(summary.texts("grouping_columns", optional=True))
    classes = tuple(summary.texts("dependent_var_levels", optional=True)) if is_classification else ()
    if len(set(classes)) < max(len(classes), is_classification):
        summary.fault("its summary names a class twice, or none")
    kind = kind_of_method(row.get("method"))
    check_columns_of_kind(given, tables.facts, kind)
    values = _grouping_values(summary, row, grouping)
    id_column, dependent = summary.text("id_col_name"), summary.text("dependent_varname")
    dependent = uncast_class(dependent) if is_classification else dependent
    given_numbers = [each for each in ROW_NUMBERS if row.get(each.argument) is not None]
    numbers = {each.name: summary.text(each.argument) for each in given_numbers}
    expressions = [*(f.name for f in features), *values, id_column, dependent, *numbers.values()]
    _check_expressions(host, summary, expressions)
    group_names = _check_grouping(summary, tables, grouping)
    columns = [tables.facts.tables[""].columns[name] for name in group_names]
    check_texts(host, tables, group_names)
    _check_tables(summary, tables, kind, says_numbers=kind.says_numbers or not is_classification)
    _check_counts(summary, kind)
    if kind.says_numbers and (fault := loss_fault(row, is_classification)):  # by which its scores mean something
        summary.fault(fault)
    dependent_type = tables.prediction_type
    if kind.says_numbers and is_classification:  # the type of the classes is none of the nodes'
        (of_classes,), own = _types(host, summary, [summary.text("dependent_var_type")])
        if isinstance(of_classes, str):
            dependent_type = of_classes
        else:  # No column depends on it: its owner may have made another one of the name, such as a domain with checks.
            dependent_type = of_classes.name if of_classes.kept.as_is else "text"
        trusted |= own
    if to_run:
        _check_trust(host, tables, expressions, row, trusted, columns)
    return Model(
        name=given,
        source_table=summary.text("source_table"),
        id_column=id_column,
        dependent=dependent,
        dependent_type=dependent_type,
        is_classification=is_classification,
        classes=classes,
        features=features,
        grouping_columns=grouping,
        grouping_types=tuple(column.name for column in columns),
        grouping_equals=tuple(column.equals for column in columns),
        numbers=numbers,
        categories={
            f.name: _categories(host, summary, categories[f.name])
            for f in features
            if f.name in categories and not f.null_last
        },
        summary=row,
        dependent_name=row.get("dependent_name") or unquoted(dependent),
        grouping_expressions=values,
        kind=kind,
        numbering=_numbering(host, tables, summary, kind),
    )


def _check_tables(summary: SummaryRow, tables: ModelTables, kind: ModelKind, *, says_numbers: bool) -> None:
    """The tables of a model of that kind must be there, with predictions of its type."""
    if says_numbers and tables.prediction_type != "double precision":
        summary.fault(f"it is a regression, but its predictions are of type {tables.prediction_type}")
    if summary.values["max_surrogates"] and not tables.has("_surrogates"):
        summary.fault("its surrogates are not there: their table is missing, or is another role's")
    if kind.is_packed != tables.is_packed:
        packed = " or ".join(each.described for each in KINDS.values() if each.is_packed)
        summary.fault(f"its nodes are packed, as only those of {packed} are, or it is {packed} and they are not")
    if not kind.groups_in:
        return
    if not tables.has("_group"):
        summary.fault(f"it is {kind.described} without its groups: their table is missing, or is another role's")
    for name, _ in TABLES[kind].of_groups:
        if name not in tables.facts.tables[kind.groups_in].columns:
            summary.fault(f"its table {kind.groups_in} lacks the column {name}")


def _check_counts(summary: SummaryRow, kind: ModelKind) -> None:
    """What numbers the trees of groups must be numbers."""
    row = summary.values
    if kind.members is Members.EQUAL and not (isinstance(row.get("num_trees"), int) and row["num_trees"] >= 1):
        summary.fault("num_trees in its summary is no number of trees")
    if kind.members is not Members.ONE and not (
        isinstance(row.get("num_all_groups"), int) and row["num_all_groups"] >= 1
    ):
        summary.fault("num_all_groups in its summary is no number of groups")


def _numbering(host: Host, tables: ModelTables, summary: SummaryRow, kind: ModelKind) -> Numbering:
    """Which trees are of which group."""
    if kind.members is Members.ONE:
        return SINGLE
    if kind.members is Members.EQUAL:
        return Numbering(int(summary.values["num_trees"]))
    found = listed(host, models_sql.trees_of_groups(*tables.at))
    counts = [row["n_trees"] for row in watched(host, found)]
    fit = all(isinstance(count, int) and count >= 0 for count in counts) and 0 < sum(counts) <= _MOST_TREES
    if not fit or len(counts) != summary.values["num_all_groups"]:
        summary.fault("n_trees of its groups are no numbers of trees")
    return Numbering(0, tuple(counts))


def unquoted(column: str) -> str:
    """The name of a column that is given as SQL: its quotes removed, or folded to lower case as PostgreSQL does."""
    parts = parse_name(column)
    return column if parts is None else parts[-1]


def _types(host: Host, summary: SummaryRow, given: Sequence[str]) -> tuple[list[Type | str], dict[str, bool]]:
    """What the catalogue calls the features' types, those that need no look-up by their names; and by their names,
    whether the looked-up ones are trusted.
    """
    unknown = [name for name in dict.fromkeys(given) if name not in _KNOWN]
    if not unknown:
        return list(given), {}
    quoted = [quoted_type(name) for name in unknown]
    rows, _ = named_types(host, quoted)
    for name, row in zip(unknown, rows, strict=True):
        if row["oid"] is None:
            summary.fault(f"it has a feature of type {name[:100]!r}, and there is no such type; was it dropped?")
    found = find_types(host, [row["oid"] for row in rows])
    types = {name: found[row["oid"]] for name, row in zip(unknown, rows, strict=True)}
    trusted = {name: row["trusted"] for name, row in zip(unknown, rows, strict=True)}
    return [types.get(name, name) for name in given], trusted


def _features(
    host: Host, summary: SummaryRow, labels: Mapping[str, Any], categories: Mapping[str, Any]
) -> tuple[tuple[Feature, ...], dict[str, bool]]:
    """The features, and what `_types` says of looked-up types; `labels`, `categories`: that the summary lists."""
    names, kinds = summary.texts("features"), summary.texts("feature_kinds")
    types, trusted = _types(host, summary, summary.texts("feature_types"))
    if not names or not len(names) == len(kinds) == len(types) or len(set(names)) < len(names):
        summary.fault("its features, their types and their kinds are not lists of equal length without doubles")
    found = (
        _feature(summary, name, kind, type_, labels.get(name))
        for name, kind, type_ in watched(host, zip(names, kinds, types, strict=True))
    )
    # NULL is a value of an ordered feature where the summary lists NULL among its levels.
    features = (replace(f, null_last=f.kind is FeatureKind.ORDERED and f.name in categories) for f in found)
    return tuple(features), trusted


def _feature(summary: SummaryRow, name: str, kind: str, type_: Type | str, labels: Any) -> Feature:
    """A feature that training could have made."""
    own_labels: tuple[str, ...] = ()
    if isinstance(type_, str):
        base, own_kind = type_, _KNOWN[type_]
    else:
        found = kind_of(type_)
        if found is None or type_.is_array or type_.base != type_.name:
            summary.fault(f"its feature {name[:100]!r} is of type {type_.name}, which no feature can be")
        base, own_kind, own_labels = type_.base, found, type_.labels
    if own_kind.value != kind:
        summary.fault(f"its feature {name[:100]!r} is {kind[:20]!r}, but type {base} is {own_kind.value}")
    if not own_labels:
        if labels:
            summary.fault(f"its feature {name[:100]!r} has labels, but type {base} is no enum")
        return Feature(name, base, own_kind)
    if not isinstance(labels, list) or not labels or not all(isinstance(label, str) for label in labels):
        summary.fault(f"its feature {name[:100]!r} is an enum, but has no labels in the summary")
    place = {label: position for position, label in enumerate(own_labels)}
    order = [place.get(label, -1) for label in labels]
    if -1 in order:
        summary.fault(f"its feature {name[:100]!r} has the label {labels[order.index(-1)][:100]!r}, which {base} lacks")
    if order != sorted(set(order)):
        summary.fault(f"the labels of its feature {name[:100]!r} are not in the order of {base}")
    return Feature(name, base, own_kind, tuple(labels))


def _check_expressions(host: Host, summary: SummaryRow, expressions: Sequence[str]) -> None:
    """The names become part of statements, also where the rows are, and must not end these."""
    for text in watched(host, expressions):
        check_expression(text, f"{summary.given} is damaged: a name in its summary")
    escaped = [text for text in expressions if "\\" in text]
    if escaped and not all(each.query(trust_sql.SESSION)[0]["plain"] for each in dict.fromkeys((host, host.source))):
        raise MadtreeError(
            f"{summary.given} has a backslash in {escaped[0][:100]!r}, which means something else while "
            "standard_conforming_strings is off",
            hint="SET standard_conforming_strings = on.",
        )


def _check_grouping(summary: SummaryRow, tables: ModelTables, grouping: Sequence[str]) -> list[str]:
    """The unquoted names of the grouping columns."""
    columns: list[str] = []
    for column in grouping:
        parts = parse_name(column)
        if parts is None or len(parts) > 1 or parts[0] in dict(TREE_COLUMNS) or parts[0] in columns:
            summary.fault(f"{column[:100]!r} in its summary is no grouping column")
        columns.append(parts[0])
    check_columns(summary.given, tables.facts, columns)
    return columns


def _grouping_values(summary: SummaryRow, row: Row, columns: Sequence[str]) -> tuple[str, ...]:
    """SQL of the grouping columns' values in a row; a model of an older version has columns of the data only."""
    if row.get("grouping_expressions") is None:
        return tuple(columns)
    values = tuple(summary.texts("grouping_expressions"))
    if len(values) != len(columns):
        summary.fault("its grouping columns and their expressions are not lists of equal length")
    return uncast_groups(values, row.get("grouping_cols"))


def _check_trust(
    host: Host,
    tables: ModelTables,
    expressions: Sequence[str],
    row: Row,
    feature_types: Mapping[str, bool],
    grouping: Sequence[ColumnFacts],
) -> None:
    if not (tables.facts.types_held or tables.trust_owner):
        raise cannot_hold(tables.argument, tables.given)
    columns = [*grouping, tables.facts.tables["_nodes"].columns["prediction"]]
    types = {column.type: column.trusted for column in columns} | dict(feature_types)
    foreign = [text for text in watched(host, expressions) if not is_plain(text)]
    # `tree_call` hands them out as they were given, of copies, too.
    given = (row.get(column) for column in ("list_of_features", "grouping_cols"))
    foreign += [text for text in given if isinstance(text, str) and text and not are_columns(text)]
    # They run where the rows are.
    by_superuser = tables.facts.by_superuser
    if host.source is not host:
        by_superuser = by_superuser or host.source.query(BY_SUPERUSER)[0]["by_superuser"]
    facts = replace(tables.facts, by_superuser=by_superuser)
    check_owners_code(tables.given, facts, tables.argument, foreign, types, tables.trust_owner)


def _categories(host: Host, summary: SummaryRow, of_feature: Any) -> tuple[str, ...] | dict[int, tuple[str, ...]]:
    """A feature's categories in the summary, but NULL: an array, or an object of one for each tree_id."""
    if isinstance(of_feature, Mapping):
        if not all(re.fullmatch("[0-9]{1,10}", tree) for tree in watched(host, of_feature)):
            summary.fault("levels in its summary name what is no tree")
        return {int(tree): _known(summary, seen) for tree, seen in watched(host, of_feature.items())}
    return _known(summary, of_feature)


def _known(summary: SummaryRow, seen: Any) -> tuple[str, ...]:
    if not isinstance(seen, list) or not all(each is None or isinstance(each, str) for each in seen):
        summary.fault("levels in its summary are no lists of texts")
    return tuple(each for each in seen if each is not None)
