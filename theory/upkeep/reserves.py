"""What ledgers of several seeds say together: rows not as expected, and how much each row has left to the edge.

Main definitions: `hows`, in what way a row of a ledger is not as expected; `Reserve`; `Standing`, a row over all seeds;
`standings`; `chance_beyond`, the edge seen from the ratios of several seeds; `replayed`, the command that judges a row
again.

A reserve is a share of what there is: 1 where nothing is used, 0 at the edge, negative beyond it. What is used of is

* trials: the most trials that a cell may take, and what of them the failures that were seen make necessary;
* a search: the bound, where it holds a constant of the project's own; the largest worst ratio counts. Where the bound
  is the paper's alone a ratio of 1 is attained by the statement, and where the ratio is the same at every seed nothing
  is left to chance;
* a scaling fit: the bound likewise, the widest interval that still tells exponents apart or the replicates that there
  may be for a narrower one, and the half width by which the claimed exponent lies inside of what would refute it;
* an equality in law: the distance that the test allows;
* a mean: the draws that a cell may take;
* a row that is expected to be refuted: how far the worst ratio of a search, the failures of trials or an exponent lie
  beyond the edge.

Exact laws and proofs draw nothing and have none. A constant is the project's own where it is a named one: a number that
a paper prints stands in the formula itself, and a named constant is, by its type, a value for what the paper leaves
open, also where a proof computes it from others of this kind.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Literal

from numpy import euler_gamma as EULER_GAMMA
from scipy.stats import chi2, gumbel_r

from theory.claims.block import Plan
from theory.core.statistics import failures_to_refute, time_uniform_interval, trials_to_support, undecided_chance
from theory.core.values import Json, JsonDict, Values
from theory.core.verdict import NONE_NEEDED, PremiseStatus, Verdict
from theory.evidence import of_method
from theory.evidence.exponents import WIDEST_HALF_WIDTH
from theory.evidence.replicates import EXPONENT_ROUNDING, LOOKS

Row = Json
Ledger = Json
Told = Mapping[int, Row]

# In what ways a row is not as expected, in the order in which they are told.
HOWS = ("refuted", "undecided", "error", "control not refuted", "erratum not found", "stale", "other")

# The confidence of the bound on a failure rate that is pooled over seeds.
CONFIDENCE = 0.95

# Ratios of two seeds that are nearer than this differ by rounding.
SAME = 1e-9

# From fewer seeds no spread is read. A row whose chance beyond the edge is above `RARE` is listed: it is worth a run at
# many seeds, which all rows would not be.
FEWEST_SEEDS, RARE = 4, 1e-6

# What an entry of a search, a fit or a test of a law is used of, in words.
OF_BOUND, OF_TRIALS, OF_WIDTH, OF_EXPONENT = "the bound", "the trials", "the width of an interval", "the exponent"
OF_LAW, OF_ERRATUM, OF_CONTROL = "the distance in law", "the counterexample", "the control"
OF_DRAWS = "the draws"


@dataclass(frozen=True)
class Reserve:
    """`share` of `of` that is left, the least over the seeds; `seed` is where, `said` with which numbers."""

    share: float
    of: str
    seed: int
    said: str


@dataclass(frozen=True)
class Pooled:
    """The trials of one cell over all seeds.

    `budget` is the most trials that one seed runs, 0 where a ledger does not say; `used` the largest share of it that
    was run. `undecided` is the chance, at most, of a seed that does not decide at the pooled failure rate,
    `undecided_most` at the end of its confidence interval that is farther from a decision; NaN without a budget.
    """

    cell: int
    at: Values
    rate: float
    trials: int
    failures: int
    budget: int
    used: float
    seed: int
    undecided: float
    undecided_most: float


@dataclass(frozen=True)
class Standing:
    """One claim over the seeds at which it was judged.

    `unexpected` says, by seed, in what ways the row was not as expected, `details` what was found, `again` which
    command shows it. `constants` are those of the project's own, as `C (bound)`. Without a `reserve`, `none` says why.
    `control` is the least reserve of a negative control, where ledgers tell their ratios.
    """

    id: str
    method: str
    expected: str
    seeds: tuple[int, ...]
    unexpected: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    details: Mapping[int, str] = field(default_factory=dict)
    again: Mapping[int, str] = field(default_factory=dict)
    constants: tuple[str, ...] = ()
    reserve: Reserve | None = None
    none: str = ""
    pooled: tuple[Pooled, ...] = ()
    control: Reserve | None = None
    beyond: float = math.nan

    @property
    def undecided_most(self) -> float:
        """The chance, at most, that some cell is undecided; NaN where it is not known of one, or there are none."""
        total = sum((cell.undecided_most for cell in self.pooled), start=0.0 if self.pooled else math.nan)
        return 1.0 if total > 1.0 else total


def hows(row: Row) -> tuple[str, ...]:
    """In what ways a row is not as expected: some of `HOWS`; none where it is."""
    if row["ok"]:
        return ()
    if row["error"]:
        return ("error",)
    said = []
    if row["verdict"] != row["expected_verdict"]:
        if row["expected_verdict"] == Verdict.REFUTED:
            said.append("erratum not found")
        else:
            said.append(row["verdict"] if row["verdict"] in (Verdict.REFUTED, Verdict.UNDECIDED) else "other")
    if not all(control["refuted"] for control in row["controls"]):
        said.append("control not refuted")
    return tuple(said) or ("stale",)


def replayed(row: Row, seed: int) -> str:
    """The command that shows again what is wrong with a row of a ledger, as `theory.judging.judge.Row.again` does."""
    refuted = row["verdict"] == Verdict.REFUTED != row["expected_verdict"]
    return str(row["reproduce"]) if refuted else f"pytest --claim {row['id']} --seed {seed}"


def standings(ledgers: Iterable[Ledger]) -> list[Standing]:
    """Every claim of the ledgers, each of a seed of its own; the least reserve first, those without one last."""
    by_claim: dict[str, dict[int, Row]] = {}
    own: dict[str, dict[str, None]] = {}
    for ledger in sorted(ledgers, key=lambda ledger: ledger["suite"]["seed"]):
        for row in ledger["claims"]:
            by_claim.setdefault(row["id"], {})[ledger["suite"]["seed"]] = row
        for entry in ledger["constants"]:
            where = "bound" if entry["where"] == "bound" else "premise"
            own.setdefault(entry["claim"], {})[f"{entry['name']} ({where})"] = None
    found = [_standing(name, told, tuple(own.get(name, ()))) for name, told in by_claim.items()]
    return sorted(found, key=lambda s: (s.reserve.share if s.reserve is not None else math.inf, s.id))


def _standing(name: str, told: Told, constants: tuple[str, ...]) -> Standing:
    first = next(iter(told.values()))
    method, expected = str(first["evidence"]["method"]), str(first["expected_verdict"])
    unexpected = {seed: hows(row) for seed, row in told.items() if not row["ok"]}
    plan = of_method(method)
    rule = _rule(plan)
    # Without a result there is nothing to take a share of.
    judged = {seed: row for seed, row in told.items() if row["verdict"] != Verdict.ERROR and row["cells"]}
    none = ""
    pooled: tuple[Pooled, ...] = ()
    reserves: list[Reserve] = []
    if expected not in JUDGED:
        none = f"it is expected to be {expected}"
    elif rule is None:
        none = f"no rule for the method {method!r}" if plan.draws else "nothing is drawn"
    else:
        pooled = _pooled(judged) if plan.counts_failures else ()
        reserves = [reserve for reserve in rule.reserves(judged, constants) if not math.isnan(reserve.share)]
        none = "" if reserves else rule.no_share
    return Standing(
        id=name,
        method=method,
        expected=expected,
        seeds=tuple(told),
        unexpected=unexpected,
        details={seed: _details(told[seed]) for seed in unexpected},
        again={seed: replayed(told[seed], seed) for seed in unexpected},
        constants=constants,
        reserve=min(reserves, key=lambda reserve: reserve.share, default=None),
        none=none,
        pooled=pooled,
        control=_least_control(told),
        beyond=_beyond_own_constant(judged, constants) if expected in JUDGED else math.nan,
    )


def _beyond_own_constant(told: Told, constants: Sequence[str]) -> float:
    """The chance that the worst ratio of another seed is above 1, where a constant of ours is what keeps it below."""
    own = any(name.endswith("(bound)") for name in constants)
    plans = (of_method(row["evidence"]["method"]) for row in told.values())
    if not own or _expects_refutation(told) or not any(plan.searches or plan.fits for plan in plans):
        return math.nan
    ratios = list(_ratios(told).values())
    if any(not math.isfinite(ratio) or ratio <= 0.0 for ratio in ratios):
        return math.nan
    return chance_beyond([math.log(ratio) for ratio in ratios], 0.0)


def chance_beyond(values: Sequence[float], edge: float) -> float:
    """The chance that the next of such values is above `edge`; NaN for fewer than `FEWEST_SEEDS`.

    The values are maxima, each of one run, and so are taken to be of Gumbel's law with their mean and with their
    standard deviation at the upper end of its interval of 95 % (for a normal law).
    """
    if len(values) < FEWEST_SEEDS:
        return math.nan
    mean, spread = statistics.fmean(values), statistics.stdev(values)
    if spread <= SAME * max(1.0, abs(mean)):
        return 0.0 if mean < edge else 1.0
    degrees = len(values) - 1
    spread *= math.sqrt(degrees / chi2.ppf(1.0 - CONFIDENCE, degrees))
    scale = spread * math.sqrt(6.0) / math.pi
    return float(gumbel_r.sf(edge, loc=mean - EULER_GAMMA * scale, scale=scale))


def _details(row: Row) -> str:
    """What was found in place of what is expected, in a phrase."""
    if row["error"]:
        return str(row["error"])
    alive = [f"{control['name']!r} ({control['verdict']})" for control in row["controls"] if not control["refuted"]]
    said = [f"controls not refuted: {', '.join(alive)}"] if alive else []
    if row["verdict"] == row["expected_verdict"]:
        return "; ".join(said) or "it sees what it says it need not"
    remarks = [cell["remark"] for cell in row["cells"] if cell["verdict"] == row["verdict"] and cell["remark"]]
    open_ones = [
        f"exponent of {name} {entry['verdict']}: claimed {entry['claimed']:.4g} ({entry['agreement']}), measured in "
        f"[{entry['ci'][0]:.4g}, {entry['ci'][1]:.4g}]"
        for name, entry in row["evidence"]["exponents"].items()
        if entry["verdict"] == row["verdict"]
    ]
    told = f"{row['verdict']} for {row['expected_verdict']}, worst ratio {float(row['worst_ratio']):.6g}"
    return "; ".join([told, *open_ones, *remarks[:1], *said])


# --------------------------------------------------------------------------------------------------- by method


def _cells(row: Row) -> list[Json]:
    """The cells that decide the verdict."""
    status = PremiseStatus.INSIDE if row["premise_status"] == NONE_NEEDED else row["premise_status"]
    return [cell for cell in row["cells"] if cell["premises"] == status]


def _pooled(told: Told) -> tuple[Pooled, ...]:
    """The trials of each cell, which are told apart by their number: points that are drawn make symbols of a cell."""
    by_cell: dict[int, list[tuple[int, Row, Json]]] = {}
    for seed, row in told.items():
        for number, cell in enumerate(row["cells"]):
            if cell in _cells(row) and cell["trials"]:
                by_cell.setdefault(number, []).append((seed, row, cell))
    return tuple(_pooled_cell(number, seen) for number, seen in sorted(by_cell.items()))


def _pooled_cell(number: int, seen: Sequence[tuple[int, Row, Json]]) -> Pooled:
    _, row, cell = seen[0]
    rate, alpha, fixed = _rate(row, cell), float(row["evidence"]["alpha"]), _is_fixed(row)
    trials, failures = (sum(c[key] for _, _, c in seen) for key in ("trials", "failures"))
    budget = max(c.get("budget", 0) for _, _, c in seen)
    most, seed = max((c["trials"], -s) for s, _, c in seen)
    erratum = row["expected_verdict"] == Verdict.REFUTED
    wanted: Literal["support", "refute"] = "refute" if erratum else "support"

    def chance(failure_rate: float) -> float:
        if not budget or not 0.0 <= rate < 1.0:
            return math.nan
        return undecided_chance(rate, alpha, budget, failure_rate, wanted, fixed)

    low, high = time_uniform_interval(failures, trials, 1.0 - CONFIDENCE)
    return Pooled(
        cell=number,
        at=dict(cell["at"]),
        rate=rate,
        trials=trials,
        failures=failures,
        budget=budget,
        used=most / budget if budget else math.nan,
        seed=-seed,
        undecided=chance(failures / trials),
        undecided_most=chance(low if erratum else high),
    )


def _of_trials(told: Told, constants: Sequence[str]) -> list[Reserve]:
    return [reserve for seed, row in told.items() for reserve in _of_trials_at(row, seed)]


def _of_trials_at(row: Row, seed: int) -> list[Reserve]:
    """What each cell had left at one seed; for an erratum the cell alone that refutes most clearly."""
    alpha, fixed = float(row["evidence"]["alpha"]), _is_fixed(row)
    found = []
    for cell in _cells(row):
        rate, failures, trials, budget = _rate(row, cell), cell["failures"], cell["trials"], cell.get("budget", 0)
        if not trials or not 0.0 <= rate < 1.0:
            continue
        seen = f"{failures} of {trials} trials fail"
        if row["expected_verdict"] == Verdict.REFUTED:
            least = _failures_to_refute(rate, alpha, trials, fixed)
            # A test that stops at once has few failures to spare, and all the trials that are left.
            left = 1.0 - trials / budget if budget and failures >= least else -1.0
            share = max(beyond(failures / least), left)
            found.append(Reserve(share, OF_ERRATUM, seed, f"{seen}, {least} refute, {budget or '?'} may be run"))
        elif budget:
            needed = _trials_to_support(rate, alpha, failures, fixed)
            share = 1.0 - needed / budget
            found.append(Reserve(share, OF_TRIALS, seed, f"{seen}, {needed:g} support, {budget} may be run"))
    if row["expected_verdict"] == Verdict.REFUTED:
        return sorted(found, key=lambda reserve: -reserve.share)[:1]
    return found


@cache
def _trials_to_support(rate: float, alpha: float, failures: int, fixed: bool) -> float:
    needed = trials_to_support(rate, alpha, failures, fixed)
    return math.inf if needed is None else needed


@cache
def _failures_to_refute(rate: float, alpha: float, trials: int, fixed: bool) -> int:
    return failures_to_refute(rate, alpha, trials, fixed)


def _is_fixed(row: Row) -> bool:
    """Whether the number of trials was fixed beforehand."""
    return str(row["evidence"].get("test", "")).startswith("Clopper-Pearson")


def _rate(row: Row, cell: Json) -> float:
    """The failure rate allowed in a cell; a ledger of before there was the name of its symbol has the usual one."""
    evidence = row["evidence"]
    return float(cell["at"].get(evidence.get("rate symbol", "delta"), evidence["rate"]))


def beyond(ratio: float) -> float:
    """How far a ratio is above 1, as a share of it: 0 at 1, towards 1 as it grows, down to -1 at 0."""
    return 1.0 - 1.0 / ratio if ratio > 1.0 else ratio - 1.0


def _of_search(told: Told, constants: Sequence[str]) -> list[Reserve]:
    ratios = _ratios(told)
    if _expects_refutation(told):
        return _of_counterexamples(ratios)
    own = any(name.endswith("(bound)") for name in constants)
    # Where a seed refutes it, a number that has no name was the project's own.
    chance = own or any(ratio > 1.0 for ratio in ratios.values())
    return _of_ratios(ratios, OF_BOUND) if chance and not _all_same(ratios.values()) else []


def _of_law(told: Told, constants: Sequence[str]) -> list[Reserve]:
    ratios = _ratios(told)
    return _of_counterexamples(ratios) if _expects_refutation(told) else _of_ratios(ratios, OF_LAW)


def _of_means(told: Told, constants: Sequence[str]) -> list[Reserve]:
    """What each cell had left of its draws when it was decided; for an erratum the cell alone that left most."""
    erratum, found = _expects_refutation(told), []
    for seed, row in told.items():
        wanted = Verdict.REFUTED if erratum else Verdict.SUPPORTED
        shares = [
            Reserve(
                1.0 - cell["trials"] / cell["budget"] if cell["verdict"] == wanted else -1.0,
                OF_ERRATUM if erratum else OF_DRAWS,
                seed,
                f"decided after {cell['trials']} draws, {cell['budget']} may be taken",
            )
            for cell in _cells(row)
            if cell.get("budget")
        ]
        found += sorted(shares, key=lambda reserve: -reserve.share)[:1] if erratum else shares
    return found


def _of_scaling(told: Told, constants: Sequence[str]) -> list[Reserve]:
    found = []
    for seed, row in told.items():
        if _expects_refutation(told):
            # One exponent beyond its edge refutes, so the farthest counts.
            farther = [-e.share for e in _of_exponents(row, seed) if e.of == OF_EXPONENT and e.share < 0.0]
            found += (
                [Reserve(min(1.0, max(farther)), OF_ERRATUM, seed, "half widths beyond the edge")] if farther else []
            )
        else:
            found += _of_exponents(row, seed)
    if any(name.endswith("(bound)") for name in constants) and not _expects_refutation(told):
        found += _of_ratios(_ratios(told), OF_BOUND)
    return found


def _of_exponents(row: Row, seed: int) -> list[Reserve]:
    """What the intervals of the exponents leave, in their width and to where they would refute."""
    found = []
    forgiven = EXPONENT_ROUNDING + float(row["evidence"].get("resolution", 0.0))
    # A ledger of before there were several looks had its last one.
    looks = int(row["evidence"].get("looks", LOOKS))
    for name, entry in row["evidence"]["exponents"].items():
        claimed, (low, high) = float(entry["claimed"]), map(float, entry["ci"])
        half, agreement = 0.5 * (high - low), entry["agreement"]
        if agreement == "free" or not all(map(math.isfinite, (claimed, half))):
            continue
        below, above = claimed + forgiven - low, high + forgiven - claimed
        room = {"equal": min(below, above), "at most": below, "at least": above}[agreement]
        said = f"{name}: claimed {claimed:.4g} ({agreement}), measured in [{low:.4g}, {high:.4g}]"
        found.append(Reserve(_of_half_widths(room, half), OF_EXPONENT, seed, said))
        # An interval that is on the right side as a whole may be as wide as it likes: either is enough.
        side = {"equal": -math.inf, "at most": claimed + forgiven - high, "at least": low + forgiven - claimed}
        widths = [1.0 - half / WIDEST_HALF_WIDTH, _of_half_widths(side[agreement], half)]
        if looks < LOOKS:
            # One that was too wide would have got more replicates: a share of the most there may be is left.
            widths.append(1.0 - 2.0 ** (looks - LOOKS))
        said += f", half width {half:.3g} of {WIDEST_HALF_WIDTH:g}, look {looks} of {LOOKS}"
        found.append(Reserve(max(widths), OF_WIDTH, seed, said))
    return found


def _of_half_widths(room: float, half: float) -> float:
    """The room to the edge in half widths, 1 at most: that is the middle of an interval for an equality."""
    share = room / half if half > 0.0 else math.copysign(1.0, room)
    return 1.0 if share > 1.0 else share


def _expects_refutation(told: Told) -> bool:
    return any(row["expected_verdict"] == Verdict.REFUTED for row in told.values())


def _ratios(told: Told) -> dict[int, float]:
    return {seed: float(row["worst_ratio"]) for seed, row in told.items()}


def _all_same(ratios: Iterable[float]) -> bool:
    values = list(ratios)
    return all(math.isclose(value, values[0], rel_tol=SAME) for value in values)


def _of_ratios(ratios: Mapping[int, float], of: str) -> list[Reserve]:
    return [Reserve(1.0 - ratio, of, seed, f"worst ratio {ratio:.6g}") for seed, ratio in ratios.items()]


def _of_counterexamples(ratios: Mapping[int, float]) -> list[Reserve]:
    """How far the worst ratios lie beyond 1, as a share of them; nothing where they are the same at every seed."""
    if _all_same(ratios.values()):
        return []
    return [Reserve(beyond(ratio), OF_ERRATUM, seed, f"worst ratio {ratio:.6g}") for seed, ratio in ratios.items()]


def _least_control(told: Told) -> Reserve | None:
    """The control whose worst ratio is nearest to what would not have been refuted, where ledgers tell ratios."""
    found = []
    for seed, row in told.items():
        for control in row["controls"]:
            ratio = float(control["ratio"]) if control.get("ratio") is not None else math.nan
            if ratio > 0.0:
                said = f"{control['name']!r}, ratio {ratio:.6g}"
                found.append(Reserve(beyond(ratio) if control["refuted"] else -1.0, OF_CONTROL, seed, said))
    return min(found, key=lambda reserve: reserve.share, default=None)


# Verdicts that a row is expected to reach by what it measures.
JUDGED = frozenset({Verdict.HOLDS, Verdict.SUPPORTED, Verdict.CONSISTENT, Verdict.REFUTED, Verdict.PROVED})


@dataclass(frozen=True)
class _Rule:
    """How the reserves of a row follow from its ledgers, and what is said where there are none."""

    reserves: Callable[[Told, Sequence[str]], list[Reserve]]
    no_share: str


def _rule(plan: type[Plan]) -> _Rule | None:
    """The rule for a plan, by what it draws for."""
    if plan.counts_failures:
        return _Rule(_of_trials, "the ledgers do not say how many trials there might have been")
    if plan.fits:
        return _Rule(_of_scaling, "no exponent was fitted")
    if plan.averages:
        return _Rule(_of_means, "the ledgers do not say how many draws there might have been")
    if plan.bound_is_of_test:
        return _Rule(_of_law, "the same distance at every seed")
    if plan.searches:
        return _Rule(_of_search, "no constant of its own in the bound, or the same ratio at every seed")
    return None


# --------------------------------------------------------------------------------------------------- written


def counted(standing_rows: Sequence[Standing], ledgers: Sequence[Ledger]) -> list[JsonDict]:
    """For each seed: how many rows, how many not as expected, and in which ways; a row may be so in two."""
    counts = []
    for ledger in sorted(ledgers, key=lambda ledger: ledger["suite"]["seed"]):
        suite = ledger["suite"]
        said = [row.unexpected[suite["seed"]] for row in standing_rows if suite["seed"] in row.unexpected]
        by_how = {how: sum(how in ways for ways in said) for how in HOWS}
        same = {"commit": suite["commit"], "dirty": suite["dirty"], "effort": suite["effort"]}
        counts.append({"seed": suite["seed"], **same, "rows": len(ledger["claims"]), "unexpected": len(said), **by_how})
    return counts


def to_json(standing_rows: Sequence[Standing], ledgers: Sequence[Ledger]) -> JsonDict:
    """All of it in JSON's terms; NaN and infinities are strings."""
    return {
        "confidence": CONFIDENCE,
        "seeds": counted(standing_rows, ledgers),
        "rows": [_plain(asdict(row)) for row in standing_rows],
    }


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


