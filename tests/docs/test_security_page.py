"""The table of what each function may run names all that a user can call."""

from __future__ import annotations

import psycopg
from pages import DOCS

VISIBLE = """
SELECT p.proname::text FROM pg_proc p WHERE p.pronamespace = 'madtree'::regnamespace
UNION SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'madtree'::regnamespace AND c.relkind IN ('r', 'v')
"""


def test_the_table_names_each_function_and_view(db: psycopg.Connection) -> None:
    page = (DOCS / "security.md").read_text()
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = {name.strip(" `").removeprefix("madtree.") for row in rows for name in row.split(",")}
    assert {name for (name,) in db.execute(VISIBLE)} <= named
