"""Running the command as a person or a script does: the installed console script, with or without a terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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
    )


def run(*words: str, **changes: str) -> Said:
    """The command with pipes, to its end; further arguments are environment variables."""
    command = start(*words, **changes)
    out, err = command.communicate(timeout=120)
    assert "Traceback" not in out + err, err
    return Said(command.returncode, out, err)


def run_in_terminal(*words: str, **changes: str) -> Said:
    """The command in a terminal of 100 columns, to its end."""
    process, terminal = pty.fork()
    if process == 0:
        os.execvpe(SCRIPT[0], [*SCRIPT, *words], environment({"COLUMNS": "100", **changes}))
    said, deadline = b"", time.monotonic() + 120
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                piece = os.read(terminal, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            said += piece
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    return Said(os.waitstatus_to_exitcode(status), said.decode())
