"""User formulas: what is read, what is refused, how the refusal reads, and that none takes long."""

import contextlib
import gc
import time

import pytest
import sympy
from sympy import Max, Rational, acos, exp, log, pi, sqrt

from bounds import parse
from bounds.parse import FormulaError, parse_formula
from bounds.symbols import symbol

NAMES = ("m", "n", "L", "d", "tau", "delta", "phi", "beta_", "C", "eta", "l", "alpha")
m, n, L, d, tau, delta, phi, beta_, C, eta, l, alpha = map(symbol, NAMES)  # noqa: E741


@pytest.mark.parametrize(
    ("text", "expr"),
    [
        ("2*m**(3/2)*beta_", 2 * m ** Rational(3, 2) * beta_),
        ("m**1.5", m ** Rational(3, 2)),
        ("0.1*m", m / 10),
        ("1e-3*m + 0.0", m / 1000),
        ("1_000*m", 1000 * m),
        ("0x10*m", 16 * m),
        ("  sqrt(log(n*L/delta) / m)  ", sqrt(log(n * L / delta) / m)),
        ("Rational(2, -4)*m", -m / 2),
        ("Max(L**4*phi**-4*log(n**2*L/delta), m)", Max(L**4 / phi**4 * log(n**2 * L / delta), m)),
        ("1/n**(1 + 24*L)*2**(76*L)", 2 ** (76 * L) / n ** (1 + 24 * L)),
        ("-m + +n", n - m),
        ("E**m*pi", exp(m) * pi),
        ("exp(m*log(5000))", exp(m * log(5000))),
        ("acos(1/2)*Abs(-3)", pi),
        ("m**pi", m**pi),
        ("((((m))))", m),
        ("2*m*(3)", 6 * m),
        ("(1 - log(2)/(2*L))**l*phi", (1 - log(2) / (2 * L)) ** l * phi),
        ("acos(alpha)", acos(alpha)),
        ("0.08*phi/n", Rational(2, 25) * phi / n),
        ("+".join(f"m**{k}" for k in range(1, 60)), sum(m**k for k in range(1, 60))),
    ],
)
def test_reads(text: str, expr: sympy.Expr) -> None:
    assert parse_formula(text, NAMES) == expr


