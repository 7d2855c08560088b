"""The command in processes of its own that have loaded their modules already: forked from one that does nothing else.

Loading takes longer than most commands. What depends on how a process starts is tested with one that is started.
"""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from typing import IO

_LONGEST = 1 << 20  # bytes of a request: words and environment


class ForkServer:
    """Runs commands one after the other, and ends with the process that made it."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (self._ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LONGEST)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
            )
        self._lock = threading.Lock()

    def run(self, words: Sequence[str], environment: Mapping[str, str], seconds: float) -> tuple[int, str, str]:
        """The exit code of the command, and what it wrote to standard output and to standard error.

        Raises:
            TimeoutError: it has not ended by then. Later commands cannot be run.
        """
        with self._lock, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            request = json.dumps([list(words), dict(environment)]).encode()
            socket.send_fds(self._ours, [request], [out.fileno(), err.fileno()])
            self._ours.settimeout(seconds)
            code = int(self._ours.recv(_LONGEST))
            return code, _text(out), _text(err)

    def close(self) -> None:
        self._ours.close()
        self._process.wait()


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n")


def _serve(ours: socket.socket) -> None:
    from madtree.cli import main

    sys.argv = ["madtree", "--version"]  # some modules are loaded by the first command
    with redirect_stdout(io.StringIO()), suppress(SystemExit):
        main()
    while True:
        request, files, _, _ = socket.recv_fds(ours, _LONGEST, 2)
        if not request:
            return
        pid = os.fork()
        if pid == 0:
            ours.close()
            words, environment = json.loads(request)
            for number, file in enumerate(files, 1):
                os.dup2(file, number)
                os.close(file)
            os.environ.clear()
            os.environ.update(environment)
            sys.argv = ["madtree", *words]
            main()
            sys.exit(0)  # with all that the end of a process does
        for file in files:
            os.close(file)
        ours.send(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
