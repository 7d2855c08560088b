"""A crew: the leader of a parallel query and its workers, who pack a table and grow its trees in that one query.

PostgreSQL starts workers anew for each query, and each has to load Python and numpy first; a pass over the blocks of
some million rows takes no longer than that. So a crew's workers stay: each keeps the rows that it has packed, counts
them whenever the leader asks, and hands its sums over. `exchange` is how they talk, `member` what each of them does,
`leader` who asks, `store` what the orchestrator sees of it all. `sql/12_crew.sql` is the loop around a member, in
PL/pgSQL: only that may run queries in a worker, and the server looks for cancels and for errors of workers between its
statements.
"""
