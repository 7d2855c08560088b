"""Single trees in scikit-learn's manner."""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.client.client import Client
from madtree.client.estimators.base import BaseDecisionTree
from madtree.client.estimators.options import TreeClassifierOptions, TreeRegressorOptions
from madtree.client.estimators.outcomes import LearnsClasses, LearnsNumbers
from madtree.client.estimators.tables import TableInPlace
from madtree.client.frames import Array
from madtree.client.tree_arrays import class_shares
from madtree.model import output_columns
from madtree.sqltext.condition import QUALIFIED


class DecisionTreeClassifier(TreeClassifierOptions, LearnsClasses, BaseDecisionTree):
    """A decision tree for classes, trained in the database.

    Parameters
    ----------
    connection
        A `madtree.Client`, or anything that `madtree.connect` takes; where transactions are explained. What is opened
        for a call (for a URL or an Engine) is closed after it.
    model, replace
        Name of the model to keep in the database, and whether to overwrite one. By default none is kept: the fitted
        tree is in the estimator.
    id_col_name
        Of a table: the column that identifies its rows, and in whose order predictions come; by default its primary
        key.
    list_of_features, list_of_features_to_exclude
        Of a table: its features, as in `Client.tree_train`. Of an array or a frame all columns are features.
    criterion, max_leaf_nodes, min_impurity_decrease, class_weight
        As in scikit-learn: gini, entropy or log_loss; and madtree's misclassification. Of a table, the keys of
        `class_weight` are the classes as SQL writes them.
    max_depth
        Levels below the root; None for as many as there can be, 60.
    min_samples_split, min_samples_leaf
        As in scikit-learn: rows that a node needs to be split, and that each side keeps; a float is a share of all
        rows. None is madtree's own default (20, and a third of that).
    random_state
        The seed of samples and folds; None for madtree's own: every fit gives the same tree.
    ccp_alpha
        As in scikit-learn: subtrees that are not worth so much impurity a leaf are taken back, in the estimator.
    splitter, max_features, monotonic_cst
        Only ``"best"``, None and None. Else the error names the equivalent.
    n_bins, parallel_workers, memory_mb, verbose, strategy, feature_costs, class_params, max_competitors
        As in `Client.tree_train`. Competitors are kept with a model that is kept.
    max_surrogates, null_as_category, surrogate_style
        What `surrogate_params` says there: how rows with missing values find their way.
    cp, n_folds, rule
        What `pruning_params` says there, as rpart has it: the complexity below which splits are taken back, relative to
        the root's risk, given or chosen by cross-validation. By default, -1, none is.
    fold_col
        Of a table: the column that says in which fold each row is, in the place of `n_folds`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_classes_, n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        For tables, and for frames whose columns' names are texts.
    feature_importances_ : ndarray of shape (n_features,)
        Sums of impurity decrease (surrogates included), scaled to 1.
    model_ : madtree.trees.Model
        The tree as plain values.
    node_ids_ : ndarray of shape (n_nodes,)
        madtree's numbers of the nodes, in the order in which `apply` and `decision_path` count them.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DecisionTreeClassifier:
        """Train the tree.

        Parameters
        ----------
        X : str, data frame or array-like of shape (n_rows, n_features)
            Name of a table or view, which is read where it is; or data that are copied into a temporary table first:
            a pandas or polars data frame, an Arrow table, a mapping of columns (with numbers, booleans, texts, dates
            and times, each by their kind), or an array of numbers. NaN and None are missing.
        y : str, or array-like of shape (n_rows,)
            With a table: its target column, or an expression. Else the classes.
        sample_weight : str, or array-like of shape (n_rows,)
            With a table: a column or an expression. Else the weights. Rows of weight 0 are left out.

        Raises
        ------
        MadtreeError
            The server refused: what it says.
        ValueError, TypeError
            Arrays do not go together, or hold what can be no feature or class.
        """
        place = self._fit_classes(X, y, sample_weight)
        known = [place[label] for label in self.model_.classes]
        self._shares = np.zeros((len(self._flat_tree.nodes), self.n_classes_))
        self._shares[:, known] = class_shares(self.model_, self._flat_tree.nodes)
        self._winners = np.array([place[str(node.prediction)] for node in self._flat_tree.nodes], np.int64)
        return self

    def predict(self, X: Any) -> Array:
        """Classes, shape (n_rows,).

        Parameters
        ----------
        X : str, data frame or array-like of shape (n_rows, n_features)
            Name of a table, whose rows are scored in the database and come in the order of their ids; or data as for
            `fit`, which are scored here, by the same rules and with the same answers.
        """
        leaves = self._leaves(X)
        return np.asarray(self.classes_[self._winners[leaves]])

    def predict_proba(self, X: Any) -> Array:
        """Probabilities, shape (n_rows, n_classes), in the order of ``classes_``; `X` as for `predict`."""
        leaves = self._leaves(X)
        return np.asarray(self._shares[leaves])

    def _score_of_table(self, client: Client, table: TableInPlace, y: str, weight: str) -> float:
        """Only the counts leave the database."""
        (leaf,) = output_columns(self.model_, "leaf", QUALIFIED)
        counts = client.query(self._scored(client, table, [y, weight]).outcomes(leaf, self._actual(y), weight))
        known = self._known_classes
        winner = {node.node_id: known[self._winners[at]] for at, node in enumerate(self._flat_tree.nodes)}
        right = np.array([winner[row.value] == row.actual for row in counts], np.bool_)
        weights = np.array(counts.column("weight"), np.float64)
        return float(weights[right].sum() / weights.sum()) if len(weights) else float("nan")


class DecisionTreeRegressor(TreeRegressorOptions, LearnsNumbers, BaseDecisionTree):
    """A decision tree for numbers, trained in the database.

    Parameters and attributes are those of `DecisionTreeClassifier`, but for what is about classes; the criteria
    are squared_error, and poisson for counts.

    Parameters
    ----------
    exposure, shrink
        For poisson, as in `Client.tree_train`. `exposure` is a column of a table or an expression; predictions then are
        rates, for which ``score(table, "events / years", "years")`` is R². By default rates of leaves are not shrunk,
        as in scikit-learn.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DecisionTreeRegressor:
        """Train the tree; arguments as for `DecisionTreeClassifier.fit`, but that `y` holds numbers.

        Raises
        ------
        MadtreeError
            The server refused: what it says.
        ValueError, TypeError
            Arrays do not go together, hold what can be no feature, or targets that are no finite numbers.
        """
        self._fit_numbers(X, y, sample_weight)
        self._means = np.array([float(node.prediction or 0) for node in self._flat_tree.nodes])
        return self

    def predict(self, X: Any) -> Array:
        """Means, shape (n_rows,); `X` as for `DecisionTreeClassifier.predict`."""
        leaves = self._leaves(X)
        return np.asarray(self._means[leaves])

    def _score_of_table(self, client: Client, table: TableInPlace, y: str, weight: str) -> float:
        """Only two sums leave the database."""
        (mean,) = output_columns(self.model_, "response", QUALIFIED)
        (row,) = client.query(self._scored(client, table, [y, weight]).squares(mean, y, weight))
        if row.total is None:
            return float("nan")
        if row.total == 0:  # as scikit-learn has it
            return 1.0 if row.residual == 0 else 0.0
        return float(1 - row.residual / row.total)
