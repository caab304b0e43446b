"""What rows see and what they are blind to, for every kind of evidence, and what a block may declare about it."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import strategies as st

from bounds.bound import Bound
from theory.claims import control
from theory.claims.declaration import NO_PREMISE
from theory.claims.memory import MOST_ENTRIES, MOST_KEPT, Memory, instance
from theory.claims.reading import Reading
from theory.claims.regime import Regime, choices, grid, reals
from theory.claims.wrong_bounds import WrongBound
from theory.core.measured import Measured
from theory.core.refusal import ClaimError
from theory.core.verdict import Verdict
from theory.evidence import Distribution, ExactLaw, Mean, Proof, Scaling, Search, Step, Tail, Trials
from theory.judging import judge as judging
from theory.judging.judge import judge
from theory.judging.sight import Sight, look
from theory.reports.ledger import Suite, to_json, to_markdown
from theory.reports.report import story, summary, table
from theory.running.config import RunConfig
from theory.running.parallel import workers
from theory.tests.fakes import ALPHA, NEVER_READ, for_workers, row

GRID = Regime(cells=grid(m=[2, 4, 8], n=[2, 3]))


def read(text: str) -> Bound:
    """The formula that a user types."""
    return Reading({}).bound(text)


def square(m: int, n: int) -> float:
    """Near m**2, whatever n is."""
    return 0.9 * m**2


def pareto(rng: np.random.Generator, m: int, n: int) -> float:
    """A number that is at most m with probability 0.95 and near it."""
    return m * (0.99 if rng.random() < 0.95 else 2.0)


def exponential_tail(threshold: float, m: int, delta: float) -> Tail:
    """The tail of m times an exponential variable."""
    return Tail(*[math.exp(-max(threshold, 0.0) / m)] * 2)


class Exponential:
    """The law of an exponential variable."""

    def cdf(self, x: np.ndarray) -> np.ndarray:
        """Its distribution function."""
        return -np.expm1(-np.maximum(x, 0.0))


def exponential(rng: np.random.Generator, m: int) -> float:
    return float(m * rng.exponential())


def power(rng: np.random.Generator, m: int) -> float:
    return float(m**2 * math.exp(0.01 * rng.standard_normal()))


def line(bound: Any) -> list[Step]:
    """1 - x against the bound at some points of [0, 1]."""
    return [Step(f"x = {x}", bool(1.0 - x <= bound.evaluate({"x": x}))) for x in (0.0, 0.25, 0.5, 0.75, 1.0)]


LOOSE = control("a thousandth", bound="m/1000")
FAR_BELOW = control("m with a factor 1/1000 for 100", bound="m/1000")
HIDDEN = Regime(cells=grid(), draw={"a": st.sampled_from([1.0, 4.0e6, 9.0e6])}, pinned=[{"a": 9.0e6}])
SUITE = Suite("0.1.0", "abc", "quick", 0)
BLOCKS: dict[str, tuple[Any, dict[str, Any]]] = {
    "search": (square, {"bound": "m**2", "regime": GRID, "evidence": Search(5), "controls": [LOOSE]}),
    "trials": (pareto, {"bound": "m", "regime": GRID, "evidence": Trials(0.2), "controls": [LOOSE]}),
    "exact law": (
        exponential_tail,
        {
            "bound": "2*m*log(1/delta)",
            "regime": Regime(cells=grid(m=[1, 8], delta=0.1)),
            "evidence": ExactLaw("delta"),
            "controls": [LOOSE],
        },
    ),
    "scaling": (
        power,
        {
            "bound": "C*m**2",
            "regime": Regime(cells=grid(m=[64, 128]), calibration=grid(m=[8, 16, 32])),
            "evidence": Scaling({"m": "equal"}, constant="C", replicates=20),
            "controls": [control("cube", bound="C*m**3")],
        },
    ),
    "distribution": (
        exponential,
        {
            "bound": "m",
            "sense": "=",
            "regime": Regime(cells=grid(m=[1, 4])),
            "evidence": Distribution(Exponential),
            "controls": [LOOSE],
        },
    ),
    "mean": (
        exponential,
        {
            "bound": "2*m",
            "regime": Regime(cells=grid(m=[1, 16])),
            "evidence": Mean(ratio=2.0, why="the law is exponential"),
            "controls": [control("a quarter", bound="m/2")],
        },
    ),
    "proof": (
        line,
        {
            "bound": "exp(-x)",
            "measured": ["x"],
            "regime": Regime(cells=grid()),
            "evidence": Proof(),
            "controls": [control("twice the rate", bound="exp(-2*x)")],
        },
    ),
}


@pytest.mark.parametrize("kind", BLOCKS)
def test_every_kind_of_evidence_sees_the_symbol_that_it_is_about(kind: str) -> None:
    function, block = BLOCKS[kind]
    found = row(function, **block)
    assert (found.verdict.is_pass, found.complaint) == (True, "")
    (symbol,) = set(found.bound.symbols) - {"delta"}
    assert "frozen" in found.sight.sees[symbol]
    assert found.unseen == (("delta",) if kind == "exact law" else ())


def test_a_step_that_raises_for_one_wrong_bound_leaves_the_others_to_be_asked() -> None:
    """The frozen bound has no x, and what stands for x to the power 3/2 is too small at x = 0."""

    def strict(bound: Any) -> list[Step]:
        if not bound.symbols:
            raise TypeError("the steps are about x")
        return line(bound)

    _, block = BLOCKS["proof"]
    assert row(strict, **block).sight.sees == {"x": ("+1/2",)}


@pytest.mark.parametrize("kind", sorted(set(BLOCKS) - {"proof"}))
def test_nothing_is_measured_for_it(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All calls of the measuring function are made before the row looks; a proof is asked again instead."""
    function, block = BLOCKS[kind]
    calls, before = [0], []

    @functools.wraps(function)
    def counted(*given: Any, **named: Any) -> Any:
        calls[0] += 1
        return function(*given, **named)

    def looking(*asked: Any) -> Sight:
        before.append(calls[0])
        return look(*asked)

    monkeypatch.setattr(judging, "look", looking)
    assert row(counted, **block).sight.sees
    assert before == calls


