# Made by scripts/client_stubs.py, which is to be run again where the code says something else.

import datetime
from collections.abc import Iterator
from typing import Any, Protocol

from madtree.client.boosted import BoostedModel
from madtree.client.caller import Caller
from madtree.client.calls import Grid, Groups, Names, Pairs
from madtree.client.forests import Forest
from madtree.client.model import Model
from madtree.client.result import Contributions, Evaluation, Result

class Row(Protocol):
    """A named tuple."""

    def __getitem__(self, place: int, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def _asdict(self) -> dict[str, Any]: ...

class TreeEvaluateRow(Row, Protocol):
    """What tree_evaluate tells in a row."""

    tree_id: int | None
    group_values: dict[str, Any] | None
    metric: str
    value: float | None

class TreeConfusionRow(Row, Protocol):
    """What tree_confusion tells in a row."""

    tree_id: int
    group_values: dict[str, Any] | None
    actual: str
    predicted: str
    n: int
    weight: float

class TreeCurveRow(Row, Protocol):
    """What tree_curve tells in a row."""

    tree_id: int | None
    group_values: dict[str, Any] | None
    threshold: float
    n: int
    estimated: float
    actual: float
    share: float
    recall: float | None
    false_positive_rate: float | None
    precision: float
    lift: float | None

class TreeReliabilityRow(Row, Protocol):
    """What tree_reliability tells in a row."""

    tree_id: int | None
    group_values: dict[str, Any] | None
    low: float
    high: float
    n: int
    estimated: float
    actual: float
    share: float
    expected_calibration_error: float

class ConformalQuantilesRow(Row, Protocol):
    """What conformal_quantiles tells in a row."""

    tree_id: int | None
    group_values: dict[str, Any] | None
    level: float
    n: int
    quantile: float | None

class TreeDriftRow(Row, Protocol):
    """What tree_drift tells in a row."""

    feature: str | None
    psi: float
    missing: float | None
    missing_before: float | None
    outside: float | None
    n: int

class TreeImportanceRow(Row, Protocol):
    """What tree_importance tells in a row."""

    tree_id: int
    group_values: dict[str, Any] | None
    feature: str
    impurity_var_importance: float
    raw_importance: float
    oob_var_importance: float | None
    raw_oob_importance: float | None
    oob_importance_sd: float | None

class TreeRulesRow(Row, Protocol):
    """What tree_rules tells in a row."""

    tree_id: int
    group_values: dict[str, Any] | None
    node_id: int
    rule: str
    predicate: str
    n_rows: int
    share: float
    prediction: str
    confidence: float | None
    mean: float | None
    sd: float | None

class TreePathRow(Row, Protocol):
    """What tree_path tells in a row."""

    step: int
    tree_id: int
    node_id: int
    feature: str | None
    condition: str | None
    value: str | None
    branch: str | None
    reason: str
    explanation: str
    n_rows: int
    prediction: str
    confidence: float | None

class TreeExplainRow(Row, Protocol):
    """What tree_explain tells in a row."""

    class_: str | None
    rank: int
    feature: str | None
    value: str | None
    contribution: float
    estimated: float

class PartialDependenceRow(Row, Protocol):
    """What partial_dependence tells in a row."""

    class_: str | None
    value: str
    number: float | None
    value_2: str | None
    number_2: float | None
    id: str | None
    estimated: float
    n: int

class PermutationImportanceRow(Row, Protocol):
    """What permutation_importance tells in a row."""

    features: str
    metric: str
    value: float
    importance: float
    stddev: float
    n: int

class TreeCpRow(Row, Protocol):
    """What tree_cp tells in a row."""

    tree_id: int
    group_values: dict[str, Any] | None
    cp: float
    n_splits: int
    rel_error: float | None
    xerror: float | None
    xstd: float | None
    chosen: bool
    root_error: float

class BoostStagedRow(Row, Protocol):
    """What boost_staged tells in a row."""

    tree_id: int | None
    group_values: dict[str, Any] | None
    num_trees: int
    n: int
    loss: float | None
    metric: str
    value: float | None

class TreeRow(Row, Protocol):
    """A tree of a model."""

    cat_levels_in_text: list[str | None] | None
    cat_n_levels: list[int] | None
    impurity_var_importance: list[float]
    tree_depth: int
    pruning_cp: float
    tree_id: int
    n_rows: int
    n_nodes: int
    n_leaves: int
    root_risk: float
    success: bool
    message: str | None

class NodeRow(Row, Protocol):
    """A node: the root is 0, the children of i are 2i + 1 and 2i + 2. What a leaf has not is None."""

    tree_id: int
    node_id: int
    parent_id: int | None
    depth: int
    is_leaf: bool
    feature: str | None
    threshold: float | None
    left_levels: list[str | None] | None
    majority_left: bool | None
    n_rows: int
    weight: float
    impurity: float
    risk: float
    complexity: float
    improvement: float | None
    prediction: Any
    class_weights: list[float] | None
    right_levels: list[str | None] | None

class SurrogateRow(Row, Protocol):
    """A surrogate of a node, by rank from 1."""

    tree_id: int
    node_id: int
    rank: int
    feature: str
    threshold: float | None
    left_levels: list[str | None] | None
    low_goes_left: bool
    agreement: float
    adjusted_agreement: float
    right_levels: list[str | None] | None

class CompetitorRow(Row, Protocol):
    """The best split of a node by another feature than its own, by rank from 1."""

    tree_id: int
    node_id: int
    rank: int
    feature: str
    threshold: float | None
    left_levels: list[str | None] | None
    right_levels: list[str | None] | None
    improvement: float

class CpRow(Row, Protocol):
    """A row of the cp table."""

    cp: float
    n_splits: int
    rel_error: float
    cv_error_avg: float
    cv_error_stddev: float
    xerror: float
    xstd: float
    chosen: bool

class TriedRow(Row, Protocol):
    """The score of a setting on the rows of a fold; the setting's parameters are columns of their names."""

    setting: int
    fold: int
    score: float | None
    seconds: float
    share: float
    is_best: bool

class ImportanceRow(Row, Protocol):
    """A feature: its share of the importance in percent, and the sum; by permutation, too, where that is told."""

    feature: str
    impurity_var_importance: float
    raw_importance: float

class ModelRow(Row, Protocol):
    """A model that the session's user can see."""

    model: str
    schema: str
    name: str
    owner: str
    kind: str
    source_table: str
    dependent: str
    n_rows: int
    n_trees: int
    depth: int
    n_leaves: int
    parameters: dict[str, Any]
    version: str
    trained_at: datetime.datetime
    age: datetime.timedelta

class FunctionCalls(Caller):
    """What a client can do: each function under its name and with its arguments."""

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
        """Trains a decision tree, or one tree per group, on the rows of a table.

        Parameters
        ----------
        training_table_name
            Table, partitioned table, view, materialized or foreign table; "Quoted"."Names" too.
        output_table_name
            The model: tables <output>, <output>_nodes, <output>_summary, <output>_statistics and, where asked for,
            <output>_surrogates, <output>_cv and <output>_competitors; must not exist.
        id_col_name
            Column that identifies rows.
        dependent_variable
            Column or expression, also with AS name: float, numeric -> regression; boolean, integer, text, enum, date,
            timestamp, uuid, ... -> classification.
        list_of_features
            '*', or columns and expressions separated by commas; an array column is taken apart; or a sequence of plain
            names, which are quoted.
        list_of_features_to_exclude
            Columns that '*' leaves out; or a sequence of plain names, which are quoted.
        split_criterion
            'gini', 'entropy', 'gain_ratio', 'misclassification'; regression uses 'mse', counts of events 'poisson'.
        grouping_cols
            Columns and expressions, also with AS name: one tree for each combination of their values; or a sequence of
            plain names, which are quoted.
        weights
            A numeric column or expression; rows of weight 0 are skipped.
        max_depth
            Levels below the root, 0 to 60.
        min_split
            Rows that a node needs to be split: 20, or 3 * min_bucket if only that is given.
        min_bucket
            Rows that each side must keep: min_split / 3.
        n_bins
            Candidate thresholds of a continuous feature; 0: all of them, as always with at most 4096 rows.
        surrogate_params
            'max_surrogates=0, null_as_category=false, surrogate_style=0'; keys are max_surrogates, null_as_category,
            surrogate_style; or a mapping.
        pruning_params
            'cp=0, n_folds=0, rule=min, fold_col=...'; keys are cp, n_folds, rule, fold_col; or a mapping.
        verbose
            True: one INFO line a level, and the stages' seconds.
        seed
            Of the sample that bin edges are taken from, and of the folds.
        replace
            True: overwrite a madtree model of that name.
        parallel_workers
            Workers beside this process; None: as many as save time; 0: none.
        memory_mb
            Megabytes for histograms.
        strategy
            Who keeps and counts the rows: memory, workers, aggregate; auto: what is quickest.
        max_leaf_nodes
            Leaves at most: the splits that gain most are made; None: any number.
        min_impurity_decrease
            By how much a split must lower the impurity of the whole tree.
        classification
            True: classes; false: regression; None: by the type of the dependent variable.
        class_params
            How much classes count, in their order: 'prior=0.5:0.5, loss=0 1 5 0', or 'class_weight=balanced'; or a
            mapping.
        exposure
            Poisson: a numeric column or expression above 0, over which events were counted; None: 1 in each row.
        shrink
            Poisson: how far rates of leaves may lie from the root's: the coefficient of variation of their prior; None:
            1; 0: as far as they do.
        feature_costs
            'income=2, age=1': gains of a feature's splits are divided by its cost; None: all 1; or a mapping.
        max_competitors
            Splits by other features to be kept for each node, in <output>_competitors.

        Notes
        -----
        ``SELECT madtree.tree_train()`` prints all that there is to know of it."""

    def tree_predict(
        self,
        tree_model: str,
        new_data_table: str,
        output_table: str,
        type: str | None = "response",
        trust_owner: bool | None = False,
        replace: bool | None = False,
        level: float | None = 0.9,
    ) -> str:
        """Scores a table by a model into a new table.

        Parameters
        ----------
        tree_model
            output_table_name of tree_train.
        new_data_table
            Table, view, materialized, foreign or partitioned table with the id column, the features and the grouping
            columns of the training, under the same names.
        output_table
            Table to create; must not exist, unless replace => true.
        type
            What to write, see below.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.
        replace
            True: where output_table is a table of predictions of your own, replace its rows.
        level
            With 'conformal': the share of outcomes that are to be covered, a level that conformal_train has kept.

        Notes
        -----
        ``SELECT madtree.tree_predict()`` prints all that there is to know of it."""

    def tree_sql(
        self,
        model: str,
        type: str | None = "response",
        tree_id: int | None = None,
        trust_owner: bool | None = False,
        class_: str | None = None,
        dialect: str | None = None,
    ) -> str:
        """Writes a model as an SQL expression, for a view or a generated column.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        type
            Or 'leaf'; 'prob': of two classes the last one's probability, of more a float8[]; of a forest as
            forest_predict has them, but for 'leaf'.
        tree_id
            That tree; None: the model, where it is grouped in a CASE over the grouping columns. Of a boosted model,
            which boost_sql writes, that tree.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.
        class_
            With 'prob': the class whose probability is wanted, as text.
        dialect
            The database that it is for: 'postgresql', 'duckdb', 'sqlite', 'bigquery', 'snowflake', 'redshift', 'mysql'
            or 'sqlserver'; None: the first of these.

        Notes
        -----
        ``SELECT madtree.tree_sql()`` prints all that there is to know of it."""

    def tree_evaluate(
        self,
        tree_model: str,
        test_table: str,
        trust_owner: bool | None = False,
    ) -> Evaluation:
        """Measures how well a model predicts a table whose outcomes are known.

        Parameters
        ----------
        tree_model
            output_table_name of tree_train, forest_train or boost_train.
        test_table
            Table, view, ... with the dependent variable, the features, the grouping columns and the weights of the
            training, under the same names.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.

        Notes
        -----
        ``SELECT madtree.tree_evaluate()`` prints all that there is to know of it."""

    def tree_confusion(
        self,
        tree_model: str,
        test_table: str,
        trust_owner: bool | None = False,
    ) -> Result[TreeConfusionRow]:
        """Counts how often a classification model predicts each class for each actual class.

        Parameters
        ----------
        tree_model
            output_table_name of tree_train, forest_train or boost_train.
        test_table
            Table, view, ... with the dependent variable, the features, the grouping columns and the weights of the
            training, under the same names.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.

        Notes
        -----
        ``SELECT madtree.tree_confusion()`` prints all that there is to know of it."""

    def tree_curve(
        self,
        tree_model: str,
        test_table: str,
        trust_owner: bool | None = False,
        class_: str | None = None,
        max_points: int | None = 100,
    ) -> Result[TreeCurveRow]:
        """Tells how well a model's probabilities of a class put rows in order: ROC, lift, calibration.

        Parameters
        ----------
        tree_model
            output_table_name of tree_train, forest_train or boost_train.
        test_table
            Table, view, ... with the dependent variable, the features, the grouping columns and the weights of the
            training, under the same names.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.
        class_
            Whose probability is looked at, as text; of two classes the last one.
        max_points
            Rows at most, of each group; 10 for deciles.

        Notes
        -----
        ``SELECT madtree.tree_curve()`` prints all that there is to know of it."""

    def tree_reliability(
        self,
        tree_model: str,
        test_table: str,
        trust_owner: bool | None = False,
        class_: str | None = None,
        n_bins: int | None = 10,
    ) -> Result[TreeReliabilityRow]:
        """Tells how far a model's probabilities of a class are from what happens: the reliability curve.

        Parameters
        ----------
        tree_model
            output_table_name of tree_train, forest_train or boost_train.
        test_table
            Table, view, ... with the dependent variable, the features, the grouping columns and the weights of the
            training, under the same names.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.
        class_
            Whose probability is looked at, as text; of two classes the last one.
        n_bins
            Bins of one width that probabilities are put into.

        Notes
        -----
        ``SELECT madtree.tree_reliability()`` prints all that there is to know of it."""

    def conformal_quantiles(
        self,
        model: str,
        calibration_table: str | None = None,
        levels: str | None = "0.9",
        trust_owner: bool | None = False,
    ) -> Result[ConformalQuantilesRow]:
        """Tells how far predictions of new rows may be off, by rows that training has not seen (split conformal
        prediction).

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        calibration_table
            Table or view with known outcomes, which training has not seen; None: of a forest the table that it was
            trained on, each row by the trees whose samples lack it.
        levels
            How many of the new rows are to be covered: numbers between 0 and 1.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.

        Notes
        -----
        ``SELECT madtree.conformal_quantiles()`` prints all that there is to know of it."""

    def conformal_train(
        self,
        model: str,
        calibration_table: str | None = None,
        levels: str | None = "0.8,0.9,0.95",
        trust_owner: bool | None = False,
    ) -> str:
        """Keeps with a model how far predictions of new rows may be off, for predictions of type 'conformal'.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        calibration_table
            Table or view with known outcomes, which training has not seen; None: of a forest the table that it was
            trained on, each row by the trees whose samples lack it.
        levels
            How many of the new rows are to be covered: numbers between 0 and 1, any of which predictions take.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.

        Notes
        -----
        ``SELECT madtree.conformal_train()`` prints all that there is to know of it."""

    def tree_statistics(
        self,
        model: str,
        training_table: str,
        trust_owner: bool | None = False,
    ) -> str:
        """Keeps with a model how the values of all rows of a table are distributed, in place of what its training has
        kept.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        training_table
            The table or view that the model was trained on.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.

        Notes
        -----
        ``SELECT madtree.tree_statistics()`` prints all that there is to know of it."""

    def tree_drift(
        self,
        model: str,
        new_data_table: str,
        trust_owner: bool | None = False,
    ) -> Result[TreeDriftRow]:
        """Tells how far the values of new rows, and what a model says of them, have moved from those of its training.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        new_data_table
            Table or view with the features and the grouping columns.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.

        Notes
        -----
        ``SELECT madtree.tree_drift()`` prints all that there is to know of it."""

    def get_var_importance(
        self,
        model_name: str,
        output_table: str,
    ) -> str:
        """Writes how much each feature contributes to each tree of a model.

        Parameters
        ----------
        model_name
            output_table_name of tree_train.
        output_table
            Table to create; must not exist.

        Notes
        -----
        ``SELECT madtree.get_var_importance()`` prints all that there is to know of it."""

    def tree_importance(
        self,
        model: str,
    ) -> Result[TreeImportanceRow]:
        """Tells how much each feature contributes to each tree of a model, as rows.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.

        Notes
        -----
        ``SELECT madtree.tree_importance()`` prints all that there is to know of it."""

    def tree_display(
        self,
        model: str,
        dot_format: bool | None = True,
        verbosity: bool | None = False,
        full: bool | None = False,
        max_depth: int | None = None,
    ) -> str:
        """Draws a model, as a graph for graphviz or as text.

        Parameters
        ----------
        model
            output_table_name of tree_train.
        dot_format
            True: a graph for graphviz (dot -Tsvg); false: indented text.
        verbosity
            True: also impurity, rows, class weights and class of every node.
        full
            True: name all categories of a split, however many.
        max_depth
            Draw nodes down to this depth, and say how many leaves are below.

        Notes
        -----
        ``SELECT madtree.tree_display()`` prints all that there is to know of it."""

    def tree_surr_display(
        self,
        model: str,
        full: bool | None = False,
    ) -> str:
        """Lists the surrogates of every internal node of a model.

        Parameters
        ----------
        model
            output_table_name of tree_train with surrogate_params => 'max_surrogates=...'.
        full
            True: name all categories of a split, however many.

        Notes
        -----
        ``SELECT madtree.tree_surr_display()`` prints all that there is to know of it."""

    def tree_rules(
        self,
        model: str,
        tree_id: int | None = None,
        trust_owner: bool | None = False,
        full: bool | None = False,
    ) -> Result[TreeRulesRow]:
        """Lists a model as rules, one for each leaf, as text and as SQL predicate.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        tree_id
            All trees of a grouped model, or of a forest; else that tree.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.
        full
            True: name all categories in a rule, however many.

        Notes
        -----
        ``SELECT madtree.tree_rules()`` prints all that there is to know of it."""

    def tree_path(
        self,
        model: str,
        table_name: str,
        id: object,
        trust_owner: bool | None = False,
        full: bool | None = False,
        tree_id: int | None = None,
    ) -> Result[TreePathRow]:
        """Shows the path that one row takes through a model, and why.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        table_name
            Table, view, ... with the id column, the features and the grouping columns of the training.
        id
            The row's id, as text.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.
        full
            True: name all categories of a split, however many.
        tree_id
            Of a forest: show the path through this tree only; None: through all of the row's group.

        Notes
        -----
        ``SELECT madtree.tree_path()`` prints all that there is to know of it."""

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
        """Writes what each feature contributes to the predictions of a table's rows (SHAP values) into a new table.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        new_data_table
            Table or view with the id, the features and the grouping columns.
        output_table
            Table to create; must not exist, unless replace => true.
        type
            The scale; None: the first one that is listed below.
        class_
            Whose prediction is explained, as text; None: of two classes the last one, of more all.
        layout
            'wide': a column for each feature; 'long': a row for each.
        top
            With 'long': keep so many of each row's features, those that contribute most.
        interactions
            True: also what each two features contribute together.
        features
            With interactions => true: tell of these and their pairs only; None: of all.
        background
            Table or view whose rows stand for what is not known; None: the rows of training do.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.
        replace
            True: where output_table is a table of contributions of your own, replace its rows.

        Notes
        -----
        ``SELECT madtree.tree_shap()`` prints all that there is to know of it."""

    def tree_explain(
        self,
        model: str,
        table_name: str,
        id: object,
        type: str | None = None,
        class_: str | None = None,
        trust_owner: bool | None = False,
    ) -> Result[TreeExplainRow]:
        """Tells what each feature contributes to the prediction of one row (SHAP values).

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        table_name
            Table or view with the id, the features and the grouping columns.
        id
            The row's id, as text.
        type
            The scale; None: the first one that is listed below.
        class_
            Whose prediction is explained, as text; None: of two classes the last one, of more all.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.

        Notes
        -----
        ``SELECT madtree.tree_explain()`` prints all that there is to know of it."""

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
        max_rows: int | None = 10000,
        trust_owner: bool | None = False,
    ) -> Result[PartialDependenceRow]:
        """Tells what a model predicts by the values of one feature or two.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        new_data_table
            Table or view with the id, the features and the grouping columns.
        features
            One feature, or two: 'income', 'income, age'.
        type
            The scale; None: prob of classes, response of numbers.
        class_
            Whose prediction is told, as text; None: of two classes the last one, of more all.
        accumulated
            True: accumulated local effects, of features whose values have an order.
        ice
            True: a curve for each row.
        grid_size
            Values of a feature at most.
        max_rows
            Rows to take at most, drawn by the hash of the id.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.

        Notes
        -----
        ``SELECT madtree.partial_dependence()`` prints all that there is to know of it."""

    def permutation_importance(
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
        """Measures how much worse a model predicts a table where values of a feature are exchanged among its rows.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        test_table
            Table, view, ... with the id, the dependent variable, the features, the grouping columns and the weights of
            the training, under the same names.
        features
            None: each one; else some, and some together: 'age, [lat, lon]'.
        metric
            Of classes log_loss or accuracy, of numbers rmse or mae; None: the first.
        n_repeats
            Times that values are exchanged.
        seed
            Another one exchanges others.
        max_rows
            Rows to take at most, drawn by the hash of the id.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.

        Notes
        -----
        ``SELECT madtree.permutation_importance()`` prints all that there is to know of it."""

    def tree_call(
        self,
        model: str,
        trust_owner: bool | None = False,
    ) -> str:
        """Writes the statement that trains a model again.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.

        Notes
        -----
        ``SELECT madtree.tree_call()`` prints all that there is to know of it."""

    def tree_cp(
        self,
        model: str,
    ) -> Result[TreeCpRow]:
        """Lists the cp table of a model: the trees that pruning makes of it, from the root alone to the whole tree.

        Parameters
        ----------
        model
            output_table_name of tree_train.

        Notes
        -----
        ``SELECT madtree.tree_cp()`` prints all that there is to know of it."""

    def tree_to_json(
        self,
        model: str,
        tree_id: int | None = None,
    ) -> dict[str, Any]:
        """Writes a model as a JSON document that has all it takes to predict in another language.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        tree_id
            Of a grouped model, or of a forest: write only this tree.

        Notes
        -----
        ``SELECT madtree.tree_to_json()`` prints all that there is to know of it."""

    def tree_to_pmml(
        self,
        model: str,
        tree_id: int | None = None,
    ) -> str:
        """Writes a model as a PMML 4.4 document, for any scoring engine that reads PMML.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        tree_id
            Of a grouped model, or of a forest: write only this tree, for rows of its group.

        Notes
        -----
        ``SELECT madtree.tree_to_pmml()`` prints all that there is to know of it."""

    def tree_prune(
        self,
        model: str,
        new_model: str,
        cp: float,
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> Model:
        """Prunes a trained model further, without the data, into a new model.

        Parameters
        ----------
        model
            output_table_name of tree_train.
        new_model
            Name of the new model; its tables must not exist, unless replace => true.
        cp
            Complexity parameter: a split stays if it lowers the tree's risk by more than cp times the root's.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.
        replace
            True: drop a model of your own of that name, another one than this.

        Notes
        -----
        ``SELECT madtree.tree_prune()`` prints all that there is to know of it."""

    def calibrate(
        self,
        model: str,
        calibration_table: str,
        output_model: str,
        method: str | None = "isotonic",
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> str:
        """Makes probabilities true: writes a calibrated model, by rows with known outcomes that training has not seen.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train, of classes.
        calibration_table
            Table or view with known outcomes, which training has not seen.
        output_model
            Name of the new model; its tables must not exist, unless replace => true.
        method
            'isotonic': a function that never falls, from a thousand rows on; 'sigmoid': Platt's curve, for fewer.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.
        replace
            True: drop a model of your own of that name, another one than this.

        Notes
        -----
        ``SELECT madtree.calibrate()`` prints all that there is to know of it."""

    def tree_refresh(
        self,
        model: str,
        new_table: str,
        output_model: str,
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> str:
        """Writes a model anew by other rows: the same splits, and in the nodes what these rows say.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.
        new_table
            Table or view with the outcomes, under the names of the training table.
        output_model
            Name of the new model; its tables must not exist, unless replace => true.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.
        replace
            True: drop a model of your own of that name, another one than this.

        Notes
        -----
        ``SELECT madtree.tree_refresh()`` prints all that there is to know of it."""

    def model_alias(
        self,
        alias: str,
        model: str | None,
        trust_owner: bool | None = False,
    ) -> str:
        """Gives a model a second name, which can be given to another model in one step, and back.

        Parameters
        ----------
        alias
            The second name; an alias that is there names the model from now on.
        model
            output_table_name of tree_train, forest_train or boost_train; None: remove the alias.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.

        Notes
        -----
        ``SELECT madtree.model_alias()`` prints all that there is to know of it."""

    def tree_drop(
        self,
        model: str,
    ) -> str:
        """Removes a model: its tables <output>, <output>_nodes, <output>_summary, and the others that belong to it.

        Parameters
        ----------
        model
            output_table_name of tree_train, forest_train or boost_train.

        Notes
        -----
        ``SELECT madtree.tree_drop()`` prints all that there is to know of it."""

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
        """Trains a random forest, or one forest per group, on the rows of a table.

        Parameters
        ----------
        training_table_name
            Table, partitioned table, view, materialized or foreign table.
        output_table_name
            The model: tables <output>, <output>_packed, <output>_group, <output>_summary, <output>_statistics, the view
            <output>_nodes and, where asked for, <output>_surrogates; must not exist.
        id_col_name
            Column that identifies rows; rows of one id are drawn together.
        dependent_variable
            Column or expression, also with AS name: float, numeric -> regression; boolean, integer, text, enum, date,
            timestamp, uuid, ... -> classification.
        list_of_features
            '*', or columns and expressions separated by commas; or a sequence of plain names, which are quoted.
        list_of_features_to_exclude
            Columns that '*' leaves out; or a sequence of plain names, which are quoted.
        grouping_cols
            One forest for each combination of their values; or a sequence of plain names, which are quoted.
        num_trees
            Of each forest.
        num_random_features
            Drawn for each node: the root of the number of features, of numbers a third of them.
        importance
            Permute each feature among the out-of-bag rows, to see what that costs.
        num_permutations
            Of each feature and tree.
        max_tree_depth
            Levels below the root, 0 to 60; None: 60.
        min_split
            Rows that a node needs to be split: 2, of numbers 5.
        min_bucket
            Rows that each side must keep: 1.
        num_splits
            Candidate thresholds of a continuous feature; 0: all of them, as always with at most 4096 rows.
        null_handling_params
            'max_surrogates=0, null_as_category=false, surrogate_style=0'; keys are max_surrogates, null_as_category,
            surrogate_style; or a mapping.
        verbose
            True: one INFO line a wave of trees, and the stages' seconds.
        sample_ratio
            Share of the rows that each tree's sample is drawn from.
        weights
            A numeric column or expression; rows of weight 0 are skipped.
        split_criterion
            'gini', 'entropy', 'gain_ratio', 'misclassification'; regression uses 'mse', counts of events 'poisson'.
        split_rule
            'random': extremely randomized trees, one random split of each feature drawn.
        sampling
            'poisson': with replacement; 'without_replacement': 63 % of the rows, once each; 'none': all rows, once
            each, so that none are out of bag.
        seed
            Of all that is drawn: the same rows and seed make the same forest.
        replace
            True: overwrite a madtree model of that name.
        parallel_workers
            Workers beside this process; None: as many as save time; 0: none.
        memory_mb
            Megabytes for histograms and rows.
        classification
            True: classes; false: regression; None: by the type of the dependent variable.
        strategy
            Who keeps and counts the rows: memory, workers, aggregate; auto: what is quickest.
        oob_predictions
            True: make <output>_oob, each row's prediction by the trees whose samples lack it.
        intervals
            Of numbers; true: make <output>_outcomes, an outcome of each leaf, for intervals of predictions.

        Notes
        -----
        ``SELECT madtree.forest_train()`` prints all that there is to know of it."""

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
        """Scores a table by a forest into a new table.

        Parameters
        ----------
        random_forest_model
            output_table_name of forest_train.
        new_data_table
            Table or view with the id, the features and the grouping columns.
        output_table
            Table to create; must not exist, unless replace => true.
        type
            'response': the class with most votes, or the mean 'prob': for each class the share of the trees that vote
            for it 'prob_mean': for each class the mean of its shares in the trees' leaves 'interval': the mean, and
            between what an outcome lies, of a forest trained with intervals => true 'leaf': the leaf's node_id in each
            tree, as an array 'conformal': the number and between what an outcome lies, or a set of classes; see
            conformal_train.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.
        replace
            True: where output_table is a table of predictions of your own, replace its rows.
        level
            With 'interval': the share of outcomes that lie between, above 0 and below 1; with 'conformal': the same, a
            level that conformal_train has kept.

        Notes
        -----
        ``SELECT madtree.forest_predict()`` prints all that there is to know of it."""

    def get_tree(
        self,
        forest_model_table: str,
        gid: int,
        sample_id: int,
        dot_format: bool | None = True,
        verbose: bool | None = False,
        max_depth: int | None = None,
    ) -> str:
        """Draws one tree of a forest.

        Parameters
        ----------
        forest_model_table
            output_table_name of forest_train.
        gid
            Number of the group, from 1; see <output>_group.
        sample_id
            Number of the tree in the group's forest, from 1.
        dot_format
            True: a graph in the dot language; false: text.
        verbose
            True: with impurities and weights.
        max_depth
            Draw nodes down to this depth, and say how many leaves are below.

        Notes
        -----
        ``SELECT madtree.get_tree()`` prints all that there is to know of it."""

    def get_tree_surr(
        self,
        forest_model_table: str,
        gid: int,
        sample_id: int,
    ) -> str:
        """Lists the surrogates of one tree of a forest that was trained with max_surrogates.

        Parameters
        ----------
        forest_model_table
            output_table_name of forest_train.
        gid
            Number of the group, from 1.
        sample_id
            Number of the tree in the group's forest, from 1.

        Notes
        -----
        ``SELECT madtree.get_tree_surr()`` prints all that there is to know of it."""

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
        """Trains a gradient boosted model, or one per group, on the rows of a table.

        Parameters
        ----------
        training_table_name
            Table, partitioned table, view, materialized or foreign table.
        output_table_name
            The model: tables <output>, <output>_packed, <output>_group, <output>_rounds, <output>_summary,
            <output>_statistics and the view <output>_nodes, with category_encoding=ordered also <output>_categories;
            must not exist.
        id_col_name
            Column that identifies rows.
        dependent_variable
            Column or expression, also with AS name: float, numeric -> regression; boolean, integer, text, enum, date,
            timestamp, uuid, ... -> classification.
        list_of_features
            '*', or columns and expressions separated by commas; or a sequence of plain names, which are quoted.
        list_of_features_to_exclude
            Columns that '*' leaves out; or a sequence of plain names, which are quoted.
        loss
            Of classes 'log_loss', 'exponential'; of numbers 'squared_error', 'absolute_error', 'quantile', 'huber',
            'poisson', 'gamma'; None: the first of these.
        grouping_cols
            One model for each combination of their values; or a sequence of plain names, which are quoted.
        weights
            A numeric column or expression; rows of weight 0 are skipped.
        num_trees
            Rounds at most; of more than two classes each round grows a tree for each.
        learning_rate
            By what the values of leaves are multiplied.
        max_leaf_nodes
            Leaves of each tree at most: the splits that gain most are made.
        max_depth
            Levels below the root, 1 to 60; None: 60.
        min_bucket
            Rows that each side must keep.
        n_bins
            Candidate thresholds of a continuous feature; 0: all of them, as always with at most 4096 rows.
        boost_params
            'l2_regularization=0, min_gain=0, subsample=1, feature_fraction=1, cat_smooth=10, cat_l2=10,
            max_cat_threshold=32, min_data_per_group=100, top_rate=1, other_rate=0.1, method=gradient,
            category_encoding=none, prior_weight=1'; keys are l2_regularization, min_gain, subsample, feature_fraction,
            cat_smooth, quantile, cat_l2, max_cat_threshold, min_data_per_group, top_rate, other_rate, method,
            category_encoding, prior_weight; or a mapping.
        validation_params
            'fraction=0, fold_col=..., table=..., n_iter_no_change=10, tol=1e-7': hold rows out, and keep the rounds up
            to their least loss; keys are fraction, fold_col, table, n_iter_no_change, tol; or a mapping.
        verbose
            True: one INFO line a round, and the stages' seconds.
        seed
            Of all that is drawn: the same rows and seed make the same model.
        replace
            True: overwrite a madtree model of that name.
        parallel_workers
            Workers beside this process; None: as many as save time; 0: none.
        memory_mb
            Megabytes for histograms and rows.
        classification
            True: classes; false: regression; None: by the type of the dependent variable.
        strategy
            Who keeps and counts the rows: memory, workers, aggregate; auto: what is quickest.
        exposure
            Poisson: a numeric column or expression above 0, over which events were counted; None: 1 in each row.
        class_params
            How much classes count, in their order: 'class_weight=balanced', or 'prior=0.5:0.5'; or a mapping.
        correct_prior
            True: take out of the base score what class_params put into it, so that probabilities are of the rows.
        monotone
            'income=+1, age=-1': features with which predictions do not fall, or do not rise; None: none; or a mapping.
        interaction_constraints
            '[income, age], [region]': features that may be together on a path of a tree; all others are one more such
            group; None: any; or a sequence of sequences of plain names.
        offsets
            A numeric column or expression that is added to each row's score from the beginning, on the scale of 'raw'
            predictions; not for more than two classes; None: none.

        Notes
        -----
        ``SELECT madtree.boost_train()`` prints all that there is to know of it."""

    def boost_predict(
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
        """Scores a table by a boosted model into a new table.

        Parameters
        ----------
        boosted_model
            output_table_name of boost_train.
        new_data_table
            Table or view with the id, the features and the grouping columns.
        output_table
            Table to create; must not exist, unless replace => true.
        type
            'response': the class that is most probable, or the number 'prob': the probability of each class 'raw': the
            score, or with more than two classes that of each: the base score and what the trees add 'leaf': the leaf's
            node_id in each tree, as an array 'conformal': the number and between what an outcome lies, or a set of
            classes; see conformal_train.
        num_trees
            Rounds to predict by, from the first one on, no more than there are; of a group that has fewer, all. None:
            all.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.
        replace
            True: where output_table is a table of predictions of your own, replace its rows.
        level
            With 'conformal': the share of outcomes that are to be covered, a level that conformal_train has kept.

        Notes
        -----
        ``SELECT madtree.boost_predict()`` prints all that there is to know of it."""

    def boost_sql(
        self,
        model: str,
        type: str | None = "response",
        trust_owner: bool | None = False,
        class_: str | None = None,
        dialect: str | None = None,
    ) -> str:
        """Writes a small boosted model as an SQL expression, for a view or a generated column.

        Parameters
        ----------
        model
            output_table_name of boost_train.
        type
            'response', 'raw' or 'prob'; 'prob': of two classes the last one's probability, of more a float8[]; 'raw':
            of more than two classes a float8[].
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.
        class_
            With 'prob' and 'raw': the class that is asked for, as text.
        dialect
            The database that it is for: 'postgresql', 'duckdb', 'sqlite', 'bigquery', 'snowflake', 'redshift', 'mysql'
            or 'sqlserver'; None: the first of these.

        Notes
        -----
        ``SELECT madtree.boost_sql()`` prints all that there is to know of it."""

    def boost_staged(
        self,
        model: str,
        test_table: str,
        trust_owner: bool | None = False,
    ) -> Result[BoostStagedRow]:
        """Measures a boosted model on a table whose outcomes are known, by the number of its rounds.

        Parameters
        ----------
        model
            output_table_name of boost_train.
        test_table
            Table, view, ... with the dependent variable, the features, the grouping columns and the weights of the
            training, under the same names.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.

        Notes
        -----
        ``SELECT madtree.boost_staged()`` prints all that there is to know of it."""

    def boost_cut(
        self,
        model: str,
        new_model: str,
        num_trees: int,
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> BoostedModel:
        """Cuts a boosted model to its first rounds, without the data, into a new model.

        Parameters
        ----------
        model
            output_table_name of boost_train.
        new_model
            Name of the new model; its tables must not exist, unless replace => true.
        num_trees
            Rounds to keep, from the first one on; of a group that has fewer, all.
        trust_owner
            As a superuser, use another role's model although it runs what that role wrote.
        replace
            True: drop a model of your own of that name, another one than this.

        Notes
        -----
        ``SELECT madtree.boost_cut()`` prints all that there is to know of it."""

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
        """Tries settings of a model of any kind by cross-validation, and trains the best one.

        Parameters
        ----------
        training_table_name
            Table, partitioned table, view, materialized or foreign table.
        output_table_name
            The table of scores; the best model is <output>_model.
        id_col_name
            Column that identifies rows.
        dependent_variable
            Column or expression, also with AS name: float, numeric -> regression; boolean, integer, text, enum, date,
            timestamp, uuid, ... -> classification.
        list_of_features
            '*', or columns and expressions separated by commas; or a sequence of plain names, which are quoted.
        method
            'tree', 'forest', 'boost': what <method>_train trains.
        params
            'max_depth=3,5,8; min_bucket=5,20': values of arguments of <method>_train, each with each; None: its
            defaults alone; or a mapping of names to values, or to lists of these.
        n_folds
            That are drawn by the hash of the id.
        metric
            'accuracy', 'balanced_accuracy', 'log_loss', 'auc', 'rmse', 'r2', 'poisson_deviance'; None: the first one
            for the outcome.
        search
            'grid': all settings on all rows; 'halving': all on a part of the rows, the best third of them on three
            times as many, and so on.
        fold_column
            Column whose values are the folds, instead of n_folds.
        list_of_features_to_exclude
            Columns that '*' leaves out; or a sequence of plain names, which are quoted.
        weights
            A numeric column or expression; rows of weight 0 are skipped.
        verbose
            True: INFO lines of what is done, and the stages' seconds.
        seed
            Of the folds, and of what each training draws.
        replace
            True: overwrite the tables of an earlier search.
        parallel_workers
            Workers beside this process; None: as many as save time; 0: none.
        memory_mb
            Megabytes for histograms.
        strategy
            Who keeps and counts the rows: memory, workers, aggregate; auto: what is quickest.
        classification
            True: classes; false: regression; None: by the type of the dependent variable.

        Notes
        -----
        ``SELECT madtree.tree_tune()`` prints all that there is to know of it."""

class TreeMethods:
    """What can be done with a model of single trees."""

    def to_sql(
        self,
        type: str | None = "response",
        tree_id: int | None = None,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        dialect: str | None = None,
    ) -> str:
        """Writes a model as an SQL expression, for a view or a generated column; arguments as for `Client.tree_sql`."""

    def evaluate(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Evaluation:
        """Measures how well a model predicts a table whose outcomes are known; arguments as for
        `Client.tree_evaluate`; `table` is the name of a table or view, or a data frame."""

    def confusion(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeConfusionRow]:
        """Counts how often a classification model predicts each class for each actual class; arguments as for
        `Client.tree_confusion`; `table` is the name of a table or view, or a data frame."""

    def curve(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        max_points: int | None = 100,
    ) -> Result[TreeCurveRow]:
        """Tells how well a model's probabilities of a class put rows in order: ROC, lift, calibration; arguments as
        for `Client.tree_curve`; `table` is the name of a table or view, or a data frame."""

    def reliability(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        n_bins: int | None = 10,
    ) -> Result[TreeReliabilityRow]:
        """Tells how far a model's probabilities of a class are from what happens: the reliability curve; arguments as
        for `Client.tree_reliability`; `table` is the name of a table or view, or a data frame."""

    def conformal_quantiles(
        self,
        table: Any = None,
        levels: str | None = "0.9",
        *,
        trust_owner: bool | None = False,
    ) -> Result[ConformalQuantilesRow]:
        """Tells how far predictions of new rows may be off, by rows that training has not seen (split conformal
        prediction); arguments as for `Client.conformal_quantiles`; `table` is the name of a table or view, or a
        data frame."""

    def conformal_train(
        self,
        table: Any = None,
        levels: str | None = "0.8,0.9,0.95",
        *,
        trust_owner: bool | None = False,
    ) -> str:
        """Keeps with a model how far predictions of new rows may be off, for predictions of type 'conformal';
        arguments as for `Client.conformal_train`; `table` is the name of a table or view, or a data frame."""

    def drift(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeDriftRow]:
        """Tells how far the values of new rows, and what a model says of them, have moved from those of its training;
        arguments as for `Client.tree_drift`; `table` is the name of a table or view, or a data frame."""

    def rules(
        self,
        tree_id: int | None = None,
        *,
        trust_owner: bool | None = False,
        full: bool | None = False,
    ) -> Result[TreeRulesRow]:
        """Lists a model as rules, one for each leaf, as text and as SQL predicate; arguments as for
        `Client.tree_rules`."""

    def path(
        self,
        table: Any,
        id: object,
        *,
        trust_owner: bool | None = False,
        full: bool | None = False,
        tree_id: int | None = None,
    ) -> Result[TreePathRow]:
        """Shows the path that one row takes through a model, and why; arguments as for `Client.tree_path`; `table` is
        the name of a table or view, or a data frame."""

    def shap(
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
        """Writes what each feature contributes to the predictions of a table's rows (SHAP values) into a new table;
        arguments as for `Client.tree_shap`; `table` is the name of a table or view, or a data frame."""

    def explain(
        self,
        table: Any,
        id: object,
        type: str | None = None,
        class_: str | None = None,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeExplainRow]:
        """Tells what each feature contributes to the prediction of one row (SHAP values); arguments as for
        `Client.tree_explain`; `table` is the name of a table or view, or a data frame."""

    def partial_dependence(
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
        """Tells what a model predicts by the values of one feature or two; arguments as for
        `Client.partial_dependence`; `table` is the name of a table or view, or a data frame."""

    def permutation_importance(
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
        """Measures how much worse a model predicts a table where values of a feature are exchanged among its rows;
        arguments as for `Client.permutation_importance`; `table` is the name of a table or view, or a data frame."""

    def cp_table(self) -> Result[TreeCpRow]:
        """Lists the cp table of a model: the trees that pruning makes of it, from the root alone to the whole tree;
        arguments as for `Client.tree_cp`."""

    def to_pmml(
        self,
        tree_id: int | None = None,
    ) -> str:
        """Writes a model as a PMML 4.4 document, for any scoring engine that reads PMML; arguments as for
        `Client.tree_to_pmml`."""

    def prune(
        self,
        new_model: str,
        cp: float,
        *,
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> Model:
        """Prunes a trained model further, without the data, into a new model; arguments as for `Client.tree_prune`."""

    def drop(self) -> str:
        """Removes a model: its tables <output>, <output>_nodes, <output>_summary, and the others that belong to it;
        arguments as for `Client.tree_drop`."""

class ForestMethods:
    """What can be done with a forest."""

    def to_sql(
        self,
        type: str | None = "response",
        tree_id: int | None = None,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        dialect: str | None = None,
    ) -> str:
        """Writes a model as an SQL expression, for a view or a generated column; arguments as for `Client.tree_sql`."""

    def evaluate(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Evaluation:
        """Measures how well a model predicts a table whose outcomes are known; arguments as for
        `Client.tree_evaluate`; `table` is the name of a table or view, or a data frame."""

    def confusion(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeConfusionRow]:
        """Counts how often a classification model predicts each class for each actual class; arguments as for
        `Client.tree_confusion`; `table` is the name of a table or view, or a data frame."""

    def curve(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        max_points: int | None = 100,
    ) -> Result[TreeCurveRow]:
        """Tells how well a model's probabilities of a class put rows in order: ROC, lift, calibration; arguments as
        for `Client.tree_curve`; `table` is the name of a table or view, or a data frame."""

    def reliability(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        n_bins: int | None = 10,
    ) -> Result[TreeReliabilityRow]:
        """Tells how far a model's probabilities of a class are from what happens: the reliability curve; arguments as
        for `Client.tree_reliability`; `table` is the name of a table or view, or a data frame."""

    def conformal_quantiles(
        self,
        table: Any = None,
        levels: str | None = "0.9",
        *,
        trust_owner: bool | None = False,
    ) -> Result[ConformalQuantilesRow]:
        """Tells how far predictions of new rows may be off, by rows that training has not seen (split conformal
        prediction); arguments as for `Client.conformal_quantiles`; `table` is the name of a table or view, or a
        data frame."""

    def conformal_train(
        self,
        table: Any = None,
        levels: str | None = "0.8,0.9,0.95",
        *,
        trust_owner: bool | None = False,
    ) -> str:
        """Keeps with a model how far predictions of new rows may be off, for predictions of type 'conformal';
        arguments as for `Client.conformal_train`; `table` is the name of a table or view, or a data frame."""

    def drift(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeDriftRow]:
        """Tells how far the values of new rows, and what a model says of them, have moved from those of its training;
        arguments as for `Client.tree_drift`; `table` is the name of a table or view, or a data frame."""

    def rules(
        self,
        tree_id: int | None = None,
        *,
        trust_owner: bool | None = False,
        full: bool | None = False,
    ) -> Result[TreeRulesRow]:
        """Lists a model as rules, one for each leaf, as text and as SQL predicate; arguments as for
        `Client.tree_rules`."""

    def path(
        self,
        table: Any,
        id: object,
        *,
        trust_owner: bool | None = False,
        full: bool | None = False,
        tree_id: int | None = None,
    ) -> Result[TreePathRow]:
        """Shows the path that one row takes through a model, and why; arguments as for `Client.tree_path`; `table` is
        the name of a table or view, or a data frame."""

    def shap(
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
        """Writes what each feature contributes to the predictions of a table's rows (SHAP values) into a new table;
        arguments as for `Client.tree_shap`; `table` is the name of a table or view, or a data frame."""

    def explain(
        self,
        table: Any,
        id: object,
        type: str | None = None,
        class_: str | None = None,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeExplainRow]:
        """Tells what each feature contributes to the prediction of one row (SHAP values); arguments as for
        `Client.tree_explain`; `table` is the name of a table or view, or a data frame."""

    def partial_dependence(
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
        """Tells what a model predicts by the values of one feature or two; arguments as for
        `Client.partial_dependence`; `table` is the name of a table or view, or a data frame."""

    def permutation_importance(
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
        """Measures how much worse a model predicts a table where values of a feature are exchanged among its rows;
        arguments as for `Client.permutation_importance`; `table` is the name of a table or view, or a data frame."""

    def to_pmml(
        self,
        tree_id: int | None = None,
    ) -> str:
        """Writes a model as a PMML 4.4 document, for any scoring engine that reads PMML; arguments as for
        `Client.tree_to_pmml`."""

    def drop(self) -> str:
        """Removes a model: its tables <output>, <output>_nodes, <output>_summary, and the others that belong to it;
        arguments as for `Client.tree_drop`."""

class BoostedMethods:
    """What can be done with a boosted model."""

    def evaluate(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Evaluation:
        """Measures how well a model predicts a table whose outcomes are known; arguments as for
        `Client.tree_evaluate`; `table` is the name of a table or view, or a data frame."""

    def confusion(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeConfusionRow]:
        """Counts how often a classification model predicts each class for each actual class; arguments as for
        `Client.tree_confusion`; `table` is the name of a table or view, or a data frame."""

    def curve(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        max_points: int | None = 100,
    ) -> Result[TreeCurveRow]:
        """Tells how well a model's probabilities of a class put rows in order: ROC, lift, calibration; arguments as
        for `Client.tree_curve`; `table` is the name of a table or view, or a data frame."""

    def reliability(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        n_bins: int | None = 10,
    ) -> Result[TreeReliabilityRow]:
        """Tells how far a model's probabilities of a class are from what happens: the reliability curve; arguments as
        for `Client.tree_reliability`; `table` is the name of a table or view, or a data frame."""

    def conformal_quantiles(
        self,
        table: Any = None,
        levels: str | None = "0.9",
        *,
        trust_owner: bool | None = False,
    ) -> Result[ConformalQuantilesRow]:
        """Tells how far predictions of new rows may be off, by rows that training has not seen (split conformal
        prediction); arguments as for `Client.conformal_quantiles`; `table` is the name of a table or view, or a
        data frame."""

    def conformal_train(
        self,
        table: Any = None,
        levels: str | None = "0.8,0.9,0.95",
        *,
        trust_owner: bool | None = False,
    ) -> str:
        """Keeps with a model how far predictions of new rows may be off, for predictions of type 'conformal';
        arguments as for `Client.conformal_train`; `table` is the name of a table or view, or a data frame."""

    def drift(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeDriftRow]:
        """Tells how far the values of new rows, and what a model says of them, have moved from those of its training;
        arguments as for `Client.tree_drift`; `table` is the name of a table or view, or a data frame."""

    def rules(
        self,
        tree_id: int | None = None,
        *,
        trust_owner: bool | None = False,
        full: bool | None = False,
    ) -> Result[TreeRulesRow]:
        """Lists a model as rules, one for each leaf, as text and as SQL predicate; arguments as for
        `Client.tree_rules`."""

    def path(
        self,
        table: Any,
        id: object,
        *,
        trust_owner: bool | None = False,
        full: bool | None = False,
        tree_id: int | None = None,
    ) -> Result[TreePathRow]:
        """Shows the path that one row takes through a model, and why; arguments as for `Client.tree_path`; `table` is
        the name of a table or view, or a data frame."""

    def shap(
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
        """Writes what each feature contributes to the predictions of a table's rows (SHAP values) into a new table;
        arguments as for `Client.tree_shap`; `table` is the name of a table or view, or a data frame."""

    def explain(
        self,
        table: Any,
        id: object,
        type: str | None = None,
        class_: str | None = None,
        *,
        trust_owner: bool | None = False,
    ) -> Result[TreeExplainRow]:
        """Tells what each feature contributes to the prediction of one row (SHAP values); arguments as for
        `Client.tree_explain`; `table` is the name of a table or view, or a data frame."""

    def partial_dependence(
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
        """Tells what a model predicts by the values of one feature or two; arguments as for
        `Client.partial_dependence`; `table` is the name of a table or view, or a data frame."""

    def permutation_importance(
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
        """Measures how much worse a model predicts a table where values of a feature are exchanged among its rows;
        arguments as for `Client.permutation_importance`; `table` is the name of a table or view, or a data frame."""

    def to_pmml(
        self,
        tree_id: int | None = None,
    ) -> str:
        """Writes a model as a PMML 4.4 document, for any scoring engine that reads PMML; arguments as for
        `Client.tree_to_pmml`."""

    def drop(self) -> str:
        """Removes a model: its tables <output>, <output>_nodes, <output>_summary, and the others that belong to it;
        arguments as for `Client.tree_drop`."""

    def to_sql(
        self,
        type: str | None = "response",
        *,
        trust_owner: bool | None = False,
        class_: str | None = None,
        dialect: str | None = None,
    ) -> str:
        """Writes a small boosted model as an SQL expression, for a view or a generated column; arguments as for
        `Client.boost_sql`."""

    def staged(
        self,
        table: Any,
        *,
        trust_owner: bool | None = False,
    ) -> Result[BoostStagedRow]:
        """Measures a boosted model on a table whose outcomes are known, by the number of its rounds; arguments as for
        `Client.boost_staged`; `table` is the name of a table or view, or a data frame."""

    def cut(
        self,
        new_model: str,
        num_trees: int,
        *,
        trust_owner: bool | None = False,
        replace: bool | None = False,
    ) -> BoostedModel:
        """Cuts a boosted model to its first rounds, without the data, into a new model; arguments as for
        `Client.boost_cut`."""
