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

import functools
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from theory.claims.block import Claim, Plan
from theory.claims.regime import Cell
from theory.claims.results import CellResult, Evidence, Power, parts, summarise
from theory.claims.wrong_bounds import Answer, Retrial, WrongBound
from theory.core.measured import ratios
from theory.core.progress import Meter
from theory.core.seeds import canonical
from theory.core.statistics import ScalingFit, SequentialTest, scaling_fit
from theory.core.verdict import PremiseStatus, Verdict, combine
from theory.evidence.plan import IMPURE, Number, number_at, same, unknown_to_cells, unknown_to_number
from theory.evidence.retrial import judged, of_cells
from theory.running.case import Case
from theory.running.parallel import again, ends_block, run_blocks

# An interval wider than this on either side cannot tell an exponent from one off by 0.1, and is no evidence.
WIDEST_HALF_WIDTH = 0.1

# The fit of an exact power law is off by rounding: some hundreds of units in the last place of the
# logarithms. So a stated relative error beyond this is no rounding error of an exponent.
EXPONENT_ROUNDING = 1e-9

# The share of the replicates with which a control is tried first: one in so many.
CONTROL_SHARE = 4

# Looks at the exponents, each at twice the replicates of the one before, and the share of the error budget that each of
# them has. The first one decides nearly always, and loses little by what is kept for the others.
LOOK_SHARES = (0.75, 0.25 / 3, 0.25 / 3, 0.25 / 3)
LOOKS = len(LOOK_SHARES)

# So many times the declared replicates a cell has at most, where some miss the constant: 20 declared ones become enough
# to support a rate of 0.1 that is reached to a quarter.
MOST_TIMES = 64

# Under which the details of a row name the variables whose exponents the sizes do not determine.
MISSING = "not fitted"

AGREEMENTS = ("equal", "at most", "at least", "free")


@dataclass(frozen=True)
class _Sample:
    """What the replicates of one cell measured, one number each; `first` numbers the first replicate.

    Where only an interval is known, `values` holds the end that is further from meeting the bound. The quantity lies
    between `near`, the other end, and `far`, both moved outward by the stated error. `pure` says whether a replicate
    came out the same when it was measured again.
    """

    values: np.ndarray
    near: np.ndarray
    far: np.ndarray
    first: int
    pure: bool
    seconds: float

    def trouble(self, at: str) -> str:
        """Why nothing can be fitted to these numbers, measured in the cell `at`; empty where it can."""
        good = np.isfinite(self.values) & (self.values > 0.0)
        said = "is not a finite positive number"
        if good.all():
            said = "is known too coarsely for an exponent"
            good = np.isclose(self.far, self.values, rtol=EXPONENT_ROUNDING, atol=0.0)
        if good.all():
            return "" if self.pure else IMPURE
        index = int(np.argmin(good))
        return f"a measurement {said}: {self.values[index]:.6g} at {at},trial={self.first + index}"

    def joined(self, later: _Sample) -> _Sample:
        """Both together."""
        return _Sample(
            np.concatenate([self.values, later.values]),
            np.concatenate([self.near, later.near]),
            np.concatenate([self.far, later.far]),
            self.first,
            self.pure and later.pure,
            self.seconds + later.seconds,
        )


@dataclass(frozen=True)
class _Look:
    """A look at the replicates: `2**number` times the declared ones, or of the first ones one in `share`.

    `extends` says whether cells where some miss the bound get more than that.
    """

    number: int = 0
    share: int = 1
    extends: bool = False


