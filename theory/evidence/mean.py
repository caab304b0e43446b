"""Evidence for "in expectation": a mean held against its bound by draws, with bets that are open to a look at any time.

What refutes `E[X] <= bound` is the wealth of a bettor, whatever the law of a number that is never negative; what
supports it needs to know that the mean does not lie in values too rare to be seen: a ceiling, or a second moment that
the block declares with a reason (`theory.core.means`, which has the sources). Without either a row may be refuted, and
is undecided otherwise. Of `>=` it is the other way round, and of `=` both sides are asked.

How many draws there may be follows from what is known of the law and a declared reserve, so that no seed decides. Draws
are taken in blocks, each with its own generator, and the bets are placed in the order of their numbers.
"""

from __future__ import annotations

import inspect
import itertools
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bounds.parse import FormulaError
from theory.claims.block import Claim, Plan
from theory.claims.regime import Cell
from theory.claims.results import DOUBT, PARTS, CellResult, Evidence, Power, all_spent, summarise
from theory.claims.wrong_bounds import Answer, Retrial, WrongBound
from theory.core.digits import near_one, two_digits
from theory.core.means import (
    LEAST_RATIO,
    LOG_BETTORS,
    MOST_DRAWS,
    Above,
    BelowCeiling,
    BelowRatio,
    Bet,
    FloatArray,
    Law,
    Wealth,
    largest_wealth,
    lower_mean,
    upper_mean,
)
from theory.core.measured import MeasurementError, ratios
from theory.core.progress import Meter
from theory.core.seeds import canonical
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence.enough_trials import NOMINAL_ALPHA, RESERVE, UNDECIDED
from theory.evidence.plan import IMPURE, is_caught, same, undecided_by_cells
from theory.evidence.retrial import judged, of_cells
from theory.evidence.short_sizes import Following
from theory.running.case import Case
from theory.running.parallel import BLOCK, again, means_block, rounds, run_blocks

# The draws of a cell where nothing is known of the law, so that no number of them supports a bound from above. An
# exponential law with a mean 10 % beyond the bound is refuted by as many, most often.
FALLBACK = 4096

# A control may take so many times the draws of its claim: it may be nearer to the edge than the claim's reserve.
CONTROL_TIMES = 8

# A first look says that the draws of a run will be too few where they are by so many standard errors, and a number of
# draws is told that is enough by so many.
SURELY, ENOUGH = 2.0, -3.0

# From so many draws on a first look says so of an inequality where it is more likely than not.
MANY = 256

# By how many times a constant of the bound is moved until the draws suffice.
LOOSER = (1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)

# By so many draws at most it is told how many it would take.
LOOKED_AT = 4096

# From so many draws on their moments are looked at: where one draw has half of the spread, the mean that is shown is
# that of a heavy tail; where the second moment is so many times the one that is declared, that is remarked.
LOOKED_AT_FROM, HEAVY_SHARE, BEYOND = 32, 0.5, 1.5

NOTHING_KNOWN = (
    "no number of draws supports it: nothing keeps the mean from lying in values too rare to be seen; declare a ceiling"
    ' of every draw, ceiling=..., or a second moment, ratio=... with why="...", of its Mean or in mean={...}'
)

# A number, or a formula in symbols of the cell, or a function of them that gives one, or one for every mean.
Given = float | str | Callable[..., Any]


