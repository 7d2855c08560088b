"""The client for programs that await: the methods of `Client`, `Model` and `Forest` as coroutines."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import psycopg

from madtree.client.bridge import Bridge, BridgedConnection
from madtree.client.client import Client
from madtree.client.forests import Forest
from madtree.client.model import Model
from madtree.client.result import Result
from madtree.client.rows import CompetitorRow, CpRow, NodeRow, SurrogateRow, TreeRow
from madtree.client.session import POOLABLE, Session, conninfo_of_target
from madtree.host.psycopg import Engine, checked_connections, checked_engine, checked_for_two_servers
from madtree.trees import Model as TreeModel

P = ParamSpec("P")
T = TypeVar("T")


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

    @functools.wraps(method)
    async def awaited(self: AsyncClient, /, *arguments: P.args, **named: P.kwargs) -> AsyncModel:
        model = await self.run(lambda client: method(client, *arguments, **named))
        return AsyncModel(self, model.name, model.message)

    return awaited


def forest_of_client(
    method: Callable[Concatenate[Client, P], Forest],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, AsyncForest]]:
    """As `model_of_client`, for forests."""

    @functools.wraps(method)
    async def awaited(self: AsyncClient, /, *arguments: P.args, **named: P.kwargs) -> AsyncForest:
        forest = await self.run(lambda client: method(client, *arguments, **named))
        return AsyncForest(self, forest.name, forest.message)

    return awaited


def of_model(
    method: Callable[Concatenate[Model, P], T],
) -> Callable[Concatenate[AsyncModel, P], Coroutine[Any, Any, T]]:
    """A method of `Model` as a coroutine, with the same arguments."""

    @functools.wraps(method)
    async def awaited(self: AsyncModel, /, *arguments: P.args, **named: P.kwargs) -> T:
        return await self.client.run(lambda client: method(Model(client, self.name), *arguments, **named))

    return awaited


def of_forest(
    method: Callable[Concatenate[Forest, P], T],
) -> Callable[Concatenate[AsyncForest, P], Coroutine[Any, Any, T]]:
    """A method of `Forest` as a coroutine, with the same arguments."""

    @functools.wraps(method)
    async def awaited(self: AsyncForest, /, *arguments: P.args, **named: P.kwargs) -> T:
        return await self.client.run(lambda client: method(Forest(client, self.name), *arguments, **named))

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
    tree_evaluate = of_client(Client.tree_evaluate)
    tree_confusion = of_client(Client.tree_confusion)
    tree_cp = of_client(Client.tree_cp)
    tree_rules = of_client(Client.tree_rules)
    tree_path = of_client(Client.tree_path)
    tree_to_json = of_client(Client.tree_to_json)
    tree_to_pmml = of_client(Client.tree_to_pmml)
    tree_prune = model_of_client(Client.tree_prune)
    tree_drop = of_client(Client.tree_drop)
    forest_train = forest_of_client(Client.forest_train)
    forest_predict = of_client(Client.forest_predict)
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


class AsyncModel:
    """A model in the database. Its methods are those of `Model`, awaited; so are what are attributes there."""

    def __init__(self, client: AsyncClient, name: str, message: str | None = None) -> None:
        self.client, self.name, self.message = client, name, message

    def __repr__(self) -> str:
        return f"<madtree.AsyncModel {self.name}>"

    display = of_model(Model.display)
    importance = of_model(Model.importance)
    evaluate = of_model(Model.evaluate)
    confusion = of_model(Model.confusion)
    predict = of_model(Model.predict)
    cp_table = of_model(Model.cp_table)
    rules = of_model(Model.rules)
    path = of_model(Model.path)
    to_sql = of_model(Model.to_sql)
    to_json = of_model(Model.to_json)
    to_pmml = of_model(Model.to_pmml)
    to_dot = of_model(Model.to_dot)
    to_svg = of_model(Model.to_svg)
    plot = of_model(Model.plot)
    to_sklearn = of_model(Model.to_sklearn)
    locate = of_model(Model.locate)
    drop = of_model(Model.drop)

    async def prune(self, new_model: str, cp: float, *, trust_owner: bool = False) -> AsyncModel:
        """Prune it further into a new model."""
        return await self.client.tree_prune(self.name, new_model, cp, trust_owner)

    async def read(self, tree_id: int | None = None) -> TreeModel:
        """The whole model, or one tree of it, as plain values."""
        return await self.client.run(lambda client: Model(client, self.name).read(tree_id))

    async def summary(self) -> dict[str, Any]:
        """The one row of ``<name>_summary``."""
        return await self.client.run(lambda client: Model(client, self.name).summary)

    async def trees(self) -> Result[TreeRow]:
        """The rows of ``<name>``."""
        return await self.client.run(lambda client: Model(client, self.name).trees)

    async def nodes(self) -> Result[NodeRow]:
        """The rows of ``<name>_nodes``."""
        return await self.client.run(lambda client: Model(client, self.name).nodes)

    async def surrogates(self) -> Result[SurrogateRow]:
        """The rows of ``<name>_surrogates``."""
        return await self.client.run(lambda client: Model(client, self.name).surrogates)

    async def competitors(self) -> Result[CompetitorRow]:
        """The rows of ``<name>_competitors``."""
        return await self.client.run(lambda client: Model(client, self.name).competitors)

    async def cv(self) -> Result[CpRow]:
        """The rows of ``<name>_cv``."""
        return await self.client.run(lambda client: Model(client, self.name).cv)


class AsyncForest:
    """A forest in the database. Its methods are those of `Forest`, awaited; so are what are attributes there."""

    def __init__(self, client: AsyncClient, name: str, message: str | None = None) -> None:
        self.client, self.name, self.message = client, name, message

    def __repr__(self) -> str:
        return f"<madtree.AsyncForest {self.name}>"

    importance = of_forest(Forest.importance)
    read = of_forest(Forest.read)
    tree = of_forest(Forest.tree)
    plot = of_forest(Forest.plot)
    to_sklearn = of_forest(Forest.to_sklearn)
    predict = of_forest(Forest.predict)
    drop = of_forest(Forest.drop)

    async def groups(self) -> Result[Any]:
        """The rows of ``<name>_group``: for each group its error on out-of-bag rows and its importances."""
        return await self.client.run(lambda client: Forest(client, self.name).groups)

    async def oob_error(self) -> float | None:
        """The error on out-of-bag rows of a forest without groups. Raises CallError where there are groups."""
        return await self.client.run(lambda client: Forest(client, self.name).oob_error)

    async def trees(self) -> Result[Any]:
        """The rows of ``<name>``: one for each tree, with its group and its number there."""
        return await self.client.run(lambda client: Forest(client, self.name).trees)

    async def summary(self) -> dict[str, Any]:
        """The one row of ``<name>_summary``."""
        return await self.client.run(lambda client: Forest(client, self.name).summary)


async def connect_async(
    connection: str | psycopg.AsyncConnection[Any] | None = None,
    *,
    on_message: Callable[[str], object] | None = None,
    engine: Engine = "auto",
    connections: int | None = None,
    model_dsn: str | psycopg.AsyncConnection[Any] | None = None,
) -> AsyncClient:
    """Connect to a database, from a program that awaits.

    Parameters
    ----------
    connection
        A URL or connection string, or a ``psycopg.AsyncConnection``; by default as for `madtree.connect`, where
        transactions are explained, too.
    on_message, engine, connections
        As for `madtree.connect`.
    model_dsn
        As for `madtree.connect`: another server for models and predictions, given like `connection`.
    """
    engine, connections = checked_engine(engine), checked_connections(connections)
    own = not isinstance(connection, psycopg.AsyncConnection)
    if model_dsn is None:
        return AsyncClient(await _opened(connection), on_message, owned=own, engine=engine, connections=connections)
    checked_for_two_servers(engine)
    async with contextlib.AsyncExitStack() as opened:
        source = await _opened(connection)
        if own:
            opened.push_async_callback(source.close)
        client = AsyncClient(
            await _opened(model_dsn),
            on_message,
            owned=not isinstance(model_dsn, psycopg.AsyncConnection),
            engine="client",
            connections=connections,
            source=source,
            owns_source=own,
        )
        opened.pop_all()
        return client


async def _opened(target: str | psycopg.AsyncConnection[Any] | None) -> psycopg.AsyncConnection[Any]:
    if isinstance(target, psycopg.AsyncConnection):
        return target
    conninfo = conninfo_of_target(target)
    return await psycopg.AsyncConnection.connect(conninfo, **POOLABLE, fallback_application_name="madtree")
