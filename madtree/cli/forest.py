"""`madtree forest`."""

from __future__ import annotations

from madtree.cli.options import examples
from madtree.cli.training import training_command
from madtree.interface import FUNCTIONS

EPILOG = examples(
    "$ madtree forest flights delay_forest --id id -y late -x 'carrier, hour' --trees 200",
    "$ madtree forest flights delay_forest --id id -y late --features-per-node 3 --no-importance --replace",
    "$ madtree forest flights random_forest --id id -y late --split-rule random --sampling none",
    "$ madtree predict delay_forest flights_today flights_scored --type prob",
    "$ madtree show delay_forest --tree 1",
)

forest_command = training_command(
    FUNCTIONS["forest_train"],
    "growing",
    "",
    """Train a random forest, or one for each group, on a table. The data stay in the database.

A bar shows how many trees are grown; Ctrl-C stops it there, and no model is left. The line at the end has the
error on rows that the trees have not seen; of groups it is in <MODEL>_group. `madtree report` draws it.
""",
)
