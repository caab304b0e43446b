"""The numbers in the formula sheet of zou2018: each derived constant and each recursion, worked out again."""

import itertools
import math
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
import sympy
from scipy import optimize, stats

from bounds.decisions.region import smallest
from bounds.formula import formula
from bounds.laws.layers import layer_product_tail
from bounds.papers import zou2018 as sheet
from bounds.symbols import symbol

tau, L, l, m, p = map(symbol, ("tau", "L", "l", "m", "p"))  # noqa: E741


def _rate(excess: float, side: int) -> float:
    """Chernoff rate of the mean of copies of 2 g^2 1{g > 0} at 1 + side * excess."""
    at = 1.0 + side * excess

    def minus_exponent(s: float) -> float:
        return -(s * at - math.log(0.5 + 0.5 / math.sqrt(1.0 - 4.0 * s)))

    ends = (0.0, 0.25 - 1e-12) if side > 0 else (-1e7, 0.0)
    return -optimize.minimize_scalar(minus_exponent, bounds=ends, method="bounded", options={"xatol": 1e-12}).fun


def _norm_ratio_tails(width: int, excess: float) -> tuple[float, float]:
    """P(ratio <= 1 - excess) and P(ratio >= 1 + excess) of a layer's squared norm ratio, exactly."""
    active = np.arange(width + 1)
    weights = stats.binom.pmf(active, width, 0.5)
    low, high = (1.0 - excess) * width / 2.0, (1.0 + excess) * width / 2.0
    below = np.where(active > 0, stats.chi2.cdf(low, np.maximum(active, 1)), float(low >= 0.0))
    above = np.where(active > 0, stats.chi2.sf(high, np.maximum(active, 1)), 0.0)
    return float(weights @ below), float(weights @ above)


class TestNorms:
    def test_constant_of_lemma_A_1_covers_the_rate(self) -> None:
        deviations = np.linspace(0.005, 1.0, 200)
        worst = max(e / math.sqrt(_rate(e, side)) for e in deviations for side in (1, -1))
        assert worst == pytest.approx(3.9336, abs=1e-4)
        assert math.sqrt(2.0) * worst <= float(sheet.lemma_A_1.constants["C"]) < math.sqrt(2.0) * worst + 0.01

    @pytest.mark.parametrize("events", [2.0, 40.0, 1e4, 1e8])
    def test_lemma_A_1_on_the_exact_law(self, events: float) -> None:
        # n L = 1, so that n L / delta is the number of events and delta its inverse
        values = {"n": 1, "L": 1, "delta": 1.0 / events}
        least = smallest([sheet.lemma_A_1_width, sheet.lemma_A_1_level], "m", values)
        assert least is not None
        for width in (least, 2 * least, 5 * least):
            excess = sheet.lemma_A_1(**values, m=width)
            assert excess <= 1.0
            assert sum(_norm_ratio_tails(width, excess)) <= 1.0 / events

    @pytest.mark.parametrize("width", [1, 3, 50])
    def test_mean_of_a_squared_norm(self, width: int) -> None:
        active = np.arange(width + 1)
        weights = stats.binom.pmf(active, width, 0.5)
        assert weights @ active * 2.0 / width == pytest.approx(sheet.lemma_A_1_expectation())

    def test_factor_of_corollary_A_2(self) -> None:
        factor = float(sheet.corollary_A_2.constants["C"]) / float(sheet.lemma_A_1.constants["C"])
        worst = 0.0
        for layer in range(1, 200):
            for excess in np.linspace(1e-4, 0.5 / layer, 50):
                above = math.expm1(0.5 * layer * math.log1p(excess))
                below = -math.expm1(0.5 * layer * math.log1p(-excess))
                worst = max(worst, above / (layer * excess), below / (layer * excess))
        assert worst <= factor
        assert worst == pytest.approx(factor, rel=1e-9)  # attained at the first layer

    def test_premise_of_corollary_A_2_keeps_the_deviation_small(self) -> None:
        values = {"n": 8, "L": 5, "delta": 0.01}
        least = smallest([sheet.corollary_A_2_width, sheet.lemma_A_1_level], "m", values)
        assert least is not None
        assert 5 * sheet.lemma_A_1(**values, m=least) <= 0.5 < 5 * sheet.lemma_A_1(**values, m=least - 2)

    def test_widths_of_assumption_3_7(self) -> None:
        def holds(m: int, M: int) -> bool:
            return all(premise.holds({"m": m, "M": M}) for premise in sheet.assumption_3_7)

        assert holds(m=100, M=100)
        assert holds(m=100, M=200)
        assert not holds(m=100, M=201)
        assert not holds(m=100, M=99)  # the least width is not above the largest

    def test_psi_norms_of_the_terms_of_a_layer(self) -> None:
        g, step = np.linspace(-40.0, 40.0, 400_001, retstep=True)
        weight = np.exp(-0.5 * g**2) / math.sqrt(2.0 * math.pi) * step
        term = np.abs(np.where(g > 0.0, 2.0 * g**2, 0.0) - 1.0)
        powers = np.linspace(1.0, 60.0, 60)
        norms = np.array([float(weight @ term**q) ** (1.0 / q) / q for q in powers])
        assert norms.max() <= sheet.fact_bernstein.constants["normX"].value
        assert norms[-1] >= 0.98 * float(sheet.fact_bernstein.constants["normX"].value)
        # the difference of two rectified Gaussians: one of them is 0, or both are positive
        coarse, width = np.linspace(0.0, 16.0, 1601, retstep=True)
        half = np.exp(-0.5 * coarse**2) * math.sqrt(2.0 / math.pi) * width
        half[0] *= 0.5
        apart = np.abs(coarse[:, np.newaxis] - coarse)
        moments = np.array([0.5 * half @ coarse**q + 0.25 * half @ apart**q @ half for q in powers])
        norms = moments ** (1.0 / powers) / np.sqrt(powers)
        assert norms.max() <= sheet.fact_hoeffding.constants["normX"].value
        assert norms[-1] >= 0.98 * float(sheet.fact_hoeffding.constants["normX"].value)

    def test_operator_norm_of_a_layer(self) -> None:
        # equal widths leave 7/2 - 2 sqrt(2) for the deviation
        room = (3.5 - 2.0 * math.sqrt(2.0)) * math.sqrt(1024 / 2.0)
        assert sheet.fact_vershynin_5_35(m=1024, d=1024, t=room) == pytest.approx(sheet.theorem_5_1_i())


