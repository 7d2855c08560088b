"""Settings that make madtree slower than it could be, or use more memory than there is."""

from __future__ import annotations

from collections.abc import Iterator

from madtree.doctor.facts import Finding, ServerFacts, ok, warning

MIB = 2**20
UNITS = {"kB": 1024, "8kB": 8192, "MB": MIB, "B": 1}
MEMORY_MB = 64  # tree_train's default memory_mb
SMALL_SERVER = 2 * 1024 * MIB  # below this much memory PostgreSQL's own default of shared_buffers is right
USUAL_BUFFERS = 128 * MIB  # that initdb writes where it can, of every version; boot_val is less on 14
SHARE = 0.25  # of the machine's memory, the usual advice for shared_buffers (PostgreSQL's manual, 20.4.1)
LEAST_WORK_MEM = 4 * MIB  # PostgreSQL's own default


def check_settings(facts: ServerFacts) -> Iterator[Finding]:
    """Parallel workers, memory, jit, statement_timeout, search_path."""
    if not facts.settings:
        return
    yield check_workers(facts)
    yield check_shared_buffers(facts)
    yield check_work_mem(facts)
    yield check_training_memory(facts)
    jit = facts.settings["jit"]["setting"]
    remark = "; madtree's functions turn it off for themselves, views made with tree_sql do not" if jit == "on" else ""
    yield ok("jit", f"jit is {jit}{remark}")
    timeout = int(facts.settings["statement_timeout"]["setting"])
    if timeout:
        yield warning(
            "statement_timeout",
            f"statements are cancelled after {timeout / 1000:g} s, long trainings too",
            "SET statement_timeout = 0, or PGOPTIONS='-c statement_timeout=0' for the command line",
        )
    path, schemas = facts.settings["search_path"]["setting"], facts.database.get("schemas", [])
    called = "tree_train(...)" if "madtree" in schemas else "madtree.tree_train(...)"
    yield ok("search_path", f"search_path is {path or 'empty'}; functions are called as {called}")


def check_workers(facts: ServerFacts) -> Finding:
    """A query gets the least of three settings."""
    names = ("max_parallel_workers_per_gather", "max_parallel_workers", "max_worker_processes")
    values = {name: int(facts.settings[name]["setting"]) for name in names}
    message = ", ".join(f"{name} = {value}" for name, value in values.items())
    if starved := [name for name, value in values.items() if value == 0]:
        restart = "; then restart the server" if "max_worker_processes" in starved else ""
        commands = "; ".join(f"ALTER SYSTEM SET {name} = {2 if name.endswith('gather') else 8}" for name in starved)
        cure = f"As a superuser: {commands}; SELECT pg_reload_conf(){restart}"
        return warning("parallel workers", f"queries get no parallel workers: {message}", cure)
    cpus = facts.python.get("cpus")
    return ok("parallel workers", message + (f"; the machine has {cpus} CPUs" if cpus else ""))


def check_shared_buffers(facts: ServerFacts) -> Finding:
    """PostgreSQL's cache against the machine's memory, where that is known."""
    size, memory = setting_bytes(facts, "shared_buffers"), facts.python.get("memory_bytes")
    if memory is None:
        return ok("shared_buffers", f"shared_buffers = {megabytes(size)}; the machine's memory is not known")
    message = f"shared_buffers = {megabytes(size)}, the machine has {megabytes(memory)}"
    if memory > SMALL_SERVER and size <= USUAL_BUFFERS:
        wanted = f"{round(memory * SHARE / MIB / 64) * 64}MB"
        return warning(
            "shared_buffers",
            f"{message}: the cache has PostgreSQL's small default size",
            f"As a superuser: ALTER SYSTEM SET shared_buffers = '{wanted}'; then restart the server",
        )
    return ok("shared_buffers", message)


def check_work_mem(facts: ServerFacts) -> Finding:
    """Sorts and hash tables: groups, scoring of grouped models, AUC."""
    size = setting_bytes(facts, "work_mem")
    if size < LEAST_WORK_MEM:
        return warning("work_mem", f"work_mem = {megabytes(size)}: joins and sorts go to disk", "SET work_mem = '64MB'")
    return ok("work_mem", f"work_mem = {megabytes(size)}")


def check_training_memory(facts: ServerFacts) -> Finding:
    """What a training may take by default, each of its workers as much, against what the machine has."""
    memory = facts.python.get("memory_bytes")
    message = f"a training keeps its histograms in {MEMORY_MB} MB (memory_mb)"
    if memory is None:
        return ok("memory_mb", f"{message}; the machine's memory is not known")
    room = memory - setting_bytes(facts, "shared_buffers")
    if room < 4 * MEMORY_MB * MIB:
        return warning(
            "memory_mb",
            f"{message}, of the {megabytes(max(room, 0))} that shared_buffers leaves",
            "madtree train --memory-mb 16",
        )
    return ok("memory_mb", message)


def setting_bytes(facts: ServerFacts, name: str) -> int:
    """A setting of memory."""
    row = facts.settings[name]
    return int(row["setting"]) * UNITS[row["unit"]]


def megabytes(size: int) -> str:
    """Bytes as people say them."""
    return f"{size / 1024 / MIB:.1f} GB" if size >= 10 * 1024 * MIB else f"{size / MIB:,.0f} MB"
