"""The parallel query of resident workers."""

from __future__ import annotations

from madtree.sqltext.schemas import INTERNAL

# Run a query for what it does, so that workers may share it; $1: the query, $2: its parameter.
RUN = f"SELECT {INTERNAL}.run_in_workers($1, $2)"


def work(n_workers: int) -> str:
    """Let this process and at most `n_workers` others take part in the training whose key is $1.

    The key is a parameter because the text of a worker's query stands in pg_stat_activity.

    PostgreSQL gives each branch of such a query to exactly one process, and plans n workers for 2**(n - 1) branches.
    Who takes part stays in its branch until all is over, so with more branches than workers one is left for this
    process.
    """
    n_branches = max(n_workers + 2, 2 ** (n_workers - 1))
    return " UNION ALL ".join([f"SELECT {INTERNAL}.resident_worker($1)"] * n_branches)


def settings(n_workers: int) -> dict[str, str]:
    """What the planner is told for that query beside the usual settings. It shares branches out among two workers at
    least; where one is wanted, the server is told to start no second one.
    """
    return {"max_parallel_workers_per_gather": "2", "max_parallel_workers": "1"} if n_workers == 1 else {}
