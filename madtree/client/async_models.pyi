# Made by scripts/client_stubs.py, which is to be run again where the code says something else.

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from psycopg import sql

from madtree.client.calls import Grid, Groups, Names, Pairs
from madtree.client.client import Client
from madtree.client.drawing import Drawing
from madtree.client.functions import (
    BoostStagedRow,
    CompetitorRow,
    ConformalQuantilesRow,
    CpRow,
    ImportanceRow,
    ModelRow,
    NodeRow,
    PartialDependenceRow,
    PermutationImportanceRow,
    SurrogateRow,
    TreeConfusionRow,
    TreeCpRow,
    TreeCurveRow,
    TreeDriftRow,
    TreeExplainRow,
    TreeImportanceRow,
    TreePathRow,
    TreeReliabilityRow,
    TreeRow,
    TreeRulesRow,
    TriedRow,
)
from madtree.client.result import Contributions, Evaluation, Result
from madtree.model import ModelTables
from madtree.trees import Model as TreeModel

T = TypeVar("T")

class AsyncCaller(Protocol):
    """Where the models are: a client that awaits."""

    async def run(
        self,
        work: Callable[[Client], T],
    ) -> T: ...

class AsyncCalls:
    """What a client can do: see `Client`."""

    async def tree_train(
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
    ) -> AsyncModel:
        """`Client.tree_train`, awaited."""

    async def tree_predict(
        self,
        tree_model: str,
        new_data_table: str,
        output_table: str,
        type: str | None = "response",
        trust_owner: bool | None = False,
        replace: bool | None = False,
        level: float | None = 0.9,
    ) -> str:
        """`Client.tree_predict`, awaited."""

    async def tree_sql(
        self,
        model: str,
        type: str | None = "response",
        tree_id: int | None = None,
        trust_owner: bool | None = False,
        class_: str | None = None,
        dialect: str | None = None,
    ) -> str:
        """`Client.tree_sql`, awaited."""

    async def tree_evaluate(
        self,
        tree_model: str,
        test_table: str,
        trust_owner: bool | None = False,
    ) -> Evaluation:
        """`Client.tree_evaluate`, awaited."""

    async def tree_confusion(
        self,
        tree_model: str,
        test_table: str,
        trust_owner: bool | None = False,
    ) -> Result[TreeConfusionRow]:
        """`Client.tree_confusion`, awaited."""

    async def tree_curve(
        self,
        tree_model: str,
        test_table: str,
        trust_owner: bool | None = False,
        class_: str | None = None,
        max_points: int | None = 100,
    ) -> Result[TreeCurveRow]:
        """`Client.tree_curve`, awaited."""

    async def tree_reliability(
        self,
        tree_model: str,
        test_table: str,
        trust_owner: bool | None = False,
        class_: str | None = None,
        n_bins: int | None = 10,
    ) -> Result[TreeReliabilityRow]:
        """`Client.tree_reliability`, awaited."""

    async def conformal_quantiles(
        self,
        model: str,
        calibration_table: str | None = None,
        levels: str | None = "0.9",
        trust_owner: bool | None = False,
    ) -> Result[ConformalQuantilesRow]:
        """`Client.conformal_quantiles`, awaited."""

    async def conformal_train(
        self,
        model: str,
        calibration_table: str | None = None,
        levels: str | None = "0.8,0.9,0.95",
        trust_owner: bool | None = False,
    ) -> str:
        """`Client.conformal_train`, awaited."""

    async def tree_statistics(
        self,
        model: str,
        training_table: str,
        trust_owner: bool | None = False,
    ) -> str:
        """`Client.tree_statistics`, awaited."""

    async def tree_drift(
        self,
        model: str,
        new_data_table: str,
        trust_owner: bool | None = False,
    ) -> Result[TreeDriftRow]:
        """`Client.tree_drift`, awaited."""

    async def get_var_importance(
        self,
        model_name: str,
        output_table: str,
    ) -> str:
        """`Client.get_var_importance`, awaited."""

    async def tree_importance(
        self,
        model: str,
    ) -> Result[TreeImportanceRow]:
        """`Client.tree_importance`, awaited."""

    async def tree_display(
        self,
        model: str,
        dot_format: bool | None = True,
        verbosity: bool | None = False,
        full: bool | None = False,
        max_depth: int | None = None,
    ) -> str:
        """`Client.tree_display`, awaited."""

    async def tree_surr_display(
        self,
        model: str,
        full: bool | None = False,
    ) -> str:
        """`Client.tree_surr_display`, awaited."""

    async def tree_rules(
        self,
        model: str,
        tree_id: int | None = None,
        trust_owner: bool | None = False,
        full: bool | None = False,
    ) -> Result[TreeRulesRow]:
        """`Client.tree_rules`, awaited."""

    async def tree_path(
        self,
        model: str,
        table_name: str,
        id: object,
        trust_owner: bool | None = False,
        full: bool | None = False,
        tree_id: int | None = None,
    ) -> Result[TreePathRow]:
        """`Client.tree_path`, awaited."""

    async def tree_shap(
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
        """`Client.tree_shap`, awaited."""

    async def tree_explain(
        self,
        model: str,
        table_name: str,
        id: object,
        type: str | None = None,
        class_: str | None = None,
        trust_owner: bool | None = False,
    ) -> Result[TreeExplainRow]:
        """`Client.tree_explain`, awaited."""

    async def partial_dependence(
        self,
        model: str,
        new_data_table: str,
        features: str,
        type: str | None = None,
        class_: str | None = None,
        accumulated: bool | None = False,
        ice: bool | None = False,
        grid_size: int | None = 50,
        max_rows: int | None = 10000,
        trust_owner: bool | None = False,
    ) -> Result[PartialDependenceRow]:
        """`Client.partial_dependence`, awaited."""

    async def permutation_importance(
        self,
        model: str,
        test_table: str,
        features: str | None = None,
        metric: str | None = None,
        n_repeats: int | None = 5,
        seed: int | None = 1,
        max_rows: int | None = 10000,
        trust_owner: bool | None = False,
    ) -> Result[PermutationImportanceRow]:
        """`Client.permutation_importance`, awaited."""

    async def tree_call(
        self,
        model: str,
        trust_owner: bool | None = False,
    ) -> str:
        """`Client.tree_call`, awaited."""

    async def tree_cp(
        self,
        model: str,
    ) -> Result[TreeCpRow]:
        """`Client.tree_cp`, awaited."""

    async def tree_to_json(
        self,
        model: str,
        tree_id: int | None = None,
    ) -> dict[str, Any]:
        """`Client.tree_to_json`, awaited."""

    async def tree_to_pmml(
        self,
        model: str,
        tree_id: int | None = None,
    ) -> str:
        """`Client.tree_to_pmml`, awaited."""

    async def tree_prune(
        self,
        model: str,
        new_model: str,
        cp: float,
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> AsyncModel:
        """`Client.tree_prune`, awaited."""

    async def calibrate(
        self,
        model: str,
        calibration_table: str,
        output_model: str,
        method: str | None = "isotonic",
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> str:
        """`Client.calibrate`, awaited."""

    async def tree_refresh(
        self,
        model: str,
        new_table: str,
        output_model: str,
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> str:
        """`Client.tree_refresh`, awaited."""

    async def model_alias(
        self,
        alias: str,
        model: str | None,
        trust_owner: bool | None = False,
    ) -> str:
        """`Client.model_alias`, awaited."""

    async def tree_drop(
        self,
        model: str,
    ) -> str:
        """`Client.tree_drop`, awaited."""

    async def forest_train(
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
    ) -> AsyncForest:
        """`Client.forest_train`, awaited."""

    async def forest_predict(
        self,
        random_forest_model: str,
        new_data_table: str,
        output_table: str,
        type: str | None = "response",
        trust_owner: bool | None = False,
        replace: bool | None = False,
        level: float | None = 0.9,
    ) -> str:
        """`Client.forest_predict`, awaited."""

    async def get_tree(
        self,
        forest_model_table: str,
        gid: int,
        sample_id: int,
        dot_format: bool | None = True,
        verbose: bool | None = False,
        max_depth: int | None = None,
    ) -> str:
        """`Client.get_tree`, awaited."""

    async def get_tree_surr(
        self,
        forest_model_table: str,
        gid: int,
        sample_id: int,
    ) -> str:
        """`Client.get_tree_surr`, awaited."""

    async def boost_train(
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
    ) -> AsyncBoostedModel:
        """`Client.boost_train`, awaited."""

    async def boost_predict(
        self,
        boosted_model: str,
        new_data_table: str,
        output_table: str,
        type: str | None = "response",
        num_trees: int | None = None,
        trust_owner: bool | None = False,
        replace: bool | None = False,
        level: float | None = 0.9,
    ) -> str:
        """`Client.boost_predict`, awaited."""

    async def boost_sql(
        self,
        model: str,
        type: str | None = "response",
        trust_owner: bool | None = False,
        class_: str | None = None,
        dialect: str | None = None,
    ) -> str:
        """`Client.boost_sql`, awaited."""

    async def boost_staged(
        self,
        model: str,
        test_table: str,
        trust_owner: bool | None = False,
    ) -> Result[BoostStagedRow]:
        """`Client.boost_staged`, awaited."""

    async def boost_cut(
        self,
        model: str,
        new_model: str,
        num_trees: int,
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> AsyncBoostedModel:
        """`Client.boost_cut`, awaited."""

    async def tree_tune(
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
        """`Client.tree_tune`, awaited."""

    async def model(
        self,
        name: str,
    ) -> AsyncModel:
        """`Client.model`, awaited."""

    async def forest(
        self,
        name: str,
    ) -> AsyncForest:
        """`Client.forest`, awaited."""

    async def boosted(
        self,
        name: str,
    ) -> AsyncBoostedModel:
        """`Client.boosted`, awaited."""

    async def models(self) -> Result[ModelRow]:
        """`Client.models`, awaited."""

    async def call(
        self,
        function: str,
        *arguments: Any,
        **named: Any,
    ) -> Result[Any]:
        """`Client.call`, awaited."""

    async def query(
        self,
        statement: str | sql.Composable,
        parameters: Sequence[Any] = (),
    ) -> Result[Any]:
        """`Client.query`, awaited."""

class AsyncTrained:
    """A model in the database."""

    client: AsyncCaller
    name: str
    message: str | None
    def __init__(
        self,
        client: AsyncCaller,
        name: str,
        message: str | None = None,
    ) -> None: ...

class AsyncModel(AsyncTrained):
    """A model in the database. Its methods are those of `Model`, awaited; so are what are attributes there."""

    async def competitors(self) -> Result[CompetitorRow]:
        """`Model.competitors`, awaited."""

    async def conformal_quantiles(
        self,
        table: Any = None,
        levels: str | None = "0.9",
        *,
        trust_owner: bool | None = False,
    ) -> Result[ConformalQuantilesRow]:
        """`Model.conformal_quantiles`, awaited."""

    async def conformal_train(
        self,
        table: Any = None,
        levels: str | None = "0.8,0.9,0.95",
        *,
        trust_owner: bool | None = False,
    ) -> str:
        """`Model.conformal_train`, awaited."""

    async def confusion(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeConfusionRow]:
        """`Model.confusion`, awaited."""

    async def cp_table(self) -> Result[TreeCpRow]:
        """`Model.cp_table`, awaited."""

    async def curve(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        max_points: int | None = 100,
    ) -> Result[TreeCurveRow]:
        """`Model.curve`, awaited."""

    async def cv(self) -> Result[CpRow]:
        """`Model.cv`, awaited."""

    async def display(
        self,
        *,
        verbosity: bool = False,
        full: bool = False,
        max_depth: int | None = None,
    ) -> str:
        """`Model.display`, awaited."""

    async def drift(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeDriftRow]:
        """`Model.drift`, awaited."""

    async def drop(self) -> str:
        """`Model.drop`, awaited."""

    async def evaluate(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Evaluation:
        """`Model.evaluate`, awaited."""

    async def explain(
        self,
        table: Any,
        id: object,
        type: str | None = None,
        class_: str | None = None,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeExplainRow]:
        """`Model.explain`, awaited."""

    async def importance(self) -> Result[ImportanceRow]:
        """`Model.importance`, awaited."""

    async def locate(self) -> ModelTables:
        """`Model.locate`, awaited."""

    async def nodes(self) -> Result[NodeRow]:
        """`Model.nodes`, awaited."""

    async def partial_dependence(
        self,
        table: Any,
        features: str,
        type: str | None = None,
        class_: str | None = None,
        accumulated: bool | None = False,
        ice: bool | None = False,
        grid_size: int | None = 50,
        max_rows: int | None = 10000,
        *,
        trust_owner: bool | None = False,
    ) -> Result[PartialDependenceRow]:
        """`Model.partial_dependence`, awaited."""

    async def path(
        self,
        table: Any,
        id: object,
        *,
        trust_owner: bool | None = False,
        full: bool | None = False,
        tree_id: int | None = None,
    ) -> Result[TreePathRow]:
        """`Model.path`, awaited."""

    async def permutation_importance(
        self,
        table: Any,
        features: str | None = None,
        metric: str | None = None,
        n_repeats: int | None = 5,
        seed: int | None = 1,
        max_rows: int | None = 10000,
        *,
        trust_owner: bool | None = False,
    ) -> Result[PermutationImportanceRow]:
        """`Model.permutation_importance`, awaited."""

    async def plot(
        self,
        tree_id: int | None = None,
        max_depth: int | None = None,
        *,
        group: Mapping[str, object] | None = None,
    ) -> Drawing:
        """`Model.plot`, awaited."""

    async def predict(
        self,
        table: Any,
        type: str = "response",
        *,
        trust_owner: bool = False,
        level: float = 0.9,
    ) -> Result[Any]:
        """`Model.predict`, awaited."""

    async def prune(
        self,
        new_model: str,
        cp: float,
        *,
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> AsyncModel:
        """`Model.prune`, awaited."""

    async def read(
        self,
        tree_id: int | None = None,
    ) -> TreeModel:
        """`Model.read`, awaited."""

    async def reliability(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        n_bins: int | None = 10,
    ) -> Result[TreeReliabilityRow]:
        """`Model.reliability`, awaited."""

    async def rules(
        self,
        tree_id: int | None = None,
        *,
        trust_owner: bool | None = False,
        full: bool | None = False,
    ) -> Result[TreeRulesRow]:
        """`Model.rules`, awaited."""

    async def shap(
        self,
        table: Any,
        type: str | None = None,
        class_: str | None = None,
        layout: str | None = "wide",
        top: int | None = None,
        interactions: bool | None = False,
        features: str | None = None,
        background: str | None = None,
        *,
        trust_owner: bool | None = False,
    ) -> Contributions:
        """`Model.shap`, awaited."""

    async def summary(self) -> dict[str, Any]:
        """`Model.summary`, awaited."""

    async def surrogates(self) -> Result[SurrogateRow]:
        """`Model.surrogates`, awaited."""

    async def to_dot(
        self,
        *,
        verbosity: bool = False,
        full: bool = False,
        max_depth: int | None = None,
    ) -> str:
        """`Model.to_dot`, awaited."""

    async def to_json(self) -> str:
        """`Model.to_json`, awaited."""

    async def to_pmml(
        self,
        tree_id: int | None = None,
    ) -> str:
        """`Model.to_pmml`, awaited."""

    async def to_sklearn(
        self,
        tree_id: int | None = None,
    ) -> Any:
        """`Model.to_sklearn`, awaited."""

    async def to_sql(
        self,
        type: str | None = "response",
        tree_id: int | None = None,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        dialect: str | None = None,
    ) -> str:
        """`Model.to_sql`, awaited."""

    async def to_svg(
        self,
        tree_id: int | None = None,
        max_depth: int | None = None,
        *,
        group: Mapping[str, object] | None = None,
        full: bool = False,
    ) -> str:
        """`Model.to_svg`, awaited."""

    async def trees(self) -> Result[TreeRow]:
        """`Model.trees`, awaited."""

class AsyncForest(AsyncTrained):
    """A forest in the database. Its methods are those of `Forest`, awaited; so are what are attributes there."""

    async def check(self) -> None:
        """`Forest.check`, awaited."""

    async def conformal_quantiles(
        self,
        table: Any = None,
        levels: str | None = "0.9",
        *,
        trust_owner: bool | None = False,
    ) -> Result[ConformalQuantilesRow]:
        """`Forest.conformal_quantiles`, awaited."""

    async def conformal_train(
        self,
        table: Any = None,
        levels: str | None = "0.8,0.9,0.95",
        *,
        trust_owner: bool | None = False,
    ) -> str:
        """`Forest.conformal_train`, awaited."""

    async def confusion(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeConfusionRow]:
        """`Forest.confusion`, awaited."""

    async def curve(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        max_points: int | None = 100,
    ) -> Result[TreeCurveRow]:
        """`Forest.curve`, awaited."""

    async def drift(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeDriftRow]:
        """`Forest.drift`, awaited."""

    async def drop(self) -> str:
        """`Forest.drop`, awaited."""

    async def evaluate(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Evaluation:
        """`Forest.evaluate`, awaited."""

    async def explain(
        self,
        table: Any,
        id: object,
        type: str | None = None,
        class_: str | None = None,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeExplainRow]:
        """`Forest.explain`, awaited."""

    async def groups(self) -> Result[Any]:
        """`Forest.groups`, awaited."""

    async def importance(self) -> Result[ImportanceRow]:
        """`Forest.importance`, awaited."""

    async def oob_error(self) -> float | None:
        """`Forest.oob_error`, awaited."""

    async def partial_dependence(
        self,
        table: Any,
        features: str,
        type: str | None = None,
        class_: str | None = None,
        accumulated: bool | None = False,
        ice: bool | None = False,
        grid_size: int | None = 50,
        max_rows: int | None = 10000,
        *,
        trust_owner: bool | None = False,
    ) -> Result[PartialDependenceRow]:
        """`Forest.partial_dependence`, awaited."""

    async def path(
        self,
        table: Any,
        id: object,
        *,
        trust_owner: bool | None = False,
        full: bool | None = False,
        tree_id: int | None = None,
    ) -> Result[TreePathRow]:
        """`Forest.path`, awaited."""

    async def permutation_importance(
        self,
        table: Any,
        features: str | None = None,
        metric: str | None = None,
        n_repeats: int | None = 5,
        seed: int | None = 1,
        max_rows: int | None = 10000,
        *,
        trust_owner: bool | None = False,
    ) -> Result[PermutationImportanceRow]:
        """`Forest.permutation_importance`, awaited."""

    async def plot(
        self,
        sample_id: int = 1,
        max_depth: int | None = None,
        *,
        gid: int = 1,
    ) -> Drawing:
        """`Forest.plot`, awaited."""

    async def predict(
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
        """`Forest.predict`, awaited."""

    async def read(
        self,
        tree_id: int | None = None,
    ) -> TreeModel:
        """`Forest.read`, awaited."""

    async def reliability(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        n_bins: int | None = 10,
    ) -> Result[TreeReliabilityRow]:
        """`Forest.reliability`, awaited."""

    async def rules(
        self,
        tree_id: int | None = None,
        *,
        trust_owner: bool | None = False,
        full: bool | None = False,
    ) -> Result[TreeRulesRow]:
        """`Forest.rules`, awaited."""

    async def shap(
        self,
        table: Any,
        type: str | None = None,
        class_: str | None = None,
        layout: str | None = "wide",
        top: int | None = None,
        interactions: bool | None = False,
        features: str | None = None,
        background: str | None = None,
        *,
        trust_owner: bool | None = False,
    ) -> Contributions:
        """`Forest.shap`, awaited."""

    async def summary(self) -> dict[str, Any]:
        """`Forest.summary`, awaited."""

    async def to_pmml(
        self,
        tree_id: int | None = None,
    ) -> str:
        """`Forest.to_pmml`, awaited."""

    async def to_sklearn(
        self,
        gid: int | None = None,
        *,
        voting: str = "hard",
    ) -> Any:
        """`Forest.to_sklearn`, awaited."""

    async def to_sql(
        self,
        type: str | None = "response",
        tree_id: int | None = None,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        dialect: str | None = None,
    ) -> str:
        """`Forest.to_sql`, awaited."""

    async def tree(
        self,
        sample_id: int,
        gid: int = 1,
    ) -> TreeModel:
        """`Forest.tree`, awaited."""

    async def trees(self) -> Result[Any]:
        """`Forest.trees`, awaited."""

class AsyncBoostedModel(AsyncTrained):
    """A boosted model in the database. Its methods are those of `BoostedModel`, awaited; so are what are attributes
    there.
    """

    async def check(self) -> None:
        """`BoostedModel.check`, awaited."""

    async def conformal_quantiles(
        self,
        table: Any = None,
        levels: str | None = "0.9",
        *,
        trust_owner: bool | None = False,
    ) -> Result[ConformalQuantilesRow]:
        """`BoostedModel.conformal_quantiles`, awaited."""

    async def conformal_train(
        self,
        table: Any = None,
        levels: str | None = "0.8,0.9,0.95",
        *,
        trust_owner: bool | None = False,
    ) -> str:
        """`BoostedModel.conformal_train`, awaited."""

    async def confusion(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeConfusionRow]:
        """`BoostedModel.confusion`, awaited."""

    async def curve(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        max_points: int | None = 100,
    ) -> Result[TreeCurveRow]:
        """`BoostedModel.curve`, awaited."""

    async def cut(
        self,
        new_model: str,
        num_trees: int,
        *,
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> AsyncBoostedModel:
        """`BoostedModel.cut`, awaited."""

    async def drift(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeDriftRow]:
        """`BoostedModel.drift`, awaited."""

    async def drop(self) -> str:
        """`BoostedModel.drop`, awaited."""

    async def evaluate(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Evaluation:
        """`BoostedModel.evaluate`, awaited."""

    async def explain(
        self,
        table: Any,
        id: object,
        type: str | None = None,
        class_: str | None = None,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeExplainRow]:
        """`BoostedModel.explain`, awaited."""

    async def groups(self) -> Result[Any]:
        """`BoostedModel.groups`, awaited."""

    async def importance(self) -> Result[ImportanceRow]:
        """`BoostedModel.importance`, awaited."""

    async def partial_dependence(
        self,
        table: Any,
        features: str,
        type: str | None = None,
        class_: str | None = None,
        accumulated: bool | None = False,
        ice: bool | None = False,
        grid_size: int | None = 50,
        max_rows: int | None = 10000,
        *,
        trust_owner: bool | None = False,
    ) -> Result[PartialDependenceRow]:
        """`BoostedModel.partial_dependence`, awaited."""

    async def path(
        self,
        table: Any,
        id: object,
        *,
        trust_owner: bool | None = False,
        full: bool | None = False,
        tree_id: int | None = None,
    ) -> Result[TreePathRow]:
        """`BoostedModel.path`, awaited."""

    async def permutation_importance(
        self,
        table: Any,
        features: str | None = None,
        metric: str | None = None,
        n_repeats: int | None = 5,
        seed: int | None = 1,
        max_rows: int | None = 10000,
        *,
        trust_owner: bool | None = False,
    ) -> Result[PermutationImportanceRow]:
        """`BoostedModel.permutation_importance`, awaited."""

    async def plot(
        self,
        sample_id: int = 1,
        max_depth: int | None = None,
        *,
        gid: int = 1,
    ) -> Drawing:
        """`BoostedModel.plot`, awaited."""

    async def predict(
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
        """`BoostedModel.predict`, awaited."""

    async def read(
        self,
        tree_id: int | None = None,
    ) -> TreeModel:
        """`BoostedModel.read`, awaited."""

    async def reliability(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        n_bins: int | None = 10,
    ) -> Result[TreeReliabilityRow]:
        """`BoostedModel.reliability`, awaited."""

    async def rounds(self) -> Result[Any]:
        """`BoostedModel.rounds`, awaited."""

    async def rules(
        self,
        tree_id: int | None = None,
        *,
        trust_owner: bool | None = False,
        full: bool | None = False,
    ) -> Result[TreeRulesRow]:
        """`BoostedModel.rules`, awaited."""

    async def shap(
        self,
        table: Any,
        type: str | None = None,
        class_: str | None = None,
        layout: str | None = "wide",
        top: int | None = None,
        interactions: bool | None = False,
        features: str | None = None,
        background: str | None = None,
        *,
        trust_owner: bool | None = False,
    ) -> Contributions:
        """`BoostedModel.shap`, awaited."""

    async def staged(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Result[BoostStagedRow]:
        """`BoostedModel.staged`, awaited."""

    async def staged_predict(
        self,
        X: Any,
        type: str = "response",
        *,
        gid: int | None = None,
    ) -> Iterator[Any]:
        """`BoostedModel.staged_predict`, awaited."""

    async def summary(self) -> dict[str, Any]:
        """`BoostedModel.summary`, awaited."""

    async def to_lightgbm(
        self,
        gid: int | None = None,
    ) -> Any:
        """`BoostedModel.to_lightgbm`, awaited."""

    async def to_pmml(
        self,
        tree_id: int | None = None,
    ) -> str:
        """`BoostedModel.to_pmml`, awaited."""

    async def to_sklearn(
        self,
        gid: int | None = None,
    ) -> Any:
        """`BoostedModel.to_sklearn`, awaited."""

    async def to_sql(
        self,
        type: str | None = "response",
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        dialect: str | None = None,
    ) -> str:
        """`BoostedModel.to_sql`, awaited."""

    async def tree(
        self,
        sample_id: int,
        gid: int = 1,
    ) -> TreeModel:
        """`BoostedModel.tree`, awaited."""

    async def trees(self) -> Result[Any]:
        """`BoostedModel.trees`, awaited."""
