"""A session whose catalogue is looked up once, for arguments that are checked many times over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from madtree.host import Host, Row, StepDone


class CachingHost:
    """A host that says each notice once and, from when it is told to, remembers what its queries have found.

    What is checked first holds the relations that it finds, and looks again whether they are still what it has found.
    After that their look-ups stay what they are until the transaction ends.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._answers: dict[tuple[Any, ...], list[Row]] | None = None
        self._sent: set[tuple[str, str]] = set()
        self._source = self if host.source is host else CachingHost(host.source)

    @property
    def as_host(self) -> Host:
        return cast("Host", self)

    def remember(self) -> None:
        """From now on."""
        for each in (self, self._source):
            each._answers = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    @property
    def source(self) -> CachingHost:
        return self._source

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        if self._answers is None:
            return self._host.query(sql, types, params)
        key = sql, tuple(types), repr(params)
        if key not in self._answers:
            self._answers[key] = self._host.query(sql, types, params)
        return self._answers[key]

    def notice(self, message: str) -> None:
        self._send_once("notice", message)

    def warning(self, message: str) -> None:
        self._send_once("warning", message)

    def info(self, message: str, step: StepDone | None = None) -> None:
        self._send_once("info", message, step)

    def _send_once(self, how: str, message: str, *more: Any) -> None:
        if (how, message) not in self._sent:
            self._sent.add((how, message))
            getattr(self._host, how)(message, *more)
