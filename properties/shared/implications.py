"""Implications between conditions on the sizes, as steps of a proof: decided by `bounds.decisions.chain`.

Main definitions: `implies` and `equivalent`; `one_product`, a side as it is read.
"""

from collections.abc import Sequence
from typing import Any

import sympy

from bounds.decisions.chain import Relation, decide
from theory.evidence import Step


def implies(what: str, given: Sequence[Relation], target: Relation, **setting: Any) -> Step:
    """The step that the conditions imply the target, up to constants and logarithms."""
    result = decide(target, given=given, what=what, **setting)
    return Step(str(result), result.decision)


def one_product(value: sympy.Expr) -> sympy.Expr:
    """A product of powers, each name once, as the sides of a relation are read."""
    return sympy.powsimp(sympy.expand_power_base(value, force=True), force=True)


def equivalent(
    names: tuple[str, str], one: Relation, other: Relation, given: Sequence[Relation] = (), **setting: Any
) -> list[Step]:
    """The two steps that relations called `names` imply each other: the exponents are sharp."""
    return [
        implies(f"{names[0]} gives {names[1]}", [*given, one], other, **setting),
        implies(f"{names[1]} asks for {names[0]}", [*given, other], one, **setting),
    ]
