"""Bound: its forms agree, it refuses what it cannot evaluate, and nothing over- or underflows."""

import math
import pickle
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy import Max, Min, Rational, acos, exp, log, pi, sqrt

from bounds.bound import Bound, Constant, MissingValueError, UnsupportedFormulaError, certainly_le
from bounds.formula import formula
from bounds.parse import FormulaError
from bounds.symbols import SYMBOLS, symbol

m, n, L, delta, tau, phi, p, C, x, S1, alpha = map(
    symbol, ("m", "n", "L", "delta", "tau", "phi", "p", "C", "x", "S1", "alpha")
)
FIVE = {"C": Constant(5, "for the test")}
DEVIATION = Bound(C * sqrt(log(n * L / delta) / m), FIVE)
AT: dict[str, Any] = {"m": 1024, "n": 8, "L": 3, "delta": 0.1}
TRUE = 5 * math.sqrt(math.log(8 * 3 / 0.1) / 1024)

FORMULAS = (
    m ** Rational(3, 2) * tau,
    n**44 / phi**24 * 2 ** (76 * L),
    1 / n ** (1 + 24 * L),
    Max(L**4 * log(n**2 * L / delta) / phi**4, n**2 / phi) + Min(m, n * tau, 3),
    exp(-n * tau) * sqrt(L) - phi,
    (1 - log(2) / (2 * L)) ** n * phi,
    acos(1 / (1 + tau)) / pi + sympy.atan(m) + sympy.sin(phi) * sympy.cos(phi),
    abs(tau - phi) ** Rational(1, 3),
    (tau - phi) ** 3 / (7 * n),
    (tau ** (1 - 2 * p) - phi ** (1 - 2 * p)) / (1 - 2 * p),
    sympy.E**tau * sympy.asin(tau / (1 + tau)),
)


class TestReads:
    @pytest.mark.parametrize("text", ["C*sqrt(log(n*L/delta)/m)", "C*(log(n*L/delta)/m)**(1/2)", DEVIATION.text])
    def test_the_formula_in_any_order_gives_the_bound_itself(self, text: str) -> None:
        assert DEVIATION.reads(text) is DEVIATION

    @pytest.mark.parametrize(
        "text", ["5*sqrt(log(n*L/delta)/m)", "C*sqrt(log(n*L/delta))/m", "C1*sqrt(log(n*L/delta)/m)"]
    )
    def test_another_formula_is_refused_beside_the_one_of_the_bound(self, text: str) -> None:
        with pytest.raises(FormulaError) as caught:
            DEVIATION.reads(text)
        first = str(caught.value).splitlines()[0]
        assert text in first
        assert DEVIATION.text in first

    def test_what_is_no_formula_is_refused_likewise(self) -> None:
        with pytest.raises(FormulaError) as caught:
            DEVIATION.reads("C*sqrt(log(n*L/delta)^2")
        first = str(caught.value).splitlines()[0]
        assert "no operator" in first
        assert "C*sqrt(log(n*L/delta)^2" in first
        assert DEVIATION.text in first


def test_a_constant_of_which_nothing_is_said_means_its_reason() -> None:
    bound = Bound(symbol("Cbar") * C * m, {**FIVE, "Cbar": Constant(2, "as in its proof")})
    said = bound.meanings("toy")
    assert said["Cbar"] == "constant: as in its proof"
    assert said["C"] == SYMBOLS["C"].meaning


