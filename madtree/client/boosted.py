"""The functions for boosted models as methods, and such a model as an object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from madtree.client.caller import Caller
from madtree.client.calls import CallError, Groups, Names, Pairs
from madtree.client.result import Result
from madtree.client.rows import StagedRow
from madtree.client.trained import EnsembleModel
from madtree.trees import BOOSTED
from madtree.trees import Model as TreeModel

if TYPE_CHECKING:
    from madtree.client.boosted_arrays import BoostedArrays


class BoostCalls(Caller):
    """What a client can do with boosted models."""

    def boost_train(
        self,
        training_table_name: str,
        output_table_name: str,
        id_col_name: str,
        dependent_variable: str,
        list_of_features: Names,
        list_of_features_to_exclude: Names | None = None,
        loss: str | None = None,
        grouping_cols: Names | None = None,
        weights: str | None = None,
        num_trees: int | None = 100,
        learning_rate: float | None = 0.1,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_bucket: int | None = 20,
        n_bins: int | None = 255,
        boost_params: Pairs | None = None,
        validation_params: Pairs | None = None,
        verbose: bool | None = False,
        *,
        seed: int | None = 1,
        replace: bool | None = False,
        parallel_workers: int | None = None,
        memory_mb: int | None = 64,
        classification: bool | None = None,
        strategy: str | None = "auto",
        exposure: str | None = None,
        class_params: Pairs | None = None,
        correct_prior: bool | None = False,
        monotone: Pairs | None = None,
        interaction_constraints: Groups | None = None,
        offsets: str | None = None,
    ) -> BoostedModel:
        """Train a gradient boosted model, or one for each group, on a table where it is.

        Parameters
        ----------
        training_table_name, output_table_name, id_col_name, dependent_variable
            As for `tree_train`.
        list_of_features, list_of_features_to_exclude, grouping_cols, weights, classification
            As for `tree_train`.
        loss
            Of classes log_loss or exponential; of numbers squared_error, absolute_error, quantile, huber, poisson or
            gamma.
        num_trees, learning_rate
            Rounds at most, and by what the values of leaves are multiplied.
        max_leaf_nodes, max_depth, min_bucket, n_bins
            Leaves of a tree at most; levels below the root, by default 60; rows that each side keeps; candidate
            thresholds of a continuous feature.
        boost_params
            ``l2_regularization``, ``min_gain``, ``subsample``, ``feature_fraction``, ``cat_smooth``, ``quantile``,
            ``cat_l2``, ``max_cat_threshold``, ``min_data_per_group``, ``top_rate``, ``other_rate``,
            ``category_encoding``, ``prior_weight``.
        validation_params
            ``fraction`` of the rows to be held out, or ``fold_col``, a column that is true in these, so that the model
            keeps the rounds up to their least loss; ``n_iter_no_change``, ``tol``.
        verbose, seed, replace, parallel_workers, memory_mb, strategy
            As for `tree_train`.
        exposure
            Of poisson: a column or expression with the exposure of each row; the model predicts rates.
        class_params, correct_prior
            How much classes count, in their order: ``{"class_weight": "balanced"}``, weights, or a ``prior``; and
            whether the base score is corrected, so that probabilities are those of the rows.
        monotone
            ``{"income": 1, "age": -1}``: features with which predictions do not fall, or do not rise.
        interaction_constraints
            ``[["income", "age"], ["region"]]``: features that may be together on a path of a tree; all others are one
            more such group.
        offsets
            A column or expression that is added to each row's score from the beginning, on the scale of raw scores.

        Returns
        -------
        BoostedModel
            Its `message` says what was trained.
        """
        arguments = dict(locals())
        del arguments["self"]
        return BoostedModel(self, output_table_name, self.call("boost_train", **arguments)[0][0])

    def boost_predict(
        self,
        boosted_model: str,
        new_data_table: str,
        output_table: str,
        type: str | None = "response",
        num_trees: int | None = None,
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> str:
        """Score a table by a boosted model into a new table; `type` is response, prob, raw or leaf.

        `num_trees`: rounds to predict by, from the first one on. `replace` as for `tree_predict`.
        """
        return self.call_text(
            "boost_predict", boosted_model, new_data_table, output_table, type, num_trees, trust_owner, replace
        )

    def boost_cut(self, model: str, new_model: str, num_trees: int, trust_owner: bool | None = False) -> BoostedModel:
        """The first `num_trees` rounds of a boosted model as a new model, without the data."""
        return BoostedModel(self, new_model, self.call_text("boost_cut", model, new_model, num_trees, trust_owner))

    def boost_sql(
        self,
        model: str,
        type: str | None = "response",
        trust_owner: bool | None = False,
        class_: str | None = None,
        dialect: str | None = None,
    ) -> str:
        """A small boosted model as an SQL expression over the columns of its training table; with the types prob and
        raw, of `class_`. `dialect`: of another database, such as duckdb or sqlite.
        """
        return self.call_text("boost_sql", model, type, trust_owner, class_, dialect)

    def boost_staged(self, model: str, test_table: str, trust_owner: bool | None = False) -> Result[StagedRow]:
        """Loss, and accuracy or RMSE, on a table with known outcomes: a row for each number of rounds."""
        return self.call("boost_staged", model, test_table, trust_owner)

    def boosted(self, name: str) -> BoostedModel:
        """A boosted model that is there already."""
        return BoostedModel(self, name)


class BoostedModel(EnsembleModel):
    """A boosted model: the tables ``<name>``, ``<name>_group``, ``<name>_rounds``, ``<name>_nodes`` and the summary.

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

    _kind = BOOSTED
    client: BoostCalls

    @property
    def rounds(self) -> Result[Any]:
        """The rows of ``<name>_rounds``: the mean losses after each round, by group."""
        return self._table("_rounds", "gid, round")

    def read(self, tree_id: int | None = None) -> TreeModel:
        """All trees as plain values, or the one of that number."""
        found = super().read(tree_id)
        return found if tree_id is None else found.as_single_trees

    def predict(
        self,
        new_data_table: Any,
        output_table: str | None = None,
        type: str = "response",
        num_trees: int | None = None,
        trust_owner: bool | None = False,
        replace: bool | None = False,
        *,
        gid: int | None = None,
    ) -> Any:
        """Score a table into a new table, as `Client.boost_predict`; or a data frame, here.

        Parameters
        ----------
        new_data_table
            Name of a table or view. Or a frame (pandas, polars or Arrow) with the features as its columns, or an array
            with a column for each feature, whose predictions are returned, the same to the bit: only the trees are read
            from the database. Of a frame `output_table`, `trust_owner` and `replace` are not used.
        type
            response, prob, raw or leaf; of a frame any but leaf.
        num_trees
            Rounds to predict by, from the first one on.
        gid
            Of a grouped model, the group of all rows of a frame.

        Returns
        -------
        str or ndarray
            What the call said; of a frame an array of shape (n_rows,), or, with a value for each class,
            (n_rows, n_classes).
        """
        if isinstance(new_data_table, str):
            if output_table is None:
                raise CallError("output_table must be the name of the table for the predictions of a table")
            return self.client.boost_predict(
                self.name, new_data_table, output_table, type, num_trees, trust_owner, replace
            )
        from madtree.client.feature_values import read_features

        model, boosted = self._arrays(gid)
        values, n_rows = read_features(model.features, boosted.trees.used, new_data_table)
        return boosted.answer(model, type, boosted.scores(values, n_rows, num_trees))

    def staged_predict(self, X: Any, type: str = "response", *, gid: int | None = None) -> Iterator[Any]:
        """What `predict` says of a frame after each round: an array of each; arguments as there."""
        from madtree.client.feature_values import read_features

        model, boosted = self._arrays(gid)
        values, n_rows = read_features(model.features, boosted.trees.used, X)
        return (boosted.answer(model, type, scores) for scores in boosted.staged_scores(values, n_rows))

    def to_sklearn(self, gid: int | None = None) -> Any:
        """The model as a `HistGradientBoosting` estimator of scikit-learn's that predicts exactly the same.

        Parameters
        ----------
        gid
            Of a grouped model, the group.

        Returns
        -------
        ExactBoostingClassifier, ExactBoostingRegressor or Pipeline
            Where all features are numbers, scikit-learn's class with its own trees, whose rows are scored by madtree's
            rules. Else a pipeline of a `LeafEncoder`, which finds the leaves, and one of these.
        """
        from madtree.client.sklearn_boosting import sklearn_of_boosted

        return sklearn_of_boosted(*self._arrays(gid))

    def to_lightgbm(self, gid: int | None = None) -> Any:
        """The model as a ``lightgbm.Booster``, whose scores are the same but for their last digits.

        Parameters
        ----------
        gid
            Of a grouped model, the group.

        Raises
        ------
        CallError
            Some of its trees split by texts, booleans, enums, dates or times, which LightGBM does not compare as
            madtree does; or it knows one class only.
        ImportError
            LightGBM is not installed.

        Notes
        -----
        Values of a feature of type real are to be given as float32 has them.
        """
        from madtree.client.lightgbm_text import booster_of

        return booster_of(*self._arrays(gid))

    def _arrays(self, gid: int | None) -> tuple[TreeModel, BoostedArrays]:
        from madtree.client.boosted_arrays import BoostedArrays

        with self.client.reading():
            return BoostedArrays.find(self.client.host, self.name, gid)

    def cut(self, new_model: str, num_trees: int, *, trust_owner: bool = False) -> BoostedModel:
        """Its first `num_trees` rounds as a new model, without the data."""
        return self.client.boost_cut(self.name, new_model, num_trees, trust_owner)

    def staged(self, test_table: str, *, trust_owner: bool = False) -> Result[StagedRow]:
        """How good it is on a table with known outcomes, a row for each number of rounds, as `Client.boost_staged`."""
        return self.client.boost_staged(self.name, test_table, trust_owner)

    def to_sql(
        self,
        type: str | None = "response",
        *,
        class_: str | None = None,
        trust_owner: bool = False,
        dialect: str | None = None,
    ) -> str:
        """It as an SQL expression over the columns of its training table, as `Client.boost_sql`."""
        return self.client.boost_sql(self.name, type, trust_owner, class_, dialect)
