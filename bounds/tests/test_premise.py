"""Premises: one point, whole regions, and the smallest size that meets them."""

import itertools
import math
import pickle
import random
from typing import Any

import numpy as np
import pytest
import sympy
from sympy import Max, Rational, log, sqrt

from bounds.bound import Constant, MissingValueError, UnsupportedFormulaError
from bounds.decisions.region import UndecidedSizeError, premise_region, smallest
from bounds.parse import FormulaError
from bounds.premise import Premise
from bounds.symbols import symbol

C = symbol("C")
m, n, L, d, delta, phi, tau, beta_, S1, Cbar, a, b = map(
    symbol, ("m", "n", "L", "d", "delta", "phi", "tau", "beta_", "S1", "Cbar", "a", "b")
)
TEN = {"Cbar": Constant(10, "for the test")}
WIDE = Premise(m >= Cbar * L**2 * log(n * L / delta), TEN, source="a paper, a lemma", note="for the test")


class TestOnePoint:
    def test_attributes(self) -> None:
        assert WIDE.symbols == ("m", "n", "L", "delta")
        assert WIDE.text == "m >= Cbar*L**2*log(L*n/delta)"
        assert WIDE.latex == r"m \geq \bar{C} L^{2} \log{\left(\frac{L n}{\delta} \right)}"
        assert dict(WIDE.constants) == TEN
        assert (WIDE.source, WIDE.note) == ("a paper, a lemma", "for the test")
        assert set(WIDE.meanings("zou2018")) == {"m", "n", "L", "delta", "Cbar"}
        assert WIDE.meanings("zou2018")["n"] == "number of samples"

    @pytest.mark.parametrize("text", ["m >= C*n**2", "m>=n*n*C"])
    def test_its_inequality_in_any_order_gives_the_premise_itself(self, text: str) -> None:
        premise = Premise(m >= C * n**2, {"C": Constant(4, "for the test")})
        assert premise.reads(text) is premise

    @pytest.mark.parametrize("text", ["m >= 4*n**2", "m > C*n**2", "m >= C*n**3", "C*n**2 >= m"])
    def test_another_inequality_is_refused_beside_its_own(self, text: str) -> None:
        premise = Premise(m >= C * n**2, {"C": Constant(4, "for the test")})
        with pytest.raises(FormulaError) as caught:
            premise.reads(text)
        first = str(caught.value).splitlines()[0]
        assert text in first
        assert premise.text in first

    def test_what_is_no_inequality_is_no_copy_of_it(self) -> None:
        with pytest.raises(FormulaError, match=r"no premise.*the premise is m >= n"):
            Premise(m >= n).reads("m")

    def test_holds_and_slack_agree(self) -> None:
        inside = {"m": 4096, "n": 8, "L": 3, "delta": 0.1}
        assert WIDE.holds(inside)
        assert WIDE.slack(inside) == pytest.approx(math.log(4096 / (90 * math.log(240))))
        assert not WIDE.holds({**inside, "m": 64})
        assert WIDE.slack({**inside, "m": 64}) < 0

    def test_a_value_overrides_a_constant(self) -> None:
        assert not WIDE.holds({"m": 4096, "n": 8, "L": 3, "delta": 0.1, "Cbar": 1000})

    def test_missing_value(self) -> None:
        with pytest.raises(MissingValueError, match="needs a value for"):
            WIDE.holds({"m": 4})

    @pytest.mark.parametrize(
        ("relation", "on_the_boundary"), [(m >= n**2, True), (m > n**2, False), (n**2 <= m, True), (n**2 < m, False)]
    )
    def test_boundary_is_exact(self, relation: sympy.Basic, on_the_boundary: bool) -> None:
        premise = Premise(relation)
        for size in (3, 10**8, 2**3000 + 1):
            assert premise.holds({"m": size**2, "n": size}) is on_the_boundary
            assert premise.holds({"m": size**2 + 1, "n": size}) is True
            assert premise.holds({"m": size**2 - 1, "n": size}) is False

    def test_doubles_next_to_the_boundary(self) -> None:
        premise = Premise(tau <= Rational(1, 10))
        assert not premise.holds({"tau": 0.1})  # the double lies above 1/10
        assert premise.holds({"tau": math.nextafter(0.1, 0.0)})
        assert Premise(tau <= Rational(1, 2)).holds({"tau": 0.5})

    def test_an_array_is_refused(self) -> None:
        with pytest.raises(TypeError, match=r"premise m >= n is about numbers; give each of its symbols one number"):
            Premise(m >= n).holds({"m": np.array([3.0, 4.0]), "n": 2})

    def test_nan_fails(self) -> None:
        for premise in (Premise(tau <= 1), Premise(tau >= 1), Premise(tau < phi), Premise(Max(tau, phi) >= 1)):
            assert not premise.holds({"tau": math.nan, "phi": 2.0})
        assert not Premise(sqrt(S1) >= 0).holds({"S1": -1.0})
        assert math.isnan(Premise(tau <= 1).slack({"tau": math.nan}))
        assert Premise(tau <= 1).certainly({"tau": math.nan}) is None

    @pytest.mark.parametrize(
        ("values", "holds", "slack"),
        [
            ({"S1": 2.0, "a": 1.0}, True, math.log(2.0)),
            ({"S1": -2.0, "a": 1.0}, False, -math.inf),
            ({"S1": 0.0, "a": 1.0}, False, -math.inf),
        ],
    )
    def test_sign_of_the_larger_side(self, values: dict[str, float], holds: bool, slack: float) -> None:
        premise = Premise(a <= S1)
        assert premise.holds(values) is holds
        assert premise.slack(values) == pytest.approx(slack)

    def test_negative_sides(self) -> None:
        premise = Premise(-a <= S1)
        assert premise.slack({"S1": -1.0, "a": 3.0}) == pytest.approx(math.log(3.0))
        assert premise.holds({"S1": -1.0, "a": 3.0})
        assert not premise.holds({"S1": -3.0, "a": 1.0})
        assert Premise(S1 >= 0).slack({"S1": 0.0}) == 0.0
        assert Premise(S1 >= 0).holds({"S1": 0.0})

    def test_beyond_the_doubles(self) -> None:
        premise = Premise(m >= n**44 * 2 ** (76 * L))
        assert premise.holds({"m": 2 ** (76 * 40 + 440), "n": 1024, "L": 40})
        assert not premise.holds({"m": 2 ** (76 * 40 + 440) - 1, "n": 1024, "L": 40})
        assert premise.slack({"m": 1, "n": 1024, "L": 40}) == pytest.approx(-3480 * math.log(2))

    def test_transcendental_tie_is_decided_with_more_bits(self) -> None:
        # 163 is the classical near miss: exp(pi sqrt(163)) = 262537412640768743.99999999999925...
        premise = Premise(sympy.exp(sympy.pi * sqrt(m)) <= n)
        assert premise.holds({"m": 163, "n": 262537412640768744})
        assert not premise.holds({"m": 163, "n": 262537412640768743})

    @pytest.mark.parametrize("relation", [sympy.true, m > 0, sympy.Eq(m, n), m, True])
    def test_what_is_no_inequality_is_refused(self, relation: object) -> None:
        with pytest.raises(UnsupportedFormulaError, match="is no inequality"):
            Premise(relation)

    def test_equality_and_pickling(self) -> None:
        copy = pickle.loads(pickle.dumps(WIDE))
        assert copy == WIDE
        assert hash(copy) == hash(WIDE)
        assert (copy.source, copy.note) == (WIDE.source, WIDE.note)
        assert Premise(WIDE.relation) != WIDE


