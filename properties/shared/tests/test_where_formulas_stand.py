"""Where a formula stands is said once: by the record of its statement, or by the sheet where that tells more."""

from collections import defaultdict

import pytest

from bounds.bound import Bound
from bounds.sheet import bounds_of, sheets
from theory.claims import registry

pytestmark = pytest.mark.reads_claims


@pytest.fixture(scope="module")
def labels() -> dict[tuple[Bound, str], set[str]]:
    """By formula and note, which tell the formulas of a sheet apart: the labels of the statements that claim it."""
    found = defaultdict(set)
    for claim in registry.load_claims():
        if claim.file.startswith("properties") and isinstance(claim.bound, Bound):
            found[claim.bound, claim.bound.note].add(f"{claim.paper}, {claim.label}")
    return found


@pytest.mark.parametrize("key", sheets())
def test_no_formula_says_again_where_the_record_of_its_statement_stands(
    key: str, labels: dict[tuple[Bound, str], set[str]]
) -> None:
    again = [
        name for name, bound in bounds_of(sheets()[key]).items() if labels.get((bound, bound.note)) == {bound.source}
    ]
    assert not again, f"leave out source= of {', '.join(again)}: the record says it"


@pytest.mark.parametrize("key", sheets())
def test_a_formula_that_does_not_say_where_it_stands_is_that_of_a_claim(
    key: str, labels: dict[tuple[Bound, str], set[str]]
) -> None:
    lost = [
        n for n, bound in bounds_of(sheets()[key]).items() if not bound.source and (bound, bound.note) not in labels
    ]
    assert not lost, f"give source= to {', '.join(lost)}: no claim has this bound, whose record would say it"
