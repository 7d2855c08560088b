"""Which server a command talks to, and that no password is ever printed."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from fix_server import Server
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from shares import share
from terminal import run, run_in_terminal

from madtree.embedded import PrivateServer

WHERE = "connected to {}"


@pytest.fixture
def home(open_directory: Path) -> Iterator[Path]:
    yield open_directory / "home"
    PrivateServer(open_directory / "home").down()


def test_a_dsn_comes_before_the_variables(dsn: str) -> None:
    said = run("doctor", "--dsn", dsn, PGHOST="/nowhere", PGDATABASE="other")
    assert WHERE.format(conninfo_to_dict(dsn)["dbname"]) in said.out


def test_the_variables_come_before_the_private_server(dsn: str) -> None:
    parts = conninfo_to_dict(dsn)
    variables = {"PGHOST": parts["host"], "PGPORT": parts["port"], "PGUSER": parts["user"]}
    said = run("doctor", **variables, PGDATABASE=parts["dbname"])
    assert WHERE.format(parts["dbname"]) in said.out


def test_a_sqlalchemy_url_is_taken_too(server: Server, dsn: str) -> None:
    parts = conninfo_to_dict(dsn)
    url = f"postgresql+psycopg://{parts['user']}@/{parts['dbname']}?host={parts['host']}&port={parts['port']}"
    assert WHERE.format(parts["dbname"]) in run("doctor", "--dsn", url).out


def test_without_any_server_the_cure_is_said(home: Path) -> None:
    said = run("show", "m", MADTREE_HOME=str(home))
    assert said.code == 3
    assert said.out == ""
    assert "you have no private server yet" in said.err
    assert "madtree up" in said.err


def test_the_private_server_is_used_when_it_runs_and_not_started_behind_ones_back(home: Path) -> None:
    private = PrivateServer(home)
    uri = private.up()
    assert WHERE.format("madtree") in run("doctor", MADTREE_HOME=str(home)).out
    private.down()
    said = run("show", "m", MADTREE_HOME=str(home))
    assert (said.code, said.out) == (3, "")
    assert f"your private server in {home} is down" in said.err
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(uri)


def test_env_names_the_private_server_for_whatever_uses_libpq(home: Path) -> None:
    variables = {"MADTREE_HOME": str(home)}
    down = run("env", **variables)
    assert (down.code, down.out) == (3, "")
    assert "madtree up" in down.err
    uri = PrivateServer(home).up()
    told = run("env", **variables)
    assert told.code == 0
    # What the session has named before must not lead elsewhere.
    before = {"PGSERVICE": "nowhere", "PGHOSTADDR": "127.0.0.1", "PGPORT": "1"}
    told = run("env", **variables, **before)
    ask = "psql -XAtc \"SELECT current_setting('data_directory'), current_user, current_database()\""
    answer = subprocess.run(
        ["bash", "-c", f"{told.out}\n{ask}"], env={**os.environ, **before}, capture_output=True, text=True, check=True
    )
    assert answer.stdout == f"{home}/data|postgres|madtree\n"
    named = json.loads(run("env", "--json", **variables).out)
    with psycopg.connect(
        make_conninfo(host=named["PGHOST"], port=named["PGPORT"], user=named["PGUSER"], dbname="madtree")
    ) as db:
        assert db.info.port == int(conninfo_to_dict(uri)["port"])


def test_psql_is_opened_on_the_same_server(dsn: str) -> None:
    parts = conninfo_to_dict(dsn)
    question = ["-XAtc", "SELECT current_database()"]
    assert run("psql", "--dsn", dsn, *question, PGDATABASE="other").out == f"{parts['dbname']}\n"
    variables = {"PGHOST": parts["host"], "PGPORT": parts["port"], "PGUSER": parts["user"]}
    assert run("psql", *question, **variables, PGDATABASE=parts["dbname"]).out == f"{parts['dbname']}\n"


SECRET = "se$ame,open"
DSNS = [
    "postgresql://ada:{}@127.0.0.1:1/db",
    "postgresql://ada:x@{}@127.0.0.1:1/db",
    "postgresql://ada:{}/x@127.0.0.1:1/db",
    "postgresql://ada:x/{}@127.0.0.1:1/db",
    "postgresql://ada:/x?{}@127.0.0.1:1/db",
    "host=127.0.0.1 port=1 password={}",
    "host=127.0.0.1 port=1 password=x {}",
    "host=127.0.0.1 port=1 password=x {}=3",
    "postgres:/ada:{}@host",
    "postgresql://ada:{}@127.0.0.1:1/db?nonsense=1",
]
DEMO = ("demo", "--data", __file__)


COMMANDS = [("doctor",), ("show", "m"), ("doctor", "--json"), ("psql", "-c", "SELECT 1"), DEMO]


@pytest.mark.parametrize(
    ("dsn", "command"), [(dsn, command) for turn, dsn in enumerate(DSNS) for command in share(COMMANDS, 2, turn)]
)
def test_a_password_is_never_printed(dsn: str, command: tuple[str, ...]) -> None:
    said = run(*command, "--dsn", dsn.format(SECRET))
    assert said.code in (2, 3)
    assert SECRET not in said.out + said.err
    assert "Traceback" not in said.err


def test_a_password_that_is_refused_is_not_printed(server: Server, ordinary_user: tuple[str, str]) -> None:
    if server.home is None:
        pytest.skip("needs the private server, which asks for a password on the loopback address")
    name, _ = ordinary_user
    port = conninfo_to_dict(server.dsn)["port"]
    said = run_in_terminal("show", "m", "--dsn", f"postgresql://{name}:{SECRET}@127.0.0.1:{port}/postgres")
    assert said.code == 3
    assert "password authentication failed" in said.out
    assert SECRET not in said.out
