"""Why trees say what they say: Shapley values of features, by path-dependent TreeSHAP (Lundberg et al. 2020)."""

from __future__ import annotations

from madtree.learn.shap.background import Background
from madtree.learn.shap.contributions import contributions
from madtree.learn.shap.covered_trees import CoveredTrees, shares_of_cover
from madtree.learn.shap.explained import GRID, Explained
from madtree.learn.shap.weights import n_terms
