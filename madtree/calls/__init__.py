"""A call of one of madtree's functions by its name, for whoever has a session: the server's door and the client's."""

from __future__ import annotations

from collections.abc import Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from madtree.host import Host
    from madtree.interface import Function


def run(host: Host, function: Function, arguments: Sequence[Any]) -> Any:
    """What the function answers: a value, or its rows as mappings of column to value.

    What does it is loaded only now: a session that asks for help, or scores, need not load the learner.

    Args:
        arguments: all of them, in their order; None is NULL.

    Raises:
        MadtreeError: a mistake in the arguments or the data.
    """
    from madtree.host import looked_at_end
    from madtree.late import loading

    for argument, value in zip(function.arguments, arguments, strict=True):
        argument.check(value)
    whose = {"function": function.name} if function.shares_run else {}
    with loading():
        answer = resolve_name(function.run)
    with looked_at_end():
        found = answer(host, *arguments, **whose)
        return list(found) if function.returns_rows else found
