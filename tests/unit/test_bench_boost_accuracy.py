"""The page on boosting shows the committed results, and what it claims of them holds."""

from __future__ import annotations

from accuracy.boost_page import PAGE, read, rendered

RESULTS = read()
SETS = RESULTS["sets"]


def test_the_page_shows_the_results_that_are_committed() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert rendered(page, RESULTS) == page


def test_another_result_changes_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    other = {name: dict(entry, losses=dict(entry["losses"])) for name, entry in SETS.items()}
    other["iris"]["losses"]["XGBoost"] = [0.5, 0.6] * 5
    changed = rendered(page, {**RESULTS, "sets": other})
    assert "| 0.5500 ± 0.0167" in changed
    assert changed != page
