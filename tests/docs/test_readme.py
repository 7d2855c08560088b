"""The README's table of functions is complete. What its examples print is in test_pages.py, where the flights are."""

from __future__ import annotations

import re

import psycopg
import pytest
from pages import DOCS

README = (DOCS.parent / "README.md").read_text()


SIGNATURES = (
    "SELECT DISTINCT ON (p.proname) p.proname, pg_get_function_arguments(p.oid) FROM pg_proc p "
    "WHERE p.pronamespace = 'madtree'::regnamespace AND 'varchar'::regtype <> ALL (p.proargtypes) "
    "ORDER BY p.proname, p.pronargs DESC"
)


def signature(arguments: str) -> list[str]:
    """The names and defaults of PostgreSQL's list of arguments, as the README writes them."""
    if not arguments:
        return [""]
    written = []
    for argument in re.sub(r"TABLE\(.*", "", arguments).split(", "):
        name, _, default = argument.partition(" DEFAULT ")
        value = default.split("::")[0]
        written.append(name.split()[0].strip('"') + (f" => {value}" if value else ""))
    return written


def test_every_public_function_is_listed_with_its_arguments(db: psycopg.Connection) -> None:
    listed = dict(re.findall(r"^\| `(\w+)\((.*?)\)` \|", README, re.MULTILINE))
    further = re.findall(r"^(\w+ => \S+) {2,}", README, re.MULTILINE)  # tree_train's, in a block of their own
    shown = {name: text.replace("...", ", ".join(further)).split(", ") for name, text in listed.items()}

    assert shown == {name: signature(arguments) for name, arguments in db.execute(SIGNATURES).fetchall()}


# Whose result for one argument is no text, and so no help.
NO_TEXT = ("conformal_quantiles", "tree_rules", "tree_cp", "tree_importance", "tree_to_json")
# To which any text is an id.
OF_ROWS = ("holdout",)


def test_the_help_is_there(db: psycopg.Connection) -> None:
    for name, arguments in db.execute(SIGNATURES).fetchall():
        if not arguments:  # to call it is to do it
            continue
        without, asked = f"SELECT madtree.{name}()", f"SELECT madtree.{name}('usage')"
        if name in NO_TEXT:
            assert name in db.execute(without).fetchone()[0]
            with pytest.raises(psycopg.Error, match=rf"SELECT madtree.{name}\(\) shows"):
                db.execute(asked)
            continue
        if name in OF_ROWS:
            assert name in db.execute(without).fetchone()[0]
            continue
        assert db.execute(without).fetchone() == db.execute(asked).fetchone()
