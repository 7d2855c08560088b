"""What models of all kinds have in common as objects."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from typing import Any, ClassVar

from madtree.client.caller import Caller
from madtree.client.drawing import Drawing
from madtree.client.result import Contributions, Result
from madtree.client.rows import DependenceRow, ExplainedRow, ImportanceRow, PermutedRow, QuantileRow
from madtree.client.tree_calls import check_kind, table_rows
from madtree.model import find_model, read_model, read_summary, tree_of_group
from madtree.render.svg import tree_svg
from madtree.sqltext.importance import COLUMNS
from madtree.sqltext.quote import ident
from madtree.sqltext.split import parse_name
from madtree.trees import Model as TreeModel
from madtree.trees import ModelKind

# By what features are ordered, the first of these that a kind has before the others.
_RANKS = ("raw_oob_importance", "raw_importance")


class TrainedModel:
    """A model in the database by its name. Everything is read when it is asked for."""

    _kind: ClassVar[ModelKind | None] = None  # that its tables must be of; None for any

    def __init__(self, client: Caller, name: str, message: str | None = None) -> None:
        self.client, self.name, self.message = client, name, message

    def __repr__(self) -> str:
        return f"<madtree.{type(self).__name__} {self.name}>"

    @property
    def summary(self) -> dict[str, Any]:
        """The one row of ``<name>_summary``: kind, rows, classes, features, parameters."""
        (row,) = self._table("_summary", "1").to_dicts()
        return row

    def read(self, tree_id: int | None = None) -> TreeModel:
        """All trees as plain values, or the one of that number."""
        with self.client.reading():
            return read_model(self.client.host, self.name, tree_id=tree_id)

    def importance(self) -> Result[ImportanceRow]:
        """A row for each feature of each tree, or of each group that has many; the most important first, by permutation
        where the model tells that.
        """
        with self._scratch() as table:
            self.client.call("get_var_importance", self.name, table)
            header = read_summary(self.client.host, find_model(self.client.host, self.name, "model"), to_run=False)
            best = [f"{rank} DESC NULLS LAST" for rank in _RANKS if rank in COLUMNS[header.kind]]
            return self.client.rows_of(table, ", ".join([*header.grouping_columns, *best]))

    def shap(
        self,
        table: str,
        type: str | None = None,
        class_: str | None = None,
        *,
        layout: str = "wide",
        top: int | None = None,
        interactions: bool = False,
        features: str | None = None,
        background: str | None = None,
        trust_owner: bool = False,
    ) -> Contributions:
        """What each feature contributes to the predictions of a table's rows (SHAP values), as `Client.tree_shap` says.

        Parameters
        ----------
        table
            Name of a table or view.
        type, class_
            The scale, and whose prediction is explained; by default the usual scale of the model's kind, and of two
            classes the last one, of more all.
        layout, top
            wide: a column for each feature. long: a row for each, or for the `top` strongest ones.
        interactions, features
            Also what each two of the features, by default of all, contribute together beyond what each does alone.
        background
            Name of a table whose rows stand for what is not known of a row, instead of the rows of training.

        Returns
        -------
        Contributions
            In no particular order; ``to_explanation()`` makes an object of it that the package shap draws.
        """
        with self._scratch() as target:
            told = layout, top, interactions, features, background
            self.client.call_text("tree_shap", self.name, table, target, type, class_, *told, trust_owner)
            found = self.client.rows_of(target)
            tables = find_model(self.client.host, self.name, "model", trust_owner=trust_owner)
            header = read_summary(self.client.host, tables, to_run=False)
        return Contributions.of_rows(found, len(header.features) if layout == "wide" and not interactions else 0)

    def explain(
        self,
        table: str,
        id: object,
        type: str | None = None,
        class_: str | None = None,
        *,
        trust_owner: bool = False,
    ) -> Result[ExplainedRow]:
        """What each feature contributes to the prediction of the row with this id: a row for what is expected, then one
        for each feature, the strongest first; arguments as for `shap`.
        """
        wanted = None if id is None else str(id)
        return self.client.call("tree_explain", self.name, table, wanted, type, class_, trust_owner)

    def partial_dependence(
        self,
        table: str,
        features: str,
        type: str | None = None,
        class_: str | None = None,
        *,
        accumulated: bool = False,
        ice: bool = False,
        grid_size: int = 50,
        max_rows: int = 10_000,
        trust_owner: bool = False,
    ) -> Result[DependenceRow]:
        """What it predicts by the values of one feature or two, a row for each value; arguments as for
        `Client.partial_dependence`.
        """
        how = type, class_, accumulated, ice, grid_size, max_rows, trust_owner
        return self.client.call("partial_dependence", self.name, table, features, *how)

    def permutation_importance(
        self,
        table: str,
        features: str | None = None,
        metric: str | None = None,
        *,
        n_repeats: int = 5,
        seed: int = 1,
        max_rows: int = 10_000,
        trust_owner: bool = False,
    ) -> Result[PermutedRow]:
        """How much worse it predicts a table where values of a feature are exchanged among its rows, a row for each
        feature; arguments as for `Client.permutation_importance`.
        """
        how = metric, n_repeats, seed, max_rows, trust_owner
        return self.client.call("permutation_importance", self.name, table, features, *how)

    def conformal_quantiles(self, table: Any = None, levels: str = "0.9") -> Result[QuantileRow]:
        """How far its predictions of new rows may be off, by a table or a data frame that training has not seen;
        without any, where trees have samples, by the training's rows out of bag.
        """
        if table is None:
            return self.client.call("conformal_quantiles", self.name, None, levels)
        with self._as_table(table, False) as name:
            return self.client.call("conformal_quantiles", self.name, name, levels)

    def drop(self) -> str:
        """Drop its tables."""
        return self.client.call_text("tree_drop", self.name)

    def _table(self, suffix: str, order: str) -> Result[Any]:
        return table_rows(self.client, self.name, suffix, order, self._kind)

    @contextlib.contextmanager
    def _scratch(self) -> Iterator[str]:
        """The name of a temporary table that is made in the block, all of whose work is one transaction."""
        name = f"pg_temp.{ident(f'madtree_result_{secrets.token_hex(8)}')}"
        with self.client.work() as connection:
            yield name
            connection.execute(f"DROP TABLE {name}".encode())

    @contextlib.contextmanager
    def _as_table(self, data: Any, trust_owner: bool) -> Iterator[str]:
        """The name of a table: as given, or that of a frame's temporary copy, with its rows numbered as their id."""
        if isinstance(data, str):
            yield data
            return
        import numpy as np

        from madtree.client.feature_values import as_trained
        from madtree.client.frames import FrameColumn, columns_of
        from madtree.client.upload import uploaded

        columns = columns_of(data)
        with self.client.beside_models(), self.client.work():
            tables = find_model(self.client.host, self.name, "model", trust_owner=trust_owner)
            header = read_summary(self.client.host, tables, to_run=False)
            columns = as_trained(header.features, columns)
            parts = parse_name(header.id_column)
            if parts is not None and parts[-1] != "ctid" and header.id_column not in (f.name for f in header.features):
                columns = [column for column in columns if column.name != parts[-1]]
                n_rows = len(columns[0].values) if columns else 0
                columns.append(FrameColumn(parts[-1], "bigint", np.arange(n_rows)))
            with uploaded(self.client.connection, columns) as name:
                yield name


class EnsembleModel(TrainedModel):
    """A model whose groups have several trees each."""

    @property
    def trees(self) -> Result[Any]:
        """The rows of ``<name>``: one for each tree, with its group and its number there; of boosted ones its round."""
        return self._table("", "tree_id")

    @property
    def groups(self) -> Result[Any]:
        """The rows of ``<name>_group``: what is known of each group's trees as a whole, and its importances."""
        return self._table("_group", "gid")

    def tree(self, sample_id: int, gid: int = 1) -> TreeModel:
        """One tree as plain values: of the group `gid` the one with that number."""
        with self.client.reading():
            tables = find_model(self.client.host, self.name, "model")
            model = read_summary(self.client.host, tables, to_run=False)
            if self._kind is not None:
                check_kind(model, self._kind)
            tree_id = tree_of_group(model, gid, sample_id)
        return self.read(tree_id)

    def plot(self, sample_id: int = 1, max_depth: int | None = None, *, gid: int = 1) -> Drawing:
        """A picture of one tree that a notebook shows; ``save(path)`` writes it, ``show()`` opens it in a browser."""
        return Drawing(tree_svg(self.tree(sample_id, gid), max_depth=max_depth))
