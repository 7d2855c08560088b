"""A long object of a model's summary is read list by list, and says what a short one says."""

from __future__ import annotations

import psycopg
import pytest

from madtree.engine import call
from madtree.host.psycopg import PsycopgHost
from madtree.sqltext import models


@pytest.mark.parametrize("grouping", ["", "g"])
def test_a_long_document_is_read_as_a_short_one(
    db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, grouping: str
) -> None:
    db.execute("CREATE TYPE size AS ENUM ('small', 'large')")
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, i % 3 AS g, CASE WHEN i % 5 > 0 THEN 'k' || i % 7 END AS k, "
        "(ARRAY['small', 'large', NULL])[1 + i % 3]::size AS s, i % 7 > 3 AS y FROM generate_series(1, 300) i"
    )
    db.execute(
        "SELECT tree_train('data', 'm', 'id', 'y', 'k, s', NULL, 'gini', %s, null_handling_params => "
        "'null_as_category=true', min_split => 4)",
        [grouping or None],
    )
    (read,) = call(PsycopgHost(db), "tree_to_json", ("m",)).rows
    asked: list[str] = []
    monkeypatch.setattr(
        models, "document_pieces", lambda *given, own=models.document_pieces: asked.append(given[2]) or own(*given)
    )
    monkeypatch.setattr(models, "LONG_DOCUMENT", 1)
    assert call(PsycopgHost(db), "tree_to_json", ("m",)).rows == [read]
    assert asked == ["enum_labels", "levels"]


def test_a_long_document_that_is_none_is_refused(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE data AS SELECT i AS id, 'k' || i % 7 AS k, i % 7 > 3 AS y FROM generate_series(1, 300) i")
    db.execute("SELECT tree_train('data', 'm', 'id', 'y', 'k')")
    db.execute("UPDATE m_summary SET levels = (SELECT jsonb_agg(i) FROM generate_series(1, 500000) i)")
    with pytest.raises(psycopg.Error, match="m is damaged: levels in its summary is no JSON object"):
        db.execute("SELECT tree_display('m')")
