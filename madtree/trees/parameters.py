"""The learner's parameters, as plain values, among them how much each class counts; and how large the parts of a model
can be: training refuses more, and so does whoever reads a model. Somebody else may have written a model's tables. What
is larger than these is not fetched into Python.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from sys import float_info
from typing import TypeVar

from madtree.records import dataclass
from madtree.trees.criteria import CRITERIA, OF_BOOSTING, DeclaredCriterion, OutcomeKind
from madtree.trees.losses import GRADIENT
from madtree.wording import count_text

BALANCED = "balanced"  # the class weights that let all classes of a tree count alike
PRIOR_SUM = 1e-6  # by how much the sum of priors may differ from 1
MOST_CLASS_PARAMS = 1_000  # classes up to which they may be given
LEAST_CLASS_PARAM, LARGEST_CLASS_PARAM = 1e-9, 1e9  # of priors and class weights; losses may be 0, too


@dataclass(frozen=True)
class ClassParams:
    """What `class_params` says; the classes are in their order. Values are checked by whoever builds this.

    Attributes:
        prior: (K,) the share of each class among the rows that a tree is meant for, none 0, as rpart's
            `parms$prior`; None for the training rows' own.
        loss: (K * K,) row by row: what it costs to predict the second class where the first one is true, as rpart's
            `parms$loss`; None where every mistake costs 1.
        class_weight: (K,) by what the weights of each class's rows are multiplied; or "balanced": by what lets all
            classes that a tree has count alike (scikit-learn); None for 1. Not with a prior, which says the same.
    """

    prior: tuple[float, ...] | None = None
    loss: tuple[float, ...] | None = None
    class_weight: tuple[float, ...] | str | None = None

    def fault(self, n_classes: int) -> str | None:
        """What does not fit a target with so many classes: which numbers, how many there are and should be."""
        for name, given, wanted in (
            ("prior", self.prior, n_classes),
            ("loss", self.loss, n_classes * n_classes),
            ("class_weight", None if self.class_weight == BALANCED else self.class_weight, n_classes),
        ):
            if given is not None and len(given) != wanted:
                return f"{name} has {count_text(len(given), 'number')}, and there should be {wanted}"
        return None


MOST_FEATURES = 2**16  # columns, expressions and elements of arrays; a table has at most 1,600 columns
MOST_EXPRESSION_BYTES = 2**18  # of a feature, the dependent variable, a weight, a group, a class, a category: in UTF-8
MOST_LIST_BYTES = 2**26  # of all features, their names in one text, or all classes: in UTF-8
MOST_GROUPING_COLUMNS = 1600  # columns of a table of PostgreSQL's
MAX_CLASSES = 65_535
MAX_CATEGORIES = 65_534  # of a feature, but for NULL
MOST_LABELS = 2**20  # of an enum
MOST_NAMED = 20_000_000  # categories that nodes name, of one list: whoever scores needs some 90 bytes for each
MOST_STORED = 44_000_000  # categories in the lists of all splits of a model, likewise


FEW_CATEGORIES = 4  # of a feature, up to which boosted trees part them without guards: LightGBM's max_cat_to_onehot
MAX_DEPTH_LIMIT = 60  # node ids are 2i+1 and 2i+2 in a bigint
EXACT_LIMIT = 65_000  # distinct values a feature may have under n_bins = 0
ORDERED_LIMIT = 1_024  # distinct values up to which an ordered feature keeps every boundary
FEW_ROWS = 4_096  # rows of a tree up to which every feature keeps every boundary, whatever n_bins says


MOST_FOLDS = 255
MOST_COST = 1e100  # of a feature; the least is its inverse
UNPRUNED = -1.0  # the cp at which trees are left as they are grown, as at any below 0
MOST_SURROGATES = 2**15
MOST_COMPETITORS = 2**15
_MOST_ROWS = 2**40
_MOST_MEMORY = 2**40  # bytes: 2**20 MB
_T = TypeVar("_T")


SAMPLINGS = ("poisson", "without_replacement", "none")  # of rows, for the trees of a forest
BEST, RANDOM = "best", "random"
SPLIT_RULES = (BEST, RANDOM)  # of forests


@dataclass(frozen=True)
class ForestParameters:
    """What a random forest has beyond its trees' parameters.

    Attributes:
        n_trees: of each group.
        n_drawn: features that are drawn for each node, at least 1.
        sampling: "poisson", with replacement, "without_replacement", or "none", every row once.
        kept: share of the rows that each tree's sample is drawn from, above 0 up to 1.
        n_permutations: of each feature among a tree's out-of-bag rows; 0 for no permutation importance.
        split_rule: "best", or "random": one split that is drawn for each feature of a node, the best of these is taken.
    """

    n_trees: int
    n_drawn: int
    sampling: str = "poisson"
    kept: float = 1.0
    n_permutations: int = 0
    split_rule: str = BEST


MOST_ROUNDS = 2**20  # of boosting
ORDERED = "ordered"
CATEGORY_ENCODINGS = ("none", ORDERED)  # of boosting: what splits compare of an unordered feature
LEAST_RATE = 1e-3  # of rows that are drawn for a tree, and count for all others


@dataclass(frozen=True)
class BoostParameters:
    """What a boosted model has beyond its trees' parameters.

    Attributes:
        loss: name of one of `LOSSES`.
        n_rounds: at most.
        subsample: share of the rows that each round's trees are grown on.
        feature_fraction: share of the features that each tree may be split by.
        held_out: share of the rows that are held out to stop by; 0 for none.
        patience: rounds without a lower loss of the rows held out, after which no more are grown.
        tolerance: by how much a loss must be lower to count as such.
        loss_quantile: of the loss "quantile", the one that is predicted; of "huber", that of the absolute errors from
            which on they count by their sign; None of other losses.
        held_out_by: the column that tells which rows are held out to stop by, as it was given; None where none does.
        correct_prior: whether the scores to begin with are, in the end, those of rows without class weights.
        top_rate, other_rate: shares of the rows, those with the largest gradients, on which a tree is grown, and others
            that are drawn; all rows where the first is 1.
        method: name of one of `METHODS`.
    """

    loss: str
    n_rounds: int
    subsample: float = 1.0
    feature_fraction: float = 1.0
    held_out: float = 0.0
    patience: int = 10
    tolerance: float = 1e-7
    loss_quantile: float | None = None
    held_out_by: str | None = None
    correct_prior: bool = False
    top_rate: float = 1.0
    other_rate: float = 0.1
    method: str = GRADIENT

    @property
    def draws_by_gradient(self) -> bool:
        """Whether trees are grown on rows by the size of their gradients."""
        return self.top_rate < 1

    @property
    def has_held_out(self) -> bool:
        """Whether rows are held out to stop by."""
        return self.held_out > 0 or self.held_out_by is not None

    @property
    def draws_rows(self) -> bool:
        """Whether rows have to tell an identity."""
        return self.subsample < 1 or self.held_out > 0 or self.draws_by_gradient


EnsembleParameters = ForestParameters | BoostParameters


def _ranged(default: _T, low: float, high: float) -> _T:
    """A parameter whose values are from `low` to `high`, whoever sends them: whole numbers where `low` is one."""
    made: _T = field(default=default, metadata={"range": (low, high)})
    return made


@dataclass(frozen=True)
class Parameters:
    """How to grow and prune (semantics, sections 1 to 5). Values are checked by whoever builds this.

    Attributes:
        criterion: name of one of `CRITERIA`.
        max_depth: 0 to 60; the root has depth 0.
        min_split: rows that a node needs to be split.
        min_bucket: rows that each side of a split must keep.
        n_bins: quantile bins of a continuous feature; 0 for every boundary, which a tree of at most
            `FEW_ROWS` rows keeps anyhow.
        cp: complexity parameter, relative to the root's risk; below 0, trees are not pruned.
        n_folds: cross-validation folds, 0 for none; with `fold_col` the number of its values.
        rule: "min" or "1se".
        fold_col: SQL of the column that holds the folds, or None.
        max_surrogates, surrogate_style, null_as_category: semantics, section 4.
        seed: of the sample and the folds.
        memory_bytes: budget for histograms, blocks and positions.
        max_leaf_nodes: of the tree before it is pruned, at least 2, by the splits that gain most
            (learn.grow.policy); None for any number.
        min_impurity_decrease: gain that a split needs, as a share of the weight of the whole tree.
        class_params: how much each class counts; None for all alike.
        shrink: of counts, the coefficient of variation of the prior of each node's rate, which pulls it towards the
            root's; 0 for none (rpart's `parms$shrink`).
        feature_costs: what gains of splits by each feature are divided by, to be compared and told; empty where all are
            1.
        max_competitors: splits by other features that are told of each node, the best ones first.

        Of boosted trees (learn.criteria.newton):
        learning_rate: by what leaves' values are multiplied.
        l2: penalty of leaves' values.
        limits_steps: whether these are limited, as `learn.losses.leaf_steps` says.
        keeps_outcomes: whether blocks hold outcomes beside weight times outcome: that divided by the weight again is
            not the same for all rows with the same outcome.
        min_gain: that each split must exceed.
        cat_smooth: hessian by which categories are drawn to 0 before they are put in order.
        cat_l2, max_cat_threshold, min_data_per_group: of splits of features with more than `FEW_CATEGORIES`
            categories: penalty of the two sides' values, beside `l2`; categories on one of them, at most; rows by which
            it has more than that of the candidate before, at least (learn.split.category_order).
        monotone: of each feature 1, -1 or 0: where rows have larger values of it, scores must not be lower, or not
            higher, all else equal; empty where all are 0.
        interactions: groups of features; all splits on the path to a leaf are by features of one of them, at least.
            Empty where all may be together.
    """

    criterion: str = "gini"
    max_depth: int = _ranged(10, 0, MAX_DEPTH_LIMIT)
    min_split: int = _ranged(20, 0, _MOST_ROWS)
    min_bucket: int = _ranged(6, 0, _MOST_ROWS)
    n_bins: int = _ranged(100, 0, EXACT_LIMIT)
    cp: float = _ranged(0.0, UNPRUNED, float_info.max)
    n_folds: int = _ranged(0, 0, MOST_FOLDS)
    rule: str = "min"
    fold_col: str | None = None
    max_surrogates: int = _ranged(0, 0, MOST_SURROGATES)
    surrogate_style: int = _ranged(0, 0, 1)
    null_as_category: bool = False
    seed: int = _ranged(1, -(2**63), 2**63 - 1)
    memory_bytes: int = _ranged(64 * 2**20, 0, _MOST_MEMORY)
    max_leaf_nodes: int | None = _ranged(None, 2, _MOST_ROWS)
    min_impurity_decrease: float = _ranged(0.0, 0.0, float_info.max)
    class_params: ClassParams | None = None
    shrink: float = _ranged(1.0, 0.0, float_info.max)
    feature_costs: tuple[float, ...] = ()
    max_competitors: int = _ranged(0, 0, MOST_COMPETITORS)
    learning_rate: float = _ranged(0.1, 0.0, float_info.max)
    l2: float = _ranged(0.0, 0.0, float_info.max)
    min_gain: float = _ranged(0.0, 0.0, float_info.max)
    cat_smooth: float = _ranged(10.0, 0.0, float_info.max)
    cat_l2: float = _ranged(10.0, 0.0, float_info.max)
    max_cat_threshold: int = _ranged(32, 1, MAX_CATEGORIES)
    min_data_per_group: int = _ranged(100, 1, _MOST_ROWS)
    monotone: tuple[float, ...] = ()
    interactions: tuple[tuple[int, ...], ...] = ()
    limits_steps: bool = False
    keeps_outcomes: bool = False

    @property
    def declared(self) -> DeclaredCriterion:
        """The criterion; raises KeyError where none has its name."""
        return CRITERIA.get(self.criterion) or OF_BOOSTING[self.criterion]

    @property
    def outcome(self) -> OutcomeKind:
        """What the criterion is for; raises KeyError where none has its name."""
        return self.declared.outcome

    def fit(self, n_features: int) -> bool:
        """Whether what they say of features is of so many."""
        of_each = all(len(each) in (0, n_features) for each in (self.feature_costs, self.monotone))
        return of_each and max(map(max, self.interactions), default=0) < n_features

    @property
    def draws_folds(self) -> bool:
        """Whether folds are drawn, by the rows' ids."""
        return self.n_folds > 0 and self.fold_col is None

    @property
    def has_competitors(self) -> bool:
        """Whether splits are told that a node's own has won against."""
        return self.max_competitors > 0

    @property
    def wants_best_alone(self) -> bool:
        """Whether of all splits of a node the best one is wanted, by its gain as it is: no other needs to be known."""
        return not self.feature_costs and not self.has_competitors


# Risks are sums of fractional weights or of squares: a difference of less than this share of the root's risk is
# rounding.
ROUNDING = 1e-13


def distinct_complexities(complexities: Iterable[float], root_risk: float) -> list[float]:
    """Those that are different by more than rounding, falling; of such that are not, the largest.

    Pruning at the largest takes away the splits of all of them.

    Args:
        root_risk: the risk of the tree's root in their unit: 1 where they are relative to it.
    """
    found: list[float] = []
    for complexity in sorted(set(complexities), reverse=True):
        if not found or found[-1] - complexity > ROUNDING * root_risk:
            found.append(complexity)
    return found
