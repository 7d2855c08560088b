"""For programs that await: the methods of `Client` as coroutines."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar, cast

import psycopg

from madtree.client.async_models import AsyncCalls
from madtree.client.bridge import Bridge, BridgedConnection
from madtree.client.client import Client
from madtree.client.session import Session
from madtree.host.psycopg import Engine

T = TypeVar("T")


class AsyncClient(AsyncCalls):
    """madtree in one database, on an asynchronous connection of psycopg's; made by `madtree.connect_async`.

    Its methods are those of `Client`, where they are described; each is awaited. Calls take turns. A task that is
    cancelled cancels its call on the server, and what the call did is taken back.
    """

    def __init__(
        self,
        connection: psycopg.AsyncConnection[Any],
        on_message: Callable[[str], object] | None = None,
        *,
        owned: bool = False,
        engine: Engine = "auto",
        connections: int | None = None,
        source: psycopg.AsyncConnection[Any] | None = None,
        owns_source: bool = False,
    ) -> None:
        """Inside the event loop of the connections, each of which is closed with the client if that owns it.

        `source`: to another server, where the data are; `connection` then is to the one where the models are.
        """
        self._bridge = Bridge()
        self.connection = connection
        self._owned = [each for each, own in ((connection, owned), (source, owns_source)) if each is not None and own]
        self._client = Client(
            self._session(connection, owned),
            on_message,
            engine,
            connections,
            None if source is None else self._session(source, owns_source),
        )

    def _session(self, connection: psycopg.AsyncConnection[Any], owned: bool) -> Session:
        return Session(cast(psycopg.Connection[Any], BridgedConnection(connection, self._bridge)), owned=owned)

    async def run(self, work: Callable[[Client], T]) -> T:
        """The value of ``work(client)`` with a `Client`, in a thread; its statements run on this connection."""
        return await self._bridge.run(lambda: work(self._client))

    @property
    def engine(self) -> Engine:
        """Who does the work, as in `Client`."""
        return self._client.engine

    async def close(self) -> None:
        """Close the connections that the client opened."""
        for connection in self._owned:
            await connection.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        info = self.connection.info
        return f"<madtree.AsyncClient of {info.dbname} at {info.host}:{info.port}>"
