"""What trainings tell."""

from __future__ import annotations

import psycopg
import pytest


@pytest.fixture
def told(db: psycopg.Connection) -> list[str]:
    """What the server tells while it trains."""
    lines: list[str] = []
    db.add_notice_handler(lambda notice: lines.append(notice.message_primary or ""))
    return lines
