"""Running the command as a person or a script does: the installed console script, with or without a terminal."""

from __future__ import annotations

import atexit
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from forks import ForkServer
from processes import heed_signals
from waiting import PATIENCE

from madtree.cli.connection import NAMING

SCRIPT = [str(Path(sys.executable).with_name("madtree"))]
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|9[0-7])[\d;]*m")


@dataclass(frozen=True)
class Said:
    """What a finished command left: of a terminal, both streams are in `out`."""

    code: int
    out: str
    err: str = ""


def environment(changes: Mapping[str, str]) -> dict[str, str]:
    """This process's, without what names a server or changes colours."""
    unwanted = {*NAMING, "PGPASSWORD", "NO_COLOR", "FORCE_COLOR", "MADTREE_HOME", "COLUMNS", "PGAPPNAME"}
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    return {**kept, "MADTREE_HOME": "/nonexistent/madtree", "TERM": "xterm-256color", **changes}


def start(*words: str, **changes: str) -> subprocess.Popen[str]:
    """The command with pipes, running."""
    return subprocess.Popen(
        [*SCRIPT, *words],
        env=environment(changes),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_signals,
    )


# What modules read whenever they need it, and not while they are loaded.
_READ_LATE = ("PG", "MADTREE", "COLUMNS", "NO_COLOR", "TERM", "_MADTREE_COMPLETE", "COMP_")


@cache
def _fork_server() -> ForkServer:
    server = ForkServer(environment({}))
    atexit.register(server.close)
    return server


def run(*words: str, **changes: str) -> Said:
    """The command without a terminal, to its end; further arguments are environment variables."""
    if all(name.startswith(_READ_LATE) for name in changes):
        code, out, err = _fork_server().run(words, environment(changes), PATIENCE)
    else:  # an interpreter may look at them when it starts
        command = start(*words, **changes)
        out, err = command.communicate(timeout=PATIENCE)
        code = command.returncode
    assert "Traceback" not in out + err, err
    return Said(code, out, err)


class Terminal:
    """The command in a terminal; `words` are its arguments, `changes` its environment's, `out` its standard output."""

    def __init__(self, *words: str, columns: int = 100, out: Path | None = None, **changes: str) -> None:
        assert all(name.startswith(_READ_LATE) for name in changes)
        self._terminal, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
        written = theirs if out is None else os.open(out, os.O_WRONLY | os.O_CREAT)
        try:
            streams = [theirs, written, theirs]
            self.pid = _fork_server().start(words, environment(changes), streams, PATIENCE)
        finally:
            for stream in {theirs, written}:
                os.close(stream)
        self._said = b""

    @property
    def said(self) -> str:
        """All that was written so far."""
        return self._said.decode(errors="replace")

    @property
    def plain(self) -> str:
        """All that was written so far, without colours and movements."""
        return ANSI.sub("", self.said)

    def wait_for(self, pattern: str, seconds: float = PATIENCE) -> None:
        """Until what was written matches `pattern`."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.plain):
            assert time.monotonic() < deadline, f"no {pattern!r} in {self.plain!r}"
            assert self._read(), f"ended without {pattern!r}: {self.plain!r}"

    def press(self, key: str) -> None:
        """A key; "\\x03" is Ctrl-C."""
        os.write(self._terminal, key.encode())

    def close(self) -> None:
        """As a person closes the window."""
        os.close(self._terminal)

    def end(self, seconds: float = PATIENCE) -> Said:
        """Wait for the end of the command."""
        deadline = time.monotonic() + seconds
        while self._read():
            assert time.monotonic() < deadline, f"does not end: {self.plain!r}"
        self.close()
        assert "Traceback" not in self.said, self.plain
        return Said(self.exit_code(), self.said)

    def exit_code(self) -> int:
        """The code with which the command ended; of one that a signal ended, the negative signal."""
        return _fork_server().wait(self.pid, PATIENCE)

    def _read(self) -> bool:
        """Take what is there, for a moment; False at the end."""
        if not select.select([self._terminal], [], [], 0.1)[0]:
            return True
        try:
            piece = os.read(self._terminal, 65536)
        except OSError:  # the other end is closed
            return False
        self._said += piece
        return bool(piece)


def run_in_terminal(*words: str, columns: int = 100, **changes: str) -> Said:
    """The command in a terminal, to its end."""
    return Terminal(*words, columns=columns, **changes).end()
