"""A first look: what it shows of cells and constants, what it warns of, and how it is asked for."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bounds.symbols import SYMBOLS
from theory.claims import Regime, choices, control, reals, registry
from theory.claims.block import Claim
from theory.claims.results import LOOSEST
from theory.core.refusal import ROOT
from theory.core.seeds import canonical
from theory.core.verdict import Verdict
from theory.evidence import Distribution, Mean, Proof, Scaling, Search, Step, Trials
from theory.evidence.lemma import lemma
from theory.judging import trying
from theory.judging.judge import judge
from theory.judging.trying import TRIALS, Glance, attempt
from theory.lemmata.commands import main
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.surface.trying import told

ALPHA = 1e-3


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Claims and symbols of these tests, forgotten afterwards; a slow machine looks as far ahead as any other."""
    monkeypatch.setattr(trying, "AIM", math.inf)
    monkeypatch.setattr(trying, "DEAR", math.inf)
    monkeypatch.setattr(registry, "_claims", {})
    monkeypatch.setattr(registry, "_loaded", {})
    known = set(SYMBOLS)
    yield
    for name in set(SYMBOLS) - known:
        del SYMBOLS[name]


def deviation(rng: np.random.Generator, m: int) -> float:
    """Deviation of a mean square from its mean."""
    return float(abs(np.mean(rng.standard_normal(m) ** 2) - 1.0))


def seen(made: Claim) -> Glance:
    """A first look at a claim."""
    return attempt(made, RunConfig(), ALPHA)


def test_every_cell_is_measured_eight_times_and_one_beyond() -> None:
    found = seen(lemma("toy Lemma 1", "3*sqrt(2/m)", whp=0.1, m=[64, 1024])(deviation))
    assert found.evidence is not None
    assert [(cell.at["m"], cell.trials) for cell in found.evidence.cells] == [(64, TRIALS), (1024, TRIALS)]
    assert found.ahead.result is not None
    assert found.ahead.result.at["m"] == 4 * 1024
    assert found.warnings == []
    assert found.expected > 0.0


def test_a_conjecture_that_is_false_from_12_on_by_a_jump_is_warned_of() -> None:
    wrong: dict[str, Any] = {"controls": [control("a hundredth", bound="1/100")]}
    made = lemma("toy Conjecture 1", "1", n=[2, 8], **wrong)(lambda n: 0.5 if n < 12 else 2.0)
    assert attempt(made, RunConfig(), ALPHA).warnings == [
        "it fails beyond its sizes, at n=32: 1 of 1 miss the bound, by a ratio of 2"
    ]
    rising = lemma("toy Conjecture 2", "1", n=[2, 8], **wrong)(lambda n: 0.1 if n < 12 else 0.9)
    (warning,) = attempt(rising, RunConfig(), ALPHA).warnings
    assert warning.startswith("its ratio rises beyond its sizes, to 0.9 from 0.1")


def test_what_fails_at_its_own_sizes_is_warned_of_and_a_rare_failure_is_not() -> None:
    (warning,) = seen(lemma("toy Lemma 1", "1/m**2", whp=0.1, m=64)(deviation)).warnings[:1]
    assert warning.startswith(("it fails at delta=0.1,m=64: 8 of 8", "it fails at m=64: 8 of 8"))
    made = lemma("toy Lemma 2", "0", whp=0.3, m=64)(lambda rng, m: float(rng.random() < 0.1))
    found = seen(made)
    assert found.evidence is not None
    assert not any("it fails at" in warning for warning in found.warnings)


