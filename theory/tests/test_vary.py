"""Rows judged again beside their own sizes: what turns, what does not, what is told of it, and that it repeats."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from theory.claims.block import Claim
from theory.claims.catalogue import Entry
from theory.claims.regime import Regime, grid
from theory.claims.selection import SelectionError, parse_at
from theory.core.measured import Measured
from theory.core.verdict import Verdict
from theory.evidence import Scaling, Trials
from theory.judging.judge import decide_alone, judge
from theory.running.config import RunConfig
from theory.tests.fakes import ALPHA, FakeBound, FakePremise, chosen, declared, for_workers, formula
from theory.upkeep import vary
from theory.upkeep.vary import Asked, Judged, Outcome, VariedRow, judge_alone, summary, vary_row

AT_64 = Regime(cells=[{"m": 64}])

MODULE = """
import os, signal
from bounds.symbols import state_meanings
from theory.claims import claim, control
from theory.evidence import Search
from theory.claims.regime import Regime, grid

COMMON = dict(title="t", kind="deterministic", theme="activation", source="S", bound="1", evidence=Search(examples=5),
              controls=[control("never", bound="0")], regime=Regime(cells=grid(m=[64, 128], L=2)))


@claim("toy:everywhere", **COMMON)
def everywhere(rng, m, L):
    return 0.9 * rng.random()


@claim("toy:there", **COMMON)
def there(m, L):
    return 0.5 if m in (64, 128) else 2.0


@claim("toy:killing", **COMMON)
def killing(m, L):
    if m not in (64, 128):
        os.kill(os.getpid(), signal.SIGKILL)
    return 0.5
