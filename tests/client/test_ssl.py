"""Connections that are encrypted, to a server with a certificate of its own making."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from fix_server import Server
from plain_database import left_over
from psycopg.conninfo import make_conninfo
from waiting import wait_until

import madtree
from madtree.embedded import PrivateServer

# In the data directory, under the names that PostgreSQL looks for there.
CERTIFICATE = (
    "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout server.key -out server.crt -subj /CN=127.0.0.1 "
    "-addext subjectAltName=IP:127.0.0.1"
)
ENCRYPTED = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"


@pytest.fixture
def certificate(plain: str, server: Server, tmp_path: Path) -> Iterator[Path]:
    """The server's certificate, while it takes encrypted connections."""
    if server.home is None:
        pytest.skip("a certificate is made for a private server only")
    private = PrivateServer(server.home)
    made = private.user.run(CERTIFICATE.split(), private.home.data)
    assert made.returncode == 0, made.stdout
    copy = tmp_path / "root.crt"
    copy.write_bytes((private.home.data / "server.crt").read_bytes())
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        try:
            admin.execute("ALTER SYSTEM SET ssl = on")
            admin.execute("SELECT pg_reload_conf()")
            wait_until(lambda: encrypts(plain), "the server does not encrypt")
            yield copy
        finally:
            admin.execute("ALTER SYSTEM RESET ssl")
            admin.execute("SELECT pg_reload_conf()")


def encrypts(dsn: str) -> bool:
    tried = make_conninfo(dsn, host="127.0.0.1", sslmode="require")
    with contextlib.suppress(psycopg.OperationalError), psycopg.connect(tried):
        return True
    return False


def test_encrypted_connections(plain: str, certificate: Path) -> None:
    dsn = make_conninfo(plain, host="127.0.0.1", sslmode="require")
    checked = make_conninfo(dsn, sslmode="verify-full", sslrootcert=str(certificate))
    with madtree.connect(dsn, engine="client") as client, madtree.connect(dsn, model_dsn=checked) as apart:
        for each in (client, apart):
            assert each.query(ENCRYPTED)[0][0] is True
            each.tree_train("shop.visits", "mine.m", "id", "bought", "age, channel", replace=True)
            each.tree_predict("mine.m", "shop.visits", "mine.p")
            each.query("DROP TABLE mine.p")
        client.tree_drop("mine.m")
    with pytest.raises(psycopg.OperationalError, match="root certificate file"):
        madtree.connect(make_conninfo(checked, sslrootcert=str(certificate.parent / "none")))
    assert left_over(plain) == []
