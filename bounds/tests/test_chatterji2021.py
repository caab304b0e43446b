"""The numbers in the formula sheet of chatterji2021, worked out again by hand or along another way."""

import math
from fractions import Fraction

import flint
import numpy as np
import pytest
import sympy

from bounds.arithmetic.balls import certainly_le
from bounds.bound import Bound
from bounds.papers import chatterji2021 as sheet


def _balanced(depth: int) -> tuple[float, float]:
    """Norm and loss of the scalar network with equal layers and output 1.02 (1 + 24 L) log 3, without smoothing."""
    output = 1.02 * (1 + 24 * depth) * math.log(3)
    return math.sqrt(depth + 1) * output ** (1 / (depth + 1)), math.exp(-output)


# ------------------------------------------------------------------ thresholds


def test_thresholds_by_hand() -> None:
    """L = 1, m = 4, ||V|| = 2, J_1 = exp(-8)."""
    at = {"L": 1, "m": 4, "normV1": 2.0, "J1": math.exp(-8)}
    assert sheet.eq_3a.evaluate(at) == pytest.approx(8 / (24 * 2 * 2))
    assert sheet.eq_3b_first.evaluate({**at, "h": 0.5}) == pytest.approx(0.5 * math.exp(8) / (1024 * 4 * 4 * 256))
    assert sheet.eq_3b_second.evaluate(at) == pytest.approx(1.5 * 4 * math.exp(8) / (2 * 49 / 16 * 64))
    assert sheet.eq_3c.evaluate({**at, "eta": 3.0}) == pytest.approx(49 / 16 * 3 * math.exp(-8) * 64 / (1.5 * 4))
    # depth 4, where the powers of L count: 4^(-1) 8 / (24 * 2 * 16)
    assert sheet.eq_3a.evaluate({**at, "L": 4}) == pytest.approx(8 / 4 / (24 * 2 * 16))
    assert sheet.eq_3a.evaluate({**at, "normV1": 1e-3}) == 1.0


def test_thresholds_of_the_balanced_network() -> None:
    """The smallest network with three samples, at the fixed point of h, in figures found in another arithmetic."""
    at = {"L": 1, "m": 1, "normV1": 5.292883274835824 * math.sqrt(2), "J1": 1.01929e-12}
    h = 0.99 * sheet.eq_3a.evaluate(at)
    assert h == pytest.approx(0.152164, rel=1e-5)
    eta = sheet.eq_3b.evaluate({**at, "h": h})
    assert eta == pytest.approx(3.69827, rel=1e-4)
    assert sheet.eq_3c.evaluate({**at, "eta": eta}) == pytest.approx(1.04727e-10, rel=1e-4)


def test_second_threshold_of_the_step_is_a_rate_of_one_half() -> None:
    at = {"L": 3, "normV1": 4.0, "J1": 1e-5}
    assert sheet.eq_3c.evaluate({**at, "eta": sheet.eq_3b_second.evaluate(at)}) == pytest.approx(0.5, rel=1e-14)


def test_main_theorem() -> None:
    assert sheet.theorem_3_1_halving(Q=0.25) == 4
    assert sheet.lemma_4_6(J1=0.5, Q=0.25, k=3) == 0.25
    values = {"n": 3, "L": 1, "m": 1, "h": 0.15, "normV1": 7.4853, "J1": 1.01929e-12, "eta": 3.6, "Q": 1e-10, "k": 9}
    premises = (
        sheet.theorem_3_1_samples,
        sheet.theorem_3_1_loss,
        sheet.theorem_3_1_smoothing,
        sheet.theorem_3_1_step,
        sheet.theorem_3_1_constant,
    )
    assert all(premise.holds(values) for premise in premises)
    for change in ({"n": 2}, {"J1": 3.0**-25 * 1.001}, {"h": 0.16}, {"eta": 3.8}, {"Q": 2e-10}):
        assert not all(premise.holds(values | change) for premise in premises)


def test_recursion_stays_below_the_theorem() -> None:
    """Lemma 4.6: z - c z^2 from J_1 with c J_1 = Q <= 1/2, in exact arithmetic."""
    for rate in (Fraction(1, 2), Fraction(1, 7)):
        first = Fraction(1, 9)
        loss = first
        for k in range(1, 12):
            loss -= rate / first * loss**2
            assert loss <= first / (rate * k + 1)
            assert float(loss) <= sheet.lemma_4_6(J1=float(first), Q=float(rate), k=k - 1)


# ------------------------------------------------------------ random initialisation