class TestSeparation:
    def test_remainder_of_lemma_A_3(self) -> None:
        chords = np.linspace(0.02, 2.0, 400)
        angles = np.arccos(1.0 - chords**2 / 2.0)
        exact = (np.sin(angles) + (np.pi - angles) * np.cos(angles)) / (2.0 * np.pi)
        np.testing.assert_allclose(sheet.eq_A_1.evaluate({"alpha": np.cos(angles)}), exact, atol=1e-14)
        ratio = (exact - 0.5 + chords**2 / 4.0) / chords**3
        assert np.all(np.diff(ratio) > 0.0)
        assert ratio[0] == pytest.approx(1.0 / (6.0 * math.pi), rel=1e-3)
        assert ratio[-1] == pytest.approx(float(sheet.lemma_A_3.constants["C"]), rel=1e-12)
        assert np.all(exact <= sheet.lemma_A_3.evaluate({"theta": chords}) + 1e-15)

    def test_half_covariance_is_an_expectation(self) -> None:
        nodes, weights = np.polynomial.hermite_e.hermegauss(200)
        weights = weights / weights.sum()
        for alpha in (-0.9, -0.3, 0.0, 0.5, 0.95):
            second = alpha * nodes[:, None] + math.sqrt(1.0 - alpha**2) * nodes[None, :]
            mean = weights @ (np.maximum(nodes, 0.0)[:, None] * np.maximum(second, 0.0)) @ weights
            assert sheet.eq_A_1(alpha=alpha) == pytest.approx(mean, abs=2e-3)

    @pytest.mark.parametrize("depth", [1, 2, 3, 5, 10, 50])
    def test_default_of_kappa_at_infinite_width(self, depth: int) -> None:
        kappa = float(sheet.premise_5_1_separation.constants["kappa"])
        for phi in np.linspace(0.01, min(2.0, kappa / depth), 60):
            cosine = 1.0 - phi**2 / 2.0
            for layer in range(1, depth + 1):
                angle = math.acos(max(cosine, -1.0))
                cosine = (math.sin(angle) + (math.pi - angle) * cosine) / math.pi
                assert math.sqrt(2.0 - 2.0 * cosine) >= sheet.lemma_A_4(L=depth, l=layer, phi=phi) * (1 - 1e-12)

    def test_corollary_A_5_follows(self) -> None:
        for depth in (1, 2, 7, 100):
            assert sheet.lemma_A_4(L=depth, l=depth, phi=0.3) >= sheet.corollary_A_5(phi=0.3)
        for x in np.linspace(0.0, math.log(2.0), 50):
            assert 1.0 - x / 2.0 >= sheet.fact_A_5_scalar(x=x)

    def test_eq_A_2_is_below_the_exact_distance(self) -> None:
        for first, second, chord in itertools.product((0.5, 1.0, 1.5), (0.5, 1.2), np.linspace(0.05, 2.0, 20)):
            product = 2.0 * first * second * sheet.eq_A_1(alpha=max(-1.0, 1.0 - chord**2 / 2.0))
            exact = first**2 + second**2 - 2.0 * product
            assert sheet.eq_A_2(a=first, b=second, phi=chord) <= exact + 1e-12


