"""tree_display: a model for people, as text or as a graph."""

from __future__ import annotations

from madtree.host.protocol import Host
from madtree.modelread import read_model
from madtree.render.dot import model_dot
from madtree.render.text import model_text

HELP = """\
tree_display draws a model.

SELECT madtree.tree_display(
    model,        -- output_table_name of tree_train
    dot_format,   -- true: a graph for graphviz (dot -Tsvg); false: indented text
    verbosity     -- false; true: also impurity, rows, class weights and class of every node
);

Example:
    SELECT madtree.tree_display('delay_tree', false);
    psql -XAt -c "SELECT madtree.tree_display('delay_tree')" | dot -Tsvg > delay_tree.svg
"""


def tree_display(host: Host, model_name: str | None, dot_format: bool | None, verbosity: bool | None) -> str:
    """A model as a graph in the dot language (also if `dot_format` is NULL), or as text.

    Raises:
        MadtreeError: there is no such model.
    """
    model = read_model(host, model_name)
    draw = model_text if dot_format is False else model_dot
    return draw(model, bool(verbosity))
