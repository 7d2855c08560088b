"""The figures of the page on how madtree works, drawn by its own marks from what its own learner computes.

`draw_all()` gives each as SVG; `python -m sitegen.figures` in `scripts/` writes them into `docs/figures`, and a test
holds the files against it.
"""

from __future__ import annotations

from pathlib import Path

from sitegen.figures import cpcurve, forestcosts, levels, passes, regimes, splitsearch, surrogate, sweep

ROOT = Path(__file__).parents[3]
DIRECTORY = ROOT / "docs" / "figures"
CP_PAGE = ROOT / "docs" / "how-to" / "cp-table.md"
FORESTS_PAGE = ROOT / "docs" / "forests.md"


def draw_all() -> dict[str, str]:
    """Each figure by its file's name."""
    return {
        "passes.svg": passes.draw(),
        "split-search.svg": splitsearch.draw(),
        "levels.svg": levels.draw(),
        "sweep.svg": sweep.draw(),
        "regimes.svg": regimes.draw(),
        "surrogate.svg": surrogate.draw(),
        "cp-curve.svg": cpcurve.draw(CP_PAGE.read_text(encoding="utf-8")),
        "forest-costs.svg": forestcosts.draw(FORESTS_PAGE.read_text(encoding="utf-8")),
    }
