"""A network between client and server that counts what goes through it, and lets so many bits a second through."""

from __future__ import annotations

import contextlib
import math
import selectors
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import psycopg
from psycopg.conninfo import make_conninfo

_PIECE = 65_536  # bytes that are passed on at once
_LOOK = 0.05  # seconds between two looks whether to stop


@dataclass
class Network:
    """Attributes:
    dsn: of the same database, through this network.
    bytes_per_second: in each direction, all connections together.
    received, sent: bytes that have come from the server, and gone to it.
    """

    dsn: str
    bytes_per_second: float
    received: int = 0
    sent: int = 0
    _free_at: dict[str, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def carry(self, n_bytes: int, direction: str) -> None:
        """Wait for as long as the network takes for so many bytes, behind those that came before."""
        with self._lock:
            setattr(self, direction, getattr(self, direction) + n_bytes)
            now = time.monotonic()
            done = max(now, self._free_at.get(direction, now)) + n_bytes / self.bytes_per_second
            self._free_at[direction] = done
        time.sleep(done - now)


@contextlib.contextmanager
def network_to(dsn: str, bits_per_second: float = math.inf) -> Iterator[Network]:
    """A network to the server of `dsn`, which may be reached by TCP or by a Unix socket; gone at the end."""
    with psycopg.connect(dsn) as db:
        host, port = db.info.host, db.info.port
    stopped = threading.Event()
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(_LOOK)
    own = make_conninfo(dsn, host="127.0.0.1", port=listening.getsockname()[1], sslmode="disable")
    network = Network(own, bits_per_second / 8)

    def accept() -> None:
        while not stopped.is_set():
            with contextlib.suppress(TimeoutError):
                client = listening.accept()[0]
                server = _reach(host, port)
                for ends in ((client, server, "sent"), (server, client, "received")):
                    threading.Thread(target=_pass_on, args=(network, stopped, *ends), daemon=True).start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield network
    finally:
        stopped.set()
        accepting.join()
        listening.close()


def _reach(host: str, port: int) -> socket.socket:
    if not host.startswith("/"):
        return socket.create_connection((host, port))
    server = socket.socket(socket.AF_UNIX)
    server.connect(f"{host}/.s.PGSQL.{port}")
    return server


def _pass_on(network: Network, stopped: threading.Event, source: socket.socket, sink: socket.socket, way: str) -> None:
    """Until either end is closed."""
    with selectors.DefaultSelector() as waiting, contextlib.suppress(OSError):
        waiting.register(source, selectors.EVENT_READ)
        while not stopped.is_set():
            if not waiting.select(_LOOK):
                continue
            data = source.recv(_PIECE)
            if not data:
                break
            network.carry(len(data), way)
            sink.sendall(data)
    for end in (source, sink):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
