"""What a test session that was killed leaves behind: its servers and its directory, cleared away by the next session.

Each session holds a lock on a file in its directory. The system lets go of it however the session ends, so a directory
whose lock is free belongs to nobody.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

from madtree.embedded import PrivateServer
from madtree.errors import MadtreeError

PREFIX = "madtree-test-"
_LOCK = "session.lock"
# Linux's file system in memory. Tests make and drop so many tables that making their files on a disk takes a quarter of
# the servers' processor time.
_IN_MEMORY = Path("/dev/shm")
_ROOM = 4 << 30  # bytes: what a session's servers take, some 2 GB, and as much again


def usual_parent() -> Path:
    """Where the directories of sessions are: in memory, where there is plenty and programs can be started there;
    else in the system's place for temporary files.
    """
    with contextlib.suppress(OSError):
        found = os.statvfs(_IN_MEMORY)
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        has_room = min(found.f_bavail * found.f_frsize, memory // 2) >= _ROOM
        if has_room and not found.f_flag & (os.ST_NOEXEC | os.ST_RDONLY) and os.access(_IN_MEMORY, os.W_OK | os.X_OK):
            return _IN_MEMORY
    return Path(tempfile.gettempdir())


def begin_session(parent: Path | None = None) -> Path:
    """A new directory for a session's servers, in the usual place if not in `parent`.

    All users may enter it, as the account that root's servers have must reach them.
    """
    home = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent or usual_parent()))
    home.chmod(0o755)
    descriptor = os.open(home / "new", os.O_RDWR | os.O_CREAT, 0o600)  # open until this process ends
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    (home / "new").rename(home / _LOCK)  # nobody finds it unlocked
    return home


def end_session(home: Path) -> None:
    """Stop all servers below the directory of a session, and remove it."""
    for state in [*home.glob("*/madtree.json"), *home.glob("*/*/madtree.json")]:
        with contextlib.suppress(MadtreeError, OSError):
            PrivateServer(state.parent).down()
    shutil.rmtree(home, ignore_errors=True)


def clear_leftovers(parent: Path | None = None) -> list[Path]:
    """End the sessions of this user that were killed; their directories."""
    cleared = []
    parents = [parent] if parent else [_IN_MEMORY, Path(tempfile.gettempdir())]
    for lock in (found for place in parents for found in place.glob(f"{PREFIX}*/{_LOCK}")):
        with contextlib.suppress(OSError):  # it lives, has just ended, or is somebody else's
            if lock.stat().st_uid != os.geteuid():
                continue
            descriptor = os.open(lock, os.O_RDWR)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                end_session(lock.parent)
                cleared.append(lock.parent)
            finally:
                os.close(descriptor)
    return cleared
