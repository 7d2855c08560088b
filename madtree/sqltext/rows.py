"""Training rows as SQL: where they come from, which of them count, and how a row becomes one array of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from madtree.records import dataclass
from madtree.sqltext import values
from madtree.sqltext.catalog import SOURCE_ALIAS
from madtree.sqltext.elements import Element, joined
from madtree.sqltext.quote import INTERNAL, binary, operator, same
from madtree.sqltext.sent_rows import sent_row, sent_stretches
from madtree.trees import OWN_NUMBERS, WEIGHT, Equality, Feature, FeatureKind

PageBounds = tuple[str, str]  # the first tid of a page range, and the one behind its last

_SMALL_INTEGERS = ("smallint", "integer")
_WRITTEN_ALIKE = ("boolean", *_SMALL_INTEGERS, "bigint", "date", "uuid")
ZERO, NONE, INFINITY = "0::pg_catalog.float8", "0::pg_catalog.int8", "'Infinity'::pg_catalog.float8"
NAN = "'NaN'::pg_catalog.float8"
_HASHES = 2**20  # among which a sample's rows are told by a hash
_GOLDEN = "2654435769::pg_catalog.int8"  # 2**32 divided by the golden ratio; 2**31 times it is a bigint, too
_HANDED_BYTES = 4 * 2**20  # of numbers, by one query: they stay in the processor's cache


def as_number(feature: Feature) -> str:
    """The feature as float8, NULL where missing; a category by its key."""
    if feature.kind is FeatureKind.UNORDERED:
        return key_number(values.category_key(feature), feature.type)
    return null_as_last(feature, f"({values.number(feature)})::pg_catalog.float8")


def null_as_last(feature: Feature, number: str) -> str:
    """A float8 of an ordered feature, infinite where NULL is its last value: then no integer or label is as large."""
    return f"LEAST({number}, {INFINITY})" if feature.null_last else number


def where_some(number: str, features: Sequence[str]) -> str:
    """The number of a row that has at least one of its features, which are float8; NULL of others."""
    # NaN is the greatest of all. Most rows have the first feature, and then the others are not looked at.
    known = " OR ".join(binary(f"({feature})", "<", NAN) for feature in features)
    return f"CASE WHEN {known} THEN {number} END"


def key_number(key: str, type_name: str) -> str:
    """A category's key as float8; of a 64-bit hash the upper 53 bits, which float8 holds exactly."""
    if type_name == "boolean":
        return f"({key})::pg_catalog.int4::pg_catalog.float8"
    return f"(({key}) OPERATOR(pg_catalog.>>) 11)::pg_catalog.float8"


def class_number(dependent: str, type_name: str, writer: values.Writer | None) -> str:
    """A number that tells the classes apart: small integers and booleans themselves, a hash of the text otherwise."""
    if type_name == "boolean":
        return f"({dependent})::pg_catalog.int4::pg_catalog.float8"
    if type_name in _SMALL_INTEGERS:
        return f"({dependent})::pg_catalog.float8"
    key = f'pg_catalog.hashtextextended({values.text_of(dependent, writer)} COLLATE pg_catalog."C", 0)'
    return key_number(key, type_name)


def class_text(dependent: str, type_name: str, writer: values.Writer | None) -> str | None:
    """What tells classes apart beside their type's equality: their text, by which rows are known again. Texts may be
    equal by their collation, or as citext, and so may numbers in a jsonb. None where what is equal is written alike.
    """
    return None if type_name in _WRITTEN_ALIKE else values.text_to_group_by(dependent, writer)