class TestSearch:
    def test_which_variants_are_refuted_is_told_one_by_one(self) -> None:
        found = row(square, bound="m**2", regime=GRID, controls=[LOOSE])
        assert found.sight.sees == {"m": ("frozen", "-1/2", "-1")}
        assert found.sight.blind == {}

    def test_a_bound_is_blind_to_what_it_is_too_loose_in(self) -> None:
        found = row(square, bound="m**2*n**2", regime=GRID, controls=[LOOSE])
        assert found.unseen == ("n",)
        assert found.sight.blind["n"] == "no wrong variant is refuted: largest ratio 0.225"
        assert found.remarks[0] == f"no evidence for its dependence on n: {found.sight.blind['n']}"
        told = story(found)
        assert "sees       m: frozen" in told
        assert f"blind      n: {found.sight.blind['n']}" in told
        assert any(line.endswith("1 are seen, 1 are not, 0 need not be") for line in summary([found]))

    def test_a_symbol_with_one_value_cannot_be_seen(self) -> None:
        found = row(square, bound="m**2*n/7", regime=Regime(cells=grid(m=[2, 4], n=7)), controls=[LOOSE])
        assert found.sight.blind == {"n": "one value, 7"}

    def test_drawn_and_measured_symbols_are_seen_too(self) -> None:
        def drawn(a: float) -> Measured:
            return Measured(np.array([0.9, 1.8]) * a, symbols={"k": np.array([1.0, 2.0])})

        regime = Regime(cells=grid(), draw={"a": st.sampled_from([1.0, 5.0, 9.0])})
        block: dict[str, Any] = {"regime": regime, "measured": ["k"], "controls": [control("half", bound="k*a/2")]}
        assert set(row(drawn, bound="k*a", **block).sight.sees) == {"k", "a"}
        assert row(drawn, bound="k*a + 99", **block).unseen == ("k", "a")

    def test_a_constant_that_is_measured_has_its_measured_value_in_wrong_bounds_too(self) -> None:
        """With the 1000 that stands beside it in place of what is measured no frozen bound would be missed."""
        found = row(
            lambda m, n: Measured(0.9 * m, symbols={"C": 0.95 if m < 8 else 1.0}),
            bound="C*m",
            constants={"C": (1000, "far too large")},
            regime=GRID,
            measured=["C"],
            controls=[LOOSE],
        )
        assert "frozen" in found.sight.sees["m"]

    def test_terms_of_a_sum_are_left_out(self) -> None:
        def both(m: int, n: int) -> float:
            return 0.9 * (m**2 + 5.0 * n)

        block: dict[str, Any] = {"regime": GRID, "controls": [LOOSE]}
        found = row(both, bound="m**2 + 5*n + 1/1000", **block)
        assert {"term m**2", "term 5*n"} <= set(found.sight.sees)
        assert set(found.sight.blind) == {"term 1/1000"}

    def test_a_term_without_which_the_bound_is_larger_is_not_asked_for(self) -> None:
        found = row(square, bound="m**2 + m - 1/2", regime=GRID, controls=[LOOSE])
        asked = {name for name in (*found.sight.sees, *found.sight.blind) if name.startswith("term")}
        assert asked == {"term m**2", "term m"}

    def test_an_entry_of_a_large_array_that_is_near_the_bound_is_kept(self) -> None:
        def large(m: int, n: int) -> np.ndarray:
            values = np.zeros(10_000)
            values[777] = 0.9 * m**2
            return values

        assert row(large, bound="m**2", regime=GRID, controls=[LOOSE]).sight.sees == {"m": ("frozen", "-1/2", "-1")}

    def test_an_exact_number_at_the_edge_refutes_nothing(self) -> None:
        """It meets the frozen bound exactly in the first cell, and misses it nowhere else."""
        found = row(lambda m: Measured(4.0, error=0.0), bound="m**2", regime=Regime(cells=grid(m=[2, 4])))
        assert found.unseen == ("m",)

    def test_a_function_that_knows_the_bound_is_not_asked(self) -> None:
        def knowing(bound: Any, m: int) -> float:
            return 0.9 * float(bound.evaluate({"m": m}))

        found = row(knowing, bound="m", regime=Regime(cells=grid(m=[2, 4])))
        assert found.sight.unasked.startswith("its function is given the bound")
        assert f"blind      not asked: {found.sight.unasked}" in story(found)

    def test_names_are_no_numbers_of_the_bound(self) -> None:
        regime = Regime(cells=grid(m=[2, 4]), draw={"loss": choices("square", "logistic")})
        found = row(lambda m, loss: 0.9 * m, bound="m", regime=regime, controls=[LOOSE])
        assert set(found.sight.sees) == {"m"}

    def test_nothing_is_asked_of_a_row_that_does_not_pass(self) -> None:
        found = row(square, bound="m", regime=GRID, expected=Verdict.REFUTED)
        assert (found.sight.sees, found.sight.unasked) == ({}, "the row is refuted")

    def test_nor_of_one_in_which_every_instance_that_is_drawn_is_trivial(self) -> None:
        regime = Regime(cells=grid(m=[2, 4]), draw={"x": reals(1.0, 2.0)})
        controls = [control("width inverted", bound="9*x/m")]
        block: dict[str, Any] = {"ceiling": "m", "expected": Verdict.VACUOUS, "controls": controls}
        found = row(lambda m, x: 0.9 * m, bound="9*m*x", regime=regime, **block)
        assert (found.verdict, found.sight.unasked) == (Verdict.VACUOUS, "the row is vacuous")


