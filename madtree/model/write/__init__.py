"""Model tables from arrays: written after a training, and pruned again. Needs numpy, which the room above does not."""

from __future__ import annotations

from madtree.model.write.packed import write_packed
from madtree.model.write.prune import tree_prune
from madtree.model.write.rows import (
    GroupTotals,
    write_competitors,
    write_cv,
    write_groups,
    write_members,
    write_nodes,
    write_surrogates,
    write_trees,
)
from madtree.model.write.summary import Totals, forest_summary, write_summary

__all__ = [
    "GroupTotals",
    "Totals",
    "forest_summary",
    "tree_prune",
    "write_competitors",
    "write_cv",
    "write_groups",
    "write_members",
    "write_nodes",
    "write_packed",
    "write_summary",
    "write_surrogates",
    "write_trees",
]
