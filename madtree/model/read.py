"""Reading a model back from its tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.request import find_relation
from madtree.sqltext import models as sql
from madtree.sqltext.quote import ident
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import check_expression, parse_name
from madtree.sqltext.tables import NAMED_COLUMNS, SIGNATURES, model_table, suffixed
from madtree.trees import Feature, Kind, Model, Node, Split, Surrogate, Tree

REQUIRED = ("", "_nodes", "_summary")  # suffixes of the tables that every model has
OPTIONAL = ("_surrogates",)
UNDEFINED_TABLE = "42P01"
REPLACED_TRIES = 3
_LISTS = ("left_levels", "right_levels", "class_weights")  # columns that are arrays
NODES_AT_ONCE = 2000  # rows fetched through a cursor; a node as a dict is about 2 kB


@dataclass(frozen=True)
class ModelTables:
    """Where a model is kept.

    Attributes:
        given: the model's name as the user wrote it.
        schema, name: unquoted; the companion tables are `name` plus a suffix, in the same schema.
        prediction_type: SQL of the type of `<output>_nodes.prediction`, as this session must write it.
        column_types: of `<output>`: unquoted column name to SQL type and the operator "equals" of the type, as SQL.
        has_surrogates: whether there is a table `<output>_surrogates`.
    """

    given: str
    schema: str
    name: str
    prediction_type: str
    column_types: dict[str, tuple[str, str]]
    has_surrogates: bool = False

    @property
    def sql(self) -> str:
        """`<output>` as SQL."""
        return model_table(self.schema, self.name)


def find_model(host: Host, given: str | None, argument: str, *, to_read: bool = True) -> ModelTables:
    """Find the tables of a model by the caller's search path.

    Args:
        given: the model's name as the user wrote it.
        argument: name of the argument that it came in, for errors.
        to_read: whether the tables must have all columns that are read.

    Raises:
        MadtreeError: the name is NULL or malformed, there is no such table, or it is no model of madtree's, or damaged.
    """
    if given is None or not given.strip():
        raise MadtreeError(f"{argument} must be the name of a model, not {'NULL' if given is None else 'empty'}")
    relation = _find_relation(host, given, argument)
    _hold(host, relation.schema, relation.name)
    names = {suffixed(relation.name, suffix): suffix for suffix in (*REQUIRED, *OPTIONAL)}
    types: dict[str, dict[str, tuple[str, str]]] = {suffix: {} for suffix in names.values()}
    for row in host.query(sql.COLUMNS, ["pg_catalog.text", "pg_catalog.text[]"], [relation.schema, list(names)]):
        types[names[row["table"]]][row["column"]] = (row["type"], row["equals"])
    foreign = {suffix: ident(name) for name, suffix in names.items() if not SIGNATURES[suffix] <= types[suffix].keys()}
    missing = [foreign[suffix] for suffix in REQUIRED if suffix in foreign]
    if missing:
        raise MadtreeError(
            f"{argument}: {given} is not a madtree model: no table {' or '.join(missing)} has a model's columns",
            hint="Give the output_table_name of a madtree.tree_train call.",
            sqlstate="42809",
        )
    for table, suffix in names.items():
        lacking = sorted(NAMED_COLUMNS[suffix] - types[suffix].keys())
        if to_read and lacking and suffix not in foreign:
            raise MadtreeError(
                f"{argument}: {given} is damaged: table {ident(table)} has no column {', '.join(lacking)}",
                hint="Train the model again, or restore its tables.",
                sqlstate="42703",
            )
    prediction_type = types["_nodes"]["prediction"][0]
    return ModelTables(
        given, relation.schema, relation.name, prediction_type, types[""], has_surrogates="_surrogates" not in foreign
    )


def _find_relation(host: Host, given: str, argument: str) -> Relation:
    """`find_relation`, again where the model was replaced just between the query's snapshot and its look-up."""
    for _ in range(REPLACED_TRIES):
        try:
            return find_relation(host, given, argument)
        except MadtreeError as error:
            if error.sqlstate != UNDEFINED_TABLE:
                raise
    return find_relation(host, given, argument)


def _hold(host: Host, schema: str, name: str) -> None:
    """Keep the model as it is until the transaction ends: who replaces a model begins with its summary, and waits.

    From here on all of its tables are of one training. Whether this is a model at all is not yet known.
    """
    try:
        host.query(sql.hold(schema, name))
    except Exception as error:
        if str(getattr(error, "sqlstate", "")) != UNDEFINED_TABLE:
            raise


def read_model(host: Host, given: str | None, argument: str = "model", tree_id: int | None = None) -> Model:
    """Read a model with all its trees, or with the tree `tree_id` only.

    Raises:
        MadtreeError: as `find_model`; or the model has no tree `tree_id`.
    """
    tables = find_model(host, given, argument)
    model = read_summary(host, tables)
    return replace(model, trees=read_trees(host, tables, model, tree_id))


