"""The statements that score a table, and the expression that scores a row."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from madtree.model import Feature, Model, Node, Tree
from madtree.render.case import nested_case
from madtree.sqltext.branch import goes_against_majority
from madtree.sqltext.catalog import SOURCE_ALIAS
from madtree.sqltext.condition import QUALIFIED, READABLE, Spelling, typed_literal
from madtree.sqltext.quote import ident

# A name beside the user's own columns: their expressions must not meet it by accident.
TREE = "madtree_tree"


@dataclass(frozen=True)
class Output:
    """One column of predictions.

    Attributes:
        name: unquoted.
        type: its SQL type.
        value: a leaf's value as an SQL literal of that type.
    """

    name: str
    type: str
    value: Callable[[Node], str]


@dataclass(frozen=True)
class Groups:
    """How the rows of a grouped model find their tree.

    Attributes:
        table: `<output>` as SQL.
        columns: (column of `<output>` as SQL, column of the new data as SQL, operator "equals" as SQL) each.
    """

    table: str
    columns: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Scan:
    """What a scoring statement reads and makes.

    Attributes:
        target: the table to create, as SQL.
        source: the new data, as SQL.
        id_sql, id_name: the id over the new data's columns, and what it is called in the target (unquoted).
        features: by their names in the model, as expressions over the new data's columns.
        groups: how rows find their tree, None where the model is not grouped.
    """

    target: str
    source: str
    id_sql: str
    id_name: str
    features: Mapping[str, Feature]
    groups: Groups | None

    def rows(self) -> str:
        """FROM clause of the new data, joined with the tree of each row's group where the model is grouped."""
        text = f"{self.source} AS {SOURCE_ALIAS}"
        if self.groups is None:
            return text
        # A sub-select renames the model's columns, so that the user's unqualified names mean the new data's.
        names = [f"madtree_group_{number}" for number in range(1, len(self.groups.columns) + 1)]
        keys = list(zip(self.groups.columns, names, strict=True))
        renamed = ", ".join(f"t.{column} AS {name}" for (column, _, _), name in keys)
        matches = " AND ".join(f"madtree_model.{name} {equals} {column}" for (_, column, equals), name in keys)
        return (
            f"{text} LEFT JOIN (SELECT t.tree_id AS {TREE}, {renamed} FROM {self.groups.table} AS t) AS madtree_model "
            f"ON {matches}"
        )


def tree_case(
    tree: Tree, features: Mapping[str, Feature], output: Output, spelling: Spelling, margin: str | None = None
) -> str:
    """One tree as an expression over the columns of the new data."""

    def condition(node: Node) -> str:
        return goes_against_majority(node, features, spelling, tree.levels)

    return nested_case(tree, condition, output.value, margin)


def row_expression(model: Model, output: Output) -> str:
    """The whole model as a readable expression over the new data's columns; a row of an unknown group gets NULL."""
    features = {feature.name: feature for feature in model.features}
    if not model.grouping_columns:
        return tree_case(model.trees[0], features, output, READABLE, margin="")
    branches = []
    for tree in model.trees:
        if tree.nodes:
            keys = zip(model.grouping_columns, tree.group, model.grouping_types, strict=True)
            group = " AND ".join(f"{column} = {typed_literal(value, type_)}" for column, value, type_ in keys)
            case = tree_case(tree, features, output, READABLE, margin=" " * 8)
            branches.append(f"    WHEN {group} THEN\n        {case}")
    return "\n".join(["CASE", *branches, "END"]) if branches else f"NULL::{output.type}"


def create_by_case(scan: Scan, trees: Sequence[Tree], outputs: Sequence[Output]) -> str:
    """CREATE TABLE .. AS that scores every row by an expression.

    Over plain columns, not a sub-select that prepares them: it could not run in parallel workers (PostgreSQL 15 plans
    none below OFFSET 0), and comparing numerics and dates as they are is as fast as converting each of them once.
    """
    columns = [f"{scan.id_sql} AS {ident(scan.id_name)}"]
    for output in outputs:
        cases = [
            tree_case(tree, scan.features, output, QUALIFIED) if tree.nodes else f"NULL::{output.type}"
            for tree in trees
        ]
        if scan.groups is None:
            expression = cases[0]
        else:
            found = case_of_tree([tree.tree_id for tree in trees], cases)
            expression = f"CASE WHEN madtree_model.{TREE} IS NOT NULL THEN {found} END"
        columns.append(f"{expression} AS {ident(output.name)}")
    return f"CREATE TABLE {scan.target} AS SELECT {', '.join(columns)} FROM {scan.rows()}"


def case_of_tree(tree_ids: Sequence[int], cases: Sequence[str]) -> str:
    """The case of a row's tree, found by halving: a list of WHENs would be gone through one by one for every row."""
    if len(cases) == 1:
        return cases[0]
    middle = len(cases) // 2
    return (
        f"CASE WHEN madtree_model.{TREE} OPERATOR(pg_catalog.<) {tree_ids[middle]} "
        f"THEN {case_of_tree(tree_ids[:middle], cases[:middle])} "
        f"ELSE {case_of_tree(tree_ids[middle:], cases[middle:])} END"
    )