class TestSmallPreActivations:
    @pytest.mark.parametrize("values", [{"n": 1, "L": 2, "delta": 0.5}, {"n": 16, "L": 4, "delta": 0.01}])
    @pytest.mark.parametrize("width", [500, 4000, 30000])
    def test_count_at_norm_one_half(self, values: dict[str, float], width: int) -> None:
        events = values["n"] * values["L"] / values["delta"]
        constant = float(sheet.lemma_A_7_width.constants["Cbar"])
        # the least threshold that the first premise allows; vacuous once it reaches the width
        beta = math.log(events) * (constant / width) ** 1.5
        assert sheet.lemma_A_7_width.holds({**values, "m": width, "beta_": beta * 1.000001})
        bound = sheet.lemma_A_7(m=width, beta_=beta)
        chance = math.erf(beta * math.sqrt(width) / 0.5 / 2.0)  # |N(0, 2 r^2/m)| <= beta at r = 1/2
        assert stats.binom.sf(math.floor(bound), width, chance) <= 0.5 / events

    def test_chernoff_exponent(self) -> None:
        exponent = math.log(math.pi) - 2.0 + 2.0 / math.sqrt(math.pi)
        assert exponent == pytest.approx(0.27311, abs=1e-5)
        assert (2.0 / exponent) ** (2.0 / 3.0) <= float(sheet.lemma_A_7_width.constants["Cbar"])

    @pytest.mark.parametrize("values", [{"n": 1, "L": 2, "delta": 0.9}, {"n": 16, "L": 4, "delta": 0.01}])
    def test_norms_stay_above_one_half(self, values: dict[str, float]) -> None:
        least = smallest((sheet.lemma_A_7_norms_width, sheet.lemma_A_7_level), "m", values)
        assert least is not None
        depth = int(values["L"])
        below, _ = _norm_ratio_tails(least, 1.0 / depth)
        assert below <= 0.5 * values["delta"] / (values["n"] * depth)
        # L - 1 such ratios lie between the input and the last incoming norm
        assert (1.0 - 1.0 / depth) ** ((depth - 1) / 2.0) >= 0.5

    def test_output_bound_is_a_gaussian_tail(self) -> None:
        bound = sheet.lemma_A_6(n=5, delta=0.1, r=1.0)
        assert 2.0 * math.exp(-(bound**2) / 4.0) == pytest.approx(0.1 / 5)

    def test_output_is_sub_gaussian_with_the_last_hidden_norm(self) -> None:
        # E[exp(a relu(g))] = 1/2 + exp(a^2/2) F(a)
        for a in np.geomspace(1e-3, 20.0, 60):
            log_moments = [np.logaddexp(math.log(0.5), a**2 / 2.0 + stats.norm.logcdf(side * a)) for side in (1, -1)]
            assert sum(log_moments) <= a**2 / 2.0 + 1e-15
        bound = sheet.lemma_A_6_sharp(n=5, delta=0.1, r=2.0)
        assert 2.0 * math.exp(-((bound / 2.0) ** 2) / 2.0) == pytest.approx(0.1 / 5)

    @pytest.mark.parametrize("depth", [2, 4, 10])
    @pytest.mark.parametrize("level", [0.5, 0.01, 1e-6, 1e-30])
    def test_width_of_the_output_bound(self, depth: int, level: float) -> None:
        # Level delta/(2 n): the premise depends on it and the depth alone.
        least = smallest([sheet.lemma_A_6_width], "m", {"L": depth, "n": 1, "delta": 2.0 * level})
        assert least is not None
        squares = np.geomspace(0.5, 60.0, 40)
        # Given the last hidden norm r the bound fails with probability 2 exp(-t^2/(2 r^2)), which grows with r.
        bound = sheet.lemma_A_6(n=1, delta=2.0 * level)
        fails = np.append(np.exp(-(bound**2) / (2.0 * squares)), 1.0)
        longer = [1.0, *(layer_product_tail(least, depth - 1, float(x)).above.upper for x in squares)]
        assert np.diff(fails, prepend=0.0) @ np.array(longer) <= 0.2 * level


