"""Where definitions of boosted trees differ."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rules:
    """Where definitions differ.

    Attributes:
        digits: relative error of gradients: 2**-24 of single precision.
        estimates_rows: rows of a side are estimated from its share of the hessian, value after value (LightGBM).
        one_category: of few categories one is parted from all others (LightGBM), and not some by their order.
        missing_categories_right: rows without a category are never parted from the rest (LightGBM), and go right.
        rare_either_way: rare categories may go with the smaller part of the others (LightGBM).
        quiet_roots: a tree that cannot be split adds nothing (LightGBM, scikit-learn).
        empty_roots: the gain of a root's split is that over a root that adds nothing (scikit-learn).
        forgets_features: what gains nothing at a node is not tried below it (LightGBM).
        gains_of_values: of bounded leaves a gain is that of the loss's parabola (LightGBM), and not of its slope.
    """

    digits: float = 2.0**-44
    estimates_rows: bool = False
    one_category: bool = False
    missing_categories_right: bool = False
    rare_either_way: bool = False
    quiet_roots: bool = False
    empty_roots: bool = False
    forgets_features: bool = False
    gains_of_values: bool = False


MADTREE = Rules()
LIGHTGBM = Rules(2.0**-24, True, True, True, True, True, False, True, True)
SCIKIT_LEARN = Rules(2.0**-24, quiet_roots=True, empty_roots=True)
DIFFERENCES = {
    "estimates_rows": "`min_bucket`: LightGBM estimates the rows of a side from its hessian",
    "one_category": "up to four categories: LightGBM parts one from all others, or has its guards of four",
    "missing_categories_right": "rows without a category: LightGBM has them with those that a split does not name",
    "rare_either_way": "rare categories: LightGBM also has them with the smaller part of the others",
    "quiet_roots": "a tree that cannot be split: it adds Newton's step here, and nothing elsewhere",
    "empty_roots": "roots: scikit-learn splits them though that gains nothing, since it takes what they add to be 0",
    "forgets_features": "features that gain nothing at a node: LightGBM does not try them below it",
    "gains_of_values": "leaves at the bound of a monotone constraint: LightGBM takes the gain of the parabola there",
}
