"""What the two estimators have in common: parameters, fitting on tables and arrays, finding rows' leaves."""

from __future__ import annotations

import contextlib
import copy
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from madtree.client.calls import Names
from madtree.client.client import Client, connect
from madtree.client.estimators.data import checked_columns, free_name, primary_key
from madtree.client.frames import Array, Column, columns_of, is_frame
from madtree.client.model import Model
from madtree.client.routing import FlatTree, column_name, feature_values, used_features
from madtree.client.sklearn_tree import to_sklearn
from madtree.client.upload import read_integers, uploaded
from madtree.model import fit_features, output_columns
from madtree.render.text import model_text
from madtree.request import find_relation
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.estimator import Scored
from madtree.sqltext.quote import ident
from madtree.sqltext.split import check_expression
from madtree.trees import Model as TreeModel


class BaseDecisionTree(BaseEstimator):  # type: ignore[misc]
    """A tree that is trained in the database, on a table where it is or on a temporary copy of arrays and frames."""

    model_: TreeModel
    _flat_tree: FlatTree
    _fitted_on: str  # table, frame or array
    _learns_classes: bool

    def __init__(
        self,
        connection: Any = None,
        *,
        model: str | None = None,
        replace: bool = False,
        id_col_name: str | None = None,
        list_of_features: Names = "*",
        list_of_features_to_exclude: Names | None = None,
        split_criterion: str = "gini",
        max_depth: int = 10,
        min_split: int | None = None,
        min_bucket: int | None = None,
        n_bins: int = 100,
        max_surrogates: int = 0,
        null_as_category: bool = False,
        surrogate_style: int = 0,
        cp: float = 0.0,
        n_folds: int = 0,
        rule: str = "min",
        verbose: bool = False,
        seed: int = 1,
        parallel_workers: int | None = None,
        memory_mb: int = 64,
    ) -> None:
        self.connection = connection
        self.model = model
        self.replace = replace
        self.id_col_name = id_col_name
        self.list_of_features = list_of_features
        self.list_of_features_to_exclude = list_of_features_to_exclude
        self.split_criterion = split_criterion
        self.max_depth = max_depth
        self.min_split = min_split
        self.min_bucket = min_bucket
        self.n_bins = n_bins
        self.max_surrogates = max_surrogates
        self.null_as_category = null_as_category
        self.surrogate_style = surrogate_style
        self.cp = cp
        self.n_folds = n_folds
        self.rule = rule
        self.verbose = verbose
        self.seed = seed
        self.parallel_workers = parallel_workers
        self.memory_mb = memory_mb

    # --- training ---

    def _fit_table(self, table: str, y: Any, sample_weight: Any) -> None:
        """Train on a table in place; `y` and `sample_weight` are columns or expressions."""
        if not isinstance(y, str):
            raise TypeError(f"with a table, y must be the name of its target column, not {type(y).__name__}")
        if not isinstance(sample_weight, str | None):
            raise TypeError("with a table, sample_weight must be the name of a column")
        with self._client() as client, client.work():
            self._train(
                client,
                table,
                self.id_col_name or primary_key(client.host, table),
                y,
                self.list_of_features,
                self.list_of_features_to_exclude,
                sample_weight,
            )
        names = [column_name(feature) for feature in self.model_.features]
        self.feature_names_in_, self.n_features_in_ = np.array(names, dtype=object), len(names)
        self._fitted_on = "table"

    def _fit_columns(self, X: Any, columns: Sequence[Column], y: Column, sample_weight: Any) -> None:
        """Copy an array or a frame into a temporary table, and train on that."""
        names = [column.name for column in columns]
        # The target's name depends on nothing but y, as it is the dependent's in a model that is kept.
        target = replace(y, name=free_name(y.name, names))
        rows = Column(free_name(self.id_col_name or "id", [*names, target.name]), "bigint", np.arange(len(y.values)))
        data = [*columns, target, rows]
        weights = None
        if sample_weight is not None:
            values = _check_sample_weight(sample_weight, y.values, dtype=np.float64)
            weights = Column(free_name("sample_weight", [column.name for column in data]), "double precision", values)
            data.append(weights)
        self._fitted_on = "frame" if is_frame(X) else "array"
        with self._client() as client, client.work(), uploaded(client.connection, data) as table:
            self._train(
                client,
                table,
                ident(rows.name),
                ident(target.name),
                names,
                None,
                ident(weights.name) if weights else None,
            )

    def _train(
        self,
        client: Client,
        table: str,
        id_: str,
        y: str,
        features: Names,
        excluded: Names | None,
        weights: str | None,
    ) -> None:
        name = self.model or f"pg_temp.{ident(f'madtree_model_{secrets.token_hex(8)}')}"
        model = client.tree_train(
            table,
            name,
            id_,
            y,
            features,
            excluded,
            self.split_criterion,
            None,
            weights,
            self.max_depth,
            self.min_split,
            self.min_bucket,
            self.n_bins,
            {
                "max_surrogates": self.max_surrogates,
                "null_as_category": self.null_as_category,
                "surrogate_style": self.surrogate_style,
            },
            {"cp": self.cp, "n_folds": self.n_folds, "rule": self.rule},
            self.verbose,
            seed=self.seed,
            replace=self.replace,
            parallel_workers=self.parallel_workers,
            memory_mb=self.memory_mb,
            classification=self._learns_classes,
        )
        self._read(model)

    def _read(self, trained: Model) -> None:
        """What was trained, as plain values; a model without a name of the user's is dropped then."""
        model = trained.read()
        importance = np.array(trained.trees[0].impurity_var_importance or [], np.float64)
        if self.model is None:
            trained.drop()
        total = importance.sum()
        self.feature_importances_: Array = importance / total if total > 0 else np.zeros(len(model.features))
        self.model_, self._flat_tree = model, FlatTree.of(model.trees[0])

    @contextlib.contextmanager
    def _client(self) -> Iterator[Client]:
        """The client that `connection` is or names; what is opened for this block is closed after it."""
        if isinstance(self.connection, Client):
            yield self.connection
            return
        with connect(self.connection) as client:
            yield client

    # --- prediction ---

    def apply(self, X: Any) -> Array:
        """The leaf that each row ends in, as madtree numbers nodes: root 0, children 2i + 1 and 2i + 2.

        Parameters
        ----------
        X
            As for ``predict``.

        Returns
        -------
        ndarray of int64, shape (n_rows,)
        """
        return np.array([node.node_id for node in self._flat_tree.nodes], np.int64)[self._leaves(X)]

    def _leaves(self, X: Any) -> Array:
        """(n_rows,) the place of each row's leaf: of a table in the order of its ids, else in the data's order."""
        check_is_fitted(self)
        if isinstance(X, str):
            return self._leaves_of_table(X)
        names = [column_name(feature) for feature in self.model_.features]
        # A table has columns besides the features, and so may a frame in its place: those are not compared.
        as_table = is_frame(X) and self._fitted_on == "table"
        columns = columns_of(X) if as_table else checked_columns(self, X, reset=False)
        if not is_frame(X) or self._fitted_on == "array":
            columns = [replace(column, name=name) for column, name in zip(columns, names, strict=True)]
        n_rows = len(columns[0].values) if columns else 0
        used = used_features(self.model_, self._flat_tree)
        return self._flat_tree.apply(feature_values(used, columns), n_rows)

    def _leaves_of_table(self, table: str) -> Array:
        with self._client() as client, client.work():
            id_ = self.model_.id_column if self._fitted_on == "table" else None
            id_ = self.id_col_name or id_ or primary_key(client.host, table)
            scored = self._scored(client, table, [id_])
            (leaf,) = output_columns(self.model_, "leaf", QUALIFIED)
            numbers = read_integers(client.connection, scored.leaves(leaf, id_))
        found, place = np.unique(numbers, return_inverse=True)
        places = {node.node_id: place for place, node in enumerate(self._flat_tree.nodes)}
        return np.array([places[number] for number in found.tolist()], np.int64)[place]

    def _scored(self, client: Client, table: str, others: Sequence[str]) -> Scored:
        """A table whose rows run down the tree.

        Args:
            others: expressions besides the features.

        Raises:
            MadtreeError: the table lacks what a feature or one of `others` needs, or that is no expression.
        """
        for expression in others:
            check_expression(expression, "y, sample_weight and id_col_name")
        host = client.host
        relation = find_relation(host, table, "X")
        features = fit_features(host, self.model_, relation, table, "X", others)
        return Scored(relation.schema, relation.name, self._flat_tree.tree, features)

    # --- the tree ---

    def get_depth(self) -> int:
        """The depth of the deepest leaf; 0 for a root only."""
        check_is_fitted(self)
        return max(node.depth for node in self._flat_tree.nodes)

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return sum(node.is_leaf for node in self._flat_tree.nodes)

    def display(self) -> str:
        """The tree as indented text."""
        check_is_fitted(self)
        return model_text(self.model_, False)

    def to_sklearn(self) -> Any:
        """The tree as an estimator of scikit-learn's that predicts the same; see `madtree.to_sklearn`."""
        check_is_fitted(self)
        return to_sklearn(self.model_)

    # --- scikit-learn's manners ---

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = False
        # Frames may hold texts, too; the tags that say so would have scikit-learn's checks run on whole numbers only.
        return tags

    def __sklearn_clone__(self) -> BaseDecisionTree:
        """A clone shares the connection: it cannot be copied."""
        bare = copy.copy(self)
        bare.connection = None
        cloned: BaseDecisionTree = BaseEstimator.__sklearn_clone__(bare)
        cloned.connection = self.connection
        return cloned

    def __getstate__(self) -> dict[str, Any]:
        """A connection stays in its process; one named by a URL is opened again where the estimator goes."""
        state: dict[str, Any] = super().__getstate__()
        kept = isinstance(self.connection, str | Client | None)
        return state if kept else {**state, "connection": None}
