"""The symbol table: one symbol per name, assumptions that follow from its domain, names that can be typed."""

import keyword
import math
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sympy

from bounds.bound import Bound
from bounds.formula import formula
from bounds.premise import Premise
from bounds.sheet import sheets
from bounds.symbols import (
    DOMAINS,
    SYMBOLS,
    SymbolError,
    UnknownSymbolError,
    _table,
    declare,
    meaning_of,
    state_meanings,
    symbol,
)


@pytest.mark.parametrize("name", SYMBOLS)
def test_entry_is_consistent(name: str) -> None:
    info = SYMBOLS[name]
    assert symbol(name) is info.symbol
    assert info.symbol.name == name
    assert info.symbol.is_real
    assert bool(info.symbol.is_integer) == info.domain.integer
    # sympy must not believe more than the domain says
    assert info.domain.low >= 0.0 or not info.symbol.is_nonnegative
    assert info.domain.low < info.domain.high
    assert info.meaning or any(meaning_of(name, paper) for paper in sheets())
    assert info.latex
    assert info.towards in (0, sympy.oo)
    assert info.towards == sympy.oo or info.domain.low <= 0.0


def test_names_can_be_typed() -> None:
    for name in SYMBOLS:
        assert name.isidentifier()
        assert not keyword.iskeyword(name)
        assert name not in ("pi", "E", "log", "exp", "sqrt", "Min", "Max", "Abs", "Rational")


def test_assumptions_simplify_what_they_should() -> None:
    assert sympy.sqrt(symbol("phi") ** 2) == symbol("phi")
    assert sympy.sqrt(symbol("S1") ** 2) != symbol("S1")
    assert math.isinf(SYMBOLS["m"].domain.high)


def test_unknown_name_tells_the_nearest() -> None:
    with pytest.raises(UnknownSymbolError, match="nearest: beta_"):
        symbol("beta")


def test_a_name_declared_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the symbol m is declared twice: as 'width.* and as 'depth"):
        _table([("m", SYMBOLS["m"]), ("n", SYMBOLS["n"]), ("m", SYMBOLS["L"])])


@pytest.fixture
def lam7() -> Iterator[sympy.Symbol]:
    """A symbol declared for one test."""
    yield declare("lam7", "least eigenvalue of a kernel", latex=r"\lambda_7", towards=0.0)
    del SYMBOLS["lam7"]


def test_a_declared_symbol_is_one_like_any_other(lam7: sympy.Symbol) -> None:
    bound = formula("m/lam7**2")
    assert bound == Bound(symbol("m") / lam7**2)
    assert bound.latex == r"\frac{m}{\lambda_7^{2}}"
    assert bound.symbols == ("m", "lam7")
    assert bound.exponent("lam7") == -2.0
    assert lam7.is_positive


def test_a_declared_symbol_may_be_declared_again_as_it_is(lam7: sympy.Symbol) -> None:
    assert declare("lam7", "least eigenvalue", towards=0.0) is lam7
    assert SYMBOLS["lam7"].meaning == "least eigenvalue of a kernel"
    assert declare("n", "number of rows", "integer >= 1") is symbol("n")


@pytest.mark.parametrize("text", DOMAINS)
def test_exponents_are_read_where_the_domain_has_an_end(text: str) -> None:
    try:
        declare("q", "a number", text)
        assert SYMBOLS["q"].domain is DOMAINS[text]
        assert SYMBOLS["q"].towards == (sympy.oo if math.isinf(DOMAINS[text].high) else 0)
    finally:
        del SYMBOLS["q"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("m", "a mass"), "m is declared already, as 'width.* take another name"),
        (("delta", "a gap", "in (0, 1)", None, math.inf), "cannot be read towards inf"),
        (("tau", "a time", "> 0", None, math.inf), r"tau is declared already \(> 0, exponents read towards 0"),
        (("q", "a number", "> 0", None, 3.0), "cannot be read towards 3.0; use 0 or math.inf"),
        (("q", "a count", "integer >= 1", None, 0.0), "cannot be read towards 0.0"),
        (("q", "a number", "positive"), "unknown domain 'positive'; use one of 'integer >= 1', "),
        (("q", " "), "q has no meaning"),
        (("log", "a log"), "'log' cannot be the name of a symbol"),
        (("lambda", "an eigenvalue"), "'lambda' cannot be the name of a symbol"),
        (("q 1", "a number"), "'q 1' cannot be the name of a symbol"),
    ],
)
def test_a_declaration_that_clashes_or_makes_no_sense_is_refused_in_one_line(
    given: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(SymbolError, match=message) as caught:
        declare(*given)
    assert "\n" not in str(caught.value)
    assert "q" not in SYMBOLS


def test_formulas_take_their_declared_symbols_to_another_process(lam7: sympy.Symbol) -> None:
    given = Premise(symbol("m") >= lam7**-2), Bound(symbol("m") / lam7)
    # The process that reads them has declared nothing.
    script = "import pickle, sys; p, b = pickle.load(sys.stdin.buffer); print(p.latex, b(m=4, lam7=2))"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, input=pickle.dumps(given), capture_output=True, check=True
    )
    assert done.stdout.decode().split() == [*given[0].latex.split(), "2.0"]


@pytest.mark.parametrize(
    ("domain", "inside", "outside"),
    [
        ("integer >= 1", [1, 2.0, 10**400], [0, -1, 64.5, math.nan]),
        ("integer >= 0", [0, 7], [-1, 0.5]),
        ("> 0", [5e-324, 1e300], [0, -1, math.nan]),
        (">= 0", [0, 1.5], [-1e-300]),
        ("real", [-7, 0], [math.nan]),
        ("in (0, 1)", [0.5], [0, 1, 2, -1]),
        ("in (0, 2]", [2, 0.1], [0, 2.5]),
        ("in [0, 1]", [0, 1], [-0.1, 1.1]),
        ("in [-1, 1]", [-1, 1], [-1.1, 1.1]),
    ],
)
def test_a_domain_contains_what_its_words_say(domain: str, inside: list[float], outside: list[float]) -> None:
    assert [DOMAINS[domain].contains(value) for value in (*inside, *outside)] == [True] * len(inside) + [False] * len(
        outside
    )


def test_a_letter_stands_for_what_the_paper_says_and_else_for_what_is_general() -> None:
    assert set(sheets()) >= {"zou2018", "chatterji2021"}
    assert meaning_of("tau", "zou2018") != meaning_of("tau", "chatterji2021")
    assert "operator norm" in formula("2*tau").meanings("zou2018")["tau"]
    assert meaning_of("k", "chatterji2021") == "steps that have been taken, t - 1 in the paper"
    assert meaning_of("k", "zou2018") == meaning_of("k", "no2018") == "step"
    assert meaning_of("tau", "no2018") == ""


def test_a_meaning_is_stated_once_for_a_declared_symbol() -> None:
    with pytest.raises(UnknownSymbolError, match="unknown symbol 'qq'"):
        state_meanings("zou2018", {"qq": "a number"})
    with pytest.raises(SymbolError, match="tau has no meaning in zou2018"):
        state_meanings("zou2018", {"tau": " "})
    with pytest.raises(SymbolError, match=r"tau stands for 'radius .*' in zou2018 already, and not for 'a time'"):
        state_meanings("zou2018", {"tau": "a time"})
    state_meanings("zou2018", {"tau": meaning_of("tau", "zou2018")})
