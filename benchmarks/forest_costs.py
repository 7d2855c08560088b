"""What a forest costs against its trees, rows and columns: processor time of one process of the server.

The time that a processor spends does not depend on who else waits for it, so a busy machine says nearly the same as an
idle one. One size changes at a time, the others stay as `cases.forests` has them. The table is that of docs/forests.md,
from which its figure is drawn (`make docs`). The schema that the script works in is dropped at the end.
"""

from __future__ import annotations

import argparse
import os
import sys

import psycopg
from cases.forests import COLUMN_COUNTS, OF_COLUMNS, OF_ROWS, OF_TREES, ROW_COUNTS, TREE_COUNTS
from measure import machine
from measure.inside import TrainForest
from measure.readme import table as markdown
from measure.session import session
from measure.table import drop_others, make, uniform
from score_outside import computed

from madtree.embedded import PrivateServer


def least(db: psycopg.Connection, n_rows: int, n_columns: int, n_trees: int, runs: int) -> float:
    """Seconds of the run that took least."""
    table = uniform(n_rows, n_columns)
    drop_others(db, [table])
    make(db, table)
    statement = TrainForest(table, n_trees=n_trees, more="parallel_workers => 0").statement
    found = []
    for _ in range(runs):
        before = computed(db)
        db.execute(statement)
        found.append(computed(db) - before)
    print(f"{n_trees} trees, {n_rows:,} rows, {n_columns} columns: {min(found):.3f} s", file=sys.stderr, flush=True)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", help="a server with madtree on this machine, as superuser; default: your private one")
    parser.add_argument("--runs", type=int, default=3, help="timed runs of each size (default: %(default)s)")
    options = parser.parse_args()
    with session(options.dsn or PrivateServer().up()) as opened:
        load = f"{machine.load():.1f} of {os.cpu_count()} cores busy at the start"
        costs = {
            "trees": [(n, least(opened.db, OF_ROWS, OF_COLUMNS, n, options.runs)) for n in TREE_COUNTS],
            "rows": [(n, least(opened.db, n, OF_COLUMNS, OF_TREES, options.runs)) for n in ROW_COUNTS],
            "columns": [(n, least(opened.db, OF_ROWS, n, OF_TREES, options.runs)) for n in COLUMN_COUNTS],
        }
        print(f"{machine.processor()}, {load}; seconds of processor time\n")
    headings = [heading for name in costs for heading in (name, "seconds")]
    lines = []
    for place in range(max(map(len, costs.values()))):
        cells = [of_size[place] if place < len(of_size) else None for of_size in costs.values()]
        lines.append(
            [text for cell in cells for text in (("", "") if cell is None else (f"{cell[0]:,}", f"{cell[1]:.2f}"))]
        )
    print("\n".join(markdown(headings, lines)))


if __name__ == "__main__":
    main()
