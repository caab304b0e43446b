"""The arguments against Theorems 1 and 2 refute what is asked for, and leave open what they do not reach."""

from bounds.formula import formula
from properties.allenzhu2018rnn.printed_ranges import label_argument, range_argument
from theory.evidence import Step


def _verdicts(steps: list[Step]) -> list[bool | None]:
    return [step.holds for step in steps]


def test_a_label_refutes_any_accuracy_for_one_sequence_at_two_times() -> None:
    assert _verdicts(label_argument(formula("eps"), 1, 2, 1, 0.1)) == [True, True, True, True, False]
    assert _verdicts(label_argument(formula("eps"), 2, 2, 1, 0.1))[-1] is None


def test_the_range_of_steps_holds_the_start_at_accuracy_one_alone() -> None:
    assert _verdicts(range_argument(formula("eps"), 1, 2, 1, 1.0, 1.0, 59)) == [True, True, True, True, False]
    assert _verdicts(range_argument(formula("eps"), 1, 2, 1, 1.0, 0.5, 59))[-1] is None
    assert _verdicts(range_argument(formula("2"), 1, 2, 1, 1.0, 1.0, 59))[-1] is None
