"""MkDocs' hooks: pages from elsewhere in the repository."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Take in the benchmarks' page and its pictures, at the same distance from each other."""
    for path in (BENCHMARKS / "README.md", *sorted(BENCHMARKS.rglob("*.svg"))):
        place = path.relative_to(ROOT).as_posix().replace("README.md", "index.md")
        files.append(File.generated(config, place, abs_src_path=str(path)))
    return files