def identity_number(id_column: str, type_name: str, writer: values.Writer | None) -> str:
    """A whole number below 2**32 that tells rows apart by their id: folded from an integer, or by a hash of the text.

    It depends on the id alone: not on where a row stands, nor on the server's version. The upper half of an integer is
    spread before it is folded into the lower one. Else -1 would be 0, -2 would be 1, and parts that have been packed
    into one number would meet: 2 * 2**32 + 3 and 3 * 2**32 + 2.
    """
    if type_name in (*_SMALL_INTEGERS, "bigint"):
        whole = f"({id_column})::pg_catalog.int8"
    else:
        digest = f"pg_catalog.md5({values.text_of(id_column, writer)})"
        whole = f"('x' OPERATOR(pg_catalog.||) {digest})::pg_catalog.bit(64)::pg_catalog.int8"
    upper = binary(binary(whole, ">>", "32"), "*", _GOLDEN)
    folded = binary(whole, "#", upper)
    return f"({binary(folded, '&', '4294967295::pg_catalog.int8')})::pg_catalog.float8"


@dataclass(frozen=True)
class RowSource:
    """The rows of one training run.

    Attributes:
        relation: SQL of the table, or of the staged copy of a view.
        target: SQL of the target as float8.
        target_known: SQL of the condition that the dependent is not NULL.
        features: SQL of each feature as float8.
        grouping: SQL of the grouping columns.
        groups: SQL name of the table of groups (tree_id, g1, g2, ...), or None where not grouped.
        fold: SQL of the number that stands for a row's fold, or None where the table does not tell.
        identity: SQL of the number that tells a row apart (`identity_number`), or None where no rows are drawn.
        sent: whether rows are read over a connection, and so made by PostgreSQL's own functions (`sent_rows`).
        elements: for each feature what it is an element of, or None; empty where none is.
        equals: of each grouping column its operator.
        numbers: SQL of each of `ROW_NUMBERS` that rows have, as float8, by its name.
        class_text: what tells classes apart beside the dependent itself (`class_text`), or None.
    """

    relation: str
    target: str
    target_known: str
    features: tuple[str, ...]
    grouping: tuple[str, ...] = ()
    groups: str | None = None
    fold: str | None = None
    elements: tuple[Element | None, ...] = ()
    equals: tuple[Equality, ...] = ()
    numbers: Mapping[str, str] = field(default_factory=dict)
    identity: str | None = None
    sent: bool = False
    class_text: str | None = None

    @property
    def group_columns(self) -> list[str]:
        """The columns of the table of groups by which rows find their tree."""
        return [f"g{i}" for i, _ in enumerate(self.grouping, 1)]

    @property
    def has(self) -> frozenset[str]:
        """Which of `OWN_NUMBERS` a row has."""
        return frozenset(self._own_numbers)

    @property
    def n_columns(self) -> int:
        """Numbers in a row: those of `OWN_NUMBERS` that it has, and features."""
        return len(self.has) + len(self.features)

    @property
    def rows_at_once(self) -> int:
        """Rows whose numbers one query should hand over: on the way there are up to five copies of them."""
        return max(1, _HANDED_BYTES // (8 * self.n_columns))

    @property
    def n_own_numbers(self) -> int:
        """Numbers of a row beside its tree and features."""
        return len(self.has - {"tree"})

    @property
    def weight(self) -> str | None:
        """SQL of the weight as float8, or None."""
        return self.numbers.get(WEIGHT.name)

    @property
    def _own_numbers(self) -> dict[str, str]:
        """SQL of each of `OWN_NUMBERS` that a row has, in their order."""
        tree = None if self.groups is None else "madtree_group.madtree_tree::pg_catalog.float8"
        found = {"tree": tree, "target": self.target, **self.numbers, "fold": self.fold, "identity": self.identity}
        return {name: number for name in OWN_NUMBERS if (number := found.get(name)) is not None}

    @property
    def usable(self) -> str:
        """The condition on a row's numbers and grouping columns; features are looked at later."""
        conditions = [self.target_known, *(f"{g} IS NOT NULL" for g in self.grouping)]
        conditions += [f"{number} IS NOT NULL" for number in (*self.numbers.values(), self.fold) if number is not None]
        if self.weight is not None:
            conditions.append(binary(self.weight, "<>", ZERO))
        return " AND ".join(f"({c})" for c in conditions)

    def row(self, only: Sequence[int] | None = None, never_null: Sequence[bool] | None = None) -> str:
        """SQL of a row's image: an array's bytes as PostgreSQL holds it, or, where it is sent, numbers in `stretches`.

        Args:
            only: the features that are wanted; all where None.
            never_null: for each number but the tree, whether NULL need not be expected, which saves replacing it with
                NaN. Where it comes all the same, the image has another length than the others. What is sent has NaN
                for any NULL.
        """
        numbers = self._numbers(only)
        if self.sent:
            return sent_row(numbers)
        if self.groups is not None:
            never_null = None if never_null is None else [True, *never_null]
        return f"{INTERNAL}.array_image({joined(numbers, never_null)})"

    def stretches(self, only: Sequence[int] | None = None) -> list[tuple[int, bool]]:
        """Of what the image of a row that is sent consists (`sent_rows.sent_stretches`)."""
        return sent_stretches(self._numbers(only))

    def _numbers(self, only: Sequence[int] | None) -> list[str | Element]:
        """SQL of a row's numbers, in their order."""
        chosen = range(len(self.features)) if only is None else only
        found = self.elements or (None,) * len(self.features)
        return [*self._own_numbers.values(), *(found[i] or self.features[i] for i in chosen)]

    def whole_arrays(self, only: Sequence[int] | None = None) -> list[bool] | None:
        """`never_null` that looks for NULLs in single numbers only; None where there are no others.

        Looking for the NULLs of an array costs more than reading it, so it is done where there are some.
        """
        chosen = range(len(self.features)) if only is None else only
        of_arrays = [bool(self.elements) and self.elements[i] is not None for i in chosen]
        return [False] * self.n_own_numbers + of_arrays if any(of_arrays) else None

    def from_clause(self, relation: str | None = None, extra: str = "") -> str:
        """FROM and WHERE, joined with the table of groups where grouped; `relation` stands in for one partition.

        `extra` is a further condition, in which and in `row` the group's columns are named madtree_tree, madtree_block
        and madtree_g1, ...: renamed in a subquery, so that they and ctid cannot be mistaken for the training table's.
        """
        source = relation or self.relation
        conditions = [extra] if extra else []
        if self.groups is not None:
            pairs = enumerate(zip(self.grouping, self.equals, strict=True), 1)
            conditions += [same(f"({column})", equals, f"madtree_group.madtree_g{i}") for i, (column, equals) in pairs]
            names = ", ".join(f"g{i} AS madtree_g{i}" for i in range(1, len(self.grouping) + 1))
            columns = f"tree_id AS madtree_tree, block AS madtree_block, usable AS madtree_usable, {names}"
            source += f", (SELECT {columns} FROM {self.groups}) AS madtree_group"
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"FROM {source}{where}"


def images(
    source: RowSource, from_clause: str, only: Sequence[int] | None = None, never_null: Sequence[bool] | None = None
) -> str:
    """One row with all rows' images, one behind the other."""
    row = source.row(only, never_null)
    return f"SELECT pg_catalog.string_agg({row}, ''::pg_catalog.bytea) AS images {from_clause}"


def usable_images(source: RowSource, from_clause: str, never_null: Sequence[bool] | None = None) -> str:
    """As `images`, of the usable rows; and how many rows there are in all."""
    images_ = f"pg_catalog.string_agg({source.row(None, never_null)}, ''::pg_catalog.bytea)"
    return f"SELECT {images_} FILTER (WHERE {source.usable}) AS images, pg_catalog.count(*) AS total {from_clause}"


def numbered_images(source: RowSource, block_rows: int) -> str:
    """As `usable_images` with NaN for any NULL, of `block_rows` rows each, for a relation that has no pages."""
    block = binary(binary("r.number", "-", "1"), "/", str(block_rows))
    # The ordered aggregate cannot be hashed: a hash table would hold all rows at once.
    return (
        "SELECT pg_catalog.string_agg(r.image, ''::pg_catalog.bytea ORDER BY r.number) AS images, "
        "pg_catalog.count(*) AS total FROM ("
        f"SELECT pg_catalog.row_number() OVER () AS number, CASE WHEN {source.usable} THEN {source.row()} END AS image "
        f"{source.from_clause()}) AS r GROUP BY {block} ORDER BY {block}"
    )


def count_images(source: RowSource, from_clause: str) -> str:
    """A query that makes all rows' images and keeps none."""
    return f"SELECT pg_catalog.count({source.row()}) {from_clause}"


def images_by_block(source: RowSource) -> str:
    """The images of each block of small groups, in the order of the blocks."""
    return (
        "SELECT madtree_row.block, pg_catalog.string_agg(madtree_row.image, ''::pg_catalog.bytea) AS images FROM ("
        f"SELECT madtree_group.madtree_block AS block, {source.row()} AS image "
        f"{source.from_clause(extra='madtree_group.madtree_block IS NOT NULL')} ORDER BY 1) AS madtree_row "
        "GROUP BY madtree_row.block ORDER BY madtree_row.block"
    )


def images_by_range(
    source: RowSource, ranges: Mapping[str, Sequence[PageBounds]], never_null: Sequence[bool] | None = None
) -> str:
    """The images of the rows of small groups, by the ranges of pages of each relation."""
    parts = []
    for relation, own in ranges.items():
        within = _between("madtree_range.madtree_low", "madtree_range.madtree_high")
        clause = source.from_clause(relation, extra=f"{within} AND madtree_group.madtree_block IS NOT NULL")
        parts.append(
            f"SELECT madtree_part.images FROM {bounds(*tid_arrays(own))} AS madtree_range (madtree_low, madtree_high), "
            f"LATERAL ({images(source, clause, never_null=never_null)}) AS madtree_part"
        )
    return " UNION ALL ".join(parts)


def bounds(lows: str, highs: str) -> str:
    """What has the bounds of page ranges, of SQL of their arrays."""
    return f"ROWS FROM (pg_catalog.unnest({lows}), pg_catalog.unnest({highs}))"


def tid_arrays(ranges: Sequence[PageBounds]) -> tuple[str, str]:
    """Where page ranges begin and end, as SQL."""
    lows, highs = ('","'.join(tids) for tids in zip(*ranges, strict=True))
    return f"'{{\"{lows}\"}}'::pg_catalog.tid[]", f"'{{\"{highs}\"}}'::pg_catalog.tid[]"


def _between(low: str, high: str) -> str:
    """The condition that a TID range scan serves (PostgreSQL 14 and later)."""
    return f"{SOURCE_ALIAS}.ctid {operator('>=')} {low} AND {SOURCE_ALIAS}.ctid {operator('<')} {high}"


PAGES = _between("$1", "$2")  # the first page, and the one behind the last


def sampled(share: float, seed: int) -> str:
    """TABLESAMPLE clause: whole pages, about `share` of them, the same ones for the same seed."""
    return f"TABLESAMPLE pg_catalog.system ({max(share, 1e-6) * 100!r}) REPEATABLE ({seed})"


def sampled_by_group(rows: int, seed: int) -> str:
    """Condition that keeps about `rows` rows of each large group, by a seeded hash of where a row stands."""
    share = binary(f"{rows}::pg_catalog.float8", "/", "madtree_group.madtree_usable::pg_catalog.float8")
    drawn = drawn_by_place(f"LEAST({share}, 1::pg_catalog.float8)", seed)
    return f"madtree_group.madtree_block IS NULL AND {binary('madtree_group.madtree_usable', '>', NONE)} AND {drawn}"


def drawn_by_place(share: str, seed: int) -> str:
    """Condition that keeps about a share of the rows, SQL of a float8, by a seeded hash of where a row stands."""
    place = f"pg_catalog.hashtidextended({SOURCE_ALIAS}.ctid, '{seed}'::pg_catalog.int8)"
    limit = binary(share, "*", f"{_HASHES}::pg_catalog.float8")
    return binary(binary(place, "&", f"{_HASHES - 1}::pg_catalog.int8"), "<", limit)
