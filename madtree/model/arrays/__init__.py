"""A model's trees read as arrays, checked, for whoever scores rows: in the server or in the client's process. Needs
numpy, which the room above does not.
"""

from __future__ import annotations

from madtree.model.arrays.categories import keys_of, keys_of_texts
from madtree.model.arrays.conformal import MOST_LEVELS, conformal_predictions, kept_quantiles, quantile_of_group
from madtree.model.arrays.leaf_outcomes import quantiles, read_leaf_outcomes
from madtree.model.arrays.scores import IsotonicArrays, expected, likeliest, masses, probabilities, shares
from madtree.model.arrays.trees import (
    ADJUSTED_AGREEMENT,
    ModelArrays,
    RefreshedGroups,
    RefreshedNodes,
    class_weights,
    node_weights,
    read_arrays,
)
