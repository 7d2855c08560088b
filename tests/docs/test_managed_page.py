"""The page for managed clouds, followed literally: by an ordinary user, in a database that has no extension of ours."""

from __future__ import annotations

from pathlib import Path

from pages import follow
from psycopg.conninfo import make_conninfo


def test_the_page_is_true_without_the_extension(plain: str, tmp_path: Path) -> None:
    of_user = make_conninfo(plain, options="-c search_path=mine")
    replica = make_conninfo(of_user, options="-c search_path=mine -c default_transaction_read_only=on")
    follow("managed.md", plain, "mine", tmp_path, {"DATABASE_URL": of_user, "REPLICA_URL": replica})