class TestOwnVariants:
    """Every wrong variant of the bound that was asked about is named, with whether it is refuted."""

    BLOCK: ClassVar[dict[str, Any]] = {"regime": GRID, "controls": [LOOSE]}

    def test_they_are_those_that_a_row_sees_and_those_that_it_does_not(self) -> None:
        found = row(square, bound="m**2", **self.BLOCK)
        assert found.sight.refuted == ("m: frozen at 2", "m: times (m/2)**(-1/2)", "m: times (m/2)**(-1)")
        assert found.sight.sees == {"m": ("frozen", "-1/2", "-1")}
        others = [text for text, gone in found.sight.own.items() if not gone]
        assert others == ["m: times (m/2)**(1/2)", "m: times (m/2)**(1)"]

    def test_places_and_terms_are_named_where_they_stand(self) -> None:
        found = row(lambda m, n: 0.9 * (m**2 + m * n), bound="m**2 + m*n", **self.BLOCK)
        assert {"without term m**2", "without term m*n", "m in m**2: frozen at 2"} <= set(found.sight.refuted)

    def test_they_are_listed_wherever_controls_are(self) -> None:
        found = row(square, bound="m**2*n**2", **self.BLOCK)
        own = found.sight.own
        assert found.sight.refuted == ("m: frozen at 2",)
        assert "  1/1+1  " in table([found], 100)[2]
        assert f"1 of {len(own)} wrong variants that rows made of their own bounds refuted" in summary([found])
        assert {"own        m: frozen at 2: refuted", "own        n: frozen at 2: not refuted"} <= set(story(found))
        (entry,) = to_json([found], SUITE)["claims"]
        others = [text for text in own if text != "m: frozen at 2"]
        assert entry["own_variants"] == {"asked": len(own), "refuted": ["m: frozen at 2"], "others": others}
        assert "| 1/1+1 |" in to_markdown([found], SUITE)

    def test_large_integers_are_told_in_short(self) -> None:
        wrong = WrongBound(read("m"), "m", at=10**40, power=Fraction(1, 2))
        assert wrong.text == "m: times (m/1e+40)**(1/2)"


