"""The statements that score a table, and the expression that scores a row."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from madtree.records import dataclass
from madtree.render.case import Asked, nested_case
from madtree.sqltext import array_text
from madtree.sqltext.branch import question
from madtree.sqltext.catalog import SOURCE_ALIAS
from madtree.sqltext.condition import QUALIFIED, READABLE, Spelling, typed_literal
from madtree.sqltext.query import Lasting, look_up
from madtree.sqltext.quote import ident, literal, same
from madtree.trees import Equality, Feature, Model, Node, Tree

# A name beside the user's own columns: their expressions must not meet it by accident.
TREE = "madtree_tree"


# The columns of the relation $1, a name as SQL, in order, and their types.
COLUMNS_OF = Lasting("""
SELECT a.attname::pg_catalog.text AS name, a.atttypid::pg_catalog.int8 AS type, a.atttypmod AS modifier
FROM pg_catalog.pg_attribute AS a
WHERE a.attrelid OPERATOR(pg_catalog.=) pg_catalog.to_regclass($1)::pg_catalog.oid
    AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
ORDER BY a.attnum""")


def lock_whole(table: str, *, lightly: bool = False) -> str:
    """Keep everybody else from a table until the transaction ends; here and below, tables are SQL.

    `lightly`: it can be read and changed, but is neither dropped nor locked by somebody else in either way.
    """
    return f"LOCK TABLE ONLY {table} IN {'SHARE UPDATE EXCLUSIVE' if lightly else 'ACCESS EXCLUSIVE'} MODE"


def replacing(table: str, scratch: str, *, keep: bool) -> tuple[str, str, str]:
    """Statements that put a scratch table in the place of a table: one that makes room, one that adds the rows, and one
    that drops the scratch table. `keep`: whether the table stays the same one, since both have the same columns.
    """
    if keep:
        add_rows = f"INSERT INTO {table} OVERRIDING SYSTEM VALUE SELECT * FROM {scratch}"  # for identity columns
        return f"TRUNCATE {table}", add_rows, f"DROP TABLE {scratch}"
    return f"DROP TABLE {table}", f"CREATE TABLE {table} AS SELECT * FROM {scratch}", f"DROP TABLE {scratch}"


@dataclass(frozen=True)
class Output:
    """One column of predictions.

    Attributes:
        name: unquoted.
        type: its SQL type.
        value: a leaf's value as an SQL literal of that type.
        in_tree: the same of a leaf of the tree of that id, where it makes a difference.
    """

    name: str
    type: str
    value: Callable[[Node], str]
    in_tree: Callable[[int, Node], str] | None = None


@dataclass(frozen=True)
class GroupJoin:
    """How the rows of a grouped model find their tree.

    Attributes:
        table: `<output>` as SQL.
        columns: (its value in a row `t` of `<output>`, that in a row of the new data, operator "equals") each, as SQL.
        number: column of `<output>` that says which tree it is, or which group.
        as_values: makes SQL of the same rows for where the table is not.
    """

    table: str
    columns: tuple[tuple[str, str, Equality], ...]
    number: str = "tree_id"
    as_values: Callable[[], str] | None = None


@dataclass(frozen=True)
class Scan:
    """What a scoring statement reads and makes.

    Attributes:
        target: the table to create, as SQL.
        source: the new data, as SQL.
        id_sql, id_name: the id over the new data's columns, and what it is called in the target (unquoted).
        features: by their names in the model, as expressions over the new data's columns.
        groups: how rows find their tree, None where the model is not grouped.
        offset: what is added to a row's score, as float8; None where nothing is.
    """

    target: str
    source: str
    id_sql: str
    id_name: str
    features: Mapping[str, Feature]
    groups: GroupJoin | None
    offset: str | None = None

    def rows(self) -> str:
        """FROM clause of the new data, joined with the tree of each row's group where the model is grouped."""
        text = f"{self.source} AS {SOURCE_ALIAS}"
        if self.groups is None:
            return text
        # A sub-select renames the model's columns, so that the user's unqualified names mean the new data's.
        names = [f"madtree_group_{number}" for number in range(1, len(self.groups.columns) + 1)]
        keys = list(zip(self.groups.columns, names, strict=True))
        renamed = ", ".join(f"{value} AS {name}" for (value, _, _), name in keys)
        matches = " AND ".join(same(f"madtree_model.{name}", equals, column) for (_, column, equals), name in keys)
        trees = f"SELECT t.{self.groups.number} AS {TREE}, {renamed} FROM {self.groups.table} AS t"
        return f"{text} LEFT JOIN ({trees}) AS madtree_model ON {matches}"