@dataclass(frozen=True)
class Mean(Plan):
    """The function returns one number per draw that is never negative, or an array: one for every mean of the claim.

    The mean of each is held against the bound, which depends on the cell and on such symbols of the measurement as are
    the same in every draw, as the number of an entry.

    `ceiling` is what no draw exceeds; that of a probability is 1. `ratio` is that of the second moment to the square of
    the mean, at most, and `why` says how it is known: `E[X^2] <= ratio E[X]^2`. Each is a number, a formula in symbols
    of the cell, or a function of them, which it asks for by name.

    The plan draws as often as it takes at most to support a statement whose mean is `reserve` times the bound, or of
    which the bound is `reserve` times the mean, whatever the seed, and at least `budget` times where it is not decided
    before: both at quick effort. An equality is supported where the mean lies within a share `resolution` of its bound.
    With `most` there are no more draws than that, whatever they leave open: for a first look.
    """

    ceiling: Given | None = None
    ratio: Given | None = None
    why: str = ""
    reserve: float = RESERVE
    resolution: float = 0.1
    budget: int = 0
    most: int = 0

    method: ClassVar[str] = "mean by betting"
    pass_verdict: ClassVar[Verdict] = Verdict.SUPPORTED
    is_monotone: ClassVar[bool] = True
    averages: ClassVar[bool] = True
    allows_chance: ClassVar[bool] = True
    best_constant: ClassVar[str] = "largest ratio of a mean of draws, their chance not taken off"

    def sketch(self, trials: int) -> Mean:
        """So many times four draws: fewer have no mean."""
        return replace(self, most=4 * trials)

    def measurements(self, case: Case) -> list[tuple[Cell, int]]:
        """The most draws of every cell."""
        cells = case.cells
        alpha, missed = case.alpha / max(1, len(cells)), UNDECIDED / max(1, len(cells))
        return [(cell, _Sampling(self, case, cell, alpha, missed).budget) for cell in cells]

    def check(self, claim: Claim) -> str:
        """The draws must be random, and what is declared of them a number that can be one."""
        if "rng" not in claim.parameters:
            return "its function takes no rng, so that all draws would be one; add the parameter rng, or use Search"
        if isinstance(self.budget, bool) or not isinstance(self.budget, int) or self.budget < 0:
            return f"its budget {self.budget!r} is no number of draws; write one, or 0 for as many as it takes"
        if not 0.0 < self.reserve < 1.0:
            return f"its reserve {self.reserve!r} is not between 0 and 1; write how near to the bound the mean may be"
        if not 0.0 < self.resolution < 1.0:
            return f"its resolution {self.resolution!r} is not between 0 and 1; write a share of the bound"
        if self.ratio is not None and not self.why.strip():
            return "it declares a second moment without a reason, and no draws could show it; write why="
        for name, given in (("ceiling", self.ceiling), ("ratio", self.ratio)):
            try:
                missing = sorted(_asked(given) - claim.regime.symbols)
            except FormulaError as error:
                return f"its {name} is no formula: {error}"
            if missing:
                return f"its {name} needs {', '.join(missing)}, which the regime does not give; add it to the cells"
        if claim.sense == ">=" and self._knows_nothing(claim):
            return (
                "nothing would refute that a mean is at least its bound: it may lie in values too rare to be seen;"
                " declare ceiling= or ratio=, or state what is claimed of a probability"
            )
        return undecided_by_cells(claim) or self._check_numbers(claim)

    def never_passes(self, claim: Claim) -> str:
        """A mean is not shown to be below anything where nothing is known of its law."""
        return NOTHING_KNOWN if claim.sense != ">=" and self._knows_nothing(claim) else ""

    def foreseen(self, case: Case, evidence: Evidence) -> str:
        """That means are nearer to their bounds than the draws suffice for, with what would do for all cells.

        Or that draws are spread by more than what is declared of them.
        """
        looked = self._looked_at(case, evidence)
        for at, sampling, drawn in looked:
            where = sampling.worst_of(drawn)
            if beyond := _beyond(drawn.ends[LOW, :, where], float(sampling.ratio[where])):
                return f"at {canonical(at)} {beyond}"
        open_ones = [
            one
            for one in looked
            if not one[1].knows_nothing and one[1].draws_to_support(one[2], one[1].surely(one[2])) > one[1].budget
        ]
        if not open_ones:
            return ""
        needed = [sampling.draws_to_support(drawn, ENOUGH) for _, sampling, drawn in looked]
        at, sampling, drawn = max(open_ones, key=lambda one: one[1].draws_to_support(one[2], ENOUGH))
        constant = self._constant_that_does(case, looked)
        others = [constant] if constant else []
        return f"at {canonical(at)} it may stay undecided: {sampling.remedy(drawn, max(needed), others)}"

    def _looked_at(self, case: Case, evidence: Evidence) -> list[tuple[Cell, _Sampling, Drawn]]:
        """The cells inside the premises with their draws, all of them numbers, and the budget of a whole run."""
        cells, found = len(case.cells), []
        for cell in evidence.cells:
            drawn: Drawn | None = case.memory.samples.get(_key(cell.at))
            if cell.premises is PremiseStatus.INSIDE and drawn is not None and np.isfinite(drawn.ends[HIGH]).all():
                sampling = _Sampling(self, case, cell.at, case.alpha / max(1, cells), UNDECIDED / max(1, cells))
                found.append((cell.at, sampling, drawn))
        return found

    def _constant_that_does(self, case: Case, looked: list[tuple[Cell, _Sampling, Drawn]]) -> str:
        """A value of a constant of the bound with which the draws suffice in all cells; empty where none is found."""
        if case.claim.sense == "=":
            return ""
        for times, (name, value) in itertools.product(LOOSER, case.bound.constants.items()):
            further = float(value) * (times if case.claim.sense == "<=" else 1.0 / times)
            moved = float(f"{further:.2g}")
            for at, sampling, drawn in looked:
                limit = np.asarray(case.limit({**at, **drawn.symbols, name: moved}), float)
                other = replace(drawn, limit=np.broadcast_to(limit.ravel(), drawn.limit.shape))
                if not sampling.draws_to_support(other, ENOUGH) <= sampling.budget:
                    break
            else:
                return f"{name}={moved:g}"
        return ""

    def likely(self, case: Case, evidence: Evidence, cell: CellResult, number: int) -> float:
        """As many draws as support it if its bets gain what they gained so far, and `number` at most."""
        drawn: Drawn | None = case.memory.samples.get(_key(cell.at))
        if drawn is None or not np.isfinite(drawn.ends[HIGH]).all():
            return float(number)
        cells = max(1, len(case.cells))
        sampling = _Sampling(self, case, cell.at, case.alpha / cells, UNDECIDED / cells)
        if sampling.knows_nothing:
            return float(number)
        needed = sampling.draws_to_support(drawn, 0.0)
        if math.isinf(needed) and sampling.draws_to_support(drawn, SURELY) < math.inf:
            needed = 0.5 * number  # which is one that nearly always suffices
        return float(number if needed >= number else min(number, _rounded(math.ceil(needed))))

    def _knows_nothing(self, claim: Claim) -> bool:
        return self.ceiling is None and self.ratio is None and not claim.probability

    def _check_numbers(self, claim: Claim) -> str:
        """Why what is declared is no number, or more draws are needed than anybody waits for.

        At a nominal share of the error budget; what follows from points, or a bound that the draws complete, is not
        known here.
        """
        cells = len(claim.regime.cells)
        for cell in (claim.regime.complete(cell, {}) for cell in claim.regime.cells):
            if not all(asked <= set(cell) for asked in map(_asked, (self.ceiling, self.ratio))):
                continue
            ceiling, ratio = self.known_of(claim, cell, 1)
            for name, number, least in (("ceiling", ceiling, 0.0), ("ratio", ratio, 1.0)):
                if not (number >= least).all() or (number == 0.0).any():
                    wanted = "a positive number" if name == "ceiling" else "1 or more, as any second moment"
                    return f"its {name} is {number.min():.6g} at {canonical(cell)}; write {wanted}"
            if not set(claim.bound.symbols) <= set(cell) or claim.expected is not self.pass_verdict:
                continue
            limit = np.atleast_1d(np.asarray(claim.bound.evaluate(cell), float)).ravel()
            law = _law(limit[0], ceiling[0], ratio[0])
            if law.is_known and self.draws_needed(claim.sense, law, NOMINAL_ALPHA / cells, UNDECIDED / cells) is None:
                given = self.resolution if claim.sense == "=" else self.reserve
                return (
                    f"it takes more than {MOST_DRAWS} draws to decide at {canonical(cell)} with a"
                    f" {'resolution' if claim.sense == '=' else 'reserve'} of {given:.3g}; declare a"
                    f" {'larger resolution' if claim.sense == '=' else 'smaller reserve'}=, a smaller ratio=, or a"
                    f" ceiling= near the bound"
                )
        return ""

    def run(self, case: Case) -> Evidence:
        """Draw in every cell until a bet is won or the budget is spent."""
        chosen = case.cells
        # By the cells that are declared, so that one of them alone comes out as in company.
        declared = len(case.claim.regime.select(case.config.effort, {}))
        alpha, missed = case.alpha / max(1, len(chosen), declared), UNDECIDED / max(1, len(chosen))
        found: list[_Judged] = []
        for cell in chosen:
            found.append(_Sampling(self, case, cell, alpha, missed).judged)
            case.recollection.noted(found[-1].result)
            if is_caught(case, [one.result for one in found], chosen[len(found) :]):
                break
        cells = [one.result for one in found]
        verdict, status = summarise(cells)
        shown = [one for one in found if one.result.premises is status]
        worst = max(shown, key=lambda one: np.nan_to_num(one.result.ratio, nan=-np.inf), default=None)
        evidence = Evidence(
            self.method,
            verdict,
            status,
            tuple(cells),
            Power("nothing", math.nan),
            alpha=alpha,
            details={"test": "betting, anytime valid"},
            spent=all_spent(cells),
        )
        if worst is None or case.wants_only_a_refutation:
            return evidence
        seen = [one.seen for one in shown if one.seen == one.seen]
        beyond = [f"at {canonical(one.result.at)} {one.beyond}" for one in shown if one.beyond]
        return replace(
            evidence,
            power=Power("relative error", min(seen, default=math.nan))
            if case.claim.sense == "="
            else Power("bound factor", max(seen, default=math.nan)),
            intervals={"mean": list(worst.interval), "confidence": 1.0 - 2.0 * worst.level},
            details={
                **evidence.details,
                **worst.details,
                ("resolution" if case.claim.sense == "=" else "reserve"): self.nearness(case.claim.sense),
                # By any of the judged cells, if the statement is true with the reserve.
                "undecided": min(1.0, sum(one.missed for one in shown)),
                **({DOUBT: beyond[0]} if beyond else {}),
            },
        )

    def beside(self, control: Case, claim: Case, cell: CellResult) -> tuple[tuple[float, float], tuple[float, float]]:
        """One draw of each: of a mean the claim would have to be drawn as often."""
        return control.at_worst(cell), claim.at_worst(cell)

    def retrial(self, case: Case, evidence: Evidence) -> Retrial | str:
        """On all draws of every cell, with the bets that refute."""
        if case.is_replay:
            return "one draw decides no mean"
        if "bound" in case.claim.parameters:
            return "its function is given the bound, so that every wrong one would be measured anew"
        known: list[Drawn] = [case.memory.samples[_key(cell.at)] for cell in judged(evidence)]
        at = [{**cell.at, **drawn.symbols} for cell, drawn in zip(judged(evidence), known, strict=True)]

        def ask(wrong: WrongBound) -> Answer:
            nearest = 0.0
            for values, drawn in zip(at, known, strict=True):
                limit = case.meetable(np.asarray(wrong.limits(case.with_constants(values), drawn.limit), float))
                nearest = max(nearest, drawn.nearness(np.broadcast_to(limit, drawn.limit.shape)))
            return Answer(nearest >= 1.0, nearest, f"the largest wealth is 1/alpha to the power {near_one(nearest, 3)}")

        def values_of(name: str) -> list[Any]:
            return [entry for values in at if name in values for entry in np.ravel(values[name]).tolist()]

        return Retrial(values_of, ask, of_cells(case, at, ask).tightens)

    def nearness(self, sense: str) -> float:
        """How near to its bound a mean may be for the budget to suffice."""
        return self.resolution if sense == "=" else self.reserve

    def known_of(self, claim: Claim, cell: Cell, means: int) -> tuple[FloatArray, FloatArray]:
        """The ceiling and the ratio of each of so many means, infinite where none is declared."""
        ceiling = 1.0 if self.ceiling is None and claim.probability else self.ceiling
        found = []
        for given in (ceiling, self.ratio):
            asked = _read(given) if isinstance(given, str) else given
            number = asked(**{name: cell[name] for name in _asked(given)}) if callable(asked) else asked
            found.append(np.broadcast_to(np.asarray(math.inf if number is None else number, float), (means,)))
        return found[0], found[1]

    def draws_needed(self, sense: str, law: Law, alpha: float, missed: float) -> int | None:
        """How many draws decide for a mean of such a law with the declared reserve; None where none do, or too many."""
        if sense == "<=":
            return law.draws_to_show_below(self.reserve, alpha, missed)
        if sense == ">=":
            return law.draws_to_show_above(self.reserve, alpha, missed)
        (wider, above), (narrower, below) = self._sides(law)
        first = wider.draws_to_show_below(above, alpha, missed / 2.0)
        second = narrower.draws_to_show_above(below, alpha, missed / 2.0)
        return None if first is None or second is None else max(first, second)

    def missed(self, sense: str, law: Law, alpha: float, draws: int) -> float:
        """The chance, at most, that so many draws leave such a mean undecided."""
        if sense == "<=":
            return law.missed_below(self.reserve, alpha, draws)
        if sense == ">=":
            return law.missed_above(self.reserve, alpha, draws)
        (wider, above), (narrower, below) = self._sides(law)
        return min(1.0, wider.missed_below(above, alpha, draws) + narrower.missed_above(below, alpha, draws))

    def _sides(self, law: Law) -> tuple[tuple[Law, float], tuple[Law, float]]:
        """Of an equality: the laws seen from the ends of what is forgiven, and how near to these the mean is."""
        above, below = 1.0 + self.resolution, 1.0 - self.resolution
        return (Law(law.share * above, law.ratio), 1.0 / above), (Law(law.share * below, law.ratio), below)