class TestPlaces:
    """A symbol in a term that can go, or whose exponent may be any there, is not seen by moving the whole bound."""

    @staticmethod
    def drawn(m: int, a: float) -> float:
        return 0.9 * m

    TERM: ClassVar[dict[str, Any]] = {
        "regime": Regime(cells=grid(m=[2, 4, 8]), draw={"a": st.sampled_from([1.0, 4.0, 9.0])}, pinned=[{"a": 9.0}]),
        "controls": [LOOSE],
    }

    def test_a_symbol_of_a_term_that_can_go_is_not_seen_there(self) -> None:
        found = row(self.drawn, bound="m + a*m/1000000", **self.TERM)
        assert {"m", "a", "m as a term"} <= set(found.sight.sees)
        assert found.sight.sees["a"] == ("+1/2",)
        assert found.unseen == ("m in a*m/1000000", "a in a*m/1000000")
        assert "term a*m/1000000" in found.sight.blind
        told = story(found)
        assert any(line.startswith("remark     no evidence for its dependence on a in a*m/1000000: ") for line in told)
        assert "of the places where they are asked about apart 1 are seen, 2 are not, 0 need not be" in summary([found])

    @pytest.mark.parametrize("power", [1, 2, 4])
    def test_no_exponent_is_seen_in_a_hidden_term(self, power: int) -> None:
        found = row(self.drawn, bound=f"m*(1 + a**{power}/10**8)", **self.TERM)
        (place,) = found.sight.within
        assert place.startswith(f"a in a**{power}/10000" if power > 1 else "a in a/10000")
        assert found.unseen == (place,)

    def test_a_symbol_is_seen_where_its_term_is_needed_and_nowhere_else(self) -> None:
        def both(m: int, a: float) -> float:
            return 0.95 * (m + a**2)

        found = row(both, bound="m + a**2 + a/10**6", **self.TERM)
        assert {"a in a**2"} == {name for name in found.sight.within if name in found.sight.sees}
        assert found.unseen == ("a in a/1000000",)

    def test_a_logarithm_beside_its_symbol_is_asked_about_by_itself(self) -> None:
        found = row(square, bound="m**2*(5 + log(m))/5", regime=GRID, controls=[LOOSE])
        assert "m in m**2" in found.sight.sees
        assert found.unseen == ("m in log(m)",)
        (place,) = [p for p in read("m*log(m)").variants.places if p.name == "m in log(m)"]
        assert not place.has_power

    def test_a_symbol_that_stands_once_is_asked_about_once(self) -> None:
        assert row(square, bound="m**2*n**2", regime=GRID, controls=[LOOSE]).sight.within == {}

    def test_a_place_at_which_nothing_can_tighten_the_bound_is_passed_over(self) -> None:
        """With the logarithm frozen at the smallest width the bound is larger at all others."""
        bound = "m**2/log(m)"
        found = row(lambda m: 0.9 * m**2 / math.log(m), bound=bound, regime=Regime(cells=grid(m=[2, 4, 8])))
        assert [place.name for place in read(bound).variants.places] == ["m in m**2", "m in 1/log(m)"]
        assert list(found.sight.within) == ["m in m**2"]

    def test_a_reason_for_a_term_is_one_for_the_places_in_it(self) -> None:
        block = {**self.TERM, "bound": "m + a*m/1000000", "blind": {"term a*m/1000000": "it is small"}}
        found = row(self.drawn, **block)
        assert (found.ok, found.unseen) == (True, ())
        assert found.excused["a in a*m/1000000"] == "it is small"

    def test_a_place_may_be_declared_by_its_name(self) -> None:
        names = {"a in a*m/1000000": "small", "m in a*m/1000000": "small", "term a*m/1000000": "small"}
        assert row(self.drawn, bound="m + a*m/1000000", blind=names, **self.TERM).ok
        stale = row(self.drawn, bound="m + a*m/1000000", blind={"m as a term": "no"}, **self.TERM)
        assert stale.stale == ("m as a term",)


