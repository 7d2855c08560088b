"""A process that gets no more memory: an error, and the server stays up. So it is with `ulimit -v`, and where the
system promises no more memory than it has.
"""

from __future__ import annotations

import psycopg
import pytest
from breakable import BreakableServer
from runs import RUNS, outcome

TO_WARM_UP = "SELECT tree_train('data', 'warm', 'id', 'y', 'x', max_depth => 2), tree_drop('warm')"
LIMIT = """DO LANGUAGE plpython3u $$
    import resource
    pages = int(open("/proc/self/statm").read().split()[0])
    limit = {} or pages * resource.getpagesize() + {}
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY)) $$"""


@pytest.mark.parametrize("name", ["calibrate", "boosted"])
def test_memory_runs_out(breakable: BreakableServer, name: str) -> None:
    with breakable.session() as session:
        expected = outcome(session, name)
    n_failed = 0
    for spare in (*range(200_000, 2_500_000, 100_000), 40_000_000):
        with breakable.session() as session:
            session.execute(TO_WARM_UP)
            session.execute(LIMIT.format(0, spare))  # type: ignore[arg-type]
            try:
                session.execute(RUNS[name])
            except psycopg.errors.OutOfMemory:
                n_failed += 1
            finally:
                session.execute(LIMIT.format(-1, 0))  # type: ignore[arg-type]
            session.execute("DROP TABLE IF EXISTS out")
    assert n_failed
    with breakable.session() as session:
        assert outcome(session, name) == expected