class TestEvaluate:
    def test_takes_what_it_needs(self) -> None:
        assert DEVIATION.symbols == ("m", "n", "L", "delta")
        assert DEVIATION.evaluate({**AT, "K": 3, "unrelated": "text"}) == pytest.approx(TRUE, rel=1e-15)

    def test_value_overrides_a_constant(self) -> None:
        assert DEVIATION.evaluate({**AT, "C": 10}) == pytest.approx(2 * TRUE, rel=1e-15)
        assert DEVIATION.log(**AT, C=10) == pytest.approx(math.log(2 * TRUE), rel=1e-14)
        assert float(DEVIATION.ball(**AT, C=10)) == pytest.approx(2 * TRUE, rel=1e-14)

    def test_missing_name_is_told(self) -> None:
        for call in (DEVIATION.evaluate, lambda values: DEVIATION.log(**values)):
            with pytest.raises(MissingValueError, match="needs a value for n, L; given: delta, m"):
                call({"m": 4, "delta": 0.1})

    def test_missing_name_beside_an_array_is_told(self) -> None:
        with pytest.raises(MissingValueError, match="needs a value for delta"):
            DEVIATION.evaluate({"m": np.ones(2), "n": 2, "L": 3})

    def test_strict_call_refuses_an_unknown_name(self) -> None:
        assert DEVIATION(**AT) == DEVIATION.evaluate(AT)
        with pytest.raises(MissingValueError, match="no symbol width; it has C, L, delta, m, n"):
            DEVIATION(**AT, width=3)

    def test_error_text_is_not_quoted(self) -> None:
        with pytest.raises(MissingValueError) as caught:
            DEVIATION.evaluate({})
        assert str(caught.value).startswith("C*sqrt(")

    def test_arrays_broadcast(self) -> None:
        widths, samples = np.array([64, 256, 1024]), np.array([[2], [8]])
        found = DEVIATION.evaluate({"m": widths, "n": samples, "L": 3, "delta": 0.1})
        assert isinstance(found, np.ndarray)
        assert found.dtype == np.float64
        wanted = [[DEVIATION(m=int(w), n=int(k), L=3, delta=0.1) for w in widths] for k in samples[:, 0]]
        np.testing.assert_allclose(found, wanted, rtol=1e-14)

    def test_a_list_is_an_array_and_a_zero_dimensional_array_is_none(self) -> None:
        assert Bound(m).evaluate({"m": [1, 2]}).tolist() == [1.0, 2.0]
        assert type(Bound(m).evaluate({"m": np.array(3)})) is float

    def test_numpy_scalars_do_not_wrap_around(self) -> None:
        assert Bound(n**44).evaluate({"n": np.int64(100)}) == pytest.approx(1e88, rel=1e-14)
        assert Bound(n**44).evaluate({"n": np.array([100])}) == pytest.approx([1e88], rel=1e-14)

    def test_array_without_symbols_of_that_name_is_ignored(self) -> None:
        assert Bound(sympy.Integer(4)).evaluate({"m": np.ones(3)}) == 4.0

    @pytest.mark.parametrize("value", [True, "3", 1j, object()])
    def test_what_is_no_number_is_refused(self, value: object) -> None:
        with pytest.raises(TypeError, match="where a number is needed"):
            Bound(m).evaluate({"m": value})

    def test_intermediate_overflow_does_not_spoil_the_value(self) -> None:
        bound = Bound(n**44 / L**44)
        assert bound(n=1e10, L=1e9) == pytest.approx(1e44, rel=1e-12)
        assert bound.evaluate({"n": np.array([1e10]), "L": 1e9}) == pytest.approx([1e44], rel=1e-12)

    def test_intermediate_underflow_does_not_spoil_the_value(self) -> None:
        assert Bound(exp(-n) * exp(2 * m))(n=1000, m=600) == pytest.approx(math.exp(200), rel=1e-12)

    def test_a_subnormal_product_on_the_way_loses_no_digits(self) -> None:
        """1e-200 * 3.14159e-118 has six bits as a double, and the quotient by 1e-300 as many digits as any."""
        values = {"x": 1e-200, "tau": 3.14159e-118, "delta": 1e-300}
        bound = Bound(x * tau / delta)
        assert bound.evaluate(values) == pytest.approx(3.14159e-18, rel=1e-15)
        arrays = {name: np.array([value, 1.0]) for name, value in values.items()}
        assert bound.evaluate(arrays) == pytest.approx([3.14159e-18, 1.0], rel=1e-15)

    @pytest.mark.parametrize("small", [1e-10, 1e-40, 1e-200])
    def test_a_small_value_that_cancels_is_found(self, small: float) -> None:
        assert Bound(1 - exp(-x))(x=small) == pytest.approx(-math.expm1(-small), rel=1e-6 if small > 1e-15 else 1e-15)

    def test_huge_integers(self) -> None:
        bound = Bound(m * tau)
        assert bound(m=10**400, tau=1e-300) == pytest.approx(1e100, rel=1e-12)
        assert bound(m=10**400, tau=2.0) == math.inf

    def test_huge_exponent_is_not_computed_as_an_integer(self) -> None:
        assert Bound(2 ** (76 * L))(L=10**12) == math.inf
        assert Bound(2 ** (76 * L)).log(L=10**12) == pytest.approx(76e12 * math.log(2), rel=1e-14)

    @pytest.mark.parametrize("bound", [Bound(Min(m, n)), Bound(Max(m, n)), Bound(Max(n, m, 3)), Bound(m + n)])
    @pytest.mark.parametrize("name", ["m", "n"])
    def test_nan_stays_nan(self, bound: Bound, name: str) -> None:
        values = {"m": 2.0, "n": 3.0, name: math.nan}
        assert math.isnan(bound.evaluate(values))
        assert math.isnan(bound.log(**values))
        assert math.isnan(bound.evaluate({**values, "m": np.array([values["m"]])})[0])

    @pytest.mark.parametrize(
        ("bound", "values"),
        [
            (Bound(sqrt(tau - phi)), {"tau": 1.0, "phi": 2.0}),
            (Bound((tau - phi) ** Rational(1, 3)), {"tau": 1.0, "phi": 2.0}),
            (Bound(log(tau - phi)), {"tau": 1.0, "phi": 2.0}),
            (Bound(acos(tau)), {"tau": 2.0}),
        ],
    )
    def test_undefined_is_nan(self, bound: Bound, values: dict[str, Any]) -> None:
        assert math.isnan(bound.evaluate(values))
        assert math.isnan(bound.evaluate({name: np.array([value]) for name, value in values.items()})[0])
        assert bound.ball(**values).is_nan()

    def test_bound_without_symbols(self) -> None:
        assert Bound(0).evaluate({}) == 0.0
        assert Bound(0).log() == -math.inf
        assert Bound(Rational(7, 2))() == 3.5


