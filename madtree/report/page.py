"""The page: its parts put together into one HTML file that asks the network for nothing.

A content security policy in the page names the only scripts and styles that may run by their hashes, and allows nothing
to be loaded, sent or framed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from madtree.render.labels import CONTROL, lines, one_line

SCRIPTS = (
    "words.js", "cards.js", "layout.js", "opening.js", "drawing.js", "treeview.js", "distribution.js", "details.js",
    "charts.js", "cp.js", "metrics.js", "matrix.js", "curve.js", "out_of_bag.js", "boosted.js", "contributions.js",
    "report.js",
)  # fmt: skip
MAX_FEATURES = 40  # bars of importance that a page keeps; the others are told as one sum


def page(title: str, values: Mapping[str, Any], parts: Mapping[str, str]) -> str:
    """The whole page.

    Args:
        title: plain text.
        values: for the scripts; must be JSON's.
        parts: HTML by the name of its place in the template.
    """
    style, script, library = _read("report.css"), _program(), _read("vendor/d3.min.js")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash(library)} {_hash(script)}",
            f"style-src {_hash(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    shown = {name: lines(part) for name, part in {**parts, "title": escape(title)}.items()}
    return Template(_read("report.html")).substitute(
        shown, policy=policy, style=style, library=library, script=script, values=_json(values)
    )


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Names and values as rows of an HTML table; both plain text."""
    return "\n".join(f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in rows)


def options(values: Sequence[tuple[int, str]]) -> str:
    """Options of a selection: value and plain text."""
    return "".join(f'<option value="{value}">{escape(text)}</option>' for value, text in values)


def finite(value: float | None) -> float | None:
    """A number that JSON can hold, integers without a fraction; None for what is no number."""
    return short(value) if value is not None and math.isfinite(value) else None


def short(value: float) -> float:
    """Integers without a fraction."""
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def _json(values: Mapping[str, Any]) -> str:
    """JSON that no HTML parser can take for markup: without <, > and & it cannot end the script or begin a comment.
    Characters that act are the text of their escapes.
    """
    text = json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return CONTROL.sub(lambda match: one_line(match[0]).replace("\\", "\\\\"), text)


@lru_cache
def _program() -> str:
    return "\n".join(["(() => {", '"use strict";', *map(_read, SCRIPTS), "})();"])


@lru_cache
def _read(name: str) -> str:
    return files("madtree.report").joinpath("static", *name.split("/")).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """How a policy names an inline script or style (CSP Level 3, section 6.7.3)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
