"""The one Hypothesis profile of the suite, for searches and unit tests alike.

Main definition: `PROFILE`, the settings, registered under `NAME`.
"""

from __future__ import annotations

import hypothesis

NAME = "lemmata"

# Compiling a kernel on first use makes one example a thousand times slower than the next, so there is no deadline.
# Without a database a run depends on its seed alone.
PROFILE = hypothesis.settings(deadline=None, derandomize=True, database=None)
hypothesis.settings.register_profile(NAME, PROFILE)
