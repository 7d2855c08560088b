"""What to train, after the user's arguments have been checked against the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from madtree.records import dataclass
from madtree.request.tuning import Tuning
from madtree.sqltext.relation import Column, Relation
from madtree.sqltext.values import Writer
from madtree.trees import BoostParameters, EnsembleParameters, Feature, Parameters


@dataclass(frozen=True)
class Arguments:
    """Arguments of the function that trains as the user gave them, for the summary table; `numbers`: those of
    `NUMERIC_COLUMNS`.
    """

    training_table_name: str
    output_table_name: str
    id_col_name: str
    dependent_variable: str
    list_of_features: str
    list_of_features_to_exclude: str | None = None
    grouping_cols: str | None = None
    feature_costs: str | None = None
    monotone: str | None = None
    interaction_constraints: str | None = None
    numbers: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class HeldOutTable:
    """A second table, whose rows are held out of a training.

    Attributes:
        columns: of both tables, that the training needs, as SQL.
        flag: the column, as SQL, that tells of a row of both tables whether it is of this one.
    """

    relation: Relation
    columns: tuple[str, ...]
    flag: str


@dataclass(frozen=True)
class OrderedEncoding:
    """Categories that are split by ordered target statistics.

    Attributes:
        features: positions of the features that have them.
        prior_weight: for how many rows the mean of all counts in each category.
    """

    features: tuple[int, ...]
    prior_weight: float


@dataclass(frozen=True)
class TrainingTask:
    """One call of `tree_train`, checked.

    Attributes:
        arguments: as given.
        source: the training relation.
        held_out: another one, whose rows are read with the training's, and held out; or None.
        output_schema, output_name: unquoted; the model's tables are output_name plus a suffix.
        id_sql: the id column as SQL.
        dependent_sql, dependent_type: the dependent variable as SQL (a quoted column or an expression in parentheses).
        dependent_name: what columns of its predictions are called after, unquoted.
        is_classification: otherwise regression.
        classes_meant: the caller has said so, so that many classes are no surprise.
        features: in list order, arrays expanded.
        feature_is_column: True where the feature is a bare column of the source (then it cannot have side effects).
        numbers: SQL of each of `ROW_NUMBERS` that rows have, by its name.
        grouping: grouping columns.
        parameters: for the learner.
        verbose: stream one INFO line a level, and one of the stages' seconds at the end.
        replace: drop an existing model of that name first.
        fold_argument: that names the folds' column, as the function has it.
        id_type, fold_type: of the id and of the folds' column, as the catalogue spells them.
        dependent_writer, fold_writer, id_writer: how values of the dependent variable, of the folds' column and of the
            id are written as text.
        strategy: one of `interface.training.STRATEGIES`: where blocks are kept and who counts them.
        parallel_workers: wanted beside this process; None: as many as pay.
        tuning: sizes and thresholds.
        ensemble: how a model of many trees is grown; None for single trees.
        ordered: which features are split by encodings, and how these are made; None for none.
        oob_predictions: whether predictions of the rows in training, by the trees that lack them, are written.
        intervals: whether an outcome of each leaf is kept, for intervals of predictions.
        others_arrays: SQL of the arrays among the features whose type is not PostgreSQL's own: to cast one as a whole
            would look for casts, which may be its owner's.
    """

    arguments: Arguments
    source: Relation
    output_schema: str
    output_name: str
    id_sql: str
    dependent_sql: str
    dependent_type: str
    is_classification: bool
    features: tuple[Feature, ...]
    feature_is_column: tuple[bool, ...]
    grouping: tuple[Column, ...]
    numbers: Mapping[str, str] = field(default_factory=dict)
    dependent_name: str = ""
    classes_meant: bool = False
    parameters: Parameters = field(default_factory=Parameters)
    verbose: bool = False
    replace: bool = False
    strategy: str = "auto"
    parallel_workers: int | None = None
    id_type: str = ""
    dependent_writer: Writer | None = None
    fold_argument: str = "fold_col"
    fold_writer: Writer | None = None
    fold_type: str = ""
    id_writer: Writer | None = None
    tuning: Tuning = field(default_factory=Tuning)
    ensemble: EnsembleParameters | None = None
    oob_predictions: bool = False
    intervals: bool = False
    held_out: HeldOutTable | None = None
    ordered: OrderedEncoding | None = None
    others_arrays: frozenset[str] = frozenset()

    @property
    def folds_by(self) -> str | None:
        """The column that tells of folds, or the column or table by which rows are held out, as it was given."""
        by = self.ensemble.held_out_by if isinstance(self.ensemble, BoostParameters) else None
        return by or self.parameters.fold_col
