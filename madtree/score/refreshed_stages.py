"""What other rows than those of its training say in the leaves of a boosted model, stage by stage: the gradients of its
loss at the scores that the trees before give these rows, and of each leaf the value that training would give it then.

The scores to begin with are those rows', too. A leaf to which none of them comes says what it said.
"""

from __future__ import annotations

from math import isfinite

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, watched
from madtree.learn.data import Bools, ExactSums, Floats, Ints
from madtree.learn.losses import RowLoss, leaf_steps, quantiles_of_places
from madtree.learn.walk import inner_by_level
from madtree.model import UsableModel
from madtree.model.arrays import ModelArrays, RefreshedGroups, RefreshedNodes, read_arrays
from madtree.records import dataclass
from madtree.score.stage_rows import StagedTrees, StageRows
from madtree.sqltext import refresh as sql
from madtree.trees import FEW_CATEGORIES, GRADIENT, METHODS, ORDERED, FeatureKind, LeafValue, Model


def check_stages(model: Model) -> None:
    """Refuse a boosted model whose leaves do not follow from the rows in them.

    Raises:
        MadtreeError: it is one.
    """
    method, why = METHODS.get(_method(model)), None
    if method is None or method.leaf is not LeafValue.STEP:
        why = f"was trained by method {_method(model)[:40]}, whose leaves say how often their tree is right"
    elif model.summary.get("monotone"):
        why = "is monotone, and what other rows say in its leaves need not be"
    elif model.offsets is not None:
        why = "has offsets, with which the scores of other rows would begin"
    if why is not None:
        raise MadtreeError(
            f"model: {model.name} {why}",
            hint="Train it on the new rows: madtree.tree_call tells how it was trained.",
            sqlstate="42809",
        )


def _method(model: Model) -> str:
    return str(model.summary.get("boost_method") or GRADIENT)


def refreshed_boosted(opened: UsableModel, table: str | None, argument: str) -> RefreshedNodes:
    """What the rows of a table say in the nodes of a boosted model.

    Raises:
        MadtreeError: the model has no trees, what its summary or its groups tell is damaged, or as of `StageRows.read`.
    """
    model = opened.model
    arrays = read_arrays(opened)
    if not len(arrays.trees.roots):
        raise MadtreeError(f"model: {model.name} has no trees")
    rate, l2 = _number(model, "learning_rate"), _number(model, "l2_regularization")
    penalties = l2 + _cat_penalties(opened, arrays)
    trees = StagedTrees.of(opened.host, model, arrays.trees)
    rows = StageRows.read(opened, arrays, trees, table, argument)
    stages = _Stages.of(opened.host, model, trees, rows)
    found = _Nodes.none(arrays.nodes["prediction"].astype(np.float64))
    if rows.n_rows:
        for member in range(model.n_members):
            stages.enter(member, found, rate, penalties)
    _add_upwards(opened.host, arrays, found, stages.loss, rate, penalties)
    own = arrays.trees.tree_id, arrays.trees.node_id, found.n_rows, found.weight, found.step
    return RefreshedNodes(rows.n_rows, *own, None, stages.groups)


def _number(model: Model, column: str) -> float:
    """A setting that the training has kept."""
    value = model.summary.get(column)
    if not isinstance(value, int | float) or isinstance(value, bool) or not (isfinite(value) and value >= 0):
        raise MadtreeError(f"{model.name} is damaged: {column} in its summary is {str(value)[:40]}")
    return float(value)


def _cat_penalties(opened: UsableModel, arrays: ModelArrays) -> Floats:
    """(n_nodes,) what is added to the l2 penalty of the sides of splits that part many categories, as in training; 0
    of others.
    """
    model = opened.model
    trees, found = arrays.trees, np.zeros(len(arrays.trees.child))
    unordered = [place for place, feature in enumerate(model.features) if feature.kind is FeatureKind.UNORDERED]
    if not unordered or model.summary.get("category_encoding") == ORDERED:  # these were numbers to the training
        return found
    cat_l2 = _number(model, "cat_l2") if "cat_l2" in model.summary else 0.0
    many = np.zeros((len(model.numbering.counts) + 1, len(model.features) + 1), np.bool_)
    rows = opened.host.query(sql.category_counts(*opened.tables.at), ["pg_catalog.int4"], [len(unordered)])
    for group, row in enumerate(watched(opened.host, rows), 1):
        own = row["counts"] or []
        if row["of_others"] or group >= len(many) or not all(isinstance(count, int) for count in own):
            raise opened.tables.damaged("cat_n_levels of its groups are no numbers of categories")
        for place, count in zip(unordered, own, strict=False):
            many[group, place + 1] = count > FEW_CATEGORIES
    inner = np.flatnonzero(trees.child != np.arange(len(trees.child)))
    gid = trees.group_of_nodes(model.n_members, model.numbering.counts).take(inner)
    sides = trees.child.take(inner[many[gid, arrays.nodes["feature"].astype(np.int64).take(inner)]])
    found[sides] = found[sides + 1] = cat_l2
    return found


