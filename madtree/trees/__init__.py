"""A trained tree as plain values: the parameters that it was grown by, its features, nodes and surrogates, a threshold
in the feature's own type, and the direction that a row takes at a node. Everybody who reads, draws, explains or scores
a model speaks of these. Knows no database and no numpy.
"""

from __future__ import annotations

from madtree.trees.calibration import CalibrationMap, FittedMaps, IsotonicFunction, SigmoidFunction
from madtree.trees.criteria import (
    CLASSES,
    COUNTS,
    CRITERIA,
    METRICS,
    NEWTON,
    NUMBERS,
    OF_BOOSTING,
    VOTES,
    DeclaredCriterion,
    Metric,
    OutcomeKind,
    criteria_of,
    is_of_counts,
)
from madtree.trees.direction import Direction, Value, comparable, find_direction, is_missing
from madtree.trees.features import Categories, Feature, FeatureKind, node_layout
from madtree.trees.kinds import (
    BOOSTED,
    FOREST,
    KINDS,
    SINGLE,
    TREE,
    Joining,
    Members,
    ModelKind,
    Numbering,
    kind_of_method,
)
from madtree.trees.losses import (
    GRADIENT,
    ISOTONIC,
    LOSSES,
    METHODS,
    SIGMOID,
    BoostMethod,
    DeclaredLoss,
    LeafValue,
    Link,
    loss_fault,
    losses_of,
)
from madtree.trees.model import Competitor, Equality, Model, Node, Split, Surrogate, Tree
from madtree.trees.node_record import FIELD_SIZES, MOST_ROWS_IN_BAG, NodeLayout
from madtree.trees.parameters import (
    BALANCED,
    CATEGORY_ENCODINGS,
    EXACT_LIMIT,
    FEW_CATEGORIES,
    FEW_ROWS,
    LARGEST_CLASS_PARAM,
    LEAST_CLASS_PARAM,
    LEAST_RATE,
    MAX_CATEGORIES,
    MAX_CLASSES,
    MAX_DEPTH_LIMIT,
    MOST_CLASS_PARAMS,
    MOST_COMPETITORS,
    MOST_COST,
    MOST_EXPRESSION_BYTES,
    MOST_FEATURES,
    MOST_FOLDS,
    MOST_GROUPING_COLUMNS,
    MOST_LABELS,
    MOST_LIST_BYTES,
    MOST_NAMED,
    MOST_ROUNDS,
    MOST_STORED,
    MOST_SURROGATES,
    ORDERED,
    ORDERED_LIMIT,
    PRIOR_SUM,
    RANDOM,
    ROUNDING,
    SAMPLINGS,
    SPLIT_RULES,
    UNPRUNED,
    BoostParameters,
    ClassParams,
    EnsembleParameters,
    ForestParameters,
    Parameters,
    distinct_complexities,
)
from madtree.trees.row_numbers import (
    EXPOSURE,
    OFFSET,
    OWN_NUMBERS,
    RANGED_NUMBERS,
    ROW_NUMBERS,
    SUMMED_NUMBERS,
    WEIGHT,
    RowNumber,
)
from madtree.trees.threshold import (
    INTEGERS,
    MICROSECONDS,
    MOMENTS,
    RANGES,
    duration_text,
    first_right_label,
    last_decimal,
    last_duration,
    last_left,
    moment_text,
)
