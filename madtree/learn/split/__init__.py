"""The best split of a node: candidate splits and their search, categories in order, bounds that leave
hopeless candidates out, small nodes by their rows in order, and surrogates.
"""

from __future__ import annotations

from madtree.learn.split.best_splits import BestSplits, PickedSplits, RankedSplit
from madtree.learn.split.every_bin import bin_gains_apply, search_every_bin
from madtree.learn.split.margins import TIE
from madtree.learn.split.node_rows import SmallNodes
from madtree.learn.split.occupied_bins import OccupiedBins
from madtree.learn.split.screen import applies, pays, search_screened, together
from madtree.learn.split.search import search
from madtree.learn.split.shortlist import likely_bins
from madtree.learn.split.sorted_rows import search_small
from madtree.learn.split.surrogates import SurrogateSplit, find_surrogates
