"""Parallel workers: how many there may be, when they pay, and the planner's settings for them."""

from __future__ import annotations

from madtree.parallel.cost_model import (
    Workers,
    available,
    best,
    cores,
    growing_workers,
    handing_over_pays,
    pass_workers,
    resident_workers,
    seconds,
    sharing,
    wave_workers,
    without_leader,
)