def test_smoothing_of_the_second_theorem_is_too_large_in_print() -> None:
    """h_NT over h_max is 24/(6 sqrt 6) for every depth and width; with 10 for 6 it is below 1."""
    for depth in (1, 2, 5):
        for width in (10**3, 10**6):
            at = {"L": depth, "m": width, "n": 3}
            quotient = sheet.eq_5.evaluate(at) / sheet.theorem_3_3_h_max.evaluate(at)
            assert quotient == pytest.approx(4 / math.sqrt(6), rel=1e-12)
            assert 0.97 < sheet.eq_5_corrected.evaluate(at) / sheet.theorem_3_3_h_max.evaluate(at) < 1.0


def test_rate_of_the_second_stage_is_below_the_first_theorems() -> None:
    for depth in (1, 2, 6):
        at = {"L": depth, "m": 50, "n": 3, "normV1": math.sqrt(300 * depth), "J1": 3.0 ** -(1 + 24 * depth)}
        h = sheet.eq_5.evaluate(at)
        eta = sheet.eq_3b.evaluate({**at, "h": h})
        assert eta == sheet.eq_3b_first.evaluate({**at, "h": h})
        assert sheet.theorem_3_3_rate.evaluate(at) <= sheet.eq_3c.evaluate({**at, "eta": eta})


# ------------------------------------------------------------------ scalar facts


def test_large_weights_in_figures() -> None:
    for depth, norm in ((1, 7.3173984497), (2, 6.5117545879), (3, 5.9721314343)):
        assert sheet.lemma_B_5_scale(L=depth, n=3) == pytest.approx(norm, rel=1e-10)
        loss = Fraction(2, 3 ** (1 + 24 * depth))
        assert sheet.lemma_B_5_sharp(L=depth, J=float(loss)) == pytest.approx(norm, rel=1e-10)
        assert norm > sheet.lemma_B_5(L=depth)
    assert sheet.lemma_B_5_sharp(L=2, J=5.0) == 0.0


def test_large_weights_are_reached_by_the_balanced_network() -> None:
    for depth in (1, 2, 4, 40):
        norm, loss = _balanced(depth)
        if loss > 1e-300:
            assert sheet.lemma_B_5_sharp(L=depth, J=math.log1p(loss)) == pytest.approx(norm, rel=1e-12)
        with flint.ctx.workprec(3000):
            exact = flint.arb(-1.02 * (1 + 24 * depth) * math.log(3)).exp().log1p()
            assert float(sheet.lemma_B_5_sharp.ball(L=depth, J=exact, precision=3000)) == pytest.approx(norm, rel=1e-9)


def test_sharp_form_of_the_loss_is_below_the_exact_one() -> None:
    for loss in (1e-9, 1e-3, 0.1, 0.5):
        exact = math.log(1 / math.expm1(loss))
        assert exact - loss**2 / 8 <= math.log(1 / loss - 0.5) <= exact


def test_slack_of_the_alignment_chain() -> None:
    """The last step has no slack at L = 1."""
    total = [sympy.Rational(sheet.ineq_psi_total.expr.subs(sheet.L, depth)) for depth in range(1, 60)]
    assert total[0] == 1
    assert all(value > 1 for value in total[1:])
    for depth in (1, 2, 10):
        at = {"n": 3, "L": depth, "J": Fraction(1, 3 ** (1 + 24 * depth))}
        loss = flint.arb(flint.fmpq(1, 3 ** (1 + 24 * depth)))
        assert certainly_le(3 * loss, sheet.ineq_psi_loss.ball(L=depth))
        with flint.ctx.workprec(3000):
            left = -(-3 * loss).expm1() / 3 * (1 / (3 * loss).expm1()).log()
            assert left >= sheet.ineq_psi.ball(n=3, J=at["J"], precision=3000)


def test_power_inequalities_in_exact_arithmetic() -> None:
    for depth in range(1, 40):
        for share in (Fraction(1, 9), Fraction(1, 2), Fraction(99, 100)):
            x = share / depth
            assert (1 + x) ** (depth + 1) <= 1 + 2 * (depth + 1) * x
            x = share / (3 * depth + 5)
            assert (1 + x) ** (3 * depth + 5) <= 1 + (6 * depth + 10) * x
            if depth > 1:
                x = share / (depth - 1)
                assert (1 + x) ** depth <= 1 + depth * x / (1 - (depth - 1) * x)
                assert sheet.ineq_binomial_a(L=depth, x=float(x)) == pytest.approx(float(1 + depth * x / (1 - share)))
            assert sheet.lemma_4_8_increasing(L=depth) > 3.0 ** -(1 + 24 * depth)


