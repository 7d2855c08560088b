"""MkDocs' hooks: the benchmarks' page, which lies elsewhere in the repository, becomes a page of the site; graphs in
mermaid become boxes, since the program that draws them would have to be loaded from elsewhere.
"""

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
_GRAPH = re.compile(r"^```mermaid\nflowchart TD\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_NODE = re.compile(r'(\w+)\["(.*?)"\]')
_EDGE = re.compile(r'(\w+) -- "(.*?)" --> (\w+)\s*$', re.MULTILINE)  # with words, between boxes that are there already
_LINK = re.compile(r"(?<=\]\()(?:\.\./)+benchmarks/README\.md")  # as it is right in the repository


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Take in the page and its pictures, at the same distance from each other."""
    files.append(File.generated(config, PAGE, abs_src_path=str(BENCHMARKS / "README.md")))
    for path in sorted(BENCHMARKS.rglob("*.svg")):
        files.append(File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links to the page lead to where it is in the site, and graphs be boxes."""
    drawn = _GRAPH.sub(lambda match: boxes(match[1]), markdown)
    return _LINK.sub(posixpath.relpath(PAGE, posixpath.dirname(page.file.src_uri) or "."), drawn)


def boxes(graph: str) -> str:
    """A chain of boxes, one below the other, as HTML; an edge with words is told in the box that it leaves."""
    words = {start: label for start, label, _ in _EDGE.findall(graph)}
    items = [
        f"<li>{text}{f'<br><em>{words[name]} &#8593;</em>' if name in words else ''}</li>"
        for name, text in _NODE.findall(graph)
    ]
    return f'<ol class="flow">{"".join(items)}</ol>\n'