def to_markdown(standing_rows: Sequence[Standing], ledgers: Sequence[Ledger]) -> str:
    """Tables: counts by seed, rows not as expected with their commands, reserves, and what has none."""
    counts = counted(standing_rows, ledgers)
    lines = ["# Seeds", "", *_of_commits(counts), ""]
    lines += _table(
        ("seed", "rows", "not as expected", *HOWS),
        [[c["seed"], c["rows"], c["unexpected"], *(c[how] for how in HOWS)] for c in counts],
    )
    lines += ["", "## Rows not as expected", ""]
    failing = [
        [f"`{row.id}`", seed, ", ".join(ways), row.details[seed], f"`{row.again[seed]}`"]
        for row in sorted(standing_rows, key=lambda row: row.id)
        for seed, ways in row.unexpected.items()
    ]
    lines += _table(("claim", "seed", "how", "what was found", "again"), failing)
    lines += ["", "## Reserves", "", "The least share that is left over the seeds: 1 is all, 0 is the edge.", ""]
    ranked = [row for row in standing_rows if row.reserve is not None]
    lines += _table(
        ("claim", "method", "reserve", "of", "seed", "with", "own constants", "failures pooled", "undecided at most"),
        [_reserve_entries(row) for row in ranked],
    )
    near = near_the_edge(standing_rows)
    if any(not math.isnan(row.beyond) for row in standing_rows):
        lines += ["", "## Constants of our own that another seed may pass", ""]
        lines += [f"Rows whose chance at a seed is above {RARE:g} if worst ratios are of Gumbel's law:", ""]
        lines += _table(("claim", "chance", "own constants"), [_near_entries(row) for row in near])
    controls = [(row.control, row) for row in standing_rows if row.control is not None]
    if controls:
        lines += ["", "## Reserves of controls", ""]
        controls.sort(key=lambda pair: (pair[0].share, pair[1].id))
        lines += _table(
            ("claim", "reserve", "seed", "with"),
            [[f"`{row.id}`", f"{least.share:.3g}", least.seed, least.said] for least, row in controls],
        )
    lines += ["", "## Without a reserve", ""]
    whys: dict[str, list[str]] = {}
    for row in standing_rows:
        if row.reserve is None:
            whys.setdefault(f"{row.method}: {row.none}", []).append(row.id)
    lines += [f"- {why}: {len(names)} rows" for why, names in sorted(whys.items())] or ["None."]
    return "\n".join(lines) + "\n"