SIZES = (
    # premises, other symbols, the smallest m found by hand or by counting
    ([Premise(m >= n**2)], {"n": 7}, 49),
    ([Premise(m > n**2)], {"n": 7}, 50),
    ([Premise(m >= n**2), Premise(m <= d)], {"n": 7, "d": 48}, None),
    ([Premise(m >= n**2), Premise(m <= d)], {"n": 7, "d": 49}, 49),
    ([Premise(m >= n * tau)], {"n": 7, "tau": 0.5}, 4),
    ([Premise(n >= 8)], {"n": 7}, None),
    ([Premise(n >= 8)], {"n": 8}, 1),
    ([Premise(tau * m >= 3)], {"tau": 0.25}, 12),
    ([Premise(sqrt(m) >= n)], {"n": 1000}, 10**6),
    ([Premise(1 / m <= tau)], {"tau": 0.125}, 8),
)


class TestSmallest:
    @pytest.mark.parametrize(("premises", "at", "wanted"), SIZES)
    def test_known_answers(self, premises: list[Premise], at: dict[str, float], wanted: int | None) -> None:
        assert smallest(premises, "m", at) == wanted
        # a value for the size itself is ignored
        assert smallest(premises, "m", {**at, "m": 5}) == wanted

    @pytest.mark.parametrize("low", range(1, 60))
    def test_size_on_both_sides_that_holds_fails_and_holds_again(self, low: int) -> None:
        premise = Premise(m >= Cbar * log(m), TEN)  # at 1, and from 36 on
        by_counting = next(size for size in range(low, 100) if size >= 10 * math.log(size))
        assert smallest([premise], "m", {}, low=low) == by_counting

    def test_against_counting_on_random_premises(self) -> None:
        rng = random.Random(1)
        for _ in range(40):
            c1, c2, c3 = (Rational(rng.randint(1, 400), 10) for _ in range(3))
            premises = [Premise(m**2 + c1 >= c2 * m, note="fails between its roots"), Premise(m * log(m + 1) >= c3)]
            by_counting = next(
                size for size in itertools.count(1) if size**2 + c1 >= c2 * size and size * math.log(size + 1) >= c3
            )
            assert smallest(premises, "m", {}) == by_counting

    @pytest.mark.parametrize("depth", [1, 3, 10, 50])
    def test_neighbours_at_sizes_beyond_the_doubles(self, depth: int) -> None:
        premise = Premise(m >= Cbar * n**44 * 2 ** (76 * L) * log(2 * m) ** 6, TEN)
        at = {"n": 8, "L": depth}
        size = smallest([premise], "m", at)
        assert size is not None
        assert size.bit_length() > 76 * depth + 132
        assert premise.holds({**at, "m": size})
        assert not premise.holds({**at, "m": size - 1})
        assert premise.certainly({**at, "m": size - 1}) is False

    def test_without_the_last_digits_a_size_is_enough_and_next_to_the_least(self) -> None:
        premise = Premise(m >= Cbar * n**44 * log(2 * m) ** 6, TEN)
        least = smallest([premise], "m", {"n": 8})
        enough = smallest([premise], "m", {"n": 8}, exact=False)
        assert least is not None
        assert enough is not None
        assert premise.certainly({"n": 8, "m": enough}) is True
        assert least < enough < least + (least >> 40)
        # Below 2**40 no digit is lost.
        assert smallest([premise], "m", {"n": 1}, exact=False) == smallest([premise], "m", {"n": 1})

    def test_beyond_the_largest_size(self) -> None:
        premise = Premise(m >= 2 ** (76 * L))
        assert smallest([premise], "m", {"L": 300}) is None
        assert smallest([premise], "m", {"L": 300}, high=2**30000) == 2**22800
        assert smallest([Premise(m >= 5)], "m", {}, high=4) is None
        assert smallest([Premise(n >= 5)], "m", {"n": 6}, low=9, high=4) is None

    def test_another_size(self) -> None:
        assert smallest([Premise(d >= 3 * m)], "d", {"m": 5}) == 15

    def test_missing_value(self) -> None:
        with pytest.raises(MissingValueError, match="needs a value for L"):
            smallest([WIDE], "m", {"n": 3, "delta": 0.1})

    def test_undefined_counts_as_failed(self) -> None:
        assert smallest([Premise(sqrt(m - 10) >= 0)], "m", {}) == 10

    def test_undecided_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # false everywhere, but an interval takes sine and cosine apart
        monkeypatch.setattr("bounds.decisions.region.BOXES_ONE_SIZE", 300)
        premise = Premise(sympy.sin(m) ** 2 + sympy.cos(m) ** 2 >= 1 + tau)
        with pytest.raises(UndecidedSizeError, match="no smallest m was found"):
            smallest([premise], "m", {"tau": 0.5})


