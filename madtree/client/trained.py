"""What models of all kinds have in common as objects."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from madtree.client.caller import Caller
from madtree.client.calls import CallError, called
from madtree.client.drawing import Drawing
from madtree.client.functions import FunctionCalls
from madtree.client.result import Result
from madtree.host import Host
from madtree.model import OpenModel, find_to_show, read_model, tree_of_group
from madtree.render.svg import tree_svg
from madtree.sqltext.importance import importance_columns
from madtree.sqltext.quote import ident
from madtree.sqltext.split import parse_name
from madtree.sqltext.tables import suffixed
from madtree.trees import Model as TreeModel
from madtree.trees import ModelKind

if TYPE_CHECKING:
    from madtree.client.functions import ImportanceRow

# By what features are ordered, the first of these that a kind has before the others.
_RANKS = ("raw_oob_importance", "raw_importance")


class TrainedModel:
    """A model in the database by its name. Everything is read when it is asked for."""

    _kind: ClassVar[ModelKind | None] = None  # that its tables must be of; None for any

    def __init__(self, client: FunctionCalls, name: str, message: str | None = None) -> None:
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
            header = find_to_show(self.client.host, self.name).model
            known = importance_columns(header.kind)
            best = [f"{rank} DESC NULLS LAST" for rank in _RANKS if rank in known]
            return self.client.rows_of(table, ", ".join([*header.grouping_columns, *best]))

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
    def _as_table(self, data: Any, trust_owner: bool) -> Iterator[Any]:
        """The name of a table, as given (None too), or of a frame's temporary copy, with its rows numbered as id."""
        if data is None or isinstance(data, str):
            yield data
            return
        import numpy as np

        from madtree.client.feature_values import as_trained
        from madtree.client.frames import FrameColumn, columns_of
        from madtree.client.upload import uploaded

        columns = columns_of(data)
        with self.client.beside_models(), self.client.work():
            header = find_to_show(self.client.host, self.name, trust_owner=trust_owner).model
            columns = as_trained(header.features, columns)
            parts = parse_name(header.id_column)
            if parts is not None and parts[-1] != "ctid" and header.id_column not in (f.name for f in header.features):
                columns = [column for column in columns if column.name != parts[-1]]
                n_rows = len(columns[0].values) if columns else 0
                columns.append(FrameColumn(parts[-1], "bigint", np.arange(n_rows)))
            with uploaded(self.client.connection, columns) as name, called(name, "the data frame"):
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

    def check(self) -> None:
        """Raises MadtreeError where it is not there, or not of its kind."""
        with self.client.reading():
            self._opened()

    def _opened(self) -> OpenModel:
        return find_of_kind(self.client.host, self.name, self._kind)

    def tree(self, sample_id: int, gid: int = 1) -> TreeModel:
        """One tree as plain values: of the group `gid` the one with that number."""
        with self.client.reading():
            tree_id = tree_of_group(self._opened().model, gid, sample_id)
        return self.read(tree_id)

    def plot(self, sample_id: int = 1, max_depth: int | None = None, *, gid: int = 1) -> Drawing:
        """A picture of one tree that a notebook shows; ``save(path)`` writes it, ``show()`` opens it in a browser."""
        return Drawing(tree_svg(self.tree(sample_id, gid), max_depth=max_depth))


def find_of_kind(host: Host, name: str, kind: ModelKind | None) -> OpenModel:
    """As `find_to_show`; raises CallError where the model is not of the kind that is asked for, unless any is."""
    opened = find_to_show(host, name)
    if kind is not None and opened.model.kind != kind:
        raise CallError(f"{opened.model.name} is no {kind.noun}", f"It is a {opened.model.kind.noun}.")
    return opened


def table_rows(caller: Caller, model: str, suffix: str, order: str, kind: ModelKind | None = None) -> Result[Any]:
    """The rows of the model's table of this suffix, or of the view of packed nodes. The table is looked at first:
    another role's view would run what that role wrote.

    Args:
        order: columns as SQL.
        kind: that the model must be of.

    Raises:
        MadtreeError: there is no such model, or it is refused, or no such table belongs to it.
    """
    with caller.reading():
        opened = find_of_kind(caller.host, model, kind)
        tables = opened.tables
        if not tables.has(suffix):
            name = ident(suffixed(tables.name, suffix))
            raise CallError(
                f"{model} has no table {name}", "It was trained without, or the table is another role's.", "42P01"
            )
        is_view = suffix == "_nodes" and tables.is_packed
        table = f"{opened.nodes.sql} AS n" if is_view else tables.part(suffix)
        return caller.rows_of(table, order)
