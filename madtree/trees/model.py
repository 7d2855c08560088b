"""A trained model as plain values: what the renderers, the scorer and the model tables have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from math import fsum

from madtree.records import dataclass
from madtree.trees.criteria import is_of_counts
from madtree.trees.features import Categories, Feature, node_layout
from madtree.trees.kinds import SINGLE, TREE, ModelKind, Numbering, kind_of_method
from madtree.trees.losses import LOSSES, DeclaredLoss
from madtree.trees.node_record import NodeLayout
from madtree.trees.row_numbers import EXPOSURE, OFFSET, WEIGHT


@dataclass(frozen=True)
class Surrogate:
    """One row of `<output>_surrogates`: a split that stands in for a node's own where that cannot tell.

    Attributes:
        feature: name of the feature, another one than the node's.
        threshold: of an ordered or continuous feature, else None.
        left_levels, right_levels: categories of an unordered feature, else None; the split cannot tell of others.
        low_goes_left: whether `feature <= threshold` goes left; True for an unordered feature.
        agreement: share of weight that it sends the way the node's own split does.
        adjusted_agreement: the same beyond what going with the majority would reach.
    """

    feature: str
    threshold: float | None
    left_levels: Categories | None
    right_levels: Categories | None
    low_goes_left: bool
    agreement: float
    adjusted_agreement: float


@dataclass(frozen=True)
class Competitor:
    """One row of `<output>_competitors`: the best split by another feature than the node's own, as in `Node`."""

    feature: str
    threshold: float | None
    left_levels: Categories | None
    right_levels: Categories | None
    improvement: float

    @property
    def low_goes_left(self) -> bool:
        """As for `Node`."""
        return True


@dataclass(frozen=True)
class Node:
    """One row of `<output>_nodes` (design, section 5.5), with its surrogates and competitors, the best ones first.

    Competitors are read for who shows them; they decide nothing.
    """

    node_id: int
    depth: int
    is_leaf: bool
    feature: str | None
    threshold: float | None  # ordered and continuous: true branch is feature <= threshold
    left_levels: Categories | None  # unordered: true branch; booleans as 'true' / 'false'
    right_levels: Categories | None  # unordered: false branch; the split cannot tell of others
    majority_left: bool | None
    n_rows: int
    weight: float
    impurity: float
    risk: float
    complexity: float
    improvement: float | None
    prediction: str | float | None  # a class label as text, or the mean
    class_weights: tuple[float, ...] | None  # of the rows of each class, times what the class counts
    surrogates: tuple[Surrogate, ...] = ()
    competitors: tuple[Competitor, ...] = ()

    @property
    def weight_by_class(self) -> float:
        """The weight that impurity and gain are about: the weight of the rows, times what their classes count."""
        return self.weight if self.class_weights is None else fsum(self.class_weights)

    @property
    def low_goes_left(self) -> bool:
        """As a surrogate has it; a node's own split always sends low values left."""
        return True

    @property
    def parent_id(self) -> int | None:
        return None if self.node_id == 0 else (self.node_id - 1) // 2

    @property
    def left_id(self) -> int:
        return 2 * self.node_id + 1

    @property
    def right_id(self) -> int:
        return 2 * self.node_id + 2


Split = Node | Surrogate | Competitor  # what has a feature, and a threshold or categories


@dataclass(frozen=True)
class Tree:
    """One tree: its nodes by id, and the values of its grouping columns as SQL text (``None`` where not grouped).

    `seen_categories` are, where NULL is a category in one of its splits, those of each unordered feature that were seen
    in its training: any other goes NULL's way. Else it is empty.
    """

    tree_id: int
    nodes: Mapping[int, Node]
    group: tuple[str, ...] = ()
    n_rows: int = 0
    seen_categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def path(self, node_id: int) -> list[tuple[Node, bool]]:
        """The inner nodes from the root to the node, without it, each with whether the way goes left there."""
        branches = []
        while node_id > 0:
            parent = (node_id - 1) // 2
            branches.append((self.nodes[parent], node_id == 2 * parent + 1))
            node_id = parent
        return branches[::-1]

    def leaves_below(self, depth: int) -> dict[int, int]:
        """Of each inner node at that depth the number of leaves below it."""
        found: dict[int, int] = {}
        for number, node in self.nodes.items():
            if node.is_leaf and node.depth > depth:
                ancestor = ((number + 1) >> (node.depth - depth)) - 1
                found[ancestor] = found.get(ancestor, 0) + 1
        return found

    def leaves(self) -> list[Node]:
        """The leaves from left to right; none of a group that failed."""
        found, waiting = [], [0] if self.nodes else []
        while waiting:
            node = self.nodes[waiting.pop()]
            if node.is_leaf:
                found.append(node)
            else:
                waiting += [node.right_id, node.left_id]
        return found


@dataclass(frozen=True)
class Equality:
    """An operator "equals" with its schema, and the type that its operands are cast to, as SQL; empty: none."""

    operator: str
    type_: str = ""


