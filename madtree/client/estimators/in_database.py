"""What all estimators have in common: they are fitted in the database, on tables where they are or on copies."""

from __future__ import annotations

import contextlib
import copy
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from madtree.client.calls import CallError, Names, called
from madtree.client.client import Client
from madtree.client.connecting import connect
from madtree.client.estimators.data import checked_columns, free_name
from madtree.client.estimators.tables import TableInPlace, TrainingTable, count_rows, training_table
from madtree.client.feature_values import column_name
from madtree.client.frames import Array, FrameColumn, columns_of, is_frame
from madtree.client.session import ConnectionString
from madtree.client.upload import uploaded
from madtree.sqltext.quote import ident
from madtree.trees import Model as TreeModel


class FittedInDatabase(BaseEstimator):  # type: ignore[misc]
    """An estimator that is trained in the database, on a table where it is or on a temporary copy of arrays and frames.
    """  # fmt: skip

    model: str | None
    id_col_name: str | None
    list_of_features: Names
    list_of_features_to_exclude: Names | None
    model_: TreeModel
    _fitted_on: str  # table, frame or array

    @property
    def connection(self) -> Any:
        """As it was given, but that a string hides its password where it is shown."""
        return self.__dict__["connection"]

    @connection.setter
    def connection(self, given: Any) -> None:
        self.__dict__["connection"] = ConnectionString(given) if isinstance(given, str) else given

    # --- training ---

    @property
    def _drawn_by_id(self) -> str | None:
        """What is drawn by the rows' ids, or None."""
        raise NotImplementedError

    def _train(self, client: Client, data: dict[str, Any], n_rows: Callable[[], int]) -> None:
        """Train on what `data` says, in the words of tree_train, and take over what was trained."""
        raise NotImplementedError

    def _fit_table(self, table: str, y: Any, sample_weight: Any) -> None:
        """Train on a table in place; `y` and `sample_weight` are columns or expressions."""
        self._require_target(y)
        if not isinstance(y, str):
            raise TypeError(f"with a table, y must be the name of its target column, not {type(y).__name__}")
        if not isinstance(sample_weight, str | None):
            raise TypeError("with a table, sample_weight must be the name of a column")
        self._fitted_on = "table"
        with contextlib.ExitStack() as work:
            client = work.enter_context(self._client())
            work.enter_context(client.work())
            found = TableInPlace.find(client.host, table)
            found.check_columns(client.host, y=y, sample_weight=sample_weight)
            source = work.enter_context(self._training_table(client, found, y))
            work.enter_context(called(source.name, found.given))
            self._train(
                client,
                {
                    "training_table_name": source.name,
                    "id_col_name": source.id_sql,
                    "dependent_variable": y,
                    "list_of_features": self.list_of_features,
                    "list_of_features_to_exclude": self.list_of_features_to_exclude,
                    "weights": self._weights_of_table(client, found, y, sample_weight),
                },
                lambda: count_rows(client, found, y),
            )
        names = [column_name(feature) for feature in self.model_.features]
        self.feature_names_in_, self.n_features_in_ = np.array(names, dtype=object), len(names)

    def _fit_columns(self, X: Any, columns: Sequence[FrameColumn], y: FrameColumn, sample_weight: Any) -> None:
        """Copy an array or a frame into a temporary table, and train on that."""
        names = [column.name for column in columns]
        # The target's name depends on nothing but y, as it is the dependent's in a model that is kept.
        target = replace(y, name=free_name(y.name, names))
        rows = FrameColumn(
            free_name(self.id_col_name or "id", [*names, target.name]), "bigint", np.arange(len(y.values))
        )
        data = [*columns, target, rows]
        weights = None
        if sample_weight is not None:
            values = _check_sample_weight(sample_weight, y.values, dtype=np.float64)
            weights = FrameColumn(
                free_name("sample_weight", [column.name for column in data]), "double precision", values
            )
            data.append(weights)
        self._fitted_on = "frame" if is_frame(X) else "array"
        with (
            self._client() as client,
            client.work(),
            uploaded(client.connection, data) as table,
            called(table, "X"),
        ):
            self._train(
                client,
                {
                    "training_table_name": table,
                    "id_col_name": ident(rows.name),
                    "dependent_variable": ident(target.name),
                    "list_of_features": names,
                    "weights": ident(weights.name) if weights else None,
                },
                lambda: len(y.values),
            )

    def _training_table(
        self, client: Client, table: TableInPlace, y: str
    ) -> contextlib.AbstractContextManager[TrainingTable]:
        """What is trained on in the place of a table of the user's. Where something is drawn by the rows' ids, those of
        a table without a key are told apart by their place in it.
        """
        drawn, id_sql = self._drawn_by_id, self._id_of(client, table)
        if drawn and id_sql is None and table.place is None:
            raise CallError(
                f"id_col_name must name a column that tells the rows of {table.given} apart: {drawn} are drawn by it"
            )
        return training_table(client.host, table, id_sql, y, draws=drawn is not None)

    def _id_of(self, client: Client, table: TableInPlace) -> str | None:
        """The column that tells a table's rows apart, where there is one.

        Raises:
            CallError: there is none, and the model is to be kept, which names it.
        """
        found = self.id_col_name or table.primary_key(client.host)
        if found is None and self.model is not None:
            raise CallError(
                f"id_col_name must name a column that tells the rows of {table.given} apart: the model is kept, and "
                "the table has no primary key of one column"
            )
        return found

    def _require_target(self, y: Any) -> None:
        """Raises scikit-learn's ValueError where there is no target."""
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")

    def _one_column(self, y: Any) -> Array:
        """The outcomes of an array's or a frame's rows. Raises scikit-learn's ValueError where they are none."""
        self._require_target(y)
        if isinstance(y, str):
            raise ValueError(
                f"y must be the values to predict, and {y!r} is a name, which only a table takes: of a data frame X "
                f"give X.drop(columns={y!r}) and X[{y!r}]"
            )
        return np.asarray(column_or_1d(y, warn=True))

    def _weights_of_table(self, client: Client, table: TableInPlace, y: str, sample_weight: str | None) -> str | None:
        """The rows' weights as SQL; a classifier's classes add theirs."""
        return sample_weight

    def _output_name(self) -> str:
        """Of the model: the user's, or one of a temporary model, which is dropped once it has been read."""
        return self.model or f"pg_temp.{ident(f'madtree_model_{secrets.token_hex(8)}')}"

    # --- prediction ---

    def _columns_of(self, X: Any) -> tuple[list[FrameColumn], int]:
        """The columns of an array or a frame, by the features' names, and the number of rows.

        Raises:
            ValueError, TypeError: they are not those that it was fitted on.
        """
        names = [column_name(feature) for feature in self.model_.features]
        # A table has columns besides the features, and so may a frame in its place: those are not compared.
        as_table = is_frame(X) and self._fitted_on == "table"
        columns = columns_of(X) if as_table else checked_columns(self, X, reset=False)
        if not is_frame(X) or self._fitted_on == "array":
            columns = [replace(column, name=name) for column, name in zip(columns, names, strict=True)]
        return columns, len(columns[0].values) if columns else 0

    @contextlib.contextmanager
    def _client(self) -> Iterator[Client]:
        """The client that `connection` is or names; what is opened for this block is closed after it."""
        if isinstance(self.connection, Client):
            if self.connection.has_source:
                raise CallError(
                    "an estimator's data and model are on one server, and this client reads data from another one",
                    "Give the estimator a client without model_dsn, or train with client.tree_train.",
                )
            yield self.connection
            return
        with connect(self.connection) as client:
            yield client

    # --- scikit-learn's manners ---

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = False
        # Frames may hold texts, too; the tags that say so would have scikit-learn's checks run on whole numbers only.
        return tags

    def __sklearn_clone__(self) -> FittedInDatabase:
        """A clone shares the connection: it cannot be copied."""
        bare = copy.copy(self)
        bare.connection = None
        cloned: FittedInDatabase = BaseEstimator.__sklearn_clone__(bare)
        cloned.connection = self.connection
        return cloned

    def __getstate__(self) -> dict[str, Any]:
        """A connection stays in its process; where the estimator goes, another one to the same server is opened."""
        state: dict[str, Any] = super().__getstate__()
        kept = isinstance(self.connection, str | Client | None)
        return state if kept else {**state, "connection": connect(self.connection)}
