"""The tables of docs/boosting.md on how well boosted models predict, made from the results."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measure.readme import table

from accuracy.boosting import OTHERS
from accuracy.page import gap

PAGE = Path(__file__).parents[2] / "docs" / "boosting.md"
RESULTS = Path(__file__).with_name("boost_results.json")
_PART = re.compile(r"(<!-- boosting accuracy: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
NOISE = 2  # standard errors up to which a difference is noise


def read() -> dict[str, Any]:
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return results


def write(results: dict[str, Any]) -> None:
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(rendered(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")


def rendered(page: str, results: dict[str, Any]) -> str:
    """The page with each `<!-- boosting accuracy: part -->` ... `<!-- end -->` filled anew; KeyError for others."""
    parts = {"losses": loss_lines(results), "verdict": verdict_lines(results), "versions": [results["versions"]]}
    return _PART.sub(lambda match: match[1] + "\n" + "\n".join(parts[match[2]]) + "\n\n" + match[3], page)


def loss_lines(results: dict[str, Any]) -> list[str]:
    """A row for each data set: mean losses with their standard errors, and by how much madtree's differ from
    LightGBM's.
    """
    rows = []
    for name, entry in results["sets"].items():
        losses = entry["losses"]
        what = f"{entry['classes']} classes" if entry["classes"] else "a number"
        size = f"{entry['rows']:,}"
        rows.append((name, size, what, *(shown(losses[each]) for each in ("madtree", *OTHERS)), difference(losses)))
    return table(("data", "rows", "target", "madtree", *OTHERS, "against LightGBM"), rows)


def shown(losses: Sequence[float]) -> str:
    return f"{statistics.mean(losses):.4f} ± {statistics.stdev(losses) / len(losses) ** 0.5:.4f}"


def difference(losses: dict[str, list[float]]) -> str:
    """As a share of LightGBM's; in bold where it is more than noise."""
    mean, error = gap(losses["madtree"], losses["LightGBM"])
    whole = statistics.mean(losses["LightGBM"])
    text = f"{100 * mean / whole:+.1f} % ± {100 * error / whole:.1f}"
    return f"**{text}**" if abs(mean) > NOISE * error else text


def verdict_lines(results: dict[str, Any]) -> list[str]:
    """On how many data sets madtree's loss is lower or higher than another's by more than two standard errors."""
    rows = []
    for other in OTHERS:
        gaps = [gap(entry["losses"]["madtree"], entry["losses"][other]) for entry in results["sets"].values()]
        lower = sum(mean < -NOISE * error for mean, error in gaps)
        higher = sum(mean > NOISE * error for mean, error in gaps)
        rows.append((other, str(lower), str(len(gaps) - lower - higher), str(higher)))
    return table(("madtree against", "better", "no clear difference", "worse"), rows)
