"""Pictures of trees, for notebooks, files and browsers."""

from __future__ import annotations

import html
import secrets
import tempfile
import webbrowser
from dataclasses import replace
from pathlib import Path

from madtree.render.labels import group_text
from madtree.render.svg import tree_svg
from madtree.render.text import model_text
from madtree.trees import Model, Tree
from madtree.wording import count_text

SHOWN_GROUPS = 12  # trees of a grouped model that a notebook shows
WIDEST = 1_500.0  # px of a picture that is scaled to a page: in a wider one nothing could be read


class Drawing:
    """A picture of a tree. A notebook shows it, scaled to its width.

    Attributes:
        svg: the text of an SVG document.
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def __repr__(self) -> str:
        return f"<madtree.Drawing of {len(self.svg):,} characters of SVG: save(path) writes it, show() opens it>"

    def save(self, path: str | Path) -> Path:
        """Write the picture into a file, as SVG."""
        path = Path(path)
        path.write_text(self.svg, encoding="utf-8")
        return path

    def show(self) -> Path:
        """Open the picture in a browser; returns the file that it is in."""
        with tempfile.NamedTemporaryFile("w", suffix=".svg", prefix="madtree-", delete=False, encoding="utf-8") as file:
            file.write(self.svg)
        webbrowser.open(Path(file.name).as_uri())
        return Path(file.name)

    def _repr_html_(self) -> str:
        return f'<figure style="margin: 0">{scaled(self.svg)}</figure>'

    def _repr_svg_(self) -> str:
        return self.svg


def scaled(svg: str) -> str:
    """A picture that is never wider than the page, so that its root is always in sight."""
    return svg.replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)


def figure(model: Model, more: int = 0) -> str:
    """A model for a notebook: its tree, or its groups to choose from; and the texts for whoever cannot see it.

    Args:
        model: with the trees to show.
        more: how many trees are not shown.
    """
    if not model.grouping_columns:
        return _figure(model, model.trees[0])
    name = f"madtree-{secrets.token_hex(4)}"  # of those with the same name one is open at a time
    parts = [
        f'<details name="{name}"{"" if place else " open"}><summary>{html.escape(group_text(model, tree))}, '
        f"{count_text(tree.n_rows, 'row', ',')}</summary>{_figure(model, tree)}</details>"
        for place, tree in enumerate(model.trees)
    ]
    if more:
        parts.append(f"<p>{more:,} more groups: plot(group={{...}}) draws the one that you name.</p>")
    return "".join(parts)


def _figure(model: Model, tree: Tree) -> str:
    text = html.escape(model_text(replace(model, trees=(tree,))))
    return (
        f'<figure style="margin: 0">{scaled(_readable(model, tree))}'
        f"<details><summary>As text</summary><pre>{text}</pre></details></figure>"
    )


def _readable(model: Model, tree: Tree) -> str:
    """The tree as deep as it can be read on a page's width."""
    svg = tree_svg(model, tree)
    depth = max((node.depth for node in tree.nodes.values()), default=0)
    while depth > 1 and _width(svg) > WIDEST:
        depth -= 1
        svg = tree_svg(model, tree, depth)
    return svg


def _width(svg: str) -> float:
    """Of a picture, as its first tag says it."""
    return float(svg.partition(' width="')[2].partition('"')[0])
