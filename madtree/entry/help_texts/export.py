"""Usage of the functions that write a model for other programs."""

from __future__ import annotations

TREE_TO_JSON = """\
tree_to_json writes a model as a JSON document that has all it takes to predict in another language.

SELECT madtree.tree_to_json(
    model,            -- output_table_name of tree_train or forest_train
    tree_id => NULL   -- of a grouped model, or of a forest: write only this tree
);

The format has a name and a version ("format": "madtree-tree", "format_version": 1, of a whole forest "madtree-forest");
docs/json.md describes it, docs/madtree-tree-1.schema.json and docs/madtree-forest-1.schema.json are its JSON schemas.
Numbers read back to the same bits.

Example:
    psql -XAt -c "SELECT madtree.tree_to_json('delay_tree')" > delay_tree.json
"""

TREE_TO_PMML = """\
tree_to_pmml writes a model as a PMML 4.4 document, for any scoring engine that reads PMML.

SELECT madtree.tree_to_pmml(
    model,            -- output_table_name of tree_train or forest_train
    tree_id => NULL   -- of a grouped model, or of a forest: write only this tree, for rows of its group
);

A TreeModel; of a forest a MiningModel whose trees vote, or whose means are averaged, as forest_predict does it;
of a grouped model a MiningModel with a segment for each group. Fields are named as the model's features.
Numbers are doubles; dates, times and intervals are doubles, too, as date_part('epoch', ...) gives them in seconds;
booleans are booleans; text and enums are strings. NULL and NaN are missing values.

Example:
    psql -XAt -c "SELECT madtree.tree_to_pmml('delay_tree')" > delay_tree.pmml
"""