"""


def varied(function: Callable[..., Any], asked: Asked | None = None, **block: Any) -> VariedRow:
    """The row of a toy claim, at m = 64 where nothing else is said."""
    with declared(function, **{"regime": AT_64, **block}) as claim:
        return vary_row(claim, asked or Asked(), ALPHA)


def at_64_alone(m: int) -> float:
    return 0.5 if m == 64 else 2.0


def everywhere(m: int) -> float:
    return 0.5


def replayed(claim: Claim, line: str) -> Verdict:
    """What a line of pytest comes to, by way of the options that pytest reads."""
    words = shlex.split(line)
    assert words[0] == "pytest"
    options = dict(zip(words[1::2], words[2::2], strict=True))
    assert options["--claim"] == claim.id
    at = parse_at(options["--at"], [claim])
    return judge(claim, RunConfig(seed=int(options["--seed"]), at=at), ALPHA).verdict


class TestOutcomes:
    def test_what_is_true_at_its_own_size_alone_turns_with_a_line_that_replays_it(self) -> None:
        with declared(at_64_alone, regime=AT_64) as claim:
            row = vary_row(claim, Asked(seed=3), ALPHA)
            assert (row.own, row.outcome) == ("holds", Outcome.TURNED)
            assert [(one.verdict, one.replays) for one in row.variations] == [("refuted", True)] * 5
            for one in row.variations:
                assert f"--at {one.cells[0]}" in one.replay
                assert replayed(claim, one.replay) is Verdict.REFUTED

    def test_what_is_true_everywhere_is_the_same(self) -> None:
        row = varied(everywhere)
        assert (row.outcome, [one.outcome for one in row.variations]) == (Outcome.SAME, [Outcome.SAME] * 5)

    def test_what_is_true_of_three_steps_and_not_of_all_turns_with_twice_the_steps(self) -> None:
        """A path that doubles at every step, under a bound on all times that is met for three of them."""
        row = varied(lambda K: 2.0**K / 10.0, regime=Regime(cells=[{"K": 3}]))
        assert (row.own, row.outcome) == ("holds", Outcome.TURNED)
        turned = row.variations[1]
        assert (turned.longer, turned.verdict, turned.cells) == (True, "refuted", ("K=6",))
        assert turned.replay == "pytest --claim toy:statement --seed 0 --at K=6"

    def test_one_that_a_premise_fences_in_is_never_judged_outside(self) -> None:
        seen = set[int]()

        def measure(m: int) -> float:
            seen.add(m)
            return 0.5 if 64 <= m <= 70 else 2.0

        row = varied(measure, premises=[FakePremise(lambda m: 64 <= m <= 70)])
        assert row.outcome is Outcome.SAME
        assert seen <= set(range(64, 71))
        assert len(seen) > 1

    def test_where_nothing_nearby_is_inside_the_premises_that_is_what_is_said(self) -> None:
        row = varied(at_64_alone, premises=[FakePremise(lambda m: m == 64)])
        assert row.outcome is Outcome.PREMISES
        assert "inside the premises" in row.variations[0].why

    def test_a_block_that_gives_eight_entries_at_any_n_cannot_be_built_and_the_error_says_why(self) -> None:
        def measure(n: int) -> Measured:
            return Measured(np.full(8, 0.5), symbols={"norms": np.ones(n)})

        row = varied(measure, regime=Regime(cells=[{"n": 8}]), bound=formula(lambda norms: norms), measured=["norms"])
        assert row.outcome is Outcome.UNBUILT
        assert {one.outcome for one in row.variations} <= {Outcome.UNBUILT, Outcome.SAME}
        assert "shape mismatch" in row.variations[0].why

    def test_data_that_do_not_exist_are_nothing_inside_the_premises(self) -> None:
        class DataError(ValueError):
            """As the one of the data."""

        def measure(m: int) -> float:
            if m != 64:
                raise DataError("no such points: take fewer")
            return 0.5

        row = varied(measure)
        assert row.outcome is Outcome.PREMISES
        assert row.variations[0].why.startswith("DataError: no such points")
        assert len(row.variations) == 10

    def test_one_whose_data_do_not_exist_is_made_up_for_by_another(self) -> None:
        class DataError(ValueError):
            """As the one of the data."""

        def measure(m: int) -> float:
            if m < 50:
                raise DataError("no such points: take more")
            return 0.5

        row = varied(measure)
        outcomes = [one.outcome for one in row.variations]
        assert (outcomes.count(Outcome.SAME), set(outcomes)) == (5, {Outcome.SAME, Outcome.PREMISES})
        assert [one.number for one in row.variations] == list(range(len(outcomes)))

    def test_what_is_no_number_there_turns(self) -> None:
        row = varied(lambda m: 0.5 if m == 64 else math.nan)
        assert (row.outcome, row.variations[0].verdict) == (Outcome.TURNED, "undecided")
        assert "not a finite number" in row.variations[0].why

    def test_a_measured_zero_has_no_exponent_and_is_evidence_too_small(self) -> None:
        def measure(rng: np.random.Generator, m: int) -> float:
            return m * (1.0 + 0.01 * rng.random()) if m in (64, 128, 256, 512, 1024) else 0.0

        row = varied(
            measure,
            regime=Regime(calibration=grid(m=[64, 128, 256]), cells=grid(m=[512, 1024])),
            bound=FakeBound(lambda m, C: C * m, constants={"C": chosen(1.0)}, slopes={"m": 1.0}),
            evidence=Scaling({"m": "equal"}, constant="C"),
            kind="asymptotic",
        )
        assert (row.own, row.outcome) == ("consistent", Outcome.UNDECIDED)

    def test_a_counterexample_that_is_not_found_elsewhere_is_counted_and_is_no_failure(self) -> None:
        row = varied(lambda m: 2.0 if m == 64 else 0.5, expected=Verdict.REFUTED)
        assert (row.own, row.outcome) == ("refuted", Outcome.NOT_FOUND)
        assert varied(lambda m: 2.0, expected=Verdict.REFUTED).outcome is Outcome.SAME

    def test_too_few_trials_for_a_rate_leave_it_undecided(self) -> None:
        def measure(rng: np.random.Generator, m: int) -> float:
            drawn = float(rng.random())
            return 0.5 * drawn if m == 64 or drawn < 0.91 else 2.0

        row = varied(measure, regime=AT_64, evidence=Trials(rate=0.1, budget=200), kind="probability")
        assert (row.own, row.outcome) == ("supported", Outcome.UNDECIDED)

    def test_a_bound_that_is_attained_is_at_the_edge_and_no_want_of_measurements(self) -> None:
        def measure(m: int, *, error: float = 1e-9) -> Measured:
            return Measured(0.5 if m == 64 else 1.0 - 1e-10, error=error)

        row = varied(measure)
        assert (row.own, row.outcome) == ("holds", Outcome.EDGE)
        assert "by less than is known of it" in row.variations[0].why
        assert Outcome.EDGE in vary.TOLD

    def test_an_error_that_hides_where_a_measurement_is_leaves_it_undecided(self) -> None:
        row = varied(lambda m: Measured(0.5, error=0.0 if m == 64 else 1.0))
        assert (row.own, row.outcome) == ("holds", Outcome.UNDECIDED)

    def test_trials_of_one_number_are_no_evidence_there_and_no_failure(self) -> None:
        def measure(rng: np.random.Generator, m: int) -> float:
            return 0.5 * float(rng.random()) if m == 64 else 0.0

        row = varied(measure, evidence=Trials(rate=0.1, budget=200), kind="probability")
        assert (row.own, row.outcome) == ("supported", Outcome.UNDECIDED)
        assert "as one trial drawn once would" in row.variations[0].why

    def test_a_smaller_rate_gets_the_trials_that_it_takes(self) -> None:
        def measure(rng: np.random.Generator, m: int, delta: float) -> float:
            drawn = float(rng.random())
            return 0.5 * drawn if drawn < 1.0 - delta / 10.0 else 2.0

        row = varied(
            measure,
            Asked(variations=1, timeout=60.0),
            regime=Regime(cells=grid(m=64, delta=0.2)),
            evidence=Trials(rate="delta"),
            kind="probability",
        )
        assert [one.outcome for one in row.variations] == [Outcome.SAME]

    def test_one_that_takes_too_long_is_too_dear_and_then_no_size_grows(self) -> None:
        def measure(m: int) -> float:
            while m > 64:
                pass
            return 0.5

        row = varied(measure, Asked(timeout=3.0, seed=1))
        assert [one.outcome for one in row.variations] == [Outcome.SAME] * 5
        assert all("m=" in cell and int(cell.split("m=")[1]) < 64 for one in row.variations for cell in one.cells)

    def test_a_dear_row_gets_all_its_variations_in_a_multiple_of_its_own_time(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Four times its own seconds each, and once more: what one leaves or takes too much of, the others share."""
        clock, limits = [0.0], list[float]()

        def judged(claim: Claim, found: Any, number: int, smaller: bool, own: Any, config: Any, alpha: float) -> Judged:
            limits.append(config.time_limit)
            dear = not smaller
            clock[0] += config.time_limit if dear else 10.0
            return Judged(number, Outcome.TOO_DEAR if dear else Outcome.SAME)

        monkeypatch.setattr(vary, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
        monkeypatch.setattr(vary, "_judged", judged)
        monkeypatch.setattr(vary, "decide_alone", lambda *asked: replace(decide_alone(*asked), seconds=10.0))
        row = varied(everywhere)
        assert [one.outcome for one in row.variations] == [Outcome.SAME] * 5
        assert limits == pytest.approx([40.0, 40.0, 47.5, 60.0, 85.0, 160.0])
        assert clock[0] == 40.0 + 5 * 10.0

    def test_where_every_variation_is_too_dear_the_row_is(self) -> None:
        def measure(m: int) -> float:
            while m != 64:
                pass
            return 0.5

        row = varied(measure, Asked(timeout=0.4))
        assert row.outcome is Outcome.TOO_DEAR
        assert {one.outcome for one in row.variations} == {Outcome.TOO_DEAR}

    def test_a_claim_that_raises_at_its_own_cells_cannot_be_built(self) -> None:
        def measure(m: int) -> float:
            raise ArithmeticError("no width")

        row = varied(measure)
        assert (row.outcome, row.variations) == (Outcome.UNBUILT, ())
        assert row.why.startswith("at its own cells: ArithmeticError: no width")

    def test_a_claim_without_sizes_is_left(self) -> None:
        assert varied(lambda: 0.5, regime=Regime(cells=grid())).outcome is Outcome.NO_SIZES

    def test_exponents_that_bend_beside_the_sizes_turn_and_their_line_draws_the_cells_again(self) -> None:
        def measure(rng: np.random.Generator, m: int) -> float:
            return m ** (1.0 if m in (64, 128, 256, 512, 1024) else 2.0) * (1.0 + 0.01 * rng.random())

        bound = FakeBound(lambda m, C: C * m, constants={"C": chosen(1.0)}, slopes={"m": 1.0})
        regime = Regime(calibration=grid(m=[64, 128, 256]), cells=grid(m=[512, 1024]))
        scaling = Scaling({"m": "equal"}, constant="C")
        with declared(measure, regime=regime, evidence=scaling, bound=bound, kind="asymptotic") as claim:
            row = vary_row(claim, Asked(variations=2), ALPHA)
            assert (row.own, row.outcome) == ("consistent", Outcome.TURNED)
            turned = row.variations[1]
            assert turned.replay == "python -m theory.upkeep.vary --claim toy:statement --seed 0 --variation 1"
            assert judge_alone(claim, Asked(), ALPHA, 1, smaller=False) == turned


def test_the_summary_counts_and_gives_each_that_turned_with_its_line() -> None:
    lines = summary([varied(at_64_alone, Asked(variations=1)), varied(everywhere, Asked(variations=2))])
    assert lines[0].startswith("2 rows, 3 variations judged")
    assert lines[1].split(":")[0].split() == ["1", "turned"]
    assert lines[2].split(":")[0].split() == ["1", "same"]
    assert any(line.strip().startswith("pytest --claim toy:statement --seed 0 --at m=") for line in lines)
    longer = varied(lambda m, K: 0.5, Asked(variations=2), regime=Regime(cells=[{"m": 64, "K": 5}]))
    assert "of them 1 with twice the steps and nothing else" in summary([longer])[0]


@pytest.fixture
def claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Claim]]:
    with for_workers(tmp_path, monkeypatch, MODULE) as found:
        yield found