def read_summary(host: Host, tables: ModelTables) -> Model:
    """The model without its trees: what `<output>_summary` says.

    Raises:
        MadtreeError: the summary does not have exactly one row, or a feature in it is no SQL expression.
    """
    rows = host.query(sql.summary(tables.schema, tables.name))
    if len(rows) != 1:
        raise MadtreeError(f"{tables.given} is damaged: its summary has {len(rows)} rows, not 1")
    row = rows[0]
    labels = json.loads(row.pop("enum_labels_text") or "{}")
    features = tuple(
        Feature(name, type_, Kind(kind), tuple(labels.get(name, ())))
        for name, type_, kind in zip(row["features"], row["feature_types"], row["feature_kinds"], strict=True)
    )
    categories = json.loads(row.pop("levels_text") or "{}")
    row.pop("levels", None)
    grouping = tuple(row["grouping_columns"] or ())
    # The names become part of statements. A model's tables may be another user's: as with a view, their expressions
    # run with the caller's rights, but they must not end the statement.
    for name in (*(feature.name for feature in features), *grouping, row["id_col_name"], row["dependent_varname"]):
        check_expression(name, f"{tables.given} is damaged: a name in its summary")
    return Model(
        name=tables.given,
        source_table=row["source_table"],
        id_column=row["id_col_name"],
        dependent=row["dependent_varname"],
        dependent_type=tables.prediction_type,
        is_classification=row["is_classification"],
        classes=tuple(row["dependent_var_levels"] or ()),
        features=features,
        grouping_columns=grouping,
        grouping_types=tuple(tables.column_types[name][0] for name in map(unquoted, grouping)),
        grouping_equals=tuple(tables.column_types[name][1] for name in map(unquoted, grouping)),
        weighted=row["weights"] is not None,
        categories={name: _categories(of_feature) for name, of_feature in categories.items()},
        summary=row,
    )


def read_trees(host: Host, tables: ModelTables, model: Model, tree_id: int | None = None) -> tuple[Tree, ...]:
    """The model's trees by ascending tree_id, or the one asked for; a group that failed has a tree without nodes.

    Raises:
        MadtreeError: the model has no tree `tree_id`, or none at all, or a tree lacks nodes.
    """
    rows = host.query(sql.trees(tables.schema, tables.name, [unquoted(name) for name in model.grouping_columns]))
    nodes = dict(_nodes_by_tree(host, tables, model, tree_id))
    if not rows:
        raise MadtreeError(f"{tables.given} is damaged: it has no tree")
    wanted = [row for row in rows if tree_id is None or row["tree_id"] == tree_id]
    if not wanted:
        first, last = rows[0]["tree_id"], rows[-1]["tree_id"]
        raise MadtreeError(f"tree_id must be one of {tables.given}'s trees, {first} to {last}, not {tree_id}")
    return tuple(
        Tree(
            row["tree_id"],
            (of_tree := nodes.get(row["tree_id"], {})),
            tuple(row["group"] or ()),
            row["n_rows"] or 0,
            _seen_categories(of_tree, model.categories_of(row["tree_id"])),
        )
        for row in wanted
    )


def unquoted(column: str) -> str:
    """The name of a column that is given as SQL: its quotes removed, or folded to lower case as PostgreSQL does."""
    parts = parse_name(column)
    return column if parts is None else parts[-1]


def _nodes_by_tree(
    host: Host, tables: ModelTables, model: Model, tree_id: int | None
) -> Iterator[tuple[int, dict[int, Node]]]:
    text = sql.nodes(tables.schema, tables.name, model.is_classification, tree_id is not None)
    types, params = ([], []) if tree_id is None else (["pg_catalog.int4"], [tree_id])
    surrogates = _surrogates(host, tables, tree_id) if tables.has_surrogates else {}
    rows = host.stream(text, types, params, NODES_AT_ONCE)
    for tree, of_tree in groupby(rows, key=lambda row: row["tree_id"]):
        nodes = {row["node_id"]: _node(row, surrogates.get((tree, row["node_id"]), [])) for row in of_tree}
        if 0 not in nodes or not all(
            node.is_leaf or (node.left_id in nodes and node.right_id in nodes) for node in nodes.values()
        ):
            raise MadtreeError(f"{tables.given} is damaged: the nodes of tree {tree} are not a whole tree")
        yield int(tree), nodes


def _surrogates(host: Host, tables: ModelTables, tree_id: int | None) -> dict[tuple[int, int], list[Surrogate]]:
    """By tree and node, the best one first."""
    text = sql.surrogates(tables.schema, tables.name, tree_id is not None)
    types, params = ([], []) if tree_id is None else (["pg_catalog.int4"], [tree_id])
    found: dict[tuple[int, int], list[Surrogate]] = {}
    for row in host.stream(text, types, params, NODES_AT_ONCE):
        key = row.pop("tree_id"), row.pop("node_id")
        found.setdefault(key, []).append(Surrogate(**_without_lists(row)))
    return found


def _node(row: Row, surrogates: list[Surrogate]) -> Node:
    values = _without_lists(row)
    del values["tree_id"]
    return Node(**values, surrogates=tuple(surrogates))


def _without_lists(row: Row) -> dict[str, Any]:
    values = dict(row)
    for name in _LISTS:
        if isinstance(values.get(name), list):
            values[name] = tuple(values[name])
    return values


def _categories(of_feature: Any) -> tuple[str, ...] | dict[int, tuple[str, ...]]:
    """A feature's categories in the summary, but NULL: an array, or an object of one for each tree_id."""
    if isinstance(of_feature, Mapping):
        return {int(tree): tuple(each for each in seen if each is not None) for tree, seen in of_feature.items()}
    return tuple(each for each in of_feature if each is not None)


def _seen_categories(nodes: Mapping[int, Node], stored: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """`Tree.seen_categories`: what the summary names and, should it lack some, what the tree's own splits name."""
    named: dict[str, set[str | None]] = {}
    for node in nodes.values():
        splits: tuple[Split, ...] = (node, *node.surrogates)
        for split in splits:
            of_feature = named.setdefault(str(split.feature), set())
            of_feature.update(split.left_levels or (), split.right_levels or ())
    return {
        name: tuple(sorted({each for each in (*of_feature, *stored.get(name, ())) if each is not None}))
        for name, of_feature in named.items()
        if None in of_feature
    }
