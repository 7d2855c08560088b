"""The tables of docs/accuracy.md, made from the results, so that page and results cannot come to differ."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measure.readme import table

PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"
RESULTS = Path(__file__).with_name("results.json")
_PART = re.compile(r"(<!-- accuracy: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
LEARNERS = ("madtree", "madtree, every threshold", "rpart", "scikit-learn")


def read() -> dict[str, Any]:
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return results


def write(results: dict[str, Any]) -> None:
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(rendered(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")


def rendered(page: str, results: dict[str, Any]) -> str:
    """The page with each `<!-- accuracy: part -->` ... `<!-- end -->` filled anew.

    Raises:
        KeyError: the page names a part that there is none of.
    """
    parts = {
        "data": data_lines(results),
        "grown": score_lines(results, ""),
        "pruned": score_lines(results, ", pruned"),
        "verdict": verdict_lines(results),
        "versions": [results["versions"]],
    }
    return _PART.sub(lambda match: match[1] + "\n" + "\n".join(parts[match[2]]) + "\n\n" + match[3], page)


def data_lines(results: dict[str, Any]) -> list[str]:
    rows = [
        (
            name,
            entry["source"],
            f"{entry['rows']:,}",
            f"{entry['features']}" + (f", {entry['categorical']} of them categorical" if entry["categorical"] else ""),
            f"{entry['missing']:.1%}" if entry["missing"] else "",
            f"{entry['classes']} classes" if entry["classes"] else "a number",
        )
        for name, entry in results["sets"].items()
    ]
    return table(("data", "from", "rows", "features", "missing values", "target"), rows)


def score_lines(results: dict[str, Any], kind: str) -> list[str]:
    """A row for each data set: mean scores of all learners with their mean numbers of leaves, and differences."""
    rows = []
    for name, entry in results["sets"].items():
        trees = {learner: entry["trees"][learner + kind] for learner in LEARNERS}
        cells = [
            f"{100 * statistics.mean(each['scores']):.1f} ({round(statistics.mean(each['leaves']))})"
            for each in trees.values()
        ]
        gaps = [gap(trees["madtree"]["scores"], trees[other]["scores"]) for other in LEARNERS[2:]]
        rows.append((name, *cells, *(f"{100 * mean:+.1f} ± {100 * error:.1f}" for mean, error in gaps)))
    return table(("data", *LEARNERS, *(f"madtree - {other}" for other in LEARNERS[2:])), rows)


def gap(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    """The mean difference over the splits, and its standard error."""
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    return statistics.mean(differences), statistics.stdev(differences) / len(differences) ** 0.5


def verdict_lines(results: dict[str, Any]) -> list[str]:
    """How often madtree is better or worse than another by more than two standard errors."""
    rows = []
    for kind, called in (("", "grown"), (", pruned", "pruned")):
        for other in LEARNERS[2:]:
            gaps = [
                gap(entry["trees"]["madtree" + kind]["scores"], entry["trees"][other + kind]["scores"])
                for entry in results["sets"].values()
            ]
            better = sum(mean > 2 * error for mean, error in gaps)
            worse = sum(mean < -2 * error for mean, error in gaps)
            middle = 100 * statistics.median(mean for mean, _ in gaps)
            rows.append((called, other, str(better), str(len(gaps) - better - worse), str(worse), f"{middle:+.1f}"))
    return table(("trees", "madtree against", "better", "no clear difference", "worse", "median difference"), rows)
