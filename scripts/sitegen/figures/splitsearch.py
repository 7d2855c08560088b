"""How a split is found: class counts by bin, and the gain at each threshold between bins."""

from __future__ import annotations

import numpy as np

from madtree.learn.binning.bins import bin_ends
from madtree.learn.criteria.gini import gini_gain
from madtree.render.mark import rect, text
from sitegen.figures.example import points
from sitegen.figures.marks import (
    BODY,
    FAINT,
    FIRST,
    INK,
    SECOND,
    SHADE,
    SMALL,
    STRONG,
    Plot,
    dot,
    line,
    path,
    picture,
)  # fmt: skip

N_BINS = 20
MIN_BUCKET = 60


def draw() -> str:
    x, _, label = points()
    values = np.unique(x)
    ends = bin_ends(values, np.ones(len(values), np.int64), N_BINS)
    edges = (values[ends[:-1]] + values[ends[:-1] + 1]) / 2
    code = np.searchsorted(edges, x)
    counts = np.stack([np.bincount(code[label == side], minlength=N_BINS) for side in (False, True)]).astype(float)
    left = counts.cumsum(axis=1)[:, :-1]
    right = counts.sum(axis=1, keepdims=True) - left
    gain = gini_gain(left, right)
    allowed = (left.sum(axis=0) >= MIN_BUCKET) & (right.sum(axis=0) >= MIN_BUCKET)
    best = int(np.argmax(np.where(allowed, gain, -1)))

    upper = Plot(60, 56, 670, 130, (0, 100), (0, 35))
    lower = Plot(60, 236, 670, 150, (0, 100), (0, float(np.ceil(gain.max() * 1.1 / 10) * 10)))
    bounds = np.concatenate(([0.0], edges, [100.0]))
    marks = [upper.y_axis([0, 10, 20, 30], "rows of each class in each bin")]
    for i in range(N_BINS):
        begin, width = upper.at_x(bounds[i]) + 0.6, (bounds[i + 1] - bounds[i]) * upper.width / 100 - 1.2
        base = upper.bottom
        for side, colour in enumerate((FIRST, SECOND)):
            height = counts[side, i] / 35 * upper.height
            base -= height
            marks.append(rect(begin, base, width, height, colour))
    marks.append(_legend())
    low, high = edges[allowed][0], edges[allowed][-1]
    for begin, end in ((0.0, (low + edges[0]) / 2 if low > edges[0] else low), (high + 0.8, 100.0)):
        marks.append(rect(lower.at_x(begin), lower.top, (end - begin) * lower.width / 100, lower.height, SHADE))
    marks.append(lower.y_axis(np.arange(0, lower.y[1] + 1, 10).tolist(), "gain of a split behind each bin (gini)"))
    places = [(lower.at_x(e), lower.at_y(g)) for e, g in zip(edges, gain, strict=True)]
    marks.append(path(places, FAINT, 1.2))
    for i, (at, height) in enumerate(places):
        if i != best:
            marks.append(dot(at, height, FAINT, 3, hollow=not allowed[i]))
    at, height = places[best]
    marks.append(line(at, upper.top, at, lower.bottom, STRONG, 1.5, "5 4"))
    marks.append(dot(at, height, STRONG, 5))
    marks.append(text(at + 12, height + 5, f"best: x <= {edges[best]:.1f}", BODY, INK, weight=600))
    marks.append(
        text(
            lower.left + 10, lower.top + 16, f"grey: fewer than min_bucket ({MIN_BUCKET}) rows on a side", SMALL, FAINT
        )
    )
    marks.append(lower.x_axis([0, 20, 40, 60, 80, 100], "x"))
    title = f"Split search: class counts of {N_BINS} bins, and the gain of each of the {N_BINS - 1} thresholds"
    return picture(434, title, marks)


def _legend() -> str:
    marks = []
    for x, colour, word in ((560, FIRST, "class false"), (650, SECOND, "class true")):
        marks += [rect(x, 36, 11, 11, colour, 2), text(x + 16, 46, word, SMALL, FAINT)]
    return "".join(marks)
