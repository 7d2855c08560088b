"""The rows that come to the splits of a tree, counted by the values of their features: one pass for all splits.

An expression gives each row its *cells*: a text for each split that the row goes through in the upper part of the tree
that is looked at. It says which *branch* of which split the row takes, and by which value. For the templates see
`sqltext.evaluate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from madtree.records import dataclass
from madtree.sqltext import values
from madtree.sqltext.array_text import texts
from madtree.sqltext.catalog import SOURCE_ALIAS
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.predict import Output, tree_case
from madtree.sqltext.quote import binary, literal, spelled_out
from madtree.trees import Feature, FeatureKind, Node, Tree

LARGEST = 1e100  # of values whose standard deviation is measured: the sum of their squares is a float8 still
DIGITS = 3  # of a branch's number in a cell
VALUE = "="  # stands before the value, if there is one


@dataclass(frozen=True)
class CountedRows:
    """The rows that are counted.

    Attributes:
        source: the table, as SQL.
        tree: its upper part: what is not looked at further is a leaf.
        features: by their names in the model, as expressions over the table's columns.
        condition: true for the rows of the tree's group; None for all.
        actual: a row's known outcome: the text of its class, or a float8.
        classes: that are told apart, None where the outcome is a number; other classes are counted together.
        amount: over which the outcome counts events, a float8; None where over 1 in each row.
    """

    source: str
    tree: Tree
    features: Mapping[str, Feature]
    condition: str | None
    actual: str
    classes: Sequence[str] | None
    amount: str | None

    @property
    def splits(self) -> list[Node]:
        """The nodes whose values are looked at, by id."""
        return [node for _, node in sorted(self.tree.nodes.items()) if not node.is_leaf]

    @property
    def branches(self) -> list[tuple[int, bool]]:
        """The branches by their numbers: a split's id, and whether it is the true branch."""
        return [(split.node_id, is_left) for split in self.splits for is_left in (True, False)]

    @property
    def numbers(self) -> list[str]:
        """The features that are compared with thresholds."""
        names = dict.fromkeys(str(split.feature) for split in self.splits)
        return [name for name in names if self.features[name].kind is not FeatureKind.UNORDERED]

    def select(self, what: str) -> str:
        """A query for something of each row whose outcome is known, with its `class`, the place among those that are
        told apart, or the number that was `measured`, and its `amount`.
        """
        if self.classes is None:
            known = _between("r.actual", -LARGEST, LARGEST)
            of_class, measured = "NULL::pg_catalog.int4", "r.actual"
        else:
            known, measured = "r.actual IS NOT NULL", "NULL::pg_catalog.float8"
            of_class = f"pg_catalog.array_position({literal(texts(self.classes))}::pg_catalog.text[], r.actual)"
        if self.amount is not None:
            known += f" AND {_between('r.amount', 0.0, float('inf'))}"
        return (
            f"SELECT r.*, {of_class} AS class, {measured} AS measured FROM (SELECT {what}, {self.actual} AS actual, "
            f"{self.amount or 'NULL::pg_catalog.float8'} AS amount FROM {self.source} AS {SOURCE_ALIAS} "
            f"WHERE {self.condition or 'true'}) AS r WHERE {known}"
        )


def extents(rows: CountedRows) -> str:
    """Of the rows in each leaf, by its id, `ending`: how many there are, the mean of their outcomes, `centre`, and of
    each of `numbers`, from 1: `low1` and `high1` of its finite values, and number, mean and standard deviation of those
    that are not very large, `n1`, `mean1` and `sd1`.
    """
    ending = Output("ending", "pg_catalog.int8", lambda node: f"{node.node_id}::pg_catalog.int8")
    features = [rows.features[name] for name in rows.numbers]
    found = [f"{tree_case(rows.tree, rows.features, ending, QUALIFIED)} AS ending"]
    columns = ["e.ending", "pg_catalog.count(*) AS n", "pg_catalog.avg(e.measured) AS centre"]
    for place, feature in enumerate(features, 1):
        value = f"e.v{place}"
        found.append(f"{_number(feature)} AS v{place}")
        finite = f"FILTER (WHERE {_between(value, float('-inf'), float('inf'))})"
        moderate = f"FILTER (WHERE {_between(value, -LARGEST, LARGEST)})"
        columns += [f"pg_catalog.{end}({value}) {finite} AS {name}{place}" for end, name in _ENDS]
        columns += [f"pg_catalog.{function}({value}) {moderate} AS {name}{place}" for function, name in _MOMENTS]
    return f"SELECT {', '.join(columns)} FROM ({rows.select(', '.join(found))}) AS e GROUP BY e.ending"


