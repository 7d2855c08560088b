"""The cost model of docs/scale.md, fitted to trainings on a Citus cluster.

    seconds of dealing = deal_value * values                values: rows times (columns that are dealt)
    seconds of packing = pack_value * values
    seconds of a pass = pass_start + shards * (task + state_byte * bytes of a state) + count_cell * cells

The first two are slopes between two sizes. The last line is fitted by least squares to all passes of trainings with
several numbers of rows, shards and bins; the state is the one that travels from each shard. The learner's loop runs in
this process, as a coordinator's would, and times what it asks of the cluster.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import psycopg
from psycopg.rows import dict_row

from madtree.host.protocol import Row
from madtree.learn.data import codec
from madtree.request.arguments import check_arguments
from madtree.train.train import train

SCHEMA = "madtree_bench_distributed"
N_FEATURES = 10
SIZES = (500_000, 2_000_000)
SHARDS = (4, 16)
BINS = (50, 200)


@dataclass
class TimedHost:
    """A psycopg connection as a host that keeps the seconds of dealing, packing and counting.

    Attributes:
        moving: seconds in which rows moved to new nodes.
        passes: of each pass its seconds, the bytes of its state, and the features that it counts.
        scattered: seconds of passes whose states the servers added up.
    """

    db: psycopg.Connection
    dealing: float = 0.0
    packing: float = 0.0
    moving: float = 0.0
    passes: list[tuple[float, int, int]] = field(default_factory=list)
    scattered: float = 0.0

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        rows, seconds = self._timed(sql, types, params)
        if "madtree_states_" in sql or any("madtree_states_" in str(param)[:200] for param in params):
            self.scattered += seconds
        elif "madtree_internal.node_statistics(" in sql:
            first, last = codec.load(params[0]).get("features", (0, 0))
            self.passes.append((seconds, len(rows[0]["shared"]), last - first))
        elif "madtree_internal.run_on_servers(" in sql:
            if "madtree_internal.pack_images(" in params[0]:
                self.packing += seconds
            else:
                self.dealing += seconds
        return rows

    def command(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> int:
        rows, seconds = self._timed(sql, types, params)
        if "madtree_internal.moved_nodes(" in sql:
            self.moving += seconds
        elif sql.startswith("TRUNCATE"):
            self.scattered += seconds
        return len(rows)

    def stream(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = (), batch: int = 1) -> Iterator[Row]:
        yield from self.query(sql, types, params)

    def notice(self, message: str) -> None: ...

    def warning(self, message: str) -> None: ...

    def info(self, message: str) -> None: ...

    def _timed(self, sql: str, types: Sequence[str], params: Sequence[Any]) -> tuple[list[Row], float]:
        with self.db.cursor(row_factory=dict_row) as cursor:
            if types:
                cursor.execute(f"PREPARE madtree_bench ({', '.join(types)}) AS {sql}".encode())
                literals = psycopg.sql.SQL(", ").join(map(psycopg.sql.Literal, params))
                statement = psycopg.sql.SQL("EXECUTE madtree_bench ({})").format(literals).as_bytes(cursor)
            else:
                statement = sql.encode()
            begin = time.perf_counter()
            cursor.execute(statement)
            rows = cursor.fetchall() if cursor.description else []
            seconds = time.perf_counter() - begin
            if types:
                cursor.execute("DEALLOCATE madtree_bench")
        return rows, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dsn", help="a database of the coordinator, as superuser, with citus and madtree")
    parser.add_argument("--rounds", type=int, default=3, help="trainings of each size (default: %(default)s)")
    options = parser.parse_args()
    with psycopg.connect(options.dsn, autocommit=True, prepare_threshold=None) as db:
        workers = db.execute("SELECT count(*) FROM pg_dist_node WHERE groupid > 0 AND shouldhaveshards").fetchone()
        db.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}")
        try:
            measured = [(n, s, b, training(db, n, s, b, options.rounds)) for n, s, b in settings(db)]
        finally:
            db.execute(f"DROP SCHEMA {SCHEMA} CASCADE")
    print(f"{workers[0] if workers else 0} workers, medians of {options.rounds} trainings, {N_FEATURES} features")
    for name in ("dealing", "packing"):
        seconds = [
            statistics.median(getattr(h, name) for n, _, _, hosts in measured for h in hosts if n == size)
            for size in SIZES
        ]
        slope = (seconds[1] - seconds[0]) / ((SIZES[1] - SIZES[0]) * (N_FEATURES + 1))
        print(f"{name}: {slope * 1e9:.0f} ns a value")
    print(fitted(measured))


def settings(db: psycopg.Connection) -> Iterator[tuple[int, int, int]]:
    """Rows, shards and bins of each training; makes the tables on the way."""
    features = ", ".join(f"random() AS x{i}" for i in range(1, N_FEATURES + 1))
    for n_rows in SIZES:
        for n_shards in SHARDS:
            db.execute(f"SET citus.shard_count = {n_shards}")
            db.execute(f"DROP TABLE IF EXISTS {SCHEMA}.data")
            db.execute(
                f"CREATE TABLE {SCHEMA}.data AS SELECT i AS id, {features}, 0 AS label "
                f"FROM generate_series(1, {n_rows}) AS i"
            )
            db.execute(f"UPDATE {SCHEMA}.data SET label = (x1 + x2 * x3 + random() > 1.2)::int")
            db.execute(f"SELECT create_distributed_table('{SCHEMA}.data', 'id', colocate_with => 'none')")
            db.execute(f"VACUUM ANALYZE {SCHEMA}.data")
            for n_bins in BINS:
                yield n_rows, n_shards, n_bins


def training(db: psycopg.Connection, n_rows: int, n_shards: int, n_bins: int, rounds: int) -> list[TimedHost]:
    names = ", ".join(f"x{i}" for i in range(1, N_FEATURES + 1))
    hosts = []
    for _ in range(rounds):
        hosts.append(TimedHost(db))
        with db.transaction(force_rollback=True):
            task = check_arguments(
                hosts[-1], f"{SCHEMA}.data", f"{SCHEMA}.model", "id", "label", names,
                None, "gini", None, None, 9, None, None, n_bins, None, None, False, 1, False, None, 64,
            )  # fmt: skip
            begin = time.perf_counter()
            train(hosts[-1], task)
            seconds = time.perf_counter() - begin
        print(
            f"{n_rows} rows, {n_shards} shards, {n_bins} bins: {seconds:.2f} s: dealing {hosts[-1].dealing:.2f}, "
            f"packing {hosts[-1].packing:.2f}, {len(hosts[-1].passes)} passes "
            f"{sum(taken for taken, _, _ in hosts[-1].passes):.2f}, scattered ones {hosts[-1].scattered:.2f}, "
            f"moving {hosts[-1].moving:.2f}",
            flush=True,
        )
    return hosts


def fitted(measured: Sequence[tuple[int, int, int, list[TimedHost]]]) -> str:
    """The pass's constants by least squares over the relative errors, and how well they tell a pass's seconds."""
    terms, seconds = [], []
    for n_rows, n_shards, _, hosts in measured:
        # The first pass of a session loads Python and numpy on every connection.
        for passes in zip(*(host.passes[1:] for host in hosts), strict=True):
            _, n_bytes, n_features = passes[0]
            terms.append((1.0, n_shards, n_bytes * n_shards, n_rows * n_features))
            seconds.append(statistics.median(taken for taken, _, _ in passes))
    matrix, taken = np.array(terms), np.array(seconds)
    constants, *_ = np.linalg.lstsq(matrix / taken[:, None], np.ones(len(taken)), rcond=None)
    errors = np.abs(matrix @ constants / taken - 1)
    return (
        f"a pass: {constants[0] * 1e3:.1f} ms + {constants[1] * 1e3:.2f} ms a shard + "
        f"{constants[2] * 1e9:.1f} ns a byte of state and shard + {constants[3] * 1e9:.2f} ns a cell; "
        f"half of the passes within {np.median(errors):.0%}, nine of ten within {np.quantile(errors, 0.9):.0%}"
    )


if __name__ == "__main__":
    main()