@dataclass(frozen=True)
class _Nodes:
    """What is known of all nodes, (n_nodes,) each: at first of none but what they said before.

    Attributes:
        n_rows, weight, gradient: sums over rows; the weight is that of hessians, where leaves do not say quantiles.
    """

    n_rows: Ints
    weight: Floats
    gradient: Floats
    step: Floats

    @classmethod
    def none(cls, step: Floats) -> _Nodes:
        return cls(np.zeros(len(step), np.int64), np.zeros(len(step)), np.zeros(len(step)), step)


@dataclass(frozen=True)
class _Stages:
    """Rows with their scores, to which tree after tree is added.

    Attributes:
        lines: as `RowLoss` has them, of all rows.
        groups: what is said of those that have rows.
    """

    host: Host
    loss: RowLoss
    has_threshold: bool
    trees: StagedTrees
    rows: StageRows
    lines: Floats
    groups: RefreshedGroups

    @classmethod
    def of(cls, host: Host, model: Model, trees: StagedTrees, rows: StageRows) -> _Stages:
        """With the scores that rows begin with."""
        weighted, n_groups = bool((rows.weights != 1).any()), len(trees.count)
        loss = RowLoss(model.loss.name, model.n_scores, weighted, model.loss_quantile)
        from_zero = METHODS[_method(model)].loss is not None
        base = _base(loss, len(model.classes), rows, n_groups, from_zero=from_zero)
        lines = loss.begun(rows.outcomes, rows.weights, base.take(rows.group, axis=0).T)
        loss.end_round(lines)
        n_rows = np.bincount(rows.group, minlength=n_groups)
        there = np.flatnonzero(n_rows)
        groups = RefreshedGroups(trees.walk.groups[there], base[there], np.full(len(there), np.nan), n_rows[there])
        found = cls(host, loss, model.loss.has_threshold, trees, rows, lines, groups)
        if model.loss.has_threshold:
            groups.threshold[:] = found.threshold()[there]
        return found

    def enter(self, member: int, found: _Nodes, rate: float, penalties: Floats) -> None:
        """Find what the leaves of a tree of each group say, and add that to the scores of its rows.

        Args:
            rate: by which values are multiplied.
            penalties: (n_nodes,) of the values.
        """
        self.host.let_in()
        trees, score = self.trees, member % self.loss.n_scores
        which = np.flatnonzero(trees.count > member)
        of_tree = trees.first[which] + member
        sizes = trees.sizes[of_tree]
        start = np.full(len(trees.count), -1)  # of each group's tree among the nodes of these
        start[which] = np.cumsum(sizes) - sizes
        nodes = np.arange(int(sizes.sum())) + np.repeat(trees.walk.roots[of_tree] - start[which], sizes)
        first = start.take(self.rows.group)
        rows: Ints | slice = slice(None)
        cell: Ints = first + self.rows.leaf(member)
        if first.min() < 0:  # groups that stopped earlier
            there = np.flatnonzero(first >= 0)
            rows, cell = there, cell.take(there)
        n_rows = np.bincount(cell, minlength=len(nodes))
        if self.loss.level is None:
            gradient, hessian = self._sums(score, rows, cell, len(nodes))
            found.gradient[nodes], found.weight[nodes] = gradient, hessian
            step = _steps(self.loss, hessian, gradient, penalties[nodes], rate, np.repeat(sizes == 1, sizes))
        else:
            step, found.weight[nodes] = self._quantiles(rows, cell, len(nodes))
        found.n_rows[nodes] = n_rows
        found.step[nodes] = np.where(n_rows > 0, rate * step, found.step[nodes])
        self.host.let_in()
        self.lines[self.loss.first + score, rows] += found.step[nodes].take(cell)
        if score + 1 == self.loss.n_scores:
            self.loss.end_round(self.lines)

    def _sums(self, score: int, rows: Ints | slice, cell: Ints, n_cells: int) -> list[Floats]:
        """(n_cells,) gradients and hessians by a score."""
        found, (columns, _) = [], self.loss.columns(self.lines, score)
        for values in (columns["target"], columns["weight"]):
            self.host.let_in()
            sums = ExactSums(n_cells)
            sums.add(values[rows], cell)
            found.append(sums.totals)
        return found

    def _quantiles(self, rows: Ints | slice, cell: Ints, n_cells: int) -> tuple[Floats, Floats]:
        """(n_cells,) quantiles of residuals, with a threshold plus the mean of what these differ from it, cut at the
        threshold; and weights.
        """
        level = self.loss.level
        assert level is not None
        residuals, weights = self.loss.residuals(self.lines)[rows], self.rows.weights[rows]
        step = quantiles_of_places(residuals, weights if self.loss.weighted else None, cell, n_cells, level)
        self.host.let_in()
        weight = ExactSums(n_cells)
        weight.add(weights, cell)
        if not self.has_threshold:
            return step, weight.totals
        limit = self.threshold().take(self.rows.group[rows])
        cut = ExactSums(n_cells)
        cut.add(np.clip(residuals - step.take(cell), -limit, limit) * weights, cell)
        with np.errstate(divide="ignore", invalid="ignore"):
            return step + np.nan_to_num(cut.totals / weight.totals), weight.totals

    def threshold(self) -> Floats:
        """(n_groups,) of the absolute residuals of now, from which on they count by their sign."""
        level = self.loss.quantile
        assert level is not None
        sizes, weights = np.abs(self.loss.residuals(self.lines)), self.rows.weights if self.loss.weighted else None
        return quantiles_of_places(sizes, weights, self.rows.group, len(self.trees.count), level)


