"""The rows that the trees of a boosting round are grown on: those in training, or a part of them that is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np

from madtree.learn.data import Array, Block, Ints, Values, flat_nonzero, keyed, mixed, require
from madtree.learn.problem.replicas import Replicas
from madtree.records import dataclass
from madtree.trees import MOST_ROUNDS

_DRAWN, _HELD_OUT = 3, 4  # purposes of a hash


def held_out_rows(identity: Array, share: float, seed: int) -> Array:
    """(n_rows,) uint8 1 of rows that are held out, a share of all, by a hash of their identities (n_rows,) uint32."""
    return (mixed(identity ^ np.uint32(Sampled.key_of_held_out(seed))) < share * 2.0**32).view(np.uint8)


@dataclass(frozen=True)
class Sampled(Replicas):
    """One tree of each group, grown on rows that are drawn without replacement.

    Attributes:
        seed: of the model.
        round: by whose number rows are drawn anew.
        kept: share of the rows in training that are drawn; 1 for all of them.
        has_held_out: whether rows tell by their fold that they are held out of training, or left out.
    """

    seed: int
    round: int
    kept: float = 1.0
    has_held_out: bool = False

    # What the fold of a row says: it is in training, held out, or in training, but the next tree is grown without it.
    IN_SAMPLE: ClassVar[int] = 0
    HELD_OUT: ClassVar[int] = 1
    LEFT_OUT: ClassVar[int] = 2

    @staticmethod
    def key_of_held_out(seed: int) -> int:
        """With which identities are hashed to tell the rows that are held out."""
        return int(keyed(_HELD_OUT, seed, np.zeros(1, np.int64))[0])

    @property
    def first_member(self) -> int:
        return self.round

    def multiplicity(self, block: Block, replica: int) -> Array | None:
        drawn: Array | None = None
        if self.kept < 1:
            assert block.identity is not None
            key = keyed(_DRAWN, self.seed, np.array([self.round]))[0]
            drawn = (mixed(block.identity ^ key) < self.kept * 2.0**32).view(np.uint8)
        if self.has_held_out and block.fold is not None:
            in_training = (block.fold == self.IN_SAMPLE).view(np.uint8)
            drawn = in_training if drawn is None else drawn & in_training
        return drawn

    def held_out(self, block: Block, replica: int) -> Ints:
        return np.zeros(0, np.int64) if block.fold is None else flat_nonzero(block.fold == self.HELD_OUT)

    def to_value(self) -> Any:
        return {"kind": "sampled", **asdict(self)}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Sampled:
        """What `to_value` gave; raises MadtreeError where it is none."""
        given = Values(values)
        kept = given.number("kept", 0.0, 1.0)
        require(kept > 0, "kept", "above 0")
        return cls(
            given.integer("seed", -(2**63), 2**63 - 1),
            given.integer("round", 0, MOST_ROUNDS),
            kept,
            given.boolean("has_held_out"),
        )
