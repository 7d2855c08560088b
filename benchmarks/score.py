"""Where scoring by an expression and scoring by blocks cross, what either costs beyond a bare CREATE TABLE AS, and
what a model of 10,000 groups costs beside a single tree.

Everything runs in one process unless it says otherwise, in turns, on the same rows; ratios are ratios of medians.
Beside the seconds on the wall stand those that the server's process spent computing (where the script runs on the
server's machine), which a busy machine disturbs less. The schema that the script works in is dropped at the end.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import psycopg
from measure import inside, machine
from measure.readme import table as markdown
from measure.session import session
from measure.table import SCHEMA, Table, derived, make, uniform
from measure.timing import Action, Parts, Timing, interleaved

from madtree.embedded import PrivateServer
from madtree.score.case_or_blocks import Work

ROWS = 1_000_000
GROUPS = 10_000
COMPUTING = "computing"
BARE = "CREATE TABLE AS SELECT id, x1"
# Depths of full trees on a target with signal at every depth: twice the leaves each.
DEPTHS = (4, 6, 8, 9, 10, 11, 12, 13, 15)
SIGNAL = "x1 + x2 * x3 + x4 * x5 + x6"

WAYS = {"expression": "false", "blocks": "true", "as chosen": "NULL"}
SCORE = f"""
CREATE FUNCTION {SCHEMA}.score(model text, source text, target text, type text, in_blocks boolean) RETURNS text
LANGUAGE plpython3u SET jit = off AS $$
from madtree.host.plpy import PlpyHost
from madtree.score.predict import tree_predict
return tree_predict(PlpyHost(plpy), model, source, target, type, in_blocks=in_blocks)
$$"""


class Benchmark:
    """The measurements; each prints a table."""

    def __init__(self, db: psycopg.Connection, rows: int, runs: int) -> None:
        self.db = db
        self.runs = runs
        self.base = uniform(rows, 10)
        make(db, self.base)
        db.execute("SELECT madtree.tree_predict()")  # loads the Python half
        db.execute(SCORE)

    def crossing(self, depths: Sequence[int]) -> None:
        """Both ways for trees of more and more leaves."""
        rows = []
        for depth in depths:
            self._train(self.base, f"depth{depth}", SIGNAL, f"max_depth => {depth}, min_split => 4, min_bucket => 1")
            leaves = self._leaves(f"depth{depth}")
            timings = self._time(
                {
                    BARE: self._bare(self.base),
                    **{way: self._score(f"depth{depth}", self.base, flag) for way, flag in WAYS.items()},
                }
            )
            work = Work(self.base.n_rows, leaves, len(self.base.features), 1)
            chosen = "blocks" if work.in_blocks else "expression"
            quicker = min(("expression", "blocks"), key=lambda way: _computing(timings[way]))
            rows.append((f"{leaves:,}", *_columns(timings, [BARE, *WAYS]), chosen, quicker))
        print("Seconds by leaves, of one tree without missing values; in brackets those spent computing\n")
        _print_table(("leaves", BARE, *WAYS, "chosen", "quicker"), rows)

    def five_hundred_leaves(self) -> None:
        """A classification tree of about 500 leaves, and where its time beyond the bare statement goes."""
        self._train(self.base, "classes", "y", inside.SHAPE)
        few = uniform(1, 10, "few")
        make(self.db, few)
        last = self.base.features[-1]
        constant = "reading all columns, one comparison"
        timings = self._time(
            {
                BARE: self._bare(self.base),
                constant: self._create(
                    f"SELECT id, CASE WHEN {last} > 2 THEN 1 ELSE 0 END AS y FROM {self.base.relation}"
                ),
                "tree_predict, response": self._score("classes", self.base, "false"),
                "tree_predict, prob": self._score("classes", self.base, "false", "prob"),
                "tree_predict, one row": self._score("classes", few, "false"),
            }
        )
        print(f"\nA tree of {self._leaves('classes'):,} leaves\n")
        self._print_ratios(timings, BARE)
        self.db.execute("SET max_parallel_workers_per_gather = 2")  # PostgreSQL's default
        shared = {BARE: self._bare(self.base), "tree_predict": self._score("classes", self.base, "NULL")}
        timings = self._time(shared)
        self.db.execute("SET max_parallel_workers_per_gather = 0")
        print("\nThe same, where two workers are allowed (computing is the leader's alone)\n")
        self._print_ratios(timings, BARE)

    def groups(self) -> None:
        """A model of many groups beside a single tree, on the same rows."""
        columns = f"*, (id % {GROUPS})::int AS g"
        grouped = derived("grouped", self.base, columns, self.base.features)
        make(self.db, grouped)
        self._train(grouped, "groups", "y", "grouping_cols => 'g'")
        single, many = "a single tree", f"{GROUPS:,} groups"
        timings = self._time(
            {single: self._score("classes", grouped, "NULL"), many: self._score("groups", grouped, "NULL")}
        )
        print(f"\n{GROUPS:,} groups, {self._leaves('groups'):,} leaves in all\n")
        self._print_ratios(timings, single)

    def _train(self, table: Table, model: str, dependent: str, options: str) -> None:
        features = ", ".join(table.features)
        given = ", ".join(f"'{text}'" for text in (table.relation, f"{SCHEMA}.{model}", "id", dependent, features))
        self.db.execute(f"SELECT madtree.tree_train({given}, {options})")

    def _leaves(self, model: str) -> int:
        row = self.db.execute(f"SELECT sum(n_leaves) FROM {SCHEMA}.{model}").fetchone()
        assert row is not None
        return int(row[0])

    def _time(self, actions: dict[str, Action]) -> dict[str, Timing]:
        timings = interleaved(actions, dict.fromkeys(actions, self.runs))
        self._drop()
        return timings

    def _print_ratios(self, timings: dict[str, Timing], below: str) -> None:
        wall, computing = timings[below].median, _computing(timings[below])
        rows = [
            (
                name,
                f"{t.median:.3f}",
                f"{t.median / wall:.2f}",
                f"{_computing(t):.3f}",
                f"{_computing(t) / computing:.2f}",
            )
            for name, t in timings.items()
        ]
        _print_table(("what", "median s", f"x {below}", f"{COMPUTING} s", f"x {below}"), rows)

    def _bare(self, table: Table) -> Action:
        return self._create(f"SELECT id, x1 FROM {table.relation}")

    def _create(self, query: str) -> Action:
        return self._action(f"CREATE TABLE {SCHEMA}.out AS {query}")

    def _score(self, model: str, table: Table, in_blocks: str, type_: str = "response") -> Action:
        return self._action(
            f"SELECT {SCHEMA}.score('{SCHEMA}.{model}', '{table.relation}', '{SCHEMA}.out', '{type_}', {in_blocks})"
        )

    def _action(self, statement: str) -> Action:
        def run() -> Parts | None:
            before = self._computed()
            self.db.execute(statement)
            return None if before is None else {COMPUTING: (self._computed() or 0) - before}

        return Action(run, prepare=self._drop)

    def _drop(self) -> None:
        self.db.execute(f"DROP TABLE IF EXISTS {SCHEMA}.out")

    def _computed(self) -> float | None:
        """Seconds that the server's process has spent on a processor; None where it runs elsewhere."""
        try:
            return int(Path(f"/proc/{self.db.info.backend_pid}/schedstat").read_text().split()[0]) / 1e9
        except OSError:
            return None


def _print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print("\n".join(markdown(headings, rows)))


def _computing(timing: Timing) -> float:
    return timing.part_medians.get(COMPUTING, timing.median)


def _columns(timings: dict[str, Timing], names: Sequence[str]) -> list[str]:
    return [f"{timings[name].median:.3f} ({_computing(timings[name]):.3f})" for name in names]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", help="a server with madtree in it, as superuser; default: your private server")
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of the table (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each thing (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="two runs, and fewer sizes of trees")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    dsn = options.dsn or PrivateServer().up()
    with session(dsn) as opened:
        load = f"{machine.load():.1f} of {os.cpu_count()} cores busy at the start"
        print(f"{machine.processor()}, {load}; {options.rows:,} rows, 10 columns\n")
        benchmark = Benchmark(opened.db, options.rows, 2 if options.quick else options.runs)
        benchmark.crossing(DEPTHS[::3] if options.quick else DEPTHS)
        benchmark.five_hundred_leaves()
        benchmark.groups()


if __name__ == "__main__":
    main()