def test_the_best_value_of_a_constant_is_told_whether_it_is_fitted_or_chosen() -> None:
    fitted = seen(lemma("toy Lemma 1", "C/sqrt(m)", whp=0.1, m=[64, 4096], C="fit")(deviation))
    assert fitted.constant == "C"
    assert 0.5 < fitted.best < fitted.value
    chosen = seen(lemma("toy Lemma 2", "C1/sqrt(m)", whp=0.1, m=[64, 4096], C1=50)(deviation))
    assert (chosen.constant, chosen.value) == ("C1", 50.0)
    assert 0.5 < chosen.best < 6.0
    assert any(line.startswith("  constant   C1 = 50, as it stands; the best value is") for line in told(chosen))
    below = seen(lemma("toy Lemma 3", ">= C1*m", m=[4, 8], C1=0.5)(lambda m: m))
    assert below.best == pytest.approx(1.0)
    plain = seen(lemma("toy Lemma 4", "m", m=[4, 8])(lambda m: m / 2))
    assert any("just met by what was measured if it were 0.5 times as large" in line for line in told(plain))


def test_what_would_be_seen_is_told() -> None:
    lines = told(seen(lemma("toy Lemma 1", "3*sqrt(2/m)", whp=0.1, m=[64, 65536])(deviation)))
    assert any(line.startswith("  sees       m (") for line in lines)
    assert any(line.startswith("  full run   about") for line in lines)


def test_a_look_beyond_stays_inside_the_premises_and_the_domains() -> None:
    def flat(m: int, L: int, eps: float) -> float:
        """Nothing."""
        return 0.5

    made = lemma("toy Lemma 1", "1", m=[512, 1024], L=[2, 4], eps=[0.5, 0.25], premises=["m >= L**4", "eps >= 0.1"])(
        flat
    )
    result = seen(made).ahead.result
    assert result is not None
    assert result.at == {"m": 4096, "L": 4, "eps": 0.25}
    none = lemma("toy Lemma 2", "1", m=[2, 4], premises=["m <= 7"])(lambda m: 0.5)
    assert seen(none).ahead.why == "no larger size is inside its premises"
    fixed = lemma("toy Lemma 3", "1", eps=0.5)(lambda eps: 0.5)
    assert told(seen(fixed))[-1] != ""
    assert fixed.regime.cells == [{"eps": 0.5}]


def test_sizes_that_cost_too_much_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trying, "AIM", 0.0)
    found = seen(lemma("toy Lemma 1", "9*sqrt(2/m)", whp=0.1, m=[64, 1024])(deviation))
    assert found.ahead.result is None
    assert "it would take long" in found.ahead.why


def test_no_cell_inside_the_premises_is_a_warning() -> None:
    made = lemma("toy Lemma 1", "1", m=[2, 4], premises=["m >= 100"])(lambda m: 0.5)
    assert "no cell is inside the premises, so that a pass would be vacuous" in seen(made).warnings


def test_what_raises_is_told_in_a_line() -> None:
    def broken(m: int) -> float:
        """Nothing."""
        raise ValueError("not so")

    lines = told(seen(lemma("toy Lemma 1", "1", m=4)(broken)))
    assert lines[-1].startswith("  no result  ValueError: not so (line")


def test_every_plan_has_a_sketch_and_says_how_often_it_measures() -> None:
    def measured_by(made: Claim) -> list[int]:
        return [number for _, number in made.evidence.measurements(Case(made, RunConfig(), ALPHA))]

    assert Search(examples=60).sketch(8) == Search(examples=8)
    assert Scaling({"m": "equal"}).sketch(8) == Scaling({"m": "equal"}, replicates=8, looks=1, foretold=20)
    assert Trials(rate=0.1).sketch(8) == Trials(rate=0.1, budget=8, fixed=True, rare=0.0)
    assert Distribution(law=float).sketch(8) == Distribution(law=float, trials=80)
    assert Mean(ceiling=2.0).sketch(8) == Mean(ceiling=2.0, most=32)
    assert Proof().sketch(8) == Proof()
    assert measured_by(lemma("toy Lemma 1", "1", m=[4, 8], t=reals(0.0, 1.0))(lambda m, t: t)) == [60, 60]
    assert measured_by(lemma("toy Lemma 2", "C", m=[4, 64], C="fit")(deviation)) == [128, 128, 64, 64]
    assert all(number > 64 for number in measured_by(lemma("toy Lemma 4", "9", mean=True, m=[4, 8])(deviation)))
    trials = measured_by(lemma("toy Lemma 3", "9", whp="delta", m=[4, 8])(deviation))
    assert len(trials) == 3
    assert trials[0] == trials[1] < trials[2]


