"""A private mirror of the system's PostgreSQL, with madtree among its extensions.

PostgreSQL finds its libraries and its shared files from the place of its own executable: the server's programs, copied
to the same relative places, see the mirror's directories. So the mirror has copies of three programs, symbolic links to
everything else, and a real `extension` directory with links to the system's extensions and madtree's own files. Nothing
is written to the system, no administrator is needed, and several homes can hold several versions of madtree.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from madtree.embedded.osuser import PrivateServerError
from madtree.install.files import make_directory, write_file
from madtree.install.postgres import Installation
from madtree.records import dataclass

PROGRAMS = ("postgres", "initdb", "pg_ctl")


@dataclass(frozen=True)
class Prefix:
    """The mirror of `origin` below `root`."""

    root: Path
    origin: Installation

    def mirrored(self, directory: Path) -> Path:
        """Where the mirror has what the origin has in `directory`."""
        common = os.path.commonpath([self.origin.bindir, self.origin.sharedir, self.origin.pkglibdir])
        if common == "/":
            raise PrivateServerError(
                f"PostgreSQL in {self.origin.bindir} has its files all over the system and cannot be mirrored.\n"
                "Choose another installation with --pg-config, or use 'make install' and a server of your own."
            )
        return self.root / directory.relative_to(common)

    def program(self, name: str) -> Path:
        return self.mirrored(self.origin.bindir) / name

    def build(self) -> None:
        """Make or refresh the mirror; the server must be down. Picks up a new minor version of PostgreSQL."""
        bindir, sharedir = self.mirrored(self.origin.bindir), self.mirrored(self.origin.sharedir)
        libraries = self.mirrored(self.origin.pkglibdir)
        for directory in (bindir, sharedir, sharedir / "extension", libraries.parent):
            for parent in reversed([directory, *directory.parents]):
                if parent.is_relative_to(self.root):
                    make_directory(parent)
        for name in PROGRAMS:
            copy_if_newer(self.origin.bindir / name, bindir / name)
        link(self.origin.pkglibdir, libraries)
        for path in self.origin.sharedir.iterdir():
            if path.name != "extension":
                link(path, sharedir / path.name)
        self.link_extensions()

    def link_extensions(self) -> None:
        """Bring links to the system's extensions up to date, except for a madtree that is installed there."""
        ours = self.mirrored(self.origin.sharedir) / "extension"
        for path in ours.iterdir():
            if not path.exists():  # a link whose origin is gone
                path.unlink()
        for path in (self.origin.sharedir / "extension").iterdir():
            if not path.name.startswith("madtree"):
                link(path, ours / path.name)

    def write_extension(self, files: dict[str, str]) -> None:
        """Make `files` all that there is of madtree among the extensions."""
        ours = self.mirrored(self.origin.sharedir) / "extension"
        for path in ours.glob("madtree*"):
            if path.name not in files:
                path.unlink()
        for name, text in files.items():
            write_file(ours / name, text.encode())


def copy_if_newer(source: Path, target: Path) -> None:
    """Copy a program; never a symbolic link, for PostgreSQL follows those back to the system's directories."""
    found = source.stat()
    if target.exists() and (target.stat().st_mtime_ns, target.stat().st_size) == (found.st_mtime_ns, found.st_size):
        return
    fresh = target.with_name(f".{target.name}.new")
    shutil.copy2(source, fresh)
    fresh.chmod(0o755)
    os.replace(fresh, target)


def link(source: Path, target: Path) -> None:
    if target.is_symlink() and target.readlink() == source:
        return
    target.unlink(missing_ok=True)
    target.symlink_to(source)