class TestLog:
    def test_far_beyond_doubles(self) -> None:
        bound = Bound(n**44 / phi**24 * 2 ** (76 * L))
        want = 44 * 400 * math.log(10) - 24 * math.log(0.1) + 76 * 300 * math.log(2)
        assert bound.log(n=10**400, phi=0.1, L=300) == pytest.approx(want, rel=1e-13)
        assert Bound(1 / n ** (1 + 24 * L)).log(n=7, L=1000) == pytest.approx(-24001 * math.log(7), rel=1e-13)

    def test_sums_of_huge_terms(self) -> None:
        bound = Bound(2**m - 3**n)
        assert bound.log(m=5000, n=10) == pytest.approx(5000 * math.log(2), rel=1e-14)
        with pytest.raises(ValueError, match="is negative here"):
            bound.log(m=10, n=5000)
        assert bound.signed_log({"m": 10, "n": 5000}) == (-1, pytest.approx(5000 * math.log(3), rel=1e-14))

    def test_infinity_and_zero(self) -> None:
        assert Bound(m / tau).log(m=1, tau=0.0) == math.inf
        assert Bound(m * tau).log(m=1, tau=0.0) == -math.inf
        assert math.isnan(Bound(m * tau).log(m=math.inf, tau=0.0))

    def test_fractions_below_the_doubles(self) -> None:
        assert Bound(tau).log(tau=Fraction(1, 10**400)) == pytest.approx(-400 * math.log(10), rel=1e-14)
        assert Bound(tau).log(tau=Fraction(10**20 + 1, 10**20)) == pytest.approx(0.0, abs=1e-15)


