"""The nodes of a forest's trees as columns again, taken out of their bytes."""

from __future__ import annotations

import numpy as np

from madtree.learn.data import Ints
from madtree.learn.prune import CategorySets, NodeColumns, TrainedTrees, TreeKeys
from madtree.trees import fixed_size, record_fields


def unpacked(trained: TrainedTrees, n_classes: int) -> NodeColumns:
    """The columns that these trees were packed from."""
    packed = trained.packed
    fields = [(name, f">{kind}") for name, kind in record_fields(n_classes > 0)]
    records = packed.records.view([*fields, ("class_weights", ">f8", (n_classes,))])
    size = fixed_size(n_classes > 0) + 8 * n_classes
    assert records.itemsize == size
    assert np.array_equal(packed.sizes, trained.trees.n_nodes * size)
    tree = np.repeat(np.arange(len(packed.sizes)), packed.sizes // size)
    lists = np.split(packed.index, np.cumsum(packed.n_categories)[:-1])
    features = np.split(packed.feature, np.cumsum(packed.n_categories)[:-1])

    def sets(begin: Ints, count: Ints) -> CategorySets:
        found: list[Ints | None] = []
        for i in range(len(records)):
            if records["categories"][i] < 0:
                assert records["n_left"][i] == records["n_right"][i] == 0
                found.append(None)
                continue
            own = slice(begin[i], begin[i] + count[i])
            assert (features[tree[i]][own] == records["feature"][i] - 1).all()
            found.append(lists[tree[i]][own])
            assert len(lists[tree[i]][own]) == count[i]
        return CategorySets.of(found)

    left = sets(records["categories"], records["n_left"])
    return NodeColumns(
        key=TreeKeys(packed.key.group[tree], packed.key.member[tree]),
        node_id=records["node_id"].astype(np.int64),
        depth=np.array([(node + 1).bit_length() - 1 for node in records["node_id"].tolist()], np.int32),
        feature=records["feature"].astype(np.int32) - 1,
        threshold=records["threshold"].astype(float),
        left=left,
        right=sets(records["categories"] + records["n_left"], records["n_right"]),
        majority_left=records["majority_left"] == 1,
        n_rows=records["n_rows"].astype(np.int64),
        weight=records["weight"].astype(float),
        impurity=records["impurity"].astype(float),
        risk=records["risk"].astype(float),
        complexity=records["complexity"].astype(float),
        improvement=records["improvement"].astype(float),
        prediction=records["prediction"].astype(np.int64) - 1 if n_classes else records["prediction"].astype(float),
        class_weights=records["class_weights"].astype(float).reshape(len(records), n_classes),
    )
