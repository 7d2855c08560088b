"""The database of a private server: created once, its extension kept at the version of this package."""

from __future__ import annotations

import os
import secrets
import time
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg import sql

from madtree.embedded.config import is_loopback_open, open_loopback
from madtree.embedded.home import Home
from madtree.embedded.osuser import PrivateServerError
from madtree.install.script import expand

DATABASE = "madtree"
SUPERUSER = "postgres"
PATIENCE = 5.0  # seconds that the server has for reading its files again
# The way from the extension's version to this package's, where they differ and there is one.
UPGRADE = """
SELECT p.path FROM pg_catalog.pg_extension AS e
JOIN pg_catalog.pg_available_extensions AS a ON a.name OPERATOR(pg_catalog.=) e.extname
JOIN pg_catalog.pg_extension_update_paths(e.extname) AS p
ON p.source OPERATOR(pg_catalog.=) e.extversion AND p.target OPERATOR(pg_catalog.=) a.default_version
    AND p.path IS NOT NULL
WHERE e.extname OPERATOR(pg_catalog.=) 'madtree'
"""
# Whether there is a database, and an extension.
DATABASE_EXISTS = "SELECT 1 FROM pg_catalog.pg_database WHERE datname OPERATOR(pg_catalog.=) %s"
EXTENSION_EXISTS = """
SELECT 1 FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'madtree'
"""


def socket_uri(home: Home, port: int, database: str = DATABASE) -> str:
    """A connection URI through the socket, which needs no password."""
    return f"postgresql://{SUPERUSER}@/{database}?host={quote(str(home.socket_directory), safe='')}&port={port}"


def tcp_uri(home: Home, port: int) -> str:
    """A connection URI through the loopback address; the password is in the file that it names."""
    return f"postgresql://{SUPERUSER}@127.0.0.1:{port}/{DATABASE}?passfile={quote(str(home.passfile), safe='')}"


def connect(home: Home, port: int, database: str = DATABASE, **given: Any) -> psycopg.Connection[Any]:
    """A session of our own. No variable of libpq's has a say: PGHOSTADDR would lead to another server, PGOPTIONS change
    what is made here.
    """
    set_aside = {name: os.environ.pop(name) for name in [*os.environ] if name.startswith("PG")}
    try:
        return psycopg.connect(socket_uri(home, port, database), **given)
    finally:
        os.environ.update(set_aside)


def ensure_password(home: Home, port: int) -> None:
    """Give the superuser a random password for TCP, kept in a file that only our user can read.

    A new one at each start, for that start's port alone, and before anybody is let in by TCP: while the server is down,
    anybody on this machine may listen at its port, and libpq tells the password to who asks for it in clear.

    Raises:
        PrivateServerError: the server does not read its files.
    """
    if home.passfile.exists() and is_loopback_open(home):
        return
    password = secrets.token_urlsafe(24)
    with connect(home, port, "postgres", autocommit=True) as connection:
        # The verifier is made here, so that the password itself can appear in no log.
        verifier = connection.pgconn.encrypt_password(password.encode(), SUPERUSER.encode(), b"scram-sha-256")
        connection.execute(
            sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(SUPERUSER), sql.Literal(verifier.decode()))
        )
        home.passfile.unlink(missing_ok=True)
        home.passfile.touch(mode=0o600)
        home.passfile.write_text(f"127.0.0.1:{port}:*:{SUPERUSER}:{password}\n", encoding="utf-8")
        open_loopback(home)
        (read_before,) = connection.execute("SELECT pg_catalog.pg_conf_load_time()").fetchone() or (None,)
        connection.execute("SELECT pg_catalog.pg_reload_conf()")
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:  # a new session knows when the server has read its files
        with connect(home, port, "postgres") as connection:
            if connection.execute("SELECT pg_catalog.pg_conf_load_time()").fetchone() != (read_before,):
                return
        time.sleep(0.01)
    unread = f"the server has not read {home.config_file} within {PATIENCE:g} seconds: nobody is let in by TCP yet"
    raise PrivateServerError(unread, f"{home.log} may say why; then run 'madtree up' again.")


def ensure_database(home: Home, port: int) -> None:
    """Create the database if it is missing, with madtree's schema on its search path."""
    with connect(home, port, "postgres", autocommit=True) as connection:
        if connection.execute(DATABASE_EXISTS, [DATABASE]).fetchone():
            return
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
        connection.execute(
            sql.SQL('ALTER DATABASE {} SET search_path = "$user", public, madtree').format(sql.Identifier(DATABASE))
        )


def ensure_extension(home: Home, port: int, changed: bool) -> None:
    """Create the extension, or bring it to this version; see that its Python half can be loaded.

    Where its SQL has `changed` and no upgrade leads there, it is made anew. It holds no data: models are ordinary
    tables that do not depend on it.
    """
    with connect(home, port) as connection:
        exists = connection.execute(EXTENSION_EXISTS).fetchone()
        if connection.execute(UPGRADE).fetchone():
            connection.execute("ALTER EXTENSION madtree UPDATE")
        elif exists and changed:
            try:
                connection.execute("DROP EXTENSION madtree")
            except psycopg.errors.DependentObjectsStillExist as error:
                raise PrivateServerError(
                    "madtree's functions have changed, but objects of yours depend on the old ones:\n"
                    f"{error.diag.message_detail}\nDrop these, then run 'madtree up' again."
                ) from error
        connection.execute("CREATE EXTENSION IF NOT EXISTS madtree CASCADE")
        check = expand("@load@", home.python)
        try:
            connection.execute(sql.SQL("DO LANGUAGE plpython3u {}").format(sql.Literal(check)))
        except psycopg.Error as error:
            words = [error.diag.message_primary, error.diag.message_detail, error.diag.message_hint]
            raise PrivateServerError("\n".join(word for word in words if word) or str(error)) from error
