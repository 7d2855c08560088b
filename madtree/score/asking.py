"""Putting a question about known outcomes to a model: its rows are scored, and kept until it is answered."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.model import UsableModel, group_objects, output_columns, read_trees
from madtree.records import dataclass
from madtree.request import COSTS, Costs, Type
from madtree.score.case_or_blocks import measure, reader, run_case
from madtree.score.number_columns import question_to
from madtree.score.out_of_bag import drawn_rows
from madtree.score.score_by_blocks import BlockScoring, ScoredRows
from madtree.score.tested_rows import TestedRows
from madtree.sqltext import cells as cells_sql
from madtree.sqltext import evaluate as sql
from madtree.sqltext import models as models_sql
from madtree.sqltext.cells import Question
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.quote import ident
from madtree.trees import Joining

HELD_BYTES = 2**28  # some five million rows
_MOST_CLASSES = 1_600  # whose shares are columns of one query
_PAYLOAD = Type("pg_catalog.text[]", "text", True, "b", "S", ())


@dataclass(frozen=True)
class Asking:
    """A question that is put to a model, about `tested` rows, with the SQL types and values of the parameters of its
    rows' query; `groups` has the values of its groups by their numbers.
    """

    tested: TestedRows
    reader: Host
    question: Question
    types: Sequence[str]
    params: Sequence[Any]
    groups: Callable[[], dict[int, str]]

    def query(self, text: str) -> list[Row]:
        """The answer."""
        return self.reader.query(text, self.types, self.params)

    def by_group(self, text: str) -> list[Row]:
        """The answer, where `tree_id` is the number of a group, with the group's values: a text for all of its rows."""
        rows, groups = self.query(text), self.groups()
        for row in rows:
            row["group_values"] = groups.get(row["tree_id"])
        return rows

    def checked(self, text: str) -> list[Row]:
        """As `by_group`; raises MadtreeError as `TestedRows.checked`."""
        return self.tested.checked(self.by_group(text))


@contextmanager
def asking(
    tested: TestedRows,
    in_blocks: bool | None = None,
    costs: Costs = COSTS,
    most_bytes: int = HELD_BYTES,
    *,
    out_of_bag: bool = False,
) -> Iterator[Asking]:
    """Put a question about some rows to their model; those that were scored by blocks, and cells that other servers
    have counted, are kept until it is answered.

    A transaction that may not write, as on a standby, has no table to keep them in: there the question scores them
    itself, in one process.

    Args:
        out_of_bag: the rows are those of the training, and each is judged by the trees whose samples lack it.
    """
    with tested.casting(), _asking_of(tested, in_blocks, costs, most_bytes, out_of_bag=out_of_bag) as put:
        yield put


@contextmanager
def _asking_of(
    tested: TestedRows, in_blocks: bool | None, costs: Costs, most_bytes: int, *, out_of_bag: bool
) -> Iterator[Asking]:
    opened, host, model = tested.opened, tested.opened.host, tested.opened.model
    source, actual = tested.source, tested.actual
    is_prediction = model.kind.joining is not Joining.NONE
    if is_prediction and len(model.classes) > _MOST_CLASSES:
        raise MadtreeError(
            f"{model.name} has {len(model.classes):,} classes, and of {model.kind.in_words} at most "
            f"{_MOST_CLASSES:,} are held against known ones",
            sqlstate="54000",
        )
    scratch = f"pg_temp.{ident(f'madtree_rows_{secrets.token_hex(8)}')}"
    scan = tested.scan(scratch, "payload")
    work = measure(tested, 1, costs)
    may_keep = not host.query(sql.READ_ONLY)[0]["read_only"]
    if in_blocks is None or not work.is_expression:
        # Without a table of cells, a large CASE had better not go to other servers: they might compile it.
        in_blocks = work.in_blocks if may_keep else replace(work, spread=False).in_blocks
    scored = ScoredRows("", [], [])
    if in_blocks:
        payload = cells_sql.payload(scan, _first_group(opened), actual, tested.numbers)
        type_, asked_outputs = question_to(model, scan.id_name)
        of_payload = replace(scan, id_sql=payload)
        drawn = drawn_rows(opened, tested.id_type) if out_of_bag else None
        blocks = BlockScoring(opened, type_, source, of_payload, _PAYLOAD, [*asked_outputs.values()], work, drawn)
        if may_keep:
            blocks.create()
        else:
            scored = blocks.rows(most_bytes)
        kind = "pg_catalog.text" if model.is_classification else "pg_catalog.float8"
        names = {name: output.name for name, output in asked_outputs.items()}
        rows = cells_sql.rows_of_payload(scratch if may_keep else f"({scored.query})", scan.id_name, names, kind)
    else:
        (leaf,) = output_columns(model, "leaf", QUALIFIED)
        rows = cells_sql.rows_by_case(scan, read_trees(opened), leaf, actual, tested.numbers)
    question = Question(
        opened.tables.schema,
        opened.tables.name,
        rows,
        frozenset(tested.numbers),
        bool(model.grouping_columns),
        opened.tables.prediction_writer,
        model.classes,
        model.of_counts,
        groups_in=model.kind.groups_in,
        group_number=model.kind.group_number,
        is_prediction=is_prediction,
    )
    keeps_cells = work.of_cluster and may_keep and not in_blocks
    if keeps_cells:
        # Citus puts what comes from other servers beside the model's tables in a session of its own, which does not see
        # a model that this transaction has made; and it loses columns where a table of its own meets a plain one.
        cells = cells_sql.class_cells(question) if model.is_classification else cells_sql.number_cells(question)
        run_case(host, work, cells_sql.keep_cells(scratch, cells))
        question = replace(question, cells=scratch)
    groups = partial(group_objects, opened)
    yield Asking(tested, host if may_keep else reader(host, work), question, scored.types, scored.params, groups)
    if may_keep and (in_blocks or keeps_cells):
        host.command(f"DROP TABLE {scratch}")


def _first_group(opened: UsableModel) -> int:
    """The number by which the model's tables know the first group, or the whole where there are none.

    Raises:
        MadtreeError: no group has one.
    """
    table = opened.tables.part(opened.model.kind.groups_in)
    found = opened.host.query(models_sql.first_group(table, opened.model.kind.group_number))
    if not found or found[0]["number"] is None:
        raise opened.tables.damaged(f"{table} has no {opened.model.kind.group_number}")
    return int(found[0]["number"])
