"""Queries that are asked ahead of the one whose rows are being worked on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

from madtree.host.protocol import Request, Row

_AHEAD = 2  # requests beyond those that are under way


def read_ahead(requests: Iterable[Request], readers: Sequence[Callable[..., list[Row]]]) -> Iterator[list[Row]]:
    """The rows of each request, in order; every reader runs one request at a time.

    No more than a few requests' rows are held, however slowly they are taken. An error ends it, and comes once no
    reader works any more.
    """
    free: SimpleQueue[Callable[..., list[Row]]] = SimpleQueue()
    for reader in readers:
        free.put(reader)

    def run(request: Request) -> list[Row]:
        reader = free.get()
        try:
            return reader(*request)
        finally:
            free.put(reader)

    waiting: deque[Future[Any]] = deque()
    pool = ThreadPoolExecutor(len(readers), thread_name_prefix="madtree-read")
    try:
        for request in requests:
            waiting.append(pool.submit(run, request))
            if len(waiting) > len(readers) + _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
