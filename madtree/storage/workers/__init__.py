"""Resident workers: the processes of one parallel query pack a table and count its blocks from the first round of
growth to the last.

PostgreSQL starts workers anew for each query, and each has to load Python and numpy first; a pass over the blocks of
some million rows takes no longer than that. So these workers stay: each keeps the rows that it has packed in a store
of its own, counts them whenever the leader asks, and hands its sums over. `board` is how they talk, `resident` what
every process does, `leader` who asks, `provider` what the orchestrator sees of it all. In `sql/12_workers.sql`
PL/pgSQL drives leader and workers alike, step by step: only that may run queries in a worker, and between its
statements the server looks for cancels, for errors of other processes, and for whatever else it has to see to.
"""
