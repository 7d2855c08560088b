"""A regressor in scikit-learn's manner."""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.client.calls import Names, Pairs
from madtree.client.estimators.base import BaseDecisionTree
from madtree.client.estimators.outcomes import LearnsNumbers
from madtree.client.estimators.tables import TableInPlace, outcome_of
from madtree.client.frames import Array
from madtree.model import output_columns
from madtree.sqltext.condition import QUALIFIED


class DecisionTreeRegressor(LearnsNumbers, BaseDecisionTree):
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

    def __init__(
        self,
        connection: Any = None,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = 10,
        min_samples_split: float | None = 2,
        min_samples_leaf: float | None = 1,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        model: str | None = None,
        replace: bool = False,
        id_col_name: str | None = None,
        list_of_features: Names = "*",
        list_of_features_to_exclude: Names | None = None,
        n_bins: int = 100,
        max_surrogates: int = 0,
        null_as_category: bool = False,
        surrogate_style: int = 0,
        cp: float = -1.0,
        n_folds: int = 0,
        rule: str = "min",
        fold_col: str | None = None,
        verbose: bool = False,
        parallel_workers: int | None = None,
        memory_mb: int = 64,
        strategy: str = "auto",
        feature_costs: Pairs | None = None,
        max_competitors: int = 0,
        exposure: str | None = None,
        shrink: float | None = None,
    ) -> None:
        self._keep(locals())

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

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R², the share of variance explained; arguments as for `fit`. Of a table only two sums leave the database."""
        self._require_target(y)
        if not isinstance(X, str):
            return float(super().score(X, y, sample_weight))
        with self._client() as client, client.work():
            (mean,) = output_columns(self.model_, "response", QUALIFIED)
            table = TableInPlace.find(client.host, X)
            y, weight = table.plain(client.host, outcome_of(y), sample_weight or "1")
            (row,) = client.query(self._scored(client, table, [y, weight]).squares(mean, y, weight))
        if row.total is None:
            return float("nan")
        if row.total == 0:  # as scikit-learn has it
            return 1.0 if row.residual == 0 else 0.0
        return float(1 - row.residual / row.total)
