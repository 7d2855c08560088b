"""Model tables from arrays: written after a training, and pruned again. Needs numpy, which the room above does not."""

from __future__ import annotations

from madtree.model.write.calibrated import Calibrated, write_calibrated_tree
from madtree.model.write.calibrated_sum import write_calibrated_sum
from madtree.model.write.columns_text import floats, integers, labels_or_null, nothing, picked, rows_of_floats
from madtree.model.write.copies import NewModel
from madtree.model.write.cut import boost_cut
from madtree.model.write.encoded import Encodings, GroupEncodings, by_categories, too_many
from madtree.model.write.groups import GroupTotals, write_groups, write_members, write_rounds
from madtree.model.write.packed import write_outcomes, write_packed
from madtree.model.write.prune import tree_prune
from madtree.model.write.refreshed import write_refreshed
from madtree.model.write.rows import (
    ModelOutput,
    write_competitors,
    write_cv,
    write_nodes,
    write_surrogates,
    write_trees,
)
from madtree.model.write.summary import Totals, write_summary