class TestGatedSums:
    @staticmethod
    def _probability(angles: np.ndarray, coefficients: np.ndarray, threshold: float) -> float:
        """Share of directions w in the plane where the gated sum has at least the norm `threshold`."""
        turns = np.sort(np.concatenate([angles + np.pi / 2.0, angles - np.pi / 2.0]) % (2.0 * np.pi))
        lengths = np.diff(np.append(turns, turns[0] + 2.0 * np.pi))
        middles = turns + lengths / 2.0
        points = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        gates = np.cos(middles[:, None] - angles[None, :]) > 0.0
        norms = np.linalg.norm((gates * coefficients) @ points, axis=1)
        return float(lengths[norms >= threshold].sum() / (2.0 * np.pi))

    def test_printed_form_fails_on_a_hexagon(self) -> None:
        angles = np.arange(6) * np.pi / 3.0
        coefficients = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
        # three unit vectors of sum zero, and minus their antipodes: every gate leaves the same sum, zero
        threshold = sheet.lemma_A_11_threshold(a=1.0, phi=1.0, n=6)
        assert self._probability(angles, coefficients, 1e-12) == 0.0 < sheet.lemma_A_11(phi=1.0, n=6)
        assert threshold > 1e-12

    def test_corrected_form_in_the_plane(self) -> None:
        rng = np.random.default_rng(5)
        for _ in range(300):
            size = int(rng.integers(2, 7))
            angles = rng.uniform(0.0, 2.0 * np.pi, size)
            if rng.random() < 0.5:  # nearly antipodal pairs, where the printed form goes wrong
                angles[1] = angles[0] + np.pi + rng.normal() * 10.0 ** rng.uniform(-4.0, 0.0)
            points = np.stack([np.cos(angles), np.sin(angles)], axis=1)
            pairs = list(itertools.combinations(range(size), 2))
            apart = min(
                min(np.linalg.norm(points[i] - points[j]), np.linalg.norm(points[i] + points[j])) for i, j in pairs
            )
            coefficients = rng.choice([-1.0, 1.0], size) * rng.uniform(0.5, 1.0, size)
            largest = float(np.abs(coefficients).max())
            found = self._probability(angles, coefficients, largest / 2.0)
            assert found >= sheet.lemma_A_11_corrected(phi_pm=apart, n=size)

    def test_constant_of_the_corrected_form(self) -> None:
        # t = sqrt(pi)/4 phi/n, with phi <= sqrt 2; a single vector has no other gate
        for size, apart in itertools.product(range(1, 50), np.linspace(0.01, math.sqrt(2.0), 30)):
            t = math.sqrt(math.pi) / 4.0 * apart / size
            others = size * math.sqrt(2.0 / math.pi) * t / apart if size > 1 else 0.0
            chance = math.erf(t / math.sqrt(2.0)) * (1.0 - others) / 2.0
            assert chance >= sheet.lemma_A_11_corrected(phi_pm=apart, n=size)


