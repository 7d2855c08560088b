"""A real standby: all that only reads a model works there, for models of every size."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from breakable import BreakableServer
from waiting import wait_until

from madtree.embedded.config import free_port
from madtree.embedded.prefix import Prefix
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
    server = breakable.server
    state = server.home.read_state()
    assert state is not None
    with breakable.session() as session:
        session.execute("SELECT tree_train('data', 'deep', 'id', 'y', 'x, z, n', max_depth => 25, min_split => 2)")
        host = session.info.host
        port = session.info.port
    data = server.home.socket_directory / "standby"  # in a directory of the server's own account
    config = shlex.quote(f"config_file={server.home.config_file}")
    other = free_port(port + 1)
    # Who reaches the socket may copy the server, too.
    with server.home.hba_file.open("a") as rules:
        rules.write("local replication all trust\n")
    with breakable.session() as session:
        session.execute("SELECT pg_reload_conf()")
    pg_ctl = Prefix(server.home.prefix, state.origin).program("pg_ctl")

    def run(*words: object) -> None:
        done = server.user.run([str(word) for word in words], cwd=server.home.data)
        assert done.returncode == 0, done.stdout

    run(state.origin.bindir / "pg_basebackup", "-h", host, "-p", port, "-U", "postgres", "-D", data, "-R", "-c", "fast")
    log = server.home.log_directory / "standby.log"
    run(pg_ctl, "-D", data, "-w", "-l", log, "start", "-o", f"-c {config} -c port={other}")
    try:
        dsn = f"host={host} port={other} user=postgres dbname=madtree"
        yield dsn
    finally:
        run(pg_ctl, "-D", data, "-w", "-m", "immediate", "stop")
        subprocess.run(["rm", "-rf", data], check=True)


@pytest.mark.parametrize("model", ["small", "large", "grouped", "deep"])
def test_a_model_can_be_read_on_a_standby(breakable: BreakableServer, standby: str, model: str) -> None:
    with breakable.session() as session, psycopg.connect(standby, autocommit=True) as reader:
        reader.execute("SET search_path = public, madtree")
        ((place,),) = session.execute("SELECT pg_current_wal_insert_lsn()").fetchall()
        wait_until(
            lambda: reader.execute("SELECT pg_last_wal_replay_lsn() >= %s", [place]).fetchone() == (True,),
            "the standby does not follow",
        )
        assert reader.execute("SELECT pg_is_in_recovery()").fetchone() == (True,)
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
