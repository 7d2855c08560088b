"""Bins of large trees, from a seeded sample of the rows; and all values of the features that have few."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import numpy as np

from madtree.ingest.categories import Categories
from madtree.ingest.page_ranges import TID, PageRange, Reading, read_images
from madtree.ingest.row_spool import RowSpool
from madtree.learn.binning import MISSING, Bins, BinTable, KeyEncoder, distinct_values, quantile_bins
from madtree.learn.data import Array, Bools, Floats, Ints, stable_order
from madtree.learn.packing import BinLimits, NullNumberError, RawRows, RowFormat
from madtree.records import dataclass
from madtree.request import Tuning
from madtree.sqltext import rows as sql
from madtree.trees import FeatureKind, Parameters

_SPARE = 1.1  # a page sample's size varies
_WHOLE_ABOVE = 0.5  # share of the table from which reading all of it costs little more
_MAX_SAMPLE_BYTES = 32 * 2**20
_LOOKED_UP = 1_024  # values of a feature from which on a search takes longer
_FEW_OTHERS = 8  # times as many values are looked up as are searched, at least


def takes_all(parameters: Parameters, n_rows: float, least_sample: int) -> bool:
    """Whether the bins of so many rows of a single tree, or fewer, are found in all of them."""
    return _sample_size(parameters, least_sample) > _WHOLE_ABOVE * n_rows


def _sample_size(parameters: Parameters, least_sample: int) -> int:
    return int(max(parameters.n_bins**2, least_sample) * _SPARE)


@dataclass(frozen=True)
class Binned:
    """What is found with the bins.

    Attributes:
        seen_null: of each feature, whether a value was missing in the sample; unordered ones count as such.
        spool: all rows, where they have been read once.
    """

    bins: BinTable
    seen_null: Sequence[bool]
    spool: RowSpool | None


class BinFinder:
    """Finds the bins of every feature in every large tree."""

    def __init__(
        self,
        reading: Reading,
        row_format: RowFormat,
        kinds: Sequence[FeatureKind],
        categories: Sequence[Categories | None],
        parameters: Parameters,
        tree_ids: Ints,
        rows: Ints,
        least_sample: int = Tuning.least_sample,
        in_training: Callable[[RawRows], Bools | None] | None = None,
    ) -> None:
        """`tree_ids` and `rows` (n_trees,): ids and usable rows of the large trees; `in_training`: those that bins are
        made of, None for all.

        `takes_all` tells whether the sample is the whole table.
        """
        self._host, self._source, self._pages = reading.host, reading.source, reading.pages
        self._format = row_format
        self._kinds, self._categories, self._parameters = kinds, categories, parameters
        self._tree_ids, self._rows, self._in_training = tree_ids, rows, in_training
        self._limits = BinLimits.choose(kinds, parameters.n_bins, rows)
        self._wanted = _sample_size(parameters, least_sample)
        self.takes_all = not reading.source.grouping and takes_all(parameters, int(rows.sum()), least_sample)

    def find(self, read: Callable[..., RowSpool] | None = None, *, once: bool = False) -> Binned:
        """The bins. Values of features with few of them are looked for in the whole table, so that none is missed.

        Args:
            read: reads all rows, or with `condition` those that meet it, where they may be kept outside of memory.
            once: whether all rows of a single tree are to be read once if more of them than a sample is needed.
        """
        spool: RowSpool | None = None
        seen_null = [True] * len(self._kinds)
        n_trees = len(self._tree_ids)
        bins: list[list[Bins | None]] = [[None] * len(self._kinds) for _ in range(n_trees)]
        few: dict[tuple[int, int], Floats] = {}
        for f, categories in enumerate(self._categories):
            if categories is not None:
                every = np.arange(len(categories.labels), dtype=np.float64)
                for row in bins:
                    row[f] = Bins(every, every)
        if read is not None and self._source.grouping:
            columns = self._of_groups(read(condition=self._drawn_of_groups()))
        elif read is not None and once and (self.takes_all or not self._pages.ranges):  # no pages: no sample of them
            columns = self._of_spool(spool := read())
        else:
            columns = self._sample()
        for f, of_trees in columns:
            seen_null[f] = any(bool(np.isnan(mine).any()) for mine in of_trees)
            for t, mine in enumerate(of_trees):
                bins[t][f] = quantile_bins(mine, int(self._limits.limit[t, f]), int(self._limits.n_bins[f]))
                if bins[t][f] is not None:
                    continue
                values, counts = distinct_values(mine)
                if len(values) <= self._limits.limit[t, f] and not self.takes_all:
                    few[t, f] = values
                bins[t][f] = Bins.from_values(
                    values, counts, int(self._limits.limit[t, f]), int(self._limits.n_bins[f])
                )
        if few and read is not None and once:
            completed = self._complete_of_all(few, spool := spool or read())
        else:
            completed = self._complete(few)
        for (t, f), values in completed.items():
            bins[t][f] = Bins(values, values)
        return Binned(BinTable.from_bins([[b for b in row if b is not None] for row in bins]), seen_null, spool)

    def _ordered_features(self) -> list[int]:
        return [f for f, categories in enumerate(self._categories) if categories is None]

    def _sample(self) -> Iterator[tuple[int, list[Floats]]]:
        """Feature by feature: its index, and of each tree its values in the sampled rows."""
        for chosen in self._chunks():
            parts = self._sampled(chosen)
            trees = [part.tree for part in parts if part.tree is not None]
            by_tree = _ByTree(np.concatenate(trees) if trees else None, len(self._tree_ids))
            for i, f in enumerate(chosen):
                yield f, by_tree.parts(np.concatenate([part.features[i] for part in parts]))

    def _of_groups(self, spool: RowSpool) -> Iterator[tuple[int, list[Floats]]]:
        """As `_sample`, from the drawn rows of groups, which are read once."""
        with closing(spool):
            in_training = self._rows_in_training(spool)
            by_tree = _ByTree(np.searchsorted(self._tree_ids, spool.trees()[in_training]), len(self._tree_ids))
            for f in self._ordered_features():
                yield f, by_tree.parts(spool.feature(f)[in_training])

    def _drawn_of_groups(self) -> str:
        """The condition on the rows that are sampled of groups."""
        return f"{sql.sampled_by_group(self._wanted, self._parameters.seed)} AND {self._source.usable}"

    def _of_spool(self, spool: RowSpool) -> Iterator[tuple[int, list[Floats]]]:
        """As `_sample`, from rows that are read once: all of them, or some drawn by the seed."""
        drawn: Array | slice = self._rows_in_training(spool)
        if not self.takes_all and spool.n_rows > self._wanted:
            random = np.random.default_rng(self._parameters.seed & (2**63 - 1))
            places = np.unique(random.integers(0, spool.n_rows, self._wanted))
            drawn = places if isinstance(drawn, slice) else places[drawn[places]]
        for f in self._ordered_features():
            yield f, [spool.feature(f)[drawn]]

    def _rows_in_training(self, spool: RowSpool) -> Bools | slice:
        """(n_rows,) the rows that bins are made of."""
        if self._in_training is None:
            return slice(None)
        found = self._in_training(spool.rows(0, spool.n_rows, self._format))
        return slice(None) if found is None else found

    def _chunks(self) -> list[list[int]]:
        """Features to be sampled together, so that their values fit the memory that they may take."""
        features = self._ordered_features()
        if self.takes_all:
            n_bytes, n_rows = self._parameters.memory_bytes, self._rows.sum()
        else:
            n_bytes, n_rows = _MAX_SAMPLE_BYTES, np.minimum(self._rows, self._wanted).sum()
        size = max(1, int(n_bytes // (8 * max(n_rows, 1))))
        return [features[i : i + size] for i in range(0, len(features), size)]

    def _sampled(self, chosen: Sequence[int]) -> list[RawRows]:
        """The sampled rows with some of their features, in parts."""
        source, seed = self._source, self._parameters.seed
        if self.takes_all:
            return [self._read_range(chosen, r, source.usable) for r in self._pages.ranges]
        if source.grouping:
            clause = source.from_clause(extra=self._drawn_of_groups())
        else:
            share = min(1.0, self._wanted / int(self._rows.sum()))
            clause = source.from_clause(f"{source.relation} {sql.sampled(share, seed)}", extra=source.usable)
        return [self._read(clause, chosen)]

    def _read_range(self, chosen: Sequence[int], page_range: PageRange, condition: str = "") -> RawRows:
        extra = f"{sql.PAGES} AND {condition}" if condition else sql.PAGES
        clause = self._source.from_clause(self._pages.relations[page_range.relation], extra=extra)
        return self._read(clause, chosen, page_range.bounds)

    def _read(self, clause: str, chosen: Sequence[int], bounds: Sequence[str] = ()) -> RawRows:
        """Rows of the large trees with some of their features; `tree` counts from 0. `bounds`: the $1 and $2 it has."""
        source = self._source
        # The target's numbers stay as they are: a class that the profile does not know is no missing target.
        keys = [self._format.category_keys[f] for f in chosen]
        narrow = RowFormat(self._format.has, None, keys, self._format.fold_keys)
        try:
            rows = narrow.read(self._images(clause, chosen, source.whole_arrays(chosen), bounds))
        except NullNumberError:
            rows = narrow.read(self._images(clause, chosen, None, bounds))
        if self._in_training is not None and (in_training := self._in_training(rows)) is not None:
            rows = rows.select(in_training)
        if rows.tree is None:
            return rows
        local = np.minimum(np.searchsorted(self._tree_ids, rows.tree), len(self._tree_ids) - 1)
        mine = self._tree_ids[local] == rows.tree
        return replace(rows, tree=local).select(mine)

    def _images(
        self, clause: str, chosen: Sequence[int], never_null: Sequence[bool] | None, bounds: Sequence[str]
    ) -> bytes | Floats:
        query = sql.images(self._source, clause, chosen, never_null)
        return read_images(self._host, self._source, query, [TID] * len(bounds), bounds, chosen)

    def _complete(self, few: dict[tuple[int, int], Floats]) -> dict[tuple[int, int], Floats]:
        """All distinct values of the features and trees that have few in the sample.

        Those that turn out to have more than the limit are left out: their bins stay those of the sample.
        """
        open_ = {key: _Known(values) for key, values in few.items()}
        for page_range in self._pages.ranges:
            chosen = sorted({f for _, f in open_})
            if not chosen:
                break
            rows = self._read_range(chosen, page_range)
            rows = rows.select(rows.usable())
            for (t, f), known in list(open_.items()):
                column = rows.features[chosen.index(f)]
                if rows.tree is not None:
                    column = column[rows.tree == t]
                known.add(column)
                if len(known) > self._limits.limit[t, f]:
                    del open_[t, f]
        return {key: known.values() for key, known in open_.items()}

    def _complete_of_all(self, few: dict[tuple[int, int], Floats], spool: RowSpool) -> dict[tuple[int, int], Floats]:
        """What `_complete` finds, from rows that are read once."""
        found, in_training = {}, self._rows_in_training(spool)
        for (t, f), values in few.items():
            known = _Known(values)
            known.add(spool.feature(f)[in_training])
            if len(known) <= self._limits.limit[t, f]:
                found[t, f] = known.values()
        return found


class _ByTree:
    """Rows in order of the trees that they are of."""

    def __init__(self, tree: Ints | None, n_trees: int) -> None:
        """`tree`: (n_rows,) from 0; None where there is one."""
        self._order = None if tree is None else stable_order(tree.astype(np.uint32))
        self._stops = None if tree is None else np.cumsum(np.bincount(tree, minlength=n_trees))[:-1]

    def parts(self, column: Floats) -> list[Floats]:
        """Of each tree the values of a column (n_rows,)."""
        if self._order is None or self._stops is None:
            return [column]
        return np.split(column.take(self._order), self._stops)


class _Known:
    """Distinct values, to which others are added. Where they are many, those that were there first are looked up."""

    def __init__(self, values: Floats, looked_up: int = _LOOKED_UP) -> None:
        """`looked_up`: values from which on they are."""
        self._looked_up = looked_up
        self._learn(values)

    def _learn(self, values: Floats) -> None:
        many = len(values) > self._looked_up
        self._keys = KeyEncoder(values, np.uint32) if many else None
        self._first: Floats = values if many else np.zeros(0)
        self._others: Floats = np.zeros(0) if many else values

    def __len__(self) -> int:
        return len(self._first) + len(self._others)

    def add(self, values: Floats) -> None:
        """Add what is new among `values`; NaN is none."""
        if self._keys is not None:
            values = values[self._keys.codes(values) == MISSING]
        self._others = _with_new(self._others, values)
        if self._keys is not None and len(self._others) * _FEW_OTHERS > len(self._first):
            self._learn(self.values())

    def values(self) -> Floats:
        """Ascending."""
        return np.sort(np.concatenate((self._first, self._others)))


def _with_new(known: Floats, values: Floats) -> Floats:
    """`known` (ascending) and what `values` hold beyond that, NaN aside."""
    if len(known):
        at = np.minimum(np.searchsorted(known, values), len(known) - 1)
        values = values[known[at] != values]
    values = values[~np.isnan(values)] + 0.0
    return np.union1d(known, values) if len(values) else known


def binned_features(bins: BinTable, kinds: Sequence[FeatureKind]) -> list[int]:
    """Indices of the ordered and continuous features of which some bin holds more than one value."""
    mixed = np.append(bins.lower != bins.upper, False)
    starts = bins.offsets.reshape(-1)
    some: Array = np.logical_or.reduceat(mixed, starts) & (bins.sizes.reshape(-1) > 0)
    mixed_features = [bool(column.any()) for column in some.reshape(bins.sizes.shape).T]
    return [f for f, kind in enumerate(kinds) if kind is not FeatureKind.UNORDERED and mixed_features[f]]
