"""What is asked of a model's predictions, and its *cells*: the test table's rows counted by tree, leaf and outcome.

For the templates see `sqltext.evaluate`, which has what follows from the cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from madtree.records import dataclass
from madtree.sqltext.array_text import texts
from madtree.sqltext.condition import QUALIFIED, typed_literal
from madtree.sqltext.predict import TREE, Output, Scan, case_of_tree, tree_case
from madtree.sqltext.quote import binary, ident, literal, spelled_out
from madtree.sqltext.tables import model_table
from madtree.sqltext.typenames import made_type, type_sql
from madtree.sqltext.values import Writer, class_writer, own_writer, text_of, text_to_group_by
from madtree.trees import EXPOSURE, SUMMED_NUMBERS, WEIGHT, Tree


@dataclass(frozen=True)
class Question:
    """What is asked of which model.

    Attributes:
        schema, name: of the model, unquoted.
        rows: a query for the test table's rows: tree, leaf, actual and those of `SUMMED_NUMBERS` that the model has.
            Or, in place of the leaf, the prediction itself: predicted, the number of a class, and shares, the classes'
            probabilities; or prediction, a number. Then tree is the number of the row's group.
        numbers: names of these.
        of_counts: whether the model counts events.
        grouped: whether there may be several groups.
        writer: how the predictions' type is.
        classes: of a classification, in order.
        cells: SQL of the table that has the cells already, empty where there is none.
        groups_in, group_number: as `ModelKind` has them.
        is_prediction: whether the rows have what the model says, and not the leaf that says it.
        chosen: the position of the class whose probability is looked at.
    """

    schema: str
    name: str
    rows: str
    numbers: frozenset[str]
    grouped: bool
    writer: Writer | None
    classes: Sequence[str] = ()
    of_counts: bool = False
    cells: str = ""
    groups_in: str = ""
    group_number: str = "tree_id"
    is_prediction: bool = False
    chosen: int = 1

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return WEIGHT.name in self.numbers

    @property
    def exposed(self) -> bool:
        """Whether predictions are rates, of rows that have an exposure each."""
        return EXPOSURE.name in self.numbers

    def fill(self, template: str, cells: str = "", errors: str = "", **parts: str) -> str:
        """A template with `parts`, their operators spelled out, and then with the model's and the user's own names.

        `cells`, `errors`: queries that have been filled already.
        """
        own = {key: spelled_out(part) for key, part in parts.items()}
        return spelled_out(template).format(
            trees=model_table(self.schema, self.name, self.groups_in),
            number=self.group_number,
            nodes=model_table(self.schema, self.name, "_nodes"),
            rows=self.rows,
            cells=cells,
            errors=errors,
            classes=f"{literal(texts(self.classes))}::pg_catalog.text[]",
            predicted=text_of("n.prediction", self.writer),
            chosen=str(self.chosen),
            **own,
        )


def class_cells(question: Question) -> str:
    """A query for the cells of a classification."""
    if question.cells:
        return f"SELECT * FROM {question.cells}"
    cells = _SAID_CLASS_CELLS if question.is_prediction else _CLASS_CELLS
    return question.fill(cells, counts=_WEIGHTED_COUNTS if question.weighted else _PLAIN_COUNTS)


def number_cells(question: Question) -> str:
    """A query for the cells of a regression."""
    if question.cells:
        return f"SELECT * FROM {question.cells}"
    return question.fill(
        _NUMBER_CELLS.replace("{predictions}", _MEANS if question.is_prediction else _LEAVES),
        weight="r.weight" if question.weighted else "1::pg_catalog.float8",
        expected=_expected(question),
        deviance=_DEVIANCE if question.of_counts else "0::pg_catalog.float8",
        usable=f"FILTER (WHERE {_usable(question)})",
        finite=_fit(question),
        bad_weights=_BAD_WEIGHTS if question.weighted else "0",
    )


def number_errors(question: Question) -> str:
    """A query for the errors of a regression, without their signs, of each row that counts."""
    template = _NUMBER_ERRORS.replace("{predictions}", _MEANS if question.is_prediction else _LEAVES)
    return question.fill(template, expected=_expected(question), usable=_usable(question))


def _expected(question: Question) -> str:
    return "(n.prediction `*` r.exposure)" if question.exposed else "n.prediction"


def _usable(question: Question) -> str:
    """The condition that a row counts: that it comes to a leaf, and its outcome and weight are what they should be."""
    return f"n.node_id IS NOT NULL AND {_fit(question)}{f' AND {_POSITIVE}' if question.weighted else ''}"


def _fit(question: Question) -> str:
    fit = _COUNTED if question.of_counts else _FINITE
    return f"({fit} AND {_EXPOSED})" if question.exposed else fit


def outcome_and_weight(actual: str, numbers: Mapping[str, str]) -> tuple[str, str]:
    """SQL of a row's number and weight, of rates what they are per exposure, for which the row then counts."""
    weight, exposure = numbers.get(WEIGHT.name, "1::pg_catalog.float8"), numbers.get(EXPOSURE.name)
    if exposure is None:
        return actual, weight
    fits = binary(exposure, ">", "0::pg_catalog.float8")
    return (
        f"CASE WHEN {fits} THEN {binary(actual, '/', exposure)} ELSE 'NaN'::pg_catalog.float8 END",
        f"CASE WHEN {fits} THEN {binary(weight, '*', exposure)} ELSE {weight} END",
    )