def test_a_search_draws_and_a_proof_is_made() -> None:
    def steps(bound: Any) -> list[Step]:
        """One step."""
        return [Step("it holds", True)]

    drawn = lemma("toy Lemma 1", "t", m=4, t=reals(0.5, 1.0), loss=choices("a", "b"))(lambda m, t, loss: 0.9 * t)
    assert seen(drawn).evidence is not None
    assert any("(one cell)" in line for line in told(seen(lemma("toy Fact 2", "x", proof=True)(steps))))


FILE = '''
from lemmata import lemma


@lemma("tryfile Lemma 1", "m", m=[2, 4])
def half(m):
    """Half of the width."""
    return m / 2


@lemma("tryfile Lemma 2", "m/4", m=[2, 4])
def more(m):
    """More than that."""
    return m / 2
'''


def test_the_command_looks_at_one_function_or_at_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lemmas_of_mine.py"
    file.write_text(FILE)
    assert main(["try", f"{file}::half"]) == 0
    assert "tryfile:lemma-1" in (said := capsys.readouterr().out)
    assert "tryfile:lemma-2" not in said
    assert main(["try", f"{file}::tryfile:lemma-2"]) == 1
    assert main(["try", str(file), "--seed", "3"]) == 1
    assert "tryfile:lemma-1" in (said := capsys.readouterr().out)
    assert "  warning    it fails at m=2" in said


def test_the_command_refuses_in_a_line_and_says_all_refusals_of_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "more_lemmas_of_mine.py"
    file.write_text(FILE.replace('"m", m', '"C*m", m').replace('"m/4"', '"m/"').replace("tryfile", "trymore"))
    assert main(["try", str(file)]) == 4
    said = capsys.readouterr().err
    assert "trymore:lemma-1: C has no value" in said
    assert "trymore:lemma-2: its bound" in said
    assert main(["try", str(tmp_path / "none.py")]) == 4
    (tmp_path / "empty_of_mine.py").write_text("")
    assert main(["try", str(tmp_path / "empty_of_mine.py")]) == 4
    (tmp_path / "last_of_mine.py").write_text(FILE.replace("tryfile", "trylast"))
    assert main(["try", f"{tmp_path / 'last_of_mine.py'}::hlaf"]) == 4
    assert "no claim is called 'hlaf'; nearest: half" in capsys.readouterr().err


def test_who_reads_may_leave_before_the_end(tmp_path: Path) -> None:
    (tmp_path / "lemmas_read_by_head.py").write_text(FILE.replace("tryfile", "tryhead"))
    words = [sys.executable, "-m", "theory.lemmata", "try", str(tmp_path / "lemmas_read_by_head.py")]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as left:
        assert left.stdout is not None
        assert left.stderr is not None
        left.stdout.close()
        assert left.stderr.read() == ""
    assert left.returncode == 141


def test_cells_that_are_dear_are_measured_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    made = lemma("toy Lemma 1", "C/sqrt(m)", whp=0.1, m=[64, 4096], C="fit")(deviation)
    assert (seen(made).trials, TRIALS) == (8, 8)
    monkeypatch.setattr(trying, "DEAR", 0.0)
    found = seen(made)
    assert found.evidence is not None
    assert (found.trials, found.evidence.cells[0].trials, found.failure) == (2, 2, None)
    assert any("by 2 measurements of each cell" in line for line in told(found))


def test_where_the_time_is_over_before_a_constant_is_fitted_on_eight_the_fit_on_two_stays() -> None:
    calls = []

    def later_and_later(rng: np.random.Generator, m: int) -> float:
        """Deviation of a mean square, and late after some measurements."""
        calls.append(m)
        time.sleep(60.0 if len(calls) > 24 else 0.0)
        return deviation(rng, m)

    made = lemma("toy Lemma 1", "C/sqrt(m)", whp=0.1, m=[64, 4096], C="fit")(later_and_later)
    found = attempt(made, RunConfig(), ALPHA, seconds=1.0)
    assert (found.failure, found.trials) == (None, 2)


