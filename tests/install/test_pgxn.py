"""META.json by the PGXN Meta Spec 1.0 (https://pgxn.org/spec/), and the archive that PGXN's client installs from."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from madtree import __version__
from madtree.install import find_installation, install
from madtree.install.script import PACKAGE

ROOT = PACKAGE.parent
META = json.loads((ROOT / "META.json").read_text(encoding="utf-8"))

# The spec's sections "Required Fields" and "Optional Fields".
REQUIRED = {"abstract", "maintainer", "license", "meta-spec", "name", "provides", "version"}
OPTIONAL = {"description", "generated_by", "no_index", "prereqs", "release_status", "resources", "tags"}
SEMVER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")
TERM = re.compile(r"[^\s/\\\x00-\x1f]{2,}")
TAG = re.compile(r"[^/\\\x00-\x1f]{2,255}")


def test_all_required_keys_are_there_and_no_unknown_ones():
    assert META.keys() >= REQUIRED
    assert {key for key in META if not key.lower().startswith("x_")} <= REQUIRED | OPTIONAL


def test_the_values_have_the_forms_of_the_spec():
    assert TERM.fullmatch(META["name"])
    assert META["abstract"]
    assert META["maintainer"]
    assert all(TERM.match(name) and url.startswith("https://") for name, url in META["license"].items())
    assert META["release_status"] in {"stable", "testing", "unstable"}
    assert re.fullmatch(r"1\.0\.\d+", META["meta-spec"]["version"])
    assert META["meta-spec"]["url"] == "https://pgxn.org/meta/spec.txt"
    assert all(TAG.fullmatch(tag) for tag in META["tags"])
    assert len(set(META["tags"])) == len(META["tags"])
    for phase, relations in META["prereqs"].items():
        assert phase in {"configure", "build", "test", "runtime", "develop"}
        for relation, needed in relations.items():
            assert relation in {"requires", "recommends", "suggests", "conflicts"}
            assert all(version == 0 or SEMVER.fullmatch(version) for version in needed.values())


def test_its_version_is_the_packages():
    assert SEMVER.fullmatch(META["version"])
    assert META["version"] == META["provides"]["madtree"]["version"] == __version__


def test_what_it_provides_is_there():
    assert META["provides"].keys() == {"madtree"}
    extension = META["provides"]["madtree"]
    assert extension.keys() <= {"file", "version", "abstract", "docfile"}
    assert (ROOT / extension["file"]).is_file()
    assert (ROOT / extension["docfile"]).is_file()


@pytest.mark.skipif(not (ROOT / ".git").exists() or shutil.which("git") is None, reason="needs a git checkout")
def test_make_install_works_from_the_unpacked_archive(tmp_path):
    packed = subprocess.run([sys.executable, ROOT / "scripts" / "pgxn", tmp_path], check=True, capture_output=True)
    archive = Path(packed.stdout.decode().strip())
    assert archive.name == f"madtree-{__version__}.zip"
    with zipfile.ZipFile(archive) as zipped:
        assert {name.split("/")[0] for name in zipped.namelist()} == {f"madtree-{__version__}"}
        zipped.extractall(tmp_path)
    make = ["make", "-s", "-C", str(tmp_path / archive.stem), f"PYTHON={sys.executable} -S"]
    subprocess.run([*make, "all"], check=True)  # PGXN's client calls it first
    subprocess.run([*make, f"DESTDIR={tmp_path / 'archive'}", "install"], check=True, capture_output=True)
    install(find_installation(), tmp_path / "checkout")
    assert installed(tmp_path / "archive") == installed(tmp_path / "checkout")


def installed(root: Path) -> dict[str, bytes]:
    files = [path for path in root.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
