"""`madtree train`."""

from __future__ import annotations

from madtree.cli.options import examples
from madtree.cli.training import training_command
from madtree.interface import FUNCTIONS

EPILOG = examples(
    "$ madtree train flights delay_tree --id id -y late -x 'carrier, hour'",
    "$ madtree train flights delay_tree --id id -y late --max-depth 6 --replace",
    "$ madtree train flights delays --id id -y late --exclude tailnum --group-by carrier",
    "$ madtree train flights delay_cv --id id -y late --folds 10 --rule 1se --max-surrogates 5",
)

train_command = training_command(
    FUNCTIONS["tree_train"],
    "training",
    "max_depth",
    """Train a decision tree, or one for each group, on a table. The data stay in the database.

A bar shows how far the server is; Ctrl-C stops it there, and no model is left.
""",
)
