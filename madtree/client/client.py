"""The functions of madtree's SQL interface as methods, under the same names and with the same arguments."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from madtree.client.boosted import BoostCalls
from madtree.client.calls import Grid, Names, Pairs, as_argument, as_grid
from madtree.client.forests import ForestCalls
from madtree.client.model import Model
from madtree.client.result import Result
from madtree.client.rows import ModelRow, TriedRow
from madtree.client.session import Session, without_password
from madtree.client.tree_calls import TreeCalls
from madtree.host.psycopg import Engine


class Client(TreeCalls, ForestCalls, BoostCalls):
    """madtree in one database; made by `madtree.connect`, where transactions are explained.

    Tables and models are named as in SQL (``'flights'``, ``'my_schema."My Table"'``); a list of features may also be
    a sequence of plain names, which are quoted. None for an optional argument is its default on the server.

    Raises
    ------
    CallError
        By all methods: the server refused the call, or madtree could not do it. The exception has the server's
        sentence, its `hint` and its `sqlstate`. Other errors of the server's (a lost connection, a cancelled call, a
        deadlock) are psycopg's.
    LostConnectionError
        By the client as engine: the connection broke. It is an ``OperationalError`` of psycopg's, too.
    """

    def tree_train(
        self,
        training_table_name: str,
        output_table_name: str,
        id_col_name: str,
        dependent_variable: str,
        list_of_features: Names,
        list_of_features_to_exclude: Names | None = None,
        split_criterion: str | None = "gini",
        grouping_cols: Names | None = None,
        weights: str | None = None,
        max_depth: int | None = 10,
        min_split: int | None = None,
        min_bucket: int | None = None,
        n_bins: int | None = 100,
        surrogate_params: Pairs | None = None,
        pruning_params: Pairs | None = None,
        verbose: bool | None = False,
        *,
        seed: int | None = 1,
        replace: bool | None = False,
        parallel_workers: int | None = None,
        memory_mb: int | None = 64,
        strategy: str | None = "auto",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float | None = None,
        classification: bool | None = None,
        class_params: Pairs | None = None,
        exposure: str | None = None,
        shrink: float | None = None,
        feature_costs: Pairs | None = None,
        max_competitors: int | None = 0,
    ) -> Model:
        """Train one tree, or one for each group, on a table where it is.

        Parameters
        ----------
        training_table_name, output_table_name
            The table or view to learn from, and the model to make.
        id_col_name, dependent_variable
            A column that tells rows apart; the column or expression to predict, which may have a name:
            ``'delay > 180 AS very_late'``.
        list_of_features, list_of_features_to_exclude
            ``'*'``, or columns and expressions as SQL, or a sequence of columns; and what ``'*'`` leaves out.
        split_criterion
            gini, entropy, gain_ratio or misclassification; mse for regression; poisson for counts of events.
        grouping_cols, weights
            One tree for each combination of these columns or expressions (``'extract(month from day) AS month'``); a
            column or expression with the rows' weights.
        max_depth, min_split, min_bucket
            Levels below the root, 0 to 60; rows that a node needs to be split; rows that each side keeps.
        n_bins
            Candidate thresholds of a continuous feature; 0 for all of them, as always with at most 4,096 rows.
        surrogate_params, pruning_params
            As text, or a mapping: ``{"max_surrogates": 5}``, ``{"n_folds": 10, "rule": "1se"}``, ``{"cp": -1}``.
        verbose
            Report every level; see `on_message` of `madtree.connect`.
        seed, replace, parallel_workers, memory_mb
            Of samples and folds; overwrite a model of that name; workers that may share the passes; megabytes for
            histograms.
        strategy
            Where the packed rows are kept, and who counts them: auto, memory, workers or aggregate. The trees are the
            same.
        max_leaf_nodes, min_impurity_decrease
            Leaves of the tree before it is pruned, at most; by how much a split must lower the impurity of the whole
            tree. Both as in scikit-learn.
        classification
            True for classes, False for a regression; by default as the type of the dependent variable says: whole
            numbers are classes.
        class_params
            How much classes count, in their order: ``{"prior": [0.5, 0.5], "loss": [[0, 1], [5, 0]]}``, as rpart's
            ``parms``, or ``{"class_weight": "balanced"}``, or as text.
        exposure, shrink
            Of counts: a column or expression with the exposure of each row; how far the rates of leaves may lie from
            the root's, by default 1, as rpart's ``parms = list(shrink = 1)``, and 0 for no limit.
        feature_costs
            As text, or a mapping: ``{"income": 2}``. The gains of a feature's splits are divided by its cost; others
            cost 1.
        max_competitors
            How many of the splits that a node's own has won against are kept, the best by each other feature: see
            `Model.competitors`.

        Returns
        -------
        Model
            Its `message` says what was trained.
        """
        arguments = dict(locals())
        del arguments["self"]
        return Model(self, output_table_name, self.call("tree_train", **arguments)[0][0])

    def tree_tune(
        self,
        training_table_name: str,
        output_table_name: str,
        id_col_name: str,
        dependent_variable: str,
        list_of_features: Names,
        method: str | None = "tree",
        params: Grid | None = None,
        n_folds: int | None = 5,
        metric: str | None = None,
        search: str | None = "grid",
        fold_column: str | None = None,
        list_of_features_to_exclude: Names | None = None,
        weights: str | None = None,
        verbose: bool | None = False,
        seed: int | None = 1,
        replace: bool | None = False,
        parallel_workers: int | None = None,
        memory_mb: int | None = 64,
        strategy: str | None = "auto",
        classification: bool | None = None,
    ) -> Result[TriedRow]:
        """Try settings of a tree, a forest or a boosted model (`method` tree, forest or boost) by cross-validation, and
        train the best one as the model ``<output_table_name>_model``. Returns the table of scores, a row for each
        setting and fold.

        `params`: as text, or a mapping such as ``{"max_depth": [3, 5, 8], "min_bucket": [5, 20]}``. `metric`: by
        default the first one for the outcome. `search`: grid, or halving, which leaves bad settings out early.
        `fold_column`: whose values are the folds; by default `n_folds` are drawn.
        """
        given = dict(locals())
        del given["self"]
        given["params"] = as_grid(params)
        self.call("tree_tune", **{name: as_argument(name, value) for name, value in given.items()})
        return self.rows_of(output_table_name, "setting, fold")

    def tree_prune(self, model: str, new_model: str, cp: float, trust_owner: bool | None = False) -> Model:
        """Prune a model further, without its data, into a new model."""
        return Model(self, model).prune(new_model, cp, trust_owner=trust_owner)

    def model(self, name: str) -> Model:
        """A model that is there already. Raises MadtreeError if there is none of that name."""
        model = Model(self, name)
        model.locate()
        return model

    def models(self) -> Result[ModelRow]:
        """Every model that the session's user can see: the rows of the view ``madtree.models``."""
        if self._chosen_engine() == "client":
            return self.call("models")
        return self.rows_of("madtree.models", "model")

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        info = self.connection.info
        return f"<madtree.Client of {info.dbname} at {info.host}:{info.port}>"

    def __copy__(self) -> Client:
        return self

    def __deepcopy__(self, memo: object) -> Client:
        return self  # a session cannot be doubled; copies of what holds a client share it

    def __reduce__(self) -> Pickled:
        """A pickle, which may be kept in a file, has no password; `child_processes` says who gets it."""
        source = None if self.source_conninfo is None else without_password(self.source_conninfo)
        return client_elsewhere, (without_password(self.conninfo), self.engine, self.connections, source)


class _Elsewhere(threading.local):
    """The clients that a thread has got pickled, by what they are."""

    def __init__(self) -> None:
        self.clients: dict[tuple[Any, ...], Client] = {}


_ELSEWHERE = _Elsewhere()


def client_elsewhere(
    conninfo: str, engine: Engine = "auto", connections: int | None = None, source: str | None = None
) -> Client:
    """What a pickled client comes back as: it connects when it is first used.

    A thread has one client for all pickles of one: a session takes a while to load Python, and a grid search sends a
    pickle for each fit.
    """
    key = (os.getpid(), conninfo, engine, connections, source)
    known = _ELSEWHERE.clients.get(key)
    if known is None or known.is_closed:
        of_data = None if source is None else Session.elsewhere(source)
        known = Client(Session.elsewhere(conninfo), engine=engine, connections=connections, source=of_data)
        _ELSEWHERE.clients[key] = known
    return known


# What a client is sent as: `client_elsewhere` and its arguments.
Pickled = tuple[Callable[[str, Engine, int | None, str | None], Client], tuple[str, Engine, int | None, str | None]]
