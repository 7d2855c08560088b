"""The database's side: madtree's functions, and the plain statements that they are held against."""

from __future__ import annotations

from dataclasses import dataclass, field

import psycopg

from measure.session import Session, connect
from measure.table import SCHEMA, Table
from measure.timing import Action, Parts

FOREST_SHAPE = "max_tree_depth => 12, num_splits => 100, importance => false"
SHAPE = "max_depth => 10, n_bins => 100, min_split => 20, min_bucket => 7"


@dataclass(frozen=True)
class ColumnSums:
    """Reading every value once: what no learner that reads its rows with as many workers can beat."""

    table: Table
    workers: int = 0

    def action(self, session: Session) -> Action:
        sums = ", ".join(f"sum({feature})" for feature in self.table.features)
        statement, db = f"SELECT {sums} FROM {self.table.relation}", session.db
        if not self.workers:
            return _statement(db, statement)

        def run() -> None:
            with db.transaction():
                db.execute(f"SET LOCAL max_parallel_workers_per_gather = {self.workers}")
                db.execute(statement)

        return Action(run)


@dataclass(frozen=True)
class Train:
    """`tree_train`, in one process or with as many `workers` as it decides (None).

    Attributes:
        more: further arguments as SQL, and `shape` those that are the same nearly everywhere.
        model: trainings of the same name replace each other's.
    """

    table: Table
    workers: int | None = 0
    more: str = ""
    shape: str = SHAPE
    dependent: str = "y"
    model: str = "model"

    @property
    def statement(self) -> str:
        workers = "NULL" if self.workers is None else self.workers
        more = f", {self.more}" if self.more else ""
        return (
            f"SELECT madtree.tree_train('{self.table.relation}', '{SCHEMA}.{self.model}', 'id', '{self.dependent}',"
            f" '{self.table.arguments}', {self.shape}, replace => true, verbose => true,"
            f" parallel_workers => {workers}{more})"
        )

    def action(self, session: Session) -> Action:
        db = session.db if self.workers == 0 else session.free

        def run() -> Parts:
            session.stages = {}
            db.execute(self.statement)
            return session.stages

        return Action(run)


@dataclass(frozen=True)
class TrainForest(Train):
    """`forest_train`, with as many workers as it decides."""

    workers: int | None = None
    shape: str = FOREST_SHAPE
    model: str = "forest"
    n_trees: int = 100

    @property
    def statement(self) -> str:
        more = f", {self.more}" if self.more else ""
        return (
            f"SELECT madtree.forest_train('{self.table.relation}', '{SCHEMA}.{self.model}', 'id', '{self.dependent}',"
            f" '{self.table.arguments}', num_trees => {self.n_trees}, {self.shape}, replace => true, verbose => true"
            f"{more})"
        )


@dataclass(frozen=True)
class TrainBoosted(Train):
    """`boost_train` of trees of 31 leaves."""

    shape: str = ""
    model: str = "boosted"
    n_trees: int = 100

    @property
    def statement(self) -> str:
        workers = "NULL" if self.workers is None else self.workers
        more = f", {self.more}" if self.more else ""
        return (
            f"SELECT madtree.boost_train('{self.table.relation}', '{SCHEMA}.{self.model}', 'id', '{self.dependent}',"
            f" '{self.table.arguments}', num_trees => {self.n_trees}, replace => true, verbose => true,"
            f" parallel_workers => {workers}{more})"
        )


@dataclass(frozen=True)
class Tune(Train):
    """`tree_tune` with five folds."""

    shape: str = ""
    model: str = "search"
    method: str = "tree"
    params: str = ""

    @property
    def statement(self) -> str:
        workers = "NULL" if self.workers is None else self.workers
        more = f", {self.more}" if self.more else ""
        return (
            f"SELECT madtree.tree_tune('{self.table.relation}', '{SCHEMA}.{self.model}', 'id', '{self.dependent}',"
            f" '{self.table.arguments}', '{self.method}', '{self.params}', n_folds => 5, replace => true,"
            f" verbose => true, parallel_workers => {workers}{more})"
        )


