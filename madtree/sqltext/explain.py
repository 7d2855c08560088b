"""Queries behind the explanations of a model: its groups, one row of a table, and what `<output>` tells of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from madtree.sqltext import values
from madtree.sqltext.kinds import TABLES
from madtree.sqltext.models import just_so_many
from madtree.sqltext.predict import TREE, Scan
from madtree.sqltext.quote import ident, literal, same
from madtree.sqltext.tables import CV_COLUMNS, model_table
from madtree.sqltext.values import Writer
from madtree.trees import Equality, Feature, FeatureKind, ModelKind

_FIRST_OF_GROUPS = ("success", "message", "n_trees")  # of what documents tell of them


def group_objects(table: str, number: str, grouping: Sequence[tuple[str, Writer | None]]) -> str:
    """Of each group in a model's table, in order, its `number`, by the column of that name, and its values as the text
    of a JSON object; `grouping` are unquoted columns.
    """
    pairs = ", ".join(
        f"{literal(column)}::pg_catalog.text, {values.json_of(f't.{ident(column)}', writer)}"
        for column, writer in grouping
    )
    made = f"pg_catalog.jsonb_build_object({pairs})::pg_catalog.text"
    return f"SELECT t.{number} AS number, {made} AS group_values FROM {table} AS t ORDER BY 1"


def value_of_text(type_: str) -> str:
    """A text, $1, read as a value of a type, `type_` as SQL."""
    return f"SELECT CAST($1 AS {type_}) AS value"


def row_by_id(scan: Scan, id_type: str, equals: Equality, column: str) -> str:
    """The rows whose id is $1, a text; at most two, as one is too many.

    Columns: `tree`, the row's tree, NULL if its group is unknown; `shown`, the features' values as text; and `asked`.

    Args:
        id_type: SQL of the id's type; `equals`, its operator.
        column: SQL of what is `asked`.
    """
    tree = f"madtree_model.{TREE}" if scan.groups else "NULL::pg_catalog.int4"
    texts = ", ".join(shown(feature) for feature in scan.features.values())
    return (
        f"SELECT {tree} AS tree, ARRAY[{texts}]::pg_catalog.text[] AS shown, {column} AS asked "
        f"FROM {scan.rows()} WHERE {same(f'({scan.id_sql})', equals, f'CAST($1 AS {id_type})')} LIMIT 2"
    )


def compared(features: Iterable[Feature]) -> str:
    """What the splits of features compare, as an array of texts: a category, a decimal for a numeric, else a float8."""
    return f"ARRAY[{', '.join(map(_compared, features))}]::pg_catalog.text[]"


def shown(feature: Feature) -> str:
    """A feature's value as text."""
    return values.text_of(feature.name, values.OUTPUT if feature.labels else None)


def _compared(feature: Feature) -> str:
    if feature.kind is FeatureKind.UNORDERED:
        return values.category(feature)
    if feature.labels:
        return f"({values.number(feature)})::pg_catalog.text"
    if feature.type == "numeric":
        return f"({feature.name})::pg_catalog.text"
    return f"({values.number(feature)})::pg_catalog.float8::pg_catalog.text"


def pruned_at(schema: str, name: str) -> str:
    """The cp of each tree."""
    return f"SELECT t.tree_id, t.pruning_cp FROM {model_table(schema, name)} AS t ORDER BY t.tree_id"


def tree_facts(schema: str, name: str, place: Sequence[str], n_features: int) -> str:
    """What `<output>` tells of each tree besides its group; `place`: columns that tell which of the group's it is."""
    places = "".join(f"t.{column}, " for column in place)
    importance = just_so_many("t.impurity_var_importance", n_features)
    return (
        f"SELECT t.tree_id, {places}t.pruning_cp, t.root_risk, {importance} AS importance, t.success, "
        f"t.message FROM {model_table(schema, name)} AS t ORDER BY t.tree_id"
    )


def importances(kind: ModelKind) -> list[str]:
    """The columns of `<output>_group` that have a number for each feature."""
    return [column for column, _ in TABLES[kind].of_groups if "importance" in column]


def described_groups(
    schema: str,
    name: str,
    grouping: Sequence[tuple[str, Writer | None]],
    kind: ModelKind,
    n_features: int,
    n_scores: int,
) -> str:
    """What `<output>_group` tells of each group but its categories, and its values as text; `grouping` are unquoted
    columns. Lists that have not as many numbers as features, or scores, are NULL.
    """
    others = [name for name, _ in TABLES[kind].of_groups if name not in _FIRST_OF_GROUPS and name[:4] != "cat_"]
    group = ", ".join(values.text_of(f"t.{ident(column)}", writer) for column, writer in grouping)
    lengths = {**dict.fromkeys(importances(kind), n_features), "base_score": n_scores}
    columns = ", ".join(
        f"{just_so_many(f't.{column}', lengths[column])} AS {column}" if column in lengths else f"t.{column}"
        for column in (*_FIRST_OF_GROUPS, *others)
    )
    return (
        f'SELECT t.gid, ARRAY[{group}]::pg_catalog.text[] AS "group", {columns} '
        f"FROM {model_table(schema, name, '_group')} AS t ORDER BY t.gid"
    )


def cp_table(schema: str, name: str, grouping: Sequence[tuple[str, Writer | None]]) -> str:
    """The rows of `<output>_cv`, the group's values as text; `grouping` are unquoted columns."""
    groups = ", ".join(values.text_of(f"c.{ident(column)}", writer) for column, writer in grouping)
    columns = ", ".join(f"c.{column}" for column, _ in CV_COLUMNS)
    return (
        f'SELECT ARRAY[{groups}]::pg_catalog.text[] AS "group", {columns} '
        f"FROM {model_table(schema, name, '_cv')} AS c ORDER BY 1, c.cp DESC"
    )
