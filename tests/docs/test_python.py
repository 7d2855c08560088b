"""The Python in docs/python.md runs, in order, and prints what the page shows.

After a change that is meant, `MADTREE_UPDATE_DOCS=1 pytest tests/docs` writes what it prints now into the page.
"""

from __future__ import annotations

import contextlib
import io
import os
import re

import psycopg
import pytest
from pages import DOCS
from psycopg.conninfo import conninfo_to_dict

PAGE = DOCS / "python.md"
_BLOCKS = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<output>.*?)```\n)?", re.DOTALL)
_VARIABLES = {"host": "PGHOST", "port": "PGPORT", "dbname": "PGDATABASE", "user": "PGUSER", "password": "PGPASSWORD"}


@pytest.mark.filterwarnings("ignore")
def test_the_pages_python_prints_what_it_shows(
    dsn: str, db: psycopg.Connection, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in conninfo_to_dict(dsn).items():
        monkeypatch.setenv(_VARIABLES[name], str(value))
    monkeypatch.setenv("PGOPTIONS", f"-c search_path={schema},public,madtree")
    page = PAGE.read_text()
    names: dict[str, object] = {}
    outputs = []
    for block in _BLOCKS.finditer(page):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block["code"], str(PAGE), "exec"), names)
        outputs.append(printed.getvalue())
    names["db"].close()  # type: ignore[attr-defined]
    assert len(outputs) > 8
    if os.environ.get("MADTREE_UPDATE_DOCS"):
        PAGE.write_text(updated(page, outputs))
        return
    for block, output in zip(_BLOCKS.finditer(page), outputs, strict=True):
        assert (block["output"] or "") == output, block["code"]


def updated(page: str, outputs: list[str]) -> str:
    """The page with fresh outputs."""
    fresh = iter(outputs)

    def replaced(block: re.Match[str]) -> str:
        output = next(fresh)
        shown = f"\n```text\n{output}```\n" if output else ""
        return f"```python\n{block['code']}```\n{shown}"

    return _BLOCKS.sub(replaced, page)
