"""A training over a slow network: by the extension, of which only a call goes over it, by the client engine, which
fetches the columns that it needs, and by fetching the rows for LightGBM.

The network lets so many bits a second through in each direction, and counts them; it adds no delay. The schema that the
script works in is dropped at the end.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace

from measure import machine
from measure.by_client import TrainByClient
from measure.inside import Train
from measure.network import network_to
from measure.outside import LightGBM
from measure.readme import table as markdown
from measure.session import Session, connect, session
from measure.table import make, uniform

from madtree.embedded import PrivateServer

COLUMNS = 10
HEADINGS = ("way", "seconds", "bytes a row from the server", "and to it")


def measured(here: Session, rows: int, bits_per_second: float, runs: int) -> Iterator[tuple[str, ...]]:
    """A line of the table for each way."""
    table = uniform(rows, COLUMNS)
    make(here.db, table)
    ways = {
        "the extension": Train(table, model="by_extension"),
        "the client engine": TrainByClient(table, model="by_client"),
        "ADBC, LightGBM": LightGBM(table),
    }
    for name, way in ways.items():
        seconds = []
        for _ in range(runs):
            with network_to(here.dsn, bits_per_second) as network, connect(network.dsn) as db:
                action = way.action(replace(here, dsn=network.dsn, db=db, free=db))
                begin = time.perf_counter()
                action.run()
                seconds.append(time.perf_counter() - begin)
        received, sent = (f"{n_bytes / rows:.1f}" for n_bytes in (network.received, network.sent))
        yield name, f"{statistics.median(seconds):.2f}", received, sent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", help="a server with madtree in it, as superuser; default: your private one")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the table (default: %(default)s)")
    parser.add_argument("--mbit", type=float, default=100.0, help="a second, each way (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="timed runs of each way (default: %(default)s)")
    options = parser.parse_args()
    with session(options.dsn or PrivateServer().up()) as opened:
        load = f"{machine.load():.1f} of {os.cpu_count()} cores busy at the start"
        print(f"{machine.processor()}, {load}; {options.rows:,} rows, {COLUMNS} columns; {options.mbit:g} Mbit/s\n")
        lines = measured(opened, options.rows, options.mbit * 1e6, options.runs)
        print("\n".join(markdown(HEADINGS, list(lines))))


if __name__ == "__main__":
    main()
