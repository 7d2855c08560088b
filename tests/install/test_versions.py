"""The version has one home, `madtree/__init__.py`. Each file that names it agrees, and the changelog puts what is new
where it belongs.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from madtree import __version__
from madtree.install.script import PACKAGE, control_file, definitions

ROOT = PACKAGE.parent
NUMBER = r"\d+\.\d+\.\d+"
# Where a file must name the version, each at least once.
NAMED = {
    "META.json": rf'"version": "({NUMBER})"(?!,\s*"url")',
    "debian/changelog": rf"\A\w+ \(({NUMBER})-\d+\)",
    "debian/madtree.1": rf'^\.TH MADTREE 1 "[^"]+" "madtree ({NUMBER})"',
    "CHANGELOG.md": rf"\A.*?^## \[(?:Unreleased\] - )?({NUMBER})",
    "docs/install.md": rf"madtree-({NUMBER})[-.](?:py3|zip)|madtree-cnpg:\d+-({NUMBER})",
    "docs/managed.md": rf"madtree-({NUMBER})-py3",
    "docs/cli.md": rf"\bmadtree ({NUMBER}) is in this database",
}
SECTION = re.compile(rf"^## \[(?:Unreleased\] - )?({NUMBER})\](.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
RELEASED = sorted((ROOT / "migrations" / "released").glob("madtree--*.sql"))


def named(pattern: str, text: str) -> list[str]:
    found = re.finditer(pattern, text, re.MULTILINE | re.DOTALL)
    return [next(filter(None, match.groups())) for match in found]


@pytest.mark.parametrize("place", NAMED)
def test_a_file_names_this_version(place: str) -> None:
    found = named(NAMED[place], (ROOT / place).read_text(encoding="utf-8"))
    assert found
    assert set(found) == {__version__}


def test_the_extension_and_the_bill_of_materials_are_of_this_version(tmp_path: Path) -> None:
    assert f"default_version = '{__version__}'" in control_file()
    command = [sys.executable, str(ROOT / "scripts" / "sbom"), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    (bill,) = tmp_path.iterdir()
    assert bill.name == f"madtree-{__version__}.cdx.json"
    component = json.loads(bill.read_text())["metadata"]["component"]
    assert (component["version"], component["purl"]) == (__version__, f"pkg:pypi/madtree@{__version__}")


def other_places() -> Iterator[tuple[str, str]]:
    """What installs or publishes takes the version from its home: one in these files would be forgotten."""
    for name in ("Dockerfile", "docker-compose.yml", "pyproject.toml", "mkdocs.yml", "Makefile", "madtree.control"):
        yield name, (ROOT / name).read_text(encoding="utf-8")
    for path in (*(ROOT / ".github").rglob("*.yml"), *(ROOT / "scripts").glob("*"), *(ROOT / "tests/bare").glob("*")):
        if path.is_file():
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def test_nothing_else_that_installs_or_publishes_names_a_version() -> None:
    pattern = re.compile(rf"\bmadtree(?: |-|--|==|:)v?({NUMBER})")
    assert {name: pattern.findall(text) for name, text in other_places() if pattern.search(text)} == {}


def functions(sql: str) -> set[str]:
    return set(re.findall(r"^CREATE FUNCTION @extschema@\.(\w+)", sql, re.MULTILINE))


@pytest.mark.parametrize("released", RELEASED, ids=lambda path: path.stem.removeprefix("madtree--"))
def test_the_changelog_tells_of_a_function_under_the_version_that_has_it(released: Path) -> None:
    """No section of a released version names a function that came later."""
    sections = dict(SECTION.findall((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))
    section = sections[released.stem.removeprefix("madtree--")]
    later = functions(definitions()) - functions(released.read_text(encoding="utf-8"))
    assert {name for name in later if re.search(rf"`{name}\b", section)} == set()
