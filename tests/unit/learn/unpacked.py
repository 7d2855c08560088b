"""The nodes of a forest's trees as columns again, taken out of their bytes."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Bools, Ints
from madtree.learn.prune import CategorySets, NodeColumns, TrainedTrees, TreeKeys
from madtree.trees import NodeLayout


def unpacked(trained: TrainedTrees, layout: NodeLayout) -> NodeColumns:
    """The columns that these trees were packed from."""
    packed, n_classes, size = trained.packed, layout.n_classes, layout.size
    records = packed.records.view(layout.big_endian)
    assert records.itemsize == size
    assert np.array_equal(packed.sizes, trained.trees.n_nodes * size)
    tree = np.repeat(np.arange(len(packed.sizes)), packed.sizes // size)
    lists = np.split(packed.index, np.cumsum(packed.n_categories)[:-1])
    features = np.split(packed.feature, np.cumsum(packed.n_categories)[:-1])

    n_rows, class_weights = records["n_rows"].astype(np.int64), records["class_weights"].astype(float)
    weight = records["weight"].astype(float) if layout.weighted else n_rows.astype(float)
    risk = records["risk"].astype(float) if layout.has_risk else class_weights.sum(axis=1) - class_weights.max(axis=1)
    none = np.zeros(len(records), np.int64)
    begin, n_left, n_right = (
        (records[name] for name in ("categories", "n_left", "n_right"))
        if layout.has_categories
        else (none - 1, none, none)
    )

    def sets(begin: Ints, count: Ints, is_one: Bools) -> CategorySets:
        found: list[Ints | None] = []
        for i in range(len(records)):
            if not is_one[i]:
                assert count[i] == 0
                found.append(None)
                continue
            own = slice(begin[i], begin[i] + count[i])
            assert (features[tree[i]][own] == abs(records["feature"][i]) - 1).all()
            found.append(lists[tree[i]][own])
            assert len(lists[tree[i]][own]) == count[i]
        return CategorySets.of(found)

    return NodeColumns(
        key=TreeKeys(packed.key.group[tree], packed.key.member[tree]),
        node_id=records["node_id"].astype(np.int64),
        depth=np.array([(node + 1).bit_length() - 1 for node in records["node_id"].tolist()], np.int32),
        feature=abs(records["feature"].astype(np.int32)) - 1,
        threshold=records["threshold"].astype(float),
        left=sets(begin, n_left, begin >= 0),
        right=sets(begin + n_left, n_right, begin >= 0),
        majority_left=records["feature"] > 0,
        n_rows=n_rows,
        weight=weight,
        impurity=records["impurity"].astype(float),
        risk=risk,
        complexity=records["complexity"].astype(float),
        improvement=records["improvement"].astype(float),
        prediction=records["prediction"].astype(np.int64) - 1 if n_classes else records["prediction"].astype(float),
        class_weights=class_weights,
    )
