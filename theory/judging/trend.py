"""How the worst ratio of a row grows with each size: a bound that is met at the sizes judged may fail beyond them.

Main definitions: `Trend`; `of_row`, the trends of a row; `trends`, which reads its cells; `drawn_trends`, which reads
the draws of a search; `within`, which leaves out crossings beyond the statement; `Followed`, what was found further on.

The slope is that of a least-squares line through the logarithms of ratio and size, one line for every group of cells
that differ in this size alone, all with the same slope. Where a size never moves alone, a group is a path: the cells
with the worst ratio at each of its values, whatever else moves along it. A path along which a number falls to the least
that it can be ends there, and a ratio that rises along it goes no further. The interval is the HC3 one of
`theory.core.statistics`, at 95 %: with three or four sizes it says how straight the line is, and no more.

A ratio that was found by chance is the worst of draws, and is one of chance itself. It rises only where every third of
the draws at a size (`theory.claims.results.parts`) lies above every third at the size before. Where the size makes no
difference, all orders of the thirds are as likely, and this one comes once in 1680 times at three sizes, once in 369600
at four.

A ratio that rises may still stay below 1. Two curves are held against the ratios of a group, a power of the size and
`limit - c/size**p` with a limit of at most 1; where the second describes them better, the trend saturates and nothing
is said of a crossing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import Any

import numpy as np

from bounds.bound import Bound
from bounds.premise import Premise
from bounds.symbols import domain_of
from theory.claims.memory import Instance
from theory.claims.results import NO_PART, PARTS, CellResult, Evidence, parts
from theory.core.agreement import TOLERANCE
from theory.core.digits import near_one
from theory.core.seeds import canonical
from theory.core.statistics import scaling_fit
from theory.core.values import Values
from theory.core.verdict import PremiseStatus
from theory.evidence.retrial import entries
from theory.running.case import Case

# Larger numbers are no sizes that a line could be drawn through.
LARGEST_SIZE = 1e250

METHOD = "least squares on logarithms, HC3, 95 %; few points"
LEVEL = 0.05

# So many sizes a group needs, and from this slope on a ratio is said to rise: below it doubles in 2**20 at most.
FEWEST = 3
LEAST_SLOPE = 0.05

# Beyond so many times the largest size judged there is no crossing. The sizes of a row span a factor of 100 at most, as
# a rule, and a slope is not known further than that; what rises so slowly is found by no run either.
FARTHEST = 100.0

# From this ratio on a curve with the limit 1 can be told from a power of the size. Any other limit is fitted, which
# takes a point more, and as it bends more freely it must leave so much less of the squares.
LEAST_NEAR = 0.5
FEWEST_TO_FIT_LIMIT = 4
LESS_LEFT = 0.25

# So many limits are tried, evenly between the largest ratio and 1.
LIMITS = 64

# Squares of ratios below this are rounding.
NOTHING_LEFT = 1e-20

# Values of a drawn number are taken one by one up to so many, and beyond that in so many ranges, all of as many draws.
MOST_VALUES = 6
RANGES = 4

# Hypothesis draws at least so many instances before it climbs, or half of all.
UNCLIMBED = 10


@dataclass(frozen=True)
class Point:
    """The worst ratio at a size, the least and the largest of its parts, and what else the cell assigns."""

    size: float
    ratio: float
    low: float
    high: float
    beside: Values = field(default_factory=dict)


Group = list[Point]


@dataclass(frozen=True)
class Saturation:
    """The curve `1 - gap - c/size**power` that describes ratios that rise."""

    gap: float
    power: float


class End(StrEnum):
    """Why a trend was followed no further."""

    FALLS = "falls"
    LEVEL = "level"
    SATURATES = "saturates"
    REFUTED = "refuted"
    OUTSIDE = "outside"
    TRIVIAL = "trivial"
    UNDECIDED = "undecided"
    FAILED = "failed"
    TIME = "time"
    REACH = "reach"


# Where a trend ends like this, nothing is left to cross 1.
SETTLED = (End.FALLS, End.LEVEL, End.SATURATES, End.OUTSIDE, End.TRIVIAL)


@dataclass(frozen=True)
class Followed:
    """The sizes beyond those of the row at which a rising ratio was measured, the ratios there, and how that ended.

    `end` at `FALLS`, `LEVEL` and `REFUTED` speaks of the last size; at `OUTSIDE`, `TRIVIAL`, `UNDECIDED`, `FAILED` and
    `TIME` of the next one, `beyond`, which has no ratio. `why` says more where there is more to say.
    """

    sizes: tuple[float, ...]
    ratios: tuple[float, ...]
    end: End
    beyond: float = math.nan
    why: str = ""


@dataclass(frozen=True)
class Trend:
    """The slope of the worst ratio in a size, with its interval.

    `crosses` is where the ratio would pass 1 if it went on as at the end of the group that passes first, infinite where
    it rises in none, or saturates. `sizes` and `ratios` are those of this group, or else of the one that ends highest,
    and `last` is what its last cell assigns. `along` are the other sizes that move with this one; `drawn` says that a
    search chose the size. `saturation` is the curve of this group, where it rises and that describes it.
    """

    slope: float
    interval: tuple[float, float]
    sizes: tuple[float, ...]
    ratios: tuple[float, ...]
    crosses: float
    along: tuple[str, ...] = ()
    drawn: bool = False
    saturation: Saturation | None = None
    last: Values = field(default_factory=dict)
    followed: Followed | None = None

    @property
    def rises(self) -> bool:
        """Whether the ratio rises towards 1 over all sizes of a group, whatever it does in others, and may pass it."""
        return math.isfinite(self.crosses)

    @property
    def crossing(self) -> float:
        """What is told of where it crosses 1: `crosses`, or infinite where that is no guess of this size's doing.

        Along a path other sizes move too, and what this one does alone is seen from the last cell on. A slope that
        falls is taken to fall on.
        """
        known = self._known()[len(self.sizes) - 1 if self.along else 0 :]
        return self.crosses if len(known) > 1 and _may_reach(np.log(known)) else math.inf

    def _known(self) -> list[tuple[float, float]]:
        """Sizes and ratios of the group, and of those beyond them."""
        found = [*zip(self.sizes, self.ratios, strict=True)]
        return (
            found if self.followed is None else [*found, *zip(self.followed.sizes, self.followed.ratios, strict=True)]
        )

    def further(self, followed: Followed) -> Trend:
        """The trend with what was found further along it, where it crosses 1 and how it bends read anew."""
        group = [Point(s, r, r, r) for s, r in replace(self, followed=followed)._known()]
        crosses = math.inf if followed.end in SETTLED else _crossing(group)
        if followed.end is End.FAILED and not crosses < followed.beyond:
            crosses = math.inf  # nobody can look there
        curve = saturation(group) if followed.end not in (End.FALLS, End.LEVEL) else None
        return replace(self, crosses=crosses, saturation=curve, followed=followed)

    def remark(self, name: str) -> str:
        """One sentence where the ratio rises or was followed, else empty."""
        if not self.rises and self.followed is None:
            return ""
        path = f", along which {', '.join(self.along)} {'moves' if len(self.along) == 1 else 'move'}" * bool(self.along)
        crossing = f"it would cross 1 near {name} = {self.crossing:.2g}" if math.isfinite(self.crossing) else ""
        if self.followed is not None:
            told = f"the ratio rises with {name}{path} {self._found(name)}"
        else:
            shown = ", ".join(near_one(ratio, 3) for ratio in self.ratios)
            far = f"up to {name} = {self.sizes[-1]:.6g}"
            told = f"the ratio rises with {'the drawn ' * self.drawn}{name}{path} ({shown}), {far}"
        return "; ".join(filter(None, [told, crossing]))

    def _found(self, name: str) -> str:
        """How far it was followed, and how that ended."""
        followed = self.followed
        assert followed is not None
        known = self._known()
        last = known.pop() if followed.end in (End.FALLS, End.LEVEL) else known[-1]
        (top, highest), at = known[-1], f"{name} = {followed.beyond:.6g}"
        ends = {
            End.FALLS: f"; at {name} = {last[0]:.6g} it falls to {near_one(last[1], 3)}",
            End.LEVEL: f" and rises no more at {name} = {last[0]:.6g}",
            End.SATURATES: " and saturates",
            End.OUTSIDE: f"; at {at} the premises end",
            End.TRIVIAL: f"; at {at} the bound cannot be missed",
            End.UNDECIDED: f"; at {at} it is undecided",
            End.FAILED: f"; at {at} nothing can be measured",
            End.TIME: f"; at {at} the time for following it was over",
        }
        # Of what was raised the kind is enough here.
        why = followed.why.partition(":")[0] if followed.end is End.FAILED else followed.why
        end = ends.get(followed.end, ", as far as it was followed") + f" ({why})" * bool(why)
        return f"to {near_one(highest, 3)} at {name} = {top:.6g}{end}"


def of_row(case: Case, evidence: Evidence) -> dict[str, Trend]:
    """The trends of the cells of a row; none where it is not passed inside its premises, or compares with no bound."""
    claim, inside = case.claim, evidence.premises is PremiseStatus.INSIDE
    if not (inside and evidence.verdict.is_pass) or claim.sense == "=" or not claim.evidence.compares:
        return {}
    judged = [cell for cell in evidence.cells if cell.premises is PremiseStatus.INSIDE]
    return within(trends(judged, {*claim.regime.derived, *claim.regime.from_data}), case.bound, claim.premises)


def trends(cells: Sequence[CellResult], derived: Collection[str]) -> dict[str, Trend]:
    """The trend in each size that takes three values or more in cells that agree in all others, or on a path of cells.

    `derived` are the symbols that are computed from others or from points, and move with them. A path that rises in
    several sizes is told of the first.
    """
    found: dict[str, Trend] = {}
    told: list[tuple[float, ...]] = []
    for name in cells[0].at if cells else ():
        if name in derived:
            continue
        if groups := _groups(cells, name, derived):
            found[name] = _trend(groups)
        elif groups := _paths(cells, name):
            trend = replace(_trend(groups, _is_at_its_end), along=_moving(groups, name, derived))
            if trend.ratios not in told:
                found[name] = trend
            told += [trend.ratios] * trend.rises
    return found


def _groups(cells: Sequence[CellResult], name: str, derived: Collection[str]) -> list[Group]:
    """The points of groups of cells that differ in the size `name` alone, each in the order of sizes."""
    return _grouped(cells, name, lambda cell: {n: v for n, v in cell.at.items() if n != name and n not in derived})


def _paths(cells: Sequence[CellResult], name: str) -> list[Group]:
    """As `_groups`, for cells that agree in what is no number."""
    return _grouped(cells, name, lambda cell: {n: v for n, v in cell.at.items() if isinstance(v, str | bool)})


def _grouped(cells: Sequence[CellResult], name: str, rest: Callable[[CellResult], Values]) -> list[Group]:
    """Groups of cells with the same `rest` and so many sizes; of one size the cell with the worst ratio."""
    groups: dict[str, dict[float, Point]] = {}
    for cell in cells:
        size = cell.at[name]
        if isinstance(size, bool) or not isinstance(size, int | float | np.number):
            continue
        # A size may be an integer beyond the doubles.
        if not (0 < size < LARGEST_SIZE and 0.0 < cell.ratio < math.inf):
            continue
        group = groups.setdefault(canonical(rest(cell)), {})
        if float(size) not in group or cell.ratio > group[float(size)].ratio:
            group[float(size)] = _point(float(size), cell.ratio, cell.parts, cell.at)
    return [[group[size] for size in sorted(group)] for group in groups.values() if len(group) >= FEWEST]


def _point(size: float, ratio: float, found: Sequence[float], at: Values) -> Point:
    """A point; nothing is known of how far its ratio is one of chance where a part is empty."""
    if NO_PART in found:
        return Point(size, ratio, 0.0, math.inf, at)
    return Point(size, ratio, min(found, default=ratio), max(found, default=ratio), at)


def _moving(groups: Sequence[Group], name: str, derived: Collection[str]) -> tuple[str, ...]:
    """The sizes, but `name` and derived ones, that do not stay what they are along every group."""

    def moves(other: str) -> bool:
        return any(p.beside[other] != q.beside[other] for g in groups for p, q in pairwise(g))

    return tuple(other for other in groups[0][0].beside if other != name and other not in derived and moves(other))


def _is_at_its_end(path: Group) -> bool:
    """Whether an integer falls at every step of a path, to the least value of its domain."""

    def ends(name: str) -> bool:
        domain, values = domain_of(name), [point.beside[name] for point in path]
        if domain is None or not domain.integer or any(not isinstance(value, int | np.integer) for value in values):
            return False
        return values[-1] <= domain.low and all(low < high for high, low in pairwise(values))

    return any(map(ends, path[0].beside))


def _trend(groups: Sequence[Group], is_over: Callable[[Group], bool] = lambda _: False) -> Trend:
    told, crosses = max(groups, key=lambda group: group[-1].ratio), math.inf
    for group in groups:
        if not is_over(group) and (crossing := _crossing(group)) < crosses:
            told, crosses = group, crossing
    slope, interval = _slope(groups)
    return Trend(
        slope=slope,
        interval=interval,
        sizes=tuple(point.size for point in told),
        ratios=tuple(point.ratio for point in told),
        crosses=crosses,
        saturation=saturation(told) if _is_rising(told) else None,
        last=told[-1].beside,
    )


def _slope(groups: Sequence[Group]) -> tuple[float, tuple[float, float]]:
    """The slope and its interval; nothing is known of it where one size alone determines it."""
    sizes, ratios = np.array([(point.size, point.ratio) for group in groups for point in group]).T
    # An indicator of each group but the first, as a logarithm: every group has a line of its own.
    number = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    own = {f"group {k}": np.where(number == k, math.e, 1.0) for k in range(1, len(groups))}
    try:
        fit = scaling_fit({"size": sizes, **own}, ratios, LEVEL)
    except ValueError:
        return math.nan, (-math.inf, math.inf)
    return fit.exponents["size"], fit.intervals["size"]


def _crossing(group: Group) -> float:
    """Where the ratio of one group would pass 1 if it went on as at its end; infinite where it does not rise.

    Nor is there a crossing where it saturates, or beyond `FARTHEST`.
    """
    sizes, ratios = np.log([(point.size, point.ratio) for point in group]).T
    if not _is_rising(group) or ratios[-1] > 0.0 or saturation(group) is not None:
        return math.inf
    end = max(_slope_of(sizes, ratios), float((ratios[-1] - ratios[-2]) / (sizes[-1] - sizes[-2])))
    beyond = -float(ratios[-1]) / end
    return group[-1].size * math.exp(beyond) if beyond <= math.log(FARTHEST) else math.inf


def _may_reach(known: np.ndarray) -> bool:
    """Whether a ratio comes to 1, by logarithms of sizes and ratios, if its slope changes as over the last three."""
    if len(known) < FEWEST:
        return True
    (x, a), (y, b), (z, c) = known[-3:]
    before, after = (b - a) / (y - x), (c - b) / (z - y)
    bend = 2.0 * (after - before) / (z - x)
    end = after + 0.5 * bend * (z - y)
    return bool(bend >= 0.0 or (end > 0.0 and c + 0.5 * end**2 / -bend >= 0.0))


def _is_rising(group: Group) -> bool:
    sizes, ratios = np.log([(point.size, point.ratio) for point in group]).T
    return _is_beyond_chance(group) and _slope_of(sizes, ratios) >= LEAST_SLOPE


def _slope_of(xs: np.ndarray, ys: np.ndarray) -> float:
    off = xs - xs.mean()
    return float(np.sum(off * ys) / np.sum(off**2))


def _line(xs: np.ndarray, ys: np.ndarray) -> tuple[float, np.ndarray]:
    """The slope of the least-squares line and what it gives at `xs`."""
    slope = _slope_of(xs, ys)
    return slope, ys.mean() + slope * (xs - xs.mean())


def saturation(group: Group) -> Saturation | None:
    """The curve that rises to a limit of at most 1, where it describes the ratios better than a power of the size.

    Both are lines, fitted to logarithms: of the ratio, and of what it lacks to the limit. What they leave is compared
    as ratios. Of too few sizes the limit is 1, and the end of the group above `LEAST_NEAR` is read. Such a curve rises
    less and less with every factor on the size.
    """
    logs, ratios = np.array([(math.log(point.size), point.ratio) for point in group]).T
    highest, steps = float(ratios.max()), np.diff(ratios) / np.diff(logs)
    if highest >= 1.0 or steps[-1] >= steps[-2]:
        return None
    if len(group) >= FEWEST_TO_FIT_LIMIT:
        limits = [highest + (1.0 - highest) * k / LIMITS for k in range(1, LIMITS + 1)]
        rest, found = min((_curve(logs, ratios, limit) for limit in limits), key=lambda fit: fit[0])
        if rest < LESS_LEFT * _left_by_power(logs, ratios):
            return found
    if ratios[-1] <= LEAST_NEAR:
        return None
    end = max(FEWEST, int(np.count_nonzero(ratios > LEAST_NEAR)))
    rest, found = _curve(logs[-end:], ratios[-end:], 1.0)
    return found if rest < _left_by_power(logs[-end:], ratios[-end:]) else None


def _curve(logs: np.ndarray, ratios: np.ndarray, limit: float) -> tuple[float, Saturation]:
    """The curve with this limit, and the squares that it leaves."""
    slope, lacking = _line(logs, np.log(limit - ratios))
    return float(np.sum((ratios - limit + np.exp(lacking)) ** 2)), Saturation(1.0 - limit, -slope)


def _left_by_power(logs: np.ndarray, ratios: np.ndarray) -> float:
    """The squares that a power of the size leaves; none where they are rounding."""
    left = float(np.sum((ratios - np.exp(_line(logs, np.log(ratios))[1])) ** 2))
    return left if left > NOTHING_LEFT else 0.0


def _is_beyond_chance(group: Group) -> bool:
    """Whether the ratio rises at every step, in all parts, but for what may lie between two processors.

    Over the whole group it rises by more than that.
    """
    steps = all((1.0 - TOLERANCE) * first.high <= second.low for first, second in pairwise(group))
    return steps and (1.0 + TOLERANCE) * group[0].high <= group[-1].low


def drawn_trends(case: Case, evidence: Evidence) -> dict[str, Trend]:
    """The trend in each positive number that a search has drawn, over all judged cells.

    Of every cell the first half of what is kept is read, which was drawn before the search began to climb: a climb
    stays at one value and finds worse ratios there for that alone. Where nothing else is drawn there is no chance in a
    ratio, and all is read.
    """
    names = list(case.claim.regime.draw)
    by_chance = len(names) > 1 or "rng" in case.claim.parameters
    if not names or case.claim.sense == "=" or not evidence.verdict.is_pass:
        return {}

    def early(cell: Values) -> Sequence[Instance]:
        kept = case.memory.kept.get(canonical(cell), ())
        return kept[: max(UNCLIMBED, len(kept) // 2)] if by_chance else kept

    found = entries(case, evidence, early)
    if isinstance(found, str):
        return {}
    worst = found.missed()[1]
    told = [(found.instances[k], float(worst[k])) for k in np.flatnonzero(found.inside & (worst > 0.0)).tolist()]
    if case.claim.ceiling is not None or case.claim.probability:
        told = [(kept, ratio) for kept, ratio in told if not case.standing.is_trivial({**kept.values, **kept.symbols})]
    weights = "rng" in case.claim.parameters
    draws = [(kept.values, (kept.trial if weights else None, ratio)) for kept, ratio in told]
    groups = {name: _ranges([(values[name], draw) for values, draw in draws], by_chance) for name in names}
    kept = {name: replace(_trend([group]), drawn=True) for name, group in groups.items() if len(group) >= FEWEST}
    kept = within(kept, case.bound, case.claim.premises)
    # The block says between which ends a real number is drawn; an integer is a size, of which the smaller are drawn.
    real = {name for name in kept if any(isinstance(values[name], float) for values, _ in draws)}
    return {name: replace(trend, crosses=math.inf) if name in real else trend for name, trend in kept.items()}


def within(found: Mapping[str, Trend], bound: Bound, premises: Sequence[Premise]) -> dict[str, Trend]:
    """The trends without a crossing that the domain of the size excludes, or a premise on it alone."""

    def admits(name: str, trend: Trend) -> bool:
        domain = bound.domains.get(name)
        nearest = math.ceil(trend.crosses) if domain is not None and domain.integer else trend.crosses
        alone = [p for p in premises if set(p.symbols) == {name}]
        return (domain is None or domain.contains(nearest)) and all(p.holds({name: nearest}) for p in alone)

    return {
        name: trend if not trend.rises or admits(name, trend) else replace(trend, crosses=math.inf)
        for name, trend in found.items()
    }


def _ranges(pairs: Sequence[tuple[Any, tuple[int | None, float]]], by_chance: bool) -> Group:
    """The worst ratio at values or in ranges of a drawn number, each told by its largest value, in their order.

    Each pair is a value and the trial, if there is one, and ratio of a draw. Where there is chance in a ratio, all
    ranges have as many draws. There are none where what is drawn is not a positive number.
    """
    if any(isinstance(v, bool) or not isinstance(v, int | float) or not 0 < v < math.inf for v, _ in pairs):
        return []
    values = sorted({float(value) for value, _ in pairs})
    by_value: dict[float, list[tuple[int | None, float]]] = {value: [] for value in values}
    for value, draw in pairs:
        by_value[float(value)].append(draw)
    if len(values) <= MOST_VALUES and not by_chance:
        return [_point(value, max(ratio for _, ratio in draws), (), {}) for value, draws in by_value.items()]
    if len(values) <= MOST_VALUES:
        ranges = [(value, draws) for value, draws in by_value.items() if len(draws) >= PARTS]
    else:
        # Draws of equal values stay in their order.
        listed = [(value, draw) for value in values for draw in by_value[value]]
        size = len(listed) // RANGES
        cut = [listed[k * size : (k + 1) * size] for k in range(RANGES)] if size >= PARTS else []
        ranges = [(part[-1][0], [draw for _, draw in part]) for part in cut]
    fewest = min((len(draws) for _, draws in ranges), default=0)
    groups = {
        value: parts((k if trial is None else trial, ratio) for k, (trial, ratio) in enumerate(draws[:fewest]))
        for value, draws in ranges
    }
    return [_point(value, max(found), found, {}) for value, found in groups.items()]
