"""boost_cut: the first rounds of a boosted model as a model of its own, without the data."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.model import UsableModel, check_kind, check_not_calibrated, check_rows, find_to_use
from madtree.model.write.copies import NewModel
from madtree.records import dataclass
from madtree.sqltext import cut as sql


@dataclass(frozen=True)
class CutModel:
    """What a cut has kept.

    Attributes:
        n_rounds: so many of each group.
        n_groups: None where the model is not grouped.
        before, after: trees.
    """

    n_rounds: int
    n_groups: int | None
    before: int
    after: int


def boost_cut(
    host: Host,
    model_name: str | None,
    new_model: str | None,
    num_trees: int | None,
    trust_owner: bool | None = False,
    replace: bool | None = False,
) -> CutModel:
    """Write the model of the first `num_trees` rounds.

    The new model is the caller's and has the old one's expressions: so to cut is to trust them. `trust_owner` is that
    of `find_model`.

    Raises:
        MadtreeError: there is no such model, the new one's tables cannot be created, or the model has not so many
            rounds.
    """
    opened = find_to_use(host, model_name, trust_owner)
    model = opened.model
    check_kind(model, "boost_cut", "model")
    check_not_calibrated(model, "boost_cut")
    check_rows(opened, nodes=False)
    n_scores, counts = model.n_scores, model.numbering.counts
    most = model.n_members // n_scores
    if not most:
        raise MadtreeError(f"model: {model_name} has no trees to keep")
    if num_trees is None or not 1 <= num_trees <= most:
        raise MadtreeError(
            f"num_trees must be from 1 to {most}, the rounds of {model_name}, not "
            f"{'NULL' if num_trees is None else num_trees}"
        )
    _write(opened, NewModel.check(opened, new_model, "new_model", replace), num_trees)
    kept = sum(min(count, num_trees * n_scores) for count in counts)
    return CutModel(num_trees, len(counts) if model.grouping_columns else None, sum(counts), kept)


def _write(opened: UsableModel, new: NewModel, n_rounds: int) -> None:
    """Create and fill the new model's tables."""
    host, model = opened.host, opened.model
    most, copy = n_rounds * model.n_scores, new.of(opened.tables, frozenset({"_nodes"}))
    new.make(host, copy.create_nodes(model.node_layout, model.feature_names, None, ()))
    host.command(sql.fill_trees(copy, most))
    host.command(sql.fill_packed(copy, most))
    if "_rounds" in copy.parts:
        host.command(sql.fill_rounds(copy, n_rounds))
    if "_statistics" in copy.parts:
        host.command(copy.fill_statistics())
    host.command(sql.fill_groups(copy, most, n_rounds))
    new.write_summary(host, copy, {}, {"num_trees": f"LEAST(s.num_trees, {n_rounds})"})