@dataclass(frozen=True)
class Model:
    """A model as read back from its tables.

    Attributes:
        name: the output name as the user gave it.
        kind: of model.
        numbering: which trees are of which group.
        source_table: the training table as the user gave it.
        id_column: the id column or expression, as SQL.
        dependent: the dependent variable, as SQL (quoted where needed).
        dependent_type: SQL type of the dependent.
        dependent_name: what columns of its predictions are called after, unquoted; empty: as the dependent.
        is_classification: otherwise regression, or rates of counted events.
        classes: class labels as text, in the dependent's SQL order; empty for regression.
        features: in the order of `independent_varnames`.
        grouping_columns: of `<output>`, as SQL, with `grouping_types` their SQL types, and `grouping_equals` the
            operators of these; empty for pg_catalog's.
        grouping_expressions: SQL of their values in a row of the data; empty where these are columns of the same names.
        trees: by ascending tree_id.
        categories: with null_as_category, those of each unordered feature that were seen in training, for all trees
            together or by the group's number; NULL is not listed.
        numbers: SQL of each of `ROW_NUMBERS` that rows have, by its name.
    """

    name: str
    source_table: str
    id_column: str
    dependent: str
    dependent_type: str
    is_classification: bool
    classes: tuple[str, ...]
    features: tuple[Feature, ...]
    grouping_columns: tuple[str, ...] = ()
    grouping_types: tuple[str, ...] = ()
    grouping_equals: tuple[Equality, ...] = ()
    trees: tuple[Tree, ...] = ()
    categories: Mapping[str, tuple[str, ...] | Mapping[int, tuple[str, ...]]] = field(default_factory=dict)
    summary: dict[str, object] = field(default_factory=dict)
    dependent_name: str = ""
    grouping_expressions: tuple[str, ...] = ()
    numbers: Mapping[str, str] = field(default_factory=dict)
    kind: ModelKind = TREE
    numbering: Numbering = SINGLE

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return WEIGHT.name in self.numbers

    @property
    def exposure(self) -> str | None:
        """SQL of that over which the dependent counts events; None where over 1 in each row."""
        return self.numbers.get(EXPOSURE.name)

    @property
    def offsets(self) -> str | None:
        """SQL of what is added to each row's score; None where nothing is."""
        return self.numbers.get(OFFSET.name)

    @property
    def has_class_leaves(self) -> bool:
        """Whether its leaves say classes, and not numbers."""
        return self.is_classification and not self.kind.says_numbers

    @property
    def adds_scores(self) -> bool:
        """Whether its leaves say what they add to a raw score: a boosted model, and one of its trees by itself."""
        return kind_of_method(self.summary.get("method")).says_numbers

    @property
    def has_weighted_nodes(self) -> bool:
        """Whether its nodes have weights that do not follow from the numbers of their rows."""
        return self.weighted or self.kind.says_numbers

    @property
    def loss(self) -> DeclaredLoss:
        """That a boosted model has lowered; raises KeyError where its summary names none."""
        return LOSSES[str(self.summary["loss"])]

    @property
    def loss_quantile(self) -> float | None:
        """Of its loss, where that has one."""
        return float(str(self.summary["quantile"])) if self.loss.takes_quantile else None

    @property
    def n_scores(self) -> int:
        """Scores of a row of a boosted model, and so trees of a round; 1 of a kind without a loss."""
        return self.loss.n_scores(len(self.classes)) if "loss" in self.summary else 1

    @property
    def n_members(self) -> int:
        """Trees of a group, at most."""
        return self.numbering.most

    @property
    def as_single_trees(self) -> Model:
        """One of its trees is a model by itself, whatever the others are to the whole."""
        single = replace(self, kind=TREE, numbering=SINGLE)
        if self.kind.says_numbers:
            single = replace(single, is_classification=False, classes=(), dependent_type="double precision")
        return single

    @property
    def of_counts(self) -> bool:
        """Whether the model predicts rates of events, and impurities are mean deviances."""
        return is_of_counts(self.summary.get("split_criterion"))

    @property
    def target(self) -> str:
        """The name of what is predicted."""
        return self.dependent_name or self.dependent

    @property
    def grouping(self) -> tuple[str, ...]:
        """SQL of the grouping columns' values in a row of the data."""
        return self.grouping_expressions or self.grouping_columns

    @property
    def node_layout(self) -> NodeLayout:
        """How nodes are packed, where they are."""
        n_classes = len(self.classes) if self.has_class_leaves else None
        return node_layout(self.features, n_classes, weighted=self.has_weighted_nodes)

    def categories_of(self, tree_id: int) -> dict[str, tuple[str, ...]]:
        """What `categories` says of one tree."""
        group = self.numbering.group(tree_id)
        return {
            name: seen.get(group, ()) if isinstance(seen, Mapping) else seen for name, seen in self.categories.items()
        }

    @property
    def feature_names(self) -> list[str]:
        """In their order."""
        return [feature.name for feature in self.features]

    def feature(self, name: str) -> Feature:
        """The feature of that name. Raises KeyError if the model has none."""
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Feature]:
        return {feature.name: feature for feature in reversed(self.features)}
