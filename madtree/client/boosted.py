"""A trained boosted model as an object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from madtree.client.calls import CallError, raising_mistakes
from madtree.client.functions import BoostedMethods
from madtree.client.result import Result
from madtree.client.trained import EnsembleModel
from madtree.interface import FUNCTIONS
from madtree.interface import values as argument_values
from madtree.model import CONFORMAL, check_first_rounds, check_level
from madtree.trees import BOOSTED
from madtree.trees import Model as TreeModel

if TYPE_CHECKING:
    from madtree.client.boosted_arrays import BoostedArrays


class BoostedModel(EnsembleModel, BoostedMethods):
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
        level: float = 0.9,
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
            response, prob, raw, conformal or leaf; of a frame any but leaf.
        num_trees
            Rounds to predict by, from the first one on, at most as many as there are; all of them with conformal.
        level
            Of intervals and sets of classes (conformal), the share of outcomes that they cover.
        gid
            Of a grouped model, the group of all rows of a frame.

        Returns
        -------
        str or ndarray
            What the call said; of a frame an array of shape (n_rows,), or, with a value for each class,
            (n_rows, n_classes); of intervals (n_rows, 3): the number, the low end and the high one; of sets of classes
            booleans of shape (n_rows, n_classes).
        """
        if isinstance(new_data_table, str):
            if output_table is None:
                raise CallError("output_table must be the name of the table for the predictions of a table")
            return self.client.boost_predict(
                self.name, new_data_table, output_table, type, num_trees, trust_owner, replace, level
            )
        from madtree.client.feature_values import read_features
        from madtree.model.arrays import conformal_predictions

        with raising_mistakes():
            given = argument_values.typed("num_trees", num_trees, "integer")
            num_trees = FUNCTIONS["boost_predict"].checked("num_trees", given)
            model, boosted = self._arrays(gid)  # which refuses a group that the model does not have
            check_first_rounds(model, type, num_trees)
        quantile = self._quantile(level, gid) if type == CONFORMAL else None
        values, n_rows = read_features(model.features, boosted.trees.used, new_data_table)
        scores = boosted.scores(values, n_rows, num_trees)
        if quantile is None:
            return boosted.answer(model, type, scores, (CONFORMAL,))
        return conformal_predictions(boosted.responses(scores), quantile, of_classes=model.is_classification)

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

    def _quantile(self, level: float, gid: int | None) -> float:
        """That of the level; raises MadtreeError where it is not kept."""
        from madtree.model.arrays import quantile_of_group

        check_level(CONFORMAL, level)
        with self.client.reading():
            return quantile_of_group(self._opened(), level, gid)

    def _arrays(self, gid: int | None) -> tuple[TreeModel, BoostedArrays]:
        from madtree.client.boosted_arrays import BoostedArrays

        with self.client.reading():
            opened = self._opened()
            return opened.model, BoostedArrays.read(opened, gid)
