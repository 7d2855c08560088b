"""Statements around a crew."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.quote import literal
from madtree.sqltext.schemas import INTERNAL

# Run a query for what it does, so that workers may share it; $1: the query.
RUN = f"SELECT {INTERNAL}.run_in_crew($1)"


def crew_work(seats: str, name: str, queries: Sequence[str], careful: Sequence[str]) -> str:
    """Let each process that gets one of the seats work in the crew of that name.

    Args:
        queries: for each relation, of a range's images; `careful` those where any number may be NULL.
    """
    first, second = (f"ARRAY[{', '.join(literal(query) for query in texts)}]" for texts in (queries, careful))
    return f"SELECT {INTERNAL}.crew_work({literal(name)}, {first}, {second}) FROM {seats}"