def _base(loss: RowLoss, n_classes: int, rows: StageRows, n_groups: int, *, from_zero: bool) -> Floats:
    """(n_groups, n_scores) the scores that rows begin with; nothing of groups without rows. `from_zero`: those of
    classes are 0, as `RowLoss.base_of_classes` says.
    """
    own, weights = loss.of(None), rows.weights if loss.weighted else None
    if loss.level is not None:
        return quantiles_of_places(rows.outcomes + 0.0, weights, rows.group, n_groups, loss.level)[:, None]
    width = max(n_classes, 1)
    weight, total = ExactSums(n_groups * width), ExactSums(n_groups)
    weight.add(rows.weights, rows.group * width + (rows.outcomes.astype(np.int64) if n_classes else 0))
    sums = weight.totals.reshape(n_groups, width)
    of_group = np.maximum(sums.sum(axis=1), np.finfo(np.float64).tiny)
    if n_classes:
        return loss.base_of_classes((sums / of_group[:, None]).T, from_zero=from_zero)
    total.add(rows.outcomes * rows.weights, rows.group)
    return own.base(total.totals / of_group)[:, None]


def _steps(loss: RowLoss, hessian: Floats, gradient: Floats, l2: Floats, rate: float, alone: Bools) -> Floats:
    """(m,) what nodes add to scores, before it is multiplied by the learning rate, as in training; the arguments as of
    `leaf_steps`, but for the moments in two.
    """
    return leaf_steps(np.stack((hessian, gradient)), l2, alone, rate if loss.of(None).is_steep else None)


def _add_upwards(host: Host, arrays: ModelArrays, found: _Nodes, loss: RowLoss, rate: float, penalties: Floats) -> None:
    """Enter what inner nodes say: Newton's steps of all their rows, or the mean of what is below them."""
    child = arrays.trees.child
    for nodes in reversed(inner_by_level(child, arrays.trees.roots)):
        host.let_in()
        left = child.take(nodes)
        right = left + 1
        for sums in (found.n_rows, found.weight, found.gradient):
            sums[nodes] = sums[left] + sums[right]
        if loss.level is not None:
            weight = np.maximum(found.weight[nodes], np.finfo(np.float64).tiny)
            step = (found.weight[left] * found.step[left] + found.weight[right] * found.step[right]) / weight
        else:
            alone = np.zeros(len(nodes), np.bool_)
            step = rate * _steps(loss, found.weight[nodes], found.gradient[nodes], penalties[nodes], rate, alone)
        found.step[nodes] = np.where(found.n_rows[nodes] > 0, step, found.step[nodes])