@cache
def _read(text: str) -> Following:
    """A formula that is declared. Raises `FormulaError` for what is none."""
    return Following("", text)


def _asked(given: Given | None) -> set[str]:
    """The symbols that what is declared depends on. Raises `FormulaError` for a text that is no formula."""
    asked = _read(given) if isinstance(given, str) else given
    return set(inspect.signature(asked).parameters) if callable(asked) else set()


def _law(limit: float, ceiling: float, ratio: float) -> Law:
    """What is known of draws whose mean has this bound."""
    return Law(limit / ceiling if math.isfinite(ceiling) and 0.0 < limit < math.inf else 0.0, ratio)


def _key(cell: Cell) -> tuple[str, str]:
    """Under which the draws of a cell are remembered."""
    return "mean", canonical(cell)


def _rounded(draws: int) -> int:
    """So many draws, or a few more, after which a round ends: what has more of them then has the same rounds."""
    return next(stop for _, stop in rounds(2 * draws + BLOCK) if stop >= draws)


# Bets, each with the end of the draws that it is placed on: the lower ends, or the upper ones.
Bets = list[tuple[Bet, int]]
LOW, HIGH = 0, 1


@dataclass(frozen=True)
class Bookmaker:
    """The bets on k means: `below` makes the one against large means, if anything is known of the law.

    Each mean has the share `level` of the error budget.
    """

    sense: str
    below: Callable[[FloatArray], Bet] | None
    level: float

    def _bets(self, limit: FloatArray, sense: str) -> Bets:
        above: Bets = [(Above(limit), LOW)]
        below: Bets = [] if self.below is None else [(self.below(limit), HIGH)]
        return {"<=": above, ">=": below, "=": [*above, *below]}[sense]

    def refuting(self, limit: FloatArray) -> Bets:
        """The bets any of which refutes the statement with these bounds, if it is won on any mean."""
        return self._bets(limit, self.sense)

    @property
    def to_refute(self) -> float:
        """The logarithm of a wealth that refutes: an equality has bets on both sides."""
        return math.log(max(1, len(self.refuting(np.ones(1))))) - math.log(self.level)

    def supporting(self, limit: FloatArray, resolution: float) -> Bets:
        """The bets that support the statement if all are won on all means; none where they never are."""
        if self.sense != "=":
            return self._bets(limit, ">=" if self.sense == "<=" else "<=")
        if self.below is None:
            return []
        return [*self._bets((1.0 - resolution) * limit, "<="), *self._bets((1.0 + resolution) * limit, ">=")]


