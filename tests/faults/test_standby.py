"""A real standby: all that only reads a model works there, for models of every size."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from breakable import BreakableServer
from standby import standby_of, wait_for_standby

SETTINGS = {"wal_level": "replica", "max_wal_senders": "2"}
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
