"""The methods of clients and of models, awaited: each does what its namesake does.

What type checkers and editors read, async_models.pyi, is made by scripts/client_stubs.py.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, Protocol, TypeVar

from madtree.client.boosted import BoostedModel
from madtree.client.client import Client
from madtree.client.forests import Forest
from madtree.client.model import Model
from madtree.client.trained import TrainedModel
from madtree.interface import FUNCTIONS

T = TypeVar("T")


class AsyncCaller(Protocol):
    """Where the models are: a client that awaits."""

    async def run(self, work: Callable[[Client], T]) -> T: ...


class AsyncCalls:
    """What a client can do: see `Client`."""


class AsyncTrained:
    """A model in the database."""

    _kind: ClassVar[type[TrainedModel]]
    client: AsyncCaller
    name: str
    message: str | None

    def __init__(self, client: AsyncCaller, name: str, message: str | None = None) -> None:
        self.client, self.name, self.message = client, name, message

    def __repr__(self) -> str:
        return f"<madtree.{type(self).__name__} {self.name}>"

    async def _look(self, at: Callable[[Any], Any]) -> Any:
        """What `at` finds in the model of that name."""
        return await self.client.run(lambda client: at(self._kind(client, self.name)))


class AsyncModel(AsyncTrained):
    """A model in the database. Its methods are those of `Model`, awaited; so are what are attributes there."""

    _kind = Model


class AsyncForest(AsyncTrained):
    """A forest in the database. Its methods are those of `Forest`, awaited; so are what are attributes there."""

    _kind = Forest


class AsyncBoostedModel(AsyncTrained):
    """A boosted model in the database. Its methods are those of `BoostedModel`, awaited; so are what are attributes
    there.
    """

    _kind = BoostedModel


MODELS: dict[type[TrainedModel], type[AsyncTrained]] = {
    each._kind: each for each in (AsyncModel, AsyncForest, AsyncBoostedModel)
}
CALLS = (*FUNCTIONS, "model", "forest", "boosted", "models", "call", "query")


def _awaited(
    of: type, name: str, run: Callable[[Any, Callable[[Any], Any]], Awaitable[Any]], client: Callable[[Any], Any]
) -> Callable[..., Any]:
    """A method, or what is an attribute, as a coroutine with the same arguments; models that come back await, too.

    Args:
        run: runs work with the object that has it.
        client: of the object that has the coroutine.
    """
    found = getattr(of, name)

    async def awaited(self: Any, /, *arguments: Any, **named: Any) -> Any:
        def work(it: Any) -> Any:
            return getattr(it, name) if isinstance(found, property) else found(it, *arguments, **named)

        answer = await run(self, work)
        made = MODELS.get(type(answer))
        return answer if made is None else made(client(self), answer.name, answer.message)

    method: Any = found.fget if isinstance(found, property) else found
    return functools.wraps(method)(awaited)


for _name in CALLS:
    setattr(AsyncCalls, _name, _awaited(Client, _name, lambda self, work: self.run(work), lambda self: self))
for _kind, _class in MODELS.items():
    for _name in dir(_kind):
        if not _name.startswith("_"):
            setattr(
                _class,
                _name,
                _awaited(_kind, _name, lambda self, work: self._look(work), lambda self: self.client),
            )
