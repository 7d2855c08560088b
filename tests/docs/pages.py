"""Worked examples in documentation pages: run their SQL, and compare what it prints with what the page shows.

A block of SQL (```sql) may be followed by a block of output (```text), which is what psql prints for it. Lines of SQL
that only set the scene stand in blocks without output. Seconds differ from run to run and count as equal.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
_BLOCKS = re.compile(r"```sql\n(?P<sql>.*?)```\n(?:\n```text\n(?P<output>.*?)```\n)?", re.DOTALL)
_SECONDS = re.compile(r"\d+\.\d+ s\b")


@dataclass(frozen=True)
class Example:
    """One block of SQL and the output shown for it, None where the page shows none."""

    sql: str
    output: str | None


def examples(page: str) -> list[Example]:
    """The examples of a page, in order; they build on each other."""
    return [Example(match["sql"], match["output"]) for match in _BLOCKS.finditer(page)]


def run(dsn: str, schema: str, blocks: list[Example]) -> list[str]:
    """What psql prints for each block, all in one session whose objects are made in `schema`."""
    mark = "-- end of example"
    script = [f"SET search_path = {schema}, public, madtree;", "SET client_min_messages = warning;"]
    for block in blocks:
        script += [block.sql.rstrip("\n"), f"\\echo '{mark}'"]
    done = subprocess.run(
        ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-P", "pager=off", dsn],
        input="\n".join(script),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise AssertionError(f"an example fails: {done.stderr}")
    return [_trimmed(part) for part in done.stdout.split(f"{mark}\n")[:-1]]


def same(shown: str, printed: str) -> bool:
    """Whether two outputs are equal, seconds aside."""
    return _SECONDS.sub("", _trimmed(shown)) == _SECONDS.sub("", _trimmed(printed))


def updated(page: str, outputs: list[str]) -> str:
    """The page with fresh outputs in the place of those it shows."""
    fresh = iter(outputs)

    def replaced(match: re.Match[str]) -> str:
        output = next(fresh)
        if match["output"] is None:
            return match[0]
        return f"```sql\n{match['sql']}```\n\n```text\n{output}```\n"

    return _BLOCKS.sub(replaced, page)


def _trimmed(output: str) -> str:
    lines = [line.rstrip() for line in output.strip("\n").split("\n")]
    return "\n".join(lines) + "\n"
