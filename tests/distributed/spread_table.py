"""The table that the tests on a Citus cluster use."""

from __future__ import annotations

N_SHARDS = 6
