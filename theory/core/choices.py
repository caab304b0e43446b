"""The words that options may be set to: levels of effort and backends. Light, so that a typo is told at once."""

from __future__ import annotations

# How many times the quick budget each effort spends.
EFFORT_FACTOR = {"quick": 1, "thorough": 10, "nightly": 50}

EFFORTS = tuple(EFFORT_FACTOR)

# How many seconds a claim and its controls have at each effort: far more than any needs, for those that hang.
TIME_LIMIT = {"quick": 600.0, "thorough": 7200.0, "nightly": 43200.0}

# Where blocks may run: loky's processes on this machine, a dask cluster, a ray cluster.
BACKENDS = ("loky", "dask", "ray")