class TestWhatCancels:
    """The bound multiplies by what the measured symbol was divided by: whatever that is, both sides stay."""

    CELLS: ClassVar[Regime] = Regime(cells=grid(m=[2, 4]), draw={"a": st.sampled_from([0.1, 0.2, 0.4])})
    BLOCK: ClassVar[dict[str, Any]] = {"bound": "k*m*a**2", "measured": ["k"], "regime": CELLS, "controls": [LOOSE]}

    @staticmethod
    def quotient(rng: np.random.Generator, m: int, a: float) -> Measured:
        norm = float(rng.uniform(1.0, 2.0)) * m
        return Measured(0.9 * norm, symbols={"k": norm / (m * a**2)})

    @staticmethod
    def with_data(rng: np.random.Generator, m: int, a: float) -> Measured:
        norm = float(rng.uniform(1.0, 2.0)) * m * math.sqrt(a)
        return Measured(0.9 * norm, symbols={"k": norm / (m * a**2)})

    def test_a_symbol_that_is_a_name_and_no_more_is_found_by_moving_it(self) -> None:
        found = row(self.quotient, **self.BLOCK)
        assert found.ok
        assert found.sight.blind["a"].startswith("it cancels: with 0.")
        assert found.sight.blind["a"].endswith("both sides come out the same")
        assert "a" in found.unseen
        assert {"k", "m"} <= set(found.sight.sees)

    def test_a_symbol_on_which_the_data_depend_is_found_where_the_block_says_so(self) -> None:
        assert "a" in row(self.with_data, **self.BLOCK).sight.sees
        found = row(self.with_data, normalised={"k": "m*a**2"}, **self.BLOCK)
        assert found.sight.blind["a"] == "it cancels: its function divides k by a**2*m"
        assert found.sight.blind["m"] == found.sight.blind["a"]
        assert "k" in found.sight.sees

    def test_a_constant_that_is_measured_cancels_like_a_symbol(self) -> None:
        def stated(rng: np.random.Generator, m: int, a: float) -> Measured:
            norm = float(rng.uniform(1.0, 2.0)) * m * math.sqrt(a)
            return Measured(0.9 * norm, symbols={"C": norm / (m * a**2)})

        block = {**self.BLOCK, "bound": "C*m*a**2", "measured": ["C"], "constants": {"C": (1, "stated")}}
        assert "a" in row(stated, **block).sight.sees
        found = row(stated, normalised={"C": "m*a**2"}, **block)
        assert found.sight.blind["a"] == "it cancels: its function divides C by a**2*m"

    def test_another_power_than_that_of_the_divisor_does_not_cancel(self) -> None:
        found = row(self.with_data, normalised={"k": "m*a"}, **self.BLOCK)
        assert "a" in found.sight.sees
        assert "m" in found.sight.blind

    def test_a_symbol_that_moves_the_measurement_does_not_cancel(self) -> None:
        def felt(m: int, a: float) -> Measured:
            return Measured(0.9 * m * a**2, symbols={"k": 1.0})

        assert "a" in row(felt, **self.BLOCK).sight.sees

    def test_a_row_that_measured_little_is_not_measured_again(self) -> None:
        cells = Regime(cells=grid(m=[2, 4], a=[0.1, 0.2]))
        found = row(lambda m, a: Measured(0.9 * m, symbols={"k": 1.0 / a**2}), **{**self.BLOCK, "regime": cells})
        assert "a" in found.sight.sees

    def test_what_raises_where_it_is_moved_tells_nothing(self) -> None:
        def strict(rng: np.random.Generator, m: int, a: float) -> Measured:
            if not math.isclose(m * a, 0.8):
                raise ArithmeticError
            return Measured(0.9 * m, symbols={"k": 1.0 / a**2})

        cells = Regime(cells=[{"m": 2, "a": 0.4}, {"m": 4, "a": 0.2}])
        assert row(strict, **{**self.BLOCK, "regime": cells}).sight.sees["a"]

    @pytest.mark.parametrize(
        ("normalised", "told"),
        [
            ({"m": "a"}, "it normalises 'm', which is none of the symbols that its function measures"),
            ({"k": "x*m"}, "the divisor of 'k' has x, which the claim does not know"),
        ],
    )
    def test_what_is_refused(self, normalised: dict[str, str], told: str) -> None:
        with pytest.raises(ClaimError, match=told):
            row(self.quotient, normalised=normalised, **self.BLOCK)


