"""The workers of a Citus cluster: does each of them have what madtree needs, and the same of it?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from madtree.doctor.check_extension import OLDEST_NUMPY, OLDEST_PYTHON, check_at_least
from madtree.doctor.facts import Finding, ServerFacts, Status, ok, problem, warning

CHECK = "workers"
# Citus makes an extension on the workers when it sees that made on the coordinator: not one that was there before.
MISSING_CURE = (
    "On the coordinator, as a superuser: CREATE EXTENSION IF NOT EXISTS madtree CASCADE; before that, where the "
    "worker's machine has no madtree: madtree install"
)
JIT_CURE = (
    "As a superuser: SELECT run_command_on_workers('ALTER SYSTEM SET jit = off'); "
    "SELECT run_command_on_workers('SELECT pg_reload_conf()')"
)


def check_cluster(facts: ServerFacts) -> Iterator[Finding]:
    """Each worker by itself, then shards and jit; nothing where there is no Citus, or where it has no workers."""
    if refused := facts.refused.get(CHECK):
        yield warning(CHECK, f"Citus does not say what is on its workers: {refused.message_primary}", None)
    if not facts.workers:
        return
    found = [finding for worker in facts.workers for finding in check_worker(facts, worker)]
    yield from found
    if not found:
        n = len(facts.workers)
        yield ok(CHECK, f"{n} workers of Citus have the coordinator's madtree, and a Python and numpy that will do")
    yield from check_shards(facts)
    compiling = [worker["node"] for worker in facts.workers if worker.get("jit") == "on"]
    if compiling:
        yield warning(
            "jit of workers",
            f"jit is on at {', '.join(compiling)}; a query of yours with tree_sql's expression of a large model may "
            "compile there without end (tree_predict and tree_evaluate turn it off)",
            JIT_CURE,
        )


def check_worker(facts: ServerFacts, worker: dict[str, Any]) -> Iterator[Finding]:
    """What is wrong with one worker."""
    node, wanted = worker["node"], facts.extensions["madtree"]["installed"]
    if "error" in worker:
        yield problem(CHECK, f"{node}: {worker['error']}", "See that this server runs, and what its log says.")
        return
    if not worker["madtree"]:
        yield problem(CHECK, f"{node} has no madtree, the coordinator {wanted}", MISSING_CURE)
        return
    if worker["madtree"] != wanted:
        yield problem(
            CHECK,
            f"{node} has madtree {worker['madtree']}, the coordinator {wanted}",
            "On that server's machine: madtree install; then, on the coordinator: ALTER EXTENSION madtree UPDATE",
        )
        return
    python = worker.get("python")
    if python is None:  # another one lacks what would be asked
        return
    if "error" in python:
        yield problem(CHECK, f"{node}: {python['error']}", "On that server's machine: madtree install, and numpy")
        return
    for name, version, oldest in (
        ("Python", python["python_version"], OLDEST_PYTHON),
        ("numpy", python["numpy_version"], OLDEST_NUMPY),
    ):
        finding = check_at_least(CHECK, name, version, oldest, f"on {node}")
        if finding.status is not Status.OK:
            yield finding
    if python["madtree_version"] != wanted:
        yield problem(
            CHECK,
            f"{node} has loaded madtree {python['madtree_version']}, the extension is {wanted}",
            "On that server's machine: madtree install",
        )


def check_shards(facts: ServerFacts) -> Iterator[Finding]:
    """A shard is worked on by one process, so fewer than there are processors leave some idle."""
    shards = facts.settings.get("citus.shard_count", {}).get("setting")
    cpus = [worker.get("python", {}).get("cpus") for worker in facts.workers]
    if shards is None or not all(cpus):
        return
    message = f"new distributed tables get {shards} shards (citus.shard_count); the workers have {sum(cpus)} CPUs"
    if int(shards) < sum(cpus):
        yield warning("shards", message, f"Before create_distributed_table: SET citus.shard_count = {sum(cpus)}")
    else:
        yield ok("shards", message)
