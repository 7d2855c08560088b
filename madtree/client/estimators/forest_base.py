"""What the four estimators of forests have in common: parameters, taking over the trees, finding rows' leaves."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from madtree.client.calls import as_argument
from madtree.client.client import Client
from madtree.client.estimators.forest_parameters import forest_arguments
from madtree.client.estimators.in_database import FittedInDatabase
from madtree.client.estimators.tables import TableInPlace
from madtree.client.feature_values import feature_values
from madtree.client.forests import Forest
from madtree.client.frames import Array
from madtree.client.sklearn_forest import mean_values, sklearn_of
from madtree.client.tree_arrays import ForestArrays
from madtree.model import find_model, fit_features, read_summary
from madtree.request import check_forest_arguments
from madtree.sqltext.estimator import feature_rows
from madtree.sqltext.quote import ident
from madtree.sqltext.split import check_expression
from madtree.trees import FeatureKind

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


class BaseForest(FittedInDatabase):
    """A forest that is trained in the database."""

    _learns_classes: bool
    _split_rule = "best"

    n_estimators: int
    bootstrap: bool
    criterion: str
    oob_score: bool
    num_permutations: int
    replace: bool

    # --- training ---

    @property
    def _drawn_by_id(self) -> str:
        return "the trees' samples"

    def _train(self, client: Client, data: dict[str, Any], n_rows: Callable[[], int]) -> None:
        name = self.model or f"pg_temp.{ident(f'madtree_model_{secrets.token_hex(8)}')}"

        def n_features() -> int:
            given = {key: as_argument(key, value) for key, value in data.items() if value is not None}
            task = check_forest_arguments(
                client.host, output_table_name=name, replace=True, classification=self._learns_classes, **given
            )
            return len(task.features)

        arguments = forest_arguments(self, n_rows, n_features)
        message = client.call("forest_train", **data, output_table_name=name, **arguments)[0][0]
        self._take_over(Forest(client, name, message))

    def _take_over(self, trained: Forest) -> None:
        """What was trained, as plain values; a forest without a name of the user's is dropped then."""
        host = trained.client.host
        tables = find_model(host, trained.name, "model")
        self.model_ = read_summary(host, tables, to_run=False)
        self._forest = ForestArrays.read(host, tables, self.model_)
        (group,) = trained.groups
        if self.oob_score:
            self.oob_score_ = float("nan") if group.oob_score is None else float(group.oob_score)
        if self.num_permutations:
            self.oob_importances_: Array = np.array(group.oob_var_importance, np.float64)
            self.oob_importances_std_: Array = np.array(group.oob_var_importance_sd, np.float64)
        if self.model is None:
            trained.drop()
        self.feature_importances_: Array = _mean_importance(self._forest.importance)

    # --- prediction ---

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
        return self._leaves(X) - self._forest.roots[:-1]

    def to_sklearn(self) -> Any:
        """The forest as one of scikit-learn's that predicts the same, to the bit; see `madtree.to_sklearn`."""
        check_is_fitted(self)
        return sklearn_of(self.model_, self._forest, "soft")

    def _mean_values(self, X: Any) -> Array:
        """(n_rows, n_values) means over the trees."""
        return self._means_of(self._leaves(X))

    def _means_of(self, leaves: Array) -> Array:
        return mean_values(self._forest, leaves)

    def _leaves(self, X: Any) -> Array:
        """(n_rows, n_trees) places among all nodes: of a table in the order of its ids, else in the data's order."""
        check_is_fitted(self)
        if isinstance(X, str):
            with self._client() as client, client.work():
                return self._leaves_of_table(client, TableInPlace.find(client.host, X))[0]
        columns, n_rows = self._columns_of(X)
        return self._forest.apply(feature_values(self._forest.used, columns), n_rows)

    def _leaves_of_table(
        self, client: Client, table: TableInPlace, others: Sequence[str] = ()
    ) -> tuple[Array, list[list[Any]]]:
        """The leaves of a table's rows, and the values of other expressions; the features it needs are fetched.

        Args:
            client: at work, so that the table is still what `others` were made for.

        Raises:
            MadtreeError: the table lacks what a feature or one of `others` needs, or that is no expression.
        """
        for expression in others:
            check_expression(expression, "y, sample_weight and id_col_name")
        used, host = self._forest.used, client.host
        id_ = self.id_col_name or table.primary_key(host)
        relation = table.relation
        asked = [*others, *([] if id_ is None else [id_])]
        features = fit_features(host, self.model_, relation, table.given, "X", asked).features
        order = id_ or table.place
        own = [features[feature.name] for feature in used]
        rows = client.query(feature_rows(relation.schema, relation.name, own, others, order))
        values = {
            feature.name: np.array(
                rows.column(f"f{at}"), object if feature.kind is FeatureKind.UNORDERED else np.float64
            )
            for at, feature in enumerate(used)
        }
        return self._forest.apply(values, len(rows)), [rows.column(f"o{at}") for at in range(len(others))]


def _mean_importance(of_trees: Array) -> Array:
    """(n_features,) as in scikit-learn: each tree's importances scaled to 1, those of single leaves left out."""
    totals = of_trees.sum(axis=1)
    grown = totals > 0
    if not grown.any():
        return np.zeros(of_trees.shape[1])
    mean: Array = (of_trees[grown] / totals[grown, None]).mean(axis=0)
    scaled: Array = mean / mean.sum()
    return scaled