@dataclass(frozen=True)
class Scaling(Plan):
    """`replicates` trials in every cell; `exponents` says how the measured exponents must compare.

    Where cells differ in what they cost, `replicates` is a function of their symbols, which it asks for by name.

    Each is held against the bound's: "equal", "at most" or "at least". Every symbol that varies needs one;
    one whose law is no power, such as a logarithm, is "free": fitted, so that it does not bend the others,
    not judged.

    A law of the limit bends at finite sizes: an exponent that is off by at most `resolution` agrees. It is stated where
    enough replicates would show the bend, and adds to what the row calls its power.

    `constant` names the bound's hidden constant, a factor of it. An upper bound gets `margin` times the
    largest ratio seen on the calibration cells, a lower bound the smallest divided by `margin`. Without one,
    the bound is compared as it stands. On a test cell the claim allows the failure rate `rate`: one unlucky replicate
    does not refute it, and more replicates say whether there are too many.
    """

    exponents: Mapping[str, str]
    constant: str | None = None
    replicates: Number = 20
    margin: float = 2.0
    rate: float = 0.1
    resolution: float = 0.0

    method: ClassVar[str] = "scaling fit"
    pass_verdict: ClassVar[Verdict] = Verdict.CONSISTENT
    fits: ClassVar[bool] = True
    replicates_cells: ClassVar[bool] = True
    best_constant: ClassVar[str] = "calibration on smaller sizes: the best value on the test sizes"

    def check(self, claim: Claim) -> str:
        """Calibration cells must exist, lie apart from the test cells, and let every exponent be fitted."""
        regime = claim.regime
        if claim.sense == "=":
            return "a scaling claim bounds from one side; state it with sense '<=' or '>='"
        if of_points := sorted(regime.following & {*claim.bound.symbols, *self.exponents}):
            return f"its fit takes {of_points[0]}, which is not known before points are drawn; use Search or Trials"
        if unknown := unknown_to_number(self.replicates, claim):
            return unknown
        fitted = [number_at(self.replicates, regime.complete(cell, {})) for cell in regime.calibration]
        others = [number_at(self.replicates, regime.complete(cell, {})) for cell in regime.all_cells()]
        enough = min(fitted, default=2) >= 2 and min(others, default=1) >= 1
        if not (enough and 1.0 <= self.margin < math.inf and 0.0 < self.rate < 1.0):
            return "a scaling claim needs replicates >= 2, a margin of at least 1 and a rate between 0 and 1"
        if not 0.0 <= self.resolution <= WIDEST_HALF_WIDTH:
            return f"its resolution {self.resolution} must lie between 0 and {WIDEST_HALF_WIDTH}"
        if self.constant is not None and self.constant not in claim.bound.constants:
            return f"its hidden constant {self.constant!r} is no constant of the bound"
        if not regime.calibration:
            return "a scaling claim needs calibration cells; add calibration=grid(...) with smaller sizes"
        calibration = [regime.complete(cell, {}) for cell in regime.calibration]
        test = [regime.complete(cell, {}) for cell in [*regime.cells, *regime.thorough, *regime.nightly]]
        if any(cell in test for cell in calibration):
            return "a calibration cell is also a test cell; keep the two apart"
        return (
            unknown_to_cells(claim, self.constant)
            or self._check_exponents(calibration, test[: len(regime.cells)])
            or self._check_varying(claim, calibration + test)
            or self._check_constant(claim, calibration[0])
        )

    def _check_exponents(self, calibration: list[Cell], test: list[Cell]) -> str:
        if all(agreement == "free" for agreement in self.exponents.values()):
            return "a scaling claim is about exponents; name each variable in exponents={...}"
        cells = calibration + test
        columns = []
        for name, agreement in self.exponents.items():
            if agreement not in AGREEMENTS:
                return f"exponent of {name}: {agreement!r} is none of {', '.join(AGREEMENTS)}"
            if name not in cells[0]:
                return f"exponent of {name}: the cells do not give {name}; add it to them"
            sizes = np.array([float(cell[name]) for cell in cells])
            if not (np.isfinite(sizes) & (sizes > 0.0)).all():
                return f"exponent of {name}: a size is not positive; an exponent is a slope of logarithms"
            fewest = 2 if agreement == "free" else 3
            if np.unique(sizes).size < fewest:
                return f"{name} takes {np.unique(sizes).size} values in the regime; an exponent needs at least {fewest}"
            columns.append(np.log(sizes))
        design = np.column_stack([np.ones(len(cells)), *(column - column.mean() for column in columns)])
        if np.linalg.matrix_rank(design) < design.shape[1]:
            return f"the cells do not tell the exponents of {', '.join(self.exponents)} apart; vary each alone"
        known = len(calibration)
        if not any(c[known:].max() > c[:known].max() or c[known:].min() < c[:known].min() for c in columns):
            return "no test cell lies beyond the calibration cells; a constant must carry over to other sizes"
        return ""

    def _check_varying(self, claim: Claim, cells: list[Cell]) -> str:
        # A derived variable stands for the symbols it is computed from.
        if set(self.exponents) & set(claim.regime.derived):
            return ""
        for name in claim.regime.cells[0]:
            if name not in self.exponents and any(cell[name] != cells[0][name] for cell in cells):
                return f"{name} varies over the cells and would bend the fit; name it in exponents or fix it"
        return ""

    def _check_constant(self, claim: Claim, cell: Cell) -> str:
        if self.constant is None:
            return ""
        unit = float(claim.bound.evaluate({**cell, self.constant: 1.0}))
        if not 0.0 < unit < math.inf:
            return ""  # a bound that is no number leaves the run undecided, and is shown there
        values = [(c, float(claim.bound.evaluate({**cell, self.constant: c}))) for c in (2.0, 3.0, 5.0)]
        if all(math.isclose(value, c * unit, rel_tol=1e-9) for c, value in values):
            return ""
        return f"its hidden constant {self.constant!r} is no factor of the bound, so it cannot be fitted as one"

    def run(self, case: Case) -> Evidence:
        """Measure all cells, fit the constant and the exponents, and compare.

        A control that turns a knob is first tried with a share of the replicates, which most often refute it. What is
        not decided, for nothing but too wide an interval, and every control that is not refuted, is tried with more.
        """
        wrong = case.wants_only_a_refutation
        if wrong and not case.measures_what_its_claim_did:
            early = self._decided(case, _Look(share=CONTROL_SHARE))
            if early.verdict is Verdict.REFUTED:
                return early
        found = self._decided(case, _Look(extends=not wrong))
        for number in range(1, LOOKS):
            if not self._more_would_tell(case, found):
                break
            found = self._decided(case, _Look(number, extends=not wrong))
        return found

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
        look = _Look(evidence.details["looks"] - 1)

        def ask(wrong: WrongBound) -> Answer:
            found = self._decided(case.asking(wrong.formula), look)
            return Answer(found.verdict is Verdict.REFUTED and found.premises is PremiseStatus.INSIDE)

        cells = [*case.calibration, *(cell.at for cell in judged(evidence))]
        return of_cells(case, cells, ask, dear=True)

    def _decided(self, case: Case, look: _Look) -> Evidence:
        """What the replicates of one look show."""
        # The constant is fitted where the block says, whatever sizes a what-if asks about.
        calibration = case.calibration
        test = case.cells
        samples = {canonical(cell): self._sample(case, cell, look) for cell in calibration}
        for cell in test:
            if canonical(cell) not in samples:
                samples[canonical(cell)] = self._sample(case, cell, look, replay=case.is_replay)
        constant = self._fit_constant(case, {canonical(c): c for c in calibration}, samples)
        # One half of the error budget is for the cells, the other for the exponents.
        alpha = 0.5 * case.alpha / max(1, len(test))
        cells = [self._cell(case, cell, samples[canonical(cell)], constant, alpha, look) for cell in test]
        trouble = self._trouble(samples, constant)
        if trouble:
            # Failures at a constant that is known refute, whatever stands in other cells.
            fitted = self.constant is not None and self.constant not in case.config.at
            known = 0.0 < constant < math.inf and not (
                fitted and self._trouble({key: samples[key] for key in map(canonical, calibration)}, constant)
            )
            cells = [
                cell
                if known and cell.verdict is Verdict.REFUTED and samples[canonical(cell.at)].pure
                else replace(cell, verdict=Verdict.UNDECIDED, remark=trouble)
                for cell in cells
            ]
        cells = [
            replace(cell, verdict=Verdict.UNDECIDED, remark="the constant was fitted on this very cell")
            if cell.at in calibration
            else cell
            for cell in cells
        ]
        verdict, status = summarise(cells)
        distinct = [*calibration, *(cell for cell in test if cell not in calibration)]
        exponents = {} if trouble else self._exponents(case, distinct, samples, look)
        missing = [n for n, agreement in self.exponents.items() if agreement != "free" and n not in exponents]
        said = [Verdict(entry["verdict"]) for entry in exponents.values()]
        said += [Verdict.UNDECIDED for _ in missing]
        judged = [entry for entry in exponents.values() if entry["agreement"] != "free"]
        half_widths = [0.5 * (entry["ci"][1] - entry["ci"][0]) for entry in judged]
        details: dict[str, Any] = {
            "margin": self.margin,
            "interval method": "HC3",
            "resolution": self.resolution,
            "looks": look.number + 1,
        }
        if self.constant is not None:
            details["constant"] = constant
        if missing:
            details[MISSING] = ", ".join(missing)
        combined = combine([verdict, *said])
        return Evidence(
            self.method,
            combined,
            status,
            tuple(cells),
            Power("exponent", max(half_widths, default=float("nan")) + self.resolution),
            alpha=case.alpha,
            exponents=exponents,
            intervals={name: entry["ci"] for name, entry in exponents.items()},
            details=details,
            # The intervals alone are too wide, or too few sizes are within the premises.
            spent=combined is Verdict.UNDECIDED is not verdict and not trouble,
        )

    def _fit_constant(self, case: Case, calibration: Mapping[str, Cell], samples: Mapping[str, _Sample]) -> float:
        """The hidden constant: the user's own, or the extreme ratio on the calibration cells, with margin.

        By the replicates of the first look alone: a later one is for exponents and cells, and the bound stays as it is.
        """
        if self.constant is None:
            return 1.0
        if self.constant in case.config.at:
            return float(case.config.at[self.constant])
        units = np.array([self._bound(case, cell, 1.0) for cell in calibration.values()])
        if not (np.isfinite(units) & (units > 0.0)).all():
            return math.nan
        first = [samples[key].values[: self._declared(case, cell)] for key, cell in calibration.items()]
        if case.claim.sense == "<=":
            return self.margin * float(np.max([v.max() / unit for v, unit in zip(first, units, strict=True)]))
        return float(np.min([v.min() / unit for v, unit in zip(first, units, strict=True)])) / self.margin

    def _bound(self, case: Case, cell: Cell, constant: float) -> float:
        return float(case.limit(cell if self.constant is None else {**cell, self.constant: constant}))

    def _declared(self, case: Case, cell: Cell) -> int:
        """The replicates of a cell at the first look."""
        return number_at(self.replicates, cell) * case.config.factor

    def _sample(self, case: Case, cell: Cell, look: _Look, replay: bool = False) -> _Sample:
        """The replicates of a cell, measured once for a claim and its controls that turn no knob."""
        wanted = self._declared(case, cell)
        if look.share > 1:
            return self._first(case, cell, min(wanted, max(2, wanted // look.share)), replay)
        return self._doubled(case, cell, self._first(case, cell, wanted, replay), 0 if replay else look.number)

    def _first(self, case: Case, cell: Cell, replicates: int, replay: bool) -> _Sample:
        key = (canonical(cell), replicates, replay, case.config.user_data is None)
        start = case.config.at["trial"] if replay else 0
        stop = start + 1 if replay else replicates
        found: _Sample = case.remember(key, lambda: self._measure(case, cell, start, stop))
        return found

    def _doubled(self, case: Case, cell: Cell, sample: _Sample, times: int) -> _Sample:
        """The sample, so often made twice as large."""
        for _ in range(times):
            done = sample.values.size
            key = (canonical(cell), done, 2 * done, case.config.user_data is None)
            more: _Sample = case.remember(key, functools.partial(self._measure, case, cell, done, 2 * done))
            sample = sample.joined(more)
        return sample

    def _measure(self, case: Case, cell: Cell, start: int, stop: int) -> _Sample:
        """Measure replicates of a cell; of an array, its worst entry counts, at either end of its intervals."""
        started = time.perf_counter()
        meter = Meter(case.at(cell), stop - start, unit="replicates")
        values: list[np.ndarray] = []
        size = max(1, (stop - start) // 4)
        for block in run_blocks(ends_block, case, cell, start, stop, size=size, meter=meter):
            values += block
        worst_of, far = (np.max, 1) if case.claim.sense == "<=" else (np.min, 0)
        ends = np.array([worst_of(v, axis=1) for v in values])
        worst = int(np.argmax(ends[:, 1]) if far else np.argmin(ends[:, 0]))
        pure = same(again(ends_block, case, cell, start + worst)[0], values[worst])
        seconds = time.perf_counter() - started
        return _Sample(ends[:, far], ends[:, 3 - far], ends[:, 2 + far], start, pure, seconds)

    def _cell(self, case: Case, cell: Cell, sample: _Sample, constant: float, alpha: float, look: _Look) -> CellResult:
        """What a cell shows; where some replicates miss the bound and this decides nothing, it gets more of them."""
        most = MOST_TIMES * self._declared(case, cell)
        found, missed = self._compared(case, cell, sample, constant, alpha, most)
        while look.extends and missed and found.verdict is Verdict.UNDECIDED and 2 * sample.values.size <= most:
            sample = self._doubled(case, cell, sample, 1)
            found, missed = self._compared(case, cell, sample, constant, alpha, most)
        return found

    def _compared(
        self, case: Case, cell: Cell, sample: _Sample, constant: float, alpha: float, most: int
    ) -> tuple[CellResult, bool]:
        """What the replicates of a cell show beside the bound, and whether some miss it, all being finite and pure."""
        bound = self._bound(case, cell, constant)
        limit = np.broadcast_to(bound, sample.values.shape)
        small, large = (sample.values, limit) if case.claim.sense == "<=" else (limit, sample.values)
        met, spared = ((s <= bound if case.claim.sense == "<=" else s >= bound) for s in (sample.far, sample.near))
        missed, failures = int(np.count_nonzero(~met)), int(np.count_nonzero(np.isfinite(sample.near) & ~spared))
        finite = np.isfinite(small) & np.isfinite(large)
        with np.errstate(invalid="ignore"):
            ratio = np.where(finite, ratios(small, large), np.nan)
        # The first bound it is held against is the one in force.
        case.note_points(cell, (sample.values, limit))
        if not math.isfinite(bound):
            verdict, remark = Verdict.UNDECIDED, "the bound is not a finite number"
        elif missed == 0 and finite.all():
            verdict, remark = Verdict.CONSISTENT, ""
        else:
            verdict, remark = self._decide(missed, failures, sample.values.size, alpha, bool(finite.all()))
        if finite.all() or (verdict is Verdict.REFUTED and finite.any()):
            worst = int(np.nanargmax(ratio))
        else:
            worst = int(np.argmin(finite))
        result = CellResult(
            at=cell,
            premises=case.cell_status(cell, bound),
            verdict=verdict,
            measured=float(sample.values[worst]),
            bound=bound,
            ratio=float(ratio[worst]),
            trials=sample.values.size,
            failures=failures,
            seconds=sample.seconds,
            worst={**cell, "trial": sample.first + worst},
            remark=remark,
            parts=parts(enumerate(ratio.tolist())),
            budget=most,
        )
        return result, missed > 0 and bool(finite.all()) and sample.pure and math.isfinite(bound)

    def _decide(self, missed: int, failures: int, trials: int, alpha: float, finite: bool) -> tuple[Verdict, str]:
        """What it says of a cell that some replicates miss its bound, of which `failures` do so for certain.

        A constant that is fitted again on more replicates can only allow more, so that one test refutes at all looks;
        support has its own share at each.
        """
        test = SequentialTest(self.rate, alpha)
        if test.decide(failures, trials) == "refute":
            return Verdict.REFUTED, ""
        if not finite:
            return Verdict.UNDECIDED, "a measurement is not a finite number"
        if SequentialTest(self.rate, alpha / LOOKS).decide(missed, trials) == "support":
            return Verdict.CONSISTENT, f"{missed} of {trials} replicates miss the bound: fewer than {self.rate:.3g} do"
        if missed > failures:
            told = f"{missed - failures} replicates unsure: the bound lies within what is known of them"
            return Verdict.UNDECIDED, told
        return Verdict.UNDECIDED, f"{missed} of {trials} replicates miss the bound, too few to tell of what share"

    @staticmethod
    def _trouble(samples: Mapping[str, _Sample], constant: float) -> str:
        """Why there is nothing to compare or to fit: a measurement without a logarithm, or no constant."""
        for at, sample in samples.items():
            if trouble := sample.trouble(at):
                return trouble
        return "" if 0.0 < constant < math.inf else "the bound is not a finite positive number in calibration"

    def _exponents(
        self, case: Case, cells: list[Cell], samples: Mapping[str, _Sample], look: _Look
    ) -> dict[str, dict[str, Any]]:
        """Per variable: the claimed exponent, the measured one, the hull of its intervals, and the verdict.

        A variable is missing when the cells inside the premises do not determine its exponent.
        """
        inside = [c for c in cells if case.cell_status(c) is PremiseStatus.INSIDE] or cells
        names = [n for n in self.exponents if len({c[n] for c in inside}) > 1]
        rows = [(cell, value) for cell in inside for value in samples[canonical(cell)].values]
        columns = {name: np.array([float(cell[name]) for cell, _ in rows]) for name in names}
        measured = np.array([value for _, value in rows])
        alpha = LOOK_SHARES[look.number] * 0.5 * case.alpha / (3 * max(1, len(names)))
        whole = _fit(columns, measured, alpha)
        if whole is None:
            return {}
        shared = {name: v for name, v in inside[0].items() if all(c[name] == v for c in inside)}
        found = {}
        for name in names:
            intervals = [whole.intervals[name]]
            middle = float(np.median(np.unique(columns[name])))
            for half in (columns[name] <= middle, columns[name] >= middle):
                window = _fit({n: column[half] for n, column in columns.items()}, measured[half], alpha)
                if window is not None:
                    intervals.append(window.intervals[name])
            low, high = min(i[0] for i in intervals), max(i[1] for i in intervals)
            claimed = _claimed(case, name, shared)
            found[name] = {
                "claimed": claimed,
                "measured": float(whole.exponents[name]),
                "ci": [float(low), float(high)],
                "agreement": self.exponents[name],
                "windows": [[float(a), float(b)] for a, b in intervals],
                "verdict": str(_agree(self.exponents[name], claimed, low, high, self.resolution)),
            }
        return found


def _fit(columns: Mapping[str, np.ndarray], measured: np.ndarray, alpha: float) -> ScalingFit | None:
    """The fit, or nothing where the sizes do not determine every exponent."""
    try:
        return scaling_fit(columns, measured, alpha) if columns else None
    except ValueError:
        return None


def _claimed(case: Case, name: str, shared: Mapping[str, Any]) -> float:
    """The exponent of the bound in force: 0 for a variable it does not hold, NaN where it is undetermined."""
    if name not in case.bound.symbols:
        return 0.0
    try:
        return float(case.bound.exponent(name, **shared))
    except ValueError:
        return math.nan


def _agree(agreement: str, claimed: float, low: float, high: float, resolution: float = 0.0) -> Verdict:
    """Whether an interval [low, high] agrees with the claimed exponent, and is narrow enough to say so."""
    if agreement == "free":
        return Verdict.CONSISTENT
    if not math.isfinite(claimed):
        return Verdict.UNDECIDED
    forgiven = EXPONENT_ROUNDING + resolution
    above, below = low - claimed > forgiven, claimed - high > forgiven
    if {"equal": above or below, "at most": above, "at least": below}[agreement]:
        return Verdict.REFUTED
    at_most, at_least = high - claimed <= forgiven, claimed - low <= forgiven
    one_sided = {"equal": False, "at most": at_most, "at least": at_least}[agreement]
    if one_sided or 0.5 * (high - low) <= WIDEST_HALF_WIDTH:
        return Verdict.CONSISTENT
    return Verdict.UNDECIDED