# --------------------------------------------------------------- products of norms


def test_printed_products_are_exceeded() -> None:
    norm = math.hypot(0.1, 1.733)
    assert sheet.lemma_B_6_1_large.holds({"L": 2, "normV": norm})
    assert sheet.lemma_B_6_1_printed(L=2, normV=norm) < 1.733
    assert sheet.lemma_B_6_2(L=2, normV=norm) > 1.733
    norm = math.sqrt(2 * math.e)
    assert math.e > sheet.lemma_B_7_printed(L=2, normV=norm) == pytest.approx(2.43952, rel=1e-5)
    assert math.e < sheet.lemma_B_7_corrected(L=2, normV=norm)
    assert sheet.lemma_B_7_sharp(factors=2, normV=norm) == pytest.approx(math.e)


def test_corrected_products_hold_for_every_number_of_factors() -> None:
    for depth in range(1, 12):
        for norm in (0.3, 1.01, math.sqrt(math.e * depth), 9.0):
            best = [sheet.lemma_B_7_sharp(factors=q, normV=norm) for q in range(1, depth + 2)]
            assert max(best) <= sheet.lemma_B_7_corrected(L=depth, normV=norm) * (1 + 1e-12)
            assert max(best) <= sheet.lemma_B_6_sharp(normV=norm) * (1 + 1e-12)
            if norm > 1:
                assert max(best[:depth]) <= sheet.lemma_B_6_2(L=depth, normV=norm) * (1 + 1e-12)
            if sheet.lemma_B_6_large.holds({"L": depth, "normV": norm * (1 + 1e-12)}):
                assert max(best[:depth]) <= sheet.lemma_B_6_1_corrected(L=depth, normV=norm) * (1 + 1e-12)


def test_small_loss_leaves_the_corrected_premise_out_for_deep_networks() -> None:
    """J < n^-(1+24L) makes ||V|| >= sqrt(e L) up to L = 11 for three samples, and not beyond."""
    least = {depth: sheet.lemma_B_5_sharp(L=depth, J=3.0 ** -(1 + 24 * depth)) for depth in range(1, 14)}
    enough = [depth for depth, norm in least.items() if sheet.lemma_B_6_large.holds({"L": depth, "normV": norm})]
    assert enough == list(range(1, 12))


def test_product_perturbation_bounds_scalars() -> None:
    rng = np.random.default_rng(5)
    for depth in (1, 2, 4):
        for _ in range(200):
            A = rng.standard_normal(depth + 1) * 2.0
            B = A + rng.standard_normal(depth + 1) * 10.0 ** rng.uniform(-3, 0)
            gates = rng.uniform(-1, 1, (2, depth + 1))
            at = {"L": depth, "normV": float(np.linalg.norm(A)), "dist": float(np.linalg.norm(A - B))}
            at["dgate"] = float(np.max(np.abs(gates[0] - gates[1])))
            change = abs(np.prod(A * gates[0]) - np.prod(B * gates[1]))
            sharp = sheet.lemma_B_8_sharp.evaluate(at)
            assert change <= sharp
            if sheet.lemma_B_8_large.holds(at):
                assert sharp <= sheet.lemma_B_8.evaluate(at)


# ------------------------------------------------------------- gradient and smoothness


def test_spot_values() -> None:
    """||V|| = 2, L = 1, m = 9, J = 1/4, h = 1/8."""
    at = {
        "L": 1,
        "m": 9,
        "normV": 2.0,
        "J": 0.25,
        "Js": 0.25,
        "h": 0.125,
        "dist": 0.5,
        "distop": 0.25,
        "eta": 0.1,
        "normG": 3.0,
    }
    expected = {
        "lemma_4_1_decrease": 0.1 * 9 / 1.5,
        "lemma_4_2": 256 * 2 * 3 * 256 * 0.25 * 8,
        "lemma_4_3": math.sqrt(18) * 4 * 0.25,
        "lemma_4_3_sharp": math.sqrt(2) * math.sqrt(2) * 0.25,
        "ih_3": 0.125 / (1024 * 4 * 9 * 256),
        "lemma_B_12": 0.5,
        "lemma_B_13": 64 * math.sqrt(18) * 0.25 * 256 * 0.5 * 8,
        "lemma_B_14": 4 * 0.25 * 0.25 * 16,
        "lemma_B_15": 4 * 0.25 * 0.25 * 64,
        "lemma_B_16": 56 * 0.25 * 256 * 0.5 * 8,
        "lemma_B_17": 256 * 2 * 3 * 0.25 * 256 * 0.5 * 8,
    }
    for name, value in expected.items():
        assert getattr(sheet, name).evaluate(at) == pytest.approx(value, rel=1e-14), name