class TestRecursions:
    @pytest.mark.parametrize("depth", range(1, 9))
    def test_forward_stability(self, depth: int) -> None:
        sharp, printed = 1.0, 4.0  # in units of tau
        for layer in range(1, depth + 1):
            if layer > 1:
                sharp, printed = 1.5 + 4.0 * sharp, 4.0 + 8.0 * printed
            assert sheet.lemma_B_2_sharp(l=layer, tau=1.0) == sharp
        assert sharp <= sheet.lemma_B_2(L=depth, tau=1.0) <= printed
        assert printed == pytest.approx(4.0 * (8**depth - 1) / 7.0)
        assert 1.5 + 4.0 * sheet.lemma_B_2(L=depth, tau=1.0) <= sheet.eq_B_3(L=depth, tau=1.0) * (1.0 + 1e-12)

    @pytest.mark.parametrize("depth", range(1, 9))
    def test_one_step(self, depth: int) -> None:
        unit = {"L": depth, "M": 4, "eta": 0.25, "n": 3, "S1abs": 2.0}
        change = 0.25 * 4**depth * 2.0 * 2.0 / 3.0
        sharp = 1.0
        for layer in range(1, depth + 1):
            sharp = sharp if layer == 1 else 2.0 + 4.0 * sharp
        assert sharp * change <= sheet.lemma_C_2(**unit)
        # the worst norms that the lemma admits, 4 for each layer and 2 for each output
        norms = sum(
            4.0 ** (depth - t) * 4.0 ** (depth - t) * (1.0 if t == 1 else 2.0) ** 2 for t in range(1, depth + 1)
        )
        at = {name: unit[name] for name in ("eta", "n", "S1abs")}
        assert sheet.lemma_C_2_sharp(**at, prodW=norms, m=4) <= sheet.lemma_C_2(**unit)

    def test_layer_norms_that_lemma_C_2_uses(self) -> None:
        premise = sheet.lemma_C_2_radius
        for depth in (1, 3, 6):
            radius = 3.5 * 8.0**-depth
            assert premise.holds({"L": depth, "tau": radius})
            assert 1.5 + sheet.lemma_B_2(L=depth, tau=radius) <= 2.0 + 1e-15

    def test_backward_sums(self) -> None:
        half = Fraction(7, 2)
        for depth, layer in itertools.combinations_with_replacement(range(1, 8), 2):
            depth, layer = max(depth, layer), min(depth, layer)
            drift = sum(half ** (depth - t) * 4 ** (t - layer) for t in range(layer, depth + 1))
            plain = sheet.lemma_B_1_certified(m=1, tau=1.0, L=depth, l=layer, Gam_l=0.0, SumGam=0.0)
            assert plain == pytest.approx(float(drift))
            flips = 1 + sum(half * 4 ** (t - layer) for t in range(layer, depth + 1))
            factor = Fraction(7, 6) * 4**depth
            assert flips <= factor
            # with Lemma A.9's constant 2, both terms fit under the constant of Lemma B.1
            assert drift <= sheet.lemma_B_1.constants["C"].value * 4**depth * depth

    def test_flips_at_the_threshold_of_the_proof(self) -> None:
        # neurons within beta of the kink, by Lemma A.7, and neurons that are moved beyond it
        split = formula("2*m**(3/2)*beta_ + 64**L*tau**2/beta_**2").expr
        at_the_threshold = split.subs(symbol("beta_"), sheet.lemma_B_3_threshold.expr)
        assert sympy.simplify(at_the_threshold - sheet.lemma_B_3.expr) == 0

    def test_flip_bound_is_below_the_width_exactly_where_stated(self) -> None:
        edge = 3.0**-1.5 * 8.0**-2
        assert sheet.lemma_B_3_nontrivial.holds({"L": 2, "tau": edge * 0.999})
        assert not sheet.lemma_B_3_nontrivial.holds({"L": 2, "tau": edge * 1.001})


