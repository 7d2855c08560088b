"""The worked examples of the documentation print what the pages show.

After a change that is meant, `MADTREE_UPDATE_DOCS=1 pytest tests/docs` writes what they print now into the pages.
"""

from __future__ import annotations

import os

import psycopg
import pytest
from pages import DOCS, examples, run, same, updated

PAGES = sorted(path.name for path in DOCS.glob("*.md") if "```sql" in path.read_text())


@pytest.mark.parametrize("name", PAGES)
def test_examples_print_what_the_page_shows(db: psycopg.Connection, dsn: str, name: str) -> None:
    page = (DOCS / name).read_text()
    blocks = examples(page)
    schema = db.execute("SELECT quote_ident(current_schema())").fetchone()
    assert schema
    outputs = run(dsn, schema[0], blocks)
    if os.environ.get("MADTREE_UPDATE_DOCS"):
        (DOCS / name).write_text(updated(page, outputs))
        return
    for block, printed in zip(blocks, outputs, strict=True):
        if block.output is not None:
            assert same(block.output, printed), f"{name}: {block.sql}\nprints\n{printed}"


def test_every_page_with_examples_is_found() -> None:
    assert {"missing-values.md", "pruning.md"} <= set(PAGES)
