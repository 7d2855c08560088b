"""Queries of the client's estimators: the leaves of a table's rows, and how well they do there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from madtree.records import dataclass
from madtree.sqltext.catalog import SOURCE_ALIAS
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.predict import Output, tree_case
from madtree.sqltext.quote import qualified, with_needed_quotes
from madtree.sqltext.rows import as_number
from madtree.sqltext.values import category
from madtree.trees import Feature, FeatureKind, Tree

# The columns of the primary key of the table $1, as SQL.
PRIMARY_KEY = f"""\
SELECT {with_needed_quotes("pg_catalog.quote_ident(a.attname)")} AS sql
FROM pg_catalog.pg_index AS i
INNER JOIN pg_catalog.pg_attribute AS a
ON a.attrelid OPERATOR(pg_catalog.=) i.indrelid AND a.attnum OPERATOR(pg_catalog.=) ANY (i.indkey)
WHERE i.indrelid OPERATOR(pg_catalog.=) $1 AND i.indisprimary"""

# The names of all columns of the table $1.
COLUMNS = """\
SELECT a.attname AS name FROM pg_catalog.pg_attribute AS a WHERE a.attrelid OPERATOR(pg_catalog.=) $1"""
# Where a row is: in its part of a partitioned table, and there.
PLACE_IN_TABLE = f"{SOURCE_ALIAS}.tableoid, {SOURCE_ALIAS}.ctid"


def numbered(view: str, source: str, id_name: str, *, by_place: bool) -> str:
    """A temporary view of a table with a column more, which stands for the rows' ids.

    Args:
        view, source, id_name: as SQL.
        by_place: whether it tells the rows apart, by their places in the table; nobody reads it otherwise.
    """
    value = "pg_catalog.concat(s.tableoid, s.ctid)" if by_place else "0"
    return f"CREATE TEMPORARY VIEW {view} AS SELECT s.*, {value} AS {id_name} FROM {source} AS s"


def rows_with(source: str, outcome: str) -> str:
    """How many rows have an outcome."""
    return f"SELECT pg_catalog.count(*) AS rows FROM {source} AS {SOURCE_ALIAS} WHERE ({outcome}) IS NOT NULL"


def rows_by_class(source: str, outcome: str) -> str:
    """The classes as text, and how many rows each has."""
    return (
        f"SELECT ({outcome})::pg_catalog.text AS label, pg_catalog.count(*) AS rows FROM {source} AS {SOURCE_ALIAS} "
        f"WHERE ({outcome}) IS NOT NULL GROUP BY 1"
    )


def labels_of(text_of: Callable[[str], str]) -> str:
    """The texts %s of an array as those of classes, which SQL of them is made into by `text_of`."""
    return (
        f"SELECT ({text_of('k.given')})::pg_catalog.text AS label "
        "FROM pg_catalog.unnest(%s::pg_catalog.text[]) WITH ORDINALITY AS k (given, place) ORDER BY k.place"
    )


def weighted_by_class(outcome: str, weights: Mapping[str, float], weight: str | None = None) -> str:
    """A row's weight times that of its class, 1 for a class that is not named; outcome and classes are SQL."""
    label_of_row, one = f'({outcome})::pg_catalog.text COLLATE pg_catalog."C"', QUALIFIED.number(1.0)
    cases = " WHEN ".join(
        f"{label_of_row} OPERATOR(pg_catalog.=) ({label})::pg_catalog.text THEN {number}"
        for label, number in ((label, QUALIFIED.number(value)) for label, value in weights.items())
    )
    case = f"CASE WHEN {cases} ELSE {one} END" if cases else one
    return case if weight is None else f"({weight})::pg_catalog.float8 OPERATOR(pg_catalog.*) {case}"


def feature_rows(schema: str, name: str, features: Sequence[Feature], others: Sequence[str], order: str | None) -> str:
    """The rows of a table, in an order: the features in `f0`, `f1`, ..., numbers as they are compared and categories
    as text, and other expressions in `o0`, `o1`, ...

    Args:
        schema, name: of the table, unquoted.
        features: as expressions over the table's columns.
        order: as SQL; without one, as the rows come.
    """
    numbers = [category(f) if f.kind is FeatureKind.UNORDERED else as_number(f) for f in features]
    columns = ["true AS is_row", *(f"{value} AS f{place}" for place, value in enumerate(numbers))]
    columns += [f"({value}) AS o{place}" for place, value in enumerate(others)]
    source = f"{qualified(schema, name)} AS {SOURCE_ALIAS}"
    return f"SELECT {', '.join(columns)} FROM {source}{f' ORDER BY {order}' if order else ''}"


@dataclass(frozen=True)
class ScoredRelation:
    """A table whose rows run down a tree.

    Attributes:
        schema, name: of the table, unquoted.
        tree: with at least one node.
        features: by their names in the model, as expressions over the table's columns.
    """

    schema: str
    name: str
    tree: Tree
    features: Mapping[str, Feature]

    def leaves(self, leaf: Output, order: str | None) -> str:
        """Each row's `leaf`, in an order; without one, as the rows come."""
        return f"SELECT {self._case(leaf)} AS value FROM {self._source()}{f' ORDER BY {order}' if order else ''}"

    def outcomes(self, leaf: Output, actual: str, weight: str) -> str:
        """For each leaf and actual outcome the weight of the rows; rows without outcome or weight do not count."""
        rows = self._rows(leaf, actual, weight)
        return (
            "SELECT r.value, r.actual, pg_catalog.sum(r.weight)::pg_catalog.float8 AS weight "
            f"FROM ({rows}) AS r WHERE {_COUNTS} GROUP BY r.value, r.actual"
        )

    def squares(self, mean: Output, actual: str, weight: str) -> str:
        """Weighted sums of squares of the outcomes about the tree's means (residual), and about their own (total)."""
        rows = self._rows(mean, f"({actual})::pg_catalog.float8", weight)
        about_own, about_tree = _square("s.actual", "s.mean"), _square("s.actual", "s.value")
        mean_sql = _over("pg_catalog.sum(r.weight OPERATOR(pg_catalog.*) r.actual)", "pg_catalog.sum(r.weight)")
        return (
            f"WITH r AS MATERIALIZED (SELECT * FROM ({rows}) AS r WHERE {_COUNTS}), "
            f"s AS (SELECT r.*, (SELECT {mean_sql} FROM r) AS mean FROM r) "
            f"SELECT pg_catalog.sum(s.weight OPERATOR(pg_catalog.*) {about_tree}) AS residual, "
            f"pg_catalog.sum(s.weight OPERATOR(pg_catalog.*) {about_own}) AS total FROM s"
        )

    def _rows(self, value: Output, actual: str, weight: str) -> str:
        return (
            f"SELECT {self._case(value)} AS value, {actual} AS actual, ({weight})::pg_catalog.float8 AS weight "
            f"FROM {self._source()}"
        )

    def _case(self, output: Output) -> str:
        return tree_case(self.tree, self.features, output, QUALIFIED)

    def _source(self) -> str:
        return f"{qualified(self.schema, self.name)} AS {SOURCE_ALIAS}"


_COUNTS = "r.actual IS NOT NULL AND r.weight OPERATOR(pg_catalog.>) 0"


def _square(one: str, other: str) -> str:
    difference = f"({one} OPERATOR(pg_catalog.-) {other})"
    return f"({difference} OPERATOR(pg_catalog.*) {difference})"


def _over(dividend: str, divisor: str) -> str:
    return f"{dividend} OPERATOR(pg_catalog./) {divisor}"
