"""Formulas that stand in the blocks of claims pass what those of the sheets pass."""

from functools import cache

import pytest

from bounds.bound import Bound
from bounds.premise import Premise
from bounds.sheet import bounds_of, premises_of, sheets
from bounds.tests import checks
from theory.claims import registry

pytestmark = pytest.mark.reads_claims


@cache
def bounds_in_blocks() -> dict[str, Bound]:
    """The bound of each claim that stands in no sheet, by the id of the claim; of equal ones the first."""
    known = {bound for sheet in sheets().values() for bound in bounds_of(sheet).values()}
    found: dict[str, Bound] = {}
    for claim in registry.load_claims():
        if isinstance(claim.bound, Bound) and claim.bound not in known:
            known.add(claim.bound)
            found[claim.id] = claim.bound
    return found


@cache
def premises_in_blocks() -> dict[str, Premise]:
    """The premises of claims that stand in no sheet, by the id of the claim and their text; of equal ones the first."""
    known = {premise for sheet in sheets().values() for premise in premises_of(sheet).values()}
    found: dict[str, Premise] = {}
    for claim in registry.load_claims():
        for premise in claim.premises:
            if isinstance(premise, Premise) and premise not in known:
                known.add(premise)
                found[f"{claim.id}: {premise.text}"] = premise
    return found


PREMISES = [pytest.param(premise, id=name) for name, premise in premises_in_blocks().items()]
IN_BLOCKS = [pytest.param(bound, id=name) for name, bound in bounds_in_blocks().items()]


def test_formulas_stand_in_blocks() -> None:
    assert len(IN_BLOCKS) > 300


@pytest.mark.parametrize("bound", IN_BLOCKS)
def test_a_formula_is_declared_readable_typeset_and_one_number_in_all_its_forms(bound: Bound) -> None:
    checks.symbols_are_declared(bound)
    checks.text_reads_back(bound)
    checks.latex_shows_every_symbol(bound)
    checks.float_logarithm_and_ball_agree(bound)
    checks.arrays_give_the_scalars(bound)
    checks.exponents_are_those_measured(bound)


def test_premises_stand_in_blocks() -> None:
    assert len(PREMISES) > 50


@pytest.mark.parametrize("premise", PREMISES)
def test_a_premise_is_typeset_and_each_of_its_sides_one_number_in_all_its_forms(premise: Premise) -> None:
    checks.latex_shows_every_symbol(premise)
    for side in (premise.larger, premise.smaller):
        checks.symbols_are_declared(side)
        checks.text_reads_back(side)
        checks.float_logarithm_and_ball_agree(side)
