"""The one Hypothesis profile of the suite, for searches and unit tests alike.

Main definition: `PROFILE`, the settings, registered under `NAME`.
"""

from __future__ import annotations

import hypothesis
from hypothesis.internal.conjecture import providers

NAME = "lemmata"

# Compiling a kernel on first use makes one example a thousand times slower than the next, so there is no deadline.
# Without a database a run depends on its seed alone.
PROFILE = hypothesis.settings(deadline=None, derandomize=True, database=None)
hypothesis.settings.register_profile(NAME, PROFILE)

# Hypothesis mixes numbers that it finds in the source of the modules loaded so far into what it draws. A search would
# then depend on what else is selected, and differ between a worker and the main process. There is no setting for it; a
# version without this name draws as it likes, which the test of equal ledgers on one and two workers notices.
_NO_CONSTANTS = providers.Constants()
providers._get_local_constants = lambda: _NO_CONSTANTS


def load() -> None:
    """Make the profile that of this process, for unit tests; a search names it itself."""
    hypothesis.settings.load_profile(NAME)
