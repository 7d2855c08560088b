"""The command in processes of its own that have loaded their modules already: forked from one that does nothing else.

Loading takes longer than most commands. What depends on how a process starts is tested with one that is started.
"""

from __future__ import annotations

import fcntl
import gc
import io
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from typing import IO

_LONGEST = 1 << 20  # bytes of a request: words and environment


class ForkServer:
    """Starts commands and waits for them, one request after the other, and ends with the process that made it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """`environment` is what modules see that look when they are loaded."""
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (self._ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LONGEST)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                env=environment,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        self._lock = threading.Lock()

    def run(self, words: Sequence[str], environment: Mapping[str, str], seconds: float) -> tuple[int, str, str]:
        """The exit code of the command, and what it wrote to standard output and to standard error.

        Raises:
            TimeoutError: it has not ended by then. Later commands cannot be run.
        """
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, open(os.devnull) as nothing:
            pid = self.start(words, environment, [nothing.fileno(), out.fileno(), err.fileno()], seconds)
            code = self.wait(pid, seconds)
            return code, _text(out), _text(err)

    def start(
        self, words: Sequence[str], environment: Mapping[str, str], streams: Sequence[int], seconds: float
    ) -> int:
        """Start the command with these three streams; its process id. A terminal among them becomes its own."""
        with self._lock:
            request = json.dumps(["start", list(words), dict(environment)]).encode()
            socket.send_fds(self._ours, [request], list(streams))
            self._ours.settimeout(seconds)
            return int(self._ours.recv(_LONGEST))

    def wait(self, pid: int, seconds: float) -> int:
        """The exit code of a command; of one that a signal ended, the negative signal.

        Raises:
            TimeoutError: as `run`.
        """
        with self._lock:
            self._ours.settimeout(seconds)
            self._ours.send(json.dumps(["wait", pid]).encode())
            return int(self._ours.recv(_LONGEST))

    def close(self) -> None:
        self._ours.close()
        self._process.wait()


# The command as a program for shells: it hands its words, environment, directory and streams to a server of commands.
_PROGRAM = """\
#!{python} -SsE
import json, os, socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
    server.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, {longest})
    server.connect({path!r})
    socket.send_fds(server, [json.dumps([sys.argv[1:], dict(os.environ), os.getcwd()]).encode()], [0, 1, 2])
    code = int(server.recv(100))
sys.exit(code if code >= 0 else 128 - code)
"""


@contextmanager
def program(directory: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """A program `madtree` in a directory, whose commands need not load their modules.

    Args:
        environment: what modules see that look when they are loaded.
    """
    path, listening = directory / "madtree", str(directory / "commands")
    path.write_text(_PROGRAM.format(python=sys.executable, longest=_LONGEST, path=listening))
    path.chmod(0o755)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(listening)
        listener.listen()
        server = subprocess.Popen(
            [sys.executable, __file__, str(listener.fileno())], env=environment, pass_fds=[listener.fileno()]
        )
        try:
            yield path
        finally:
            server.terminate()
            server.wait()


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n")


def _serve(ours: socket.socket) -> None:
    main = _loaded()
    while True:
        request, streams, _, _ = socket.recv_fds(ours, _LONGEST, 3)
        if not request:
            return
        kind, *values = json.loads(request)
        if kind == "wait":
            ours.send(str(os.waitstatus_to_exitcode(os.waitpid(values[0], 0)[1])).encode())
            continue
        pid = os.fork()
        if pid == 0:
            ours.close()
            _become(streams, *values)
            main()
            sys.exit(0)  # with all that the end of a process does
        for stream in streams:
            os.close(stream)
        ours.send(str(pid).encode())


def _serve_programs(listener: socket.socket) -> None:
    """One process for each program that asks: it starts the command, and waits for it."""
    main = _loaded()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how these have ended
    while True:
        asking, _ = listener.accept()
        if os.fork() > 0:
            asking.close()
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        request, streams, _, _ = socket.recv_fds(asking, _LONGEST, 3)
        words, environment, directory = json.loads(request)
        pid = os.fork()
        if pid == 0:
            for connection in (listener, asking):
                connection.close()
            os.chdir(directory)
            _become(streams, words, environment)
            main()
            sys.exit(0)  # with all that the end of a process does
        for stream in streams:
            os.close(stream)
        asking.send(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())
        os._exit(0)


def _loaded() -> Callable[[], None]:
    """The command, with all modules that it needs, and its parser made once: Typer makes that anew for each command."""
    import typer.main

    from madtree.cli import main

    typer.main.get_command = cache(typer.main.get_command)

    for words in (["--help"], ["models", "--help"], ["models", "--dsn", "host=/nonexistent"]):
        sys.argv = ["madtree", *words]  # some modules are loaded by the first command that needs them
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), suppress(SystemExit):
            main()
    gc.freeze()  # else a command's end would walk, and so copy, all that is shared with this process
    return main


def _become(streams: Sequence[int], words: Sequence[str], environment: Mapping[str, str]) -> None:
    """Make this process what it would be, had it been started with these words, streams and environment."""
    os.setsid()
    # As an interpreter has them that starts with `processes.heed_signals`.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    # As an interpreter opens them: by lines for a terminal.
    encoding = sys.stdout.encoding
    sys.stdin = os.fdopen(0, encoding=encoding, closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding=encoding, closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding=encoding, errors="backslashreplace", closefd=False)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["madtree", *words]


if __name__ == "__main__":
    given = socket.socket(fileno=int(sys.argv[1]))
    (_serve_programs if given.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) else _serve)(given)
