"""The functions for forests as methods, and a trained forest as an object."""

from __future__ import annotations

from typing import Any

from madtree.client.caller import Caller
from madtree.client.calls import CallError, Names, Pairs
from madtree.client.trained import EnsembleModel
from madtree.client.tree_calls import check_kind
from madtree.model import find_model, read_summary
from madtree.trees import FOREST


class ForestCalls(Caller):
    """What a client can do with forests."""

    def forest_train(
        self,
        training_table_name: str,
        output_table_name: str,
        id_col_name: str,
        dependent_variable: str,
        list_of_features: Names,
        list_of_features_to_exclude: Names | None = None,
        grouping_cols: Names | None = None,
        num_trees: int | None = 100,
        num_random_features: int | None = None,
        importance: bool | None = True,
        num_permutations: int | None = 1,
        max_tree_depth: int | None = None,
        min_split: int | None = None,
        min_bucket: int | None = None,
        num_splits: int | None = 100,
        null_handling_params: Pairs | None = None,
        verbose: bool | None = False,
        sample_ratio: float | None = 1,
        *,
        weights: str | None = None,
        split_criterion: str | None = "gini",
        split_rule: str | None = "best",
        sampling: str | None = "poisson",
        seed: int | None = 1,
        replace: bool | None = False,
        parallel_workers: int | None = None,
        memory_mb: int | None = 64,
        classification: bool | None = None,
        strategy: str | None = "auto",
        oob_predictions: bool | None = False,
        intervals: bool | None = False,
    ) -> Forest:
        """Train a random forest, or one for each group, on a table where it is.

        Parameters
        ----------
        training_table_name, output_table_name, id_col_name, dependent_variable
            As for `tree_train`. Rows of one id are drawn together.
        list_of_features, list_of_features_to_exclude, grouping_cols, weights, split_criterion, classification
            As for `tree_train`.
        num_trees, num_random_features
            Of each forest; features drawn for each node, by default the root of their number, for numbers a third.
        importance, num_permutations
            Whether, and how often, each feature is permuted among the out-of-bag rows of each tree.
        max_tree_depth, min_split, min_bucket, num_splits
            Levels below the root, by default 60; rows that a node needs, by default 2, for numbers 5; rows that each
            side keeps, by default 1; candidate thresholds of a continuous feature.
        null_handling_params
            As `surrogate_params` of `tree_train`.
        verbose, seed, replace, parallel_workers, memory_mb, strategy
            As for `tree_train`.
        sample_ratio, sampling
            Share of the rows that each tree's sample is drawn from; with replacement (poisson),
            without_replacement, or none: each tree has all rows once.
        split_rule
            The best split of each feature that is drawn for a node, or a random one (extremely randomized trees).
        oob_predictions
            Also make the table ``<output>_oob``: what is predicted of each row by the trees whose samples lack it.
        intervals
            Also make the table ``<output>_outcomes``: an outcome of each leaf, for intervals of predictions.

        Returns
        -------
        Forest
            Its `message` says what was trained.
        """
        arguments = dict(locals())
        del arguments["self"]
        return Forest(self, output_table_name, self.call("forest_train", **arguments)[0][0])

    def forest_predict(
        self,
        random_forest_model: str,
        new_data_table: str,
        output_table: str,
        type: str | None = "response",
        trust_owner: bool | None = False,
        replace: bool | None = False,
        level: float | None = 0.9,
    ) -> str:
        """Score a table by a forest into a new table; `type` is response, prob, prob_mean, interval or leaf.

        `replace` as for `tree_predict`; `level` is the share of outcomes that lie in an interval.
        """
        return self.call_text(
            "forest_predict", random_forest_model, new_data_table, output_table, type, trust_owner, replace, level
        )

    def get_tree(
        self,
        forest_model_table: str,
        gid: int,
        sample_id: int,
        dot_format: bool | None = True,
        verbose: bool | None = False,
        max_depth: int | None = None,
    ) -> str:
        """One tree of a forest as a graph for graphviz or, with ``dot_format=False``, as text; down to `max_depth`."""
        return self.call_text("get_tree", forest_model_table, gid, sample_id, dot_format, verbose, max_depth)

    def get_tree_surr(self, forest_model_table: str, gid: int, sample_id: int) -> str:
        """The surrogates of one tree of a forest as text."""
        return self.call_text("get_tree_surr", forest_model_table, gid, sample_id)

    def forest(self, name: str) -> Forest:
        """A forest that is there already."""
        return Forest(self, name)


