"""Why trees say what they say: Shapley values of features, by path-dependent TreeSHAP (Lundberg et al. 2020)."""

from __future__ import annotations

from madtree.learn.shap.covered_trees import CoveredTrees, shares_of_cover
from madtree.learn.shap.explained import GRID, Explained, contributions

__all__ = ["GRID", "CoveredTrees", "Explained", "contributions", "shares_of_cover"]
