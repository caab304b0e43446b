"""Premises as blocks write them: what is said before the inequality, and where it stands."""

import pytest

from theory.claims.reading import Reading

CONSTANTS = {"C": (2, "of a test")}


@pytest.mark.parametrize(
    ("written", "words", "source"),
    [
        ("m >= C*L", "", "toy2020, Lemma 1"),
        ("width against depth: m >= C*L", "width against depth", "toy2020, Lemma 1"),
        ("width against depth [eq. (3)]: m >= C*L", "width against depth", "toy2020, eq. (3)"),
        ("missing in print: width > depth:m >= C*L", "missing in print: width > depth", "toy2020, Lemma 1"),
    ],
)
def test_a_premise_says_what_it_asks_for_before_its_inequality(written: str, words: str, source: str) -> None:
    premise = Reading(CONSTANTS, paper="toy2020", label="Lemma 1").premise(written)
    assert (premise.text, premise.note, premise.source) == ("m >= C*L", words, source)
    assert premise == Reading(CONSTANTS).premise("m >= C*L")


def test_a_premise_of_a_statement_without_a_label_names_no_place() -> None:
    assert Reading(CONSTANTS, paper="toy2020").premise("width: m >= C*L").source == ""


def test_words_without_an_inequality_are_refused() -> None:
    with pytest.raises(ValueError, match="this is no premise"):
        Reading({}).premise("width against depth: m")
