"""Where temporary files go, as PostgreSQL's own do: to its temporary tablespaces, and within temp_file_limit."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from weakref import WeakKeyDictionary

from madtree.errors import MadtreeError
from madtree.host.protocol import Host
from madtree.records import dataclass
from madtree.sqltext import sessions as sql

_DEFAULT = "base/pgsql_tmp"


@dataclass(frozen=True)
class TemporaryPlace:
    """Where temporary files go.

    Attributes:
        directory: seen from the server's data directory, where its processes work; None for the system's own place,
            where this code runs outside a server.
        limit: bytes that a process may keep there, None for any number.
    """

    directory: str | None
    limit: int | None

    @classmethod
    def of(cls, host: Host) -> TemporaryPlace:
        """As the session's settings say; the directory is made where it is missing."""
        if not host.in_server:
            return cls(None, None)
        row = host.query(sql.TEMPORARY_PLACE)[0]
        limit = None if int(row["limit_bytes"]) < 0 else int(row["limit_bytes"])
        directory = _DEFAULT
        places = [int(oid) for oid in row["tablespaces"] or []]
        # PostgreSQL begins with any of them, too.
        if places and (oid := secrets.choice(places)):
            found = sorted(Path(f"pg_tblspc/{oid}").glob(f"PG_{row['major']}_*"))
            directory = f"{found[-1]}/pgsql_tmp" if found else _DEFAULT
        mode = os.stat("base").st_mode & 0o770
        Path(directory).mkdir(mode=mode, exist_ok=True)
        return cls(directory, limit)

    @property
    def cure(self) -> str:
        """What to do where the disk is full."""
        where = "TMPDIR says" if self.directory is None else "temp_tablespaces says, or else in base/pgsql_tmp"
        setting = "TMPDIR" if self.directory is None else "temp_tablespaces"
        return (
            f"Make room on the disk where {where}; set {setting} to a place on another one; or raise memory_mb: less "
            "goes to files then."
        )

    def check(self, n_bytes: int, holder: object) -> None:
        """Count `n_bytes` as what `holder` keeps in files now, until it is gone.

        Raises:
            MadtreeError: all that this process keeps in files of ours would exceed temp_file_limit.
        """
        self.require(n_bytes, holder)
        _kept[holder] = n_bytes

    def require(self, n_bytes: int, holder: object = None) -> None:
        """Raises MadtreeError where `check` would."""
        if self.limit is None:
            return
        if n_bytes + sum(size for other, size in _kept.items() if other is not holder) > self.limit:
            raise MadtreeError(
                f"temporary file size exceeds temp_file_limit ({self.limit // 1024}kB)",
                hint="Raise temp_file_limit, or memory_mb: what fits into memory needs no file.",
                sqlstate="53400",
            )


# Bytes that each holder of temporary files of this process keeps in them.
_kept: WeakKeyDictionary[object, int] = WeakKeyDictionary()
