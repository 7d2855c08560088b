"""Worked examples in documentation pages: run their code, and compare what it prints with what the page shows.

A block of ``sql`` (run by psql), ``python`` or ``shell`` (run by bash) may be followed by a block of ``text``, which is
what it prints. Blocks that only set the scene stand without output. The blocks of a page build on each other: each
language has one session for the whole page, all in the same schema, and Python and the shell reach the database as the
environment says (PGHOST and so on). Seconds differ from run to run and count as equal.

What cannot be run (it would install packages, or needs what a test machine lacks) has a reason in the line before:
``<!-- not run: installs packages -->``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sessions import MARKS, Session, open_session

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = DOCS / "pictures"  # what examples draw into files, under the files' names
RUN = tuple(MARKS)
_BLOCKS = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^\n]+) -->\n)?"
    rf"^```(?P<language>{'|'.join(RUN)})\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)
_FENCES = re.compile(r"^(?P<indent>[ \t]*)(?P<ticks>`{3,}|~{3,})(?P<language>[^\n`]*)$", re.MULTILINE)
_NEEDS = re.compile(r"^<!-- needs: (\w+) -->$", re.MULTILINE)
_SECONDS = re.compile(r"\d+\.\d+ s\b")
_DRAWN_WIDTH = re.compile(r" {2,}|-{2,}")  # what psql fills a table's columns and its line with


@dataclass(frozen=True)
class Example:
    """One block of code and the output shown for it, None where the page shows none.

    Attributes:
        reason: why it cannot be run; None if it can.
    """

    language: str
    code: str
    output: str | None
    reason: str | None = None


def examples(page: str, languages: Iterable[str] = RUN) -> list[Example]:
    """The examples of a page in those languages, in order."""
    wanted = frozenset(languages)
    found = (Example(m["language"], m["code"], m["output"], m["reason"]) for m in _BLOCKS.finditer(page))
    return [example for example in found if example.language in wanted]


def needs(page: str) -> list[str]:
    """What a page says that it needs: ``<!-- needs: flights -->``."""
    return _NEEDS.findall(page)


def fences(page: str) -> list[tuple[str, str]]:
    """Indent and language of each fenced block."""
    opening = [(match["indent"], match["language"].strip()) for match in _FENCES.finditer(page)]
    return opening[::2]


def run(
    dsn: str,
    schema: str,
    blocks: Iterable[Example],
    where: Path,
    more: Mapping[str, str] | None = None,
    sql_dsn: str | None = None,
) -> list[str]:
    """What each block prints; an empty text for one that cannot be run.

    Args:
        schema: where objects are made, as SQL writes it.
        where: directory that Python and the shell work in.
        more: variables of the environment.
        sql_dsn: another way to the database, for psql.

    Raises:
        AssertionError: a block fails.
    """
    sessions: dict[str, Session] = {}
    printed = []
    try:
        for block in blocks:
            if block.reason is not None:
                printed.append("")
                continue
            if block.language not in sessions:
                way = sql_dsn if sql_dsn and block.language == "sql" else dsn
                sessions[block.language] = open_session(block.language, way, schema, where, more or {})
            printed.append(_trimmed(sessions[block.language].run(block.code)))
    finally:
        for session in sessions.values():
            session.close()
    return printed


def follow(name: str, dsn: str, schema: str, where: Path, more: Mapping[str, str], sql_dsn: str | None = None) -> None:
    """Run a page's examples as a reader would, and see that they print and draw what the page shows.

    With MADTREE_UPDATE_DOCS in the environment, write into the page what they print instead.
    """
    page = (DOCS / name).read_text()
    blocks = examples(page)
    outputs = run(dsn, schema, blocks, where, more, sql_dsn)
    drawn = {path.name: path.read_text() for path in where.glob("*.svg")}
    if os.environ.get("MADTREE_UPDATE_DOCS"):
        for picture, text in drawn.items():
            (PICTURES / picture).write_text(text)
        (DOCS / name).write_text(updated(page, outputs))
        return
    for block, printed in zip(blocks, outputs, strict=True):
        if block.output is not None and block.reason is None:
            assert same(block.output, printed), f"{name}: {block.code}\nprints\n{printed}"
    for picture, text in drawn.items():
        assert (PICTURES / picture).read_text() == text, f"{name} draws another {picture}"


def same(shown: str, printed: str) -> bool:
    """Whether two outputs are equal, seconds aside."""
    return _without_seconds(shown) == _without_seconds(printed)


def _without_seconds(output: str) -> str:
    """The output without its seconds; how wide psql draws a table that has some depends on them."""
    tables = _trimmed(output).split("\n\n")
    return "\n\n".join(
        _DRAWN_WIDTH.sub(lambda run: run[0][0], _SECONDS.sub("", table)) if _SECONDS.search(table) else table
        for table in tables
    )


def updated(page: str, outputs: list[str]) -> str:
    """The page with fresh outputs in the place of those it shows, where they differ by more than seconds."""
    fresh = iter(outputs)

    def replaced(match: re.Match[str]) -> str:
        output = next(fresh)
        if match["output"] is None or match["reason"] is not None or same(match["output"], output):
            return match[0]
        return f"```{match['language']}\n{match['code']}```\n\n```text\n{output}```\n"

    return _BLOCKS.sub(replaced, page)


def _trimmed(output: str) -> str:
    lines = [line.rstrip() for line in output.strip("\n").split("\n")]
    return "\n".join(lines) + "\n"