def run(claims: list[Claim], output: Path, *options: str) -> int:
    """The exit code of a run of these claims."""
    asked = vary._options(["--variations", "3", "--output", str(output), *options])
    return vary.run(asked, [Entry.of(claim) for claim in claims])


def report(output: Path) -> tuple[str, ...]:
    return tuple((output / name).read_text() for name in ("vary.json", "vary.md"))


def test_claims_of_a_folder_are_varied_with_a_budget_of_their_own_and_lines_that_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "test_own.py").write_text(
        "from lemmata import lemma\n\n\n"
        "@lemma('varyown Lemma 1', '1', m=64)\n"
        "def at_64_alone(m):\n"
        "    '''No more than 1 at 64, and nowhere else.'''\n"
        "    return 0.5 if m == 64 else 2.0\n"
    )
    monkeypatch.chdir(tmp_path)
    assert vary.main(["own", "--variations", "1", "--output", str(tmp_path / "out")]) == 1
    assert "lemmata check own/test_own.py --claim varyown:lemma-1 --seed 0 --at m=" in capsys.readouterr().out
    assert vary.main(["nowhere", "--output", str(tmp_path / "out")]) == 2
    assert "there is no such folder" in capsys.readouterr().err


class TestRuns:
    @pytest.mark.at_night
    def test_the_report_is_the_same_twice_and_a_lost_worker_costs_one_row(
        self, claims: list[Claim], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        safe = [claim for claim in claims if claim.id != "toy:killing"]
        assert [run(safe, tmp_path / name, "--timeout", "60") for name in ("one", "again")] == [1, 1]
        assert report(tmp_path / "one") == report(tmp_path / "again")
        assert run(claims, tmp_path / "two", "--timeout", "60", "--jobs", "2") == 1
        one, two = (json.loads(report(tmp_path / name)[0]) for name in ("one", "two"))
        outcomes = {row["id"]: row["outcome"] for row in two["rows"]}
        assert outcomes == {"toy:everywhere": "same", "toy:killing": "cannot be built", "toy:there": "turned"}
        assert one["rows"] == [row for row in two["rows"] if row["id"] != "toy:killing"]
        assert "toy:there: turned" in capsys.readouterr().out

    def test_another_seed_draws_other_sizes(self, claims: list[Claim], tmp_path: Path) -> None:
        safe = [claim for claim in claims if claim.id == "toy:everywhere"]
        assert [run(safe, tmp_path / seed, "--seed", seed) for seed in ("0", "1")] == [0, 0]
        first, second = (json.loads(report(tmp_path / seed)[0])["rows"][0] for seed in ("0", "1"))
        assert first["variations"][0]["cells"] != second["variations"][0]["cells"]

    def test_a_run_goes_on_with_the_rows_that_are_done(
        self, claims: list[Claim], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        safe = [claim for claim in claims if claim.id != "toy:killing"]
        assert run(safe, tmp_path / "whole") == 1
        (tmp_path / "part").mkdir()
        noted = (tmp_path / "whole" / "rows.jsonl").read_text().splitlines(keepends=True)
        # The second row was cut off when the process was killed.
        (tmp_path / "part" / "rows.jsonl").write_text("".join(noted[:2]) + noted[2][:20])
        judged, alone = list[str](), vary.vary_in_worker

        def counted(identifier: str, *rest: Any) -> VariedRow:
            judged.append(identifier)
            return alone(identifier, *rest)

        monkeypatch.setattr(vary, "vary_in_worker", counted)
        assert run(safe, tmp_path / "part", "--resume") == 1
        assert judged == ["toy:there"]
        assert report(tmp_path / "part") == report(tmp_path / "whole")
        with pytest.raises(SelectionError, match="of a run with other seed; leave --resume out"):
            run(safe, tmp_path / "part", "--resume", "--seed", "5")
        with pytest.raises(SelectionError, match=r"there is no .*; leave --resume out"):
            run(safe, tmp_path / "none", "--resume")

    def test_one_variation_is_judged_alone_and_nothing_is_written(
        self, claims: list[Claim], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run(claims, tmp_path / "out", "--claim", "toy:there", "--variation", "2") == 1
        assert "toy:there: variation 2: turned refuted" in capsys.readouterr().out
        assert run(claims, tmp_path / "out", "--claim", "toy:everywhere", "--variation", "1", "--smaller") == 0
        assert not (tmp_path / "out").exists()
        with pytest.raises(SelectionError, match="3 claims are selected; name one with --claim ID"):
            run(claims, tmp_path / "out", "--variation", "0")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--claim", "toy:lemma-A.77"], "--claim: no claim 'toy:lemma-A.77'; nearest: toy:lemma-A.7"),
        (["--variations", "0"], "--variations: 0 is too small; write a number from 1 up"),
        (["--jobs", "0"], "--jobs: 0 is too small; write a number from 1 up"),
        (["--seed", "-1"], "--seed: -1 is too small; write a number from 0 up"),
        (["--timeout", "nan"], "--timeout: nan is no time; write a number of seconds above 0"),
        (["--smaller"], "--smaller: it is about one variation; add --variation K"),
    ],
)
def test_options_that_make_no_sense_are_refused_in_one_line(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with declared(everywhere, statement="toy:lemma-A.7") as claim:
        entries = [Entry.of(claim)]
        monkeypatch.setattr(vary, "_catalogue", lambda _: type("Known", (), {"entries": entries}))
        assert vary.main(options) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {said}")
    assert error.count("\n") == 1