def near_the_edge(standing_rows: Sequence[Standing]) -> list[Standing]:
    """Rows whose constant another seed may pass with a chance above `RARE`, the greatest first."""
    found = [row for row in standing_rows if row.beyond > RARE]
    return sorted(found, key=lambda row: (-row.beyond, row.id))


def _near_entries(row: Standing) -> list[object]:
    return [f"`{row.id}`", f"{row.beyond:.1g}", ", ".join(row.constants)]


def _of_commits(counts: Sequence[Json]) -> list[str]:
    """One line for each commit of which there are ledgers."""
    seeds: dict[str, list[str]] = {}
    for count in counts:
        changed = " with changes" if count["dirty"] else ""
        seeds.setdefault(f"Commit {count['commit']}{changed}, effort {count['effort']}", []).append(str(count["seed"]))
    return [f"{where}: seeds {', '.join(names)}." for where, names in seeds.items()]


def _reserve_entries(row: Standing) -> list[object]:
    assert row.reserve is not None
    worst = max(row.pooled, key=lambda cell: (cell.failures / cell.trials) / cell.rate, default=None)
    pooled = f"{worst.failures}/{worst.trials} (rate {worst.rate:.3g})" if worst is not None else ""
    chance = f"{row.undecided_most:.1g}" if row.pooled else ""
    reserve = row.reserve
    own = ", ".join(row.constants)
    return [
        f"`{row.id}`",
        row.method,
        f"{reserve.share:.3g}",
        reserve.of,
        reserve.seed,
        reserve.said,
        own,
        pooled,
        chance,
    ]


