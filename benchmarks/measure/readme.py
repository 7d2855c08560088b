"""The tables of pages, made from the results: prose and figures cannot come to differ."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from measure.result import Figure, Result, Results

README = Path(__file__).parents[1] / "README.md"
PAGES = (README, Path(__file__).parents[2] / "docs" / "compare.md")
_PART = re.compile(r"(<!-- (figures|seconds|machine|ways): (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
# The ways from a table to a model, as readers know them: case and timing of the main job.
WAYS = {
    "`madtree.tree_train`, a tree of depth 10": ("lightgbm", "tree_train"),
    "the same in one process": ("lightgbm", "tree_train, one process"),
    "fetching the rows by ADBC, and growing *one* LightGBM tree of the same depth and bins": (
        "lightgbm",
        "ADBC, LightGBM",
    ),
    "fetching them by ADBC, and nothing else": ("lightgbm", "ADBC alone"),
    "fetching them by psycopg and pandas, and growing a tree of scikit-learn's, which tries every threshold": (
        "scikit-learn",
        "psycopg, pandas, scikit-learn",
    ),
}


def rendered(page: str, results: Mapping[str, Results]) -> str:
    """The page with each `<!-- figures: suite -->` ... `<!-- end -->` filled anew, and so `seconds`, `machine`, `ways`.

    Raises:
        KeyError: a place names a suite that there is none of.
    """
    makers = {"figures": _figures, "seconds": _seconds, "machine": _machine, "ways": way_lines}

    def fill(match: re.Match[str]) -> str:
        of_suite = results[match[3]]
        body = makers[match[2]](of_suite) if of_suite else ["Not measured yet."]
        return match[1] + "\n" + "\n".join(body) + "\n\n" + match[4]

    return _PART.sub(fill, page)


def update(results: Mapping[str, Results]) -> None:
    for page in PAGES:
        page.write_text(rendered(page.read_text(encoding="utf-8"), results), encoding="utf-8")


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table whose source is a table, too."""
    widths = [max(len(row[i]) for row in [headings, *rows]) for i in range(len(headings))]
    return [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in [headings, ["-" * width for width in widths], *rows]
    ]


def _number(value: float) -> str:
    """Three digits, and no exponent."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def figure_cells(figure: Figure) -> tuple[str, str, str, str, str]:
    """What, goal, reached, range of the rounds, verdict."""
    verdict = {True: "met", False: "MISSED", None: ""}[figure.met]
    goal = "" if figure.goal is None else f"{'>=' if figure.at_least else '<='} {_number(figure.goal)} {figure.unit}"
    reached = "not measured" if figure.reached is None else f"{_number(figure.reached)} {figure.unit}"
    spread = "" if figure.low is None or figure.high is None else f"{_number(figure.low)} to {_number(figure.high)}"
    return figure.name, goal, reached, spread, verdict


def figure_lines(results: Mapping[str, Result]) -> list[str]:
    """A table of all figures of a suite, and a line for each error."""
    rows = [(case, *figure_cells(figure)) for case, result in results.items() for figure in result.figures]
    lines = table(("case", "figure", "goal", "reached", "rounds", ""), rows) if rows else []
    errors = [f"**{case}: {result.error}**" for case, result in results.items() if result.error]
    return lines + (["", *errors] if errors else [])


def second_lines(results: Mapping[str, Result]) -> list[str]:
    rows = [
        (
            case,
            name,
            f"{seconds.median:.3f}",
            f"{seconds.low:.3f} to {seconds.high:.3f}",
            str(seconds.rounds),
            f"{seconds.median / seconds.cells * 1e9:,.0f}",
            ", ".join(f"{part} {value:.3f}" for part, value in seconds.parts.items()),
        )
        for case, result in results.items()
        for name, seconds in result.timings.items()
    ]
    return table(("case", "what", "median s", "range s", "rounds", "ns a cell", "parts s"), rows)


def way_lines(results: Mapping[str, Result]) -> list[str]:
    """A table of the main job's ways from the rows to a model."""
    rows = [(way, _number(results[case].timings[name].median)) for way, (case, name) in WAYS.items()]
    return table(("way", "seconds"), rows)


def _figures(results: Results) -> list[str]:
    return figure_lines(results)


def _seconds(results: Results) -> list[str]:
    return second_lines(results)


def _machine(results: Results) -> list[str]:
    """What the suite was measured on; several lines where its cases were not measured together."""
    lines: dict[str, list[str]] = {}
    for case, result in results.items():
        lines.setdefault(machine_line({**result.about, "load": None}), []).append(case)
    busiest = max(float(result.about["load"]) for result in results.values())
    busy = f"Load before the cases: at most {busiest:g}."
    if len(lines) == 1:
        (line,) = lines
        return [f"{line} {busy}"]
    return [f"- {', '.join(cases)}: {line}" for line, cases in lines.items()] + [f"- {busy}"]


def machine_line(about: Mapping[str, object]) -> str:
    """A sentence or two about where and when."""
    client = about["client"]
    assert isinstance(client, Mapping)
    peers = ", ".join(f"{name} {version}" for name, version in client.items())
    return (
        f"{about['cores']} cores, {about['cpu']}, {about['memory_gib']} GiB; PostgreSQL {about['postgresql']}, "
        f"Python {about['server_python']}, numpy {about['server_numpy']}, madtree {about['madtree']} "
        f"(commit {about['commit']}), {about['date']}. Client: {peers}."
    )
