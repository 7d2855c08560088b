"""Rows of a relation that are drawn by their ids: the same ones wherever and in whatever order they lie."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.predict import TREE, Scan
from madtree.sqltext.sent_rows import sent_row, sent_stretches


def sampled_rows(scan: Scan, id_text: str, numbers: Sequence[str], texts: Sequence[str], most: int) -> str:
    """A query of at most `most` rows, those whose ids have the smallest hashes, in that order; all of fewer.

    Columns: `image`, the row's numbers as `sent_layout` says, and `texts`.

    Args:
        id_text: SQL of the id as text.
        numbers: SQL of a float8 each, behind the number of the row's group where the scan has groups.
        texts: SQL of a text each.
    """
    columns = [
        f"{sent_row(_numbers(scan, numbers))} AS image",
        f"ARRAY[{', '.join(texts)}]::pg_catalog.text[] AS texts",
        f'pg_catalog.md5({id_text}) COLLATE pg_catalog."C" AS place',
    ]
    rows = f"SELECT {', '.join(columns)} FROM {scan.rows()}"
    return f"SELECT r.image, r.texts FROM ({rows}) AS r ORDER BY r.place, r.image LIMIT {most}"


def sent_layout(scan: Scan, numbers: Sequence[str]) -> list[tuple[int, bool]]:
    """Of what a row's image consists; see `madtree.sqltext.sent_rows`."""
    return sent_stretches(_numbers(scan, numbers))


def _numbers(scan: Scan, numbers: Sequence[str]) -> list[str]:
    group = [f"madtree_model.{TREE}::pg_catalog.float8"] if scan.groups else []
    return [*group, *numbers] or ["0::pg_catalog.float8"]
