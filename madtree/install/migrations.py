"""Upgrades of an installed extension: from hand-written steps and the newest definitions; and what is frozen of
released versions, so that upgrades from them can be tested.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from madtree.install.script import NO_PSQL, VERSION, definitions, expand, extension_root

CREATE_LINE = re.compile(r"^CREATE (FUNCTION|AGGREGATE|PROCEDURE|VIEW)\b", re.MULTILINE)
CREATE_TYPE = re.compile(r"^CREATE TYPE (\S+) AS .*?;$", re.MULTILINE | re.DOTALL)
STEP_NAME = re.compile(r"^madtree--(?P<old>[^-]+)--(?P<new>[^-]+)\.sql$")


def upgrade_scripts(python_dir: str | Path, root: Path | None = None) -> dict[str, str]:
    """One script ``madtree--<released>--<version>.sql`` for each released version that has a way to this one.

    Such a script is the hand-written steps of ``migrations/`` one after another, then the newest definitions with
    ``OR REPLACE``: every PL/Python function must be written again in any case, as the version and the directory of the
    Python half are part of its body.
    """
    steps = migration_steps(root)
    newest = repeatable(definitions(root))
    scripts = {}
    for old in sorted(steps):
        version, parts, seen = old, [NO_PSQL.format(command="ALTER EXTENSION madtree UPDATE")], {old}
        while version in steps and version != VERSION:
            version, path = steps[version]
            if version in seen:
                raise ValueError(f"migrations/ go round in a circle at version {version}")
            seen.add(version)
            parts.append(f"-- {path.name}\n{path.read_text(encoding='utf-8')}")
        if version == VERSION:
            scripts[f"madtree--{old}--{VERSION}.sql"] = expand("\n".join([*parts, newest]), python_dir)
    return scripts


def repeatable(sql: str) -> str:
    """The definitions as they can run where older ones are there. A type has no OR REPLACE: it is left as it is."""
    sql = CREATE_LINE.sub(r"CREATE OR REPLACE \1", sql)
    return CREATE_TYPE.sub(
        lambda match: (
            f"DO $do$\nBEGIN\nIF pg_catalog.to_regtype('{match[1]}') IS NULL THEN\n{match[0]}\nEND IF;\nEND\n$do$;"
        ),
        sql,
    )


def migration_steps(root: Path | None = None) -> dict[str, tuple[str, Path]]:
    """The hand-written steps: old version to (new version, file). Each version has one successor."""
    steps: dict[str, tuple[str, Path]] = {}
    for path in sorted(((root or extension_root()) / "migrations").glob("madtree--*--*.sql")):
        if match := STEP_NAME.match(path.name):
            if match["old"] in steps:
                raise ValueError(f"two migrations start from version {match['old']}")
            steps[match["old"]] = (match["new"], path)
    return steps


def fingerprints(migrations: Path) -> dict[str, str]:
    """SHA-256 of every step and every released definition, by path inside ``migrations/``."""
    files = [*migrations.glob("madtree--*--*.sql"), *migrations.glob("released/madtree--*.sql")]
    return {path.relative_to(migrations).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def read_frozen(migrations: Path) -> dict[str, str]:
    """What ``FROZEN`` says: path to SHA-256; empty before the first release."""
    frozen = migrations / "FROZEN"
    lines = frozen.read_text(encoding="utf-8").splitlines() if frozen.exists() else []
    return {path: digest for digest, path in (line.split(maxsplit=1) for line in lines)}


def freeze(root: Path) -> Path:
    """Keep the definitions of this version, and write all hashes; returns the definitions' file.

    Raises:
        SystemExit: this version is frozen already.
    """
    migrations = root / "migrations"
    released = migrations / "released" / f"madtree--{VERSION}.sql"
    if released.exists():
        raise SystemExit(f"{released} exists: version {VERSION} is released; raise the version first")
    released.parent.mkdir(exist_ok=True)
    released.write_text(definitions(root), encoding="utf-8")
    lines = [f"{digest}  {path}\n" for path, digest in sorted(fingerprints(migrations).items())]
    (migrations / "FROZEN").write_text("".join(lines), encoding="utf-8")
    return released
