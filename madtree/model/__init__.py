"""Model tables: write, read, list, drop and prune them, and variable importance."""

from __future__ import annotations

from madtree.model.drop import tree_drop
from madtree.model.importance import get_var_importance
from madtree.model.listing import models
from madtree.model.prune import tree_prune
from madtree.model.read import ModelTables, find_model, read_model, read_summary, read_trees, unquoted
from madtree.model.tables import create_tables
from madtree.model.write import Totals, write_cv, write_nodes, write_summary, write_surrogates, write_trees

__all__ = [
    "ModelTables",
    "Totals",
    "create_tables",
    "find_model",
    "get_var_importance",
    "models",
    "read_model",
    "read_summary",
    "read_trees",
    "tree_drop",
    "tree_prune",
    "unquoted",
    "write_cv",
    "write_nodes",
    "write_summary",
    "write_surrogates",
    "write_trees",
]
