"""From raw values to a problem and its block, where all rows of the trees are in hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.learn.binning import Bins, BinTable, EdgeEncoder, TreeRows, merge_bins, rank_within
from madtree.learn.data import (
    Array,
    Block,
    Bools,
    CodeLayout,
    Codes,
    Coroutine,
    Floats,
    Grid,
    Ints,
    at_once,
    flat_nonzero,
    is_exact,
)
from madtree.learn.packing.raw_rows import RawRows, first_scores, on_grids, weighted, weighted_target
from madtree.learn.packing.scale import Scale
from madtree.learn.problem import FoldHashes, Problem, Replicas, rows_of_trees
from madtree.records import dataclass
from madtree.trees import (
    EXACT_LIMIT,
    FEW_ROWS,
    ORDERED_LIMIT,
    RANGED_NUMBERS,
    SUMMED_NUMBERS,
    WEIGHT,
    FeatureKind,
    OutcomeKind,
    Parameters,
)


@dataclass(frozen=True)
class BinLimits:
    """How many distinct values each feature may keep apart in each tree (n_trees, n_features), and into how many bins
    (n_features,) it goes beyond that.
    """

    limit: Ints
    n_bins: Ints

    @classmethod
    def choose(cls, kinds: Sequence[FeatureKind], n_bins: int, rows: Ints) -> BinLimits:
        """By kind (semantics, section 2); unordered features have no limit, and neither has a tree of few rows.

        Args:
            rows: (n_trees,) of each tree whose target, weight and group are known, whether or not a feature is.
        """
        unlimited = np.iinfo(np.int32).max
        if n_bins == 0:
            per_kind = {
                FeatureKind.CONTINUOUS: EXACT_LIMIT,
                FeatureKind.ORDERED: EXACT_LIMIT,
                FeatureKind.UNORDERED: unlimited,
            }
        else:
            per_kind = {
                FeatureKind.CONTINUOUS: n_bins,
                FeatureKind.ORDERED: max(n_bins, ORDERED_LIMIT),
                FeatureKind.UNORDERED: unlimited,
            }
        by_feature = np.array([per_kind[kind] for kind in kinds], np.int64)
        least = np.where(rows <= FEW_ROWS, FEW_ROWS, 0)  # as many rows have no more values
        limit = np.maximum(by_feature, least[:, None])
        return cls(limit, np.full(len(by_feature), n_bins or ORDERED_LIMIT, np.int64))


def preparing(
    rows: RawRows,
    n_trees: int,
    n_classes: int,
    kinds: Sequence[FeatureKind],
    parameters: Parameters,
    n_given: Ints | None = None,
    replicas: Replicas | None = None,
    in_training: Bools | None = None,
    given: RawRows | None = None,
) -> Coroutine[tuple[Problem, Block]]:
    """Bin usable rows, each tree by its own values, and put targets and weights on their grids, as a coroutine.

    Args:
        rows: usable rows only, at least one for each tree.
        n_classes: 0 for regression.
        n_given: (n_trees,) rows of each tree, by which bins are limited; as many as are `given` if None.
        replicas: that the grids must have room for. The problem has none, nor those of folds.
        in_training: (n_rows,) the rows by whose values bins of ordered and continuous features are found; None for all.
        given: the rows that are `known`, with those that have no feature, in whose place they may have none: the
            ranges of numbers go by all of them, as where rows are too many to be looked at first. None for `rows`.
    """
    scale = _scale(rows if given is None else given, n_trees, parameters.outcome)
    limits = BinLimits.choose(kinds, parameters.n_bins, scale.rows if n_given is None else n_given)
    codes, bins = yield from _bin(rows, n_trees, limits, kinds, in_training)
    drawn = scale if replicas is None else scale.drawn(replicas)
    limbs = 1 if _one_limb_will_do(rows, drawn, n_classes == 0) else 2
    problem = Problem(
        parameters=parameters,
        bins=bins,
        unordered=np.array([kind is FeatureKind.UNORDERED for kind in kinds], np.bool_),
        n_trees=n_trees,
        rows=scale.rows,
        n_classes=n_classes,
        **drawn.grids(rows.weight is not None, n_classes == 0, limbs),  # type: ignore[arg-type]
        **scale.of_problem(),
    )
    fold = _folds(rows, n_trees, parameters)
    block = Block(codes, *on_grids(problem, rows), rows.tree, fold, rows.identity, first_scores(problem, rows))
    return problem, block


prepare = at_once(preparing)


def _folds(rows: RawRows, n_trees: int, parameters: Parameters) -> Array | None:
    """(n_rows,) uint8 fold of each row of whole trees; None without folds. Of boosted trees fold 1 is held out, without
    cross-validation.
    """
    if rows.fold is not None:
        return rows.fold.astype(np.uint8)
    if not parameters.n_folds:
        return None
    assert rows.identity is not None
    hashes = FoldHashes(np.zeros(n_trees, np.int64), parameters.n_folds, parameters.seed)
    ends = hashes.ends(hashes.counted(rows.identity, rows.tree))
    assert ends is not None  # since all hashes were told
    return hashes.folds(rows.identity, rows.tree, ends, parameters.seed)


def _bin(
    rows: RawRows, n_trees: int, limits: BinLimits, kinds: Sequence[FeatureKind], in_training: Bools | None
) -> Coroutine[tuple[Codes, BinTable]]:
    n_features, n_rows = len(rows.features), len(rows.target)
    sizes = np.zeros((n_trees, n_features), np.int32)
    columns, lowers, uppers = [], [], []
    chosen = None if in_training is None else flat_nonzero(in_training)
    of_all = rows.tree, TreeRows(rows.tree, n_trees, n_rows)
    of_training = of_all
    if chosen is not None:
        tree = None if rows.tree is None else rows.tree.take(chosen)
        of_training = tree, TreeRows(tree, n_trees, len(chosen))
    for f in range(n_features):
        yield
        values, all_count = rows.features[f], chosen is None or kinds[f] is FeatureKind.UNORDERED
        tree, trees = of_all if all_count else of_training
        ranked = rank_within(values if all_count else values[chosen], trees)
        column, size, starts, ends = merge_bins(ranked, tree, limits.limit[:, f], int(limits.n_bins[f]))
        sizes[:, f], distinct = size, ranked.distinct
        lowers.append(distinct if ends is starts else distinct[starts])
        uppers.append(distinct if ends is starts else distinct[ends])
        if not all_count:
            column = _codes(values, rows.tree, lowers[-1], uppers[-1], size)
        columns.append(column.astype(np.uint16))
    every = all(lower is upper for lower, upper in zip(lowers, uppers, strict=True))  # values have bins of their own
    lower, flat = np.concatenate(lowers), sizes.T.ravel().astype(np.int64)  # feature by feature, as they are found
    offsets = (np.cumsum(flat) - flat).reshape(n_features, n_trees).T
    bins = BinTable(sizes, lower, lower if every else np.concatenate(uppers), offsets)
    codes = CodeLayout.for_widths(bins.widths).empty(n_rows)
    for f, column in enumerate(columns):
        codes.column(f)[:] = column
    return codes, bins


def _codes(values: Floats, tree: Ints | None, lower: Floats, upper: Floats, sizes: Ints) -> Array:
    """(n_rows,) uint16 the codes of values by bins, of which each tree has some (n_trees,), tree by tree."""
    codes = np.zeros(len(values), np.uint16)
    starts = np.cumsum(sizes) - sizes
    for number, mine in [(0, np.arange(len(values)))] if tree is None else rows_of_trees(tree):
        span = slice(int(starts[number]), int(starts[number] + sizes[number]))
        if sizes[number]:  # else no row that bins are made of has a value, and no split asks for it
            codes[mine] = EdgeEncoder(Bins(lower[span], upper[span]).edges, np.uint16).codes(values[mine])
    return codes


def _scale(rows: RawRows, n_trees: int, outcome: OutcomeKind) -> Scale:
    owner = np.zeros(len(rows.target), np.int64) if rows.tree is None else rows.tree
    counts = np.bincount(owner, minlength=n_trees)
    targets = np.zeros((2, n_trees)) if outcome.of_classes else _ends(rows.target, owner, n_trees)
    heaviest = np.ones(n_trees) if rows.weight is None else _ends(rows.weight, owner, n_trees)[1]
    columns = {each.name: getattr(rows, each.name) for each in RANGED_NUMBERS}
    ranges = {name: _ends(column, owner, n_trees) for name, column in columns.items() if column is not None}
    is_centred = outcome.of_classes or outcome.is_centred
    return Scale.of(counts, targets, heaviest, False, ranges, is_centred=is_centred)


def _ends(values: Floats, owner: Ints, n_trees: int) -> Floats:
    """(2, n_trees) the smallest and the largest of the values of each tree's rows."""
    least, most = np.full(n_trees, np.inf), np.full(n_trees, -np.inf)
    np.minimum.at(least, owner, values)
    np.maximum.at(most, owner, values)
    return np.stack((least, most))


def _one_limb_will_do(rows: RawRows, scale: Scale, regression: bool) -> bool:
    grids = scale.grids(rows.weight is not None, regression, 1)

    def exact(grid: Grid | None, values: Floats | None) -> bool:
        return grid is None or values is None or is_exact(values, grid, rows.tree)

    for each in SUMMED_NUMBERS:
        column = getattr(rows, each.name)
        summed = column if column is None or each is WEIGHT else weighted(rows, column)
        if not exact(grids[f"{each.name}_grid"], summed):
            return False
    return not regression or exact(grids["target_grid"], weighted_target(rows, scale.centre))
