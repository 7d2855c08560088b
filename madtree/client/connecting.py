"""What opens a client: `madtree.connect`, and `madtree.connect_async` for programs that await."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import psycopg

from madtree.client.async_client import AsyncClient
from madtree.client.client import Client
from madtree.client.session import POOLABLE, Session, conninfo_of_target, open_session
from madtree.host.psycopg import Engine, checked_connections, checked_engine, checked_for_two_servers

if TYPE_CHECKING:
    import sqlalchemy

    Target = str | psycopg.Connection[Any] | sqlalchemy.Engine | sqlalchemy.Connection | sqlalchemy.URL | Session | None


def connect(
    connection: Target = None,
    *,
    on_message: Callable[[str], object] | None = None,
    engine: Engine = "auto",
    connections: int | None = None,
    model_dsn: Target = None,
) -> Client:
    """Connect to a database.

    Parameters
    ----------
    connection
        A URL (``postgresql://user@host/database``) or a connection string of libpq's; an Engine, Connection or URL of
        SQLAlchemy's with the driver psycopg; or a ``psycopg.Connection``. By default the server that the variables
        PGHOST, PGDATABASE, ... name, else the private server that ``madtree up`` starts.
    on_message
        Called with every message that the server sends while a call runs: notices, and with ``verbose=True`` one line a
        level. By default they go to the logger ``madtree``.
    engine
        Who does the work: ``extension``, the extension madtree in the server; ``client``, this process, over the
        connection, which needs nothing in the server but the rights to read the data and to create tables;
        or ``auto``, the extension where the database has it, else the client. The first call then says which.
    connections
        With the client as engine, over how many connections the rows of a training are read, in one snapshot. Those
        beside `connection` are opened while rows are read. By default a URL's trainings of many rows use as many as the
        server lets a query have processes (``max_parallel_workers_per_gather`` + 1), and those on your own connection
        use that alone. The model is the same.
    model_dsn
        Another server, given like `connection`, for models and predictions. Data are then only read at `connection`,
        by the client engine: it may be a standby, or another's database.

    Returns
    -------
    Client
        It closes what it opened itself (for a URL or an Engine) at the end of a ``with`` block or by ``close()``.

    Raises
    ------
    TypeError
        `connection` is of another type, or SQLAlchemy's driver is not psycopg.
    ValueError
        `engine` is none of these, or it is the extension, which cannot reach the server of `model_dsn`; or
        `connections` is below 1.
    CallError
        No connection is given and there is no server to choose.

    Notes
    -----
    *Transactions.* With a URL or an Engine each call is a transaction of its own: it is committed when the call
    returns. On your own connection nothing is ever committed or rolled back behind your back: a call is a part of the
    transaction that is open, or opens one, as ``connection.execute`` would, and *you* commit; only a connection in
    autocommit mode commits each call. A call that fails takes back what it did itself, by a savepoint, and leaves your
    transaction as it was before.

    *Processes and threads.* A client may go to other processes (``n_jobs=2``): forked or pickled, it opens a connection
    of its own there, in autocommit mode, one for all pickles that a thread gets. It then sees what is committed. A
    pickle has no password; child processes of joblib's and multiprocessing's get it. A client is for one thread at a
    time. Ctrl-C cancels the running call on the
    server.
    """
    engine, connections = checked_engine(engine), checked_connections(connections)
    if model_dsn is None:
        return Client(open_session(connection), on_message, engine, connections)
    checked_for_two_servers(engine)
    with contextlib.ExitStack() as opened:
        source = open_session(connection)
        opened.callback(source.close)
        client = Client(open_session(model_dsn), on_message, "client", connections, source)
        opened.pop_all()
        return client


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
