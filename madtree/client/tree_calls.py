"""The functions for trained models as methods, and the rows of their tables."""

from __future__ import annotations

from typing import Any

from madtree.client.caller import Caller
from madtree.client.calls import CallError
from madtree.client.result import Evaluation, Result
from madtree.client.rows import (
    ConfusionRow,
    CurveRow,
    DependenceRow,
    DriftRow,
    ExplainedRow,
    ImportanceRow,
    PermutedRow,
    PrunedRow,
    QuantileRow,
    ReliabilityRow,
    RuleRow,
    StepRow,
)
from madtree.model import find_model, nodes_of, read_summary
from madtree.sqltext.quote import ident
from madtree.sqltext.tables import model_table, suffixed
from madtree.trees import Model, ModelKind


class TreeCalls(Caller):
    """What a client can do with a trained model by its name."""

    def tree_predict(
        self,
        tree_model: str,
        new_data_table: str,
        output_table: str,
        type: str | None = "response",
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> str:
        """Score a table into a new table; `type` is response, prob or leaf. Returns what was done.

        `replace`: put the predictions in the place of those that your table of madtree's predictions has.
        `trust_owner`, here and below: as a superuser, use another role's model although it runs what that role wrote.
        """
        return self.call_text("tree_predict", tree_model, new_data_table, output_table, type, trust_owner, replace)

    def tree_sql(
        self,
        model: str,
        type: str | None = "response",
        tree_id: int | None = None,
        trust_owner: bool | None = False,
        class_: str | None = None,
        dialect: str | None = None,
    ) -> str:
        """The model as an SQL expression over the columns of its training table; with the type prob, the probability of
        `class_`, by default of the last of two. `dialect`: of another database, such as duckdb or sqlite.
        """
        return self.call_text("tree_sql", model, type, tree_id, trust_owner, class_, dialect)

    def tree_display(
        self,
        model: str,
        dot_format: bool | None = True,
        verbosity: bool | None = False,
        full: bool | None = False,
        max_depth: int | None = None,
    ) -> str:
        """The model as a graph for graphviz or, with ``dot_format=False``, as text; down to `max_depth`.

        Here and below, `full` names all categories of a split, however many.
        """
        return self.call_text("tree_display", model, dot_format, verbosity, full, max_depth)

    def tree_surr_display(self, model: str, full: bool | None = False) -> str:
        """The surrogates of each node as text."""
        return self.call_text("tree_surr_display", model, full)

    def get_var_importance(self, model_name: str, output_table: str) -> str:
        """Write the importance of each feature into a new table. Returns what was done."""
        return self.call_text("get_var_importance", model_name, output_table)

    def tree_importance(self, model: str) -> Result[ImportanceRow]:
        """A row for each feature of each tree or, of a forest, of each group; the most important first."""
        return self.call("tree_importance", model=model)

    def tree_evaluate(self, tree_model: str, test_table: str, trust_owner: bool | None = False) -> Evaluation:
        """How well the model does on a table with known outcomes, a row for each metric: accuracy, AUC, RMSE, ..."""
        return Evaluation.of_rows(self.call("tree_evaluate", tree_model, test_table, trust_owner))

    def tree_confusion(
        self, tree_model: str, test_table: str, trust_owner: bool | None = False
    ) -> Result[ConfusionRow]:
        """The confusion matrix as rows."""
        return self.call("tree_confusion", tree_model, test_table, trust_owner)

    def tree_curve(
        self,
        tree_model: str,
        test_table: str,
        trust_owner: bool | None = False,
        class_: str | None = None,
        max_points: int | None = 100,
    ) -> Result[CurveRow]:
        """ROC, lift and calibration as rows, those of the greatest probability of the class first."""
        return self.call("tree_curve", tree_model, test_table, trust_owner, class_, max_points)

    def tree_reliability(
        self,
        tree_model: str,
        test_table: str,
        trust_owner: bool | None = False,
        class_: str | None = None,
        n_bins: int | None = 10,
    ) -> Result[ReliabilityRow]:
        """How far probabilities of the class are from what happens: a row for each of `n_bins` bins that has rows."""
        return self.call("tree_reliability", tree_model, test_table, trust_owner, class_, n_bins)

    def conformal_quantiles(
        self,
        model: str,
        calibration_table: str | None = None,
        levels: str | None = "0.9",
        trust_owner: bool | None = False,
    ) -> Result[QuantileRow]:
        """How far predictions of new rows may be off, a row for each level; of a forest without a table by its own."""
        return self.call("conformal_quantiles", model, calibration_table, levels, trust_owner)

    def calibrate(
        self,
        model: str,
        calibration_table: str,
        output_model: str,
        method: str | None = "isotonic",
        trust_owner: bool | None = False,
    ) -> str:
        """Write a model whose probabilities are true, by rows that training has not seen; `method` is isotonic or
        sigmoid. Of a tree it is a tree, of a forest and a boosted model a boosted one. Returns what was done.
        """
        return self.call_text("calibrate", model, calibration_table, output_model, method, trust_owner)

    def tree_refresh(self, model: str, new_table: str, output_model: str, trust_owner: bool | None = False) -> str:
        """Write a model anew by other rows, its splits as they are. Returns what was done."""
        return self.call_text("tree_refresh", model, new_table, output_model, trust_owner)

    def model_alias(self, alias: str, model: str | None, trust_owner: bool | None = False) -> str:
        """Give a model a second name, or let one that is there name this model; None removes it."""
        return self.call_text("model_alias", alias, model, trust_owner)

    def tree_statistics(self, model: str, training_table: str, trust_owner: bool | None = False) -> str:
        """Keep with the model how the values of its training rows are spread, for `tree_drift`."""
        return self.call_text("tree_statistics", model, training_table, trust_owner)

    def tree_drift(self, model: str, new_data_table: str, trust_owner: bool | None = False) -> Result[DriftRow]:
        """How far the values of new rows have moved from those of the training, a row for each feature."""
        return self.call("tree_drift", model, new_data_table, trust_owner)

    def tree_call(self, model: str, trust_owner: bool | None = False) -> str:
        """The statement that trains the model again."""
        return self.call_text("tree_call", model, trust_owner)

    def tree_cp(self, model: str) -> Result[PrunedRow]:
        """The cp table: a row for each tree that pruning makes of the model, with its errors."""
        return self.call("tree_cp", model=model)

    def tree_rules(
        self, model: str, tree_id: int | None = None, trust_owner: bool | None = False, full: bool | None = False
    ) -> Result[RuleRow]:
        """A row for each leaf: its path as text and as SQL, its rows, what it predicts and how surely."""
        return self.call("tree_rules", model=model, tree_id=tree_id, trust_owner=trust_owner, full=full)

    def tree_path(
        self,
        model: str,
        table_name: str,
        id: object,
        trust_owner: bool | None = False,
        full: bool | None = False,
        tree_id: int | None = None,
    ) -> Result[StepRow]:
        """The path that the row with this id takes through the model, a row for each step, and why; by a forest, those
        through its trees, or through one of them.
        """
        wanted = None if id is None else str(id)
        return self.call("tree_path", model, table_name, wanted, trust_owner, full, tree_id)

    def tree_shap(
        self,
        model: str,
        new_data_table: str,
        output_table: str,
        type: str | None = None,
        class_: str | None = None,
        layout: str | None = "wide",
        top: int | None = None,
        interactions: bool | None = False,
        features: str | None = None,
        background: str | None = None,
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> str:
        """Write what each feature contributes to the predictions of a table's rows into a new table, with a column for
        each feature or, with the layout long, a row for each. Returns what was done.

        `type` is prob, prob_mean, response or raw; by default the usual one of the model's kind. `top`: with the layout
        long, keep so many features of each row, those that contribute most. `interactions`: also what each two of the
        `features`, by default of all, contribute together. `background`: a table whose rows stand for what is not
        known, instead of those of training.
        """
        told = layout, top, interactions, features, background
        return self.call_text(
            "tree_shap", model, new_data_table, output_table, type, class_, *told, trust_owner, replace
        )

    def tree_explain(
        self,
        model: str,
        table_name: str,
        id: object,
        type: str | None = None,
        class_: str | None = None,
        trust_owner: bool | None = False,
    ) -> Result[ExplainedRow]:
        """What each feature contributes to the prediction of the row with this id: a row for what is expected of any
        row, then one for each feature, the strongest first. `type` and `class_`: as for `tree_shap`.
        """
        wanted = None if id is None else str(id)
        return self.call("tree_explain", model, table_name, wanted, type, class_, trust_owner)

    def partial_dependence(
        self,
        model: str,
        new_data_table: str,
        features: str,
        type: str | None = None,
        class_: str | None = None,
        accumulated: bool | None = False,
        ice: bool | None = False,
        grid_size: int | None = 50,
        max_rows: int | None = 10_000,
        trust_owner: bool | None = False,
    ) -> Result[DependenceRow]:
        """What a model predicts by the values of one feature or two, a row for each value: on average over the rows of
        a table, or as accumulated effects, or with `ice` of each row.
        """
        how = accumulated, ice, grid_size, max_rows, trust_owner
        return self.call("partial_dependence", model, new_data_table, features, type, class_, *how)

    def permutation_importance(
        self,
        model: str,
        test_table: str,
        features: str | None = None,
        metric: str | None = None,
        n_repeats: int | None = 5,
        seed: int | None = 1,
        max_rows: int | None = 10_000,
        trust_owner: bool | None = False,
    ) -> Result[PermutedRow]:
        """How much worse a model predicts a table where values of a feature, or of some together as in
        ``"[lat, lon]"``, are exchanged among its rows: a row for each, the most important first.
        """
        how = metric, n_repeats, seed, max_rows, trust_owner
        return self.call("permutation_importance", model, test_table, features, *how)

    def tree_to_json(self, model: str, tree_id: int | None = None) -> dict[str, Any]:
        """The whole model, or one tree of it, in madtree's format for other programs."""
        document: dict[str, Any] = self.call("tree_to_json", model, tree_id)[0][0]
        return document

    def tree_to_pmml(self, model: str, tree_id: int | None = None) -> str:
        """The model, or one tree of it, as a PMML 4.4 document."""
        return self.call_text("tree_to_pmml", model, tree_id)

    def tree_drop(self, model: str) -> str:
        """Drop the tables of a model. Returns what was done."""
        return self.call_text("tree_drop", model)


def check_kind(model: Model, kind: ModelKind) -> None:
    """Raises CallError where a model is not of the kind that was asked for."""
    if model.kind != kind:
        raise CallError(f"{model.name} is no {kind.noun}", "Client.model reads models of single trees.")


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
        tables = find_model(caller.host, model, "model")
        if kind is not None:
            check_kind(read_summary(caller.host, tables, to_run=False), kind)
        if suffix not in tables.facts.tables:
            name = ident(suffixed(tables.name, suffix))
            raise CallError(
                f"{model} has no table {name}", "It was trained without, or the table is another role's.", "42P01"
            )
        table = model_table(tables.schema, tables.name, suffix)
        if suffix == "_nodes" and tables.is_packed:
            header = read_summary(caller.host, tables, to_run=False)
            table = f"{nodes_of(tables, header).sql} AS n"
        return caller.rows_of(table, order)
