"""What the doctor makes of facts that no test's server can show: other versions, clouds, machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from madtree import __version__
from madtree.doctor import Finding, Status, examine_failed_connection, worst
from madtree.doctor.check_client import check_engine, check_path
from madtree.doctor.check_cluster import check_cluster
from madtree.doctor.check_extension import check_extension
from madtree.doctor.check_server import check_server
from madtree.doctor.check_settings import check_settings
from madtree.doctor.facts import ServerFacts

GIB = 2**30
SETTINGS = {
    "jit": "on",
    "max_parallel_workers": "8",
    "max_parallel_workers_per_gather": "2",
    "max_worker_processes": "8",
    "search_path": "public",
    "shared_buffers": "524288",
    "statement_timeout": "0",
    "work_mem": "4096",
}
UNIT = {"shared_buffers": "8kB", "work_mem": "kB"}


def facts(**changes: Any) -> ServerFacts:
    """A server on which all is well, but for `changes`: `<part>__<key>` sets one value."""
    found = ServerFacts(
        server={
            "version_num": 160_004,
            "version": "16.4",
            "database": "db",
            "user": "ada",
            "superuser": False,
            "in_recovery": False,
            "read_only": False,
        },
        extensions={
            "plpython3u": {"available": "1.0", "installed": "1.0", "schema": "pg_catalog"},
            "madtree": {"available": __version__, "installed": __version__, "schema": "madtree", "callable": True},
        },
        settings={n: {"setting": v, "unit": UNIT.get(n)} for n, v in SETTINGS.items()},
        python={
            "python_version": "3.11.2",
            "python_prefix": "/usr",
            "numpy_version": "1.24.2",
            "numpy_path": "/usr/lib/numpy",
            "madtree_version": __version__,
            "madtree_path": "/opt/madtree",
            "cpus": 8,
            "memory_bytes": 16 * GIB,
        },
        client={"engine": "auto", "python": "3.12.1", "numpy": None},
        path={"pooled": False, "ssl": True, "sslmode": "verify-full", "local": False},
    )
    for name, value in changes.items():
        part, _, key = name.partition("__")
        place = getattr(found, part)
        if key in SETTINGS and part == "settings":
            place[key] = {**place[key], "setting": value}
        elif isinstance(value, dict) and key in place:
            place[key] = {**place[key], **value}
        else:
            place[key] = value
    return found


CHECKS: tuple[Callable[[ServerFacts], Any], ...] = (
    check_path,
    check_server,
    lambda found: [check_engine(found)],
    check_extension,
    check_settings,
    check_cluster,
)


def findings(**changes: Any) -> dict[str, Finding]:
    """By check, those that are not ok."""
    said = [finding for check in CHECKS for finding in check(facts(**changes))]
    return {finding.check: finding for finding in said if finding.status is not Status.OK}


def test_where_all_is_well_nothing_is_found() -> None:
    assert findings() == {}


@pytest.mark.parametrize(
    ("changes", "check", "status", "message", "cure"),
    [
        ({"server__version_num": 130_000, "server__version": "13.9"}, "version", "problem", "13.9; madtree needs 14",
         "Upgrade the server"),
        ({"server__version_num": 190_000, "server__version": "19.0"}, "version", "warning", "newer than any", None),
        ({"server__in_recovery": True}, "read-only", "problem", "a replica", "target_session_attrs=read-write"),
        ({"server__read_only": True}, "read-only", "problem", "read-only by default",
         "SET default_transaction_read_only = off"),
        ({"extensions__plpython3u": {"available": None, "installed": None}}, "plpython3u", "problem",
         "the server has no PL/Python", "apt-get install postgresql-plpython3-16 python3-numpy"),
        ({"extensions__plpython3u": {"available": None, "installed": None}, "cloud__roles": ["rds_superuser"]},
         "plpython3u", "problem", "Amazon RDS does not offer PL/Python", "Use a server of your own"),
        ({"extensions__madtree": {"available": None, "installed": None}}, "madtree", "problem",
         "is not on the server", "madtree install; then, in this database: CREATE EXTENSION madtree CASCADE"),
        ({"extensions__madtree": {"installed": None}}, "madtree", "problem", "is not in the database db",
         "As a superuser: CREATE EXTENSION madtree CASCADE"),
        ({"extensions__madtree": {"installed": "0.0.9"}}, "madtree", "warning", "0.0.9 is in this database",
         "ALTER EXTENSION madtree UPDATE"),
        ({"extensions__madtree": {"installed": "0.0.9"}}, "client", "warning", "the server's is 0.0.9",
         "Install madtree 0.0.9 here"),
        ({"extensions__madtree": {"available": None}}, "madtree", "problem", "its files are gone", "madtree install"),
        ({"python__python_version": "3.9.18"}, "python", "problem", "Python 3.9.18 in /usr; madtree needs 3.10",
         "Install Python 3.10 or newer"),
        ({"python__numpy_version": "1.23.5"}, "numpy", "problem", "madtree needs 1.24", "Install numpy 1.24 or newer"),
        ({"python__numpy_error": "No module named 'numpy'"}, "numpy", "problem", "cannot import numpy",
         "apt-get install python3-numpy"),
        ({"python__madtree_version": "0.0.9"}, "module", "problem", "has loaded madtree 0.0.9 from /opt/madtree",
         "Reconnect"),
        ({"settings__max_parallel_workers_per_gather": "0"}, "parallel workers", "warning", "no parallel workers",
         "ALTER SYSTEM SET max_parallel_workers_per_gather = 2; SELECT pg_reload_conf()"),
        ({"settings__max_worker_processes": "0"}, "parallel workers", "warning", "max_worker_processes = 0",
         "then restart the server"),
        ({"settings__shared_buffers": "16384"}, "shared_buffers", "warning", "PostgreSQL's small default size",
         "ALTER SYSTEM SET shared_buffers = '4096MB'; then restart"),
        ({"settings__work_mem": "64"}, "work_mem", "warning", "sorts go to disk", "SET work_mem = '64MB'"),
        ({"settings__statement_timeout": "30000"}, "statement_timeout", "warning", "cancelled after 30 s",
         "SET statement_timeout = 0"),
        ({"python__memory_bytes": 512 * 2**20, "settings__shared_buffers": "49152"}, "memory_mb", "warning",
         "of the 128 MB that shared_buffers leaves", "--memory-mb 16"),
    ],
)  # fmt: skip
def test_what_is_amiss_is_found_and_cured(
    changes: dict[str, Any], check: str, status: str, message: str, cure: str | None
) -> None:
    found = findings(**changes)[check]
    assert found.status.value == status
    assert message in found.message
    assert found.cure is None if cure is None else cure in str(found.cure)


MANAGED: dict[str, Any] = {
    "extensions__plpython3u": {"available": None, "installed": None},
    "extensions__madtree": {"available": None, "installed": None, "callable": False},
    "python__madtree_version": None,
    "cloud__roles": ["rds_superuser"],
}


def said(check: str, **changes: Any) -> Finding:
    """One finding, also where it is ok."""
    return {finding.check: finding for each in CHECKS for finding in each(facts(**changes))}[check]


def test_a_managed_server_is_no_problem_where_the_client_can_be_the_engine() -> None:
    """What the extension lacks is still told."""
    found = findings(**MANAGED, client__numpy="2.1.0")
    assert {check: finding.status for check, finding in found.items()} == {
        "plpython3u": Status.WARNING,
        "madtree": Status.WARNING,
    }
    assert found["plpython3u"].message.startswith("Amazon RDS does not offer PL/Python")
    engine = said("engine", **MANAGED, client__numpy="2.1.0")
    assert "engine=client: this process does the work" in engine.message
    assert "Python 3.12.1 and numpy 2.1.0" in engine.message


@pytest.mark.parametrize("client", [{"client__numpy": None}, {"client__numpy": "2.1.0", "client__engine": "extension"}])
def test_it_is_a_problem_where_the_client_cannot_or_must_not(client: dict[str, Any]) -> None:
    found = findings(**MANAGED, **client)
    assert found["plpython3u"].status is found["madtree"].status is Status.PROBLEM
    assert ("engine" in found) == (client["client__numpy"] is None)


def test_the_engine_that_is_asked_for_counts() -> None:
    assert said("engine").message == "engine=extension: the server does the work"
    assert findings(client__engine="client")["engine"].cure == "pip install numpy"


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ({"path__ssl": False, "path__sslmode": "prefer"}, "warning", "is not encrypted"),
        ({"path__ssl": False, "path__local": True}, "ok", "does not leave this machine"),
        ({"path__sslmode": "require"}, "ok", "anybody could answer as the server (sslmode=require)"),
        ({}, "ok", "certificate is checked (sslmode=verify-full)"),
    ],
)
def test_encryption(path: dict[str, Any], status: str, message: str) -> None:
    finding = said("ssl", **path)
    assert finding.status.value == status
    assert message in finding.message
    assert bool(finding.cure) == (status != "ok")


def test_a_pooler_is_told_of() -> None:
    assert said("pooler").message == "no pooler that can be seen is in between"
    assert said("pooler", path__pooled=True).message.startswith("a pooler is in between")


def test_newer_versions_are_not_older() -> None:
    """3.9 < 3.10 < 3.13, as numbers and not as text; a version may have letters."""
    assert findings(python__python_version="3.13.0rc1", python__numpy_version="2.3.0.dev0+git") == {}


def test_a_small_machine_needs_no_larger_cache() -> None:
    assert "shared_buffers" not in findings(settings__shared_buffers="16384", python__memory_bytes=2**30)


@pytest.mark.parametrize(
    ("said", "cure"),
    [
        ('FATAL:  password authentication failed for user "ada"', "~/.pgpass"),
        ('FATAL:  database "flihgts" does not exist', "createdb flihgts"),
        ('FATAL:  database "a$(id)" does not exist', "createdb 'a$(id)'; or"),
        ('FATAL:  role "ada" does not exist', "CREATE ROLE ada LOGIN"),
        ('FATAL:  role "Ada"; x" does not exist', 'CREATE ROLE "Ada""; x" LOGIN'),
        ('FATAL:  Peer authentication failed for user "postgres"', "host=localhost"),
        ('FATAL:  no pg_hba.conf entry for host "10.0.0.1"', "pg_hba.conf"),
        ("FATAL:  sorry, too many clients already", "max_connections"),
        ("FATAL:  the database system is starting up", "Wait a moment"),
        ('connection to server at "127.0.0.1", port 1 failed: Connection refused', "madtree up"),
        ('could not translate host name "nowhere" to address', "host's name"),
        ("failed to resolve host 'nowhere'", "host's name"),
        ("connection timeout expired", "firewalls"),
        ('server closed the connection: root certificate file "x" does not exist', "sslrootcert"),
    ],
)
def test_a_connection_that_fails_has_a_cure(said: str, cure: str) -> None:
    (found,) = examine_failed_connection(said)
    assert (found.status, found.message) == (Status.PROBLEM, said)
    assert cure in str(found.cure)


def test_the_worst_counts() -> None:
    ok, bad = Finding("a", Status.OK, ""), Finding("b", Status.PROBLEM, "")
    assert worst([ok, bad, ok]) is Status.PROBLEM
    assert worst([]) is Status.OK


WORKER: dict[str, Any] = {
    "node": "w1:5432",
    "jit": "off",
    "madtree": __version__,
    "python": {"python_version": "3.11.2", "numpy_version": "1.24.2", "madtree_version": __version__, "cpus": 8},
}


def of_worker(**changes: Any) -> dict[str, Finding]:
    """Findings on a cluster of this worker and one on which all is well."""
    found = facts()
    found.workers = [{**WORKER, "node": "w0:5432"}, {**WORKER, **changes}]
    found.settings["citus.shard_count"] = {"setting": "32"}
    return {finding.check: finding for finding in check_cluster(found)}


def test_a_cluster_on_which_all_is_well() -> None:
    assert {check: finding.status for check, finding in of_worker().items()} == {
        "workers": Status.OK,
        "shards": Status.OK,
    }
    assert list(check_cluster(facts())) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"error": "connection refused"}, "w1:5432: connection refused"),
        ({"madtree": None}, "w1:5432 has no madtree"),
        ({"madtree": "0.0.1"}, "w1:5432 has madtree 0.0.1"),
        ({"python": {"error": "numpy cannot be imported"}}, "w1:5432: numpy cannot be imported"),
        ({"python": {**WORKER["python"], "numpy_version": "1.19.5"}}, "numpy 1.19.5 on w1:5432"),
        ({"python": {**WORKER["python"], "python_version": "3.9.2"}}, "Python 3.9.2 on w1:5432"),
        ({"python": {**WORKER["python"], "madtree_version": "0.0.1"}}, "w1:5432 has loaded madtree 0.0.1"),
    ],
)
def test_a_worker_that_lacks_something_is_named(changes: dict[str, Any], said: str) -> None:
    finding = of_worker(**changes)["workers"]
    assert finding.status is Status.PROBLEM
    assert finding.message.startswith(said)
    assert finding.cure


def test_workers_that_compile_and_idle_processors_are_told_of() -> None:
    found = of_worker(jit="on", python={**WORKER["python"], "cpus": 64})
    assert (found["jit of workers"].status, found["shards"].status) == (Status.WARNING, Status.WARNING)
    assert "w1:5432" in found["jit of workers"].message
    assert found["shards"].cure == "Before create_distributed_table: SET citus.shard_count = 72"
