"""What is published: the wheel and the source archive for PyPI, and how they install where nothing of ours is."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from shares import ALL

from madtree import __version__
from madtree.install import assemble, find_installation, install
from madtree.install.files import python_dir
from madtree.install.script import PACKAGE

ROOT = PACKAGE.parent


def build(*options: str, into: Path) -> Path:
    """Run ``python -m build`` on the checkout; the wheel that it makes."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(into), *options, str(ROOT)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = into.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the source archive, and the wheel made from it."""
    directory = tmp_path_factory.mktemp("published")
    build(into=directory)
    return directory


@pytest.fixture(scope="module")
def wheel(published: Path) -> Path:
    (found,) = published.glob("*.whl")
    return found


def members(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def installed(root: Path) -> dict[str, bytes]:
    """Every file below `root` but byte code, which differs by the place it was compiled in."""
    files = [path for path in root.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def test_the_wheel_made_from_the_source_archive_is_the_checkouts(wheel, tmp_path):
    assert members(wheel) == members(build("--wheel", into=tmp_path))


def test_the_wheel_carries_the_sql_the_licences_and_the_marker_for_type_checkers(wheel):
    inside = members(wheel)
    assert "madtree/py.typed" in inside
    assert inside[f"madtree-{__version__}.dist-info/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    for folder, pattern in (("sql", "*.sql"), ("migrations", "*")):
        for path in (ROOT / folder).rglob(pattern):
            if path.is_file():
                assert inside[f"madtree/_extension/{path.relative_to(ROOT)}"] == path.read_bytes()
    package = {path.relative_to(ROOT).as_posix() for path in PACKAGE.rglob("*.*") if path.suffix != ".pyc"}
    assert package <= inside.keys()
    outside = [name for name in inside if not name.startswith(("madtree/", "madtree-"))]
    assert not outside, "the wheel writes beside its own package"
    assert not [name for name in inside if name.endswith(".pyc")]


def test_the_source_archive_has_what_make_install_and_the_tests_need(published):
    (archive,) = published.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    assert {"Makefile", "madtree.control", "META.json", "Dockerfile", "LICENSE", "README.md"} <= names
    kinds = {".py", ".sql", ".md", ".json", ".csv"}
    for folder in ("madtree", "sql", "migrations", "tests", "docs"):
        files = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*") if path.suffix in kinds}
        assert files <= names


def test_a_wheel_can_install_the_extension_with_nothing_but_the_standard_library(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
    done = subprocess.run(
        [sys.executable, "-S", "-m", "madtree.install", "--destdir", str(tmp_path / "root")],
        cwd=tmp_path / "unpacked",
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (script,) = tmp_path.glob(f"root/**/madtree--{__version__}.sql")
    assert script.read_text() == assemble(python_dir(find_installation()))


def test_the_wheel_installs_into_a_fresh_environment_and_from_there_into_postgresql(wheel, tmp_path, monkeypatch):
    """With its dependencies from the package index that pip is set up for, and nothing else from outside.

    That takes longer than all else here: only where all is tried. Else they are those of this environment, which
    `make setup` has installed by the same list.
    """
    venv.create(tmp_path / "venv")
    if not ALL:
        (own,) = (tmp_path / "venv").glob("lib/python*/site-packages")
        (own / "ours.pth").write_text(str(Path(pytest.__file__).parents[1]))
    programs = tmp_path / "venv" / "bin"
    pip = [sys.executable, "-m", "pip", "--python", programs / "python", "--disable-pip-version-check"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)} | pip_settings()

    def run(*command: object) -> str:
        words = [str(word) for word in command]
        done = subprocess.run(words, env=environment, cwd=tmp_path, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(*pip, "install", "--quiet", "--no-compile", *([] if ALL else ["--no-deps", "--ignore-installed"]), wheel)
    place = run(programs / "python", "-c", "import madtree; print(madtree.__file__)")
    assert Path(place.strip()).is_relative_to(tmp_path / "venv")
    assert run(programs / "madtree", "--version") == f"madtree {__version__}\n"
    assert "Usage" in run(programs / "madtree", "--help")
    run(*pip, "check")
    run(programs / "python", "-m", "madtree.install", "--destdir", tmp_path / "from wheel")
    monkeypatch.setattr("madtree.install.files.compile_modules", lambda *given: None)  # byte code is not compared
    install(find_installation(), tmp_path / "from checkout")
    assert installed(tmp_path / "from wheel") == installed(tmp_path / "from checkout")


def pip_settings() -> dict[str, str]:
    """What this machine tells pip about its index, proxy and certificates by environment variables."""
    import os

    wanted = ("PIP_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT", "REQUESTS_CA", "MADTREE_PG_CONFIG")
    return {name: value for name, value in os.environ.items() if name.upper().startswith(wanted)}