def create_by_blocks(
    scan: Scan,
    values: Sequence[str],
    outputs: Sequence[tuple[str, str]],
    outcome_bytes: int,
    array_id: str | None,
    pages: Sequence[tuple[str, str]] | None,
    block_rows: int,
) -> str:
    """CREATE TABLE .. AS that scores blocks of rows by `madtree.score_block`; parameter $1 is the plan.

    One block at a time is in memory. A source without pages is numbered and sorted by block, on disk if need be.

    Args:
        values: an expression of type float8 for each feature that the plan uses.
        outputs: name, and expression over `scored.outcome`, the position that the plan gives to a row's leaf, or 0.
        outcome_bytes: bytes that the block scorer returns for each row.
        array_id: type of the id if that is an array. Blocks hold arrays of ids, and PostgreSQL has no arrays of arrays:
            such an id travels as text.
        pages: the source's page ranges, as the first tid of each and the one behind its last; None for views and the
            like.
        block_rows: rows in a block of a source without pages.
    """
    id_in, id_out = (f"({scan.id_sql})::pg_catalog.text", f"::{array_id}") if array_id else (scan.id_sql, "")
    trees = [f"madtree_model.{TREE}::pg_catalog.float8"] if scan.groups else []
    # One array a row, of equal length: a third of the cost of one array a column. NaN is as good as NULL.
    numbers = ", ".join(f"COALESCE({value}, 'NaN')" for value in [*trees, *values]) or "0"
    columns = f"{id_in} AS id, madtree.array_image(ARRAY[{numbers}]::pg_catalog.float8[]) AS image"
    block = "pg_catalog.array_agg(r.id) AS ids, pg_catalog.string_agg(r.image, ''::pg_catalog.bytea) AS images"
    if pages is None:
        # The ordered aggregate cannot be hashed: a hash table would hold all blocks at once.
        number = f"(pg_catalog.row_number() OVER () OPERATOR(pg_catalog.-) 1) OPERATOR(pg_catalog./) {block_rows}"
        blocks = f"""(
        SELECT {block}, pg_catalog.min(r.block ORDER BY r.block) AS block
        FROM (SELECT {columns}, {number} AS block FROM {scan.rows()}) AS r
        GROUP BY r.block
    )"""
    else:
        low, high = (_tid_array([page_range[end] for page_range in pages]) for end in (0, 1))
        in_range = " AND ".join(
            f"{SOURCE_ALIAS}.ctid OPERATOR(pg_catalog.{symbol}) c.{end}"
            for symbol, end in ((">=", "low"), ("<", "high"))
        )
        blocks = f"""ROWS FROM (pg_catalog.unnest({low}), pg_catalog.unnest({high})) AS c(low, high),
    LATERAL (SELECT {block} FROM (SELECT {columns} FROM {scan.rows()} WHERE {in_range}) AS r)"""
    selected = "".join(f", {value} AS {ident(name)}" for name, value in outputs)
    # OFFSET 0 keeps the scorer out of the select list with the set-returning functions, where it would run once a row.
    return f"""CREATE TABLE {scan.target} AS
SELECT scored.id{id_out} AS {ident(scan.id_name)}{selected}
FROM (
    SELECT place.id, {_integer("place.outcomes", "place.byte", outcome_bytes)} AS outcome
    FROM (
        SELECT pg_catalog.unnest(s.ids) AS id, s.outcomes, pg_catalog.generate_series(
            0, pg_catalog.length(s.outcomes) OPERATOR(pg_catalog.-) 1, {outcome_bytes}) AS byte
        FROM (
            SELECT b.ids, madtree.score_block($1, b.images) AS outcomes
            FROM {blocks} AS b
            OFFSET 0
        ) AS s
    ) AS place
) AS scored"""


def estimate(source: str) -> str:
    """The planner's plan of reading `source`, which `read_estimate` reads."""
    return f"EXPLAIN SELECT FROM {source} AS {SOURCE_ALIAS}"


def read_estimate(plan: str) -> tuple[int, float]:
    """Workers and rows of a plan: those of its first line, and the most that a Gather asks for."""
    workers = [int(number) for number in re.findall(r"Workers Planned: (\d+)", plan)]
    rows = re.search(r"rows=(\d+)", plan)
    return max(workers, default=0), float(rows.group(1)) if rows else 0.0


def _tid_array(tids: Sequence[str]) -> str:
    return "'{" + ",".join(f'"{tid}"' for tid in tids) + "}'::pg_catalog.tid[]"


def _integer(string: str, start: str, n_bytes: int) -> str:
    """The little-endian integer at a place of a byte string. PostgreSQL 15 has no function that reads one."""
    terms = [f"pg_catalog.get_byte({string}, {start})"]
    for number in range(1, n_bytes):
        byte = f"pg_catalog.get_byte({string}, {start} OPERATOR(pg_catalog.+) {number})"
        terms.append(f"({byte} OPERATOR(pg_catalog.<<) {8 * number})")
    return " OPERATOR(pg_catalog.+) ".join(terms)


def pick(array: str) -> str:
    """The element of an array that belongs to a row's leaf; NULL, as no array has an element 0, without a tree."""
    return f"({array})[scored.outcome]"


def class_array(labels: Sequence[str], type_: str) -> str:
    return f"ARRAY[{', '.join(typed_literal(label, type_) for label in labels)}]"


def enum_number(feature: Feature) -> str:
    """An enum's position among the labels of training: the number of labels up to it.

    A label that was added to the type since lies between two positions as it lies between two labels in a comparison.
    """
    return f"pg_catalog.width_bucket({feature.name}, {class_array(feature.labels, feature.type)})"
