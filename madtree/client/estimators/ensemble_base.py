"""What all estimators of many trees have in common: training, taking over the trees, reading what these ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from madtree.client.client import Client
from madtree.client.estimators.in_database import FittedInDatabase
from madtree.client.estimators.tables import TableInPlace
from madtree.client.feature_values import feature_values
from madtree.client.frames import Array
from madtree.client.tree_arrays import EnsembleArrays
from madtree.model import NewTable, OpenModel, find_to_show, fit_features
from madtree.sqltext.estimator import feature_rows
from madtree.sqltext.split import check_expression
from madtree.trees import FeatureKind, ModelKind


class BaseEnsemble(FittedInDatabase):
    """Trees that are trained in the database, and make one prediction together."""

    _kind: ClassVar[ModelKind]
    _trees: EnsembleArrays

    replace: bool

    # --- training ---

    def _arguments(self, client: Client, name: str, data: dict[str, Any], n_rows: Callable[[], int]) -> dict[str, Any]:
        """What the parameters are to the function that trains, beside `data`; `name` is the model's."""
        raise NotImplementedError

    def _take_trees(self, client: Client, opened: OpenModel) -> None:
        """Take over the trees of `model_`, and what the model's tables say of them."""
        raise NotImplementedError

    def _train(self, client: Client, data: dict[str, Any], n_rows: Callable[[], int]) -> None:
        name = self._output_name()
        arguments = self._arguments(client, name, data, n_rows)
        client.call(self._kind.trains, **data, output_table_name=name, **arguments)
        opened = find_to_show(client.host, name)
        self.model_ = opened.model
        self._take_trees(client, opened)
        if self.model is None:
            client.tree_drop(name)

    # --- prediction ---

    def _predicted(self, values: Mapping[str, Array], n_rows: int) -> Array:
        """(n_rows, n_values) probabilities of the classes, or (n_rows, 1) numbers; `values` as `feature_values`.
        """  # fmt: skip
        raise NotImplementedError

    def _values(self, X: Any) -> tuple[Mapping[str, Array], int]:
        """What the trees ask of rows, and how many there are: of a table in the order of its ids, else in the data's.
        """  # fmt: skip
        check_is_fitted(self)
        if isinstance(X, str):
            with self._client() as client, client.work():
                return self._values_of_table(client, TableInPlace.find(client.host, X))[:2]
        columns, n_rows = self._columns_of(X)
        return feature_values(self._trees.used, columns), n_rows

    def _values_of_table(
        self, client: Client, table: TableInPlace, others: Sequence[str] = ()
    ) -> tuple[Mapping[str, Array], int, list[list[Any]]]:
        """As `_values`, and the values of other expressions; the features that the trees ask are fetched.

        Args:
            client: at work, so that the table is still what `others` were made for.

        Raises:
            MadtreeError: the table lacks what a feature or one of `others` needs, or that is no expression.
        """
        for expression in others:
            check_expression(expression, "y, sample_weight and id_col_name")
        used, host = self._trees.used, client.host
        id_ = self.id_col_name or table.primary_key(host)
        relation = table.relation
        other_columns = [*others, *([] if id_ is None else [id_])]
        features = fit_features(self.model_, NewTable(host, relation, table.given, "X"), other_columns).features
        order = id_ or table.place
        own = [features[feature.name] for feature in used]
        rows = client.query(feature_rows(relation.schema, relation.name, own, others, order))
        values = {
            feature.name: np.array(
                rows.column(f"f{at}"), object if feature.kind is FeatureKind.UNORDERED else np.float64
            )
            for at, feature in enumerate(used)
        }
        return values, len(rows), [rows.column(f"o{at}") for at in range(len(others))]
