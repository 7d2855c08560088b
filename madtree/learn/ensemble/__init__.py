"""Ensembles: what is drawn for the trees of a forest, and how many are grown together."""

from __future__ import annotations

from madtree.learn.ensemble.drawn_features import DrawnFeatures, drawn

__all__ = ["DrawnFeatures", "drawn"]
