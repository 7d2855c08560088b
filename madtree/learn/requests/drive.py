"""Driving a program: its requests are answered by a provider, one after the other."""

from __future__ import annotations

from collections.abc import Callable

from madtree.learn.data import Steps
from madtree.learn.requests.provider import Program, Progress, Provider, T


def driven(
    program: Program[T], provider: Provider, tell: Callable[[Progress], None] = lambda progress: None
) -> Steps[T]:
    """The result of a program, in steps: between any two of them the server may look for cancels."""
    try:
        request = next(program)
        while True:
            if isinstance(request, Progress):
                tell(request)
                yield
                request = program.send(None)
            else:
                answer = yield from provider.answer(request)
                request = program.send(answer)
    except StopIteration as stop:
        result: T = stop.value
        return result
