"""The symbol table: one symbol per name, assumptions that follow from its domain, names that can be typed."""

import keyword
import math

import pytest
import sympy

from bounds.symbols import SYMBOLS, UnknownSymbolError, _table, symbol


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
    assert info.meaning
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
