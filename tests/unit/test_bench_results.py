"""The benchmarks' results as files, and the README's tables that are made from them."""

from __future__ import annotations

import re
from pathlib import Path

from measure.readme import PAGES, README, figure_cells, rendered
from measure.result import RESULTS, Figure, Result, Seconds, from_json, read, to_json, write

ABOUT = {
    "date": "2026-01-01 00:00 UTC", "commit": "abc", "cores": 4, "cpu": "a CPU", "memory_gib": 8, "postgresql": "15.1",
    "server_python": "3.11", "server_numpy": "1.24", "madtree": "0.1", "client": {"numpy": "2.0"}, "load": 0.5,
}  # fmt: skip
RESULT = Result(
    ABOUT,
    {"tree_train": Seconds(0.5, 0.4, 0.6, 3, 1000, 10_000, {"pack": 0.2})},
    (Figure("tree_train / scan", "x", 4.5, 5, False, 4.0, 5.5),),
)


def test_results_survive_being_written() -> None:
    results = {"a": RESULT, "b": Result(ABOUT, error="QueryCanceled: timeout")}
    assert from_json(to_json(results)) == results


def test_a_run_of_one_case_keeps_the_others_and_forgets_those_that_are_no_more(tmp_path: Path) -> None:
    other = Result(ABOUT, error="old")
    write("suite", {"gone": other, "second": other}, ["first", "gone", "second"], tmp_path)
    write("suite", {"first": RESULT}, ["first", "second"], tmp_path)
    assert list(read("suite", tmp_path).items()) == [("first", RESULT), ("second", other)]


def test_a_page_is_filled_between_its_marks_only() -> None:
    page = "Before.\n<!-- figures: job -->\nold\n<!-- end -->\nAfter 4.5.\n"
    filled = rendered(page, {"job": {"reading": RESULT}})
    assert filled.startswith("Before.\n<!-- figures: job -->\n\n| case ")
    assert filled.endswith("|\n\n<!-- end -->\nAfter 4.5.\n")
    assert "| reading | tree_train / scan | <= 5 x | 4.5 x   | 4 to 5.5 | met |" in filled
    assert rendered(filled, {"job": {"reading": RESULT}}) == filled


def test_an_error_is_told_on_the_page() -> None:
    page = "<!-- figures: job -->\n<!-- end -->"
    failed = Result(ABOUT, error="QueryCanceled: timeout")
    assert "**b: QueryCanceled: timeout**" in rendered(page, {"job": {"a": RESULT, "b": failed}})


def test_a_missed_goal_is_called_so() -> None:
    assert figure_cells(Figure("f", "x", 6.0, 5))[-1] == "MISSED"
    assert figure_cells(Figure("f", "x", 6.0, 5, at_least=True))[-1] == "met"
    assert figure_cells(Figure("f", "MB", None, 5)) == ("f", "<= 5 MB", "not measured", "", "")


def test_pages_show_the_results_that_are_committed() -> None:
    readme = README.read_text(encoding="utf-8")
    suites = set(re.findall(r"<!-- \w+: (\w+) -->", readme))
    assert {path.stem for path in RESULTS.glob("*.json")} <= suites
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        assert rendered(page, {suite: read(suite) for suite in suites}) == page


def test_the_front_page_has_the_seconds_that_are_committed() -> None:
    """`README.md` and `docs/index.md` quote the main job in a sentence."""
    job = read("job")
    seconds = [
        job["lightgbm"].timings["tree_train"], job["lightgbm"].timings["ADBC, LightGBM"],
        job["scikit-learn"].timings["psycopg, pandas, scikit-learn"],
    ]  # fmt: skip
    for page in (README.parents[1] / "README.md", README.parents[1] / "docs" / "index.md"):
        quoted = re.search(
            r"depth 10 in\s+([\d.]+)\s+s.*?([\d.]+)\s+s.*?([\d.]+)\s+s.*?\((\d+) cores",
            page.read_text(encoding="utf-8"),
            re.DOTALL,
        )
        assert quoted, page
        assert [float(quoted[i]) for i in (1, 2, 3)] == [float(f"{each.median:.2g}") for each in seconds], page
        assert int(quoted[4]) == job["lightgbm"].about["cores"], page
