"""A trained model in the database, as an object."""

from __future__ import annotations

import contextlib
import html
import json
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from psycopg import sql

from madtree.client.result import Evaluation, Result
from madtree.model import ModelTables, find_model, read_model, read_summary
from madtree.render.svg import tree_svg
from madtree.render.text import model_text
from madtree.sqltext.quote import ident
from madtree.sqltext.split import parse_name
from madtree.sqltext.tables import suffixed
from madtree.trees import Model as TreeModel

if TYPE_CHECKING:
    from madtree.client.client import Client


class Model:
    """A model: the tables ``<name>``, ``<name>_nodes``, ``<name>_summary``, ...

    Everything is read from the database when it is asked for: an object follows its model when that is replaced. In a
    notebook it is drawn.

    Attributes
    ----------
    client
        Where it is.
    name
        The model's name as in SQL.
    message
        What the call that made it said; None for a model that was there already.
    """

    def __init__(self, client: Client, name: str, message: str | None = None) -> None:
        self.client, self.name, self.message = client, name, message

    def __repr__(self) -> str:
        return f"<madtree.Model {self.name}>"

    def locate(self) -> ModelTables:
        """Schema and name of its tables. Raises MadtreeError if there is no such model."""
        with self.client.work():
            return find_model(self.client.host, self.name, "model")

    def read(self, tree_id: int | None = None) -> TreeModel:
        """The whole model, or one tree of it, as plain values."""
        with self.client.reading():
            return read_model(self.client.host, self.name, tree_id=tree_id)

    @property
    def summary(self) -> dict[str, Any]:
        """The one row of ``<name>_summary``: kind, rows, classes, features, parameters."""
        (row,) = self._table("_summary", "1").to_dicts()
        return row

    @property
    def trees(self) -> Result:
        """The rows of ``<name>``: one for each tree, with its group."""
        return self._table("", "tree_id")

    @property
    def nodes(self) -> Result:
        """The rows of ``<name>_nodes`` by tree and node; the root is 0, the children of i are 2i + 1 and 2i + 2."""
        return self._table("_nodes", "tree_id, node_id")

    @property
    def surrogates(self) -> Result:
        """The rows of ``<name>_surrogates`` by tree, node and rank; MadtreeError if it was trained without."""
        return self._table("_surrogates", "tree_id, node_id, rank")

    @property
    def cv(self) -> Result:
        """The rows of ``<name>_cv``, cp by cp; MadtreeError if it was trained without cross-validation."""
        return self._table("_cv", "cp DESC")

    def display(self, *, verbosity: bool = False) -> str:
        """The model as indented text."""
        return self.client.tree_display(self.name, dot_format=False, verbosity=verbosity)

    def importance(self) -> Result:
        """A row for each feature of each tree: its share of the importance in percent, and the sum itself."""
        with self._scratch() as table:
            self.client.get_var_importance(self.name, table)
            return self.client.query(f"SELECT * FROM {table}")

    def evaluate(self, table: Any, *, trust_owner: bool = False) -> Evaluation:
        """How well it does on a table, or on a data frame, with known outcomes, a row for each metric."""
        with self._as_table(table, trust_owner) as name:
            return self.client.tree_evaluate(self.name, name, trust_owner)

    def confusion(self, table: Any, *, trust_owner: bool = False) -> Result:
        """The confusion matrix on a table or a data frame, as rows."""
        with self._as_table(table, trust_owner) as name:
            return self.client.tree_confusion(self.name, name, trust_owner)

    def predict(self, table: Any, type: str = "response", *, trust_owner: bool = False) -> Result:
        """Predictions for a table, or for a data frame (pandas, polars or Arrow).

        Parameters
        ----------
        table
            Name of a table or view; or a frame with the features (and grouping columns) as its columns, which is
            copied into a temporary table.
        type
            response, prob, prob_columns or leaf.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote; the same for the methods
            below.

        Returns
        -------
        Result
            The id, and what is predicted. A table's rows come in no particular order; a frame's in its order, with
            their numbers from 0 as id, unless the id is a feature too or an expression: then by ascending id. To keep
            predictions in the database, use `Client.tree_predict`.
        """
        if isinstance(table, str):
            with self._scratch() as target:
                self.client.tree_predict(self.name, table, target, type, trust_owner)
                return self.client.query(f"SELECT * FROM {target}")
        with self._as_table(table, trust_owner) as name, self._scratch() as target:
            self.client.tree_predict(self.name, name, target, type, trust_owner)
            return self.client.query(f"SELECT * FROM {target} ORDER BY 1")

    def to_sql(self, type: str = "response", tree_id: int | None = None, *, trust_owner: bool = False) -> str:
        """The model as an SQL expression over the columns of its training table."""
        return self.client.tree_sql(self.name, type, tree_id, trust_owner)

    def rules(self, tree_id: int | None = None, *, trust_owner: bool = False) -> Result:
        """A row for each leaf: its path as text and as SQL, its rows, what it predicts and how surely."""
        return self.client.tree_rules(self.name, tree_id, trust_owner)

    def path(self, table: str, id: object, *, trust_owner: bool = False) -> Result:
        """The path that one row of a table takes, a row for each step, and why."""
        return self.client.tree_path(self.name, table, id, trust_owner)

    def to_json(self) -> str:
        """The whole model in madtree's format for other programs, as text."""
        return json.dumps(self.client.tree_to_json(self.name), ensure_ascii=False)

    def to_pmml(self) -> str:
        """The model as a PMML 4.4 document."""
        return self.client.tree_to_pmml(self.name)

    def to_dot(self, *, verbosity: bool = False) -> str:
        """The model as a graph for graphviz."""
        return self.client.tree_display(self.name, dot_format=True, verbosity=verbosity)

    def to_svg(self, tree_id: int | None = None, max_depth: int | None = None) -> str:
        """A picture of one tree (by default the first), down to `max_depth` (by default as deep as can be read)."""
        return tree_svg(self.read(tree_id), max_depth=max_depth)

    def to_sklearn(self, tree_id: int | None = None) -> Any:
        """One tree as an estimator of scikit-learn's that predicts exactly the same; see `madtree.to_sklearn`."""
        from madtree.client.sklearn_tree import to_sklearn

        return to_sklearn(self.read(tree_id), tree_id)

    def prune(self, new_model: str, cp: float, *, trust_owner: bool = False) -> Model:
        """Prune it further into a new model."""
        return self.client.tree_prune(self.name, new_model, cp, trust_owner)

    def drop(self) -> str:
        """Drop its tables."""
        return self.client.tree_drop(self.name)

    def _repr_html_(self) -> str:
        """What a notebook shows: a picture of the first tree, and its texts for whoever cannot see it."""
        model = self.read_first()
        return (
            f'<figure style="margin: 0; overflow-x: auto">{tree_svg(model)}<details><summary>As text</summary>'
            f"<pre>{html.escape(model_text(model, False))}</pre></details></figure>"
        )

    def read_first(self) -> TreeModel:
        """The model with its first tree only."""
        with self.client.reading() as connection:
            trees = sql.SQL("SELECT pg_catalog.min(tree_id) FROM {}").format(self._identifier(""))
            (first,) = connection.execute(trees, prepare=False).fetchone() or (None,)
            return read_model(self.client.host, self.name, tree_id=first)

    def _identifier(self, suffix: str) -> sql.Identifier:
        tables = find_model(self.client.host, self.name, "model")
        return sql.Identifier(tables.schema, suffixed(tables.name, suffix))

    def _table(self, suffix: str, order: str) -> Result:
        with self.client.reading():
            table = self._identifier(suffix)
            return self.client.query(sql.SQL("SELECT * FROM {} ORDER BY {}").format(table, sql.SQL(order)))

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

        from madtree.client.frames import Column, columns_of
        from madtree.client.upload import uploaded

        columns = columns_of(data)
        with self.client.work():
            tables = find_model(self.client.host, self.name, "model", trust_owner=trust_owner)
            header = read_summary(self.client.host, tables, to_run=False)
            parts = parse_name(header.id_column)
            if parts is not None and parts[-1] != "ctid" and header.id_column not in (f.name for f in header.features):
                columns = [column for column in columns if column.name != parts[-1]]
                n_rows = len(columns[0].values) if columns else 0
                columns.append(Column(parts[-1], "bigint", np.arange(n_rows)))
            with uploaded(self.client.connection, columns) as name:
                yield name
