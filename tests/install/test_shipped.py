"""What all packages say of themselves: versions, licences, parts, and the workflows that publish them."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from madtree import __version__
from madtree.install.script import PACKAGE

ROOT = PACKAGE.parent
VENDOR = PACKAGE / "report" / "static" / "vendor"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_debian_packages_have_the_version_of_the_package() -> None:
    changelog = (ROOT / "debian" / "changelog").read_text()
    assert re.match(rf"madtree \({re.escape(__version__)}-\d+\) ", changelog)
    assert f'"madtree {__version__}"' in (ROOT / "debian" / "madtree.1").read_text()


def test_the_licence_of_each_vendored_file_is_shipped_and_named() -> None:
    assert {path.name for path in VENDOR.iterdir()} == {"d3.min.js", "LICENSE-d3"}
    named = (ROOT / "debian" / "copyright").read_text()
    assert "Files: madtree/report/static/vendor/d3.min.js\n" in named
    licence = " ".join((VENDOR / "LICENSE-d3").read_text().split())
    assert licence.removeprefix("Copyright 2010-2026 Mike Bostock ") in " ".join(named.replace("\n .\n", "\n").split())
    assert "License: Apache-2.0\n" in named


def test_the_bill_of_materials_lists_what_is_shipped_and_what_is_needed(tmp_path: Path) -> None:
    script = [sys.executable, str(ROOT / "scripts" / "sbom"), str(tmp_path)]
    subprocess.run(script, check=True, capture_output=True)
    bom = json.loads((tmp_path / f"madtree-{__version__}.cdx.json").read_text())
    assert (bom["bomFormat"], bom["specVersion"]) == ("CycloneDX", "1.6")
    assert bom["metadata"]["component"]["version"] == __version__
    parts = {part["name"]: part for part in bom["components"]}
    digest = hashlib.sha256((VENDOR / "d3.min.js").read_bytes()).hexdigest()
    assert parts["d3"]["hashes"] == [{"alg": "SHA-256", "content": digest}]
    assert {"psycopg", "rich", "sqlalchemy", "typer"} <= {n for n, p in parts.items() if p["scope"] == "required"}
    assert {"numpy", "scikit-learn", "lightgbm"} == {n for n, p in parts.items() if p["scope"] == "optional"}
    (relation,) = bom["dependencies"]
    assert relation["dependsOn"] == [part["bom-ref"] for part in bom["components"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_pin_what_they_use_and_may_only_read(path: Path) -> None:
    text = path.read_text()
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert used
    for action, comment in used:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action


def test_every_supported_postgresql_is_tested() -> None:
    (path,) = (path for path in WORKFLOWS if path.name == "test.yml")
    matrix = yaml.safe_load(path.read_text())["jobs"]["postgresql"]["strategy"]["matrix"]
    assert matrix["major"] == [14, 15, 16, 17, 18]
    assert (ROOT / "debian" / "pgversions").read_text() == "14+\n"
