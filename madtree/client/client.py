"""The functions of madtree's SQL interface as methods, under the same names and with the same arguments."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar

from madtree.client.boosted import BoostedModel
from madtree.client.forests import Forest
from madtree.client.functions import FunctionCalls
from madtree.client.model import Model
from madtree.client.result import Result
from madtree.client.session import Session, without_password
from madtree.host.psycopg import Engine
from madtree.trees import BOOSTED, FOREST, TREE

if TYPE_CHECKING:
    from madtree.client.functions import ModelRow


class Client(FunctionCalls):
    """madtree in one database; made by `madtree.connect`, where transactions are explained.

    Tables and models are named as in SQL (``'flights'``, ``'my_schema."My Table"'``); a list of features may also be
    a sequence of plain names, which are quoted. None for an optional argument is its default on the server.

    Raises
    ------
    CallError
        By all methods: the server refused the call, or madtree could not do it. The exception has the server's
        sentence, its `hint` and its `sqlstate`. Other errors of the server's (a lost connection, a cancelled call, a
        deadlock) are psycopg's.
    LostConnectionError
        By the client as engine: the connection broke. It is an ``OperationalError`` of psycopg's, too.
    """

    _objects: ClassVar = {TREE: Model, FOREST: Forest, BOOSTED: BoostedModel}

    def model(self, name: str) -> Model:
        """A model that is there already. Raises MadtreeError if there is none of that name."""
        model = Model(self, name)
        model.locate()
        return model

    def forest(self, name: str) -> Forest:
        """A forest that is there already. Raises MadtreeError if there is none of that name."""
        forest = Forest(self, name)
        forest.check()
        return forest

    def boosted(self, name: str) -> BoostedModel:
        """A boosted model that is there already. Raises MadtreeError if there is none of that name."""
        model = BoostedModel(self, name)
        model.check()
        return model

    def models(self) -> Result[ModelRow]:
        """Every model that the session's user can see: the rows of the view ``madtree.models``."""
        if self._chosen_engine() == "client":
            return self.call("models")
        return self.rows_of("madtree.models", "model")

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        info = self.connection.info
        return f"<madtree.Client of {info.dbname} at {info.host}:{info.port}>"

    def __copy__(self) -> Client:
        return self

    def __deepcopy__(self, memo: object) -> Client:
        return self  # a session cannot be doubled; copies of what holds a client share it

    def __reduce__(self) -> Pickled:
        """A pickle, which may be kept in a file, has no password; `send_passwords_to_children` says who gets it."""
        source = None if self.source_conninfo is None else without_password(self.source_conninfo)
        return unpickled_client, (without_password(self.conninfo), self.engine, self.connections, source)


class _UnpickledClients(threading.local):
    """The clients that a thread has got pickled, by what they are."""

    def __init__(self) -> None:
        self.clients: dict[tuple[Any, ...], Client] = {}


_UNPICKLED = _UnpickledClients()


def unpickled_client(
    conninfo: str, engine: Engine = "auto", connections: int | None = None, source: str | None = None
) -> Client:
    """What a pickled client comes back as: it connects when it is first used.

    A thread has one client for all pickles of one: a session takes a while to load Python, and a grid search sends a
    pickle for each fit.
    """
    key = (os.getpid(), conninfo, engine, connections, source)
    known = _UNPICKLED.clients.get(key)
    if known is None or known.is_closed:
        of_data = None if source is None else Session.opened_later(source)
        known = Client(Session.opened_later(conninfo), engine=engine, connections=connections, source=of_data)
        _UNPICKLED.clients[key] = known
    return known


# What a client is sent as: `unpickled_client` and its arguments.
Pickled = tuple[Callable[[str, Engine, int | None, str | None], Client], tuple[str, Engine, int | None, str | None]]

# joblib brings loky with it; it may be there by itself, too.
_LOKY = ("joblib.externals.loky.backend.reduction", "loky.backend.reduction")


def send_passwords_to_children() -> None:
    """Tell multiprocessing, and joblib if it is here, how a client is sent: with the password, which an ordinary pickle
    leaves out.

    A pickle may be written to a file. What they send to their own children never is; both have a table of their own for
    how objects are sent, which is how multiprocessing sends its own connections.
    """
    from multiprocessing.reduction import ForkingPickler

    ForkingPickler.register(Client, _with_password)
    for name in _LOKY:
        with contextlib.suppress(ImportError):
            import_module(name).register(Client, _with_password)


def _with_password(client: Client) -> Pickled:
    return unpickled_client, (client.conninfo, client.engine, client.connections, client.source_conninfo)