def counts(rows: CountedRows, edges: Mapping[int, Sequence[float]], centre: float, most: int) -> str:
    """The rows by the number of their `branch`, by `value`, and by class.

    A value is `VALUE` and the number of its range, or a category; it is empty where the row has none. Of each branch
    the `most` frequent ones come by themselves, the others together as NULL. Numeric outcomes, less the centre, come as
    `total` and the sum of their `squares`; over what these count as `amount`.

    Args:
        edges: between the ranges of a split, by its id; an edge is the least value of the range above it.
    """
    number = {branch: f"{place:0{DIGITS}}" for place, branch in enumerate(rows.branches)}
    whole = rows.tree

    def cells(leaf: Node) -> str:
        found = [
            _cell(number[node.node_id, goes_left], rows.features[str(node.feature)], edges.get(node.node_id, ()))
            for node, goes_left in whole.path(leaf.node_id)
        ]
        return f"ARRAY[{', '.join(found)}]"

    of_row = tree_case(whole, rows.features, Output("cells", "pg_catalog.text[]", cells), QUALIFIED)
    return spelled_out(_COUNTS).format(
        rows=rows.select(f"{of_row} AS cells"), centre=QUALIFIED.number(centre), most=most, digits=DIGITS
    )


def _cell(branch: str, feature: Feature, edges: Sequence[float]) -> str:
    """A row's cell of a split by that feature."""
    if feature.kind is FeatureKind.UNORDERED:
        value = values.category(feature)
    else:
        place = f"pg_catalog.width_bucket({_number(feature)}, {QUALIFIED.numbers(edges)})"
        is_number = binary(_number(feature), "<", QUALIFIED.number(float("nan")))
        value = f"(CASE WHEN {is_number} THEN {place} END)::pg_catalog.text"
    known = f"'{branch}{VALUE}'::pg_catalog.text"
    return f"COALESCE({binary(known, '||', value)}, '{branch}')"


def _number(feature: Feature) -> str:
    return f"({values.number(feature)})::pg_catalog.float8"


def _between(value: str, low: float, high: float) -> str:
    above, below = (binary(value, sign, QUALIFIED.number(end)) for sign, end in ((">", low), ("<", high)))
    return f"{above} AND {below}"


_ENDS = (("min", "low"), ("max", "high"))
_MOMENTS = (("count", "n"), ("avg", "mean"), ("stddev_pop", "sd"))

_COUNTS = """\
WITH counted AS (
    SELECT u.cell COLLATE pg_catalog."C" AS cell, c.class, pg_catalog.count(*) AS n,
        pg_catalog.sum(c.measured `-` {centre}) AS total,
        pg_catalog.sum((c.measured `-` {centre}) `*` (c.measured `-` {centre})) AS squares,
        pg_catalog.sum(c.amount) AS amount
    FROM ({rows}) AS c CROSS JOIN LATERAL pg_catalog.unnest(c.cells) AS u (cell)
    GROUP BY 1, 2
),
ranked AS (
    SELECT c.cell, pg_catalog.row_number() OVER (
        PARTITION BY pg_catalog.left(c.cell, {digits}) ORDER BY pg_catalog.sum(c.n) DESC, c.cell
    ) AS place
    FROM counted AS c GROUP BY c.cell
)
SELECT pg_catalog.left(c.cell, {digits})::pg_catalog.int4 AS branch,
    CASE WHEN k.place `<=` {most} OR pg_catalog.length(c.cell) `=` {digits}
        THEN pg_catalog.substr(c.cell, {digits} `+` 1) END AS value,
    c.class, pg_catalog.sum(c.n)::pg_catalog.int8 AS n, pg_catalog.sum(c.total) AS total,
    pg_catalog.sum(c.squares) AS squares, pg_catalog.sum(c.amount) AS amount
FROM counted AS c INNER JOIN ranked AS k ON k.cell `=` c.cell
GROUP BY 1, 2, 3"""
