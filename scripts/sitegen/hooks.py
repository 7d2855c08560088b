"""MkDocs' hooks: the benchmarks' page, which lies elsewhere in the repository, becomes a page of the site."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
PAGE = "benchmarks/index.md"
_LINK = re.compile(r"(?<=\]\()(?:\.\./)+benchmarks/README\.md")  # as it is right in the repository


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Take in the page and its pictures, at the same distance from each other."""
    files.append(File.generated(config, PAGE, abs_src_path=str(BENCHMARKS / "README.md")))
    for path in sorted(BENCHMARKS.rglob("*.svg")):
        files.append(File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links to the page lead to where it is in the site."""
    return _LINK.sub(posixpath.relpath(PAGE, posixpath.dirname(page.file.src_uri) or "."), markdown)
