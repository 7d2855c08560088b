"""What prediction costs where the server has no function of madtree's, beside the extension on the same model and rows.

An expression is the same statement by either. By blocks, the client gets the rows' numbers and sends back what they
come to: the seconds are those that the server's process and the client's spent computing, and the bytes those that
the network has carried. Everything runs in one process on each side. The schema that the script works in is dropped
at the end.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from measure import machine
from measure.network import network_to
from measure.readme import table as markdown
from measure.session import session
from measure.table import SCHEMA, make, uniform

from madtree.embedded import PrivateServer
from madtree.host.psycopg import PsycopgHost
from madtree.score.predict import score_table, tree_predict

ROWS = 1_000_000
COLUMNS = 10
SIGNAL = "x1 + x2 * x3 + x4 * x5 + x6"
# By name: function, type of prediction, and how it is trained.
MODELS = {
    "a tree, depth 9": ("tree", "response", "max_depth => 9"),
    "a tree, depth 15": ("tree", "response", "max_depth => 15, min_split => 4, min_bucket => 1"),
    "a forest of 20 trees, depth 10": (
        "forest",
        "response",
        "num_trees => 20, max_tree_depth => 10, importance => false",
    ),
}
HEADINGS = (
    "model", "leaves", "way", "extension: server", "client: server", "client: client", "ratio", "bytes a row to it",
    "and from it",
)  # fmt: skip


def computed(db: psycopg.Connection) -> float:
    """Seconds that the server's process has spent on a processor; it must run on this machine."""
    return int(Path(f"/proc/{db.info.backend_pid}/schedstat").read_text().split()[0]) / 1e9


@contextmanager
def without_target(db: psycopg.Connection) -> Iterator[None]:
    yield
    db.execute(f"DROP TABLE {SCHEMA}.out")


def least(db: psycopg.Connection, run: Callable[[], object], runs: int) -> tuple[float, float]:
    """Seconds of the server's and of this process, of the run that took least of both."""
    found = []
    for _ in range(runs):
        with without_target(db):
            before = computed(db), time.process_time()
            run()
            found.append((computed(db) - before[0], time.process_time() - before[1]))
    return min(found, key=sum)


def outside(db: psycopg.Connection, kind: str, type_: str, source: str, in_blocks: bool) -> Callable[[], object]:
    """A prediction over the session `db` that calls nothing of the extension's."""
    arguments = f"{SCHEMA}.model", source, f"{SCHEMA}.out", type_

    def run() -> None:
        with db.transaction():
            host = PsycopgHost(db)
            if kind == "forest":
                score_table(host, *arguments, function="forest_predict")
            else:
                tree_predict(host, *arguments, in_blocks)

    return run


def measured(db: psycopg.Connection, dsn: str, rows: int, runs: int) -> Iterator[tuple[str, ...]]:
    """A line of the table for each model and way."""
    table = uniform(rows, COLUMNS)
    make(db, table)
    for name, (kind, type_, options) in MODELS.items():
        given = f"'{table.relation}', '{SCHEMA}.model', 'id', '{SIGNAL}', '{table.arguments}', replace => true"
        db.execute(f"SELECT madtree.{kind}_train({given}, {options})")
        leaves = db.execute(f"SELECT sum(n_leaves) FROM {SCHEMA}.model").fetchone()
        call = f"SELECT madtree.{kind}_predict('{SCHEMA}.model', '{table.relation}', '{SCHEMA}.out', '{type_}')"
        extension, _ = least(db, lambda call=call: db.execute(call), runs)  # type: ignore[misc]
        for in_blocks in (False, True) if kind == "tree" else (True,):
            server, client = least(db, outside(db, kind, type_, table.relation, in_blocks), runs)
            with (
                network_to(dsn) as network,
                psycopg.connect(network.dsn, autocommit=True) as other,
                without_target(other),
            ):
                outside(other, kind, type_, table.relation, in_blocks)()
            yield (
                name,
                f"{leaves[0]:,}" if leaves else "",
                "blocks" if in_blocks else "expression",
                f"{extension:.3f}",
                f"{server:.3f}",
                f"{client:.3f}",
                f"{(server + client) / extension:.2f}",
                f"{network.received / rows:.1f}",
                f"{network.sent / rows:.1f}",
            )
        db.execute(f"SELECT madtree.tree_drop('{SCHEMA}.model')")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", help="a server with madtree on this machine, as superuser; default: your private one")
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of the table (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each thing (default: %(default)s)")
    options = parser.parse_args()
    dsn = options.dsn or PrivateServer().up()
    with session(dsn) as opened:
        load = f"{machine.load():.1f} of {os.cpu_count()} cores busy at the start"
        print(f"{machine.processor()}, {load}; {options.rows:,} rows, {COLUMNS} columns; seconds of processor time\n")
        print("\n".join(markdown(HEADINGS, list(measured(opened.db, dsn, options.rows, options.runs)))))


if __name__ == "__main__":
    main()
