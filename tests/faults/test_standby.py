"""A real standby: all that only reads a model works there, for models of every size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from breakable import BreakableServer
from standby import standby_of, wait_for_standby

from madtree.host import Sharing
from madtree.host.psycopg import PsycopgHost

SETTINGS = {"wal_level": "replica", "max_wal_senders": "2"}
ROWS = "SELECT pg_catalog.count(*) AS n FROM public.data WHERE id % 3 = $1"
READS = (
    "SELECT tree_id, metric, value FROM tree_evaluate('{}', 'data')",
    "SELECT c::text FROM tree_confusion('{}', 'data') AS c",
    "SELECT tree_display('{}')",
    "SELECT md5(tree_sql('{}'))",
    "SELECT r::text FROM tree_rules('{}') AS r",
    "SELECT md5(tree_to_json('{}')::text)",
    "SELECT md5(tree_to_pmml('{}')::text)",
    "SELECT name FROM madtree.models ORDER BY name",
)


@pytest.fixture(scope="module")
def standby(breakable: BreakableServer) -> Iterator[str]:
    """DSN of a standby of the server."""
    with breakable.session() as session:
        session.execute("SELECT tree_train('data', 'deep', 'id', 'y', 'x, z, n', max_depth => 25, min_split => 2)")
    with standby_of(breakable.server, breakable.dsn) as dsn:
        yield dsn


@pytest.mark.parametrize("model", ["small", "large", "grouped", "deep"])
def test_a_model_can_be_read_on_a_standby(breakable: BreakableServer, standby: str, model: str) -> None:
    wait_for_standby(breakable.dsn, standby)
    with breakable.session() as session, psycopg.connect(standby, autocommit=True) as reader:
        reader.execute("SET search_path = public, madtree")
        for read in READS:
            if model == "large" and "confusion" in read:  # of numbers
                continue
            text = read.format(model)
            expected = session.execute(text).fetchall()
            if "evaluate" in read:  # its sums may be in another order
                expected = [pytest.approx(row) for row in expected]
            assert reader.execute(text).fetchall() == expected, text
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            reader.execute("SELECT tree_predict('small', 'data', 'scored')")


def test_rows_are_read_over_several_connections(breakable: BreakableServer, standby: str) -> None:
    with breakable.session() as session, psycopg.connect(standby, autocommit=True) as reader:
        expected = session.execute("SELECT count(*) FROM public.data").fetchone()
        host = PsycopgHost(reader, connections=2)
        with reader.transaction():
            host.training_begins()
            sharing = Sharing("EXPLAIN SELECT FROM public.data", 0, lambda: "")
            requests = ((ROWS, ["pg_catalog.int8"], [part]) for part in range(3))
            with closing(host.data_ahead(requests, sharing)) as found:
                first = next(found)
                row = reader.execute("SELECT count(*) FROM pg_stat_activity WHERE xact_start IS NOT NULL").fetchone()
                rows = [*first, *(each for rest in found for each in rest)]
    assert row is not None
    assert row[0] >= 3, "this one, and the two that read"
    assert (sum(each["n"] for each in rows),) == expected
