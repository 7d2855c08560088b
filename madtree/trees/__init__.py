"""A trained tree as plain values: the parameters that it was grown by, its features, nodes and surrogates, a threshold
in the feature's own type, and the direction that a row takes at a node. Everybody who reads, draws, explains or scores
a model speaks of these. Knows no database and no numpy.
"""

from __future__ import annotations

from madtree.trees.class_params import (
    BALANCED,
    LARGEST_CLASS_PARAM,
    LEAST_CLASS_PARAM,
    MOST_CLASS_PARAMS,
    PRIOR_SUM,
    ClassParams,
)
from madtree.trees.direction import Direction, Value, comparable, find_direction, is_missing
from madtree.trees.model import Categories, Competitor, Feature, Kind, Model, Node, Split, Surrogate, Tree
from madtree.trees.node_record import FIELD_SIZES, RECORD_FLOATS, fixed_size, record_fields
from madtree.trees.parameters import (
    BEST,
    CRITERIA_OF_CLASSES,
    CRITERIA_OF_NUMBERS,
    EXACT_LIMIT,
    FEW_ROWS,
    MAX_DEPTH_LIMIT,
    MOST_COMPETITORS,
    MOST_COST,
    MOST_FOLDS,
    MOST_SURROGATES,
    ORDERED_LIMIT,
    POISSON,
    RANDOM,
    SAMPLINGS,
    SPLIT_RULES,
    UNPRUNED,
    ForestParameters,
    Parameters,
)
from madtree.trees.threshold import (
    MOMENTS,
    RANGES,
    duration_text,
    first_right_label,
    last_decimal,
    last_left,
    moment_text,
)

__all__ = [
    "BALANCED",
    "BEST",
    "CRITERIA_OF_CLASSES",
    "CRITERIA_OF_NUMBERS",
    "EXACT_LIMIT",
    "FEW_ROWS",
    "FIELD_SIZES",
    "LARGEST_CLASS_PARAM",
    "LEAST_CLASS_PARAM",
    "MAX_DEPTH_LIMIT",
    "MOMENTS",
    "MOST_CLASS_PARAMS",
    "MOST_COMPETITORS",
    "MOST_COST",
    "MOST_FOLDS",
    "MOST_SURROGATES",
    "ORDERED_LIMIT",
    "POISSON",
    "PRIOR_SUM",
    "RANDOM",
    "RANGES",
    "RECORD_FLOATS",
    "SAMPLINGS",
    "SPLIT_RULES",
    "UNPRUNED",
    "Categories",
    "ClassParams",
    "Competitor",
    "Direction",
    "Feature",
    "ForestParameters",
    "Kind",
    "Model",
    "Node",
    "Parameters",
    "Split",
    "Surrogate",
    "Tree",
    "Value",
    "comparable",
    "duration_text",
    "find_direction",
    "first_right_label",
    "fixed_size",
    "is_missing",
    "last_decimal",
    "last_left",
    "moment_text",
    "record_fields",
]
