"""Ordered target statistics of categories as SQL (Prokhorenkova et al. 2018).

Rows have an order, by a hash of their ids. In training a category of a row is the mean outcome of the rows that have it
and come before; elsewhere that of all rows in training. The mean of all of these, the prior, counts as some rows more.
Rows of the same id do not tell of each other.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from madtree.records import dataclass
from madtree.sqltext.quote import binary, float_literal, literal, same
from madtree.sqltext.rows import ZERO
from madtree.sqltext.tables import identifier_cut, model_table
from madtree.trees import Equality

_WORD = "4294967295::pg_catalog.int8"
_NAME_BYTES = 40  # of a feature's name in that of its encodings
_MIXING = ((16, 0x7FEB352D), (15, 0x846CA68B))  # of `learn.data.mixed`: shifts and factors, and a last shift by 16


@dataclass(frozen=True)
class CategoryStatistics:
    """What is asked of a copy of the rows; all but `columns` and `prefix` is SQL over `relation`.

    Attributes:
        relation: the copy.
        columns: SQL of its columns, all of them.
        prefix: with which none of these begins.
        texts: the category of each feature.
        encodings: SQL of the column's name that each is to have.
        grouping: the grouping columns.
        equals: of each of these the operator "equals".
        in_training: whether a row takes part.
        weight: what a row counts for.
        counted: the same times what the outcome is divided by.
        outcome: as float8.
        identity: a whole number below 2**32.
        key: with which rows are put in order by their identities.
        held_out: key and share of the rows that are held out by their identities; None for none.
        prior_weight: for how many rows the prior counts.
        is_integral: outcomes and all that rows count for are whole numbers, so that their sums are exact as float8.
            Else sums are those of numeric, which are exact, too, of 15 digits of each.
    """

    relation: str
    columns: tuple[str, ...]
    prefix: str
    texts: tuple[str, ...]
    encodings: tuple[str, ...]
    grouping: tuple[str, ...]
    equals: tuple[Equality, ...]
    in_training: str
    weight: str
    counted: str
    outcome: str
    identity: str
    key: int
    held_out: tuple[int, float] | None
    prior_weight: float
    is_integral: bool

    @property
    def priors(self) -> str:
        """Of each group its values g1, ..., the prior, what it counts for, and whether a category is missing."""
        p = self.prefix
        keys = self._group_names
        total, counted = self._sum("total"), self._sum("counted")
        each = binary(counted, "/", self._sum("weight"))  # what a row counts for, on average
        pull = binary(float_literal(self.prior_weight), "*", each)
        missing = [f"pg_catalog.bool_or(q.{p}text{i} IS NULL) AS lacks{i}" for i in self._numbers]
        figures = [f"{binary(total, '/', counted)} AS prior", f"{pull} AS pull", *missing]
        by = f" GROUP BY {', '.join(f'q.{p}{key}' for key in keys)}" if keys else ""
        columns = [*(f"q.{p}{key} AS {key}" for key in keys), *figures]
        return f"SELECT {', '.join(columns)} FROM ({self._rows}) AS q WHERE q.{p}trains{by}"

    def categories(self, priors: str) -> str:
        """Of each category its feature's number from 1, the group's values, and what it is encoded as.

        Args:
            priors: SQL name of the table of these.
        """
        p, keys = self.prefix, self._group_names
        own = "".join(f"q.{p}{key} AS {key}, " for key in keys)
        parts = [
            f"SELECT {i}::pg_catalog.int4 AS feature, {own}q.{p}text{i} AS category, pg_catalog.count(*) AS n_rows, "
            f"{self._sum('counted')} AS weight, {self._sum('total')} AS total "
            f"FROM prepared AS q WHERE q.{p}trains AND q.{p}text{i} IS NOT NULL "
            f"GROUP BY {', '.join([*(f'q.{p}{key}' for key in keys), f'q.{p}text{i}'])}"
            for i in self._numbers
        ]
        return (
            f"WITH prepared AS ({self._rows}) SELECT c.feature, {''.join(f'c.{key}, ' for key in keys)}c.category, "
            f"c.n_rows, c.weight, c.total, b.prior, {_encoded('c.total', 'c.weight')} AS encoded "
            f"FROM ({' UNION ALL '.join(parts)}) AS c JOIN {priors} AS b ON {self._same_group('c.', 'b.')}"
        )

    def encoded(self, priors: str, categories: str) -> str:
        """The rows with their encodings, in the order by which these are made; the arguments are SQL names of tables.

        A row that is not in training is encoded as a new one: by all rows that are. What these do not have is missing
        where some of them lack a value, as it then is with them, else the prior.
        """
        p = self.prefix
        joins = [f"LEFT JOIN {priors} AS b ON {self._same_group(f'q.{p}', 'b.')}"]
        columns = [f"q.{column}" for column in self.columns]
        windows = []
        by_group = [f"q.{p}{key}" for key in self._group_names]
        for i, name in zip(self._numbers, self.encodings, strict=True):
            text = f"q.{p}text{i}"
            of_earlier = f" FILTER (WHERE q.{p}trains) OVER w{i}"
            before = (f"COALESCE({self._sum(what, of_earlier)}, {ZERO})" for what in ("total", "counted"))
            own = f"CASE WHEN {text} IS NOT NULL THEN {_encoded(*before)} END"
            later = f"COALESCE(c{i}.encoded, CASE WHEN NOT b.lacks{i} THEN b.prior END)"
            columns.append(f"CASE WHEN q.{p}trains THEN {own} ELSE {later} END AS {name}")
            joins.append(
                f"LEFT JOIN {categories} AS c{i} ON NOT q.{p}trains AND {binary(f'c{i}.feature', '=', str(i))} "
                f"AND {binary(f'c{i}.category', '=', text)} AND {self._same_group(f'q.{p}', f'c{i}.')}"
            )
            windows.append(
                f"w{i} AS (PARTITION BY {', '.join([*by_group, text])} ORDER BY q.{p}order "
                "GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
            )
        return (
            f"SELECT {', '.join(columns)} FROM ({self._rows}) AS q {' '.join(joins)} WINDOW {', '.join(windows)} "
            f"ORDER BY q.{p}order"
        )

    @property
    def _numbers(self) -> range:
        return range(1, len(self.texts) + 1)

    @property
    def _group_names(self) -> list[str]:
        return [f"g{i}" for i, _ in enumerate(self.grouping, 1)]

    def _same_group(self, left: str, right: str) -> str:
        pairs = zip(self._group_names, self.equals, strict=True)
        return " AND ".join(same(f"{left}{key}", equals, f"{right}{key}") for key, equals in pairs) or "true"

    def _sum(self, name: str, of_rows: str = "") -> str:
        """The sum of a number that rows have, which is the same in any order of them; `of_rows`: of which ones."""
        number = f"q.{self.prefix}{name}"
        if self.is_integral:
            return f"pg_catalog.sum({number}){of_rows}"
        return f"(pg_catalog.sum({number}::pg_catalog.numeric){of_rows})::pg_catalog.float8"

    @property
    def _rows(self) -> str:
        """The rows, with what their statistics are made of."""
        p = self.prefix
        made = {f"text{i}": f'({text}) COLLATE pg_catalog."C"' for i, text in enumerate(self.texts, 1)}
        made |= {f"g{i}": value for i, value in enumerate(self.grouping, 1)}
        made |= {"usable": f"({self.in_training})", "id": f"COALESCE({self.identity}, {ZERO})::pg_catalog.int8"}
        made |= {"weight": self.weight, "counted": self.counted, "total": binary(self.weight, "*", self.outcome)}
        columns = ", ".join(f"{value} AS {p}{name}" for name, value in made.items())
        rows = _mixed(f"SELECT *, {columns} FROM {self.relation}", f"{p}id", f"{p}mixed")
        rows = _mixed(_with(rows, f"{p}keyed", _keyed(f"q.{p}mixed", self.key)), f"{p}keyed", f"{p}order")
        if self.held_out is None:
            return _with(rows, f"{p}trains", f"q.{p}usable")
        key, share = self.held_out
        rows = _mixed(_with(rows, f"{p}drawn", _keyed(f"q.{p}mixed", key)), f"{p}drawn", f"{p}place")
        drawn = binary(f"q.{p}place::pg_catalog.float8", "<", float_literal(share * 2.0**32))
        return _with(rows, f"{p}trains", f"(q.{p}usable AND NOT {drawn})")


def count_categories(categories: str) -> str:
    """How many categories the features of a group have, at most."""
    return (
        f"SELECT COALESCE(pg_catalog.sum(f.n), 0)::pg_catalog.int8 AS n FROM (SELECT pg_catalog.count(DISTINCT "
        f"c.category) AS n FROM {categories} AS c GROUP BY c.feature) AS f"
    )


def read_categories(categories: str, groups: str | None, equals: Sequence[Equality]) -> str:
    """Of each group the categories in the order of their features and encodings.

    Args:
        categories: SQL name of the table of these.
        groups: that of groups; None for one.
    """
    tree, join = _group_of(groups, equals)
    return (
        f"SELECT {tree} AS tree_id, c.feature, c.category, c.encoded FROM {categories} AS c{join} "
        'ORDER BY 1, 2, c.encoded, c.category COLLATE pg_catalog."C"'
    )


def read_priors(priors: str, n_features: int, groups: str | None, equals: Sequence[Equality]) -> str:
    """Of each group the prior, and whether rows lack a category of each feature."""
    tree, join = _group_of(groups, equals)
    lacks = ", ".join(f"c.lacks{i}" for i in range(1, n_features + 1))
    return f"SELECT {tree} AS tree_id, c.prior, ARRAY[{lacks}] AS lacks FROM {priors} AS c{join} ORDER BY 1"


def keep_categories(
    schema: str, name: str, categories: str, features: Sequence[str], groups: str | None, equals: Sequence[Equality]
) -> str:
    """Fill `<output>_categories`; `features` are the names of those that are encoded."""
    tree, join = _group_of(groups, equals)
    names = ", ".join(map(literal, features))
    own = ("n_rows", "weight", "total", "prior", "encoded")
    return (
        f"INSERT INTO {model_table(schema, name, '_categories')} (gid, feature, category, {', '.join(own)}) "
        f"SELECT {tree}, (ARRAY[{names}]::pg_catalog.text[])[c.feature], c.category, "
        f"{', '.join(f'c.{column}' for column in own)} FROM {categories} AS c{join} "
        'ORDER BY 1, c.feature, c.encoded, c.category COLLATE pg_catalog."C"'
    )


def encoding_names(features: Sequence[str], taken: Collection[str]) -> list[str]:
    """Names, unquoted, of columns with the encodings of features, which are none of those that are `taken`."""
    names: list[str] = []
    for feature in features:
        name = whole = f"{identifier_cut(feature, _NAME_BYTES)}, encoded"
        number = 1
        while name in taken or name in names:
            number += 1
            name = f"{whole} {number}"
        names.append(name)
    return names


def _group_of(groups: str | None, equals: Sequence[Equality]) -> tuple[str, str]:
    """A group's number in a query over `c`, which has the group's values, and the join that tells it."""
    if groups is None:
        return "1::pg_catalog.int4", ""
    equal = " AND ".join(same(f"c.g{i}", each, f"g.g{i}") for i, each in enumerate(equals, 1))
    return "g.tree_id", f" JOIN {groups} AS g ON {equal}"


def _encoded(total: str, counted: str) -> str:
    """The encoding of a category whose rows have these sums."""
    return binary(binary(total, "+", binary("b.pull", "*", "b.prior")), "/", binary(counted, "+", "b.pull"))


def _with(rows: str, name: str, value: str) -> str:
    """The rows with one more column, of what they have: OFFSET 0 keeps it from being computed wherever it is named."""
    return f"SELECT q.*, {value} AS {name} FROM ({rows} OFFSET 0) AS q"


def _keyed(number: str, key: int) -> str:
    return binary(number, "#", f"{key}::pg_catalog.int8")


def _mixed(rows: str, name: str, hashed: str) -> str:
    """The rows with `hashed`, what `learn.data.mixed` makes of a whole number below 2**32, which they have."""
    for step, (shift, factor) in enumerate(_MIXING):
        rows = _with(rows, f"{hashed}{step}", _times(_shifted(f"q.{name}", shift), factor))
        name = f"{hashed}{step}"
    return _with(rows, hashed, _shifted(f"q.{name}", 16))


def _shifted(number: str, shift: int) -> str:
    return binary(number, "#", binary(number, ">>", str(shift)))


def _times(number: str, factor: int) -> str:
    """The lower 32 bits of a product, which no step of the way exceeds 64 bits."""
    upper, lower = (f"{part}::pg_catalog.int8" for part in divmod(factor, 2**16))
    high = binary(binary(binary(number, "*", upper), "&", "65535::pg_catalog.int8"), "<<", "16")
    return binary(binary(binary(number, "*", lower), "+", high), "&", _WORD)
