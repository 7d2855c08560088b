"""Who takes part in a training by resident workers: by the titles that the server gives its processes."""

from __future__ import annotations

import pytest

from madtree.storage.workers.taking_part import leader_of_title


@pytest.mark.parametrize(
    ("title", "leader"),
    [
        ("postgres: parallel worker for PID 4711 ", 4711),
        ("postgres: main: parallel worker for PID 4711", 4711),
        ("postgres: parallel worker for PID 4711 data [local] SELECT", None),
        ("postgres: x: parallel worker for PID 4711 data 127.0.0.1(5432) idle", None),
        ("bash postgres: parallel worker for PID 4711", None),
    ],
)
def test_only_a_worker_has_the_title_of_one(title: str, leader: int | None) -> None:
    assert leader_of_title(title) == leader
