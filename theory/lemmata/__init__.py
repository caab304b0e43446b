"""The installed name of the suite, and what a claim file imports: `from lemmata import claim, control, grid, Search`.

What measures stands in `lemmata.nets`, formulas and their symbols in `lemmata.bounds`. pytest judges claims where it is
told to: by `lemmata check FOLDER`, or by `-p lemmata` among its options, as in the settings of a project. Nothing is
loaded before it is asked for. PYTEST_DONT_REWRITE
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

_HERE = Path(__file__).resolve().parent
_INSTALLED = (_HERE / "theory").is_dir()

# Beside this file when installed from a wheel; in a checkout this folder stands inside one of the rooms.
ROOT = _HERE if _INSTALLED else _HERE.parents[1]

# pytest loads with `-p lemmata` what it finds here.
pytest_plugins = ("lemmata.plugin",)

if TYPE_CHECKING:
    from bounds.bound import Bound as Bound
    from bounds.bound import certainly_le as certainly_le
    from bounds.constant import Constant as Constant
    from bounds.decisions.prove import is_identity as is_identity
    from bounds.decisions.prove import nonnegative as nonnegative
    from bounds.symbols import declare as declare
    from bounds.symbols import state_meanings as state_meanings
    from bounds.symbols import symbol as symbol
    from theory.claims import UNIT_ROUNDOFF as UNIT_ROUNDOFF
    from theory.claims import Cell as Cell
    from theory.claims import Control as Control
    from theory.claims import Measured as Measured
    from theory.claims import Plan as Plan
    from theory.claims import Regime as Regime
    from theory.claims import Verdict as Verdict
    from theory.claims import Walk as Walk
    from theory.claims import choices as choices
    from theory.claims import claim as claim
    from theory.claims import control as control
    from theory.claims import form as form
    from theory.claims import grid as grid
    from theory.claims import reals as reals
    from theory.claims import rounding as rounding
    from theory.core.statements import ByClaim as ByClaim
    from theory.core.statements import ByDefinition as ByDefinition
    from theory.core.statements import Open as Open
    from theory.core.statements import Paper as Paper
    from theory.core.statements import Statement as Statement
    from theory.core.statements import Suspect as Suspect
    from theory.core.statements import Through as Through
    from theory.evidence import Distribution as Distribution
    from theory.evidence import ExactLaw as ExactLaw
    from theory.evidence import Mean as Mean
    from theory.evidence import Proof as Proof
    from theory.evidence import Scaling as Scaling
    from theory.evidence import Search as Search
    from theory.evidence import Step as Step
    from theory.evidence import Tail as Tail
    from theory.evidence import Trials as Trials
    from theory.evidence.lemma import lemma as lemma
    from theory.reports.figures import Curve as Curve
    from theory.reports.figures import Figure as Figure
    from theory.reports.figures import Panel as Panel
    from theory.surface.asking import check as check
    from theory.surface.asking import claims as claims
    from theory.surface.judged import Judged as Judged

# The names above by their modules: what is imported when it is asked for.
_NAMES = {
    "bounds.bound": "Bound certainly_le",
    "bounds.constant": "Constant",
    "bounds.decisions.prove": "is_identity nonnegative",
    "bounds.symbols": "declare state_meanings symbol",
    "theory.claims": "UNIT_ROUNDOFF Cell Control Measured Plan Regime Verdict Walk choices claim control form grid "
    "reals rounding",
    "theory.core.statements": "ByClaim ByDefinition Open Paper Statement Suspect Through",
    "theory.evidence": "Distribution ExactLaw Mean Proof Scaling Search Step Tail Trials",
    "theory.evidence.lemma": "lemma",
    "theory.reports.figures": "Curve Figure Panel",
    "theory.surface.asking": "check claims",
    "theory.surface.judged": "Judged",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:
    __all__ = sorted(_MODULES)

    def __getattr__(name: str) -> Any:
        """What stands under a name of the vocabulary, loaded at the first time."""
        if name not in _MODULES:
            raise AttributeError(f"module 'lemmata' has no attribute {name!r}")
        found = globals()[name] = getattr(importlib.import_module(_MODULES[name]), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_MODULES})


def _cache() -> Path | None:
    """Where what is compiled is kept: beside installed files there may be no right to write, and it is the user's."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "lemmata"
    except RuntimeError:  # a user without a home
        return None


if _INSTALLED:
    _kept = _cache()
    if _kept is not None:
        os.environ.setdefault("LEMMATA_CACHE_DIR", str(_kept))
else:
    # In a checkout the rooms have names of their own, and `lemmata` is a further one.
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    sys.modules.setdefault("theory.lemmata", sys.modules[__name__])
    importlib.import_module("theory")