class TestNoEvidence:
    def test_a_row_that_sees_no_symbol_is_marked_everywhere(self) -> None:
        loose = row(square, bound="100*m**2*n**2", regime=GRID, controls=[FAR_BELOW])
        assert (loose.ok, loose.no_evidence) == (True, True)
        assert loose.remarks[0] == "no evidence for the formula: it sees no symbol of its bound"
        assert "holds unseen" in table([loose], 120)[-1]
        assert "1 of 1 rows that pass are no evidence for their formula" in summary([loose])
        written = to_json([loose], SUITE)["claims"][0]
        assert written["no_evidence"] is True
        assert "(formula unseen)" in to_markdown([loose], SUITE)
        assert "No evidence for the formula (1): `toy:statement`." in to_markdown([loose], SUITE)

    def test_reasons_do_not_take_the_mark_away(self) -> None:
        block: dict[str, Any] = {"bound": "100*m**2*n**2", "regime": GRID, "controls": [FAR_BELOW]}
        found = row(square, blind={"m": "a factor 100 is left", "n": "so it is"}, **block)
        assert found.no_evidence
        assert found.unseen == ()
        assert "blind      m: no wrong variant is refuted: largest ratio 0.036; it need not see it: a fa" in "".join(
            line for line in story(found) if line.startswith("blind      m")
        )

    def test_a_symbol_that_is_seen_at_none_of_its_places_is_not_seen(self) -> None:
        found = row(TestPlaces.drawn, bound="5*m*(1 + a/10**6)", **TestPlaces.TERM)
        assert set(found.sight.sees) <= {"m", "a", "term 1"}
        hidden = row(lambda a: 4.9, bound="5 + a/10**6", regime=HIDDEN, controls=[NEVER_READ])
        assert (set(hidden.sight.sees), hidden.no_evidence) == ({"a", "term 5"}, True)

    def test_rows_without_symbols_or_unasked_or_refuted_are_not_marked(self) -> None:
        number = row(lambda m: 0.1, bound="1", regime=Regime(cells=grid(m=[2, 4])), controls=[NEVER_READ])
        assert (number.verdict.is_pass, number.no_evidence) == (True, False)

        def knowing(bound: Any, m: int) -> float:
            return 0.9 * float(bound.evaluate({"m": m}))

        unasked = row(knowing, bound="m", regime=Regime(cells=grid(m=[2, 4])))
        assert (bool(unasked.sight.unasked), unasked.no_evidence) == (True, False)
        assert not row(square, bound="m", regime=GRID, expected=Verdict.REFUTED).no_evidence

    def test_steps_that_do_not_look_at_the_bound_prove_nothing(self) -> None:
        _, block = BLOCKS["proof"]
        block = {**block, "controls": [control("nothing", proved=False)]}

        def deaf(bound: Any, *, proved: bool = True) -> list[Step]:
            return [Step("whatever the bound", proved)]

        assert row(deaf, **block).verdict is Verdict.UNDECIDED
        assert not row(line, **BLOCKS["proof"][1]).no_evidence


