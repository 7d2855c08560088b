"""Two builds of one commit give the same bytes, whenever and wherever they are made."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from madtree.install.script import PACKAGE

ROOT = PACKAGE.parent
EPOCH = "1700000000"

pytestmark = pytest.mark.skipif(
    not (ROOT / ".git").exists() or shutil.which("git") is None, reason="needs a git checkout"
)


def copy_of_the_checkout(place: Path, umask: int) -> Path:
    """What a clone has, with files of other times and rights than the checkout's."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    before = os.umask(umask)
    try:
        for name in filter(None, names):
            if (ROOT / name).is_file():
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                (place / name).write_bytes((ROOT / name).read_bytes())
                if os.access(ROOT / name, os.X_OK):
                    (place / name).chmod(0o777 & ~umask)
    finally:
        os.umask(before)
    for command in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *command], cwd=place, check=True)
    return place


def hashes(tree: Path, into: Path) -> dict[str, str]:
    """Build all that one Python can build; file name to SHA-256."""
    environment = os.environ | {"SOURCE_DATE_EPOCH": EPOCH}
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(into), str(tree)]
    scripts = [[sys.executable, str(tree / "scripts" / name), str(into)] for name in ("pgxn", "sbom")]
    for command in (build, *scripts):
        done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in into.iterdir()}


def test_two_builds_have_the_same_hashes(tmp_path: Path) -> None:
    one = hashes(copy_of_the_checkout(tmp_path / "one", 0o022), tmp_path / "dist of one")
    two = hashes(copy_of_the_checkout(tmp_path / "two", 0o077), tmp_path / "dist of two")
    assert one == two
    assert {name.rpartition(".")[2] for name in one} == {"whl", "gz", "zip", "json"}


def test_the_time_is_the_commits_where_none_is_told() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    command = [ROOT / "scripts" / "source-date"]
    told = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    commit = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, check=False, capture_output=True, text=True)
    assert told == (commit.stdout or "1580601600\n")
