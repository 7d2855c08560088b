"""Long work of one SQL call, as the rows of a query: between two of them the server looks for cancels and timeouts, in
parallel workers, too, where Python may run no statement.

PL/Python keeps the generator of a function's rows with the query that asks for them. So nobody but that query can go on
with the work or take its result, and half-done work goes with the query, whether that ends, fails or is cancelled.
Nothing of it stays in the session.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import wraps
from typing import Any, ParamSpec

from madtree.entry.mistakes import Mistake, mistake_or_defect

P = ParamSpec("P")
# Whether all is done, the result, and the mistake in its place: `done`, `result` and `mistake` of the SQL functions.
Step = tuple[bool, Any, Mistake | None]


def in_steps(function: Callable[P, Generator[None, None, Any]]) -> Callable[P, Iterator[Step | None]]:
    """Hand out a row of NULL for each short while of the work, then one with the result.

    An error is in that row as a value, for PL/pgSQL to raise: of an exception in a function's rows PL/Python would make
    one of another message.
    """

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Iterator[Step | None]:
        try:
            from madtree.learn.data import advanced  # only here: numpy comes with it

            work = function(*args, **kwargs)
            while (done := advanced(work)) is None:
                yield None
        except Exception as error:
            yield True, None, mistake_or_defect(error)
        else:
            yield True, done[0], None

    return wrapper