class TestForms:
    @pytest.mark.parametrize("expr", FORMULAS, ids=str)
    @given(data=st.data())
    def test_float_and_logarithm_lie_in_the_ball(self, expr: sympy.Expr, data: st.DataObject) -> None:
        bound = Bound(expr)
        values = {
            name: data.draw(st.integers(1, 40) if domain.integer else st.floats(1e-3, 30.0), name)
            for name, domain in bound.domains.items()
        }
        if values.get("p") == 0.5:
            return
        ball = bound.ball(**values, precision=256)
        # cancellation: a float form is good relative to the terms, so allow what 20 lost bits allow
        scale = max(abs(float(ball)), 1e-6) if isinstance(expr, sympy.Add) or expr.has(sympy.Add) else abs(float(ball))
        if not math.isfinite(scale) or scale == 0.0:
            return
        sign, size = bound.signed_log(values)
        assert abs(bound.evaluate(values) - float(ball)) <= 1e-9 * scale
        if abs(float(ball)) > 1e-6:
            assert sign * math.exp(size) == pytest.approx(float(ball), rel=1e-9)

    def test_doubles_enter_balls_exactly(self) -> None:
        third = Bound(tau).ball(tau=1 / 3)
        assert third.is_exact()
        with flint.ctx.workprec(128):
            assert not third.overlaps(flint.arb(1) / 3)

    def test_rationals_and_irrational_constants_are_enclosed(self) -> None:
        bound = Bound(C * m, {"C": Constant(sqrt(2), "for the test")})
        ball = bound.ball(m=3, precision=200)
        assert (ball * ball).overlaps(flint.arb(18))
        assert ball.rel_accuracy_bits() > 180
        assert bound(m=3) == pytest.approx(3 * math.sqrt(2), rel=1e-15)

    def test_precision_is_the_one_asked_for(self) -> None:
        before = flint.ctx.prec
        assert Bound(sqrt(m)).ball(m=2, precision=1000).rel_accuracy_bits() > 950
        assert flint.ctx.prec == before

    @pytest.mark.parametrize(
        ("base", "power", "value"),
        [(-2.0, 3, -8.0), (0.0, Rational(1, 3), 0.0), (0.0, 2, 0.0), (4.0, Rational(-1, 2), 0.5)],
    )
    def test_powers_at_the_edge(self, base: float, power: sympy.Expr, value: float) -> None:
        bound = Bound(S1**power)
        assert bound(S1=base) == value
        assert float(bound.ball(S1=base)) == value

    def test_zero_to_a_negative_power(self) -> None:
        assert Bound(1 / S1)(S1=0.0) == math.inf
        assert Bound(1 / S1).ball(S1=0.0).is_nan()


class TestRefusals:
    def test_unknown_symbol(self) -> None:
        with pytest.raises(KeyError, match="unknown symbol 'width'"):
            Bound(sympy.Symbol("width", positive=True))

    def test_symbol_of_the_same_name_that_is_another(self) -> None:
        with pytest.raises(UnsupportedFormulaError, match=r"take symbol\('m'\)"):
            Bound(sympy.Symbol("m"))

    def test_float_literal(self) -> None:
        with pytest.raises(UnsupportedFormulaError, match=r"the float 0\.08.*Rational"):
            Bound(sympy.Float("0.08") * phi)

    @pytest.mark.parametrize("expr", [sympy.gamma(m), sympy.tan(phi), sympy.I * m, sympy.oo, sympy.floor(tau)])
    def test_function_without_numeric_form(self, expr: sympy.Expr) -> None:
        with pytest.raises(UnsupportedFormulaError, match="which is none of"):
            Bound(expr)

    def test_relation(self) -> None:
        with pytest.raises(UnsupportedFormulaError, match="not a formula"):
            Bound(m >= n**2)

    def test_constant_without_reason(self) -> None:
        with pytest.raises(ValueError, match="has no reason"):
            Constant(3, " ")


