"""What is summed over the rows of leaves once trees are grown, for risks that do not follow from histograms."""

from __future__ import annotations

from madtree.learn.leaf_sums.sums import (
    LIMBS,
    LOGARITHMS,
    LOGARITHMS_AND_PRODUCTS,
    SQUARES,
    UP_TO_FOURTH,
    RowsInLeaves,
    base_rates,
    join_powers,
    join_terms,
)