HOSTILE = {
    # no formula, or more than one
    "": "the formula is empty",
    "   ": "the formula is empty",
    "m n": "no formula",
    "2m": "no formula",
    "(m": "was never closed",
    "m)": "unmatched",
    "m;n": "no formula",
    "m\nn": "the character",
    "m\tn": "the character",
    "m\0n": "the character",
    "m # width": "the character '#'",
    "m := 3": "no formula",
    "import os": "no formula",
    "*m": "no formula",
    "yield": "no formula",
    # things of Python that are no arithmetic
    "m.real": "an attribute",
    "().__class__.__mro__": "an attribute",
    "m[0]": "an index",
    "m < n": "a comparison",
    "m == n": "a comparison",
    "m and n": "a logical operation",
    "not m": "only the signs",
    "~m": "only the signs",
    "m if n else d": "a condition",
    "lambda: m": "a lambda",
    "lambda x: x": "a lambda",
    "[m for m in n]": "no place",
    "[m]": "no place",
    "(m, n)": "a list of formulas",
    "{m: n}": "no place",
    "f'{m}'": "a string",
    "'m'": "no place",
    "b'm'": "no place",
    "await m": "no place",
    "...": "Ellipsis",
    "True": "True has no place",
    "None": "None has no place",
    "1j*m": "imaginary",
    "m // n": "only the operators",
    "m % n": "only the operators",
    "m @ n": "only the operators",
    "m << 3": "only the operators",
    "m ^ 2": "write \\*\\* for a power",
    "\N{GREEK SMALL LETTER PI}": "the character",
    "\N{FULLWIDTH LATIN SMALL LETTER M}": "the character",
    # calls
    "__import__('os').system('true')": "only named functions",
    "__import__('os')": "__import__ is not known",
    "eval('1')": "eval is not known",
    "open('f')": "open is not known",
    "print(m)": "print is not known",
    "factorial(m)": "factorial is not known",
    "m(3)": "m is no function",
    "pi(3)": "pi is no function",
    "log": "needs its arguments",
    "log()": "takes 1 argument, not 0",
    "log(m, n)": "takes 1 argument, not 2",
    "Min(m)": "takes 2 to 8 arguments, not 1",
    "log(x=m)": "no named arguments",
    "log(m, x=m)": "no named arguments",
    "log(*m)": "unpacked",
    "log(m)(n)": "only named functions",
    "Rational(1.5, 2)": "two integers",
    "Rational(m, 2)": "two integers",
    "Max(" + ",".join(["m"] * 50) + ")": "not 50",
    "Max(m,n)*" * 9 + "m": "more than 5 times",
    # names
    "beta*m": "there is no beta here; nearest: beta_",
    "M": "there is no M here; nearest: m",
    "__class__": "there is no __class__ here",
    "oo": "there is no oo here",
    "I": "there is no I here",
    # numbers that are none, or none that could be written down
    "m/0": "divides by zero",
    "m/(n - n)": "divides by zero",
    "m/(1 - 1.0)": "divides by zero",
    "0**-1": "divides by zero",
    "0.0**(-1/2)": "divides by zero",
    "Rational(1, 0)": "divides by zero",
    "0/0": "divides by zero",
    "log(0)": "logarithm of zero",
    "log(-1)": "no finite real number",
    "sqrt(-1)": "no finite real number",
    "(-8)**(1/3)": "no real number",
    "acos(2)": "no real number",
    "Max(acos(2*m), acos(3*m))": "undefined or not real",
    "1e999": "too large",
    "1e-999": "too close to zero",
    "9**9**9**9": "more than 4096 bits",
    "9**9**9": "more than 4096 bits",
    "10**10000": "more than 4096 bits",
    "2**-5000": "more than 4096 bits",
    "1.0000001**10000": "more than 4096 bits",
    "(" + "9" * 300 + "*m)**4096": "more than 4096 bits",
    "1" + "0" * 400: "does not fit into a double",
    "1e300*1e300": "does not fit into a double",
    "exp(exp(exp(100)))": "does not fit into a double",
    "exp(1000)": "does not fit into a double",
    "exp(700)*exp(700)": "does not fit into a double",
    "m**10**9": "the exponent is larger than 4096",
    "m**(9**9)": "the exponent is larger than 4096",
    "m**-5000": "the exponent is larger than 4096",
    "m**exp(20)": "the exponent is larger than 4096",
    "2**(n - 10**12)": "the exponent holds a number larger than 4096",
    "exp(log(2)*(n - 10**12))": "the exponent holds a number larger than 4096",
    "12345678901234567890**0.123456": "too long a fraction",
    "((12345678901234567890)**(1/3))**(0.01)": "too long a fraction",
    "7**(1/10**300)": "too long a fraction",
    "exp(0.123456*log(12345678901234567890))": "too long a fraction",
    "m**0.1234567": "too long a fraction",
    # size
    "(" * 300 + "m" + ")" * 300: "characters, more than 500",
    "(" * 100 + "m" + ")" * 100: "nested more than 40 deep",
    "[" * 100: "nested more than 40 deep",
    "-" * 400 + "m": "nested more than 120 deep",
    "+".join(["m"] * 200): "nested more than 120 deep",
    "m**" * 150 + "m": "nested more than 120 deep",
    "m" * 501: "characters, more than 500",
}


