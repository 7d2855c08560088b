"""What a model says, for people and other programs: as a drawing or text, as rules, as the path of one row, as its cp
table, as JSON or PMML; and how it was trained.
"""

from __future__ import annotations

from madtree.explain.call import tree_call
from madtree.explain.complexity import tree_cp
from madtree.explain.display import get_tree, get_tree_surr, tree_display, tree_surr_display
from madtree.explain.export import DOCUMENTED, tree_to_json, tree_to_pmml
from madtree.explain.path import tree_path
from madtree.explain.rules import tree_rules

__all__ = [
    "DOCUMENTED",
    "get_tree",
    "get_tree_surr",
    "tree_call",
    "tree_cp",
    "tree_display",
    "tree_path",
    "tree_rules",
    "tree_surr_display",
    "tree_to_json",
    "tree_to_pmml",
]