class TestPremises:
    BLOCK: ClassVar[dict[str, Any]] = {"bound": "m", "measured": ["k"], "controls": [LOOSE]}

    @staticmethod
    def drawn(m: int, a: float) -> Measured:
        return Measured(0.9 * m * a, symbols={"k": a})

    def test_draws_that_leave_a_premise_show_that_it_is_needed(self) -> None:
        regime = Regime(cells=grid(m=[2, 4]), draw={"a": st.sampled_from([0.5, 1.0, 3.0])}, pinned=[{"a": 3.0}])
        found = row(self.drawn, premises="k <= 1", regime=regime, **self.BLOCK)
        (how,) = found.sight.sees["premise k <= 1"]
        failed, _, seen, *_ = how.split()
        assert failed == seen != "0"
        idle = Regime(cells=grid(m=[2, 4]), draw={"a": st.sampled_from([0.5, 1.0])}, pinned=[{"a": 0.5}])
        left = row(self.drawn, premises="k >= 1", regime=idle, **self.BLOCK)
        assert left.sight.blind["premise k >= 1"].endswith("outside it pass")

    def test_so_do_cells_and_controls(self) -> None:
        block: dict[str, Any] = {"bound": "1/m", "premises": "n <= 4"}

        def needs(m: int, n: int) -> float:
            return 0.2 * n / m

        cells = row(needs, regime=Regime(cells=grid(m=2, n=[4, 8])), controls=[control("x", bound="1/m**9")], **block)
        assert cells.sight.sees["premise n <= 4"] == ("1 of 1 outside it fail",)
        outside = control("many", cells=grid(m=2, n=8), without="n <= 4")
        controls = row(needs, regime=Regime(cells=grid(m=2, n=4)), controls=[outside], **block)
        assert controls.sight.sees["premise n <= 4"] == ("control 'many'",)
        never = row(needs, regime=Regime(cells=grid(m=2, n=4)), controls=[control("x", bound="1/m**9")], **block)
        assert never.sight.blind["premise n <= 4"] == "no cell, draw or control leaves it"

    def test_a_cell_of_a_control_may_give_what_the_regime_derives(self) -> None:
        def quotient(m: int, n: int, L: int) -> float:
            return 0.9 * n * L / m**2

        regime = Regime(cells=grid(m=[2, 4]), derived={"n": lambda m: m, "L": lambda n: n})
        outside = control("more", cells=grid(m=4, n=5), without="n <= m")
        found = row(quotient, bound="1", premises=["n <= m", "L <= n"], regime=regime, controls=[outside])
        assert found.sight.sees["premise n <= m"] == ("control 'more'",)
        assert found.sight.blind["premise L <= n"] == "no cell, draw or control leaves it"

    def test_a_control_with_another_bound_as_well_does_not_show_that_its_premise_is_needed(self) -> None:
        """The row would pass outside the premise as well: it is the bound that is refuted there."""
        both = control("a thousandth, and narrow", bound="m/1000", cells=grid(m=2), without="m >= 4")
        found = row(lambda m: 0.9 * m, bound="m", premises="m >= 4", regime=Regime(cells=grid(m=4)), controls=[both])
        assert found.controls[0].refuted
        assert found.sight.blind["premise m >= 4"] == "no cell, draw or control leaves it"

    def test_a_row_without_premises_says_that_none_is_needed_and_why(self) -> None:
        block: dict[str, Any] = {"bound": "m**2", "regime": GRID, "controls": [LOOSE]}
        derived, said = row(square, **block), row(square, premises="none needed: any numbers do", **block)
        assert (derived.premises_said, said.premises_said) == ("none needed", "none needed")
        assert derived.claim.needs_none == NO_PREMISE
        assert "premise    none needed: any numbers do" in story(said)
        assert row(square, premises="m >= 2", **block).premises_said == "inside"
        with pytest.raises(ClaimError, match="none needed, without a reason"):
            row(square, premises="none needed:", **block)


