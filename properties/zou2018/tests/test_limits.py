"""The numbers up to which networks of zou2018 are built are those that its statements ask for."""

import pytest

from bounds.papers import zou2018 as sheet
from properties.zou2018.limits import (
    LAYER_NORM,
    LEAST_OF_EQ_5_1,
    OUTPUT_NORM,
    PERTURBED_NORM,
    flip_threshold,
    region_radius,
    small_count,
)


def test_norms_at_the_limit_are_inside_and_a_hair_more_is_outside() -> None:
    assert (LAYER_NORM, OUTPUT_NORM, PERTURBED_NORM) == (3.5, 1.5, 4.0)
    for premise, name, norm in (
        (sheet.theorem_5_3_i_norms, "normW", LAYER_NORM),
        (sheet.lemma_B_2_outputs, "r", OUTPUT_NORM),
        (sheet.lemma_B_2_norms, "normW", PERTURBED_NORM),
    ):
        assert premise.holds({name: norm})
        assert not premise.holds({name: norm * (1.0 + 1e-15)})


@pytest.mark.parametrize("L", [1, 2, 7])
def test_the_radius_of_the_region_is_the_largest_inside(L: int) -> None:
    assert region_radius(L) == 3.5 * 8.0**-L
    assert sheet.lemma_C_2_radius.holds({"tau": region_radius(L), "L": L})
    assert not sheet.lemma_C_2_radius.holds({"tau": 1.001 * region_radius(L), "L": L})


def test_the_flips_of_the_proof_are_those_of_the_lemma() -> None:
    """The bound of Lemma B.3 is the count of Lemma A.7 at the threshold of its proof, and half as many beyond it."""
    m, L, tau = 4096, 2, 1e-5
    count = small_count(m, flip_threshold(m, L, tau))
    assert 1.5 * count == pytest.approx(float(sheet.lemma_B_3.evaluate({"m": m, "L": L, "tau": tau})), rel=1e-12)


@pytest.mark.parametrize("m", [48, 4096])
def test_the_least_threshold_and_sparsity_are_inside_and_less_is_outside(m: int) -> None:
    known = {"m": m, "n": 3, "L": 2, "delta": 0.4}
    s, beta_ = LEAST_OF_EQ_5_1["s"](n=3, L=2, delta=0.4), LEAST_OF_EQ_5_1["beta_"](**known)
    assert sheet.premise_5_1_sparsity.holds({**known, "s": s})
    assert not sheet.premise_5_1_sparsity.holds({**known, "s": s - 1})
    assert sheet.premise_5_1_width.holds({**known, "phi": 1.1, "beta_": beta_})
    assert not sheet.premise_5_1_width.holds({**known, "phi": 1.1, "beta_": 0.99 * beta_})
