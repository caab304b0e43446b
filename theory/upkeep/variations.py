"""Sizes beside those that a claim declares: other cells inside its premises, drawn from a seed and nothing else.

Main definitions: `Variation`, a claim at such cells; `variations`, which draws some or says why there are none;
`movable`, the symbols that can be moved at all; `ends`, far from the declared sizes.

A size moves by a factor of at most 2, a small one by 1 to 3; a rate to a smaller or larger one, at most 1/2; a name to
another that the regime knows; a real number between the values that the cells give it, or, where they give one and the
statement names the symbol, by a factor of at most 2; what the function does not take stays, as the constants of its
loss. Numbers of steps are doubled. What the declared cells show of symbols stays: sizes that are always
equal or never beyond, widths that are multiples of 4 or 2, and other symbols of which each tells the other.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from bounds.bound import Bound
from bounds.premise import Premise
from bounds.symbols import SYMBOLS, domain_of
from theory.claims.block import Claim
from theory.claims.regime import Cell
from theory.core import seeds
from theory.core.values import Values
from theory.core.verdict import PremiseStatus, Verdict
from theory.running.case import Case
from theory.running.config import RunConfig

# Integers up to this move by 1 to 3, larger ones by a factor.
SMALL = 16
STEP, FACTOR = 3, 2.0

# A rate may become so many times smaller or larger, and is at most so large.
RATE_FACTOR, LARGEST_RATE = 4.0, 0.5

# How many proposals are made for one variation; after so many smaller moves of fewer symbols are tried, and then of
# sizes, rates and names alone.
PROPOSALS, GENTLE, PLAIN = 120, 50, 85

# What a number of steps is called where no meaning says so, and the meanings that say so.
STEPS = frozenset({"K", "T", "steps", "iterations", "clock"})
SAID_OF_STEPS = ("number of steps", "step")

# The sizes of networks and data are free of each other, however close the declared cells have them.
FREE = frozenset({"m", "n", "d", "L", "outputs"})

# Widths stay multiples of 4 or 2 where all that are declared are: layers are halved, and read-outs have balanced signs.
# That depths or numbers of points are even is chance.
WIDTHS, UNIT = frozenset({"m", "M"}), 4

DIGITS = 3


@dataclass(frozen=True)
class Variation:
    """A claim at other cells, without its controls.

    `cells` are those that it is judged at, complete; `longer` says that nothing but the number of steps is another.
    """

    claim: Claim
    cells: tuple[Cell, ...]
    longer: bool


@dataclass(frozen=True)
class _Sizes:
    """What the declared cells of a claim say of its symbols."""

    claim: Claim

    @cached_property
    def cells(self) -> list[Cell]:
        """Every declared cell, without derived symbols."""
        return self.claim.regime.all_cells()

    def values(self, name: str) -> list[Any]:
        """The declared values of a symbol, each once, in their order."""
        return list(dict.fromkeys(cell[name] for cell in self.cells))

    @cached_property
    def stated(self) -> frozenset[str]:
        """The symbols that the bound and the premises name."""
        formulas: list[Bound | Premise] = [self.claim.bound, *self.claim.premises]
        return frozenset(itertools.chain.from_iterable(formula.symbols for formula in formulas))

    @cached_property
    def steps(self) -> frozenset[str]:
        """The symbols of the cells that number steps."""
        said: dict[str, str] = {}
        formulas: list[Bound | Premise] = [self.claim.bound, *self.claim.premises]
        for formula in formulas:
            said.update(formula.meanings(self.claim.paper))
        counting, step = SAID_OF_STEPS
        return frozenset(
            name for name in self.cells[0] if name in STEPS or counting in said.get(name, "") or said.get(name) == step
        )

    @cached_property
    def rates(self) -> frozenset[str]:
        """The symbols of the cells that are probabilities of failure."""
        return frozenset(name for name in self.cells[0] if name in ("delta", self.claim.evidence.rate))

    @cached_property
    def counts(self) -> frozenset[str]:
        """The symbols of the cells that are integers, wherever they are declared."""
        return frozenset(name for name in self.cells[0] if all(type(value) is int for value in self.values(name)))

    @cached_property
    def sizes(self) -> frozenset[str]:
        """The integers that may take any value of their domain, numbers of steps aside."""
        return frozenset(
            name
            for name in self.counts
            if (domain := domain_of(name)) is not None
            and domain.integer
            and all(map(domain.contains, self.values(name)))
        )

    def unit(self, name: str) -> int:
        """What every value of an integer is a multiple of."""
        return math.gcd(UNIT, *self.values(name)) if name in WIDTHS else 1

    @cached_property
    def equal(self) -> dict[str, str]:
        """The sizes that follow another one: they are equal in all cells, of which some differ."""
        following: dict[str, str] = {}
        # A width leads, so that what follows it is a multiple of the same.
        for first, second in itertools.combinations(sorted(self.sizes, key=lambda name: (name not in WIDTHS, name)), 2):
            same = all(cell[first] == cell[second] for cell in self.cells)
            if same and len(self.values(first)) > 1 and first not in following:
                following[second] = first
        return following

    @cached_property
    def taken(self) -> frozenset[str]:
        """The symbols that the measuring function takes, or of which one that is derived is made."""
        derived = (inspect.signature(compute).parameters for compute in self.claim.regime.derived.values())
        return frozenset(self.claim.parameters) | frozenset(itertools.chain.from_iterable(derived))

    @cached_property
    def families(self) -> list[tuple[str, ...]]:
        """Symbols, sizes aside, that have another value together wherever one of them has, such as those of a loss."""
        apart = self.sizes | frozenset(self.claim.regime.usual)
        varied = [name for name in sorted(self.cells[0]) if name not in apart and len(self.values(name)) > 1]
        found: list[list[str]] = []
        for name in varied:
            for family in found:
                pairs = {(cell[family[0]], cell[name]) for cell in self.cells}
                if len(pairs) == len(self.values(family[0])) == len(self.values(name)):
                    family.append(name)
                    break
            else:
                found.append([name])
        return [tuple(family) for family in found if len(family) > 1]

    def joined(self, cell: Cell, chosen: Sequence[str], rng: np.random.Generator) -> Cell:
        """What families of which a symbol is chosen have at another declared cell."""
        found: Cell = {}
        for family in self.families:
            others = [other for other in self.cells if other[family[0]] != cell[family[0]]]
            if others and not set(family).isdisjoint(chosen):
                other = others[int(rng.integers(len(others)))]
                found |= {name: other[name] for name in family}
        return found

    @cached_property
    def orders(self) -> list[tuple[str, str]]:
        """Pairs of sizes of which the first is nowhere larger and somewhere close, so that it may be a part."""
        return [
            (small, large)
            for small, large in itertools.permutations(sorted(self.sizes), 2)
            if not {small, large} <= FREE
            and all(cell[small] <= cell[large] for cell in self.cells)
            and any(2 * cell[small] >= cell[large] for cell in self.cells)
        ]

    def is_plain(self, name: str) -> bool:
        """Whether it is a size, a rate or a name."""
        return name in self.sizes | self.rates or isinstance(self.cells[0][name], str)

    def keeps(self, cell: Values) -> bool:
        """Whether a cell is as the declared ones in what `orders` says, and every symbol is in its domain."""
        ordered = all(cell[small] <= cell[large] for small, large in self.orders)
        return ordered and all(self._may_be(name, value) for name, value in cell.items())

    def _may_be(self, name: str, value: Any) -> bool:
        domain = domain_of(name)
        if domain is None or isinstance(value, str) or value in self.values(name):
            return True
        # Where the declared values lie outside of it, the claim means something else by the name.
        meant = all(isinstance(known, int | float) and domain.contains(known) for known in self.values(name))
        return not meant or bool(domain.contains(value))

    def moved(self, name: str, value: Any, rng: np.random.Generator, reach: float, smaller: bool) -> Any:
        """Another value of a symbol beside `value`, or the same one; `reach` is the share of the way to go."""
        if isinstance(value, str):
            others = [other for other in self.claim.regime.names(name) if other != value]
            return others[int(rng.integers(len(others)))] if others else value
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        if name in self.steps and (name in self.counts or value > 0):
            return value if smaller else 2 * value
        if name in self.rates:
            low = 0.0 if smaller else -1.0
            factor = RATE_FACTOR ** (reach * rng.uniform(low, 1.0))
            return min(_rounded(value * factor), max(LARGEST_RATE, value))
        if name in self.sizes:
            return self._size(name, int(value), rng, reach, smaller)
        return self._between(name, value, rng, reach)

    def _size(self, name: str, value: int, rng: np.random.Generator, reach: float, smaller: bool) -> int:
        unit = self.unit(name)
        if value <= SMALL:
            step = unit * (1 + int(rng.integers(max(1, round(STEP * reach)))))
            other = value - step if smaller or rng.integers(2) else value + step
        else:
            share = FACTOR ** (reach * rng.uniform(-1.0, 0.0 if smaller else 1.0))
            other = value * round(share * 2**20) // 2**20
        other -= other % unit
        return other if SYMBOLS[name].domain.contains(other) else value

    def _between(self, name: str, value: Any, rng: np.random.Generator, reach: float) -> Any:
        """Towards another declared value; where there is none, a positive symbol that is stated moves by a factor."""
        if name not in self.taken:
            return value
        others = [v for v in self.values(name) if v != value and isinstance(v, int | float) and math.isfinite(v)]
        if not others:
            free = name in self.stated and name not in self.counts and value > 0.0
            return _rounded(value * FACTOR ** (reach * rng.uniform(-1.0, 1.0))) if free else value
        other, share = others[int(rng.integers(len(others)))], reach * rng.uniform(0.0, 1.0)
        if name in self.counts:
            return value + round(share * (other - value))
        low, high = min(value, other), max(value, other)
        far = low > 0.0 and high > FACTOR * low
        found = value * (other / value) ** share if far else value + share * (other - value)
        return min(max(_rounded(found), low), high)


def _rounded(value: float) -> float:
    """A number that a line to type can hold."""
    return float(f"{value:.{DIGITS}g}")


def movable(claim: Claim) -> list[str]:
    """The symbols of the cells of which there are other values, sorted."""
    sizes = _Sizes(claim)
    return sorted(name for name in sizes.cells[0] if name not in sizes.equal and _can_move(sizes, name))


def _can_move(sizes: _Sizes, name: str) -> bool:
    values = sizes.values(name)
    if isinstance(values[0], str):
        return len(sizes.claim.regime.names(name)) > 1
    if name in sizes.steps | sizes.rates | sizes.sizes or any(name in family for family in sizes.families):
        return True
    if name not in sizes.taken:
        return False
    alone = name in sizes.stated and name not in sizes.counts and isinstance(values[0], float) and values[0] > 0.0
    return len(values) > 1 or alone


def ends(claim: Claim) -> list[Cell]:
    """Of each integer of the cells the two least values of its domain and two beyond all that are declared, alone.

    The small ones of all symbols come first, which cost least.
    """
    cells = [claim.regime.complete(cell, {}) for cell in claim.regime.all_cells()]
    small, large = list[Cell](), list[Cell]()
    for name in sorted(cells[0]):
        domain, given = domain_of(name), [cell.get(name) for cell in cells]
        known = list(dict.fromkeys(value for value in given if type(value) is int))
        if any(type(value) is not int for value in given):
            continue
        low = 1 if domain is None or not math.isfinite(domain.low) else math.ceil(domain.low)
        small += [{name: value} for value in (low, low + 1) if known != [value]]
        beyond = (2 * max(known) + 1, 4 * max(known) + 2)
        large += [{name: value} for value in beyond if domain is None or domain.contains(value)]
    return small + large


def vary(
    claim: Claim,
    number: int,
    config: RunConfig,
    alpha: float,
    smaller: bool = False,
    before: Sequence[Variation | str] = (),
) -> Variation | str:
    """Variation `number` of a claim, unlike those `before`, or why there is none; with `smaller` no size grows.

    The first one has a smaller rate where there is one, the second nothing but twice the steps. Whatever is drawn
    depends on the seed, the claim and the number alone. A text says what no proposal met, or what all of them raised.
    """
    sizes, trouble, outside = _Sizes(claim), "", False
    known = [cell for found in before if isinstance(found, Variation) for cell in found.cells]
    known += [claim.regime.complete(cell, {}) for cell in claim.regime.all_cells()]
    declared = set(map(seeds.canonical, known))
    for attempt, cells in enumerate(_proposals(sizes, number, config.seed, smaller)):
        if not all(map(sizes.keeps, (*cells.cells, *cells.calibration))):
            continue
        try:
            found = _built(claim, cells, config, alpha)
        except Exception as error:  # a size at which a derived symbol, a premise or a ceiling has no value
            trouble = trouble or f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            continue
        outside = outside or found is None
        if found is None or declared.issuperset(map(seeds.canonical, found[1])):
            continue
        moved, complete = found
        longer = bool(sizes.steps) and number == 1 and not smaller and attempt < GENTLE
        return Variation(moved, complete, longer)
    if trouble and not outside:
        return trouble
    another = "another" if before else "a"
    return f"{another} size nearby that is inside the premises, with a bound that could be missed, is not found"


def variations(
    claim: Claim, count: int, config: RunConfig, alpha: float, smaller: bool = False
) -> list[Variation | str]:
    """The first variations of a claim, or why there is none, as `vary` draws them one after the other."""
    found: list[Variation | str] = []
    for number in range(count):
        found.append(vary(claim, number, config, alpha, smaller, found))
    return found


@dataclass(frozen=True)
class _Proposal:
    """Other cells, not complete."""

    cells: tuple[Cell, ...]
    calibration: tuple[Cell, ...] = ()


def _built(claim: Claim, proposal: _Proposal, config: RunConfig, alpha: float) -> tuple[Claim, tuple[Cell, ...]] | None:
    """The claim at the proposed cells, and these complete; nothing where they are not inside its premises."""
    try:
        regime = replace(claim.regime, cells=proposal.cells, thorough=(), nightly=(), calibration=proposal.calibration)
    except ValueError:
        return None
    # A counterexample need not be there, so that no search has to go on until it is found.
    expected = claim.evidence.pass_verdict if claim.expected is Verdict.REFUTED else claim.expected
    # One cell is all of a variation, so that the line which judges it again does.
    evidence = claim.evidence.of_one_cell()
    moved = replace(claim, regime=regime, evidence=evidence, controls=(), figure=None, expected=expected)
    case = Case(moved, config, alpha)
    fits = claim.evidence.fits
    complete = case.cells
    # A constant that is still to be fitted says nothing of what could be missed.
    inside = all(case.standing.of_cell(cell, math.nan if fits else None) is PremiseStatus.INSIDE for cell in complete)
    return (moved, tuple(complete)) if inside and not claim.evidence.check(moved) else None


def _proposals(sizes: _Sizes, number: int, seed: int, smaller: bool) -> Iterator[_Proposal]:
    """Proposals for one variation, each drawn by a generator of its own."""
    claim = sizes.claim
    every = movable(claim)
    plain = [name for name in every if sizes.is_plain(name)] or every
    if not every:
        return
    name_of_all = f"variations of {claim.id}"
    quick = [{**claim.regime.usual, **cell} for cell in claim.regime.cells]
    for attempt in range(PROPOSALS):
        rng = seeds.generator(seed, name_of_all, {"number": number, "smaller": int(smaller)}, attempt)
        gentle = attempt >= GENTLE
        reach, often = (0.4, 0.3) if gentle else (1.0, 0.7)
        names = plain if attempt >= PLAIN else every
        chosen = [name for name in names if rng.random() < often] or [names[int(rng.integers(len(names)))]]
        longer = bool(sizes.steps) and number == 1 and not smaller
        if longer:
            chosen = sorted(sizes.steps) if not gentle else sorted({*chosen, *sizes.steps})
        else:
            # Steps are doubled by the one variation that is about them.
            chosen = [name for name in chosen if name not in sizes.steps]
        if number == 0 and not smaller:
            chosen = sorted({*chosen, *sizes.rates})
        if not chosen:
            continue
        if claim.evidence.fits:
            yield _together(sizes, quick, chosen, rng, reach, smaller)
            continue
        # The smaller cells stand first, and cost less.
        base = quick[min(int(rng.integers(len(quick))), int(rng.integers(len(quick))))]
        cell = dict(base)
        for name in chosen:
            cell[name] = sizes.moved(name, base[name], rng, reach, smaller)
        cell |= sizes.joined(base, chosen, rng)
        if number == 0 and not smaller:
            for name in sizes.rates:
                cell[name] = _rounded(base[name] * RATE_FACTOR ** (-reach * rng.uniform(0.2, 1.0)))
        for name, leader in sizes.equal.items():
            cell[name] = cell[leader]
        yield _Proposal((cell,))


def _together(
    sizes: _Sizes, quick: Sequence[Cell], chosen: Sequence[str], rng: np.random.Generator, reach: float, smaller: bool
) -> _Proposal:
    """All cells of a fit moved by one factor in each variable; what is fixed is moved in calibration cells as well.

    What a constant is fitted on stays as it is. A value among these is no larger size, and stays among them.
    """
    regime = sizes.claim.regime
    calibration = [{**regime.usual, **cell} for cell in regime.calibration]
    cells = [dict(cell) for cell in quick]
    for name in chosen:
        if regime.is_fixed(name):
            value = sizes.moved(name, quick[0][name], rng, reach, smaller)
            for cell in (*cells, *calibration):
                cell[name] = value
        elif name in sizes.sizes or isinstance(quick[0][name], float):
            factor = FACTOR ** (reach * rng.uniform(-1.0, 0.0 if smaller else 1.0))
            for cell in cells:
                moved = _scaled(cell[name], factor, sizes.unit(name) if name in sizes.sizes else 1)
                cell[name] = _kept_among(moved, cell[name], [fitted[name] for fitted in calibration if name in fitted])
    for name, leader in sizes.equal.items():
        for cell in cells:
            cell[name] = cell[leader]
    return _Proposal(tuple(cells), tuple(calibration))


def _kept_among(moved: Any, value: Any, fitted: Sequence[Any]) -> Any:
    """What became of a value, between the least and the largest of those fitted on if it was there before."""
    if not fitted or not min(fitted) <= value <= max(fitted):
        return moved
    return min(max(moved, min(fitted)), max(fitted))


def _scaled(value: Any, factor: float, unit: int) -> Any:
    if not isinstance(value, int):
        return _rounded(value * factor)
    return max(1, value * round(factor * 2**20) // (2**20 * unit)) * unit
