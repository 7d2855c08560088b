"""The worked examples of the documentation print what the pages show.

After a change that is meant, `MADTREE_UPDATE_DOCS=1 pytest tests/docs` writes what they print now into the pages.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import psycopg
import pytest
from fix_server import Server
from pages import DOCS, RUN, Example, examples, fences, follow, needs, run, same, updated
from shares import share
from test_console import PAGES as CONSOLE

PAGES = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
WITH_EXAMPLES = [name for name in PAGES if examples((DOCS / name).read_text())]
# Pages that take seconds each: a usual run tries every third, one of each kind of model, and all are tried where pages
# are written anew.
LONG = (
    *("how-to/intervals.md", "how-to/calibrate.md", "tutorial-forests.md", "how-to/cp-table.md", "how-to/groups.md"),
    *("tutorial-boosting.md", "boosting.md", "how-to/settings.md", "how-to/reasons.md"),
)
TRIED = LONG if os.environ.get("MADTREE_UPDATE_DOCS") else share(LONG, 3)
# Tests of their own follow these: test_tutorial.py, test_managed_page.py.
ALONE = [
    name for name in WITH_EXAMPLES if name not in ("tutorial.md", "managed.md") and (name not in LONG or name in TRIED)
]
# Blocks that are read, not run: outputs, the contents of files, and plpgsql for what names servers of the reader's.
READ = ("text", "plpgsql", "yaml", "json", "toml", "ini", "dockerfile", "mermaid", "html", "xml", "diff")


@pytest.mark.parametrize("name", ALONE)
def test_examples_print_what_the_page_shows(
    request: pytest.FixtureRequest,
    server: Server,
    db: psycopg.Connection,
    dsn: str,
    kept_dsn: str,
    tmp_path: Path,
    name: str,
) -> None:
    for fixture in needs((DOCS / name).read_text()):
        request.getfixturevalue(fixture)
    schema = db.execute("SELECT quote_ident(current_schema())").fetchone()
    assert schema
    private = {"MADTREE_HOME": str(server.home)} if server.home else {}
    follow(name, dsn, schema[0], tmp_path, private, kept_dsn)


def test_every_page_with_examples_is_found() -> None:
    assert {"missing-values.md", "pruning.md", "tutorial.md", *LONG} <= set(WITH_EXAMPLES)


@pytest.mark.parametrize("name", PAGES)
def test_every_block_is_run_or_is_no_code(name: str) -> None:
    """Code in a block that nothing runs would grow wrong in silence."""
    page = (DOCS / name).read_text()
    blocks = fences(page)
    sessions = {"console"} if name in CONSOLE else set()  # test_console.py runs these
    assert {language for _, language in blocks} <= {*RUN, *READ, *sessions}
    assert not [language for indent, language in blocks if indent and language in RUN], "indented blocks are not run"
    assert len(examples(page)) == sum(language in RUN for _, language in blocks)


@pytest.mark.parametrize("name", PAGES)
def test_paragraphs_of_list_items_are_indented_for_the_site(name: str) -> None:
    """Python-Markdown wants four blanks; with fewer, which GitHub takes, the list ends and its numbers begin anew."""
    prose = re.sub(r"^```.*?^```$", "", (DOCS / name).read_text(), flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"\n\n {1,3}\S.*", prose) == []


README = DOCS.parent / "README.md"
README_TEXT = README.read_text()
# Of the README, the first screen's statements, then those for a server of one's own, and what the shell and Python do.
FIRST, *FURTHER = examples(README_TEXT)


@pytest.mark.usefixtures("flights")
def test_the_readmes_first_screen_prints_and_draws_what_it_shows(dsn: str, schema_name: str, tmp_path: Path) -> None:
    """After a change that is meant, `MADTREE_UPDATE_DOCS=1 pytest tests/docs` writes it into the page."""
    drawing = re.search(r"`(madtree show \S+ --svg)`.*?\((docs/pictures/\S+\.svg)\)", README_TEXT, re.DOTALL)
    assert drawing
    picture = README.parent / drawing[2]
    printed, drawn = run(dsn, schema_name, [FIRST, Example("shell", f"{drawing[1]}\n", None)], tmp_path)
    if os.environ.get("MADTREE_UPDATE_DOCS"):
        README.write_text(updated(README_TEXT, [printed, *("" for _ in examples(README_TEXT)[1:])]))
        picture.write_text(drawn)
        return
    assert FIRST.output is not None
    assert same(FIRST.output, printed), printed
    assert same(picture.read_text(), drawn), f"{drawing[2]} shows another tree"


@pytest.mark.usefixtures("few_flights")
def test_the_readmes_examples_work_literally_after_the_demo(dsn: str, schema_name: str, tmp_path: Path) -> None:
    assert [example.language for example in FURTHER] == ["sql", "sql", "shell", "python"]
    of_one, of_carriers, of_shell, _ = run(dsn, schema_name, FURTHER, tmp_path)
    assert "(0)[" in of_one
    assert "leaves below" in of_one
    assert "rmse" in of_carriers
    assert "accuracy" in of_shell
