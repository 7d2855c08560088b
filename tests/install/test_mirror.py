"""The mirror that a private server runs from has the layout of the installation, whatever that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from madtree.embedded.prefix import PROGRAMS, Prefix
from madtree.install import Installation

# bindir, sharedir and pkglibdir below the installation's prefix.
LAYOUTS = {
    "built in /usr/local/pgsql": ("bin", "share", "lib"),
    "built in another prefix": ("bin", "share/postgresql", "lib/postgresql"),
    "Debian": ("lib/postgresql/17/bin", "share/postgresql/17", "lib/postgresql/17/lib"),
}


@pytest.fixture(params=LAYOUTS)
def origin(request: pytest.FixtureRequest, tmp_path: Path) -> Installation:
    """An installation's files, as far as a mirror needs them."""
    bindir, sharedir, pkglibdir = (tmp_path / "system" / part for part in LAYOUTS[request.param])
    for directory in (bindir, sharedir / "extension", pkglibdir):
        directory.mkdir(parents=True)
    for name in PROGRAMS:
        (bindir / name).write_text(name)
    (sharedir / "postgres.bki").touch()
    (sharedir / "extension" / "plpgsql.control").touch()
    (pkglibdir / "plpgsql.so").touch()
    return Installation(bindir, sharedir, pkglibdir, "17.1")


def test_each_file_is_at_the_same_place_below_the_mirrors_root(origin: Installation, tmp_path: Path) -> None:
    mirror = Prefix(tmp_path / "mirror", origin)
    for _ in range(2):  # built anew, and brought up to date
        mirror.build()
        for directory in (origin.bindir, origin.sharedir, origin.sharedir / "extension", origin.pkglibdir):
            seen = {path.name for path in mirror.mirrored(directory).iterdir()}
            assert seen == {path.name for path in directory.iterdir()}


def test_programs_are_copies_and_libraries_are_links(origin: Installation, tmp_path: Path) -> None:
    """PostgreSQL looks for its other files from the place of its program, behind all symbolic links."""
    mirror = Prefix(tmp_path / "mirror", origin)
    mirror.build()
    assert all(not mirror.program(name).is_symlink() for name in PROGRAMS)
    assert mirror.mirrored(origin.pkglibdir).resolve() == origin.pkglibdir.resolve()
