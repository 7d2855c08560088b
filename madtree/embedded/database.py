"""The database of a private server: created once, its extension kept at the version of this package."""

from __future__ import annotations

import secrets
from urllib.parse import quote

import psycopg
from psycopg import sql

from madtree.embedded.home import Home
from madtree.embedded.osuser import PrivateServerError
from madtree.install.script import expand

DATABASE = "madtree"
SUPERUSER = "postgres"
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


def ensure_password(home: Home, port: int) -> None:
    """Give the superuser a random password for TCP, kept in a file that only our user can read."""
    if home.passfile.exists():
        return
    password = secrets.token_urlsafe(24)
    with psycopg.connect(socket_uri(home, port, "postgres"), autocommit=True) as connection:
        # The verifier is made here, so that the password itself can appear in no log.
        verifier = connection.pgconn.encrypt_password(password.encode(), SUPERUSER.encode(), b"scram-sha-256")
        connection.execute(
            sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(SUPERUSER), sql.Literal(verifier.decode()))
        )
    home.passfile.touch(mode=0o600)
    home.passfile.write_text(f"127.0.0.1:*:*:{SUPERUSER}:{password}\n", encoding="utf-8")


def ensure_database(home: Home, port: int) -> None:
    """Create the database if it is missing, with madtree's schema on its search path."""
    with psycopg.connect(socket_uri(home, port, "postgres"), autocommit=True) as connection:
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
    with psycopg.connect(socket_uri(home, port)) as connection:
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
