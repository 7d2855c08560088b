"""The scaling law, drawn: seconds against rows and columns, and which stages they go to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
from cases import forests, scaling
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from measure.result import Results

PLOTS = Path(__file__).parents[1] / "plots"
SIZE = (11.0, 5.0)  # inches
LABEL_HEIGHT = 0.06  # of a line's name, as a share of the axes' height
# Colours that the colour-blind can tell apart (Okabe and Ito, Color Universal Design, 2008); shapes tell, too.
BLACK, ORANGE, SKY, GREEN, BLUE, VERMILLION, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip
GREY = "#767676"
mpl.rcParams.update(
    {
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "svg.hashsalt": "madtree",  # so that the same figures make the same file
        "svg.fonttype": "none",
    }
)


@dataclass(frozen=True)
class Style:
    label: str
    colour: str
    marker: str
    dashes: str = "-"


STYLES = {
    scaling.SCIKIT_LEARN: Style("scikit-learn *", PURPLE, "v"),
    scaling.LIGHTGBM: Style("LightGBM *", ORANGE, "s"),
    scaling.ONE: Style("madtree, one process", GREEN, "D"),
    scaling.AUTOMATIC: Style("madtree, its own choice", BLUE, "o"),
    scaling.SCAN: Style("scan: sums of columns,\none process", GREY, "", "--"),
}
STAGES = {"sample": SKY, "pack": BLUE, "passes": ORANGE, "prune": VERMILLION, "write": GREEN}


FOREST_STYLES = {
    forests.BESIDE_SCIKIT_LEARN: Style("scikit-learn,\nfit alone", PURPLE, "v"),
    forests.BESIDE_LIGHTGBM: Style("LightGBM rf *", ORANGE, "s"),
    forests.MADTREE: Style("madtree", BLUE, "o"),
}


def draw_all(results: Mapping[str, Results], folder: Path = PLOTS) -> list[Path]:
    """All pictures as PNG and SVG; those whose suites were measured."""
    rows, columns = results.get(scaling.ROWS.name), results.get(scaling.COLUMNS.name)
    figures = {}
    if rows and columns:
        figures = {"scaling": scaling_law(rows, columns), "stages": stage_shares(rows, columns)}
    of_forests = [results.get(suite.name) for suite in (forests.TREES, forests.ROWS, forests.COLUMNS)]
    if all(of_forests):
        figures["forests"] = forest_costs(*(found for found in of_forests if found))
    folder.mkdir(exist_ok=True)
    made = []
    for name, figure in figures.items():
        for suffix, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
            path = folder / f"{name}.{suffix}"
            figure.savefig(path, dpi=150, metadata=metadata)
            made.append(path)
    return made


def scaling_law(rows: Results, columns: Results) -> Figure:
    """Median seconds against rows (10 columns), and against columns, all logarithmic."""
    figure = Figure(figsize=SIZE, layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    ends = (
        _lines(left, rows, "rows, of 10 columns each"),
        _lines(right, columns, f"columns, of {scaling.OF_COLUMNS:,} rows each"),
    )
    left.set_ylabel("seconds, median")
    for axes, of_axes in zip((left, right), ends, strict=True):
        _label_ends(axes, of_axes)
    figure.suptitle("One tree of depth 10, from the rows in the database to the finished tree", fontsize=12)
    figure.supxlabel("* with fetching the rows by ADBC", fontsize=9, x=0.99, ha="right")
    return figure


def forest_costs(trees: Results, rows: Results, columns: Results) -> Figure:
    """Median seconds of a forest against trees, rows and columns, all logarithmic."""
    figure = Figure(figsize=SIZE, layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    size = f"{forests.OF_ROWS:,} rows"
    labels = (
        f"trees; {size}, {forests.OF_COLUMNS} columns",
        f"rows; {forests.OF_COLUMNS} columns, {forests.OF_TREES} trees",
        f"columns; {size}, {forests.OF_TREES} trees",
    )
    ends = [
        _lines(axes, results, label, FOREST_STYLES)
        for axes, results, label in zip(panels, (trees, rows, columns), labels, strict=True)
    ]
    panels[0].set_ylabel("seconds, median")
    _label_ends(panels[-1], ends[-1], FOREST_STYLES)
    figure.suptitle("A forest of depth 12, from the rows in the database to the finished trees", fontsize=12)
    figure.supxlabel("* with fetching the rows by ADBC", fontsize=9, x=0.99, ha="right")
    return figure


def _lines(axes: Axes, results: Results, xlabel: str, styles: Mapping[str, Style] = STYLES) -> dict[str, float]:
    """Draw a line for each contender; the seconds at their ends."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    ends: dict[str, float] = {}
    for name, style in styles.items():
        sizes = [int(case) for case, result in results.items() if name in result.timings]
        seconds = [results[str(size)].timings[name].median for size in sizes]
        if sizes:
            axes.plot(
                sizes, seconds, style.dashes, color=style.colour, marker=style.marker, markersize=5, linewidth=1.6
            )
            ends[name] = seconds[-1]
    axes.set_xlabel(xlabel)
    axes.set_xticks([int(case) for case in results])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _count(value)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(which="major", color="#e4e4e4", linewidth=0.8)
    axes.set_axisbelow(True)
    return ends


