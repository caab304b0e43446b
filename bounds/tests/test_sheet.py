"""Every formula of every sheet: declared, readable, typeset, and the same number in all its forms."""

import math
from types import ModuleType

import pytest

from bounds.arithmetic.balls import certainly_le
from bounds.bound import Bound
from bounds.growth import UnknownGrowthError
from bounds.premise import Premise
from bounds.sheet import bounds_of, premises_of, sheets
from bounds.tests import checks

BOUND_OF = {f"{key}:{name}": bound for key, sheet in sheets().items() for name, bound in bounds_of(sheet).items()}
PREMISE_OF = {
    f"{key}:{name}": premise for key, sheet in sheets().items() for name, premise in premises_of(sheet).items()
}
BOUNDS = [pytest.param(bound, id=name) for name, bound in BOUND_OF.items()]
PREMISES = [pytest.param(premise, id=name) for name, premise in PREMISE_OF.items()]
# the bounds, and each side of each premise
SIDES = {
    **BOUND_OF,
    **{f"{name}:larger": premise.larger for name, premise in PREMISE_OF.items()},
    **{f"{name}:smaller": premise.smaller for name, premise in PREMISE_OF.items()},
}


def test_sheets_are_found() -> None:
    assert "zou2018" in sheets()
    assert len(BOUND_OF) > 50
    assert len(PREMISE_OF) > 30


@pytest.mark.parametrize("sheet", sheets().values(), ids=list(sheets()))
def test_formulas_name_their_paper_or_leave_it_to_the_record_of_their_statement(sheet: ModuleType) -> None:
    key = sheet.__name__.split(".")[-1]
    for bound in bounds_of(sheet).values():
        assert not bound.source or bound.source.startswith(f"{key}, "), f"{bound} has the source {bound.source!r}"
    for premise in premises_of(sheet).values():
        assert premise.source.startswith(f"{key}, "), f"{premise} has the source {premise.source!r}"


@pytest.mark.parametrize("sheet", sheets().values(), ids=list(sheets()))
def test_every_premise_says_in_words_what_it_asks_for(sheet: ModuleType) -> None:
    assert [name for name, premise in premises_of(sheet).items() if not premise.note.strip()] == []


@pytest.mark.parametrize("sheet", sheets().values(), ids=list(sheets()))
def test_what_a_statement_asks_for_is_made_of_premises_with_names(sheet: ModuleType) -> None:
    named = list(premises_of(sheet).values())
    groups = {name: value for name, value in vars(sheet).items() if name.endswith("_premises")}
    for name, group in groups.items():
        assert isinstance(group, tuple), name
        assert all(any(premise is other for other in named) for premise in group), name


@pytest.mark.parametrize("bound", BOUNDS)
def test_symbols_are_declared(bound: Bound) -> None:
    checks.symbols_are_declared(bound)


@pytest.mark.parametrize("bound", SIDES.values(), ids=list(SIDES))
def test_text_reads_back(bound: Bound) -> None:
    checks.text_reads_back(bound)


@pytest.mark.parametrize("formula", [*BOUNDS, *PREMISES])
def test_latex_shows_every_symbol(formula: Bound | Premise) -> None:
    checks.latex_shows_every_symbol(formula)


@pytest.mark.parametrize("bound", SIDES.values(), ids=list(SIDES))
def test_float_logarithm_and_ball_agree(bound: Bound) -> None:
    checks.float_logarithm_and_ball_agree(bound)


@pytest.mark.parametrize("bound", BOUNDS)
def test_arrays_give_the_scalars(bound: Bound) -> None:
    checks.arrays_give_the_scalars(bound)


@pytest.mark.parametrize("bound", BOUNDS)
def test_exponents_are_those_measured(bound: Bound) -> None:
    checks.exponents_are_those_measured(bound)


@pytest.mark.parametrize("premise", PREMISES)
def test_premise_decides_as_its_slack_says(premise: Premise) -> None:
    for values in checks.drawn_points(premise.symbols, premise.text):
        slack = premise.slack(values)
        if math.isnan(slack):
            assert not premise.holds(values)
        elif abs(slack) > 1e-6:
            assert premise.holds(values) is (slack > 0)
            assert premise.certainly(values) is (slack > 0)
        large, small = premise.larger.ball(**values), premise.smaller.ball(**values)
        if certainly_le(small, large) is False:
            assert not premise.holds(values)


def test_growth_error_is_a_value_error() -> None:
    assert issubclass(UnknownGrowthError, ValueError)


@pytest.mark.parametrize("sheet", sheets().values(), ids=list(sheets()))
def test_every_letter_of_a_sheet_has_a_meaning_in_its_paper(sheet: ModuleType) -> None:
    key = sheet.__name__.split(".")[-1]
    formulas: list[Bound | Premise] = [*bounds_of(sheet).values(), *premises_of(sheet).values()]
    for formula in formulas:
        assert all(formula.meanings(key).values()), formula.text
