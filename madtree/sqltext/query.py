"""Queries that are more than their text: those whose plans are worth keeping, and those that tell what they ask."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

P = ParamSpec("P")
# Encodings of databases in which two texts may be one in Unicode, by two characters that are one there, or by one that
# is two: what is written of a name, as it was read, means another one, which may be another role's.
DOUBLES = ("EUC_JP", "EUC_TW", "EUC_JIS_2004")


class Lasting(str):
    """A query that is the same in every call, of system catalogues alone: to plan it takes longer than to run it, so a
    session keeps its plan. It names nothing that a user can make, so the plan stays what it is. Where a plan for a
    given value looks cheaper, PostgreSQL would make one for each: a parameter in a subquery is no such value.
    """


class Binary(str):
    """A query whose columns are bytes and numbers. Of others the server is asked whether their texts are text before
    PL/Python has them (`madtree.host.plpy`), which takes longer than to copy them.
    """


class LookUp(str):
    """A query that is made for what it asks of, and keeps that: a host without SQL answers by it.

    Attributes:
        builder: the function that made it.
        arguments: that function's arguments by name.
    """

    builder: Callable[..., LookUp]
    arguments: dict[str, Any]


def look_up(build: Callable[P, str]) -> Callable[P, LookUp]:
    """What makes a query, so that the query tells what it asks."""

    parameters = signature(build)

    @wraps(build)
    def builder(*given: P.args, **named: P.kwargs) -> LookUp:
        query = LookUp(build(*given, **named))
        bound = parameters.bind(*given, **named)
        bound.apply_defaults()
        query.builder, query.arguments = builder, bound.arguments
        return query

    return builder