@dataclass(frozen=True)
class Drawn:
    """The draws of a cell: the ends between which each lies, shape (2, n, k), and the bounds of the means, shape (k,).

    `symbols` are those that are measured, an entry for each mean.
    """

    ends: FloatArray
    symbols: Cell
    limit: FloatArray
    bookmaker: Bookmaker

    def nearness(self, limit: FloatArray) -> float:
        """How near the draws come to refuting the statement with these bounds: from 1 on they do."""
        bets = self.bookmaker.refuting(limit)
        largest = [np.fmax.reduce(largest_wealth(bet, self.ends[end]), initial=0.0) for bet, end in bets]
        return float(min(max(largest, default=0.0) / self.bookmaker.to_refute, sys.float_info.max))


@dataclass(frozen=True)
class _Judged:
    """The result of a cell with what is told of the row beside it.

    `interval` holds the mean with the worst ratio, on each side at `level`; `seen` is the factor on the bound, or the
    relative error, that the draws tell from it, `missed` the chance that the budget does not suffice, and `beyond` says
    that they are spread by more than what is declared.
    """

    result: CellResult
    interval: tuple[float, float] = (0.0, math.inf)
    level: float = math.nan
    seen: float = math.nan
    missed: float = 1.0
    beyond: str = ""
    details: dict[str, Any] = field(default_factory=dict)


