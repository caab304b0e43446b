"""Formulas of the papers: one sympy object per bound, and its float, log-domain and ball forms.

What claims use most can be imported from here, and is loaded when it is asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bounds.arithmetic.balls import precision_of as precision_of
    from bounds.bound import Bound as Bound
    from bounds.bound import Constant as Constant
    from bounds.bound import certainly_le as certainly_le
    from bounds.decisions.prove import at_least as at_least
    from bounds.decisions.prove import is_identity as is_identity
    from bounds.decisions.prove import is_nonnegative as is_nonnegative
    from bounds.decisions.prove import is_positive as is_positive
    from bounds.decisions.prove import is_zero as is_zero
    from bounds.decisions.prove import no_negative_coefficient as no_negative_coefficient
    from bounds.decisions.prove import nonnegative as nonnegative
    from bounds.decisions.prove import vanishes as vanishes
    from bounds.decisions.questions import Decision as Decision
    from bounds.decisions.questions import all_of as all_of
    from bounds.laws.layers import MaskedChiSquare as MaskedChiSquare
    from bounds.symbols import symbol as symbol

# The names above by their modules.
_NAMES = {
    "bounds.arithmetic.balls": "precision_of",
    "bounds.bound": "Bound Constant certainly_le",
    "bounds.decisions.prove": "at_least is_identity is_nonnegative is_positive is_zero no_negative_coefficient "
    "nonnegative vanishes",
    "bounds.decisions.questions": "Decision all_of",
    "bounds.laws.layers": "MaskedChiSquare",
    "bounds.symbols": "symbol",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:
    __all__ = sorted(_MODULES)

    def __getattr__(name: str) -> Any:
        """What stands under a name of the list, loaded at the first time."""
        if name not in _MODULES:
            raise AttributeError(f"module 'bounds' has no attribute {name!r}")
        found = globals()[name] = getattr(importlib.import_module(_MODULES[name]), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_MODULES})
