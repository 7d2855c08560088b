"""Sessions that score by a model while another one replaces it, again and again: each gets one model or the other."""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from waiting import PATIENCE

N_READERS = 3
N_SEEN = 5  # answers of either model, at least
# The two models have different features, depths and tables: half of the one and half of the other would show.
MODELS = {
    "up": "SELECT tree_train('data', 'm', 'id', 'y', 'x', replace => true)",
    "down": "SELECT tree_train('data', 'm', 'id', 'NOT y', 'z, word', max_depth => 3, replace => true, "
    "surrogate_params => 'max_surrogates=2', pruning_params => 'n_folds=2')",
}
QUESTIONS = {
    "tree_predict": "SELECT tree_predict('m', 'data', 'pg_temp.scored', 'leaf')",
    "tree_sql": "SELECT tree_sql('m')",
    "tree_rules": "SELECT string_agg(rule, ';' ORDER BY node_id) FROM tree_rules('m')",
    "tree_to_json": "SELECT (tree_to_json('m')->'trees')::text",
    "tree_evaluate": "SELECT value FROM tree_evaluate('m', 'data') WHERE metric = 'accuracy'",
}


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, i * 7919 % 100 AS x, i * 31 % 100 AS z, 'w' || i % 3 AS word, "
        "i * 7919 % 100 > 40 AS y FROM generate_series(1, 400) i"
    )
    return db


def ask(session: psycopg.Connection, question: str) -> str:
    """What the model says, as text."""
    answer = session.execute(QUESTIONS[question]).fetchone()[0]
    if question != "tree_predict":
        return str(answer)
    leaves = session.execute("SELECT string_agg(node_id::text, ',' ORDER BY id) FROM pg_temp.scored").fetchone()[0]
    session.execute("DROP TABLE pg_temp.scored")
    return str(leaves)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("question", list(QUESTIONS))
def test_scorers_see_one_model_or_the_other(
    data: psycopg.Connection, connect: Callable[[], psycopg.Connection], question: str
) -> None:
    expected = {}
    for name in ("down", "up"):
        data.execute(MODELS[name])
        expected[ask(data, question)] = name
    assert len(expected) == 2
    done = threading.Event()
    seen: Counter[str] = Counter()
    lock = threading.Lock()

    def read(session: psycopg.Connection) -> None:
        session.execute("SET lock_timeout = '60s'")
        while not done.is_set():
            answer = ask(session, question)
            with lock:
                seen[expected[answer]] += 1

    with ThreadPoolExecutor(N_READERS) as pool:
        readers = [pool.submit(read, connect()) for _ in range(N_READERS)]
        try:
            until = time.monotonic() + PATIENCE
            for number in itertools.count():
                data.execute(MODELS["down" if number % 2 else "up"])
                if min(seen["up"], seen["down"]) >= N_SEEN or any(reader.done() for reader in readers):
                    break
                assert time.monotonic() < until, f"of the two models the readers saw {dict(seen)}"
        finally:
            done.set()
        for reader in readers:
            reader.result(PATIENCE)
