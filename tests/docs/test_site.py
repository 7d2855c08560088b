"""The documentation builds as a site: without a warning, with every page in it, and loading nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mkdocs.config import load_config
from pages import DOCS

ROOT = DOCS.parent
# Nearly all objects of a build stay to its end: to look for garbage among them takes a seventh of its time.
MKDOCS = "import gc; gc.disable(); from mkdocs.__main__ import cli; cli()"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-c", MKDOCS, "build", "--strict", "--site-dir", str(target)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # the theme's news, which are no warning about these pages
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return target


def test_every_page_is_there_and_can_be_reached(site: Path) -> None:
    index = (site / "index.html").read_text()
    for page in [*DOCS.rglob("*.md"), ROOT / "benchmarks" / "README.md"]:
        place = page.relative_to(ROOT if page.name == "README.md" else DOCS).as_posix()
        html = place.replace("README.md", "index.md").replace(".md", ".html")
        assert (site / html).is_file()
        assert f'href="{html}"' in index, f"{place} is not in the navigation of mkdocs.yml"


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loaded = re.compile(r"<(?:link|script|img|iframe|source)\b[^>]*?(?:href|src)=[\"']?(?:https?:)?//[^>]*>")
    for page in site.rglob("*.html"):
        assert loaded.findall(page.read_text()) == []
    for sheet in site.rglob("*.css"):
        assert re.findall(r"url\([\"']?(?:https?:)?//|@import", sheet.read_text()) == []


def test_docstrings_have_become_pages(site: Path) -> None:
    """A name that mkdocstrings could not read would leave an empty page."""
    html = (site / "reference" / "python.html").read_text()
    names = re.findall(r"^::: (\S+)$", (DOCS / "reference" / "python.md").read_text(), re.MULTILINE)
    assert names
    for name in names:
        assert f'id="{name}"' in html
    assert "Raises" in html


def test_the_address_and_the_menu_of_versions_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The repository knows no address: whoever publishes the site says it."""
    monkeypatch.delenv("MADTREE_SITE_URL", raising=False)
    monkeypatch.delenv("MADTREE_SITE_VERSIONS", raising=False)
    at_home = load_config(str(ROOT / "mkdocs.yml"))
    assert (at_home.site_url, at_home.extra["version"]["provider"]) == ("", "none")
    monkeypatch.setenv("MADTREE_SITE_URL", "https://docs.example.com/madtree/")
    monkeypatch.setenv("MADTREE_SITE_VERSIONS", "mike")
    published = load_config(str(ROOT / "mkdocs.yml"))
    assert published.site_url == "https://docs.example.com/madtree/"
    assert published.extra["version"]["provider"] == "mike"