def tree_case(
    tree: Tree,
    features: Mapping[str, Feature],
    output: Output,
    spelling: Spelling,
    margin: str | None = None,
    *,
    joins: bool = False,
) -> str:
    """One tree as an expression over the columns of the new data; `margin` and `joins` as of `nested_case`."""

    def ask(node: Node, known: bool) -> Asked:
        return question(node, features, spelling, tree.seen_categories, known=known)

    value = output.value if output.in_tree is None else partial(output.in_tree, tree.tree_id)
    return nested_case(tree, ask, value, margin, joins=joins)


def row_expression(
    model: Model, output: Output, spelling: Spelling = READABLE, between: Callable[[], None] = lambda: None
) -> str:
    """The whole model as an expression over the new data's columns; a row of an unknown group gets NULL.

    `between`: called for each tree, for cancels to be let in.
    """
    features = {feature.name: feature for feature in model.features}
    if not model.grouping_columns and not model.trees[0].nodes:
        return spelling.null(output.type)
    if not model.grouping_columns:
        return tree_case(model.trees[0], features, output, spelling, margin="")
    branches = []
    for tree in model.trees:
        between()
        if tree.nodes:
            case = tree_case(tree, features, output, spelling, margin=" " * 8)
            branches.append(f"    WHEN {spelling.of_group(model, tree)} THEN\n        {case}")
    return "\n".join(["CASE", *branches, "END"]) if branches else spelling.null(output.type)


def create_by_case(scan: Scan, trees: Sequence[Tree], outputs: Sequence[Output]) -> str:
    """Make the target of the rows that an expression scores."""
    return f"CREATE TABLE {scan.target} AS {scored_by_case(scan, trees, outputs)}"


def create_empty(scan: Scan, outputs: Sequence[Output]) -> str:
    """Make the target without rows."""
    columns = [f"{scan.id_sql} AS {ident(scan.id_name)}"]
    columns += [f"NULL::{output.type} AS {ident(output.name)}" for output in outputs]
    return f"CREATE TABLE {scan.target} AS SELECT {', '.join(columns)} FROM {scan.rows()} WITH NO DATA"


def create_typed(scan: Scan, id_type: str, outputs: Sequence[Output]) -> str:
    """Make the target without rows where its source is on another server."""
    columns = [f"{ident(scan.id_name)} {id_type}", *(f"{ident(output.name)} {output.type}" for output in outputs)]
    return f"CREATE TABLE {scan.target} ({', '.join(columns)})"


def insert_by_case(scan: Scan, trees: Sequence[Tree], outputs: Sequence[Output]) -> str:
    """Fill the target that is there."""
    return f"INSERT INTO {scan.target} {scored_by_case(scan, trees, outputs)}"


def scored_by_case(scan: Scan, trees: Sequence[Tree], outputs: Sequence[Output]) -> str:
    """A query that scores every row by an expression.

    Over plain columns, not a sub-select that prepares them: it could not run in parallel workers (PostgreSQL 15 plans
    none below OFFSET 0), and comparing numerics and dates as they are is as fast as converting each of them once.
    """
    columns = [f"{scan.id_sql} AS {ident(scan.id_name)}"]
    for output in outputs:
        cases = [
            tree_case(tree, scan.features, output, QUALIFIED, joins=True) if tree.nodes else f"NULL::{output.type}"
            for tree in trees
        ]
        if scan.groups is None:
            expression = cases[0]
        else:
            found = case_of_tree([tree.tree_id for tree in trees], cases)
            expression = f"CASE WHEN madtree_model.{TREE} IS NOT NULL THEN {found} END"
        columns.append(f"{expression} AS {ident(output.name)}")
    return f"SELECT {', '.join(columns)} FROM {scan.rows()}"


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


@look_up
def estimate(source: str) -> str:
    """The planner's plan of reading `source`, which `read_estimate` reads."""
    return f"EXPLAIN SELECT FROM {source} AS {SOURCE_ALIAS}"


def read_estimate(plan: str) -> tuple[int, float]:
    """Workers and rows of a plan: those of its first line, and the most that a Gather asks for."""
    workers = [int(number) for number in re.findall(r"Workers Planned: (\d+)", plan)]
    rows = re.search(r"rows=(\d+)", plan)
    return max(workers, default=0), float(rows.group(1)) if rows else 0.0


def integer_array(values: Sequence[int]) -> str:
    return f"{literal(array_text.integers(values))}::pg_catalog.int8[]"


def number_array(values: Sequence[float]) -> str:
    return f"{literal(array_text.floats(values))}::pg_catalog.float8[]"


def class_array(labels: Sequence[str], type_: str) -> str:
    return f"ARRAY[{', '.join(typed_literal(label, type_) for label in labels)}]"
