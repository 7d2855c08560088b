"""Settings for the length of a run, or of a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, TypeVar

from madtree.host.protocol import Host

if TYPE_CHECKING:
    from typing import Concatenate, ParamSpec

    _P = ParamSpec("_P")
_R = TypeVar("_R")

# Compiling an expression of a thousand branches takes longer than a million rows.
NOT_COMPILED = {"jit": "off"}
# What is shown looks alike in all sessions, and floats can be read back.
FLOATS_IN_FULL = {"extra_float_digits": "1"}
STANDARD_TEXT = {"datestyle": "ISO", "intervalstyle": "postgres", **FLOATS_IN_FULL}

_SET = "SELECT pg_catalog.set_config($1, $2, true)"
_TEXTS = ["pg_catalog.text", "pg_catalog.text"]


@contextmanager
def local_settings(host: Host, settings: Mapping[str, str]) -> Iterator[None]:
    """Apply `settings`, and put the old values back afterwards.

    A local setting outlives the function until the transaction ends, so it is undone by hand; after an error the
    transaction's end does that.
    """
    if not settings:
        yield
        return
    names = ", ".join(f"pg_catalog.current_setting('{name}') AS {name}" for name in settings)
    before = host.query(f"SELECT {names}")[0]
    for name, value in settings.items():
        host.query(_SET, _TEXTS, [name, value])
    yield
    for name, value in before.items():
        host.query(_SET, _TEXTS, [name, value])


def called_with(
    settings: Mapping[str, str],
) -> Callable[[Callable[Concatenate[Host, _P], _R]], Callable[Concatenate[Host, _P], _R]]:
    """A function's settings while it runs over a session without the extension: its first argument is the host.

    The extension's SQL function has the same settings in its SET clauses.
    """

    def decorated(function: Callable[Concatenate[Host, _P], _R]) -> Callable[Concatenate[Host, _P], _R]:
        @wraps(function)
        def called(host: Host, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
            with local_settings(host, {} if host.has_extension else settings):
                return function(host, *args, **kwargs)

        called.settings = dict(settings)  # type: ignore[attr-defined]
        return called

    return decorated