def keep_cells(table: str, cells: str) -> str:
    """Make the temporary table of a query's cells."""
    return f"CREATE TEMPORARY TABLE {table} AS {cells}"


_POSITIVE = "r.weight `>` 0 AND r.weight `<` 'Infinity'::pg_catalog.float8"
_BAD_WEIGHTS = "pg_catalog.count(*) FILTER (WHERE r.weight `<` 0 OR NOT r.weight `<` 'Infinity'::pg_catalog.float8)"
_FINITE = "(r.actual `>` '-Infinity'::pg_catalog.float8 AND r.actual `<` 'Infinity'::pg_catalog.float8)"
_COUNTED = "(r.actual `>=` 0 AND r.actual `<` 'Infinity'::pg_catalog.float8)"
_EXPOSED = "r.exposure `>` 0 AND r.exposure `<` 'Infinity'::pg_catalog.float8"
# Of a row, from its actual and its expected count; infinite where something has happened that was never to be.
_DEVIANCE = """2::pg_catalog.float8 `*` CASE
            WHEN r.actual `=` 0 THEN e.expected
            WHEN e.expected `>` 0
                THEN (r.actual `*` pg_catalog.ln(r.actual `/` e.expected)) `-` (r.actual `-` e.expected)
            ELSE 'Infinity'::pg_catalog.float8
        END"""
_PLAIN_COUNTS = "pg_catalog.count(*) AS n, pg_catalog.count(*)::pg_catalog.float8 AS weight, 0 AS bad_weights"
_WEIGHTED_COUNTS = f"""pg_catalog.count(*) FILTER (WHERE {_POSITIVE}) AS n,
        pg_catalog.sum(r.weight) FILTER (WHERE {_POSITIVE}) AS weight, {_BAD_WEIGHTS} AS bad_weights"""
_CLASS_CELLS = """
    SELECT r.tree, r.leaf, r.actual, pg_catalog.count(*) AS total, 0 AS bad_actuals,
        {counts}
    FROM ({rows}) AS r GROUP BY r.tree, r.leaf, r.actual
"""

# The cells that count, with what the model says of them; `class` is the position of the actual one, NULL if unknown.
_SAID_CLASS_CELLS = """
    SELECT r.tree, r.actual, k.class, r.predicted, r.shares[{chosen}] AS p_chosen,
        COALESCE(r.shares[k.class], 0) AS p_actual,
        pg_catalog.count(*) AS total, 0 AS bad_actuals, {counts}
    FROM ({rows}) AS r
    CROSS JOIN LATERAL (
        SELECT pg_catalog.array_position({classes}, r.actual COLLATE pg_catalog."C") AS class
    ) AS k
    GROUP BY 1, 2, 3, 4, 5, 6
"""
_LEAVES = "LEFT JOIN {nodes} AS n ON n.tree_id `=` r.tree AND n.node_id `=` r.leaf"
_MEANS = """CROSS JOIN LATERAL (
        SELECT r.tree AS tree_id, CASE WHEN r.prediction IS NOT NULL THEN r.tree END AS node_id, r.prediction
    ) AS n"""
_NUMBER_CELLS = """
    SELECT r.tree, n.prediction, pg_catalog.count(*) AS total,
        pg_catalog.count(*) FILTER (WHERE NOT {finite}) AS bad_actuals, {bad_weights} AS bad_weights,
        pg_catalog.count(*) {usable} AS n,
        pg_catalog.sum({weight}) {usable} AS weight,
        pg_catalog.sum({weight} `*` (r.actual `-` n.prediction)) {usable} AS errors,
        pg_catalog.sum({weight} `*` pg_catalog.power(r.actual `-` n.prediction, 2)) {usable} AS distances,
        pg_catalog.sum({weight} `*` pg_catalog.power(r.actual `-` e.expected, 2)) {usable} AS squares,
        pg_catalog.sum({weight} `*` pg_catalog.abs(r.actual `-` e.expected)) {usable} AS sizes,
        pg_catalog.sum({weight} `*` {deviance}) {usable} AS deviances,
        pg_catalog.min(r.actual) {usable} AS low,
        pg_catalog.max(r.actual) {usable} AS high
    FROM ({rows}) AS r
    {predictions}
    CROSS JOIN LATERAL (SELECT {expected} AS expected) AS e
    GROUP BY r.tree, n.tree_id, n.node_id, n.prediction
"""

_NUMBER_ERRORS = """
    SELECT r.tree, pg_catalog.abs(r.actual `-` e.expected) AS error, 1::pg_catalog.int8 AS n
    FROM ({rows}) AS r
    {predictions}
    CROSS JOIN LATERAL (SELECT {expected} AS expected) AS e
    WHERE {usable}
"""