class Forest(EnsembleModel):
    """A forest: the tables ``<name>``, ``<name>_group``, ``<name>_nodes``, ``<name>_summary``.

    Everything is read from the database when it is asked for.

    Attributes
    ----------
    client
        Where it is.
    name
        The model's name as in SQL.
    message
        What the call that made it said; None for one that was there already.
    """

    _kind = FOREST
    client: ForestCalls

    @property
    def oob_error(self) -> float | None:
        """The error on out-of-bag rows of a forest without groups. Raises CallError where there are groups."""
        groups = self.groups
        if len(groups) != 1:
            raise CallError(f"{self.name} has {len(groups)} groups", "The attribute groups has the error of each.")
        (row,) = groups
        return None if row.oob_error is None else float(row.oob_error)

    def to_sklearn(self, gid: int | None = None, *, voting: str = "hard") -> Any:
        """The forest as one of scikit-learn's that predicts exactly the same; see `madtree.to_sklearn`.

        Parameters
        ----------
        gid
            Of a grouped model, the forest of this group.
        voting
            Of classes, what ``predict`` says: hard, the class with most votes, as forest_predict's response; or soft,
            the one with the greatest probability, as scikit-learn. ``predict_proba`` is forest_predict's prob_mean.
        """
        from madtree.client.sklearn_forest import sklearn_of
        from madtree.client.tree_arrays import EnsembleArrays

        with self.client.reading():
            host = self.client.host
            tables = find_model(host, self.name, "model")
            model = read_summary(host, tables, to_run=False)
            check_kind(model, FOREST)
            return sklearn_of(model, EnsembleArrays.read(host, tables, model, gid), voting)

    def predict(
        self,
        new_data_table: Any,
        output_table: str | None = None,
        type: str = "response",
        trust_owner: bool | None = False,
        replace: bool | None = False,
        level: float = 0.9,
        *,
        gid: int | None = None,
    ) -> Any:
        """Score a table into a new table, as `Client.forest_predict`; or a data frame, here.

        Parameters
        ----------
        new_data_table
            Name of a table or view. Or a frame (pandas, polars or Arrow) with the features as its columns, or an array
            with a column for each feature, whose predictions are returned, the same to the bit: only the trees are read
            from the database. Of a frame `output_table`, `trust_owner` and `replace` are not used.
        type
            response, prob, prob_mean, interval or leaf; of a frame any but leaf.
        level
            Of intervals, the share of outcomes that lie between.
        gid
            Of a grouped forest, the group of all rows of a frame.

        Returns
        -------
        str or ndarray
            What the call said; of a frame an array of shape (n_rows,); with a value for each class (n_rows, n_classes);
            of intervals (n_rows, 3): the mean, the low end and the high one.
        """
        if not isinstance(new_data_table, str):
            from madtree.client.forest_arrays import predict_frame

            with self.client.reading():
                return predict_frame(self.client.host, self.name, new_data_table, type, level, gid)
        if output_table is None:
            raise CallError("output_table must be the name of the table for the predictions of a table")
        return self.client.forest_predict(self.name, new_data_table, output_table, type, trust_owner, replace, level)

    def to_sql(
        self,
        type: str = "response",
        *,
        class_: str | None = None,
        trust_owner: bool = False,
        dialect: str | None = None,
    ) -> str:
        """It as an SQL expression over the columns of its training table, as `Client.tree_sql`."""
        return str(self.client.call("tree_sql", self.name, type, None, trust_owner, class_, dialect)[0][0])
