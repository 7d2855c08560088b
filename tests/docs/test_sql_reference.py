"""The reference of the SQL functions is the catalogue's, and the catalogue tells all that a user needs."""

from __future__ import annotations

import os
import re

import psycopg
from pages import DOCS
from sitegen.sqlreference import functions, page

PAGE = DOCS / "reference" / "sql.md"
UNCOMMENTED = """
SELECT o.object::text FROM (
    SELECT p.oid::regprocedure::text, obj_description(p.oid, 'pg_proc') FROM pg_proc p
    WHERE p.pronamespace = ANY (ARRAY['madtree', 'madtree_internal']::regnamespace[])
    UNION ALL
    SELECT c.oid::regclass::text, obj_description(c.oid, 'pg_class') FROM pg_class c
    WHERE c.relnamespace = 'madtree'::regnamespace AND c.relkind = 'v'
    UNION ALL
    SELECT c.relname || '.' || a.attname, col_description(a.attrelid, a.attnum)
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    WHERE c.relnamespace = 'madtree'::regnamespace AND c.relkind = 'v'
) AS o (object, comment) WHERE o.comment IS NULL
"""

# All that a schema shows: functions and aggregates, tables and views, and types but those that come with a table or are
# another type's array.
VISIBLE = """
SELECT p.proname::text FROM pg_proc p WHERE p.pronamespace = 'madtree'::regnamespace
UNION SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'madtree'::regnamespace AND c.relkind <> 'c'
UNION SELECT t.typname::text FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
WHERE t.typnamespace = 'madtree'::regnamespace AND coalesce(c.relkind = 'c', true) AND t.typcategory <> 'A'
UNION SELECT o.oprname::text FROM pg_operator o WHERE o.oprnamespace = 'madtree'::regnamespace
"""
# By the comment, what users are not to call: its schema.
INTERNAL_COMMENTS = """
SELECT DISTINCT split_part(pg_describe_object(d.classoid, d.objoid, 0), ' ', 1), i.schema
FROM pg_description d, pg_identify_object(d.classoid, d.objoid, 0) AS i
WHERE d.description LIKE 'internal:%' AND i.type <> 'cast'
"""


def test_the_schema_madtree_shows_exactly_what_the_readme_and_the_reference_list(db: psycopg.Connection) -> None:
    visible = {name for (name,) in db.execute(VISIBLE).fetchall()}
    readme = (DOCS.parent / "README.md").read_text()
    listed = {*re.findall(r"^\| `(\w+)\(", readme, re.MULTILINE), *re.findall(r"\* FROM madtree\.(\w+)", readme)}
    assert visible == listed
    assert visible == set(re.findall(r"^## (\w+)$", PAGE.read_text(), re.MULTILINE))


def test_what_is_internal_is_in_a_schema_of_its_own(db: psycopg.Connection) -> None:
    homes = set(db.execute(INTERNAL_COMMENTS).fetchall())
    assert homes == {("schema", None), ("function", "madtree_internal"), ("type", "madtree_internal")}


def test_the_page_is_what_the_installed_extension_says(db: psycopg.Connection) -> None:
    fresh = page(db)
    if os.environ.get("MADTREE_UPDATE_DOCS"):
        PAGE.write_text(fresh)
    assert PAGE.read_text() == fresh


def test_the_page_begins_with_training() -> None:
    assert re.findall(r"^## (\w+)$", PAGE.read_text(), re.MULTILINE)[:2] == ["tree_train", "tree_predict"]


def test_every_function_view_and_column_has_a_comment(db: psycopg.Connection) -> None:
    """Internal functions, too: their comments say that they are."""
    assert db.execute(UNCOMMENTED).fetchall() == []


def test_the_help_names_every_argument_and_every_column_of_the_result(db: psycopg.Connection) -> None:
    for function in functions(db):
        assert {name for name, _, _ in function.arguments} <= set(function.explained())
        columns = re.findall(r"(?:TABLE\(|, )(\w+) ", function.result)
        for word in (*(name for name, _, _ in function.arguments), *columns):
            assert re.search(rf"\b{word}\b", function.help), f"the help of {function.name} does not name {word}"


def test_the_comment_leads_to_the_help(db: psycopg.Connection) -> None:
    for function in functions(db):
        shows_how = function.comment.endswith(f"; SELECT madtree.{function.name}() shows how to use it")
        assert shows_how == bool(function.arguments)
