"""The README's SQL runs and prints what the page shows, and its table of functions is complete."""

from __future__ import annotations

import os
import re
from pathlib import Path

import psycopg
import pytest
from pages import DOCS, Example, examples, run, same, updated

PAGE = DOCS.parent / "README.md"
README = PAGE.read_text()


# The first screen's statements, then those for a server of one's own, and what the shell and Python do.
FIRST, *FURTHER = examples(README)


@pytest.mark.usefixtures("flights")
def test_the_first_screen_prints_and_draws_what_it_shows(dsn: str, schema_name: str, tmp_path: Path) -> None:
    """After a change that is meant, `MADTREE_UPDATE_DOCS=1 pytest tests/docs` writes it into the page."""
    drawing = re.search(r"`(madtree show \S+ --svg)`.*?\((docs/pictures/\S+\.svg)\)", README, re.DOTALL)
    assert drawing
    picture = PAGE.parent / drawing[2]
    printed, drawn = run(dsn, schema_name, [FIRST, Example("shell", f"{drawing[1]}\n", None)], tmp_path)
    if os.environ.get("MADTREE_UPDATE_DOCS"):
        PAGE.write_text(updated(README, [printed, *("" for _ in examples(README)[1:])]))
        picture.write_text(drawn)
        return
    assert FIRST.output is not None
    assert same(FIRST.output, printed), printed
    assert same(picture.read_text(), drawn), f"{drawing[2]} shows another tree"


@pytest.mark.usefixtures("flights")
def test_its_examples_work_literally_after_the_demo(dsn: str, schema_name: str, tmp_path: Path) -> None:
    assert [example.language for example in FURTHER] == ["sql", "sql", "shell", "python"]
    of_one, of_carriers, of_shell, _ = run(dsn, schema_name, FURTHER, tmp_path)
    assert "(0)[" in of_one
    assert "leaves below" in of_one
    assert "rmse" in of_carriers
    assert "accuracy" in of_shell


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
