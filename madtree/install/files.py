"""Laying madtree's files out under an installation's directories, and taking them away again."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from madtree.install.migrations import upgrade_scripts
from madtree.install.postgres import Installation
from madtree.install.script import VERSION, assemble, control_file, server_modules


@contextlib.contextmanager
def written_by_none_but_us() -> Iterator[None]:
    """No file that is made may be opened by others to write to it, not even before it gets its rights."""
    before = os.umask(0o022)
    os.umask(before | 0o022)
    try:
        yield
    finally:
        os.umask(before)


def extension_files(python_dir: Path) -> dict[str, str]:
    """What goes into ``<sharedir>/extension``: file name to text, for a Python half in `python_dir`."""
    return {
        "madtree.control": control_file(),
        f"madtree--{VERSION}.sql": assemble(python_dir),
        **upgrade_scripts(python_dir),
    }


def write_tree(directory: Path, files: dict[str, bytes]) -> bool:
    """Make `directory` hold exactly these files (relative path to bytes), readable by all, writable by the owner.

    A file is replaced in one step, and only where it differs, so that a session that is importing never reads half a
    file. Returns whether anything changed.
    """
    changed = False
    make_directory(directory)
    for name, content in files.items():
        path = directory / name
        for parent in reversed(path.relative_to(directory).parents):
            make_directory(directory / parent)
        changed |= write_file(path, content)
    for path in sorted(directory.rglob("*"), reverse=True):
        if path.suffix == ".pyc" or path.name == "__pycache__":
            continue
        if path.is_dir() and not any(name.startswith(f"{path.relative_to(directory)}/") for name in files):
            shutil.rmtree(path)
        elif path.is_file() and path.relative_to(directory).as_posix() not in files:
            path.unlink()
            changed = True
    return changed


def make_directory(path: Path) -> None:
    """A directory that all may read, whatever the umask."""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o755)


def write_file(path: Path, content: bytes) -> bool:
    """Replace one file if its content differs; returns whether it did."""
    with contextlib.suppress(FileNotFoundError):
        if path.read_bytes() == content:
            return False
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_bytes(content)
    fresh.chmod(0o644)
    os.replace(fresh, path)
    return True


def compile_modules(directory: Path, python: str | None) -> None:
    """Leave byte code beside the modules: the server's account cannot write it, and would compile in every session.

    `python` is the command of PL/Python's own interpreter; another version's byte code would never be read.
    """
    if python is not None:
        command = [python, "-I", "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "."]
        subprocess.run(command, cwd=directory, check=True, stdin=subprocess.DEVNULL, umask=0o022)


def python_dir(installation: Installation) -> Path:
    """Where ``make install`` puts the server half: with PostgreSQL's libraries: only an administrator writes there."""
    return installation.pkglibdir / f"madtree-{VERSION}"


def install(installation: Installation, destdir: Path = Path("/")) -> list[Path]:
    """Install into `installation`, below `destdir` if packaging. Returns the places written to."""
    modules = destdir / python_dir(installation).relative_to("/")
    extension = destdir / (installation.sharedir / "extension").relative_to("/")
    written = []
    with written_by_none_but_us():
        write_tree(modules, server_modules())
        compile_modules(modules, installation.python)
        extension.mkdir(parents=True, exist_ok=True)
        for name, text in extension_files(python_dir(installation)).items():
            write_file(extension / name, text.encode())
            written.append(extension / name)
    return [modules, *written]


def uninstall(installation: Installation, destdir: Path = Path("/")) -> list[Path]:
    """Remove every version of madtree from `installation`. Returns what was removed."""
    extension = destdir / (installation.sharedir / "extension").relative_to("/")
    libraries = destdir / installation.pkglibdir.relative_to("/")
    found = [*extension.glob("madtree.control"), *extension.glob("madtree--*.sql"), *libraries.glob("madtree-*/")]
    for path in found:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return found
