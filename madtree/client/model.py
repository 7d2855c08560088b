"""A trained model in the database, as an object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from madtree.client.calls import CallError
from madtree.client.drawing import SHOWN_GROUPS, Drawing, figure
from madtree.client.functions import TreeMethods
from madtree.client.result import Result
from madtree.client.trained import TrainedModel
from madtree.model import ModelTables, find_model, find_to_show
from madtree.render.svg import tree_svg
from madtree.sqltext.models import trees as trees_and_groups
from madtree.trees import Model as TreeModel

if TYPE_CHECKING:
    from madtree.client.functions import CompetitorRow, CpRow, NodeRow, SurrogateRow, TreeRow


class Model(TrainedModel, TreeMethods):
    """A model: the tables ``<name>``, ``<name>_nodes``, ``<name>_summary``, ...

    Everything is read from the database when it is asked for: an object follows its model when that is replaced. In a
    notebook it is drawn.

    Attributes
    ----------
    client
        Where it is.
    name
        The model's name as in SQL.
    message
        What the call that made it said; None for a model that was there already.
    """

    def locate(self) -> ModelTables:
        """Schema and name of its tables. Raises MadtreeError if there is no such model."""
        with self.client.work():
            return find_model(self.client.host, self.name, "model")

    @property
    def trees(self) -> Result[TreeRow]:
        """The rows of ``<name>``: one for each tree, with its group."""
        return self._table("", "tree_id")

    @property
    def nodes(self) -> Result[NodeRow]:
        """The rows of ``<name>_nodes`` by tree and node; the root is 0, the children of i are 2i + 1 and 2i + 2."""
        return self._table("_nodes", "tree_id, node_id")

    @property
    def surrogates(self) -> Result[SurrogateRow]:
        """The rows of ``<name>_surrogates`` by tree, node and rank; MadtreeError if it was trained without."""
        return self._table("_surrogates", "tree_id, node_id, rank")

    @property
    def competitors(self) -> Result[CompetitorRow]:
        """The rows of ``<name>_competitors`` by tree, node and rank; MadtreeError if it was trained without."""
        return self._table("_competitors", "tree_id, node_id, rank")

    @property
    def cv(self) -> Result[CpRow]:
        """The rows of ``<name>_cv``, cp by cp; MadtreeError if it was trained without cross-validation."""
        return self._table("_cv", "cp DESC")

    def display(self, *, verbosity: bool = False, full: bool = False, max_depth: int | None = None) -> str:
        """The model as indented text, down to `max_depth`; here and below, `full` names all categories of a split,
        however many.
        """
        return self.client.tree_display(self.name, False, verbosity, full, max_depth)

    def predict(
        self, table: Any, type: str = "response", *, trust_owner: bool = False, level: float = 0.9
    ) -> Result[Any]:
        """Predictions for a table, or for a data frame (pandas, polars or Arrow).

        Parameters
        ----------
        table
            Name of a table or view; or a frame with the features (and grouping columns) as its columns, which is
            copied into a temporary table.
        type
            response, prob, leaf or conformal.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote; the same for the methods
            below.
        level
            With conformal, the share of outcomes that intervals or sets of classes cover.

        Returns
        -------
        Result
            The id, and what is predicted. A table's rows come in no particular order; a frame's in its order, with
            their numbers from 0 as id, unless the id is a feature too or an expression: then by ascending id. To keep
            predictions in the database, use `Client.tree_predict`.
        """
        if isinstance(table, str):
            with self._scratch() as target:
                self.client.tree_predict(self.name, table, target, type, trust_owner, level=level)
                return self.client.rows_of(target)
        with self._as_table(table, trust_owner) as name, self._scratch() as target:
            self.client.tree_predict(self.name, name, target, type, trust_owner, level=level)
            return self.client.rows_of(target, "1")

    def to_json(self) -> str:
        """The whole model in madtree's format for other programs, as text."""
        return json.dumps(self.client.tree_to_json(self.name), ensure_ascii=False)

    def to_dot(self, *, verbosity: bool = False, full: bool = False, max_depth: int | None = None) -> str:
        """The model as a graph for graphviz, down to `max_depth`."""
        return self.client.tree_display(self.name, True, verbosity, full, max_depth)

    def to_svg(
        self,
        tree_id: int | None = None,
        max_depth: int | None = None,
        *,
        group: Mapping[str, object] | None = None,
        full: bool = False,
    ) -> str:
        """A picture of one tree as the text of an SVG document.

        Parameters
        ----------
        tree_id, group
            Of a grouped model, the tree of this number, or of this group: ``{"carrier": "UA"}``, with a value for each
            grouping column. By default the first.
        max_depth
            How deep it is drawn; by default as deep as can be read.
        full
            Tooltips name all categories of a split, however many.
        """
        return tree_svg(self._one_tree(tree_id, group), max_depth=max_depth, full=full)

    def plot(
        self, tree_id: int | None = None, max_depth: int | None = None, *, group: Mapping[str, object] | None = None
    ) -> Drawing:
        """A picture of one tree that a notebook shows; ``save(path)`` writes it, ``show()`` opens it in a browser."""
        return Drawing(self.to_svg(tree_id, max_depth, group=group))

    def _one_tree(self, tree_id: int | None, group: Mapping[str, object] | None) -> TreeModel:
        """The model with the tree that is asked for, or with all.

        Raises:
            CallError: `group` names no group of the model.
        """
        if group is None:
            return self.read(tree_id)
        with self.client.reading():
            opened = find_to_show(self.client.host, self.name)
            columns = list(opened.grouping)
            if not columns or sorted(group) != sorted(columns):
                wanted = f"a value for each of {', '.join(columns)}" if columns else "left out: the model has one tree"
                raise CallError(f"group must be {wanted}, not {dict(group)!r}")
            known = opened.host.query(trees_and_groups(*opened.tables.at, opened.group_writers))
            values = [_as_text(group[column]) for column in columns]
            found = [row["tree_id"] for row in known if list(row["group"]) == values]
            if not found:
                groups = list(dict.fromkeys(", ".join(row["group"]) for row in known))
                some = "; ".join(groups[:SHOWN_GROUPS])
                more = f"; and {len(groups) - SHOWN_GROUPS:,} more" if len(groups) > SHOWN_GROUPS else ""
                raise CallError(f"{self.name} has no group {dict(group)!r}", f"Its groups are {some}{more}.")
            return self.read(found[0])

    def to_sklearn(self, tree_id: int | None = None) -> Any:
        """One tree as an estimator of scikit-learn's that predicts exactly the same; see `madtree.to_sklearn`."""
        from madtree.client.sklearn_forest import to_sklearn

        return to_sklearn(self.read(tree_id), tree_id)

    def _repr_html_(self) -> str:
        """What a notebook shows: a picture of the tree, or of groups to choose from; and the same as text."""
        with self.client.reading():
            trees = sorted(self.trees, key=lambda tree: (-tree.n_rows, tree.tree_id))
            shown = [self.read(tree.tree_id) for tree in trees[:SHOWN_GROUPS]]
        model = replace(shown[0], trees=tuple(tree for each in shown for tree in each.trees))
        return figure(model, len(trees) - len(shown))


def _as_text(value: object) -> str:
    """A group's value as the model has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