def test_a_fit_that_is_not_over_says_how_far_it_came() -> None:
    def slow(rng: np.random.Generator, m: int) -> float:
        """Deviation of a mean square, and late at a large width."""
        time.sleep(60.0 if m > 1000 else 0.0)
        return deviation(rng, m)

    made = lemma("toy Lemma 1", "C/sqrt(m)", whp=0.1, m=[64, 4096], C="fit")(slow)
    found = attempt(made, RunConfig(), ALPHA, seconds=1.0)
    assert found.failure is not None
    assert "; 2 of 4 cells were measured, one measurement took 0" in found.failure.reason
    assert found.failure.reason.endswith(("s at m=64", "s at m=256"))
    lines = told(found)
    shown = [line.split() for line in lines if line.lstrip().startswith("m=")]
    assert [words[0] for words in shown] == ["m=64", "m=256"]
    assert lines[-1].startswith("  no result  ")


def test_a_mean_is_looked_at_by_32_draws_and_by_256_where_these_are_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    controls = [control("a hundredth", bound="3/200")]
    made = lemma("toy Lemma 1", "3/2", mean=True, m=[16, 64], controls=controls)(
        lambda rng, m: (rng.standard_normal(m) ** 2).mean()
    )
    found = seen(made)
    assert found.evidence is not None
    assert [cell.trials for cell in found.evidence.cells] == [256, 256]
    assert 0.6 < found.best < 0.8
    monkeypatch.setattr(trying, "DEAR_DRAWS", 0.0)
    few = seen(made).evidence
    assert few is not None
    assert [cell.trials for cell in few.cells] == [32, 32]
    (warning,) = found.warnings
    assert warning.startswith("no number of draws supports it")


def test_what_keeps_a_mean_from_being_supported_is_no_warning_where_something_is_known_of_it() -> None:
    def half(rng: np.random.Generator, m: int) -> float:
        """The share of signs that are positive."""
        return float(np.mean(rng.random(m) < 0.5))

    wrong: dict[str, Any] = {"controls": [control("a tenth of it", bound="3/40")]}
    assert seen(lemma("toy Lemma 1", "3/4", mean={"ceiling": 1.0}, m=[16, 64], **wrong)(half)).warnings == []
    refuted: dict[str, Any] = {"expected": Verdict.REFUTED, "controls": [control("a tenth of it", bound="1/40")]}
    assert not any("draws" in said for said in seen(lemma("toy F 2", "1/4", mean=True, m=16, **refuted)(half)).warnings)


def test_an_equality_has_no_factor_by_which_its_bound_could_be_nearer() -> None:
    lines = told(seen(lemma("toy Fact 1", "= m", m=[4, 8])(lambda m: m)))
    assert not any(line.startswith("  bound") for line in lines)


def test_where_the_time_is_over_what_was_measured_is_told_with_the_least_that_the_whole_run_takes() -> None:
    def slow(rng: np.random.Generator, m: int) -> float:
        """Nothing, and late at a large width."""
        time.sleep(60.0 if m > 64 else 0.0)
        return float(m * rng.random())

    found = attempt(lemma("toy Lemma 1", "m", whp=0.1, m=[4, 64, 256])(slow), RunConfig(), ALPHA, seconds=1.0)
    assert found.unmeasured == 1
    lines = told(found)
    assert "  time       was over before 1 of 3 cells; give --timeout more seconds" in lines
    assert any(line.startswith("  full run   at least") for line in lines)
    assert any(line.startswith("  sees       m (") for line in lines)
    assert not any(line.startswith("  not seen   no result") for line in lines)


