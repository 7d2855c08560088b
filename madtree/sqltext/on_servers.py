"""Statements that run on the servers of a cluster, and the cursors that have what they give.

They stand apart from `distributed`: every parallel worker loads this module.
"""

from __future__ import annotations

from madtree.sqltext.quote import INTERNAL, ident

# Runs a statement, $1, whose only parameter is a plan, $2, on whatever servers it goes to; the number of its rows.
# Where they are wanted, $3 names the cursor that is to have them.
RUN_ON_SERVERS = f"SELECT {INTERNAL}.run_on_servers($1, $2, $3) AS n_rows"


def fetch(cursor: str, n_rows: int | None = None) -> str:
    """The next rows of a cursor; all of them if None."""
    return f"FETCH {'ALL' if n_rows is None else f'FORWARD {n_rows}'} FROM {ident(cursor)}"


def close(cursor: str) -> str:
    return f"CLOSE {ident(cursor)}"
