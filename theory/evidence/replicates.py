"""Replicates of the cells of a case, each measured once for a claim and its controls that turn no knob.

Main definitions: `Replicates`; `Sample`, what those of one cell measured; `Look`, how many of them are looked at.
"""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass

import numpy as np

from theory.claims.regime import Cell
from theory.core.progress import Meter
from theory.core.seeds import canonical
from theory.evidence.plan import IMPURE, Number, number_at, same
from theory.running.case import Case
from theory.running.parallel import again, ends_block, run_blocks

# The fit of an exact power law is off by rounding: some hundreds of units in the last place of the
# logarithms. So a stated relative error beyond this is no rounding error of an exponent.
EXPONENT_ROUNDING = 1e-9

WITHOUT_LOGARITHMS = (
    "an exponent is fitted to logarithms: measure what is never 0, or fit the constant alone, by whp= in place of"
    " order="
)

# Looks at the exponents, each at twice the replicates of the one before, and the share of the error budget that each of
# them has. The first one decides nearly always, and loses little by what is kept for the others.
LOOK_SHARES = (0.75, 0.25 / 3, 0.25 / 3, 0.25 / 3)
LOOKS = len(LOOK_SHARES)


@dataclass(frozen=True)
class Sample:
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

    def trouble(self, at: str, logarithms: bool = True) -> str:
        """Why nothing can be fitted to these numbers, measured in the cell `at`, or to their logarithms; else empty."""
        good = np.isfinite(self.values) & ((self.values > 0.0) | (not logarithms))
        said = f"is not a finite{' positive' if logarithms else ''} number"
        if good.all() and logarithms:
            said = "is known too coarsely for an exponent"
            good = np.isclose(self.far, self.values, rtol=EXPONENT_ROUNDING, atol=0.0)
        if good.all():
            return "" if self.pure else IMPURE
        index = int(np.argmin(good))
        told = f"a measurement {said}: {self.values[index]:.6g} at {at},trial={self.first + index}"
        return told + (f"; {WITHOUT_LOGARITHMS}" if logarithms and self.values[index] == 0.0 else "")

    def error(self, place: int) -> float:
        """The rounding-error bound of the number at this place; NaN where it is not finite."""
        with np.errstate(invalid="ignore"):
            return float(np.abs(self.far[place] - self.values[place]))

    def joined(self, later: Sample) -> Sample:
        """Both together."""
        return Sample(
            np.concatenate([self.values, later.values]),
            np.concatenate([self.near, later.near]),
            np.concatenate([self.far, later.far]),
            self.first,
            self.pure and later.pure,
            self.seconds + later.seconds,
        )


@dataclass(frozen=True)
class Look:
    """A look at the replicates: `2**number` times the declared ones, or of the first ones one in `share`.

    `extends` says whether cells where some miss the bound get more than that.
    """

    number: int = 0
    share: int = 1
    extends: bool = False


@dataclass(frozen=True)
class Replicates:
    """The replicates of a case, of which the plan declares `number` in a cell."""

    case: Case
    number: Number

    def declared(self, cell: Cell) -> int:
        """The replicates of a cell at the first look."""
        return number_at(self.number, cell) * self.case.config.factor

    def sample(self, cell: Cell, look: Look, replay: bool = False) -> Sample:
        """The replicates of a cell at one look; with `replay` the one that is asked for."""
        wanted = self.declared(cell)
        if look.share > 1:
            return self._first(cell, min(wanted, max(2, wanted // look.share)), replay)
        return self.doubled(cell, self._first(cell, wanted, replay), 0 if replay else look.number)

    def first_part(self, cell: Cell, share: int, times: int) -> Sample:
        """The first replicates of a cell, one in `share` of the declared ones, so often made twice as many."""
        return self.doubled(cell, self._first(cell, max(2, self.declared(cell) // share), False), times)

    def doubled(self, cell: Cell, sample: Sample, times: int) -> Sample:
        """The sample, so often made twice as large."""
        for _ in range(times):
            done = sample.values.size
            key = (canonical(cell), done, 2 * done, self.case.config.data.is_brought)
            more: Sample = self.case.recollection.remember(key, functools.partial(self._measure, cell, done, 2 * done))
            sample = sample.joined(more)
        return sample

    def _first(self, cell: Cell, replicates: int, replay: bool) -> Sample:
        key = (canonical(cell), replicates, replay, self.case.config.data.is_brought)
        start = self.case.config.at["trial"] if replay else 0
        stop = start + 1 if replay else replicates
        found: Sample = self.case.recollection.remember(key, lambda: self._measure(cell, start, stop))
        return found

    def _measure(self, cell: Cell, start: int, stop: int) -> Sample:
        """Measure replicates of a cell; of an array, its worst entry counts, at either end of its intervals."""
        started = time.perf_counter()
        meter = Meter(self.case.at(cell), stop - start, unit="replicates")
        values: list[np.ndarray] = []
        size = max(1, (stop - start) // 4)
        for block in run_blocks(ends_block, self.case, cell, start, stop, size=size, meter=meter):
            values += block
        if not self.case.wants_only_a_refutation:  # its highest end is below 0 beyond doubt
            self.case.memory.signed |= any(bool((v[3] < 0.0).any()) for v in values)
        worst_of, far = (np.max, 1) if self.case.claim.sense == "<=" else (np.min, 0)
        ends = np.array([worst_of(v, axis=1) for v in values])
        worst = int(np.argmax(ends[:, 1]) if far else np.argmin(ends[:, 0]))
        pure = same(again(ends_block, self.case, cell, start + worst)[0], values[worst])
        seconds = time.perf_counter() - started
        self.case.memory.took[canonical(cell)] = seconds / (stop - start + 1)  # one of them was measured twice
        return Sample(ends[:, far], ends[:, 3 - far], ends[:, 2 + far], start, pure, seconds)
