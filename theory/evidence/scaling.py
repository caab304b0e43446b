"""Evidence for a bound with a hidden constant: fit it on small sizes, test it on larger ones, fit exponents.

The exponents are fitted by least squares on the logarithms of replicates, with heteroscedasticity-consistent
(HC3) intervals, over all sizes and over the lower and the upper half of each variable; the hull of these
intervals is what the claimed exponent is held against, because finite sizes bend a power law.

How many replicates there are follows from what is to be decided, so that the seed does not decide: where an interval is
too wide, all cells get twice as many, up to `LOOKS` looks in all. The share of the error budget that exponents have is
split among these looks beforehand. Where a replicate misses the constant in a cell, this cell alone gets more, and a
sequential test says whether no more of them miss it than may.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from theory.claims.block import Claim, Plan
from theory.claims.regime import Cell
from theory.claims.results import ANOTHER_SEED, LOOSEST, REMEDY, CellResult, Evidence, Power, summarise
from theory.claims.wrong_bounds import Answer, Retrial, WrongBound
from theory.core.digits import two_digits
from theory.core.measured import ratios
from theory.core.seeds import canonical
from theory.core.statistics import SequentialTest
from theory.core.values import Values
from theory.core.verdict import PremiseStatus, Verdict, combine
from theory.evidence.enough_replicates import (
    Covered,
    Laws,
    chance_missed,
    chance_open,
    chance_planned,
    chance_unrefuted,
    laws_of,
    replicates_wanted,
    room,
)
from theory.evidence.enough_trials import UNDECIDED
from theory.evidence.exponents import WIDEST_HALF_WIDTH, Exponents, wanted
from theory.evidence.foretelling import Foretold, foretold, is_unlikely, share_beyond, spread_within
from theory.evidence.misses import MOST_TIMES, MissTest
from theory.evidence.plan import Number, number_at, unknown_to_number
from theory.evidence.replicates import LOOK_SHARES, LOOKS, Look, Replicates, Sample
from theory.evidence.retrial import judged, of_cells
from theory.evidence.scaling_block import problem_of
from theory.running.case import Case

# The share of the replicates with which a control is tried first: one in so many.
CONTROL_SHARE = 4

# A wrong bound that a part of the replicates leaves open is tried with all of them where so many times the misses that
# are then to be expected would refute it.
NEAR = 2.0

# A number of replicates is told with a reserve, and a last size where it is no farther than so many times the one that
# is there.
RESERVE, FARTHEST = 1.2, 16.0

# What is within so large a factor of its middle most often has a much less noisy neighbour.
SPREAD = 1.6

# Under which the details of a row name the variables whose exponents the sizes do not determine.
MISSING = "not fitted"

# Under which they say how likely another seed leaves it undecided, or refutes it, if what was measured is true, and how
# many times larger the spread of the measurements might be.
CHANCE, ROOM = "undecided", "room"

# Of a cell that is judged where its constant is fitted, as `--at` may have it.
OF_CALIBRATION = "the constant was fitted on this very cell"


@dataclass(frozen=True)
class Scaling(Plan):
    """`replicates` trials in every cell; `exponents` says how the measured exponents must compare.

    Where cells differ in what they cost, `replicates` is a function of their symbols, which it asks for by name.

    Each is held against the bound's: "equal", "at most" or "at least". Every symbol that varies needs one;
    one whose law is no power, such as a logarithm, is "free": fitted, so that it does not bend the others,
    not judged.

    Where an interval is too wide to decide, twice as many are drawn, until there were so many `looks`.

    A law of the limit bends at finite sizes: an exponent that is off by at most `resolution` agrees. It is stated where
    enough replicates would show the bend, and adds to what the row calls its power.

    `constant` names the bound's hidden constant, a factor of it. An upper bound gets `margin` times the
    largest ratio seen on the calibration cells, a lower bound the smallest divided by `margin`; of the replicates of
    each of these cells the share `spared` may be beyond that, for a bound that may be missed as often. Without one,
    the bound is compared as it stands; without exponents the constant alone is judged. On a test cell the claim allows
    the failure rate `rate`: one unlucky replicate does not refute it, and more replicates say whether there are too
    many. Without exponents a test cell is judged by one in `first` of its replicates: what these leave open, by all.

    With `foretold`, for a first look, the constant is the one that so many replicates would give, as far as the few
    tell, and a cell is refuted where too many of its own miss the largest that this may be.
    """

    exponents: Mapping[str, str]
    constant: str | None = None
    replicates: Number = 20
    margin: float = 2.0
    rate: float = 0.1
    resolution: float = 0.0
    looks: int = LOOKS
    spared: float = 0.0
    first: int = 1
    foretold: Number = 0

    method: ClassVar[str] = "scaling fit"
    pass_verdict: ClassVar[Verdict] = Verdict.CONSISTENT
    fits: ClassVar[bool] = True
    no_factor: ClassVar[str] = "exponents and a fitted constant are the same with any factor on its bound"
    replicates_cells: ClassVar[bool] = True
    best_constant: ClassVar[str] = "calibration on smaller sizes: the best value on the test sizes"

    def sketch(self, trials: int) -> Scaling:
        """So many replicates, looked at once."""
        return replace(self, replicates=trials, looks=1, first=1, foretold=self.replicates)

    def least_sizes(self, claim: Claim) -> Values:
        """An order is one of large sizes: below the least whole numbers of its cells no constant was fitted."""
        cells, fixed = claim.regime.all_cells(), claim.regime.is_fixed
        given = {name: [cell.get(name) for cell in cells] for name in cells[0] if not fixed(name)}
        whole = {name: [value for value in values if type(value) is int] for name, values in given.items()}
        return {name: min(values) for name, values in whole.items() if len(values) == len(cells)}

    def measurements(self, case: Case) -> list[tuple[Cell, int]]:
        """The replicates of the first look."""
        cells = [(cell, 1) for cell in case.sizes.calibration]
        cells += [(cell, self.first) for cell in case.cells if cell not in case.sizes.calibration]
        return [(cell, number_at(self.replicates, cell) * case.config.factor // share) for cell, share in cells]

    def likely(self, case: Case, evidence: Evidence, cell: CellResult, number: int) -> float:
        """More than the first look where some miss the bound, until these tell, or where an exponent is too wide."""
        if self.exponents:
            needed = [cell.trials * wanted(e, self.resolution).times for e in _undecided(evidence).values()]
            looks = math.ceil(math.log2(max(1.0, min(max(needed, default=0.0), 1e9) / number)))
            return float(number * 2 ** min(self.looks - 1, looks))
        shown = case.memory.points.get(canonical(cell.at))
        if shown is None:
            return float(number)
        alpha = 0.5 * case.alpha / max(1, len(case.cells)) / LOOKS
        # The constant has its margin beyond what is spared, and a cell in which more miss it is soon refuted.
        share = min(share_beyond(shown[0] / shown[1], case.claim.sense), max(0.5 * self.spared, 1.0 / number))
        further, most = number, MOST_TIMES * number_at(self.replicates, cell.at)
        while further < most and SequentialTest(self.rate, alpha).decide(math.ceil(share * further), further) is None:
            further *= 2
        none = (1.0 - share) ** number
        return none * number + (1.0 - none) * further

    def of_fit(self, case: Case) -> tuple[CellResult, ...]:
        """The cells on which the constant is fitted, those that are measured."""
        fit = _Fit(self, case, Look())
        return tuple(fit.alone(cell) for cell in fit.calibration if canonical(cell) in case.memory.took)

    def partly(self, case: Case) -> tuple[CellResult, ...]:
        """The cells that were measured before the time was over."""
        fit = _Fit(self, case, Look())
        measured = [cell for cell in fit.test if cell not in fit.calibration and canonical(cell) in case.memory.took]
        return (*self.of_fit(case), *map(fit.alone, measured))

    def foreseen(self, case: Case, evidence: Evidence) -> str:
        """That an exponent stays too wide for all looks, by the few replicates of the first look."""
        few = min((cell.trials for cell in evidence.cells), default=0)
        points = [case.memory.points[at][0] for at in map(canonical, case.cells) if at in case.memory.points]
        declared = max((number_at(self.replicates, cell.at) for cell in evidence.cells), default=0)
        most = declared * case.config.factor * 2 ** (self.looks - 1)
        for name, entry in _undecided(evidence).items():
            if few * wanted(entry, self.resolution).times > most:
                remedy = self.remedy(case, name, entry, few, spread_within(points))
                return f"the exponent of {name} may stay undecided: {remedy}"
        return ""

    def remedy(self, case: Case, name: str, entry: Mapping[str, Any], replicates: int, spread: float) -> str:
        """What would decide an exponent that so many replicates of a cell leave open."""
        needed, (low, high) = wanted(entry, self.resolution), entry["ci"]
        said = f"it is within {0.5 * (high - low):.2g} of {0.5 * (low + high):.2g} by {replicates} replicates of a cell"
        sizes = [cell[name] for cell in (*case.sizes.calibration, *case.cells)]
        least, largest = min(sizes), max(sizes)
        if not math.isfinite(needed.times):
            return (
                f"{said}, and bends between smaller and larger sizes, which more replicates do not mend; begin with a "
                f"larger {name}, or take what is measured without its lower-order part"
            )
        number = two_digits(math.ceil(RESERVE * needed.times * replicates))
        wider = f"a last {name} of {two_digits(math.ceil(least * (largest / least) ** needed.spread))}"
        far = (largest / least) ** (needed.spread - 1.0) <= FARTHEST and isinstance(largest, int)
        others = [wider] * far
        if spread > SPREAD:
            others.append(
                f"measure what is spread less: in a cell these lie within a factor of {spread:.2g} of their middle, as "
                f"a difference of norms does, which may be near 0, where the norm of a difference is not"
            )
        return f"{said}; about {number} would do, so write replicates={number}" + "".join(f", or {o}" for o in others)

    def check(self, claim: Claim) -> str:
        """Calibration cells must exist, lie apart from the test cells, and let every exponent be fitted."""
        return (
            self._check_numbers(claim)
            or problem_of(claim, self.exponents, self.constant)
            or self._check_replicates(claim)
        )

    def _check_replicates(self, claim: Claim) -> str:
        """Why the sizes and replicates would leave a true claim undecided too often, whatever is measured."""
        judged = [name for name, agreement in self.exponents.items() if agreement != "free"]
        if claim.expected is not self.pass_verdict or claim.regime.following or not judged:
            return ""
        cells = [claim.regime.complete(cell, {}) for cell in (*claim.regime.calibration, *claim.regime.cells)]
        most = [number_at(self.replicates, cell) * 2 ** (self.looks - 1) for cell in cells]
        chance = chance_planned(tuple(self.exponents), judged, cells, most)
        if chance <= UNDECIDED:
            return ""
        return (
            f"its sizes and replicates, {min(most)} to {max(most)} in a cell at most, leave it undecided with "
            f"probability {chance:.1g} where its intervals are half as wide as they may be, whatever the spread, and "
            f"{UNDECIDED:g} may be; give it more replicates or sizes"
        )

    def _check_numbers(self, claim: Claim) -> str:
        if unknown := unknown_to_number(self.replicates, claim):
            return unknown
        regime = claim.regime
        fitted = [number_at(self.replicates, regime.complete(cell, {})) for cell in regime.calibration]
        others = [number_at(self.replicates, regime.complete(cell, {})) for cell in regime.all_cells()]
        enough = min(fitted, default=2) >= 2 and min(others, default=1) >= 1
        if not (enough and 1.0 <= self.margin < math.inf and 0.0 < self.rate < 1.0):
            return "a scaling claim needs replicates >= 2, a margin of at least 1 and a rate between 0 and 1"
        if not 0.0 <= self.spared < self.rate:
            return f"its spared share {self.spared} must be less than its rate {self.rate}, and not below 0"
        if self.first < 1 or (self.first > 1 and self.exponents):
            return f"its first part {self.first} is for a constant alone, and one in 1 or more"
        if not 0.0 <= self.resolution <= WIDEST_HALF_WIDTH:
            return f"its resolution {self.resolution} must lie between 0 and {WIDEST_HALF_WIDTH}"
        return ""

    def run(self, case: Case) -> Evidence:
        """Measure all cells, fit the constant and the exponents, and compare.

        A control that turns a knob is first tried with a share of the replicates, which most often refute it. What is
        not decided, for nothing but too wide an interval, and every control that is not refuted, is tried with more.
        """
        wrong = case.wants_only_a_refutation
        if wrong and not case.measures_what_its_claim_did:
            early = _Fit(self, case, Look(share=CONTROL_SHARE)).evidence
            if early.verdict is Verdict.REFUTED:
                return early
        found = _Fit(self, case, Look(extends=not wrong and not self.foretold)).evidence
        if wrong and self.in_parts and found.verdict is not Verdict.REFUTED and case.measures_what_its_claim_did:
            return _Fit(self, case, Look(), whole=True).evidence
        for number in range(1, self.looks):
            if not self._more_would_tell(case, found):
                break
            found = _Fit(self, case, Look(number, extends=not wrong)).evidence
        return found if wrong or case.is_replay or self.foretold else self._with_chance(case, found)

    def _with_chance(self, case: Case, found: Evidence) -> Evidence:
        """The evidence, with the chance of another verdict at another seed if what was measured is true."""
        told = _Fit(self, case, Look(found.details["looks"] - 1)).chances(found)
        return replace(found, details={**found.details, **told})

    @property
    def in_parts(self) -> bool:
        """Whether a test cell is judged by a part of its replicates first."""
        return self.first > 1 and not self.exponents

    @staticmethod
    def _more_would_tell(case: Case, found: Evidence) -> bool:
        """Whether it is for want of replicates alone that a claim is undecided, or a control not refuted."""
        if case.is_replay or "rng" not in case.claim.parameters or not found.exponents:
            return False  # without a generator all replicates are the same
        if case.wants_only_a_refutation:
            return found.verdict is not Verdict.REFUTED
        undecided = (entry for entry in found.exponents.values() if entry["verdict"] == Verdict.UNDECIDED)
        return found.spent and MISSING not in found.details and all(math.isfinite(e["claimed"]) for e in undecided)

    def retrial(self, case: Case, evidence: Evidence) -> Retrial | str:
        """By the replicates measured: the constant is fitted again, and all is held against the wrong bound."""
        look = Look(evidence.details["looks"] - 1)

        def ask(wrong: WrongBound) -> Answer:
            fit = _Fit(self, case.asking(wrong.formula), look, wrong=True)
            found = fit.evidence
            if self.in_parts and found.verdict is not Verdict.REFUTED and fit.may_be_refuted(found):
                found = replace(fit, whole=True).evidence
            return Answer(found.verdict is Verdict.REFUTED and found.premises is PremiseStatus.INSIDE)

        cells = [*case.sizes.calibration, *(cell.at for cell in judged(evidence))]
        return of_cells(case, cells, ask, dear=True)


@dataclass(frozen=True)
class _Fit:
    """What the replicates of one look at a case show; with `wrong` beside a wrong variant that its row makes.

    Where the plan judges test cells by a part of their replicates, `whole` takes all of them.
    """

    plan: Scaling
    case: Case
    look: Look
    wrong: bool = False
    whole: bool = False

    @property
    def evidence(self) -> Evidence:
        """Cells, exponents and what follows from both."""
        plan, trouble = self.plan, _trouble(self.samples, self.constant, bool(self.plan.exponents))
        cells = self._told(trouble)
        verdict, status = summarise(cells)
        exponents = {} if trouble else self._exponents()
        missing = [n for n, agreement in plan.exponents.items() if agreement != "free" and n not in exponents]
        said = [Verdict(entry["verdict"]) for entry in exponents.values()]
        combined = combine([verdict, *said, *(Verdict.UNDECIDED for _ in missing)])
        of_note = [entry["ci"] for entry in exponents.values() if entry["agreement"] != "free"]
        half_widths = [0.5 * (high - low) for low, high in of_note]
        return Evidence(
            plan.method,
            combined,
            status,
            tuple(cells),
            Power("exponent", max(half_widths, default=float("nan")) + plan.resolution)
            if plan.exponents
            else self._power,
            alpha=self.case.alpha,
            exponents=exponents,
            intervals={name: entry["ci"] for name, entry in exponents.items()},
            details=self._details(missing, exponents),
            # The intervals alone are too wide, or too few sizes are within the premises, or only those of the fit are.
            spent=combined is Verdict.UNDECIDED
            and not trouble
            and (verdict is not Verdict.UNDECIDED or self._as_fitted),
        )

    @property
    def _as_fitted(self) -> bool:
        """Whether every cell is one on which the constant was fitted, as it may be where the user asks for sizes."""
        return all(cell in self.calibration for cell in self.case.cells)

    def _details(self, missing: Sequence[str], exponents: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        return {
            "margin": self.plan.margin,
            "interval method": "HC3",
            "resolution": self.plan.resolution,
            "looks": self.look.number + 1,
            **({} if self.plan.constant is None else {"constant": self.constant}),
            **({} if self.plan.exponents else {"least constant" if self._upper else "largest constant": self._enough}),
            **({MISSING: ", ".join(missing)} if missing else {}),
            **({LOOSEST: self._foretold.loosest} if self._is_foretold else {}),
            **({REMEDY: remedy} if (remedy := self._remedy(exponents)) else {}),
        }

    def _remedy(self, exponents: Mapping[str, Mapping[str, Any]]) -> str:
        """What would decide the first exponent that is left open."""
        number = max((sample.values.size for sample in self.samples.values()), default=0)
        names = [n for n, e in exponents.items() if e["verdict"] == Verdict.UNDECIDED and math.isfinite(e["claimed"])]
        spread = spread_within([sample.values for sample in self.samples.values()])
        return self.plan.remedy(self.case, names[0], exponents[names[0]], number, spread) if names else ""

    def chances(self, found: Evidence) -> dict[str, Any]:
        """The chance that another seed leaves `found` undecided or refutes it, and how much more spread it would bear.

        Of what is refuted, that another seed does not refute an exponent. Empty where it is not known.
        """
        if found.verdict is Verdict.UNDECIDED or MISSING in found.details:
            return {}
        if "rng" not in self.case.claim.parameters:
            return {CHANCE: 0.0}
        looks, done, alpha, laws = self.plan.looks, self.look.number, 0.5 * self.case.alpha, self._laws(found)
        if found.verdict is Verdict.REFUTED:
            return {CHANCE: chance_unrefuted(laws, alpha, done)} if laws else {}
        of_exponents = chance_open(laws, alpha, done, looks)
        chance = of_exponents + self._chance_missed(found)
        # It is an upper bound, and such a one says nothing.
        if chance >= 1.0:
            return {}
        told: dict[str, Any] = {CHANCE: chance, **({ROOM: room(laws, alpha, done, looks)} if laws else {})}
        if chance > UNDECIDED:
            times = replicates_wanted(laws, alpha, done, looks) if of_exponents > UNDECIDED else math.inf
            remedy = (
                f"{times:.2g} times the replicates would do" if math.isfinite(times) else "replicates do not mend it"
            )
            told[ANOTHER_SEED] = (
                f"its chance to be left open or refuted is up to {chance:.1g}, and {UNDECIDED:g} may be: {remedy}"
            )
        return told

    def _laws(self, found: Evidence) -> list[Laws]:
        """The laws of the intervals of all exponents, at the look that was the last."""
        plan = self.plan
        cells = [*self.calibration, *(cell for cell in self.test if cell not in self.calibration)]
        exponents = Exponents(plan.exponents, plan.resolution)
        design = exponents.design(self.case, cells, self.samples)
        share = LOOK_SHARES[self.look.number] * 0.5 * self.case.alpha
        whole = design.fitted(design.level(share)) if found.exponents else None
        return [
            laws_of(entry["agreement"], entry["claimed"], plan.resolution, design, whole, name)
            for name, entry in found.exponents.items()
            if whole is not None
        ]

    def _chance_missed(self, found: Evidence) -> float:
        """The chance that some cell is not covered by the constant."""
        sign, margin = 1.0 if self._upper else -1.0, self.plan.margin
        fitted = self.plan.constant is not None and self.plan.constant not in self.case.config.at
        judged = [cell.at for cell in found.cells if cell.premises is found.premises]
        measured, reached = self._beside(judged, fitted), self._beside(self.calibration, True) if fitted else []
        logarithms = all((ratios > 0.0).all() for ratios in (*measured, *reached))

        def scaled(ratios: np.ndarray) -> np.ndarray:
            return sign * (np.log(ratios) if logarithms else ratios)

        def beyond(reach: float) -> float:
            if not fitted:
                return 0.0 if logarithms else sign
            return reach + math.log(margin) if logarithms else reach * margin**sign

        first = map(self._replicates.declared, judged)
        covered = [Covered(scaled(r), number, MOST_TIMES * number) for r, number in zip(measured, first, strict=True)]
        fitted_on = map(self._replicates.declared, self.calibration)
        reaches = [
            (scaled(ratios[:number]), int(self.plan.spared * number))
            for ratios, number in zip(reached, fitted_on, strict=bool(reached))
        ]
        return chance_missed(covered, reaches, beyond, self.plan.rate, self._alpha)

    def _beside(self, cells: Sequence[Cell], unit: bool) -> list[np.ndarray]:
        """The ratios of what was measured in cells to the bound, with the constant 1 as `unit` or with its own."""
        constant = 1.0 if unit else self.constant
        return [self.samples[canonical(cell)].values / self._bound(cell, constant) for cell in cells]

    @property
    def _upper(self) -> bool:
        return self.case.claim.sense == "<="

    @cached_property
    def _ratios(self) -> list[np.ndarray]:
        """The ratios of what was measured on each test cell."""
        pairs = [(self.samples[canonical(cell)].values, self._bound(cell, self.constant)) for cell in self.test]
        return [ratios(v, np.full_like(v, b)) if self._upper else ratios(np.full_like(v, b), v) for v, b in pairs]

    @property
    def _enough(self) -> float:
        """The value of the constant with which the replicates of the test cells just meet the bound."""
        worst = max((float(found.max()) for found in self._ratios), default=math.nan)
        return self.constant * worst if self._upper else self.constant / worst if worst else math.inf

    @property
    def _power(self) -> Power:
        """Of a constant alone: the factor on the bound that half of the replicates of a cell would miss."""
        return Power("bound factor", max((float(np.median(found)) for found in self._ratios), default=math.nan))

    @cached_property
    def _replicates(self) -> Replicates:
        return Replicates(self.case, self.plan.replicates)

    @cached_property
    def calibration(self) -> list[Cell]:
        """The cells on which the constant is fitted: those of the block, whatever sizes a what-if asks about."""
        return self.case.sizes.calibration

    @cached_property
    def test(self) -> list[Cell]:
        """The cells to judge."""
        return self.case.cells

    @cached_property
    def samples(self) -> dict[str, Sample]:
        """What was measured, by cell."""
        found = dict(self._of_fit)
        for cell in self.test:
            if canonical(cell) not in found:
                found[canonical(cell)] = self._of_test(cell)
        return found

    @cached_property
    def _of_fit(self) -> dict[str, Sample]:
        """What was measured where the constant is fitted, by cell."""
        return {canonical(cell): self._replicates.sample(cell, self.look) for cell in self.calibration}

    def _of_test(self, cell: Cell) -> Sample:
        """What was measured in a test cell."""
        if not self.plan.in_parts or self.case.is_replay or self.look.share > 1:
            return self._replicates.sample(cell, self.look, replay=self.case.is_replay)
        times = round(math.log2(self.plan.first)) if self.whole else 0
        return self._replicates.first_part(cell, self.plan.first, times)

    def may_be_refuted(self, found: Evidence) -> bool:
        """Whether a wrong bound that a part of the replicates leaves open is missed by enough of them to go on."""
        alpha = self._alpha
        for cell in found.cells:
            enough = SequentialTest(self.plan.rate, alpha).refutation_boundary(
                np.array([self.plan.first * cell.trials])
            )
            if NEAR * self.plan.first * cell.failures >= enough[0]:
                return True
        return False

    @cached_property
    def constant(self) -> float:
        """The hidden constant: the user's own, or the extreme ratio on the calibration cells, with margin.

        By the replicates of the first look alone: a later one is for exponents and cells, and the bound stays as it is.
        """
        name, at, margin = self.plan.constant, self.case.config.at, self.plan.margin
        if name is None:
            return 1.0
        if name in at:
            return float(at[name])
        units = np.array([self._bound(cell, 1.0) for cell in self.calibration])
        if not (np.isfinite(units) & (units > 0.0)).all():
            return math.nan
        if self.plan.foretold:
            return self._foretold.likely
        first = [self._of_fit[canonical(cell)].values[: self._replicates.declared(cell)] for cell in self.calibration]
        pairs = [(np.sort(v), int(self.plan.spared * v.size), unit) for v, unit in zip(first, units, strict=True)]
        if self._upper:
            return margin * float(np.max([v[v.size - 1 - spared] / unit for v, spared, unit in pairs]))
        return float(np.min([v[spared] / unit for v, spared, unit in pairs])) / margin

    @property
    def _is_foretold(self) -> bool:
        """Whether the constant is the one that a whole run would most likely fit."""
        name = self.plan.constant
        return bool(self.plan.foretold) and name is not None and name not in self.case.config.at

    @cached_property
    def _foretold(self) -> Foretold:
        """The constant that the replicates of the whole run would give, by few of them."""
        numbers = [number_at(self.plan.foretold, cell) * self.case.config.factor for cell in self.calibration]
        found = [self._of_fit[canonical(cell)].values / self._bound(cell, 1.0) for cell in self.calibration]
        return foretold(found, numbers, self.plan.spared, self.plan.margin, self._upper)

    def alone(self, cell: Cell) -> CellResult:
        """What was measured in one cell, beside its bound where the cells are measured that it takes."""
        sample = self._replicates.sample(cell, self.look)
        known = all(canonical(c) in self.case.memory.took for c in self.calibration)
        bound = self._bound(cell, self.constant) if known else math.nan
        values = sample.values
        place = int(values.argmax() if self._upper else values.argmin())
        worst = float(values[place])
        small, large = (worst, bound) if self._upper else (bound, worst)
        ratio = float(ratios(np.array([small]), np.array([large]))[0]) if known else math.nan
        missed = np.count_nonzero(values > bound if self._upper else values < bound)
        standing = self.case.standing.of_cell(cell)
        return CellResult(
            at=cell,
            premises=standing,
            verdict=Verdict.UNDECIDED,
            measured=worst,
            bound=bound,
            ratio=ratio,
            trials=values.size,
            failures=int(missed),
            seconds=sample.seconds,
            worst=cell,
            error=sample.error(place),
        )

    def _bound(self, cell: Cell, constant: float) -> float:
        name = self.plan.constant
        limit = self.case.limit(cell if name is None else {**cell, name: constant})
        return float(self.case.meetable(limit) if self.wrong else limit)

    @property
    def _alpha(self) -> float:
        return 0.5 * self.case.alpha / max(1, len(self.test))

    def _cells(self) -> list[CellResult]:
        """What the replicates of each cell show beside the bound. One half of the error budget is for these."""
        test, extends = MissTest(self._replicates, self.plan.rate, self._alpha), self.look.extends
        return [
            test.result(cell, self.samples[canonical(cell)], self._bound(cell, self.constant), extends)
            for cell in self.test
        ]

    def _told(self, trouble: str) -> list[CellResult]:
        """The cells, undecided where there is trouble, or where the constant was fitted on that very cell."""
        cells, at = self._cells(), self.case.config.at
        if trouble:
            # Failures at a constant that is known refute, whatever stands in other cells.
            fitted = self.plan.constant is not None and self.plan.constant not in at
            logarithms = bool(self.plan.exponents)
            known = 0.0 < self.constant < math.inf and not (
                fitted and _trouble(self._of_fit, self.constant, logarithms)
            )
            cells = [
                cell
                if known and cell.verdict is Verdict.REFUTED and self.samples[canonical(cell.at)].pure
                else replace(cell, verdict=Verdict.UNDECIDED, remark=trouble)
                for cell in cells
            ]
        elif self.plan.foretold and not self.wrong:
            cells = [replace(cell, verdict=self._by_few(cell), remark="") for cell in cells]
        return [
            replace(cell, verdict=Verdict.UNDECIDED, remark=OF_CALIBRATION) if cell.at in self.calibration else cell
            for cell in cells
        ]

    def _by_few(self, cell: CellResult) -> Verdict:
        """Of a first look: refuted where too many miss the bound with the largest constant that a whole run may fit."""
        if not math.isfinite(cell.bound):
            return Verdict.UNDECIDED
        values = self.samples[canonical(cell.at)].values
        loosest = cell.bound * (self._foretold.loosest / self.constant if self._is_foretold else 1.0)
        missed = int(np.count_nonzero(values > loosest if self._upper else values < loosest))
        return Verdict.REFUTED if is_unlikely(missed, values.size, self.plan.rate) else Verdict.CONSISTENT

    def _exponents(self) -> dict[str, dict[str, Any]]:
        """The exponents over all cells. The other half of the error budget is for these, a share of it at each look."""
        distinct = [*self.calibration, *(cell for cell in self.test if cell not in self.calibration)]
        alpha = LOOK_SHARES[self.look.number] * 0.5 * self.case.alpha
        plan = self.plan
        return Exponents(plan.exponents, plan.resolution).measured(self.case, distinct, self.samples, alpha)


def _undecided(evidence: Evidence) -> dict[str, dict[str, Any]]:
    """The exponents that are left open."""
    return {name: entry for name, entry in evidence.exponents.items() if entry["verdict"] == Verdict.UNDECIDED}


def _trouble(samples: Mapping[str, Sample], constant: float, logarithms: bool) -> str:
    """Why there is nothing to compare or to fit: no constant, or a measurement without a logarithm where they count."""
    for at, sample in samples.items():
        if trouble := sample.trouble(at, logarithms):
            return trouble
    return "" if 0.0 < constant < math.inf else "the bound is not a finite positive number in calibration"