@pytest.mark.parametrize(("text", "reason"), HOSTILE.items(), ids=[text[:40] for text in HOSTILE])
def test_refuses_quickly(text: str, reason: str) -> None:
    # the limit is on computing time; other work on the machine may stretch it
    started = time.process_time()
    with pytest.raises(FormulaError, match=reason) as caught:
        parse_formula(text, NAMES)
    assert time.process_time() - started < 1.0
    first, shown, carets = str(caught.value).split("\n")
    assert reason.replace("\\", "") in first
    assert set(carets) == {" ", "^"}
    assert len(carets) <= max(len(shown), 3)
    assert shown.isprintable()


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("2*m*beta + 3", "beta"),
        ("  2*m*beta", "beta"),
        ("m + n.real*3", "n.real"),
        ("m**(2 + eval(n))", "eval"),
        ("m + log(n, L)*2", "log(n, L)"),
        ("m^2", "^"),
        ("m + 3/(n - n)", "3/(n - n)"),
        ("m + 'n'", "'n'"),
        ("3 + 9**9**9 + m", "9**9"),
        ("m" + " + m" * 60 + " + zeta", "zeta"),
    ],
)
def test_carets_stand_under_the_piece(text: str, piece: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula(text, NAMES)
    _, shown, carets = str(caught.value).split("\n")
    marked = "".join(character for character, mark in zip(shown, carets, strict=False) if mark == "^")
    assert piece in marked
    assert text[caught.value.start : caught.value.end] == marked


def test_refusal_in_full() -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula("m**(3/2)*beta", NAMES)
    assert str(caught.value) == ("there is no beta here; nearest: beta_, eta, delta\n  m**(3/2)*beta\n           ^^^^")


def test_name_of_no_kin_is_answered_with_all_names() -> None:
    with pytest.raises(FormulaError, match="names: m, n"):
        parse_formula("zzzz", ["n", "m"])


def test_only_the_given_names_are_known() -> None:
    with pytest.raises(FormulaError, match="there is no n here"):
        parse_formula("m*n", ["m"])


def test_name_without_a_symbol_is_refused_with_the_line_that_declares_it() -> None:
    for names in (["widthlike", "m"], None):
        with pytest.raises(FormulaError, match=r"unknown symbol 'widthlike' .* declare\('widthlike', \"what"):
            parse_formula("widthlike", names)


def test_every_declared_symbol_is_known_where_no_names_are_given() -> None:
    assert parse_formula("m*normX") == symbol("m") * symbol("normX")


@pytest.mark.parametrize(
    "text",
    [
        # each of these makes sympy work for many seconds when nothing stops it
        "Min(1/3 - exp(1/(pi*12345678901234567890)), (1e5 - C)/(tau**2 + 0.5), p, m/(tau + n))**2",
        "Max(m**(1/7)*n, (m + n + L)**(3/2) - d*tau, exp(m/phi), Min(m*n, (d + tau)/phi), log(m + n)*L)",
        "1/(12345678901234567890**(1/16)*12345678901234567890**(1/15))",
        "cos(pi*10**300/7)*sin(10**300)",
        "sqrt(" + "7" * 300 + ")",
        "(10**300 + 1)**(1/3)",
    ],
)
def test_hard_ones_end_soon(text: str) -> None:
    started = time.process_time()
    with contextlib.suppress(FormulaError):
        parse_formula(text, [*NAMES, "p"])
    assert time.process_time() - started < 10.0


@pytest.mark.parametrize("text", ["m*n", "1/0"])
def test_the_garbage_of_a_large_process_is_none_of_the_time_of_a_formula(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    collecting = []
    read = parse._Reader.read

    def seen(self: parse._Reader) -> sympy.Expr:
        collecting.append(gc.isenabled())
        return read(self)

    monkeypatch.setattr(parse._Reader, "read", seen)
    with contextlib.suppress(FormulaError):
        parse_formula(text, NAMES)
    assert collecting == [False]
    assert gc.isenabled()


def test_text_read_back_gives_the_same_formula() -> None:
    expr = 3 * 4**L * m * tau ** Rational(2, 3) / (7 * n) - Max(phi, exp(-m)) ** (L - 1)
    assert parse_formula(str(expr), NAMES) == expr
