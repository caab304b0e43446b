"""Which scope a claim has: what its block declares, checked against what follows from it.

Main definitions: `scope_of`; `path_symbols`, `own_constants`, `steps_counted` and `steps_run`, on which it rests.

What a block need not say follows from it: a claim that is expected to be vacuous is so; what compares a run with
constants measured on that run, and what compares exponents, is a chain; a printed form is judged as printed, or with
constants of the suite; a form called corrected is repaired; anything else is a part. A block may say less by itself. It
may say more with a reason, but never more than a chain where its own run gives the constants.

A statement about convergence speaks of all times, and a run has an end. So where a bound has the number of steps that
the run reports, the block says how many they are of how many, or that the path rests; and where it says numbers of
steps, these are those of its cells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from bounds.bound import Bound
from bounds.premise import Premise
from theory.claims.block import Claim
from theory.core.scope import Scope, Scoped
from theory.core.verdict import Verdict

# What a scope has to say after its colon: which part, how many steps of which.
_NEEDS = {
    Scope.PART: (re.compile(r"\S"), 'say which part, as in "part: the first item"'),
    Scope.STEPS: (re.compile(r"\d.* of \S"), 'say how many of which, as in "steps: 6 of T"'),
    Scope.COUNTEREXAMPLE: (re.compile(r"\S"), 'say where it fails, as in "counterexample: two antipodes"'),
}

# Symbols that a run may report and that are fixed before its first step: sizes and numbers of steps, the step size, the
# points and targets, the loss and the activation, and loss and weights at the start. A bound in them promises something
# of the run. Any other symbol that the run reports, such as an eigenvalue or a gradient on the way, is measured by the
# code that is judged.
GIVEN = frozenset(
    re.findall(
        r"\w+",
        "n m M L d B k K t T depth outputs eta h slope jump phi phi_pm p rho lam alpha0 alpha1 ell0 eps delta a L0 J1"
        " normV1",
    )
)

# Scopes of a row that may speak of all times.
_OF_ALL_TIMES = (Scope.AS_PRINTED, Scope.REPAIRED, Scope.OWN_CONSTANTS, Scope.PART, Scope.CHAIN)

# What the number of steps of a run is called in bounds and cells.
COUNTS = frozenset({"k", "K", "T", "clock", "steps"})

# What says when a run ends, and how many steps it has: "2 to 9 steps of T", "4 to 20 (thoroughly 1,000) of T" after
# "steps:", "until the path rests".
_ENDS = re.compile(r"\bsteps?\b|\brests?\b")
_NUMBER = r"\d[\d,]*"
_RANGE = re.compile(rf"(?:({_NUMBER}) to )?({_NUMBER})(?: \(thoroughly ({_NUMBER})\))?")
_RANGE_OF_STEPS = re.compile(rf"({_NUMBER}) to ({_NUMBER}) steps")

# A reason that begins with where the value stands, as in "Theorem 5.1(i): norm of a layer output". Any other constant
# with a name is open in its paper, or rests on one that is.
_STATED = re.compile(r"(?:Theorem|Lemma|Corollary|Proposition|Assumption|Section|Eq\.|\()[^:]*\d[^:]*:")


# The reason for a constant of which its author says nothing but the value.
CHOSEN = "chosen by the author of the claim"


class Block(NamedTuple):
    """What a block says of its scope, and of what kind the statement is in the list of its paper, if it is there."""

    scope: str
    independent: Mapping[str, str]
    kind: str
    title: str


def _formulas(claim: Claim) -> list[Bound | Premise]:
    return [claim.bound, *claim.premises]


def own_constants(claim: Claim) -> tuple[str, ...]:
    """The constants of the bound and of the premises that the paper does not give, in the order of the block."""
    fitted = claim.evidence.constant
    found: dict[str, None] = {} if fitted is None else {fitted: None}
    for formula in _formulas(claim):
        found |= dict.fromkeys(
            n for n, c in formula.constants.items() if n not in claim.measured and not _STATED.match(str(c.reason))
        )
    return tuple(found)


def path_symbols(claim: Claim, kind: str) -> tuple[str, ...]:
    """The symbols of the bound and the premises that the run itself reports and that are not given before its start.

    None of a statement that is not about convergence, by its block and by its paper, where `kind` is from; nor of a
    proof, which measures nothing.
    """
    if "convergence" not in (claim.kind, kind) or not claim.evidence.compares:
        return ()
    # A constant that the run reports takes the place of its stated value.
    named = {name for formula in _formulas(claim) for name in (*formula.symbols, *formula.constants)}
    return tuple(name for name in claim.measured if name in named and name not in GIVEN)


def steps_counted(claim: Claim, kind: str) -> tuple[str, ...]:
    """The numbers of steps in the bound that the run itself reports, of a statement about convergence."""
    if "convergence" not in (claim.kind, kind) or not claim.evidence.compares or not claim.expected.is_pass:
        return ()
    return tuple(name for name in claim.measured if name in COUNTS and name in claim.bound.symbols)


def steps_run(claim: Claim) -> tuple[int, int] | None:
    """The fewest and the most steps that its cells have up to thorough effort, where these say so by one size."""
    cells = [*claim.regime.cells, *claim.regime.thorough]
    names = {name for cell in cells for name in cell if name in COUNTS}
    taken = [int(cell[name]) for cell in cells for name in names if isinstance(cell.get(name), int)]
    return (min(taken), max(taken)) if len(names) == 1 and taken else None


def steps_said(scope: Scope, of: str) -> tuple[int | None, int] | None:
    """The fewest and the most steps that a scope says, where it says a range or begins with a number of them."""
    if scope is Scope.STEPS and (found := _RANGE.match(of)):
        least, most, thorough = found.groups()
        return _whole(least) if least else None, _whole(thorough or most)
    if found := _RANGE_OF_STEPS.search(of):
        return _whole(found[1]), _whole(found[2])
    return None


def _whole(digits: str) -> int:
    return int(digits.replace(",", ""))


def scope_of(claim: Claim, block: Block, refuse: Callable[[str], Exception]) -> Scoped:
    """The scope of a claim: what its block declares, or else what follows from it.

    Raises what `refuse` makes of a sentence where the declared scope is none, lacks what it is of, is more than the
    block bears out, or says nothing or something else of the steps of a run.
    """
    reported = path_symbols(claim, block.kind)
    for name, why in block.independent.items():
        if name not in reported:
            known = f"those are {', '.join(reported)}" if reported else "there are none"
            raise refuse(f"{name!r} is declared independent, and is no symbol that its run reports; {known}")
        if not why.strip():
            raise refuse(f"{name!r} is declared independent, without a reason; say why")
    own = [name for name in reported if name not in block.independent]
    ceiling = f"its own run reports {', '.join(own)}" if own else ""
    constants = own_constants(claim)
    scope, of = _following(claim, block, bool(own))
    said, reason = _read(block.scope, refuse) if block.scope else (scope, of)
    _check_steps(claim, block.kind, said, reason, refuse)
    if not block.scope:
        return Scoped(scope, of, constants, ceiling)
    if (said is Scope.VACUOUS) != (claim.expected is Verdict.VACUOUS):
        raise refuse(f"its scope is {said} and it expects {claim.expected}; one of the two is wrong")
    if ceiling and said.rank < Scope.CHAIN.rank:
        raise refuse(
            f"its scope is {said}, and {ceiling}: that is a chain at most; say so, or say why they are known otherwise "
            f'with independent={{"{own[0]}": "..."}}'
        )
    if said.rank < scope.rank and not reason:
        raise refuse(f'its scope is {said}, where {scope} follows from its block; say why, as in "{said}: ..."')
    return Scoped(said, reason, constants, ceiling, declared=True)


def _check_steps(claim: Claim, kind: str, scope: Scope, of: str, refuse: Callable[[str], Exception]) -> None:
    """Refuse a scope that leaves the end of a run open whose steps the bound counts, or says steps not in its cells."""
    counted = steps_counted(claim, kind)
    if counted and scope in _OF_ALL_TIMES and not _ENDS.search(of):
        raise refuse(
            f"its run reports {counted[0]}, and its scope, {scope}, does not say when it ends; say how many steps of "
            f'which, as in "{scope}: 2 to 9 steps of T", or "{scope}: until the path rests"'
        )
    said, run = steps_said(scope, of), steps_run(claim)
    if said and run and (said[1] != run[1] or (said[0] is not None and said[0] != run[0])):
        raise refuse(f"its scope says {of!r}, and its cells have {run[0]} to {run[1]} steps; one of the two is wrong")


def _read(written: str, refuse: Callable[[str], Exception]) -> tuple[Scope, str]:
    """A scope as a block writes it: a word of the vocabulary, and after a colon what it is of."""
    word, _, of = (piece.strip() for piece in written.partition(":"))
    if word not in tuple(Scope):
        raise refuse(f"unknown scope {word!r}; use one of {', '.join(Scope)}")
    scope = Scope(word)
    pattern, remedy = _NEEDS.get(scope, (None, ""))
    if pattern is not None and not pattern.search(of):
        raise refuse(f"its scope is {written!r}; {remedy}")
    return scope, of


def _following(claim: Claim, block: Block, of_its_run: bool) -> tuple[Scope, str]:
    """The scope that follows from a block, and what it is of."""
    variant = claim.id.removeprefix(claim.statement).removeprefix("-")
    if claim.expected is Verdict.VACUOUS:
        return Scope.VACUOUS, ""
    if "any-constant" in variant:
        return Scope.COUNTEREXAMPLE, claim.title
    if of_its_run or claim.kind == "implication" or claim.theme == "parameter_chains":
        return Scope.CHAIN, ""
    if claim.printed:
        return (Scope.OWN_CONSTANTS if own_constants(claim) else Scope.AS_PRINTED), ""
    if "corrected" in variant.split("-"):
        return Scope.REPAIRED, ""
    return Scope.PART, claim.title if claim.title != block.title else variant
