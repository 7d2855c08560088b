"""The two sides of a split, and where a split sends a row whose value does not tell."""

from __future__ import annotations

LEFT, RIGHT, UNKNOWN = 0, 1, 2
N_SIDES = 3