class TestConstantsBeyondAttacks:
    def test_they_tell_how_far_beyond(self) -> None:
        above = Constant.above(1, attacked=0.8, why="ascent over the weights")
        assert (float(above), above.reserve) == (1.0, 1.25)
        assert above.reason == (
            "set above our attacks, which reach 0.8 over seeds 0 to 19, reserve 1.25: ascent over the weights"
        )
        below = Constant.below(Fraction(1, 4), attacked=0.3, why="descent")
        assert below.reserve == pytest.approx(1.2)
        assert below.reason.startswith("set below our attacks, which reach 0.3 over")
        assert Constant(3, "from the proof").reserve is None

    @pytest.mark.parametrize("attacked", [1.0, 0.95, 1.3, 0.0, -1.0, math.nan, math.inf])
    def test_a_value_that_is_hardly_above_is_refused(self, attacked: float) -> None:
        with pytest.raises(ValueError, match=r"set it 1\.1 times beyond them at least"):
            Constant.above(1, attacked=attacked, why="ascent")

    @pytest.mark.parametrize("attacked", [1.0, 1.05, 0.8, 0.0, -1.0, math.nan, math.inf])
    def test_a_value_that_is_hardly_below_is_refused(self, attacked: float) -> None:
        with pytest.raises(ValueError, match=r"set it 1\.1 times beyond them at least"):
            Constant.below(1, attacked=attacked, why="descent")

    def test_without_a_word_on_the_attacks_they_are_refused(self) -> None:
        with pytest.raises(ValueError, match="say which these are"):
            Constant.above(1, attacked=0.5, why=" ")

    def test_they_stand_among_the_constants_of_a_formula_in_text(self) -> None:
        stated = Constant.above(2, attacked=1.5, why="ascent")
        assert formula("C*m", {"C": stated}).constants["C"].reserve == pytest.approx(4 / 3)


class TestWords:
    def test_constants_that_do_not_occur_are_left_out(self) -> None:
        assert dict(Bound(m, FIVE).constants) == {}

    def test_latex_uses_the_symbols_of_the_papers(self) -> None:
        assert Bound(symbol("beta_") * m ** Rational(3, 2)).latex == r"\beta m^{\frac{3}{2}}"

    def test_equality_pickling_and_hash(self) -> None:
        DEVIATION.evaluate(AT)  # with its compiled forms made
        copy = pickle.loads(pickle.dumps(DEVIATION))
        assert copy == DEVIATION
        assert hash(copy) == hash(DEVIATION)
        assert copy.evaluate(AT) == DEVIATION.evaluate(AT)
        assert Bound(DEVIATION.expr) != DEVIATION

    def test_domains(self) -> None:
        assert DEVIATION.domains["delta"] is SYMBOLS["delta"].domain


class TestCertainlyLe:
    def test_three_values(self) -> None:
        wide = flint.arb(1, 0.5)
        assert certainly_le(wide, 2) is True
        assert certainly_le(2, wide) is False
        assert certainly_le(wide, 1.2) is None
        assert certainly_le(3, 3.0) is True

    def test_nan_and_infinity(self) -> None:
        assert certainly_le(math.nan, 1.0) is None
        assert certainly_le(1.0, math.nan) is None
        assert certainly_le(1.0, math.inf) is True
        assert certainly_le(math.inf, 1.0) is False

    def test_a_double_is_not_rounded(self) -> None:
        assert certainly_le(0.1, Fraction(1, 10)) is False
        assert certainly_le(Fraction(1, 10), 0.1) is True


@pytest.mark.parametrize("radius", [0.3, 1e-3, 1.5e-4, 1e-12])
def test_small_values_of_other_symbols_leave_the_exponent_as_it_is(radius: float) -> None:
    bound = Bound(m * tau ** Rational(2, 3) + m * tau)
    assert bound.exponent("m", tau=radius) == 1.0