# Rows of no tree belong to the whole only.


def actual_class(plain: str, type_: str) -> str:
    """A row's class as the text by which the model knows it whose classes are of a type; `plain` is a value that
    nobody's cast will be asked for. To cast to a type that is not PostgreSQL's own would look for casts, which may be
    anybody's, and run a domain's checks: by their texts classes are as well told apart.
    """
    type_ = "text" if made_type(type_) is not None else type_
    return text_to_group_by(f"({plain})::{type_sql(type_)}", class_writer(type_, own_writer(type_)))


def number(expression: str) -> str:
    return f"({expression})::pg_catalog.float8"


def number_of_class(actual: str, classes: Sequence[str]) -> str:
    """The place of a row's class, `actual_class`, among the model's, from 0, as a float8; NULL of another one."""
    place = f"pg_catalog.array_position({literal(texts(classes))}::pg_catalog.text[], {actual})"
    return f"({place} OPERATOR(pg_catalog.-) 1)::pg_catalog.float8"


def place_of_value(value: str, classes: Sequence[str], type_: str) -> str:
    """As `number_of_class`, of one of a few classes that are integers or booleans: to compare them takes a third of the
    time of looking for their text.
    """
    cases = (
        f"{binary(value, '=', typed_literal(label, type_))} THEN {place}::pg_catalog.float8"
        for place, label in enumerate(classes)
    )
    return f"CASE WHEN {' WHEN '.join(cases)} END"


def not_a_number_as_infinite(value: str) -> str:
    """A float8 where NaN is to mean NULL."""
    infinite = "'Infinity'::pg_catalog.float8"
    return f"CASE WHEN {value} OPERATOR(pg_catalog.=) 'NaN'::pg_catalog.float8 THEN {infinite} ELSE {value} END"


def rows_by_case(scan: Scan, trees: Sequence[Tree], leaf: Output, actual: str, numbers: Mapping[str, str]) -> str:
    """A query for the rows, each with the leaf that an expression finds."""
    cases = [_leaf_case(scan, tree, leaf) for tree in trees]
    if scan.groups is None:
        tree, found = f"{trees[0].tree_id}::pg_catalog.int4", cases[0]
    else:
        tree = f"madtree_model.{TREE}"
        found = f"CASE WHEN {tree} IS NOT NULL THEN {case_of_tree([t.tree_id for t in trees], cases)} END"
    others = "".join(f", {value} AS {name}" for name, value in numbers.items())
    return f"SELECT {tree} AS tree, {found} AS leaf, {actual} AS actual{others} FROM {scan.rows()}"


def counts_by_case(scan: Scan, tree: Tree, leaf: Output, actual: str) -> str:
    """A query for how many rows there are of each leaf and `actual`, of a model of one tree."""
    found = _leaf_case(scan, tree, leaf)
    # The moment keeps the planner from evaluating the expressions anew for each key; OFFSET 0 would keep workers from
    # counting their rows, too.
    rows = f"SELECT {found} AS leaf, {actual} AS actual, pg_catalog.clock_timestamp() AS moment FROM {scan.rows()}"
    return f"SELECT r.leaf, r.actual, pg_catalog.count(*) AS n FROM ({rows}) AS r GROUP BY r.leaf, r.actual"


def _leaf_case(scan: Scan, tree: Tree, leaf: Output) -> str:
    return tree_case(tree, scan.features, leaf, QUALIFIED) if tree.nodes else f"NULL::{leaf.type}"


def payload(scan: Scan, tree_id: int, actual: str, numbers: Mapping[str, str]) -> str:
    """What `rows_of_payload` wants of a row besides its leaf, in place of an id, which it need not have.

    `tree_id`: of rows that are not grouped; the group's number where it has many trees.
    """
    tree = f"madtree_model.{TREE}" if scan.groups else str(tree_id)
    others = (numbers.get(each.name, "NULL") for each in SUMMED_NUMBERS)
    elements = [f"({element})::pg_catalog.text" for element in (tree, actual, *others)]
    return f"ARRAY[{', '.join(elements)}]"


def rows_of_payload(table: str, column: str, outputs: Mapping[str, str], actual_type: str) -> str:
    """A query for the rows from a table, or a query in brackets, that holds payloads and what the model says; numbers
    that the model does not have are NULL.

    `outputs`: for each name in the query the column that it is of.
    """
    columns = "".join(f"t.{ident(of)} AS {name}, " for name, of in outputs.items())
    own = f"(t.{ident(column)})"
    numbers = (f"{own}[{i}]::pg_catalog.float8 AS {each.name}" for i, each in enumerate(SUMMED_NUMBERS, 3))
    return (
        f"SELECT {own}[1]::pg_catalog.int4 AS tree, {columns}{own}[2]::{actual_type} AS actual, {', '.join(numbers)} "
        f"FROM {table} AS t"
    )
