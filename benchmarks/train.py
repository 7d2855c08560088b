"""How fast madtree trains and scores, beside what else could be done with the same rows on the same machine.

Every ratio is made of medians of runs that alternate, in one session of this script. It works in a schema of its own,
which it drops at the end, and exits with 0 whether or not a target is met.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from measure import inside, machine, memory, outside
from measure.data import SCHEMA, Table, make_iris, make_table
from measure.report import Target, print_targets, print_timings, write_json
from measure.timing import Action, Timing, interleaved

from madtree.embedded import PrivateServer

ROWS = 1_000_000
BUDGET = 64 * memory.MEGABYTE  # madtree's default memory_mb
TIMES = "x"


class Benchmark:
    """The measurements, one method each; each adds to the timings and targets."""

    def __init__(self, dsn: str, db: psycopg.Connection, rows: int, runs: int) -> None:
        self.dsn = dsn
        self.db = db
        self.runs = runs
        self.base = make_table(db, "base", rows, 10)
        self.timings: dict[str, Timing] = {}
        self.targets: list[Target] = []

    def reading(self) -> None:
        """One process against the plain scan, and what workers add."""
        self._time(
            {
                "column sums, one process": inside.column_sums(self.db, self.base),
                "tree_train, one process": inside.train(self.db, self.base),
                "tree_train": inside.train(self.db, self.base, workers=None),
                "tree_train, two workers asked for": inside.train(self.db, self.base, workers=2),
            }
        )
        self._ratio(
            "tree_train / column sums, one process each", 8, "tree_train, one process", "column sums, one process"
        )

    def validating(self) -> None:
        """What cross-validation and surrogates add to a training, in one process."""
        plain, folds, surrogates = "tree_train beside ten folds", "tree_train, ten folds", "tree_train, five surrogates"
        self._time(
            {
                plain: inside.train(self.db, self.base),
                folds: inside.train(self.db, self.base, pruning_params="n_folds=10"),
                surrogates: inside.train(self.db, self.base, surrogate_params="max_surrogates=5"),
            },
            (self.runs + 1) // 2,
        )
        self._ratio("ten folds / a training without", 6, folds, plain)

    def lightgbm(self) -> None:
        """The faster way out, then LightGBM."""
        routes = interleaved({name: outside.extract(self.dsn, self.base, name) for name in outside.EXTRACTORS}, 2)
        route = min(routes, key=lambda name: routes[name].median)
        self.timings |= {f"extract by {name}": timing for name, timing in routes.items()}
        self._time(
            {
                "tree_train beside LightGBM": inside.train(self.db, self.base, workers=None),
                f"{route}, LightGBM": outside.lightgbm_tree(self.dsn, self.base, route),
                "tree_train beside LightGBM, one process": inside.train(self.db, self.base),
                f"{route}, LightGBM, one thread": outside.lightgbm_tree(self.dsn, self.base, route, threads=1),
            }
        )
        self._ratio(f"tree_train / {route} + LightGBM", 1.0, "tree_train beside LightGBM", f"{route}, LightGBM")
        self._ratio(
            f"tree_train / {route} + LightGBM, one process and one thread",
            1.0,
            "tree_train beside LightGBM, one process",
            f"{route}, LightGBM, one thread",
        )

    def scikit_learn(self) -> None:
        name = "psycopg, pandas, scikit-learn"
        self._time({name: outside.scikit_learn_tree(self.dsn, self.base)}, runs=(self.runs + 1) // 2, warm_up=False)
        speed_up = self.timings[name].median / self.timings["tree_train"].median
        self.targets.append(Target(f"{name} / tree_train", 10, speed_up, TIMES, at_least=True))

    def predicting(self) -> None:
        """With the server's own settings for workers, and in one process; either holds for both sides."""
        inside.train(self.db, self.base).run()
        constant, predict = "CREATE TABLE AS SELECT id, 1", "tree_predict"
        with psycopg.connect(self.dsn, autocommit=True) as session:
            for suffix, db in (("", session), (", one process", self.db)):
                self._time(
                    {
                        constant + suffix: inside.write_constant(db, self.base),
                        predict + suffix: inside.predict(db, self.base),
                    }
                )
                self._ratio(f"{predict} / {constant}{suffix}", 1.6, predict + suffix, constant + suffix)

    def more_columns(self) -> None:
        wide = make_table(self.db, "wide", self.base.n_rows, 4 * self.base.n_columns)
        with self._dropped(wide):
            self._grown("40 columns", 4.4, wide)
            self._peak(wide)

    def more_rows(self) -> None:
        """Ten times the rows: seconds, and memory, which must not grow with them."""
        long = make_table(self.db, "long", 10 * self.base.n_rows, self.base.n_columns)
        with self._dropped(long):
            self._grown(f"{long.n_rows:,} rows", 11, long)
            self._peak(long)

    def small_calls(self) -> None:
        """What a call costs where there is nothing to compute."""
        iris = make_iris(self.db)
        warm, cold = "tree_train on iris, warm", "tree_train on iris, first call of a session"
        self._time({warm: inside.train(self.db, iris, workers=None, model="iris_model")}, runs=4 * self.runs)
        self._time({cold: inside.first_call(self.dsn, iris)})
        self.targets.append(Target(warm, 60, 1000 * self.timings[warm].median, "ms"))
        self.targets.append(Target(cold, 0.5, self.timings[cold].median, "s"))

    def memory(self) -> None:
        self._peak(self.base)

    def _time(self, actions: dict[str, Action], runs: int | None = None, warm_up: bool = True) -> None:
        self.timings |= interleaved(actions, runs or self.runs, warm_up)

    def _ratio(self, what: str, limit: float, above: str, below: str) -> None:
        self.targets.append(Target(what, limit, self.timings[above].median / self.timings[below].median, TIMES))

    def _grown(self, what: str, limit: float, table: Table) -> None:
        """One process on a larger table against the base, alternating."""
        base, larger = f"tree_train beside {what}", f"tree_train on {what}, one process"
        runs = (self.runs + 1) // 2
        self._time({base: inside.train(self.db, self.base), larger: inside.train(self.db, table)}, runs)
        self._ratio(f"{what} / {self.base.n_rows:,} rows, 10 columns", limit, larger, base)

    def _peak(self, table: Table) -> None:
        peak = memory.peak_while_training(self.dsn, table)
        self.targets.append(
            Target(
                f"peak memory of the backend, {table.n_rows:,} rows, {table.n_columns} columns",
                memory.allowed(table, BUDGET) / memory.MEGABYTE,
                None if peak is None else peak / memory.MEGABYTE,
                "MB",
            )
        )

    @contextmanager
    def _dropped(self, table: Table) -> Iterator[None]:
        try:
            yield
        finally:
            self.db.execute(f"DROP TABLE {table.name}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", help="a server with madtree in it, as superuser; default: your private server")
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of the base table (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each thing (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="two runs, and no table of ten times the rows")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write all figures to this file, too")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    dsn = options.dsn or PrivateServer().up()
    with inside.connect(dsn) as db:
        db.execute("CREATE EXTENSION IF NOT EXISTS madtree CASCADE")
        db.execute(f"CREATE SCHEMA {SCHEMA}")
        try:
            about = machine.describe(db)
            for name, text in about.items():
                print(f"{name}: {text}")
            benchmark = Benchmark(dsn, db, options.rows, 2 if options.quick else options.runs)
            steps = [benchmark.reading, benchmark.validating, benchmark.lightgbm, benchmark.scikit_learn]
            steps += [benchmark.predicting, benchmark.more_columns, benchmark.small_calls, benchmark.memory]
            if not options.quick:
                steps.append(benchmark.more_rows)
            for step in steps:
                step()
        finally:
            db.execute(f"DROP SCHEMA {SCHEMA} CASCADE")
    print(f"\n{options.rows:,} rows, 10 columns, binary label with 10 % noise, depth 10, 100 bins\n")
    print_timings(benchmark.timings)
    print()
    print_targets(benchmark.targets)
    if options.json:
        write_json(options.json, about, benchmark.timings, benchmark.targets)


if __name__ == "__main__":
    main()
