"""What several functions have in common."""

from __future__ import annotations

from madtree.interface import defaults
from madtree.interface.function import Argument

# What values look like as text is the same whatever the session's settings are.
TEXTS = {"datestyle": "ISO", "intervalstyle": "postgres", "extra_float_digits": "1"}
# Compiling an expression of a thousand branches takes longer than a million rows; and statements that are many and
# short are not worth it.
NO_JIT = {"jit": "off"}

ANY_MODEL = "output_table_name of tree_train or forest_train"
TREE_MODEL = "output_table_name of tree_train"
FOREST_MODEL = "output_table_name of forest_train"
SEE_BELOW = "see below"

TRUST_OWNER = Argument("trust_owner", "boolean", SEE_BELOW, defaults.TRUST_OWNER)
FULL = Argument("full", "boolean", "true: name all categories of a split, however many", defaults.FULL)


def whom_to_trust(verb: str = "use", runs: str = "it runs what its owner wrote") -> str:
    """What `trust_owner` is for."""
    return f"""
trust_owner => true lets a superuser {verb} another role's model that has expressions, or types of that role's: like a
view, {runs}. Others need not say it. See docs/security.md.
"""
