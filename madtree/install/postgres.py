"""Finding a PostgreSQL installation that has PL/Python."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from glob import glob
from pathlib import Path

from madtree.errors import MadtreeError
from madtree.records import dataclass

OLDEST_MAJOR = 14


class NoPostgresError(MadtreeError):
    """No PostgreSQL installation here can carry madtree; the message says what to install."""


@dataclass(frozen=True)
class Installation:
    """The directories of one PostgreSQL installation, as its ``pg_config`` gives them."""

    bindir: Path
    sharedir: Path
    pkglibdir: Path
    version: str

    @property
    def major(self) -> int:
        return int(self.version.partition(".")[0])

    @property
    def next_step(self) -> str:
        """What is to be done once the extension's files are there."""
        return (
            f"Next, as a superuser in a database of PostgreSQL {self.major}: CREATE EXTENSION madtree CASCADE;\n"
            "where it has an older version: ALTER EXTENSION madtree UPDATE;"
        )

    @property
    def plpython(self) -> Path | None:
        """The language's shared library, or None where the package is missing."""
        found = [p for p in (self.pkglibdir / f"plpython3.{end}" for end in ("so", "dylib")) if p.exists()]
        return found[0] if found else None

    @property
    def python(self) -> str | None:
        """A command for the Python that PL/Python is linked with; None if there is no such command.

        Its version is read from the name of the library that ``plpython3`` asks the dynamic linker for. Other Pythons
        (a virtual environment, pyenv) say nothing about what the server sees.
        """
        if self.plpython is None:
            return None
        linked = re.search(rb"(?:libpython|Python\.framework/Versions/)(3\.\d+)", self.plpython.read_bytes())
        return shutil.which(f"python{linked[1].decode()}", path=SYSTEM_PATH) if linked else None


SYSTEM_PATH = "/usr/bin:/bin:/opt/homebrew/bin:/usr/local/bin"
PG_CONFIGS = (
    "/usr/lib/postgresql/*/bin/pg_config",  # Debian, Ubuntu
    "/usr/pgsql-*/bin/pg_config",  # Red Hat and its kin
    "/opt/homebrew/opt/postgresql@*/bin/pg_config",
    "/usr/local/opt/postgresql@*/bin/pg_config",
    "/usr/local/pgsql/bin/pg_config",
)


def read_installation(pg_config: str | Path) -> Installation:
    """Ask one ``pg_config``. Raises NoPostgresError if it cannot be run."""
    try:
        output = subprocess.run([str(pg_config)], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoPostgresError(f"cannot run {pg_config}: {error}") from error
    values = dict(line.split(" = ", 1) for line in output.splitlines() if " = " in line)
    version = re.search(r"\d+(\.\d+)?", values["VERSION"])
    if version is None:
        raise NoPostgresError(f"{pg_config} has no version that can be read: {values['VERSION']}")
    return Installation(Path(values["BINDIR"]), Path(values["SHAREDIR"]), Path(values["PKGLIBDIR"]), version[0])


def debian_installations() -> list[Installation]:
    """Servers from Debian's packages, which have no ``pg_config`` of their own without the development package."""
    return [
        Installation(Path(bindir), Path(f"/usr/share/postgresql/{major}"), Path(bindir).with_name("lib"), major)
        for bindir in glob("/usr/lib/postgresql/*/bin")
        if (major := Path(bindir).parent.name).isdigit() and (Path(bindir) / "postgres").exists()
    ]


def find_installation(pg_config: str | None = None, major: int | None = None) -> Installation:
    """The newest installation that has PL/Python, or the one that `pg_config` or ``MADTREE_PG_CONFIG`` names.

    Args:
        pg_config: path of the ``pg_config`` to believe without looking further.
        major: accept only this major version (that of an existing data directory).

    Raises:
        NoPostgresError: none is fit; the message names the packages to install.
    """
    named = pg_config or os.environ.get("MADTREE_PG_CONFIG")
    if named:
        candidates = [read_installation(named)]
    else:
        paths = {path for pattern in PG_CONFIGS for path in glob(pattern)} | {shutil.which("pg_config") or ""}
        candidates = debian_installations() + [read_installation(path) for path in sorted(paths - {""})]
    servers = [c for c in candidates if c.major >= OLDEST_MAJOR and (c.bindir / "postgres").exists()]
    fit = [c for c in servers if c.plpython and major in (None, c.major)]
    if not fit:
        raise NoPostgresError(explain_missing(servers, major))
    return max(fit, key=lambda c: c.major)


def explain_missing(servers: list[Installation], major: int | None) -> str:
    """What was looked for, what is there, and what to install."""
    wanted = f"PostgreSQL {major}" if major else f"PostgreSQL {OLDEST_MAJOR} or newer"
    there = ", ".join(sorted({f"{s.version} in {s.bindir}" for s in servers if not s.plpython}))
    lines = [f"madtree needs {wanted} with PL/Python, and found none."]
    if there:
        lines.append(f"There is PostgreSQL without PL/Python: {there}.")
    number = major or max((s.major for s in servers), default=None) or "NN"
    lines.append(
        f"On Debian and Ubuntu: apt-get install postgresql-{number} postgresql-plpython3-{number} python3-numpy"
        + (" (NN: the version your release has)" if number == "NN" else "")
    )
    lines.append("Elsewhere, name an installation with --pg-config or MADTREE_PG_CONFIG.")
    return "\n".join(lines)
