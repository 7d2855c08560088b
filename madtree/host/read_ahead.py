"""Queries that are asked ahead of the one whose rows are being worked on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import SimpleQueue

from madtree.host.protocol import Query, Row

Reader = Callable[..., list[Row]]
_AHEAD = 2  # requests beyond those that are under way
_SECONDS = 0.1  # between two looks, while a request's rows are waited for


def read_ahead(
    requests: Iterable[Query], readers: Sequence[Reader], look: Callable[[], None], stop: Callable[[], None]
) -> Generator[list[Row], None, None]:
    """The rows of each request, in order; every reader runs one request at a time.

    No more than a few requests' rows are held, however slowly they are taken. An error ends it, and comes once no
    reader works any more.

    Args:
        look: called while rows are waited for; raises where the work is to end.
        stop: called before such an end, perhaps several times, so that readers need not finish what they are at.
    """
    free: SimpleQueue[Reader] = SimpleQueue()
    for reader in readers:
        free.put(reader)

    def run(request: Query) -> list[Row]:
        reader = free.get()
        try:
            return reader(*request)
        finally:
            free.put(reader)

    waiting: deque[Future[list[Row]]] = deque()

    def taken() -> list[Row]:
        look()
        while not wait([waiting[0]], _SECONDS).done:
            look()
        return waiting.popleft().result()

    pool = ThreadPoolExecutor(len(readers), thread_name_prefix="madtree-read")
    try:
        for request in requests:
            waiting.append(pool.submit(run, request))
            if len(waiting) > len(readers) + _AHEAD:
                yield taken()
        while waiting:
            yield taken()
    except BaseException:
        left = [rows for rows in waiting if not rows.cancel()]
        stop()
        while wait(left, _SECONDS).not_done:
            stop()  # again: a reader may have been about to begin
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
