"""Every width that a plan has of the theorems, against its premises solved apart from the planner, in mpmath."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from bounds.premise import Premise
from theory.claims import registry
from theory.claims.block import Claim
from theory.core.data import Data
from theory.core.verdict import Verdict
from theory.papers import papers
from theory.reports.main_theorems import MAIN
from theory.reports.needs import Plan, own_forms, plan
from theory.reports.page.graph import ancestors
from theory.reports.page.widths import BEYOND, between, known, standing
from theory.reports.solving import CHOSEN, RADII, Need, Solvers
from theory.running.config import RunConfig
from theory.surface import rooms
from theory.upkeep.theorem_widths import of_theorems

pytestmark = pytest.mark.reads_claims

# The theorems and corollaries of all papers.
THEOREMS = sum(s.label.startswith(MAIN) for paper in papers().values() for s in paper.statements)

# The planner is off by one part in 2**40 at most; constants are doubles here.
NEARNESS = 30


class Corners:
    """Four points in three dimensions: a data set of the user's that is small enough to be seen."""

    X = np.vstack([np.eye(3), np.full((1, 3), 3**-0.5)])
    y = np.array([1.0, -1.0, 1.0, -1.0])
    n, d, name, spec = 4, 3, "corners", ""
    separation = float(np.sqrt(2 - 2 * 3**-0.5))

    def draw(self, n: int, d: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """All of them."""
        return self.X, self.y


@pytest.fixture(scope="module")
def suite() -> dict[str, Claim]:
    """Every claim below properties/, by its id."""
    return {claim.id: claim for claim in registry.load_claims() if claim.file.startswith("properties")}


@pytest.fixture(scope="module", params=["corners", "digits"])
def planned(request: pytest.FixtureRequest, suite: dict[str, Claim]) -> tuple[Plan, Data]:
    """What all claims ask for on a data set."""
    brought = Corners() if request.param == "corners" else rooms.load_data(request.param)
    data = Data(rooms.sphere(), brought)
    forms: dict[str, tuple[str, ...]] = {}
    for claim in suite.values():
        forms[claim.statement] = (*forms.get(claim.statement, ()), claim.id)
    return plan(list(suite.values()), RunConfig(data=data, forms=forms), papers(), Solvers()), data


@cache
def sides(premise: Premise) -> tuple[tuple[str, ...], Mapping[str, Any], Callable[..., Any]]:
    """The names in a premise, its constants, and its two sides, the larger first, as a function of the names in mpmath.

    The constants are exact, whatever the precision with which they are asked for first.
    """
    names = (*premise.symbols, *premise.constants)
    pair = (premise.larger.expr, premise.smaller.expr)
    symbols = {str(entry): entry for expr in pair for entry in expr.free_symbols}
    known = tuple(name for name in names if name in symbols)
    constants = {name: number(float(premise.constants[name])) for name in known if name in premise.constants}
    return known, constants, sympy.lambdify([symbols[name] for name in known], pair, "mpmath")


def number(value: Any) -> Any:
    """A value as a number of mpmath."""
    return mpmath.mpf(int(value)) if isinstance(value, int) else mpmath.mpf(float(value))


def holds(premise: Premise, values: Mapping[str, Any]) -> bool:
    """Whether a premise holds at these values and its own constants."""
    known, constants, both = sides(premise)
    found = [number(values[name]) if name in values else constants[name] for name in known]
    try:
        large, small = both(*found)
    except ZeroDivisionError:
        return False
    return bool(large > small if premise.strict else large >= small)


def sizes(claim: Claim, data: Data, need: Need, width: int) -> dict[str, Any]:
    """The symbols of the first cell of a claim on the data at a width, with the sizes that the planner chose."""
    assert data.brought is not None
    given = {"n": data.rows, "phi": data.brought.separation}
    given |= {"d": data.brought.d} if claim.takes_data else {}
    return placed(claim, given, need, width)


def placed(claim: Claim, given: Mapping[str, Any], need: Need, width: int) -> dict[str, Any]:
    """The symbols of the first cell of a claim with what is given, at a width, with the sizes that were chosen."""
    regime = claim.regime
    compared = any({"m", "M"} == set(premise.symbols) for premise in claim.premises)
    given = {**given, "m": width, **({"M": width} if compared else {}), **need.chosen}
    values = regime.complete(regime.cells[0], given)
    return {name: value for name, value in values.items() if name not in regime.draw}


def decided(claim: Claim, values: Mapping[str, Any]) -> list[Premise]:
    """The premises whose symbols all have values."""
    return [premise for premise in claim.premises if set(premise.symbols) <= values.keys() | {"m"}]


def wide(claim: Claim, premises: Sequence[Premise], values: Mapping[str, Any]) -> list[Premise]:
    """Those that ask for a width: it stands in them, or a symbol that is computed from it, and no small radius does."""
    follows = {"m", "M"}
    for name, compute in claim.regime.derived.items():
        if follows & set(inspect.signature(compute).parameters):
            follows.add(name)
    small = dict.fromkeys({*RADII} & values.keys() - claim.regime.derived.keys(), 1e-300)
    met = [p for p in premises if {*RADII} & {*p.symbols} and (not small or holds(p, {**values, **small}))]
    return [p for p in premises if follows & set(p.symbols) and p not in met]


def solved(met: Callable[[int], bool]) -> int:
    """The least width from 2 on: powers of two until the premises hold, then halves of what is left.

    From 26 digits of a width on, in base 2, every second power is tried, and of longer ones fewer.
    """
    below, above = 1, 2
    while not met(above):
        below, above = above, above << max(1, above.bit_length() // 13)
        assert above.bit_length() < 20_000
    # A little nearer than what is compared in the end.
    while above - below > 1 and (above - below) >> 1 > above >> (NEARNESS + 4):
        middle = (below + above) // 2
        below, above = (below, middle) if met(middle) else (middle, above)
    return above


def test_every_width_is_the_least_at_which_the_premises_hold(
    suite: dict[str, Claim], planned: tuple[Plan, Data]
) -> None:
    found, data = planned
    needs = {need.id: need for need in found.claims}
    assert len(found.theorems) == THEOREMS
    shown = dict.fromkeys(form for theorem in found.theorems for form in (*theorem.own, *theorem.forms.values()))
    solutions = 0
    for form in shown:
        claim, need = suite[form], needs[form]
        if need.width is None or not claim.premises or claim.regime.from_data or need.kept:
            continue
        with mpmath.workdps(50):
            here = sizes(claim, data, need, need.width)
            premises = decided(claim, here)
            assert all(holds(p, here) for p in premises), form
            if set(CHOSEN) & set(need.chosen) or not wide(claim, premises, here):
                continue
            asking = wide(claim, premises, here)

            def met(
                width: int, claim: Claim = claim, need: Need = need, asking: Sequence[Premise] = tuple(asking)
            ) -> bool:
                values = sizes(claim, data, need, width)
                return all(holds(p, values) for p in asking)

            least = solved(met)
        solutions += 1
        assert abs(least - max(need.width, 2)) <= max(1, least >> NEARNESS), (form, least, need.width)
    assert solutions > THEOREMS


def test_the_width_of_a_theorem_is_the_largest_of_what_it_rests_on(
    suite: dict[str, Claim], planned: tuple[Plan, Data]
) -> None:
    found, _ = planned
    needs = {need.id: need for need in found.claims}
    uses = {statement.id: statement.uses for paper in papers().values() for statement in paper.statements}
    whole = {theorem.id: theorem for theorem in found.theorems}
    for theorem in found.theorems:
        behind = ancestors(uses, theorem.id)
        if theorem.width is None:
            assert theorem.barred or theorem.open, theorem.id
            continue
        assert theorem.width == max(theorem.widths.values()), theorem.id
        assert {needs[form].width for form in theorem.forms.values()} >= {theorem.width}
        # What is printed counts, whether it is refuted or not, and so does what is printed of all behind it.
        mine = [need for need in needs.values() if need.printed and need.statement == theorem.id]
        mine += [n for n in needs.values() if n.printed and n.statement in behind and n.verdict != Verdict.REFUTED]
        assert all(need.width is not None and need.width <= theorem.width for need in mine), theorem.id
        # No theorem asks for less than one that it rests on, but where only its correction is rested on.
        for name in behind.keys() & whole.keys():
            if not any(needs[form].is_false for form in whole[name].own):
                below = whole[name].width
                assert below is not None
                assert below <= theorem.width, (theorem.id, name)
        # A form that stands in is one that its block declares as the whole statement, corrected.
        for name, form in theorem.forms.items():
            if any(n.is_false for n in needs.values() if n.statement == name) and not needs[form].printed:
                assert needs[form].is_repair or needs[form].verdict == Verdict.VACUOUS, form


@pytest.mark.parametrize("n", [1797, 100_000, 1_000_000])
def test_the_table_of_the_page_is_near_the_least_width_for_more_than_a_thousand_points(
    suite: dict[str, Claim], n: int
) -> None:
    at = {"n": n, "phi": 0.05, "L": 3, "delta": 0.01, "outputs": 10, "d": 64}
    forms = {claim.statement: (claim.id,) for claim in suite.values()}
    own = own_forms(of_theorems(list(suite.values())))
    found = plan(own, RunConfig(at=at, forms=forms), papers(), Solvers())
    needs = {need.id: need for need in found.claims}
    checked, far = 0, dict[str, tuple[float, float]]()
    for theorem in found.theorems:
        about, exact = between(known()[theorem.id], at), theorem.widths.get(theorem.id)
        assert standing(known()[theorem.id], at) != BEYOND
        if exact is None or about is None or math.isnan(about):
            assert about is None or math.isnan(about), theorem.id
            continue
        claim = next(suite[form] for form in theorem.own if needs[form].width == exact)
        need = needs[claim.id]
        with mpmath.workdps(50):
            there = placed(claim, at, need, exact)
            asking = wide(claim, decided(claim, there), there)
            if asking and not set(CHOSEN) & set(need.chosen) and not need.kept:

                def met(
                    width: int, claim: Claim = claim, need: Need = need, asking: Sequence[Premise] = tuple(asking)
                ) -> bool:
                    return all(holds(p, placed(claim, at, need, width)) for p in asking)

                least = solved(met)
                assert abs(least - max(exact, 2)) <= max(1, least >> NEARNESS), theorem.id
                checked += 1
            off = abs(about - float(mpmath.log10(exact)))
        if off > max(0.5, 0.01 * about):
            far[theorem.id] = (about, off)
    assert far == {}
    assert checked > 12