class TestGradients:
    def test_radius_leaves_half_of_the_nodes_and_of_the_norm(self) -> None:
        premise = sheet.lemma_B_5_radius
        share, norm = (float(premise.constants[name]) for name in ("C2", "C1"))
        for depth, size, phi in itertools.product((1, 2, 4), (2, 10), (0.05, 1.0)):
            radius = premise.larger(L=depth, n=size, phi=phi)
            assert premise.holds({"L": depth, "n": size, "phi": phi, "tau": radius * 0.999})
            flipped = sheet.lemma_B_4(m=1, n=size, L=depth, tau=radius)
            assert share * phi / size - flipped >= share * phi / (2 * size)
            assert sheet.lemma_B_2(L=depth, tau=radius) <= norm * phi / (2.0 * size**2) * (1 + 1e-12)

    def test_c0_is_what_the_proof_defines(self) -> None:
        assert sheet.lemma_B_5.constants["c0"].value == sympy.Rational(1, 25600)

    def test_batch_variance_by_enumeration(self) -> None:
        for size in range(2, 7):
            mean = Fraction(sum(k * k for k in range(size)), size)
            numbers = [k * k - mean for k in range(size)]
            mean_sq = sum(number**2 for number in numbers) / size
            for batch in range(1, size + 1):
                means = [sum(chosen) / batch for chosen in itertools.combinations(numbers, batch)]
                exact = sum(value**2 for value in means) / len(means)
                at = {"n": size, "B": batch, "mean_sq": float(mean_sq)}
                assert sheet.lemma_C_5(**at) == pytest.approx(float(exact), rel=1e-12)
                assert sheet.lemma_C_5(**at) <= sheet.lemma_C_5_printed(B=batch, mean_sq=float(mean_sq))

    def test_power_difference(self) -> None:
        for low, factor, power in itertools.product((1e-6, 0.3, 40.0), (1.001, 1.7, 1e5), (0.0, 0.2, 0.49, 0.7, 1.0)):
            at = {"a": low, "b": low * factor, "p": power}
            left = (at["b"] - at["a"]) / at["b"] ** (2.0 * power)
            assert 0.0 <= left <= sheet.lemma_C_1(**at) * (1.0 + 1e-9)
        assert sheet.lemma_C_1(a=0.3, b=0.5, p=0.5 + 1e-7) == pytest.approx(math.log(0.5 / 0.3), rel=1e-5)


