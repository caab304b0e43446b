"""How a claim is decided: one module per kind of evidence, each a plan that a claim block names.

`Search` (for all), `Trials` (with probability), `ExactLaw` (probabilities computed), `Distribution` (equality
in law), `Mean` (in expectation), `Scaling` (up to constants), `Proof` (decided symbolically).
"""

from theory.claims.block import Plan
from theory.evidence.distribution import Distribution
from theory.evidence.law import ExactLaw, Tail
from theory.evidence.mean import Mean
from theory.evidence.proof import Proof, Step
from theory.evidence.scaling import Scaling
from theory.evidence.search import Search
from theory.evidence.trials import Trials

__all__ = ["Distribution", "ExactLaw", "Mean", "Proof", "Scaling", "Search", "Step", "Tail", "Trials", "of_method"]

_BY_METHOD: dict[str, type[Plan]] = {
    kind.method: kind for kind in (Distribution, ExactLaw, Mean, Proof, Scaling, Search, Trials)
}


def of_method(method: str) -> type[Plan]:
    """What can be asked of the plan that a ledger calls so: of one that is not known here, what holds of any."""
    return _BY_METHOD.get(method, Plan)