class TestRegion:
    def test_empty_is_proved(self) -> None:
        report = premise_region([WIDE], {"m": (1, 512), "n": (2, 64), "L": (3, 5), "delta": (1e-9, 0.1)})
        assert report.empty is False
        report = premise_region([WIDE], {"m": (1, 100), "n": (2, 64), "L": (3, 5), "delta": (1e-9, 0.1)})
        assert report.empty is True
        assert report.witness is None
        assert report.excluded[WIDE.text] == report.boxes > 0

    def test_witness_is_verified(self) -> None:
        premises = [
            Premise(m >= Max(L**4 / phi**4 * log(n**2 * L / delta), (log(n * L / delta) / beta_) ** Rational(2, 3))),
            Premise(phi <= 1 / L),
            Premise(beta_ * sqrt(m) <= Rational(1, 2)),
        ]
        limits: dict[str, Any] = {
            "n": (2, 64),
            "L": (2, 4),
            "delta": (0.001, 0.1),
            "phi": (0.01, 2.0),
            "beta_": (1e-9, 1.0),
        }
        report = premise_region(premises, {**limits, "m": (1, 10**4)})
        assert report.empty is False
        assert report.witness is not None
        assert isinstance(report.witness["m"], int)
        assert all(premise.holds(report.witness) for premise in premises)
        assert premise_region(premises, {**limits, "m": (1, 500)}).empty is True
        assert premise_region(premises, {**limits, "m": (1, 2**8192)}).empty is False

    def test_against_counting_on_integer_grids(self) -> None:
        rng = random.Random(2)
        found = {True: 0, False: 0}
        for _ in range(60):
            c1, c2, c3 = rng.randint(1, 60), Rational(rng.randint(1, 60), 10), rng.randint(1, 40)
            premises = [
                Premise(m * n >= c1 + L**2),
                Premise(m + c2 * log(n + 1) <= 12 + 2 * sqrt(L)),
                Premise(n**2 < c3 + m),
            ]
            by_counting = any(
                all(premise.certainly({"m": i, "n": j, "L": k}) for premise in premises)
                for i in range(1, 13)
                for j in range(1, 13)
                for k in range(1, 4)
            )
            report = premise_region(premises, {"m": (1, 12), "n": (1, 12), "L": (1, 3)})
            assert report.empty is not by_counting
            assert report.empty is not None
            found[by_counting] += 1
        assert min(found.values()) > 5

    def test_integers_between_the_limits(self) -> None:
        assert premise_region([Premise(m >= n)], {"m": (3.2, 3.8), "n": 1}).empty is True
        assert premise_region([Premise(m >= n)], {"m": (2.5, 3.8), "n": 3}).witness == {"m": 3, "n": 3}

    def test_no_integer_between_two_curves(self) -> None:
        # 2 < m/n < 2 + 1/n has no integer solution, though real numbers solve it
        premises = [Premise(m > 2 * n), Premise(m < 2 * n + 1)]
        assert premise_region(premises, {"m": (1, 40), "n": (1, 20)}).empty is True

    def test_real_symbols_of_any_sign(self) -> None:
        premises = [Premise(Rational(1, 100) >= S1**2), Premise(S1 + a <= -3)]
        assert premise_region(premises, {"S1": (-5.0, 5.0), "a": (0.0, 1.0)}).empty is True
        premises = [Premise(S1**2 >= 9), Premise(S1 + a <= -3)]
        report = premise_region(premises, {"S1": (-5.0, 5.0), "a": (0.0, 1.0)})
        assert report.witness is not None
        assert report.witness["S1"] < 0

    def test_budget(self) -> None:
        # the curve a b = 1 has points, none of them found by halving
        premises = [Premise(a * b * b * b >= 1), Premise(a * b * b * b <= 1)]
        report = premise_region(premises, {"a": (0.3, 3.1), "b": (0.3, 2.9)}, budget=100)
        assert report.empty is None
        assert report.witness is None
        assert report.boxes == 100

    def test_limits_are_checked(self) -> None:
        with pytest.raises(MissingValueError, match="no limits are given for delta"):
            premise_region([WIDE], {"m": 3, "n": 3, "L": 3})
        with pytest.raises(ValueError, match="the limits of m are empty: 5 is above 4"):
            premise_region([Premise(m >= n)], {"m": (5, 4), "n": 1})

    def test_constant_may_be_given(self) -> None:
        limits: dict[str, Any] = {"m": (1, 1000), "n": 8, "L": 3, "delta": 0.1}
        assert premise_region([WIDE], limits).empty is False
        assert premise_region([WIDE], {**limits, "Cbar": 100}).empty is True
