"""A waterfall in text: how the contributions of features lead from what is expected to the prediction of a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from madtree.wording import count_text

_WIDTH = 40  # columns of the bars
_MOST_LABEL = 40  # characters of a feature and its value


def waterfall(contributions: Sequence[Mapping[str, Any]], top: int, total: str = "prediction") -> Iterator[str]:
    """Lines of text.

    Args:
        contributions: rows of tree_explain, of one class.
        total: what they add up to.
        top: so many features have lines of their own; the others have one together.
    """
    start, features = contributions[0]["estimated"], contributions[1:]
    shown, others = features[:top], features[top:]
    bars = [(_label(row), row["contribution"], row["estimated"]) for row in shown]
    if others:
        so_far = bars[-1][2] if bars else start
        end = others[-1]["estimated"]
        bars.append((count_text(len(others), "other feature"), end - so_far, end))
    ends = [start, *(end for _, _, end in bars)]
    low, high = min(ends), max(ends)
    wide = max(len(label) for label, *_ in [(total, 0, 0), *bars])

    def column(value: float) -> int:
        return round((value - low) / (high - low) * (_WIDTH - 1)) if high > low else 0

    yield f"{'expected':<{wide}}  {'':>11}  {start:>11.6g}  {' ' * column(start)}|"
    for before, (label, contribution, end) in zip(ends[:-1], bars, strict=True):
        first, last = sorted((column(before), column(end)))
        bar = ("+" if contribution > 0 else "-") * (last - first) if contribution else ""
        yield f"{label:<{wide}}  {contribution:>+11.6g}  {end:>11.6g}  {' ' * first}{bar}".rstrip()
    yield f"{total:<{wide}}  {'':>11}  {ends[-1]:>11.6g}  {' ' * column(ends[-1])}|"


def _label(row: Mapping[str, Any]) -> str:
    value = "NULL" if row["value"] is None else row["value"]
    text = f"{row['feature']} = {value}"
    return text if len(text) <= _MOST_LABEL else text[: _MOST_LABEL - 3] + "..."
