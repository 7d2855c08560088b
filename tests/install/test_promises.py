"""What docs/upgrade.md promises: names that a major version has stay in all its minor versions.

``tests/data/promised.json`` has them as they were. New ones may come at any time; at a release,
``MADTREE_UPDATE_DOCS=1 pytest tests/install/test_promises.py`` adds them. Before 1.0 that also takes names away; after
it only a major version may.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import psycopg
import pytest

import madtree

FILE = Path(__file__).parents[1] / "data" / "promised.json"
# Each form of each function.
FUNCTIONS = """
SELECT p.proname,
    ARRAY(SELECT a.name || ' ' || format_type(a.type, NULL)
          FROM unnest(p.proargnames[:p.pronargs], p.proargtypes::oid[]) WITH ORDINALITY AS a(name, type, place)
          ORDER BY a.place),
    pg_get_function_result(p.oid)
FROM pg_proc AS p WHERE p.pronamespace = 'madtree'::regnamespace ORDER BY 1, 2
"""
VIEWS = """
SELECT c.relname, array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) ORDER BY a.attnum)
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relnamespace = 'madtree'::regnamespace AND c.relkind = 'v' GROUP BY c.relname
"""


def as_it_is(db: psycopg.Connection) -> dict[str, Any]:
    functions: dict[str, list[dict[str, Any]]] = {}
    for name, arguments, result in db.execute(FUNCTIONS).fetchall():
        functions.setdefault(name, []).append({"arguments": arguments, "result": result})
    return {
        "functions": functions,
        "views": dict(db.execute(VIEWS).fetchall()),
        "python": sorted(madtree.__all__),
    }


def begins_with(now: list[str], then: list[str]) -> bool:
    return now[: len(then)] == then


def broken(then: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What was promised and is not so any more."""
    found = [f"Python: {name}" for name in then["python"] if name not in now["python"]]
    for name, columns in then["views"].items():
        if not begins_with(now["views"].get(name, []), columns):
            found.append(f"view {name}")
    for name, forms in then["functions"].items():
        for was in forms:
            alike = [
                form for form in now["functions"].get(name, []) if begins_with(form["arguments"], was["arguments"])
            ]
            if not alike:
                found.append(f"arguments of {name}")
            elif not any(form["result"].startswith(was["result"].removesuffix(")")) for form in alike):
                found.append(f"result of {name}")
    return found


def test_what_was_promised_is_still_so(db: psycopg.Connection) -> None:
    now = as_it_is(db)
    if os.environ.get("MADTREE_UPDATE_DOCS"):
        FILE.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n")
    assert broken(json.loads(FILE.read_text()), now) == []


@pytest.mark.parametrize(
    ("now", "found"),
    [
        ({"arguments": ["a text", "b text"], "result": "TABLE(x text, y text)"}, []),
        ({"arguments": ["b text", "a text"], "result": "TABLE(x text)"}, ["arguments of f"]),
        ({"arguments": ["a text"], "result": "TABLE(y text)"}, ["result of f"]),
        ({"arguments": [], "result": "TABLE(x text)"}, ["arguments of f"]),
    ],
)
def test_more_may_come_and_nothing_may_go(now: dict[str, Any], found: list[str]) -> None:
    then = {"arguments": ["a text"], "result": "TABLE(x text)"}
    rest: dict[str, Any] = {"views": {}, "python": []}
    assert broken({"functions": {"f": [then]}, **rest}, {"functions": {"f": [now]}, **rest}) == found


def test_the_page_names_the_views(db: psycopg.Connection) -> None:
    page = (FILE.parents[2] / "docs" / "upgrade.md").read_text()
    for view, _ in db.execute(VIEWS):
        assert f"`madtree.{view}`" in page
