"""Planner settings for the length of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from madtree.host.protocol import Host
from madtree.sqltext.quote import ident

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
    names = ", ".join(f"pg_catalog.current_setting('{name}') AS {ident(name)}" for name in settings)
    before = host.query(f"SELECT {names}")[0]
    for name, value in settings.items():
        host.query(_SET, _TEXTS, [name, value])
    yield
    for name, value in before.items():
        host.query(_SET, _TEXTS, [name, value])
