"""What a pass costs the coordinator of a Citus cluster, by the number of shards and a state's size (docs/scale.md).

Many shards are simulated on few servers: the rows of a table with that many shards hold a state each, in place of
blocks that would be counted, and are sent, added up and cleared away by the statements of a training. What is measured
is the processor time of the coordinator's own process, which does not depend on how many servers there are or how busy
they are. The coordinator must run on this machine.

    direct:   every shard's state comes to the coordinator, which adds them up
    scatter:  every shard's state goes to the servers in pieces, which add them up, and the sums come to the coordinator
    move:     an UPDATE of every shard, with a plan of that size
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import psycopg

from madtree.sqltext.distributed import DistributedTables

SCHEMA = "madtree_bench_coordinator"
SHARDS = (16, 64, 256, 1024)
STATES = (2**16, 2**19, 2**21)
PLANS = (2**10, 2**17)
MOST_BYTES = 2**28  # of all states together
PIECES = 32


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dsn", help="a database of the coordinator, as superuser, with citus and madtree")
    parser.add_argument("--rounds", type=int, default=3, help="of each figure, the least counts (default: %(default)s)")
    options = parser.parse_args()
    with psycopg.connect(options.dsn, autocommit=True, prepare_threshold=None) as db:
        db.execute("SET citus.max_adaptive_executor_pool_size = 4")
        db.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}")
        try:
            for line in figures(db, options.rounds):
                print(line, flush=True)
        finally:
            db.execute(f"DROP SCHEMA {SCHEMA} CASCADE")


def figures(db: psycopg.Connection, rounds: int) -> Iterator[str]:
    tables = DistributedTables(SCHEMA, "bench")
    for n_shards in SHARDS:
        n_pieces = min(n_shards, PIECES)
        db.execute(
            f"CREATE UNLOGGED TABLE {tables.name('blocks')} (shard_key int, state madtree_internal.packed)".encode()
        )
        db.execute(tables.create_states().encode())
        keys, piece_keys = (shards(db, tables.name(t), n) for t, n in (("blocks", n_shards), ("states", n_pieces)))
        for plan in PLANS:
            value = f"'\\x{'00' * plan}'::bytea::madtree_internal.packed"
            update = f"UPDATE {tables.name('blocks')} SET state = {value} WHERE state IS NULL"
            cpu = least(db, rounds, lambda update=update: db.execute(update.encode()))  # type: ignore[misc]
            yield f"{n_shards} shards, move by {plan} bytes: {cpu * 1e3:.0f} ms"
        for size in STATES:
            if n_shards * size > MOST_BYTES:
                continue
            fill(db, tables.name("blocks"), keys, size)
            # In place of counting: the state that is there.
            counted = f"SELECT madtree_internal.sum_of_states(state) AS state FROM {tables.name('blocks')}"
            direct = least(db, rounds, lambda counted=counted: db.execute(counted.encode()))  # type: ignore[misc]
            statement = tables.scatter_states(piece_keys, -(-size // 4 // n_pieces) * 4)
            begin, end = statement.index("FROM (") + 6, statement.index(" GROUP BY shard_key")
            scattering = statement[:begin] + counted.replace("SELECT", "SELECT shard_key,", 1) + statement[end:]

            def scatter(scattering: str = scattering) -> None:
                for sql in (scattering, tables.gathered_states(), tables.empty_states()):
                    db.execute(sql.encode())

            scattered = least(db, rounds, scatter)
            yield (
                f"{n_shards} shards, states of {size} bytes: direct {direct * 1e3:.0f} ms "
                f"({direct / n_shards / size * 1e9:.1f} ns a byte and shard), scattered {scattered * 1e3:.0f} ms"
            )
        db.execute(tables.drop(["blocks", "states"]).encode())


def shards(db: psycopg.Connection, table: str, n: int) -> list[int]:
    """Distribute a table over `n` shards; a key of each."""
    db.execute(
        "SELECT create_distributed_table(%s, 'shard_key', colocate_with => 'none', shard_count => %s)", [table, n]
    )
    found = db.execute(
        "SELECT min(k) FROM (SELECT k, get_shard_id_for_distribution_column(%s::regclass, k) AS shard "
        "FROM generate_series(0, %s) AS k) AS s GROUP BY shard ORDER BY 1",
        [table, 16 * n],
    )
    return [key for (key,) in found.fetchall()]


def fill(db: psycopg.Connection, table: str, keys: list[int], size: int) -> None:
    """One state of that size in each shard."""
    state = b"<i4".ljust(8) + np.arange(size // 4, dtype="<i4").tobytes()
    db.execute(f"TRUNCATE {table}".encode())
    for key in keys:
        db.execute(f"INSERT INTO {table} VALUES (%s, %s::bytea::madtree_internal.packed)".encode(), [key, state])


def least(db: psycopg.Connection, rounds: int, action: Callable[[], object]) -> float:
    """The least processor time, in seconds, that the session's process took for an action."""
    path, ticks = Path(f"/proc/{db.info.backend_pid}/stat"), os.sysconf("SC_CLK_TCK")

    def taken() -> float:
        fields = path.read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / ticks

    found = []
    for _ in range(rounds + 1):  # the first one opens connections and loads Python
        before = taken()
        action()
        found.append(taken() - before)
    return min(found[1:])


if __name__ == "__main__":
    main()
