"""The learner's parameters, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from madtree.trees.class_params import ClassParams
from madtree.trees.criteria import CRITERIA, OutcomeKind

MAX_DEPTH_LIMIT = 60  # node ids are 2i+1 and 2i+2 in a bigint
EXACT_LIMIT = 65_000  # distinct values a feature may have under n_bins = 0
ORDERED_LIMIT = 1_024  # distinct values up to which an ordered feature keeps every boundary
FEW_ROWS = 4_096  # rows of a tree up to which every feature keeps every boundary, whatever n_bins says


MOST_FOLDS = 255
MOST_COST = 1e100  # of a feature; the least is its inverse
UNPRUNED = -1.0  # the cp at which trees are left as they are grown, as at any below 0
MOST_SURROGATES = 2**15
MOST_COMPETITORS = 2**15


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
    """

    criterion: str = "gini"
    max_depth: int = 10
    min_split: int = 20
    min_bucket: int = 6
    n_bins: int = 100
    cp: float = 0.0
    n_folds: int = 0
    rule: str = "min"
    fold_col: str | None = None
    max_surrogates: int = 0
    surrogate_style: int = 0
    null_as_category: bool = False
    seed: int = 1
    memory_bytes: int = 64 * 2**20
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    class_params: ClassParams | None = None
    shrink: float = 1.0
    feature_costs: tuple[float, ...] = ()
    max_competitors: int = 0

    @property
    def outcome(self) -> OutcomeKind:
        """What the criterion is for; raises KeyError where none has its name."""
        return CRITERIA[self.criterion].outcome
