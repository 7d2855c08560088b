"""How fast madtree trains and scores, beside what else could be done with the same rows on the same machine.

Things to compare take turns in one session; what counts are the ratios of each round, and of these the median. Results
go to `benchmarks/results`, and from there into the README's tables and the plots. At the end each ratio is held against
the one committed last: exit code 1 where one is worse by more than 20 %, where a case has an error, or where trees that
have to be the same are not.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

from cases import SUITES
from measure import compare, machine, readme, result, runner
from measure.case import Case, Suite
from measure.result import Result, Results
from measure.session import Session, session

from madtree.embedded import PrivateServer


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "wanted", nargs="*", metavar="CASE", help="a suite (parallel) or a case (parallel/10M-rows); default: all"
    )
    parser.add_argument("--list", action="store_true", help="name the suites and cases, and do nothing")
    parser.add_argument("--dsn", help="a server with madtree in it, as superuser; default: your private server")
    parser.add_argument(
        "--quick", action="store_true", help="few rounds, no long cases; compares, but keeps no results"
    )
    parser.add_argument("--report", action="store_true", help="measure nothing: README and plots from the results")
    return parser.parse_args()


def chosen(wanted: Sequence[str], *, quick: bool) -> list[Suite]:
    """The suites with those of their cases that are wanted; raises SystemExit for a name that is none."""
    known = {suite.name for suite in SUITES} | {f"{suite.name}/{case.name}" for suite in SUITES for case in suite.cases}
    if unknown := [name for name in wanted if name not in known]:
        raise SystemExit(f"no such case: {', '.join(unknown)}; --list names them")

    def is_wanted(suite: Suite, case: Case) -> bool:
        named = f"{suite.name}/{case.name}"
        return named in wanted or ((not wanted or suite.name in wanted) and not (quick and case.long))

    suites = [replace(suite, cases=[case for case in suite.cases if is_wanted(suite, case)]) for suite in SUITES]
    return [suite for suite in suites if suite.cases]


def measure(here: Session, suites: Sequence[Suite], *, quick: bool) -> dict[str, Results]:
    """Run the cases, telling of each when it is done; without `quick`, results are kept as they come."""
    about = machine.describe(here.db)
    print(readme.machine_line(about), flush=True)
    every: dict[str, Results] = {}
    for suite in suites:
        before = compare.committed(suite.name)
        every[suite.name] = {}
        for case in suite.cases:
            found = checked(here, case, about, before, quick=quick)
            every[suite.name][case.name] = found
            if not quick:
                order = [known.name for known in _whole(suite).cases]
                result.write(suite.name, {case.name: found}, order)
                readme.update(stored())
    return every


def checked(here: Session, case: Case, about: dict[str, object], before: Results, *, quick: bool) -> Result:
    """Run a case, and once more if it seems slower than it was: noise seldom comes twice, and the better run counts."""
    best = _run(here, case, about, quick=quick)
    worse = compare.slower(compare.changes(before, {case.name: best}))
    if worse and best.error is None:
        print("seems slower than before; once more", flush=True)
        again = _run(here, case, about, quick=quick)
        if again.error or len(compare.slower(compare.changes(before, {case.name: again}))) < len(worse):
            best = again
    return best


def _run(here: Session, case: Case, about: dict[str, object], *, quick: bool) -> Result:
    begin = time.monotonic()
    found = runner.run(here, case, about, quick=quick)
    print(f"\n## {case.name} ({time.monotonic() - begin:.0f} s, cores busy before it: {found.about['load']})\n")
    lines = [*readme.figure_lines({case.name: found}), "", *readme.second_lines({case.name: found})]
    print("\n".join(lines), flush=True)
    return found


def _whole(suite: Suite) -> Suite:
    return next(whole for whole in SUITES if whole.name == suite.name)


def stored() -> dict[str, Results]:
    """The results that are there."""
    return {suite.name: result.read(suite.name) for suite in SUITES}


def report() -> None:
    """README and plots from the results that are there."""
    from measure import plots

    readme.update(stored())
    plots.draw_all(stored())


def verdict(every: dict[str, Results]) -> int:
    """Tell what changed since the last commit; the exit code."""
    failing: list[str] = []
    worse: list[str] = []
    n_compared = 0
    missed = []
    for suite, results in every.items():
        before = compare.committed(suite)
        found = compare.changes(before, results)
        n_compared += len(found)
        worse += [f"{suite}/{change.line()}" for change in compare.slower(found)]
        failing += [f"{suite}/{line}" for line in compare.newly_failing(before, results)]
        missed += [
            f"{suite}/{case}: {figure.name}: {figure.reached:g} {figure.unit}"
            for case, of_case in results.items()
            for figure in of_case.figures
            if figure.met is False
        ]
    for heading, lines in (
        ("Goals missed", missed),
        (
            f"Worse than the last committed figures by more than {compare.TOLERANCE - 1:.0%}",
            worse,
        ),
        ("Errors", failing),
    ):
        if lines:
            print(f"\n{heading}:\n" + "\n".join(f"- {line}" for line in lines))
    loads = [float(result.about["load"]) for results in every.values() for result in results.values()]
    if max(loads) > (os.cpu_count() or 1) / 2:
        print(f"\nThe machine was busy with other things (up to {max(loads):g} cores): these figures are worth little.")
    print(f"\n{n_compared} figures compared with those committed last, {len(worse)} worse; {len(failing)} errors.")
    return 1 if worse or failing else 0


def main() -> int:
    options = arguments()
    if options.list:
        for suite in SUITES:
            print(f"{suite.name}: {', '.join(case.name + ' (long)' * case.long for case in suite.cases)}")
        return 0
    if options.report:
        report()
        return 0
    suites = chosen(options.wanted, quick=options.quick)
    with session(options.dsn or PrivateServer().up()) as here:
        every = measure(here, suites, quick=options.quick)
    if not options.quick:
        report()
    return verdict(every)


if __name__ == "__main__":
    sys.exit(main())