@dataclass(frozen=True)
class FirstCall:
    """A training as the first statement of a new session; connecting does not count."""

    training: Train
    sessions: list[psycopg.Connection] = field(default_factory=list, compare=False)

    @property
    def table(self) -> Table:
        return self.training.table

    def action(self, session: Session) -> Action:
        def prepare() -> None:
            for old in self.sessions:
                old.close()
            self.sessions[:] = [connect(session.dsn)]

        def run() -> None:
            self.sessions[0].execute(self.training.statement)

        return Action(run, prepare)


@dataclass(frozen=True)
class Predict:
    """`tree_predict` into a new table, by the model of a training that comes before."""

    training: Train
    one_process: bool = False

    @property
    def table(self) -> Table:
        return self.training.table

    def action(self, session: Session) -> Action:
        db = session.db if self.one_process else session.free
        model, scored = f"{SCHEMA}.{self.training.model}", f"{SCHEMA}.scored"
        if db.execute("SELECT to_regclass(%s) IS NULL", [model]).fetchone() == (True,):
            session.db.execute(self.training.statement)
        statement = f"SELECT madtree.tree_predict('{model}', '{self.table.relation}', '{scored}')"
        return _statement(db, statement, f"DROP TABLE IF EXISTS {scored}")


@dataclass(frozen=True)
class PredictForest:
    """`forest_predict` into a new table, by a forest that is trained before.

    Attributes:
        type_: of prediction.
    """

    training: Train
    type_: str = "response"
    function = "forest_predict"

    @property
    def table(self) -> Table:
        return self.training.table

    def action(self, session: Session) -> Action:
        model, scored = f"{SCHEMA}.{self.training.model}", f"{SCHEMA}.scored"
        session.free.execute(self.training.statement)
        statement = f"SELECT madtree.{self.function}('{model}', '{self.table.relation}', '{scored}', '{self.type_}')"
        return _statement(session.free, statement, f"DROP TABLE IF EXISTS {scored}")


@dataclass(frozen=True)
class PredictBoosted(PredictForest):
    """`boost_predict`, in the same way."""

    function = "boost_predict"


@dataclass(frozen=True)
class Drift(PredictForest):
    """`tree_drift` of the training table itself, by the statistics that are kept before."""

    def action(self, session: Session) -> Action:
        model = f"{SCHEMA}.{self.training.model}"
        session.free.execute(self.training.statement)
        session.free.execute(f"SELECT madtree.tree_statistics('{model}', '{self.table.relation}')")
        return _statement(session.free, f"SELECT count(*) FROM madtree.tree_drift('{model}', '{self.table.relation}')")


@dataclass(frozen=True)
class Refresh(PredictForest):
    """`tree_refresh` by the training table itself into a new model."""

    def action(self, session: Session) -> Action:
        model, made = f"{SCHEMA}.{self.training.model}", f"{SCHEMA}.refreshed"
        session.free.execute(self.training.statement)
        statement = f"SELECT madtree.tree_refresh('{model}', '{self.table.relation}', '{made}')"
        drop = f"PERFORM madtree.tree_drop('{made}')"
        return _statement(
            session.free, statement, f"DO $$ BEGIN IF to_regclass('{made}') IS NOT NULL THEN {drop}; END IF; END $$"
        )


@dataclass(frozen=True)
class Explain:
    """`tree_shap` of a table into a new one, by a model that is trained before; `more`: further arguments as SQL."""

    table: Table
    training: Train
    more: str = ""

    def action(self, session: Session) -> Action:
        model, reasons = f"{SCHEMA}.{self.training.model}", f"{SCHEMA}.reasons"
        session.free.execute(self.training.statement)
        more = f", {self.more}" if self.more else ""
        statement = f"SELECT madtree.tree_shap('{model}', '{self.table.relation}', '{reasons}'{more})"
        return _statement(session.free, statement, f"DROP TABLE IF EXISTS {reasons}")


@dataclass(frozen=True)
class WriteConstant:
    """A new table of as many rows, with nothing computed."""

    table: Table
    one_process: bool = False

    def action(self, session: Session) -> Action:
        statement = f"CREATE TABLE {SCHEMA}.constant AS SELECT id, 1 AS estimated_y FROM {self.table.relation}"
        db = session.db if self.one_process else session.free
        return _statement(db, statement, f"DROP TABLE IF EXISTS {SCHEMA}.constant")


def _statement(db: psycopg.Connection, statement: str, before: str | None = None) -> Action:
    def run() -> None:
        db.execute(statement)

    return Action(run, None if before is None else lambda: db.execute(before))
