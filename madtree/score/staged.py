"""boost_staged: how good a boosted model is on rows whose outcome is known, by the number of its rounds."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, Row, watched
from madtree.learn.data import Floats
from madtree.model import (
    check_kind,
    check_not_calibrated,
    find_to_use,
    group_objects,
)
from madtree.model.arrays import read_arrays
from madtree.request import COSTS, Costs
from madtree.score.block_plan import build_plan
from madtree.score.block_statement import BlockStatement
from madtree.score.boosted_outcomes import numbers_beside, staged_values
from madtree.score.case_or_blocks import measure
from madtree.score.staged_scorer import BAD_ACTUALS, BAD_WEIGHTS, FIRST_SUM, GROUP, ROWS, WEIGHT, n_sums
from madtree.score.tested_rows import TestedRows, tested_rows
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.scoreblocks import BlockScan
from madtree.trees import Model


def boost_staged(
    host: Host,
    model_name: str | None,
    test_table: str | None,
    trust_owner: bool | None = False,
    *,
    costs: Costs = COSTS,
) -> list[Row]:
    """A row for each number of rounds, of all rows and of each group's; see its usage text.

    Args:
        trust_owner: that of `find_model`.
        costs: of work, by which workers share the blocks.

    Raises:
        MadtreeError: there is no such model or table, the table lacks a column, or a weight or outcome in it is out of
            range.
    """
    opened = find_to_use(host, model_name, trust_owner)
    model = opened.model
    check_kind(model, "boost_staged", "model")
    check_not_calibrated(model, "boost_staged")
    if not any(model.numbering.counts):
        raise MadtreeError(f"model: {model_name} has no trees")
    tested = tested_rows(opened, test_table, with_id=False, argument="test_table")
    with tested.casting():
        sums = _sums_of_groups(tested, costs)
    n_rounds = [count // model.n_scores for count in model.numbering.counts]
    scopes: list[tuple[int | None, str | None, int, Floats]] = []
    if model.grouping_columns:
        scopes.append((None, None, max(n_rounds), sums.sum(axis=0)))
    groups = group_objects(opened)
    for gid, (own, of_group) in enumerate(watched(host, zip(n_rounds, sums, strict=True)), 1):
        if own:  # others have failed
            scopes.append((gid, groups.get(gid), own, of_group))
    rows = [row for scope in watched(host, scopes) for row in _rounds(model, *scope)]
    return tested.checked(rows, unfit_for(model))


def unfit_for(model: Model) -> str:
    """What an outcome is that a boosted model's loss is not for."""
    below = "not above 0, " if model.loss.is_positive else "negative, " if model.loss.is_count else ""
    return f"{below}infinite or NaN"


def _sums_of_groups(tested: TestedRows, costs: Costs) -> Floats:
    """(n_groups, `n_sums`) over the rows of all groups, by their numbers."""
    opened = tested.opened
    statement, plan = _statement(tested, costs)
    found = np.zeros((len(opened.model.numbering.counts), n_sums(opened.model.n_members // opened.model.n_scores)))
    for encoded in statement.aggregates(plan):
        opened.host.let_in()
        part = np.frombuffer(encoded).reshape(-1, found.shape[1])
        np.add.at(found, part[:, GROUP].astype(np.int64) - 1, part)
    return found


def _statement(tested: TestedRows, costs: Costs) -> tuple[BlockStatement, bytes]:
    """The statement that scores the rows, and its plan: as for predictions, with outcome and weight behind the
    features, and without ids.
    """
    opened, scan = tested.opened, tested.scan(id_name="id")
    arrays = read_arrays(opened)
    encoded = staged_values(opened, arrays.nodes)
    plan = build_plan(arrays.trees, encoded, grouped=bool(opened.model.grouping_columns), between=opened.host.let_in)
    features = [opened.model.features[position] for position in arrays.used]
    values = [rows_sql.as_number(scan.features[feature.name]) for feature in features]
    numbers = [*values, *numbers_beside(encoded, scan), *tested.outcome_and_weight()]
    blocks = BlockScan.without_ids(scan, numbers, 0)
    work = measure(tested, 1, costs)
    return BlockStatement(opened.host, blocks, "", tested.source, work, len(arrays.trees.roots)), plan


def _rounds(model: Model, gid: int | None, group: str | None, n_rounds: int, sums: Floats) -> Iterator[Row]:
    """The rows of a group, or of all."""
    n, weight = int(sums[ROWS]), float(sums[WEIGHT])
    for number in range(n_rounds + 1):
        lost, outcome_and_weight = (float(each) / weight if n else None for each in sums[FIRST_SUM + 2 * number :][:2])
        if outcome_and_weight is not None and not model.is_classification:
            outcome_and_weight = sqrt(outcome_and_weight)
        yield {
            "tree_id": gid,
            "group_values": group,
            "num_trees": number,
            "n": n,
            "loss": lost,
            "metric": "accuracy" if model.is_classification else "rmse",
            "value": outcome_and_weight,
            "bad_weights": int(sums[BAD_WEIGHTS]),
            "bad_actuals": int(sums[BAD_ACTUALS]),
        }
