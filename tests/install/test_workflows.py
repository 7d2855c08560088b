"""The workflows of GitHub Actions: what their commands name is there, and what they use from outside is pinned.

No runner is at hand here; their commands were run by hand, and the files held against the published schema
(`check-jsonschema --builtin-schema vendor.github-workflows`).
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from madtree.doctor.check_server import NEWEST_MAJOR
from madtree.install.postgres import OLDEST_MAJOR
from madtree.install.script import PACKAGE

ROOT = PACKAGE.parent
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in (ROOT / ".github/workflows").glob("*.yml")
}
# A script of ours at the beginning of a command, or behind sudo, sh or &&.
OURS = re.compile(r"(?:^|&& |sudo |sh )((?:scripts|tests|debian)/[\w./-]+)", re.MULTILINE)


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    for workflow, content in WORKFLOWS.items():
        for job, said in content["jobs"].items():
            for step in said["steps"]:
                yield f"{workflow}/{job}", step


def commands() -> str:
    return "\n".join(step["run"] for _, step in steps() if "run" in step)


def test_actions_are_pinned_to_a_commit_and_images_to_a_release() -> None:
    used = [(place, step["uses"]) for place, step in steps() if "uses" in step]
    assert used
    assert [use for use in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", use[1])] == []
    jobs = [job for content in WORKFLOWS.values() for job in content["jobs"].values()]
    assert [job["container"] for job in jobs if ":" not in job.get("container", ":")] == []


def test_what_the_commands_name_is_there() -> None:
    scripts, targets = OURS.findall(commands()), re.findall(r"\bmake (\w+)", commands())
    assert {"scripts/deb", "tests/bare.sh", "debian/tests/train"} <= set(scripts)
    assert [name for name in scripts if not (ROOT / name).is_file()] == []
    called = [name for name in scripts if f"sh {name}" not in commands()]
    assert [name for name in called if not os.access(ROOT / name, os.X_OK)] == []
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []


def test_every_command_is_a_sentence_that_bash_can_read() -> None:
    for place, step in steps():
        script = re.sub(r"\$\{\{.*?\}\}", "value", step.get("run", ""))
        read = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)
        assert read.returncode == 0, f"{place}: {read.stderr}"


def test_every_supported_version_and_every_package_is_tried() -> None:
    jobs = WORKFLOWS["test"]["jobs"]
    assert jobs["postgresql"]["strategy"]["matrix"]["major"] == list(range(OLDEST_MAJOR, NEWEST_MAJOR + 1))
    usage = (ROOT / "tests" / "bare.sh").read_text(encoding="utf-8")
    (packages,) = re.findall(r"^#   tests/bare\.sh --package (\S+) RELEASE", usage, re.MULTILINE)
    assert jobs["packages"]["strategy"]["matrix"]["package"] == packages.split("|")
    releases = re.findall(r"(\w+) \((?:PostgreSQL )?\d+,", usage)
    assert jobs["packages"]["strategy"]["matrix"]["release"] == releases
    assert WORKFLOWS["release"]["jobs"]["debian"]["strategy"]["matrix"]["release"] == releases


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_a_workflow_begins_with_no_right_but_to_read(workflow: str) -> None:
    assert WORKFLOWS[workflow]["permissions"] == {"contents": "read"}
