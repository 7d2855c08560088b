"""What the four estimators of forests have in common: parameters, and what their trees say together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from madtree.client.calls import as_argument
from madtree.client.client import Client
from madtree.client.estimators.ensemble_base import BaseEnsemble
from madtree.client.estimators.forest_parameters import forest_arguments
from madtree.client.forests import Forest
from madtree.client.frames import Array
from madtree.client.sklearn_forest import sklearn_of
from madtree.client.tree_arrays import EnsembleArrays, mean_values
from madtree.model import ModelTables
from madtree.request import check_forest_arguments
from madtree.trees import FOREST

Init = TypeVar("Init", bound=Callable[..., None])


def with_defaults(init: Init, **defaults: Any) -> Init:
    """An estimator's `__init__` with other defaults: scikit-learn reads parameters from its signature."""
    assert isinstance(init, FunctionType)
    known = init.__kwdefaults__ or {}
    assert defaults.keys() <= known.keys()
    made = FunctionType(init.__code__, init.__globals__, init.__name__, init.__defaults__, init.__closure__)
    made.__kwdefaults__ = {**known, **defaults}
    made.__annotations__ = init.__annotations__
    return cast(Init, made)


class BaseForest(BaseEnsemble):
    """A forest that is trained in the database."""

    _kind = FOREST
    _learns_classes: bool
    _split_rule = "best"

    n_estimators: int
    bootstrap: bool
    criterion: str
    oob_score: bool
    num_permutations: int

    @property
    def _drawn_by_id(self) -> str:
        return "the trees' samples"

    def _arguments(self, client: Client, name: str, data: dict[str, Any], n_rows: Callable[[], int]) -> dict[str, Any]:
        def n_features() -> int:
            given = {key: as_argument(key, value) for key, value in data.items() if value is not None}
            task = check_forest_arguments(
                client.host, output_table_name=name, replace=True, classification=self._learns_classes, **given
            )
            return len(task.features)

        return forest_arguments(self, n_rows, n_features)

    def _take_trees(self, client: Client, tables: ModelTables) -> None:
        self._trees = EnsembleArrays.read(client.host, tables, self.model_)
        (group,) = Forest(client, tables.given).groups
        if self.oob_score:
            self.oob_score_ = float("nan") if group.oob_score is None else float(group.oob_score)
        if self.num_permutations:
            self.oob_importances_: Array = np.array(group.oob_var_importance, np.float64)
            self.oob_importances_std_: Array = np.array(group.oob_var_importance_sd, np.float64)
        self.feature_importances_: Array = _mean_importance(self._trees.importance)

    def apply(self, X: Any) -> Array:
        """The leaf that each row ends in, by its place among each tree's nodes, which stand in depth-first order.

        Parameters
        ----------
        X
            As for ``predict``.

        Returns
        -------
        ndarray of int64, shape (n_rows, n_estimators)
        """
        values, n_rows = self._values(X)
        return self._trees.apply(values, n_rows) - self._trees.roots[:-1]

    def to_sklearn(self) -> Any:
        """The forest as one of scikit-learn's that predicts the same, to the bit; see `madtree.to_sklearn`."""
        check_is_fitted(self)
        return sklearn_of(self.model_, self._trees, "soft")

    def _predicted(self, values: Mapping[str, Array], n_rows: int) -> Array:
        """Means over the trees."""
        return mean_values(self._trees, self._trees.apply(values, n_rows))


def _mean_importance(of_trees: Array) -> Array:
    """(n_features,) as in scikit-learn: each tree's importances scaled to 1, those of single leaves left out."""
    totals = of_trees.sum(axis=1)
    grown = totals > 0
    if not grown.any():
        return np.zeros(of_trees.shape[1])
    mean: Array = (of_trees[grown] / totals[grown, None]).mean(axis=0)
    scaled: Array = mean / mean.sum()
    return scaled
