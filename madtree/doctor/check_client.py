"""Who does the work, and over what: the engine, the connection's encryption, a pooler in between."""

from __future__ import annotations

from collections.abc import Iterator

from madtree.doctor.facts import Finding, ServerFacts, ok, problem, warning

_INSTALL_NUMPY = "pip install numpy"


def can_be_engine(facts: ServerFacts) -> bool:
    """Whether this process may do the work where the server has no extension."""
    return facts.client.get("engine") != "extension" and bool(facts.client.get("numpy"))


def check_engine(facts: ServerFacts) -> Finding:
    """What `engine=auto`, or the one that was asked for, comes to."""
    engine = facts.client.get("engine", "auto")
    here = f"Python {facts.client.get('python')} and numpy {facts.client.get('numpy')}"
    if engine == "extension" or (engine == "auto" and facts.extensions.get("madtree", {}).get("callable")):
        return ok("engine", "engine=extension: the server does the work")
    if can_be_engine(facts):
        needs = "SELECT on the data and CREATE on a schema are enough"
        return ok("engine", f"engine=client: this process does the work over the connection, by {here}; {needs}")
    return problem(
        "engine", "engine=client: this process would do the work, but numpy is not installed here", _INSTALL_NUMPY
    )


def check_path(facts: ServerFacts) -> Iterator[Finding]:
    """What lies between this process and the server."""
    if not facts.path:
        return
    if facts.path["pooled"]:
        yield ok(
            "pooler",
            "a pooler is in between, and each transaction may get another session: madtree keeps nothing in one; what "
            "you SET may be lost, what ALTER ROLE ... SET says is not",
        )
    else:
        yield ok("pooler", "no pooler that can be seen is in between")
    yield check_encryption(facts)


def check_encryption(facts: ServerFacts) -> Finding:
    """By the client engine, all rows of a training go this way."""
    mode = facts.path["sslmode"]
    if facts.path["local"]:
        return ok("ssl", "the connection does not leave this machine" + (", and is encrypted" * facts.path["ssl"]))
    if not facts.path["ssl"]:
        return warning(
            "ssl",
            "the connection is not encrypted: passwords and rows may be read on the way",
            "Add sslmode=verify-full to the DSN; the server needs ssl = on and a certificate.",
        )
    if mode in ("verify-ca", "verify-full"):
        return ok("ssl", f"the connection is encrypted, and the server's certificate is checked (sslmode={mode})")
    return ok(
        "ssl",
        f"the connection is encrypted, but anybody could answer as the server (sslmode={mode}): verify-full, with "
        "sslrootcert=system or the provider's file, asks for its certificate",
    )