class TestDeclarations:
    BLOCK: ClassVar[dict[str, Any]] = {"bound": "m**2*n**2", "regime": GRID, "controls": [LOOSE]}

    def test_what_a_claim_need_not_see_is_said_with_its_reason(self) -> None:
        found = row(square, blind={"n": "it is about the width"}, **self.BLOCK)
        assert (found.ok, found.unseen, found.remarks) == (True, (), [])
        assert any("; it need not see it: it is about the width" in line for line in story(found))

    def test_a_declaration_is_stale_where_the_row_sees(self) -> None:
        block = {**self.BLOCK, "blind": {"m": "it is about n"}}
        found = row(square, **block)
        assert not found.ok
        assert found.complaint == ("toy:statement: it sees what it says it need not: m (frozen); leave it out of blind")
        # Other seeds, efforts and questions may see more.
        assert row(square, RunConfig(seed=1), **block).ok
        assert row(square, RunConfig(bound=read("m**2")), **block).stale == ()

    @pytest.mark.parametrize(
        ("blind", "told"),
        [
            ({"q": "x"}, "need not see 'q', which its statement does not have; it has m, n"),
            ({"n": " "}, "need not see 'n', without a reason"),
        ],
    )
    def test_what_is_refused(self, blind: dict[str, str], told: str) -> None:
        with pytest.raises(ClaimError, match=told):
            row(square, blind=blind, **self.BLOCK)

    def test_terms_and_premises_may_be_declared(self) -> None:
        declarations = {"term 1": "it is there for n = 0", "premise m >= 2": "widths are such"}
        block = {**self.BLOCK, "bound": "m**2*n**2 + 1", "premises": "m >= 2", "blind": declarations}
        assert row(square, **block).ok


class TestWhatIf:
    def test_a_formula_of_the_user_has_its_own_sight(self) -> None:
        block: dict[str, Any] = {"bound": "m**2*n**2", "regime": GRID, "controls": [LOOSE]}
        assert row(square, RunConfig(bound=read("m**2*n")), **block).unseen == ("n",)
        assert row(square, RunConfig(bound=read("m**2")), **block).unseen == ()

    def test_so_have_sizes_of_the_user(self) -> None:
        block: dict[str, Any] = {"bound": "m**2", "regime": GRID, "controls": [LOOSE]}
        assert row(square, RunConfig(at={"m": 5}), **block).sight.blind == {"m": "one value, 5"}

    def test_one_trial_decides_no_rate(self) -> None:
        function, block = BLOCKS["trials"]
        found = row(
            function,
            RunConfig(at={"trial": 3}),
            **{**block, "evidence": Trials(0.2, fixed=True, budget=120, reserve=1e-9)},
        )
        assert found.verdict is Verdict.UNDECIDED


class TestKeptMeasurements:
    def test_the_worst_entries_and_an_even_choice_are_kept(self) -> None:
        value = np.zeros(1000)
        value[500] = 3.0
        kept = instance({"m": 4}, 0, Measured(value, symbols={"k": np.arange(1000.0), "r": 2.0}), 5.0, "<=")
        assert kept.size <= MOST_ENTRIES
        assert (kept.value.max(), kept.symbols["k"][np.argmax(kept.value)], kept.symbols["r"]) == (3.0, 500.0, 2.0)
        assert {0.0, 999.0} <= set(kept.symbols["k"])
        value[500] = 0.0
        assert kept.value.max() == 3.0

    def test_a_cell_keeps_the_first_and_the_worst_of_the_others(self) -> None:
        memory = Memory()
        for trial in range(MOST_KEPT + 9):
            ratio = 0.5 if trial == MOST_KEPT + 4 else 0.1
            made = instance({}, trial, Measured(ratio), 1.0, "<=")
            memory.keep({"m": 4}, ratio, lambda made=made: made)  # type: ignore[misc]
        assert [kept.trial for kept in memory.kept["m=4"]] == [*range(MOST_KEPT), MOST_KEPT + 4]


MODULE = """
from theory.claims import claim, control
from theory.evidence import Trials
from theory.claims.regime import Regime, grid


@claim(
    "toy:sight",
    title="t",
    kind="probability",
    theme="activation",
    source="s",
    bound="m",
    controls=[control("half", bound="m/2")],
    regime=Regime(cells=grid(m=[2, 4])),
    evidence=Trials(rate=0.2),
)
def near(rng, m):
    return m * (0.99 if rng.random() < 0.95 else 2.0)
"""


def test_workers_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with for_workers(tmp_path, monkeypatch, MODULE) as (made,), workers("loky", 2):
        many, alone = (judge(made, RunConfig(jobs=jobs), ALPHA) for jobs in (2, 1))
    assert many.sight == alone.sight
    assert set(alone.sight.sees) == {"m"}
