"""Planner settings for the length of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from madtree.host.protocol import Host
from madtree.sqltext import sessions as sql

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
    before = host.query(sql.current_settings(list(settings)))[0]
    for name, value in settings.items():
        host.query(sql.SET_LOCAL, _TEXTS, [name, value])
    yield
    for name, value in before.items():
        host.query(sql.SET_LOCAL, _TEXTS, [name, value])
