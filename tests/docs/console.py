"""Shell sessions in documentation pages: run their commands, and compare what they print with what the page shows.

A block of ```console has commands after ``$``, continued after ``>``, each with its output below. What differs from run
to run, or from machine to machine, is written the same way on both sides before they are compared.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

_BLOCK = re.compile(r"(?<=```console\n).*?(?=```\n)", re.DOTALL)
HOME = "/home/ada/.local/share/madtree"
# What counts as equal: seconds, a process's number, a port, a release's number.
_VARYING = (
    (re.compile(r"\d+\.\d+ s\b"), "0.00 s"),
    (re.compile(r'("seconds": )[\d.]+'), r"\g<1>0.0"),
    (re.compile(r"process \d+"), "process 1234"),
    (re.compile(r"(port |port=|PGPORT=|127\.0\.0\.1:)\d{4,5}"), r"\g<1>5433"),
    (re.compile(r"(?<=\s)\d+\.\d+\.\d+(?=\s)"), "1.0.0"),
    (re.compile(r"\b(\d+ s|\d+:\d\d (min|h))$", re.MULTILINE), "1 s"),
    (re.compile(r"PL/Python \d+\.\d+"), "PL/Python 1.0"),
    (re.compile(r"PostgreSQL \d+"), "PostgreSQL 15"),
)


@dataclass(frozen=True)
class Command:
    """A command as the page has it, and the output shown below it."""

    lines: tuple[str, ...]
    output: str

    @property
    def script(self) -> str:
        return "\n".join(line[2:] for line in self.lines)


def commands(block: str) -> list[Command]:
    """The commands of one block."""
    found: list[tuple[list[str], list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(([line], []))
        elif line.startswith("> ") and not found[-1][1]:
            found[-1][0].append(line)
        else:
            found[-1][1].append(line)
    return [Command(tuple(lines), "".join(f"{line}\n" for line in output)) for lines, output in found]


def page_commands(page: str) -> list[Command]:
    """All commands of a page, in order; they build on each other."""
    return [command for block in _BLOCK.findall(page) for command in commands(block)]


def run(command: Command, environment: Mapping[str, str], directory: Path, home: Path) -> str:
    """What a command prints on both streams, with the private server's home under a fixed name."""
    done = subprocess.run(
        ["bash", "-c", command.script],
        env=dict(environment),
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    named = done.stdout.replace(quote(str(home), safe=""), quote(HOME, safe="")).replace(str(home), HOME)
    return "".join(f"{line.rstrip()}\n" for line in named.rstrip().splitlines())


def same(shown: str, printed: str) -> bool:
    """Whether two outputs are equal, but for what varies."""
    for pattern, replacement in _VARYING:
        shown, printed = pattern.sub(replacement, shown), pattern.sub(replacement, printed)
    return shown.rstrip() == printed.rstrip()


def updated(page: str, output: Callable[[Command], str]) -> str:
    """The page with `output` of each command below it; what is as good as the same stays."""

    def told(command: Command) -> str:
        printed = output(command)
        return command.output if same(command.output, printed) else printed

    def fresh(match: re.Match[str]) -> str:
        return "".join("\n".join(c.lines) + "\n" + told(c) for c in commands(match[0]))

    return _BLOCK.sub(fresh, page)
