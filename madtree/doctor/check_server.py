"""The server itself: version, replica, whose cloud it is."""

from __future__ import annotations

from collections.abc import Iterator

from madtree.doctor.facts import Finding, ServerFacts, ok, problem, warning
from madtree.install.postgres import OLDEST_MAJOR

NEWEST_MAJOR = 18  # the newest that madtree was written with in mind

# A provider's mark: the beginning of its settings' names, or a role that it creates.
CLOUDS = {
    "Amazon Aurora": ("aurora", ""),
    "Amazon RDS": ("rds.", "rds_superuser"),
    "Google AlloyDB": ("alloydb.", "alloydbsuperuser"),
    "Google Cloud SQL": ("cloudsql.", "cloudsqlsuperuser"),
    "Azure Database for PostgreSQL": ("azure.", "azure_pg_admin"),
    "Neon": ("neon.", "neon_superuser"),
    "Supabase": ("supautils.", "supabase_admin"),
}


def check_server(facts: ServerFacts) -> Iterator[Finding]:
    """Version, whether it can be written to, and where it runs."""
    server = facts.server
    if not server:
        yield problem("version", "the server does not say what it is", None)
        return
    major = server["version_num"] // 10_000
    if major < OLDEST_MAJOR:
        yield problem(
            "version",
            f"PostgreSQL {server['version']}; madtree needs {OLDEST_MAJOR} or newer",
            f"Upgrade the server to PostgreSQL {OLDEST_MAJOR} or newer (pg_upgrade), or use another server.",
        )
    elif major > NEWEST_MAJOR:
        yield warning("version", f"PostgreSQL {server['version']}, newer than any that madtree was tested with", None)
    else:
        yield ok("version", f"PostgreSQL {server['version']}")
    yield check_writable(server)
    if name := cloud(facts):
        yield ok("cloud", f"this is {name}")


def check_writable(server: dict[str, object]) -> Finding:
    """A model is tables: training, scoring and importance write."""
    if server["in_recovery"]:
        return problem(
            "read-only",
            "this server is a replica (in recovery): models can be displayed here, but not trained or used to score",
            "Connect to the primary: with several hosts in the DSN, add target_session_attrs=read-write.",
        )
    if server["read_only"]:
        return problem(
            "read-only",
            "transactions are read-only by default here: nothing can be trained",
            "SET default_transaction_read_only = off; or have an administrator change it for the role or the database.",
        )
    return ok("read-only", "the server can be written to")


def cloud(facts: ServerFacts) -> str | None:
    """The provider's name, where the server is a managed one that we know."""
    settings, roles = facts.cloud.get("settings", []), set(facts.cloud.get("roles", []))
    for name, (prefix, role) in CLOUDS.items():
        if role in roles or any(setting.startswith(prefix) for setting in settings):
            return name
    return None
