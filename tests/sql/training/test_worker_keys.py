"""Keys by which a process asks to take part in a training, and that are those of none."""

from __future__ import annotations

import psycopg
import pytest


@pytest.mark.parametrize("key", ["", "1.2", "../../pg_wal", f"1.2.{'0' * 31}", f"1.2.{'0' * 32}/x", f"-1.2.{'0' * 32}"])
def test_what_is_no_key_is_refused(db: psycopg.Connection, key: str) -> None:
    with pytest.raises(psycopg.Error, match="is not the key of a training"):
        db.execute("SELECT madtree_internal.resident_worker(%s)", [key])


@pytest.mark.parametrize("descriptor", [0, 3, 5, 9, 999_999])
def test_a_made_up_key_leads_nowhere(db: psycopg.Connection, descriptor: int) -> None:
    key = f"{db.info.backend_pid}.{descriptor}.{'0' * 32}"
    assert db.execute("SELECT madtree_internal.resident_worker(%s)", [key]).fetchone() == (False,)