def _table(head: Sequence[str], entries: Sequence[Sequence[object]]) -> list[str]:
    if not entries:
        return ["None."]
    lines = [head, ["---"] * len(head), *entries]
    return [f"| {' | '.join(str(entry).replace('|', chr(92) + '|') for entry in line)} |" for line in lines]


def summary(standing_rows: Sequence[Standing], ledgers: Sequence[Ledger], most: int = 10) -> list[str]:
    """What the terminal shows: counts by seed and by how, the rows not as expected, the least reserves."""
    lines = []
    for count in counted(standing_rows, ledgers):
        ways = ", ".join(f"{count[how]} {how}" for how in HOWS if count[how])
        lines.append(
            f"seed {count['seed']}: {count['unexpected']} of {count['rows']} rows not as expected"
            + f": {ways}" * bool(ways)
        )
    for row in sorted(standing_rows, key=lambda row: row.id):
        lines += [
            f"{row.id}: seed {seed}: {', '.join(ways)}: {row.details[seed]}: {row.again[seed]}"
            for seed, ways in row.unexpected.items()
        ]
    ranked = [row for row in standing_rows if row.reserve is not None][:most]
    lines += ["rows with the least reserve:"] if ranked else []
    for row in ranked:
        assert row.reserve is not None
        lines.append(
            f"  {row.reserve.share:8.3g} of {row.reserve.of}: {row.id}, seed {row.reserve.seed}: {row.reserve.said}"
        )
    near = near_the_edge(standing_rows)
    lines += ["constants of our own that another seed may pass:"] if near else []
    lines += [f"  {row.beyond:8.1g} a seed: {row.id}" for row in near[:most]]
    return lines
