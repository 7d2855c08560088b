"""Bins: which stretch of a feature's values each code stands for, and the codes of values."""

from __future__ import annotations

from madtree.learn.binning.bins import MISSING, Bins, BinTable, distinct_values, merge_bins, quantile_bins
from madtree.learn.binning.encode import EdgeEncoder, KeyEncoder
from madtree.learn.binning.ranks import TreeRows, rank_within