def test_sharp_forms_of_the_terms_are_below_the_printed_ones_for_equal_norms() -> None:
    for depth, size in ((1, 1.3), (2, 1.0), (5, 2.0)):
        norm, inner = size * math.sqrt(depth + 1), size ** (depth - 1)
        at = {"L": depth, "m": 1, "normV": norm, "J": 0.1, "Js": 0.1, "h": 0.5, "dist": 0.01, "distop": 0.01}
        at |= {"pairs": inner, "singles": size ** (2 * depth), "bends": depth * size**depth * inner}
        names = [f"lemma_B_{number}" for number in (13, 14, 15, 16, 17)]
        sharp = {name: getattr(sheet, f"{name}_sharp").evaluate(at) for name in names}
        assert all(sharp[name] < getattr(sheet, name).evaluate(at) for name in names)
        # where each of the three terms counts a direct change, the whole counts one
        terms = sharp["lemma_B_14"] + sharp["lemma_B_15"] + sharp["lemma_B_16"]
        assert terms == pytest.approx(sharp["lemma_B_13"] + 2 * sharp["lemma_B_14"])


def test_sharp_gradient_bound_is_below_the_printed_one() -> None:
    for depth in (1, 2, 5):
        for norm in (math.sqrt(depth + 0.5), 3.0, 40.0):
            at = {"L": depth, "normV": norm, "m": 1, "J": 0.3}
            assert sheet.lemma_4_3_sharp.evaluate(at) <= sheet.lemma_4_3.evaluate(at)


def test_step_of_the_induction_is_short_enough_for_the_descent_lemma() -> None:
    """(I3), with m for sqrt(m), implies the premise of Lemma 4.4."""
    at = {"n": 3, "L": 2, "m": 16, "h": 0.01, "normV": 6.6, "J": 1e-24}
    eta = sheet.ih_3.evaluate(at) / at["J"]
    others = (sheet.theorem_3_1_samples, sheet.lemma_4_4_smoothing, sheet.lemma_4_4_loss)
    assert all(premise.holds(at) for premise in others)
    assert sheet.lemma_4_4_step.holds({**at, "eta": eta})
    assert sheet.lemma_4_4_step.holds({**at, "eta": 3.9 * eta})
    assert not sheet.lemma_4_4_step.holds({**at, "eta": 4.1 * eta})


@pytest.mark.parametrize(
    ("bound", "name", "exponent"),
    [
        (sheet.lemma_4_2, "h", -1),
        (sheet.lemma_4_2, "J", 1),
        (sheet.lemma_4_2, "m", 0.5),
        (sheet.lemma_B_13, "m", 0.5),
        (sheet.lemma_B_17, "h", -1),
        (sheet.lemma_B_17, "dist", 1),
        (sheet.lemma_B_12, "Js", 1),
        (sheet.eq_3b_first, "J1", -1),
        (sheet.eq_3b_first, "m", -1),
        (sheet.eq_3c, "eta", 1),
    ],
)
def test_exponents(bound: Bound, name: str, exponent: float) -> None:
    assert bound.exponent(name) == exponent


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_exponents_that_depend_on_the_depth(depth: int) -> None:
    assert sheet.lemma_4_2.exponent("normV", L=depth) == 3 * depth + 5
    assert sheet.lemma_B_14.exponent("normV", L=depth) == 2 * (depth + 1)
    assert sheet.lemma_B_15.exponent("normV", L=depth) == 3 * (depth + 1)
    assert sheet.lemma_4_3.exponent("normV", L=depth) == depth + 1
    assert sheet.lemma_4_3_sharp.exponent("normV", L=depth) == depth
    assert sheet.eq_5.exponent("m", L=depth) == -(depth + 1) / 2


def test_tiny_losses_are_told_in_logarithms() -> None:
    loss = Fraction(1, 3 ** (1 + 24 * 40))
    assert float(loss) == 0.0 or float(loss) < 1e-300
    log = sheet.lemma_B_12.log(L=40, Js=loss, distop=0.5, normV=10.0)
    assert log == pytest.approx(41 * math.log(10) - (1 + 24 * 40) * math.log(3), rel=1e-12)
    at = {"L": 40, "m": 1, "normV1": 10.0, "J1": loss, "h": 1e-3}
    assert math.isfinite(sheet.eq_3b.log(**at))