class _Sampling:
    """The draws of one cell of a case, at the level `alpha`, and what they say."""

    def __init__(self, plan: Mean, case: Case, cell: Cell, alpha: float, missed: float) -> None:
        self.plan, self.case, self.cell = plan, case, cell
        self.sense, self.started = case.claim.sense, time.perf_counter()
        # Whatever is drawn, it is of as many means, with the same symbols.
        self.probe = self._remembered("first", lambda: self._again(0))
        means, names = self.probe.shape[1], case.claim.measured
        entries = {name: self.probe[2 + at] for at, name in enumerate(names)}
        self.symbols: Cell = {n: entry if means > 1 else float(entry[0]) for n, entry in entries.items()}
        limit = np.asarray(case.limit({**cell, **self.symbols}), float)
        self.limit = np.array(np.broadcast_to(limit.ravel() if limit.ndim else limit, (means,)))
        self.ceiling, self.ratio = plan.known_of(case.claim, cell, means)
        self.laws = [_law(*given) for given in zip(self.limit, self.ceiling, self.ratio, strict=True)]
        self.bookmaker = Bookmaker(self.sense, self._below(alpha / means), alpha / means)
        needed = [plan.draws_needed(self.sense, law, alpha / means, missed / means) for law in set(self.laws)]
        enough = [draws for draws in needed if draws is not None]
        self.suffices = max(enough) if len(enough) == len(needed) else 0
        wanted = _rounded(max(self.suffices, plan.budget or (0 if self.suffices else FALLBACK)) * case.config.factor)
        self.budget = min(wanted, plan.most) if plan.most else wanted

    def _remembered(self, what: object, measure: Callable[[], Any]) -> Any:
        return self.case.recollection.remember(
            ("mean", what, canonical(self.cell), self.case.config.data.is_brought), measure
        )

    def _again(self, trial: int) -> FloatArray:
        return np.asarray(again(means_block, self.case, self.cell, trial)[0])

    def _below(self, level: float) -> Callable[[FloatArray], Bet] | None:
        """The bet against large means by the ceiling or the second moment, whichever takes fewer draws."""
        ceiling, ratio = self.ceiling, np.maximum(self.ratio, LEAST_RATIO)
        by_ceiling = partial(BelowCeiling, ceiling=ceiling) if np.isfinite(ceiling).all() else None
        by_ratio = partial(BelowRatio, ratio=ratio) if np.isfinite(ratio).all() else None
        if by_ceiling is None or by_ratio is None:
            return by_ceiling or by_ratio

        def draws(alone: list[Law]) -> float:
            return max(law.draws_to_show_below(self.plan.reserve, level, UNDECIDED) or math.inf for law in alone)

        faster = draws([Law(share=law.share) for law in self.laws]) <= draws(
            [Law(ratio=law.ratio) for law in self.laws]
        )
        return by_ceiling if faster else by_ratio

    # ----------------------------------------------------------------------------------------------- drawing

    def _rows(self, start: int, stop: int, meter: Meter) -> FloatArray:
        """Draws `start` to `stop`, shape (n, 2 + s, k). Raises `MeasurementError` for what is of other means."""

        def measure() -> FloatArray:
            drawn: list[FloatArray] = []
            # A quarter of the first round: draws may be long, and a kill loses the block it hits.
            for block in run_blocks(means_block, self.case, self.cell, start, stop, size=BLOCK // 4, meter=meter):
                drawn += block
            for trial, one in enumerate(drawn, start):
                self._refuse_other(one, trial)
            return np.array(drawn)

        rows: FloatArray = self._remembered((start, stop), measure)
        return rows

    def _refuse_other(self, one: FloatArray, trial: int) -> None:
        at = canonical({**self.cell, "trial": trial})
        if one.shape != self.probe.shape:
            raise MeasurementError(
                f"it measures {one.shape[1]} numbers, and {self.probe.shape[1]} in the first draw; a mean is one of"
                " numbers that every draw has"
            ).at(at)
        for name, entry, first in zip(self.case.claim.measured, one[2:], self.probe[2:], strict=True):
            if not same(entry, first):
                raise MeasurementError(
                    f"it measures {name} as another number than in the first draw, and a mean is held against one"
                    f" bound; give {name} in the cells, or put it into the number whose mean is meant"
                ).at(at)
        above = np.isfinite(one[LOW]) & (one[LOW] > self.ceiling)
        if above.any() and not self.case.wants_only_a_refutation:
            where = int(np.argmax(above))
            raise MeasurementError(
                f"it measures {one[0, where]:.6g}, above the ceiling {self.ceiling[where]:.6g} that its plan declares"
            ).at(at)

    @property
    def judged(self) -> _Judged:
        """What the draws of the cell say."""
        if self.case.is_replay:
            return self._one(int(self.case.config.at["trial"]))
        refuting = [(Wealth(bet, self.bookmaker.to_refute), end) for bet, end in self.bookmaker.refuting(self.limit)]
        wanted = (
            [] if self.case.wants_only_a_refutation else self.bookmaker.supporting(self.limit, self.plan.resolution)
        )
        supporting = [(Wealth(bet, -math.log(self.bookmaker.level)), end) for bet, end in wanted]
        most = self.budget * (CONTROL_TIMES if self.case.wants_only_a_refutation else 1)
        meter = Meter(self.case.at(self.cell), most, may_stop=True)
        parts: list[FloatArray] = []
        refuted = supported = math.inf
        finite = True
        for start, stop in rounds(most if np.isfinite(self.limit).all() else BLOCK):
            rows = self._rows(start, stop, meter)
            parts.append(_ends(rows))
            for wealth, end in (*refuting, *supporting):
                wealth.take(parts[-1][end])
            finite = finite and bool(np.isfinite(parts[-1][HIGH]).all())
            refuted = min((float(wealth.reached.min()) for wealth, _ in refuting), default=math.inf)
            supported = max((float(wealth.reached.max()) for wealth, _ in supporting), default=math.inf)
            # A number that is not finite excludes support; draws after it can still refute.
            if refuted < math.inf or (supported < math.inf and finite) or (not finite and stop >= self.budget):
                break
        drawn = Drawn(np.concatenate(parts, axis=1), self.symbols, self.limit, self.bookmaker)
        if not self.case.wants_only_a_refutation:
            self.case.memory.samples[_key(self.cell)] = drawn
        if not np.isfinite(self.limit).all():
            return self._told(drawn, Verdict.UNDECIDED)
        if refuted <= supported and refuted < math.inf:
            lost = np.any([wealth.reached < math.inf for wealth, _ in refuting], axis=0)
            return self._told(drawn, Verdict.REFUTED, lost)
        return self._told(drawn, Verdict.UNDECIDED if supported == math.inf else Verdict.SUPPORTED)

    def _one(self, trial: int) -> _Judged:
        """One numbered draw, which decides nothing."""
        drawn = Drawn(_ends(self._again(trial)[None]), self.symbols, self.limit, self.bookmaker)
        means = _means(drawn)
        result = self._result(drawn, Verdict.UNDECIDED, means, self._worst(means), f"draw {trial} alone")
        return _Judged(replace(result, worst={**self.cell, "trial": trial}))

    # ---------------------------------------------------------------------------------------------- judging

    def _told(self, drawn: Drawn, verdict: Verdict, lost: NDArray[np.bool_] | None = None) -> _Judged:
        """The result of a cell, of which the means that are `lost` refute it."""
        means = _means(drawn)
        where = self._worst(means, lost)
        draws, level = drawn.ends.shape[1], self.bookmaker.level
        low, high = drawn.ends[:, :, where]
        remarks, broken = [], np.flatnonzero(~np.isfinite(drawn.ends[HIGH]).all(axis=1))
        if not self._is_pure(drawn, where):
            verdict, remarks = Verdict.UNDECIDED, [IMPURE]
        elif verdict is Verdict.REFUTED:
            pass
        elif not np.isfinite(self.limit).all():
            verdict, remarks = Verdict.UNDECIDED, ["the bound is not a finite number"]
        elif broken.size:
            verdict, remarks = Verdict.UNDECIDED, [f"draw {broken[0]} is no finite number"]
        elif verdict is Verdict.SUPPORTED and draws > 1 and (low == low[0]).all() and (high == high[0]).all():
            verdict = Verdict.UNDECIDED
            remarks = [f"all {draws} draws measured {means[where]:.6g}, as one would; draw with rng, or use Search"]
        spent = verdict is Verdict.UNDECIDED and not remarks
        if spent:
            remarks = [NOTHING_KNOWN if self.knows_nothing else f"{draws} draws were not enough: {self.remedy(drawn)}"]
        result = self._result(drawn, verdict, means, where, "; ".join(remarks), spent)
        if broken.size and verdict is Verdict.UNDECIDED:
            result = replace(result, worst={**self.cell, "trial": int(broken[0])})
        self.case.recollection.note_points(self.cell, (means, self.limit))
        if self.case.wants_only_a_refutation:
            closest = self._closest(low, high, where) if verdict is Verdict.REFUTED else None
            return _Judged(replace(result, closest=closest))
        ends = self._interval(low, high, where, level)
        said = f"the mean is in [{ends[0]:.6g}, {ends[1]:.6g}], by {draws} draws"
        beyond = _beyond(low, float(self.ratio[where]))
        told = [*remarks, said, _heavy(high), beyond]
        if remarks != [IMPURE]:
            result = replace(result, remark="; ".join(filter(None, told)))
        tellable = math.exp(-self.bookmaker.to_refute)
        return _Judged(
            result,
            interval=ends,
            level=level,
            seen=self._seen(self._interval(low, high, where, tellable), float(self.limit[where])),
            missed=max(self.plan.missed(self.sense, law, level, self.budget) for law in set(self.laws)),
            beyond=beyond,
            details=self._details(where, low),
        )

    def worst_of(self, drawn: Drawn) -> int:
        """Which of the means comes nearest to its bound."""
        return self._worst(_means(drawn))

    @property
    def knows_nothing(self) -> bool:
        """Whether no number of draws supports the statement, as nothing is known of the law."""
        return self.bookmaker.below is None and self.sense != ">="

    def surely(self, drawn: Drawn) -> float:
        """By how many standard errors a first look at these draws is taken to err to the disadvantage of the statement.

        The budget of an equality suffices where it holds, so that only what speaks against it is told.
        """
        return SURELY if self.sense == "=" or drawn.ends.shape[1] < MANY else 0.0

    def draws_to_support(self, drawn: Drawn, errors: float) -> float:
        """About how many draws like these support the statement; infinite where their bets lose.

        With what a bet gains in all draws taken larger by so many of its standard errors, and with more than 0 of them
        what it gains in one, as far as these draws leave that open.
        """
        needed = [0.0]
        for bet, end in self.bookmaker.supporting(drawn.limit, self.plan.resolution):
            gains = bet.log_factors(drawn.ends[end, :LOOKED_AT])
            wanted = LOG_BETTORS - math.log(self.bookmaker.level)
            # The least n with n * mean + errors * spread * sqrt(n) >= wanted; a bet may be lost for good by one draw.
            with np.errstate(all="ignore"):
                mean, spread = gains.mean(axis=1), gains.std(axis=1)
                mean = mean + max(errors, 0.0) * spread / math.sqrt(gains.shape[1])
                root = (-errors * spread + np.sqrt((errors * spread) ** 2 + 4.0 * mean * wanted)) / (2.0 * mean)
            draws = np.where(mean > 0.0, root**2, np.inf)
            needed.append(float(np.nan_to_num(draws.min(axis=0), nan=np.inf).max()))
        return max(needed)

    def remedy(self, drawn: Drawn, needed: float | None = None, others: Sequence[str] = ()) -> str:
        """What would decide the statement, where draws like these are too few: so many, or one of the others."""
        means = _means(drawn)
        where = self._worst(means)
        needed = self.draws_to_support(drawn, ENOUGH) if needed is None else needed
        wider = {"<=": "larger", ">=": "smaller"}.get(self.sense)
        other = " or ".join(others) or ("a larger resolution=" if wider is None else f"a {wider} bound")
        limit = float(self.limit[where])
        near = f"the mean is about {means[where] / limit:.3g} times the bound" if limit > 0.0 else "the bound is 0"
        if not needed <= MOST_DRAWS:
            equal = "" if self.sense == "=" else ", or = for the sense where the mean is said to be that"
            return (
                f"{near}, too near for what is known of the law; write {other}, or a sharper ratio= or ceiling={equal}"
            )
        enough = two_digits(math.ceil(needed))
        written = f"budget={enough} in its Mean or in mean={{...}}"
        return f"{near}; about {enough} draws would do, so write {written}, or {other}"

    def _result(
        self, drawn: Drawn, verdict: Verdict, means: FloatArray, where: int, remark: str, spent: bool = False
    ) -> CellResult:
        reported = {name: float(np.ravel(entry)[where]) for name, entry in self.symbols.items()}
        ratio = float(self._ratios(means)[where])
        draws = drawn.ends.shape[1]
        parts = [replace(drawn, ends=drawn.ends[:, part::PARTS]) for part in range(PARTS if draws >= PARTS else 0)]
        status = self.case.standing.of_cell(self.cell)
        beyond = self.sense == "<=" and bool((self.limit >= self.ceiling).all())
        return CellResult(
            at=self.cell,
            premises=PremiseStatus.TRIVIAL if beyond and status is PremiseStatus.INSIDE else status,
            verdict=verdict,
            measured=float(means[where]),
            bound=float(self.limit[where]),
            ratio=ratio,
            trials=draws,
            failures=int(verdict is Verdict.REFUTED),
            seconds=time.perf_counter() - self.started,
            worst=self.cell,
            remark=remark,
            parts=tuple(float(self._ratios(_means(part))[where]) for part in parts),
            spent=spent,
            budget=self.budget,
            reported=reported,
            error=float(0.5 * np.diff(drawn.ends[:, :, where].mean(axis=1))[0]),
        )

    def _ratios(self, means: FloatArray) -> FloatArray:
        """How near each mean comes to its bound: at most 1 where it meets it."""
        if self.sense == "=":
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(np.abs(means / self.limit - 1.0) / self.plan.resolution)
        small, large = (means, self.limit) if self.sense == "<=" else (self.limit, means)
        return np.where(np.isnan(small) | np.isnan(large), np.nan, ratios(small, large))

    def _worst(self, means: FloatArray, among: NDArray[np.bool_] | None = None) -> int:
        """The mean with the largest ratio, among those that are named if any is."""
        found = np.nan_to_num(self._ratios(means), nan=-np.inf, posinf=np.inf)
        return int(np.argmax(found if among is None else np.where(among, found, -np.inf)))

    def _is_pure(self, drawn: Drawn, where: int) -> bool:
        """Whether the first draw and the largest one give the same numbers again."""
        if self.case.measures_what_its_claim_did:
            return True
        largest = int(np.argmax(drawn.ends[HIGH, :, where]))
        noted = {0: self.probe, largest: self._again(largest)}
        return all(same(_ends(one[None])[:, 0], drawn.ends[:, trial]) for trial, one in noted.items())

    def _interval(self, low: FloatArray, high: FloatArray, where: int, level: float) -> tuple[float, float]:
        """Where a mean lies, on each side at `level`."""
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            return 0.0, float(self.ceiling[where])
        known = {"ceiling": float(self.ceiling[where]), "ratio": float(self.ratio[where])}
        return lower_mean(low, level), upper_mean(high, level, **known)

    def _seen(self, ends: tuple[float, float], limit: float) -> float:
        """The factor on the bound that the draws tell from it, or the relative error of an equality."""
        if not 0.0 < limit < math.inf:
            return math.nan
        if self.sense == "<=":
            return ends[0] / limit
        if self.sense == ">=":
            return limit / ends[1] if ends[1] > 0.0 else math.inf
        return max(ends[1] / limit - 1.0, 1.0 - ends[0] / limit)

    def _closest(self, low: FloatArray, high: FloatArray, where: int) -> float | None:
        """The factor on the bound of a control up to which the draws refute it."""
        if self.sense == "=":
            return None
        found = self._seen(self._interval(low, high, where, self.bookmaker.level), float(self.limit[where]))
        return found if math.isfinite(found) else None

    def _details(self, where: int, low: FloatArray) -> dict[str, Any]:
        """What is known of the law, what the draws show of it, and which means would be told from the bound."""
        law, level = self.laws[where], math.exp(-self.bookmaker.to_refute)
        known = [f"no draw exceeds {self.ceiling[where]:.6g}"] if math.isfinite(self.ceiling[where]) else []
        if math.isfinite(law.ratio):
            known.append(f"second moment at most {law.ratio:.6g} times the squared mean: {self.plan.why}")
        square = float(np.mean(low)) ** 2
        above = law.seen_above(level, self.budget) if self.sense != ">=" else math.inf
        below = law.seen_below(level, self.budget) if self.sense != "<=" else 0.0
        caught = [f"{times:.4g} times the bound" for times in (above, below) if 0.0 < times < math.inf]
        return {
            "known": "; ".join(known) or "no draw is negative",
            "ratio of the draws": float(np.mean(low**2)) / square if square > 0.0 else None,
            # With probability 0.9, whatever the law of this kind.
            "caught": f"a mean of {' or of '.join(caught)}" if caught else None,
        }


def _means(drawn: Drawn) -> FloatArray:
    """The mean of the draws for each; NaN where one is no number."""
    low, high = drawn.ends.mean(axis=1)
    return np.where(np.isfinite(high), 0.5 * (low + high), np.nan)


def _ends(rows: FloatArray) -> FloatArray:
    """The lower and the upper ends of draws, shape (2, n, k): from 0 to infinity where they are no numbers."""
    low, high = rows[:, LOW], rows[:, HIGH]
    known = np.isfinite(low) & np.isfinite(high)
    return np.stack([np.where(known, np.maximum(low, 0.0), 0.0), np.where(known, np.maximum(high, 0.0), np.inf)])


def _heavy(draws: FloatArray) -> str:
    """That one draw makes up most of the spread, in words; empty where none does."""
    if draws.size < LOOKED_AT_FROM or not np.isfinite(draws).all():
        return ""
    spread = (draws - draws.mean()) ** 2
    if not spread.max() >= HEAVY_SHARE * spread.sum() > 0.0:
        return ""
    share = float(draws[np.argmax(spread)] / draws.sum())
    return f"a heavy tail: one draw of {draws.size} makes up {share:.0%} of their sum, so that their mean says little"


def _beyond(draws: FloatArray, ratio: float) -> str:
    """That the second moment of the draws is far beyond the one declared, in words; empty where it is not."""
    square = float(draws.mean()) ** 2
    if draws.size < LOOKED_AT_FROM or not float(np.mean(draws**2)) > BEYOND * ratio * square > 0.0:
        return ""
    found = float(np.mean(draws**2)) / square
    return f"the second moment of the draws is {found:.3g} times the squared mean, where {ratio:.4g} is declared"
