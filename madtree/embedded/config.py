"""The private server's settings, and who may connect to it."""

from __future__ import annotations

import os
import re
import socket
import stat
from collections.abc import Mapping

from madtree.embedded.home import Home

FIRST_PORT = 5433  # the one after PostgreSQL's own

HBA = """\
# Written by madtree. The socket is in a directory that only the server's owner (and root) can enter, so whoever
# reaches it is let in. Everybody on this machine can reach the loopback address: there the password is asked for.
local all all                trust
"""
LOOPBACK = "host  all all 127.0.0.1/32   scram-sha-256\n"
# What initdb is told to write into the data directory's own pg_hba.conf, which we never use. Who starts the directory
# by hand gets a server that lets in nobody but its own account, and over TCP nobody without the password.
BY_HAND = ("--auth-local=peer", "--auth-host=scram-sha-256")
# The lines that initdb wrote there for older versions of madtree, up to their last word.
_INITDB_LINE = re.compile(
    r"^(?P<line>(?:(?P<local>local)|host)[ \t]+(?:all|replication)[ \t]+all[ \t]+"
    r"(?(local)|(?:127\.0\.0\.1/32|::1/128)[ \t]+))trust[ \t]*$",
    re.MULTILINE,
)


def close_by_hand(home: Home, uid: int) -> None:
    """Put what `BY_HAND` says into the data directory of an older version of madtree; lines of a user's own stay.

    Root writes into a directory of another account here, `uid`: so only into a plain file that is that account's.
    """
    try:
        descriptor = os.open(home.data / "pg_hba.conf", os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # there is none, or it is a link
        return
    with open(descriptor, "r+", encoding="utf-8", errors="surrogateescape") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != uid:
            return
        before = file.read()
        after = _INITDB_LINE.sub(lambda m: m["line"] + ("peer" if m["local"] else "scram-sha-256"), before)
        if after != before:
            file.seek(0)
            file.write(after)
            file.truncate()


def settings(home: Home, port: int) -> dict[str, str]:
    """For one analyst on one machine: room for large sorts, all cores, no WAL for new tables, no JIT."""
    cores = os.cpu_count() or 2
    megabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    return {
        "listen_addresses": "127.0.0.1",
        "port": str(port),
        "unix_socket_directories": str(home.socket_directory),
        "unix_socket_permissions": "0700",
        "hba_file": str(home.hba_file),
        "password_encryption": "scram-sha-256",
        "cluster_name": "madtree",
        "shared_buffers": f"{min(512, max(64, megabytes // 16))}MB",
        "effective_cache_size": f"{megabytes // 2}MB",
        "work_mem": f"{min(64, max(8, megabytes // 256))}MB",
        "maintenance_work_mem": f"{min(256, max(64, megabytes // 32))}MB",
        "max_worker_processes": str(cores + 4),
        "max_parallel_workers": str(cores),
        "max_parallel_workers_per_gather": str(max(2, cores // 2)),
        "random_page_cost": "1.1",
        "jit": "off",
        "wal_level": "minimal",
        "max_wal_senders": "0",
        "max_wal_size": "4GB",
    }


def write_config(home: Home, port: int, overrides: Mapping[str, str]) -> None:
    """Write both files anew. What ``initdb`` chose (time zone, locale) comes first, a user's own file comes last.

    Nobody is let in over the loopback address until `open_loopback`.
    """

    def quoted(value: object) -> str:
        return "'" + str(value).replace("\\", "\\\\").replace("'", "''") + "'"

    lines = [
        "# Written by madtree at every start. Your own settings belong into user.conf beside this file.",
        f"include {quoted(home.data / 'postgresql.conf')}",
        *(f"{name} = {quoted(value)}" for name, value in {**settings(home, port), **overrides}.items()),
        "include_if_exists 'user.conf'",
    ]
    for path, text in ((home.config_file, "\n".join(lines) + "\n"), (home.hba_file, HBA)):
        path.write_text(text, encoding="utf-8")
        path.chmod(0o644)


def is_loopback_open(home: Home) -> bool:
    return LOOPBACK in home.hba_file.read_text(encoding="utf-8")


def open_loopback(home: Home) -> None:
    """Let in over the loopback address who knows the password, once the server has read this."""
    home.hba_file.write_text(HBA + LOOPBACK, encoding="utf-8")


def port_is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port(start: int = FIRST_PORT) -> int:
    """The first port from `start` on that nothing listens on."""
    return next(port for port in range(start, 65536) if port_is_free(port))