def _label_ends(axes: Axes, ends: Mapping[str, float], styles: Mapping[str, Style] = STYLES) -> None:
    """Names beside the lines' ends, moved apart where they would overlap."""
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    order = sorted(ends, key=lambda name: ends[name])
    places = spread([math.log10(ends[name]) for name in order], LABEL_HEIGHT * (high - low))
    for name, place in zip(order, places, strict=True):
        style = styles[name]
        axes.annotate(
            style.label, (1.02, 10**place), xycoords=("axes fraction", "data"), color=_dark(style.colour), va="center",
            fontsize=9, linespacing=1.0, annotation_clip=False,
        )  # fmt: skip


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Ascending places moved apart to at least `gap`, each group about where it was."""
    groups: list[list[float]] = []  # centre, number
    for place in places:
        groups.append([place, 1])
        while len(groups) > 1 and groups[-1][0] - groups[-2][0] < gap * (groups[-1][1] + groups[-2][1]) / 2:
            centre, count = groups.pop()
            before, n_before = groups[-1]
            groups[-1] = [(centre * count + before * n_before) / (count + n_before), count + n_before]
    return [centre + gap * (i - (count - 1) / 2) for centre, count in groups for i in range(int(count))]


def stage_shares(rows: Results, columns: Results) -> Figure:
    """Of a training in one process, the share of each stage, and the seconds of all."""
    figure = Figure(figsize=SIZE, layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(len(rows), len(columns)))
    _bars(left, rows, "rows, of 10 columns each")
    _bars(right, columns, f"columns, of {scaling.OF_COLUMNS:,} rows each")
    left.set_ylabel("share of the training's time, %")
    _label_stages(right, columns)
    figure.suptitle("Where the time goes, one process (seconds of the whole training above the bars)", fontsize=12)
    return figure


def _shares(results: Results) -> list[tuple[str, float, dict[str, float]]]:
    """Of each size its label, seconds and percentages."""
    found = []
    for case, result in results.items():
        if (timing := result.timings.get(scaling.ONE)) and timing.parts:
            total = sum(timing.parts.values())
            shares = {stage: 100 * timing.parts.get(stage, 0.0) / total for stage in STAGES}
            found.append((_count(int(case)), timing.median, shares))
    return found


def _bars(axes: Axes, results: Results, xlabel: str) -> None:
    found = _shares(results)
    bottom = [0.0] * len(found)
    for stage, colour in STAGES.items():
        heights = [shares[stage] for _, _, shares in found]
        axes.bar(range(len(found)), heights, 0.75, bottom, color=colour, edgecolor="white", linewidth=0.6)
        bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
    for place, (_, seconds, _) in enumerate(found):
        axes.annotate(f"{seconds:.2g} s", (place, 101), ha="center", va="bottom", fontsize=9)
    axes.set_xticks(range(len(found)), [label for label, _, _ in found])
    axes.set_xlabel(xlabel)
    axes.set_ylim(0, 106)
    axes.set_yticks(range(0, 101, 20))
    axes.tick_params(axis="x", length=0)


def _label_stages(axes: Axes, results: Results) -> None:
    """Names beside the parts of the last bar."""
    _, _, shares = _shares(results)[-1]
    middle, below = [], 0.0
    for stage in STAGES:
        middle.append(below + shares[stage] / 2)
        below += shares[stage]
    last = len(_shares(results)) - 1
    for stage, place in zip(STAGES, spread(middle, 5.0), strict=True):
        axes.annotate(stage, (last + 0.5, place), color=_dark(STAGES[stage]), va="center", annotation_clip=False)


def _dark(colour: str) -> str:
    """The colour for text: light ones are hard to read on white."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    share = min(1.0, 105 / (0.3 * red + 0.59 * green + 0.11 * blue + 1))
    return "#" + "".join(f"{round(part * share):02x}" for part in (red, green, blue))


def _count(value: float) -> str:
    """1000 as 1k, 1000000 as 1M."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"
