"""What several functions have in common."""

from __future__ import annotations

from madtree.interface import defaults
from madtree.interface.command_line import OUTPUT as PRINTED
from madtree.interface.command_line import SERVER, Flag
from madtree.interface.function import Argument
from madtree.interface.valid import at_least
from madtree.trees import KINDS, ModelKind

# What values look like as text is the same whatever the session's settings are.
TEXTS = {"datestyle": "ISO", "intervalstyle": "postgres", "extra_float_digits": "1"}
# Compiling an expression of a thousand branches takes longer than a million rows; and statements that are many and
# short are not worth it.
# The text of a number tells it from all others: floats may be classes, and large models hand weights over as text.
FIGURES = {"jit": "off", "extra_float_digits": "1"}


def model_of(*kinds: ModelKind) -> str:
    """What an argument is that names a model of one of these kinds."""
    *others, last = (kind.trains for kind in kinds)
    return f"output_table_name of {', '.join(others)}{' or ' * bool(others)}{last}"


ANY_MODEL = model_of(*KINDS.values())
SEE_BELOW = "see below"


def model_argument(name: str, help: str) -> Argument:
    """What names a trained model."""
    flag = Flag(names=("model",), help="name of the model, with its schema where needed")
    return Argument(name, "text", help, flag=flag)


MODEL = model_argument("model", ANY_MODEL)
ONE_TREE = Argument(
    "tree_id",
    "integer",
    "",
    None,
    flag=Flag(names=("--tree",), help="of a model of several trees, the one of this number"),
)
NEW_DATA = Argument(
    "new_data_table",
    "text",
    "table or view with the id, the features and the grouping columns",
    flag=Flag(names=("table",)),
)
OUTPUT = Argument(
    "output_table", "text", "table to create; must not exist, unless replace => true", flag=Flag(names=("output",))
)
REPLACE = Argument(
    "replace",
    "boolean",
    "true: where output_table is a table of predictions of your own, replace its rows",
    defaults.REPLACE,
)
TRUST_OWNER = Argument(
    "trust_owner",
    "boolean",
    SEE_BELOW,
    defaults.TRUST_OWNER,
    flag=Flag(SERVER, help="as a superuser, use another role's model although it runs what that role wrote"),
)
FULL = Argument(
    "full", "boolean", "true: name all categories of a split, however many", defaults.FULL, flag=Flag(PRINTED)
)

ROUNDS = Argument(
    "num_trees",
    "integer",
    "rounds to predict by, from the first one on, no more than there are; of a group that has fewer, all. NULL: all",
    None,
    valid=at_least(1),
    flag=Flag(names=("--trees",)),
)


def whom_to_trust(verb: str = "use", runs: str = "it runs what its owner wrote") -> str:
    """What `trust_owner` is for."""
    return f"""
trust_owner => true lets a superuser {verb} another role's model that has expressions, or types of that role's: like a
view, {runs}. Others need not say it. See docs/security.md.
"""
