"""For programs that await: the methods of `Client`, `Model` and `Forest` as coroutines."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast

import psycopg

from madtree.client.boosted import BoostedModel
from madtree.client.bridge import Bridge, BridgedConnection
from madtree.client.client import Client
from madtree.client.drawing import Drawing
from madtree.client.forests import Forest
from madtree.client.model import Model
from madtree.client.result import Result
from madtree.client.rows import CompetitorRow, CpRow, ImportanceRow, NodeRow, SurrogateRow, TreeRow
from madtree.client.session import Session
from madtree.client.trained import EnsembleModel, TrainedModel
from madtree.host.psycopg import Engine
from madtree.trees import Model as TreeModel

P = ParamSpec("P")
T = TypeVar("T")
A = TypeVar("A")
N = TypeVar("N", bound=TrainedModel)
E = TypeVar("E", bound=EnsembleModel)


def of_named(
    method: Callable[Concatenate[N, P], T],
) -> Callable[Concatenate[AsyncNamed[N], P], Coroutine[Any, Any, T]]:
    """A method of `Model` or `Forest` as a coroutine, with the same arguments."""

    @functools.wraps(method)
    async def awaited(self: AsyncNamed[N], /, *arguments: P.args, **named: P.kwargs) -> T:
        return await self._look(lambda it: method(it, *arguments, **named))

    return awaited


class AsyncNamed(Generic[N]):
    """What has a name in the database: a `Model` or a `Forest` whose methods are awaited."""

    _kind: Callable[[Client, str], N]

    def __init__(self, client: AsyncClient, name: str, message: str | None = None) -> None:
        self.client, self.name, self.message = client, name, message

    def __repr__(self) -> str:
        return f"<madtree.{type(self).__name__} {self.name}>"

    async def _look(self, at: Callable[[N], T]) -> T:
        """What `at` finds in the `Model` or `Forest` of that name."""
        return await self.client.run(lambda client: at(type(self)._kind(client, self.name)))

    async def summary(self) -> dict[str, Any]:
        """The one row of ``<name>_summary``."""
        return await self._look(lambda it: it.summary)

    async def importance(self) -> Result[ImportanceRow]:
        """A row for each feature of each tree or group, the most important first."""
        return await self._look(lambda it: it.importance())

    async def read(self, tree_id: int | None = None) -> TreeModel:
        """All trees as plain values, or the one of that number."""
        return await self._look(lambda it: it.read(tree_id))

    async def drop(self) -> str:
        """Drop its tables."""
        return await self._look(lambda it: it.drop())


class AsyncModel(AsyncNamed[Model]):
    """A model in the database. Its methods are those of `Model`, awaited; so are what are attributes there."""

    _kind = Model

    display = of_named(Model.display)
    evaluate = of_named(Model.evaluate)
    confusion = of_named(Model.confusion)
    curve = of_named(Model.curve)
    predict = of_named(Model.predict)
    cp_table = of_named(Model.cp_table)
    rules = of_named(Model.rules)
    path = of_named(Model.path)
    to_sql = of_named(Model.to_sql)
    to_json = of_named(Model.to_json)
    to_pmml = of_named(Model.to_pmml)
    to_dot = of_named(Model.to_dot)
    to_svg = of_named(Model.to_svg)
    plot = of_named(Model.plot)
    to_sklearn = of_named(Model.to_sklearn)
    locate = of_named(Model.locate)

    async def prune(self, new_model: str, cp: float, *, trust_owner: bool = False) -> AsyncModel:
        """Prune it further into a new model."""
        return await self.client.tree_prune(self.name, new_model, cp, trust_owner)

    async def trees(self) -> Result[TreeRow]:
        """The rows of ``<name>``."""
        return await self._look(lambda it: it.trees)

    async def nodes(self) -> Result[NodeRow]:
        """The rows of ``<name>_nodes``."""
        return await self._look(lambda it: it.nodes)

    async def surrogates(self) -> Result[SurrogateRow]:
        """The rows of ``<name>_surrogates``."""
        return await self._look(lambda it: it.surrogates)

    async def competitors(self) -> Result[CompetitorRow]:
        """The rows of ``<name>_competitors``."""
        return await self._look(lambda it: it.competitors)

    async def cv(self) -> Result[CpRow]:
        """The rows of ``<name>_cv``."""
        return await self._look(lambda it: it.cv)


class AsyncEnsemble(AsyncNamed[E]):
    """A model whose groups have several trees each."""

    async def tree(self, sample_id: int, gid: int = 1) -> TreeModel:
        """One tree as plain values: of the group `gid` the one with that number."""
        return await self._look(lambda it: it.tree(sample_id, gid))

    async def plot(self, sample_id: int = 1, max_depth: int | None = None, *, gid: int = 1) -> Drawing:
        """A picture of one tree."""
        return await self._look(lambda it: it.plot(sample_id, max_depth, gid=gid))

    async def trees(self) -> Result[Any]:
        """The rows of ``<name>``: one for each tree, with its group and its number there; of boosted ones its round."""
        return await self._look(lambda it: it.trees)


class AsyncForest(AsyncEnsemble[Forest]):
    """A forest in the database. Its methods are those of `Forest`, awaited; so are what are attributes there."""

    _kind = Forest

    to_sklearn = of_named(Forest.to_sklearn)
    predict = of_named(Forest.predict)

    async def groups(self) -> Result[Any]:
        """The rows of ``<name>_group``: for each group its error on out-of-bag rows and its importances."""
        return await self._look(lambda it: it.groups)

    async def oob_error(self) -> float | None:
        """The error on out-of-bag rows of a forest without groups. Raises CallError where there are groups."""
        return await self._look(lambda it: it.oob_error)


class AsyncBoostedModel(AsyncEnsemble[BoostedModel]):
    """A boosted model in the database. Its methods are those of `BoostedModel`, awaited; so are what are attributes
    there.
    """

    _kind = BoostedModel

    predict = of_named(BoostedModel.predict)
    staged_predict = of_named(BoostedModel.staged_predict)
    to_sklearn = of_named(BoostedModel.to_sklearn)
    to_lightgbm = of_named(BoostedModel.to_lightgbm)

    async def groups(self) -> Result[Any]:
        """The rows of ``<name>_group``: for each group its rounds, losses, base scores and importances."""
        return await self._look(lambda it: it.groups)

    async def rounds(self) -> Result[Any]:
        """The rows of ``<name>_rounds``: the mean losses after each round, by group."""
        return await self._look(lambda it: it.rounds)


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
    tree_curve = of_client(Client.tree_curve)
    tree_cp = of_client(Client.tree_cp)
    tree_rules = of_client(Client.tree_rules)
    tree_path = of_client(Client.tree_path)
    tree_to_json = of_client(Client.tree_to_json)
    tree_to_pmml = of_client(Client.tree_to_pmml)
    tree_prune = model_of_client(Client.tree_prune)
    tree_drop = of_client(Client.tree_drop)
    forest_train = forest_of_client(Client.forest_train)
    forest_predict = of_client(Client.forest_predict)
    boost_train = boosted_of_client(Client.boost_train)
    boost_predict = of_client(Client.boost_predict)
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
