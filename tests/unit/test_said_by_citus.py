"""Errors whose SQLSTATE Citus drops are known by their words, those of the system in its language, too."""

from __future__ import annotations

import os

import pytest

from madtree.host import failed_server

GERMAN = "Auf dem Gerät ist kein Speicherplatz mehr verfügbar"


@pytest.mark.parametrize(
    ("message", "sqlstate"),
    [
        (f"konnte Datei »base/1/2« nicht erweitern: {GERMAN}", "53100"),
        ('could not extend file "base/1/2": No space left on device', "53100"),
        ("server closed the connection unexpectedly", "58000"),
    ],
)
def test_a_full_disk_is_known_in_the_language_of_this_server(
    monkeypatch: pytest.MonkeyPatch, message: str, sqlstate: str
) -> None:
    monkeypatch.setattr(os, "strerror", lambda number: GERMAN)
    assert failed_server(message).sqlstate == sqlstate
