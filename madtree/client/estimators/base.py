"""What the two estimators of single trees have in common: parameters, taking over the tree, finding rows' leaves."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from madtree.client.calls import CallError
from madtree.client.client import Client
from madtree.client.estimators.fitted import FittedTree
from madtree.client.estimators.in_database import FittedInDatabase
from madtree.client.estimators.parameters import per_impurity, train_arguments
from madtree.client.estimators.pruning import importances, pruned, pruning_path
from madtree.client.estimators.tables import COLUMN_OPTIONS, TableInPlace
from madtree.client.feature_values import feature_values
from madtree.client.frames import Array
from madtree.client.model import Model
from madtree.client.sklearn_tree import node_indicator
from madtree.client.upload import read_integers
from madtree.client.walked_trees import FlatTree, used_features
from madtree.model import NewTable, fit_features, output_columns
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.estimator import ScoredRelation
from madtree.sqltext.split import check_expression


class BaseDecisionTree(FittedTree, FittedInDatabase):
    """A tree that is trained in the database, on a table where it is or on a temporary copy of arrays and frames."""

    _learns_classes: bool

    criterion: str
    ccp_alpha: float
    n_folds: int
    fold_col: str | None

    # --- training ---

    @property
    def _drawn_by_id(self) -> str | None:
        return "folds" if self.n_folds else None

    def _train(self, client: Client, data: dict[str, Any], n_rows: Callable[[], int]) -> None:
        """Train on what `data` says, in the words of tree_train, and take over the tree."""
        for option in sorted(COLUMN_OPTIONS):
            if self._fitted_on != "table" and getattr(self, option, None) is not None:
                raise CallError(
                    f"{option} is about a column of a table, and not of an array or a frame",
                    "Fit the estimator on a table, by its name.",
                )
        name = self._output_name()
        arguments = train_arguments(self, n_rows)
        message = client.call("tree_train", **data, output_table_name=name, **arguments)[0][0]
        self._take_over(Model(client, name, message))

    def _take_over(self, trained: Model) -> None:
        """What was trained, as plain values; a model without a name of the user's is dropped then."""
        model = trained.read()
        if self.model is None:
            trained.drop()
        flat = FlatTree.of(model.trees[0])
        if self.ccp_alpha:
            tree = pruned(flat, float(self.ccp_alpha) * per_impurity(self.criterion))
            model, flat = dataclasses.replace(model, trees=(tree,)), FlatTree.of(tree)
        self.feature_importances_: Array = importances(flat, model.feature_names)
        self.node_ids_: Array = np.array([node.node_id for node in flat.nodes], np.int64)
        self.model_, self._flat_tree = model, flat

    # --- prediction ---

    def apply(self, X: Any) -> Array:
        """The leaf that each row ends in, by its place among the tree's nodes, which stand in depth-first order.

        Parameters
        ----------
        X
            As for ``predict``.

        Returns
        -------
        ndarray of int64, shape (n_rows,)
            ``node_ids_[...]`` of it are madtree's own numbers: the root is 0, the children of i are 2i + 1 and 2i + 2.
        """
        return self._leaves(X)

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row goes through, a sparse matrix of ones, (n_rows, n_nodes); `X` as for `apply`."""
        return node_indicator(self._flat_tree.left, self._flat_tree.right, self._leaves(X))

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The values of `ccp_alpha` at which a tree of these data gets smaller; arguments as for `fit`.

        Returns
        -------
        Bunch
            ``ccp_alphas`` and ``impurities``, shape (n_steps,): from the whole tree to its root alone.
        """
        whole = clone(self).set_params(ccp_alpha=0.0, model=None).fit(X, y, sample_weight)
        alphas, impurities = pruning_path(whole._flat_tree)
        scale = per_impurity(self.criterion)
        return Bunch(ccp_alphas=alphas / scale, impurities=impurities / scale)

    def _leaves(self, X: Any) -> Array:
        """(n_rows,) the place of each row's leaf: of a table in the order of its ids, else in the data's order."""
        check_is_fitted(self)
        if isinstance(X, str):
            return self._leaves_of_table(X)
        columns, n_rows = self._columns_of(X)
        used = used_features(self.model_, self._flat_tree)
        return self._flat_tree.apply(feature_values(used, columns), n_rows)

    def _leaves_of_table(self, table: str) -> Array:
        with self._client() as client, client.work():
            in_place = TableInPlace.find(client.host, table)
            id_ = self.id_col_name or in_place.primary_key(client.host)
            scored = self._scored(client, in_place, [] if id_ is None else [id_])
            (leaf,) = output_columns(self.model_, "leaf", QUALIFIED)
            numbers = read_integers(client.connection, scored.leaves(leaf, id_ or in_place.place))
        found, place = np.unique(numbers, return_inverse=True)
        places = {node.node_id: place for place, node in enumerate(self._flat_tree.nodes)}
        return np.array([places[number] for number in found.tolist()], np.int64)[place]

    def _scored(self, client: Client, table: TableInPlace, others: Sequence[str]) -> ScoredRelation:
        """A table whose rows run down the tree.

        Args:
            others: expressions besides the features.

        Raises:
            MadtreeError: the table lacks what a feature or one of `others` needs, or that is no expression.
        """
        for expression in others:
            check_expression(expression, "y, sample_weight and id_col_name")
        relation = table.relation
        features = fit_features(self.model_, NewTable(client.host, relation, table.given, "X"), others).features
        return ScoredRelation(relation.schema, relation.name, self._flat_tree.tree, features)
