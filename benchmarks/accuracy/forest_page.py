"""The tables of docs/forests.md on how well forests predict, made from the results."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measure.readme import table

from accuracy.forests import KINDS
from accuracy.page import gap

PAGE = Path(__file__).parents[2] / "docs" / "forests.md"
RESULTS = Path(__file__).with_name("forest_results.json")
OTHERS = ("scikit-learn", "ranger")
_PART = re.compile(r"(<!-- forest accuracy: (\w+(?: \w+)*) -->\n).*?(<!-- end -->)", re.DOTALL)
NOISE = 2  # standard errors up to which a difference is noise


def read() -> dict[str, Any]:
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return results


def write(results: dict[str, Any]) -> None:
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(rendered(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")


def rendered(page: str, results: dict[str, Any]) -> str:
    """The page with each `<!-- forest accuracy: part -->` ... `<!-- end -->` filled anew; KeyError for another part."""
    parts = {kind.name: error_lines(results, kind.name) for kind in KINDS}
    parts |= {"verdict": verdict_lines(results), "versions": [results["versions"]]}
    return _PART.sub(lambda match: match[1] + "\n" + "\n".join(parts[match[2]]) + "\n\n" + match[3], page)


def error_lines(results: dict[str, Any], kind: str) -> list[str]:
    """A row for each data set: mean errors with their standard errors, and madtree's differences to the others."""
    rows = []
    for name, entry in results["sets"].items():
        errors = entry["errors"][kind]
        cells = [shown(errors.get(program)) for program in ("madtree", *OTHERS)]
        gaps = [difference(errors, other) for other in OTHERS]
        what = f"{entry['classes']} classes" if entry["classes"] else "a number"
        rows.append((name, what, *cells, *gaps))
    return table(("data", "target", "madtree", *OTHERS, *(f"madtree - {other}" for other in OTHERS)), rows)


def shown(errors: Sequence[float] | None) -> str:
    if errors is None:
        return ""
    return f"{100 * statistics.mean(errors):.2f} ± {100 * statistics.stdev(errors) / len(errors) ** 0.5:.2f}"


def difference(errors: dict[str, list[float]], other: str) -> str:
    """In bold where it is more than noise."""
    if other not in errors:
        return ""
    mean, error = gap(errors["madtree"], errors[other])
    text = f"{100 * mean:+.2f} ± {100 * error:.2f}"
    return f"**{text}**" if abs(mean) > NOISE * error else text


def verdict_lines(results: dict[str, Any]) -> list[str]:
    """On how many data sets madtree's error is lower or higher than another's by more than two standard errors."""
    rows = []
    for kind in KINDS:
        for other in OTHERS:
            errors = [entry["errors"][kind.name] for entry in results["sets"].values()]
            gaps = [gap(each["madtree"], each[other]) for each in errors if other in each]
            if not gaps:
                continue
            lower = sum(mean < -NOISE * error for mean, error in gaps)
            higher = sum(mean > NOISE * error for mean, error in gaps)
            middle = 100 * statistics.median(mean for mean, _ in gaps)
            counts = (str(lower), str(len(gaps) - lower - higher), str(higher))
            rows.append((kind.name, other, *counts, f"{middle:+.2f}"))
    return table(("", "madtree against", "better", "no clear difference", "worse", "median difference"), rows)
