"""For programs that await: the methods of `Client` as coroutines."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import psycopg

from madtree.client.async_models import AsyncBoostedModel, AsyncForest, AsyncModel
from madtree.client.boosted import BoostedModel
from madtree.client.bridge import Bridge, BridgedConnection
from madtree.client.client import Client
from madtree.client.forests import Forest
from madtree.client.model import Model
from madtree.client.session import Session
from madtree.host.psycopg import Engine

P = ParamSpec("P")
T = TypeVar("T")
A = TypeVar("A")


def of_client(
    method: Callable[Concatenate[Client, P], T],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    """A method of `Client` as a coroutine, with the same arguments."""

    @functools.wraps(method)
    async def awaited(self: AsyncClient, /, *arguments: P.args, **named: P.kwargs) -> T:
        return await self.run(lambda client: method(client, *arguments, **named))

    return awaited


def model_of_client(
    method: Callable[Concatenate[Client, P], Model],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, AsyncModel]]:
    """As `of_client`; what comes back awaits, too."""
    return _awaited_by(AsyncModel, method)


def forest_of_client(
    method: Callable[Concatenate[Client, P], Forest],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, AsyncForest]]:
    """As `model_of_client`, for forests."""
    return _awaited_by(AsyncForest, method)


def boosted_of_client(
    method: Callable[Concatenate[Client, P], BoostedModel],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, AsyncBoostedModel]]:
    """As `model_of_client`, for boosted models."""
    return _awaited_by(AsyncBoostedModel, method)


def _awaited_by(
    kind: Callable[[AsyncClient, str, str | None], A],
    method: Callable[Concatenate[Client, P], Model | Forest | BoostedModel],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, A]]:
    @functools.wraps(method)
    async def awaited(self: AsyncClient, /, *arguments: P.args, **named: P.kwargs) -> A:
        made = await self.run(lambda client: method(client, *arguments, **named))
        return kind(self, made.name, made.message)

    return awaited


class AsyncClient:
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

    tree_train = model_of_client(Client.tree_train)
    tree_predict = of_client(Client.tree_predict)
    tree_sql = of_client(Client.tree_sql)
    tree_display = of_client(Client.tree_display)
    tree_surr_display = of_client(Client.tree_surr_display)
    get_var_importance = of_client(Client.get_var_importance)
    tree_importance = of_client(Client.tree_importance)
    tree_evaluate = of_client(Client.tree_evaluate)
    tree_confusion = of_client(Client.tree_confusion)
    conformal_quantiles = of_client(Client.conformal_quantiles)
    tree_tune = of_client(Client.tree_tune)
    calibrate = of_client(Client.calibrate)
    tree_refresh = of_client(Client.tree_refresh)
    model_alias = of_client(Client.model_alias)
    tree_statistics = of_client(Client.tree_statistics)
    tree_drift = of_client(Client.tree_drift)
    tree_call = of_client(Client.tree_call)
    tree_curve = of_client(Client.tree_curve)
    tree_reliability = of_client(Client.tree_reliability)
    tree_cp = of_client(Client.tree_cp)
    tree_rules = of_client(Client.tree_rules)
    tree_path = of_client(Client.tree_path)
    tree_shap = of_client(Client.tree_shap)
    tree_explain = of_client(Client.tree_explain)
    partial_dependence = of_client(Client.partial_dependence)
    permutation_importance = of_client(Client.permutation_importance)
    tree_to_json = of_client(Client.tree_to_json)
    tree_to_pmml = of_client(Client.tree_to_pmml)
    tree_prune = model_of_client(Client.tree_prune)
    tree_drop = of_client(Client.tree_drop)
    forest_train = forest_of_client(Client.forest_train)
    forest_predict = of_client(Client.forest_predict)
    boost_train = boosted_of_client(Client.boost_train)
    boost_predict = of_client(Client.boost_predict)
    boost_sql = of_client(Client.boost_sql)
    boost_staged = of_client(Client.boost_staged)
    boost_cut = boosted_of_client(Client.boost_cut)
    boosted = boosted_of_client(Client.boosted)
    get_tree = of_client(Client.get_tree)
    get_tree_surr = of_client(Client.get_tree_surr)
    model = model_of_client(Client.model)
    forest = forest_of_client(Client.forest)
    models = of_client(Client.models)
    call = of_client(Client.call)
    query = of_client(Client.query)

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
