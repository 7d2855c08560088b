"""Two hundred trainings on eight connections, which replace the same few models, and readers beside them."""

from __future__ import annotations

import queue
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
from breakable import BreakableServer
from training import read_model

N_TRAININGS, N_TRAINERS, N_READERS = 200, 8, 2
MODELS = ("one", "two", "three")
KINDS = {
    "up": "'y', 'x, z', max_depth => 4, strategy => 'memory'",
    "down": "'NOT y', 'z, n', max_depth => 3, surrogate_params => 'max_surrogates=1', parallel_workers => 2",
    "folds": "'y', 'n, word', max_depth => 3, pruning_params => 'n_folds=2', strategy => 'aggregate'",
    "groups": "'y', 'x', max_depth => 2, grouping_cols => 'g'",
}
READS = (
    "SELECT tree_sql('{}')",
    "SELECT tree_display('{}')",
    "SELECT value::text FROM tree_evaluate('{}', 'few') WHERE metric = 'accuracy'",
)


def train(model: str, kind: str) -> str:
    return f"SELECT tree_train('few', '{model}', 'id', {KINDS[kind]}, replace => true)"


def test_many_at_once(breakable: BreakableServer) -> None:
    jobs: queue.SimpleQueue[tuple[str, str] | None] = queue.SimpleQueue()
    rng = random.Random(11)
    with breakable.session() as session:
        session.execute("CREATE TABLE few AS SELECT * FROM data WHERE id <= 5000; ANALYZE few")
        answers: dict[str, set[str]] = {read: set() for read in READS}
        models = []
        for kind in KINDS:
            session.execute(train("one", kind))
            models.append(read_model(session, "one"))
            for read in READS:
                answers[read].add(ask(session, read, "one"))
        for model in MODELS:
            session.execute(train(model, "up"))
        before = breakable.traces(session)
        for _ in range(N_TRAININGS):
            jobs.put((rng.choice(MODELS), rng.choice(list(KINDS))))
        for _ in range(N_TRAINERS):
            jobs.put(None)
        done = threading.Event()

        def work() -> int:
            n_done = 0
            with breakable.session() as trainer:
                while job := jobs.get():
                    trainer.execute(train(*job))
                    n_done += 1
            return n_done

        def read() -> int:
            n_read = 0
            with breakable.session() as reader:
                while not done.is_set():
                    for text in READS:
                        assert ask(reader, text, MODELS[n_read % 3]) in answers[text]
                    n_read += 1
            return n_read

        with ThreadPoolExecutor(N_TRAINERS + N_READERS) as pool:
            readers = [pool.submit(read) for _ in range(N_READERS)]
            trainers = [pool.submit(work) for _ in range(N_TRAINERS)]
            try:
                assert sum(trainer.result() for trainer in trainers) == N_TRAININGS
            finally:
                done.set()
            assert all(reader.result() for reader in readers)
        for model in MODELS:
            assert read_model(session, model) in models
            session.execute(train(model, "up"))
        # Their tables may differ in kind while they are trained by turns; all are models like the first one now.
        assert breakable.traces(session) == before
        session.execute("SELECT tree_drop('one'), tree_drop('two'), tree_drop('three')")
        session.execute("DROP TABLE few")


def ask(session: psycopg.Connection, read: str, model: str) -> str:
    """What a model says, without its name."""
    return repr(session.execute(read.format(model)).fetchall()).replace(model, "m")
