"""statement_timeout at random points of every kind of run: nothing is left, and the next one gives the same bytes."""

from __future__ import annotations

import random
import time

import psycopg
import pytest
from breakable import BreakableServer
from runs import RUNS, outcome

N_TIMEOUTS = 8


@pytest.mark.parametrize("name", RUNS)
def test_a_timeout_leaves_nothing(breakable: BreakableServer, name: str) -> None:
    rng = random.Random(name)
    with breakable.session() as session:
        # What is freed by chance, when Python looks for circles of objects, would stay.
        session.execute("DO LANGUAGE plpython3u 'import gc; gc.disable()'")
        outcome(session, name)  # loads what is loaded once a session
        begin = time.monotonic()
        expected = outcome(session, name)
        milliseconds = (time.monotonic() - begin) * 1000
        before = breakable.traces(session)
        n_stopped = 0
        for _ in range(N_TIMEOUTS):
            with session.transaction(force_rollback=True):
                try:
                    with session.transaction():
                        # At least so long that the end of the savepoint, which has this timeout as well, is in time.
                        session.execute(f"SET LOCAL statement_timeout = {max(10, int(rng.random() * milliseconds))}")
                        session.execute(RUNS[name])
                except psycopg.errors.QueryCanceled:
                    n_stopped += 1
                    # The transaction goes on: what the run has set for its length is undone.
                    now = breakable.traces(session)
                    assert {row for row in now if row.startswith(("setting", "file", "worker"))} <= before
            assert breakable.traces(session) == before
        assert n_stopped
        assert outcome(session, name) == expected