class TestWidthOfTheTheorem:
    LOGISTIC: ClassVar[dict[str, float]] = {
        "rho": 1.0,
        "lam": 0.25,
        "alpha0": 0.5,
        "alpha1": 0.5 / math.log(2.0),
        "L0": math.log(2.0),
    }

    @pytest.mark.parametrize(
        ("name", "exponent"),
        [("n", 44.0), ("phi", -24.0), ("eps", -1.0), ("rho", 2.0), ("c0", -8.0), ("C0", 6.0), ("m", 0.0)],
    )
    def test_exponents_with_a_knee(self, name: str, exponent: float) -> None:
        assert sheet.theorem_4_1_width_knee.smaller.exponent(name, p=0.75) == exponent

    def test_depth_costs_76_bits_a_layer(self) -> None:
        at = {**self.LOGISTIC, "n": 4, "phi": 0.5, "eps": 0.1, "p": 0.75, "m": 2**1000}
        logs = [sheet.theorem_4_1_width_knee.smaller.log(**at, L=depth) for depth in (2, 3)]
        assert (logs[1] - logs[0]) / math.log(2.0) == pytest.approx(76.0)

    def test_width_is_where_the_steps_just_stay_in_the_region(self) -> None:
        premise = sheet.theorem_4_1_width_knee
        at = {**self.LOGISTIC, "n": 4, "phi": 0.5, "eps": 0.1, "p": 0.75, "L": 2}
        width = smallest([premise], "m", at)
        assert width is not None
        assert width.bit_length() > 200
        c0, big = (float(premise.constants[name]) for name in ("c0", "C0"))
        logs = {key: math.log(value) for key, value in at.items()}
        # T = tau / (4^L sqrt(M) rho), with the largest radius before (C.7) and M = 2 m
        log_m = math.log(width)
        log_tau = 3 * (
            math.log(c0)
            + 3 * logs["phi"]
            - (12 * 2 + 3) * math.log(2)
            - math.log(big)
            - 5 * logs["n"]
            - math.log(math.log(2) + log_m)
        )
        log_time = log_tau - 2 * math.log(4) - 0.5 * (math.log(2) + log_m) - logs["rho"]
        steep = 2 * 4 ** (7 - 1.5) * 0.1 ** (1 - 1.5) / (0.5 * c0 * at["alpha1"] ** 2 * 0.5**3)
        flat = 2 * 4**7 * at["L0"] / (c0 * at["alpha0"] ** 2 * 0.5**3)
        needed = math.log(steep + flat) - log_m
        assert needed == pytest.approx(log_time, abs=1e-9)

    def test_step_and_radius_before_C_7(self) -> None:
        radius, step = sheet.eq_C_7_radius, sheet.eq_C_7_step
        at = {"m": 512, "M": 512, "n": 2, "L": 1, "phi": 1.0, "rho": 1.0, "lam": 0.25}
        c0, big = (float(radius.constants[name]) for name in ("c0", "C0"))
        largest_tau, largest_eta = radius.larger.evaluate(at), step.larger.evaluate(at)
        half = c0 * 512 / (4 * 2**5)
        assert 2**12 * big * largest_tau ** (1 / 3) * 512 * math.sqrt(math.log(512)) <= half
        assert 2**10 * 512**2 * 1.25 * largest_eta == pytest.approx(half)

    def test_errors_before_C_7_are_at_most_half_of_the_gradient(self) -> None:
        at = {"m": 16, "n": 2, "phi": 1.0, "eta": 0.001, "c0": 0.5, "S1": -1.0, "S1abs": 1.0, "lam": 0.25, "prodW": 2.0}
        errors = sheet.eq_C_6_certified.evaluate({**at, "SumGam": 0.0, "dout": 0.0})
        half = sheet.eq_C_7.evaluate(at)
        assert sheet.eq_C_7_errors.larger.evaluate(at) == pytest.approx(2 * half)
        # The rest of the half goes to the flips, a mean over two samples.
        for share, holds in ((0.999, True), (1.001, False)):
            assert sheet.eq_C_7_errors.holds({**at, "dout": 0.0, "SumGam": share * 2 * (half - errors)}) is holds

    def test_time_within_the_radius_is_the_steps_of_the_recursion(self) -> None:
        """1/L_S grows by the rate (C.9) or more in each step, and by as much in a short one."""
        at = {"n": 3, "c0": 0.2, "alpha1": 0.7, "m": 64, "phi": 0.9}
        start, eta, rate = 0.7, 1e-6, 0.2 * 64 * 0.7**2 * 0.9**3 / (2 * 3**5)
        after = start - eta * rate * start**2
        assert sheet.theorem_4_1_time.evaluate({**at, "clock": 1 / after - 1 / start}) == pytest.approx(eta, rel=1e-6)

    def test_gradient_bound_of_a_region_is_lemma_B_5_for_derivatives_of_sum_one(self) -> None:
        at = {"c0": 0.2, "m": 64, "phi": 0.9, "n": 3}
        least = sheet.lemma_B_5.evaluate({**at, "S1": -1.0})
        assert sheet.theorem_4_1_gradient.holds({**at, "normsq": least * (1 + 1e-6)})
        assert not sheet.theorem_4_1_gradient.holds({**at, "normsq": least * (1 - 1e-6)})

    def test_weights_stay_for_as_long_as_the_norms_of_the_region_say(self) -> None:
        """Steps of 1/8 times 5 * 1.5 * 2: a radius of 37.5 is left after 20."""
        at = {"eta": 0.125, "Gam_l": 5.0, "r": 1.5, "rho": 2.0, "tau": 37.5}
        assert [sheet.theorem_4_1_stay.holds({**at, "k": k}) for k in (19, 20, 21)] == [True, True, False]

    def test_decrease_is_the_solution_of_its_recursion(self) -> None:
        loss, rate = 0.7, 0.05
        for power in (0.6, 0.8, 1.0):
            current = loss
            for step in range(1, 30):
                current -= rate * current ** (2 * power)
                assert current <= sheet.eq_C_9(L0=loss, p=power, c=rate, k=step, eta=1.0) * (1 + 1e-12)
        for step in range(1, 30):
            assert loss * (1 - rate) ** step <= sheet.eq_C_10(L0=loss, c=rate, k=step, eta=1.0)
