"""Queries that are asked ahead of the one whose rows are being worked on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import SimpleQueue

from madtree.host.protocol import Request, Row

Reader = Callable[..., list[Row]]
_AHEAD = 2  # requests beyond those that are under way
_SECONDS = 0.1  # between two looks, while a request's rows are waited for


def read_ahead(
    requests: Iterable[Request], readers: Sequence[Reader], look: Callable[[], None], stop: Callable[[], None]
) -> Generator[list[Row], None, None]:
    """The rows of each request, in order; every reader runs one request at a time.

    No more than a few requests' rows are held, however slowly they are taken. An error ends it, and comes once no
    reader works any more.

    Args:
        look: called while rows are waited for; raises where the work is to end.
        stop: called before such an end, so that readers need not finish what they are at.
    """
    free: SimpleQueue[Reader] = SimpleQueue()
    for reader in readers:
        free.put(reader)

    def run(request: Request) -> list[Row]:
        reader = free.get()
        try:
            return reader(*request)
        finally:
            free.put(reader)

    def taken(rows: Future[list[Row]]) -> list[Row]:
        look()
        while not wait([rows], _SECONDS).done:
            look()
        return rows.result()

    waiting: deque[Future[list[Row]]] = deque()
    pool = ThreadPoolExecutor(len(readers), thread_name_prefix="madtree-read")
    try:
        for request in requests:
            waiting.append(pool.submit(run, request))
            if len(waiting) > len(readers) + _AHEAD:
                yield taken(waiting.popleft())
        while waiting:
            yield taken(waiting.popleft())
    except BaseException:
        for rows in waiting:
            rows.cancel()
        stop()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
