"""A trained forest as an object."""

from __future__ import annotations

from typing import Any

from madtree.client.calls import CallError
from madtree.client.functions import ForestMethods
from madtree.client.trained import EnsembleModel
from madtree.trees import FOREST


class Forest(EnsembleModel, ForestMethods):
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
            opened = self._opened()
            return sklearn_of(opened.model, EnsembleArrays.read(opened, gid), voting)

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
            response, prob, prob_mean, interval, conformal or leaf; of a frame any but leaf.
        level
            Of intervals and sets of classes, the share of outcomes that they cover.
        gid
            Of a grouped forest, the group of all rows of a frame.

        Returns
        -------
        str or ndarray
            What the call said; of a frame an array of shape (n_rows,); with a value for each class (n_rows, n_classes);
            of intervals (n_rows, 3): the mean, the low end and the high one; of sets of classes booleans of shape
            (n_rows, n_classes).
        """
        if not isinstance(new_data_table, str):
            from madtree.client.forest_arrays import predict_frame

            with self.client.reading():
                return predict_frame(self._opened(), new_data_table, type, level, gid)
        if output_table is None:
            raise CallError("output_table must be the name of the table for the predictions of a table")
        return self.client.forest_predict(self.name, new_data_table, output_table, type, trust_owner, replace, level)
