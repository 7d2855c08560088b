"""What programs that grow trees in waves ask of whoever has the rows: whole waves, out-of-bag rows, targets."""

from __future__ import annotations

from madtree.learn.waves.requests import (
    DrawnRowsRequest,
    Ensemble,
    HeldOut,
    HeldOutRequest,
    Targets,
    TargetsRequest,
    WaveRequest,
)
