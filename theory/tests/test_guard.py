"""What a claim does to the process ends with it, and what it says is printable."""

from __future__ import annotations

import numpy as np

from theory.guard import Allowance, Failure


def test_settings_of_numpy_end_with_the_claim_that_made_them() -> None:
    before = np.geterr()
    huge = np.array([1e300])
    assert Allowance().attempt(lambda: np.seterr(all="ignore"), len) == before
    assert np.geterr() == before
    found = Allowance().attempt(lambda: huge * huge, len)
    assert isinstance(found, Failure)
    assert found.reason.startswith("RuntimeWarning: overflow")


def test_control_characters_of_a_message_are_spelled_out() -> None:
    assert Failure.of(ValueError("\x1b[31mred\nsecond line")).reason == r"ValueError: \x1b[31mred"


def test_an_error_that_cannot_be_written_is_told() -> None:
    class SilentError(Exception):
        def __str__(self) -> str:
            raise ArithmeticError

    assert Failure.of(SilentError()).reason == "SilentError: its message cannot be written"
