"""What a fitted tree tells of itself: its size, and itself as text, as a picture and for scikit-learn."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from madtree.client.drawing import Drawing, figure
from madtree.client.sklearn_tree import tree_to_sklearn
from madtree.client.walked_trees import FlatTree
from madtree.render.svg import tree_svg
from madtree.render.text import model_text
from madtree.trees import Model as TreeModel


class FittedTree:
    """The part of an estimator that only reads the tree."""

    model_: TreeModel
    _flat_tree: FlatTree

    def get_depth(self) -> int:
        """The depth of the deepest leaf; 0 for a root only."""
        check_is_fitted(self)
        return max(node.depth for node in self._flat_tree.nodes)

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return sum(node.is_leaf for node in self._flat_tree.nodes)

    def display(self, *, full: bool = False) -> str:
        """The tree as indented text; with `full` all categories of a split are named, however many."""
        check_is_fitted(self)
        return model_text(self.model_, full=full)

    def plot(self, max_depth: int | None = None) -> Drawing:
        """A picture of the tree, down to `max_depth` (by default as deep as can be read).

        A notebook shows it; ``save(path)`` writes it as SVG, ``show()`` opens it in a browser.
        """
        check_is_fitted(self)
        return Drawing(tree_svg(self.model_, max_depth=max_depth))

    def to_svg(self, max_depth: int | None = None, *, full: bool = False) -> str:
        """The picture as the text of an SVG document; with `full` its tooltips name all categories, however many."""
        check_is_fitted(self)
        return tree_svg(self.model_, max_depth=max_depth, full=full)

    def to_sklearn(self) -> Any:
        """The tree as an estimator of scikit-learn's that predicts the same; see `madtree.to_sklearn`."""
        check_is_fitted(self)
        return tree_to_sklearn(self.model_)

    def _repr_html_(self) -> str:
        """What a notebook shows: the tree once there is one, else the parameters as scikit-learn shows them."""
        if hasattr(self, "model_"):
            return figure(self.model_)
        return str(super()._repr_mimebundle_().get("text/html", ""))  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
