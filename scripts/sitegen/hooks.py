"""MkDocs' hooks: pages from elsewhere in the repository."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"


EXPECTED = frozenset({"cli.md", "explain.md", "install.md", "python.md", "scale.md"})  # pages that are still to come


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Leave pages that are still to come out of the navigation; any other page that is missing is an error."""
    config.nav = _present(config.nav or [])
    return config


def _present(entries: list[Any]) -> list[Any]:
    """Entries of the navigation, without those that are missing and sections that would be empty."""
    kept = []
    for entry in entries:
        if isinstance(entry, dict):
            ((title, inside),) = entry.items()
            if isinstance(inside, list) and not (inside := _present(inside)):
                continue
            kept.append({title: inside})
        elif entry not in EXPECTED or (ROOT / "docs" / entry).exists():
            kept.append(entry)
    return kept


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Take in the benchmarks' page and its pictures, at the same distance from each other."""
    for path in (BENCHMARKS / "README.md", *sorted(BENCHMARKS.rglob("*.svg"))):
        place = path.relative_to(ROOT).as_posix().replace("README.md", "index.md")
        files.append(File.generated(config, place, abs_src_path=str(path)))
    return files
