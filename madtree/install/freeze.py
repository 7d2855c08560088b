"""``python3 -m madtree.install.freeze``: keep a release's definitions, so that upgrades from it can be tested."""

from __future__ import annotations

import hashlib
from pathlib import Path

from madtree.install.script import definitions
from madtree.install.sources import VERSION, extension_root


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
    """Write the definitions of this version and all hashes. Refuses to replace what is frozen already."""
    migrations = root / "migrations"
    released = migrations / "released" / f"madtree--{VERSION}.sql"
    if released.exists():
        raise SystemExit(f"{released} exists: version {VERSION} is released; raise the version first")
    released.parent.mkdir(exist_ok=True)
    released.write_text(definitions(root), encoding="utf-8")
    lines = [f"{digest}  {path}\n" for path, digest in sorted(fingerprints(migrations).items())]
    (migrations / "FROZEN").write_text("".join(lines), encoding="utf-8")
    return released


if __name__ == "__main__":
    print("frozen:", freeze(extension_root()))