def test_what_a_measurement_takes_counts_for_a_look_ahead_also_where_a_constant_is_fitted_on_many() -> None:
    found = seen(lemma("toy Lemma 1", "C/sqrt(m)", whp=0.1, m=[64, 4096], C="fit")(deviation))
    assert found.evidence is not None
    many, few = (cell.trials for cell in found.evidence.cells)
    cells = (
        replace(cell, seconds=spent) for cell, spent in zip(found.evidence.cells, (float(many), few / 2), strict=True)
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(trying, "AIM", 0.0)
        case = Case(found.claim, RunConfig(), ALPHA)
        why = trying._ahead(case, replace(found.evidence, cells=tuple(cells))).why
    assert why == "it would take long where its dearest cell takes 1 s for a measurement"


def test_controls_that_turn_a_knob_count_in_the_duration() -> None:
    def gained(rng: np.random.Generator, m: int, *, gain: float = 1.0) -> float:
        """Deviation of a mean square."""
        return float(abs(gain * np.mean(rng.standard_normal(m) ** 2) - 1.0))

    regime = Regime(cells=[{"m": 64}])
    alone = lemma("toy Lemma 1", "2", whp=0.1, regime=regime)(gained)
    more = lemma("toy Lemma 2", "2", whp=0.1, regime=regime, controls=[control("gain 9", gain=9.0)])(gained)
    evidence = seen(alone).evidence
    assert evidence is not None
    longer, shorter = (trying._expected(Case(made, RunConfig(), ALPHA), evidence)[0] for made in (more, alone))
    assert longer > shorter


def test_the_cells_on_which_a_constant_is_fitted_count_at_what_they_took_and_the_dearest_cell_is_told() -> None:
    found = seen(lemma("toy Lemma 1", "C/sqrt(m)", whp=0.1, m=[64, 4096], C="fit")(deviation))
    assert found.evidence is not None
    assert [cell.at["m"] for cell in found.fitted] == [64, 256]
    of_fit = tuple(replace(cell, seconds=2.0 * cell.trials) for cell in found.fitted)
    cells = tuple(replace(cell, seconds=1.0 * cell.trials) for cell in found.evidence.cells)
    case = Case(found.claim, RunConfig(), ALPHA)
    whole, dearest = trying._expected(case, replace(found.evidence, cells=cells), of_fit)
    assert whole == pytest.approx(trying.START + 128 * 4.0 + 64 * 2.0)
    assert dearest is not None
    assert (dearest.at["m"], dearest.seconds) == (64, pytest.approx(2.0))
    assert any(line.startswith("  fit: m=64 ") for line in told(found))
    dearest = replace(dearest, at=cells[-1].at, seconds=1.0, share=1.0)
    whole = 128.0
    lines = told(replace(found, expected=whole, dearest=dearest))
    assert "  dearest    100% of it at m=4096, 1 s for a measurement: smaller last values in the lists" in "\n".join(
        lines
    )
    assert "  full run   about 2 min" in lines


def test_what_has_no_verdict_whatever_is_measured_is_warned_of_once() -> None:
    def none(rng: np.random.Generator, m: int) -> float:
        """No number."""
        return math.nan

    for ways in ({}, {"whp": 0.1}, {"mean": {"ceiling": 1.0}}):
        (warning,) = seen(lemma("toy Lemma 1", "2/m", m=[4, 16], **ways)(none)).warnings
        assert warning.startswith("it has no verdict at m=4")
    zero = seen(lemma("toy Lemma 2", "C/m", order="m", m=[4, 64], C="fit")(lambda rng, m: float(rng.random() < 0.5)))
    (warning,) = (said for said in zero.warnings if "no verdict" in said)
    assert "a measurement is not a finite positive number: 0 at m=4" in warning
    assert "an exponent is fitted to logarithms: measure what is never 0, or fit the constant alone, by whp=" in warning


def test_a_bound_so_loose_that_no_wrong_variant_is_noticed_is_warned_of() -> None:
    loose = seen(lemma("toy Lemma 1", "90*sqrt(2/m)", whp=0.1, m=[64, 128])(deviation))
    (warning,) = (said for said in loose.warnings if not said.startswith("its ratio rises"))
    assert warning.startswith("no wrong variant of its bound is noticed, as the ratio is at most 0.0")
    assert warning.endswith('write a sharper bound, C="fit", or a control')
    controls = [control("a thousandth", bound="9/100*sqrt(2/m)")]
    with_control = seen(lemma("toy Lemma 2", "90*sqrt(2/m)", whp=0.1, m=[64, 128], controls=controls)(deviation))
    assert not any("wrong variant" in said for said in with_control.warnings)
    assert seen(lemma("toy Lemma 3", "3*sqrt(2/m)", whp=0.1, m=[64, 65536])(deviation)).warnings == []


def test_a_mean_that_the_draws_of_the_run_do_not_decide_is_warned_of() -> None:
    known: dict[str, Any] = {"ratio": "1 + 2/m", "why": "a mean of m squares of Gaussian numbers"}

    def square(rng: np.random.Generator, m: int) -> float:
        """A mean square."""
        return float(np.mean(rng.standard_normal(m) ** 2))

    known = {"mean": known, "m": [64, 256], "controls": [control("a tenth of it", bound="1/10 + 0*m")]}
    (warning,) = seen(lemma("toy Lemma 1", "1.1 + 0*m", **known)(square)).warnings
    assert warning.startswith("at m=64 it may stay undecided: the mean is about 0.9")
    assert "draws would do, so write budget=" in warning
    (warning,) = seen(lemma("toy Lemma 2", "0.99 + 0*m", **known)(square)).warnings
    assert "too near for what is known of the law; write a larger bound" in warning
    assert seen(lemma("toy Lemma 3", "1 + 64/m", **known)(square)).warnings == []


def noisy(rng: np.random.Generator, m: int) -> float:
    """A number of the order of m**(-1/2), within a factor of 3 in one cell."""
    return float(np.exp(1.1 * rng.standard_normal()) / np.sqrt(m))


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_what_a_first_look_says_of_a_fitted_constant_agrees_with_the_whole_run(
    monkeypatch: pytest.MonkeyPatch, seed: int, few: bool
) -> None:
    monkeypatch.setattr(trying, "DEAR", 0.0 if few else math.inf)
    made = lemma("toy Lemma 1", "C/sqrt(m)", whp=0.1, m=[64, 4096], C="fit")(noisy)
    found = attempt(made, RunConfig(seed=seed), ALPHA)
    row = judge(made, RunConfig(seed=seed), ALPHA)
    assert found.trials == (trying.FEWER if few else TRIALS)
    assert (row.verdict, [said for said in found.warnings if "it fails at" in said]) == (Verdict.CONSISTENT, [])
    assert found.evidence is not None
    fitted = row.evidence.details["constant"]
    assert 0.2 < found.value / fitted < (20.0 if few else 5.0)
    assert fitted < found.evidence.details[LOOSEST]
    assert any(f", at most {found.evidence.details[LOOSEST]:.4g};" in line for line in told(found))
    if few:
        return
    wrong = lemma("toy Lemma 2", "C/m**2", whp=0.1, m=[64, 4096], C="fit")(noisy)
    assert judge(wrong, RunConfig(seed=seed), ALPHA).verdict is Verdict.REFUTED
    looked = attempt(wrong, RunConfig(seed=seed), ALPHA)
    assert any("it fails at" in said for said in looked.warnings) or looked.unsure


def test_a_bound_that_is_one_number_has_no_wrong_variant_which_is_warned_of_with_a_control_that_is_refuted() -> None:
    made = lemma("toy Lemma 1", "eps", whp=0.1, m=[64, 256], eps=1.0)(deviation)
    (warning,) = seen(made).warnings
    assert warning.startswith(
        "its bound is the same number in all cells (eps is one value, 1), so that it has no wrong"
    )
    (written,) = re.findall(r'controls=\[control\("([^"]+)", bound="([^"]+)"\)\]', warning)
    with_control = lemma(
        "toy Lemma 2", "eps", whp=0.1, m=[64, 256], eps=1.0, controls=[control(written[0], bound=written[1])]
    )(deviation)
    assert seen(with_control).warnings == []
    assert "it refutes no wrong variant" in judge(made, RunConfig(), ALPHA).complaint
    assert judge(with_control, RunConfig(), ALPHA).complaint == ""


def test_a_control_that_no_measurement_misses_is_warned_of() -> None:
    def gained(rng: np.random.Generator, m: int, *, gain: float = 1.0) -> float:
        """Deviation of a mean square."""
        return float(abs(gain * np.mean(rng.standard_normal(m) ** 2) - 1.0))

    controls = [control("a little gain", gain=1.01), control("gain 9", gain=9.0)]
    warnings = seen(lemma("toy Lemma 1", "3*sqrt(2/m)", whp=0.1, m=[64, 1024], controls=controls)(gained)).warnings
    assert [said for said in warnings if said.startswith("control")] == [
        "control 'a little gain' is missed by none of 8 measurements at any size, and has to be refuted"
    ]


def test_an_order_that_takes_more_replicates_says_so_and_takes_longer() -> None:
    made = lemma("toy Lemma 1", "1/sqrt(m)", order="m", m=[64, 4096])(noisy)
    found = seen(made)
    (warning,) = (said for said in found.warnings if said.startswith("the exponent of m may stay undecided"))
    assert "would do, so write replicates=" in warning
    assert "measure what is spread less" in warning
    evidence = found.evidence
    assert evidence is not None
    plan, case = made.evidence, Case(made, RunConfig(), ALPHA)
    assert plan.likely(case, evidence, evidence.cells[0], 20) == 160.0
    decided = replace(evidence, exponents={})
    assert plan.likely(case, decided, evidence.cells[0], 20) == 20.0


def test_what_is_loaded_by_the_first_measurement_is_not_taken_for_what_one_takes() -> None:
    def late_at_first(rng: np.random.Generator, m: int) -> float:
        """Deviation of a mean square, and late once."""
        time.sleep(0.3 if not calls else 0.0)
        calls.append(m)
        return deviation(rng, m)

    for way in ({"whp": 0.1, "C": "fit"}, {"order": "m"}):
        calls: list[int] = []
        found = seen(lemma("toy Lemma 1", "C/sqrt(m)", m=[64, 4096], **way)(late_at_first))
        assert found.expected < trying.START + 10.0


def test_what_is_enough_for_a_mean_is_enough_in_all_its_cells() -> None:
    def square(rng: np.random.Generator, m: int) -> float:
        """A mean square."""
        return float(np.mean(rng.standard_normal(m) ** 2))

    def made(number: int, C: float, **more: int) -> Claim:
        known = {"ratio": "1 + 2/m", "why": "a mean of m squares of Gaussian numbers", **more}
        return lemma(f"toy Lemma {number}", "C*(1 + 1/m)", mean=known, m=[4, 64], C=C)(square)

    (warning,) = seen(made(1, 1.1)).warnings
    ((budget, constant),) = re.findall(r"write budget=(\d+) in its Mean or in mean=\{\.\.\.\}, or C=([\d.]+)", warning)
    assert judge(made(1, 1.1), RunConfig(), ALPHA).verdict is Verdict.UNDECIDED
    assert judge(made(2, 1.1, budget=int(budget)), RunConfig(), ALPHA).verdict is Verdict.SUPPORTED
    assert judge(made(3, float(constant)), RunConfig(), ALPHA).verdict is Verdict.SUPPORTED


def test_a_cell_in_which_some_miss_the_bound_takes_more_measurements() -> None:
    made = lemma("toy Lemma 1", "C/sqrt(m)", whp=0.1, m=[64, 4096], C="fit")(deviation)
    evidence = seen(made).evidence
    assert evidence is not None
    spread, likely = np.linspace(-0.6, 0.6, TRIALS), []
    for middle in (-3.0, -0.8):
        case = Case(made, RunConfig(), ALPHA)
        case.memory.points[canonical(evidence.cells[0].at)] = (np.exp(middle + spread), np.ones(TRIALS))
        likely.append(made.evidence.likely(case, evidence, evidence.cells[0], 64))
    assert likely[0] == pytest.approx(64.0, rel=0.01)
    assert 80.0 < likely[1] <= 512.0
