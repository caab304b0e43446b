"""allenzhu2018rnn, Appendix B.3: the constants of the induction on separability.

Main claims: `share_against_separability` and `share_against_floor`, on alpha = 16 delta log m, and
`share_of_the_first_induction`, on that of Lemma B.6. Lemma B.7, which both inductions rest on, asks for
alpha >= 1/(100 L^4): this fails for all but very long horizons.
"""

import itertools

import sympy
from sympy import Rational

from bounds import Bound, all_of, at_least, is_zero, symbol
from bounds.papers import allenzhu2018rnn as sheet
from properties.shared.places import nowhere_violated
from theory.claims import Regime, claim, control, grid
from theory.evidence import Proof, Step

apart, L, m = map(symbol, ("apart", "L", "m"))


def _largest(constant: int = 10**6) -> sympy.Expr:
    """The largest separability that Lemma B.9 admits, with its constant 10^6 or another."""
    return 1 / (constant * L**2 * sympy.log(m) ** 3)


IN_THE_STEPS = ("L in (-32*apart*log(m) + 1 - 1/(4*L))**L", "term -1/(4*L)", "term -32*apart*log(m)")


@claim(
    "allenzhu2018rnn:scalar-B.9",
    bound="apart*(1 - 32*apart*log(m) - 1/(4*L))**L/L",
    premises=sheet.lemma_B_9_small.reads("10**6*L**2*log(m)**3*apart <= 1"),
    measured=["apart", "L", "m"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="a factor 11 at L = 1"),
    controls=[
        control("a twentieth", bound="apart*(1 - 32*apart*log(m) - 1/(4*L))**L/(20*L)"),
        control("without the separability", bound="apart**(3/2)/L"),
        control("1/L^2", bound="apart/L**2"),
        control("10^3 for 10^6", constant=10**3),
    ],
    blind={
        f"premise {sheet.lemma_B_9_small.text}": "the control with 10^3 for 10^6 leaves it",
        **dict.fromkeys(IN_THE_STEPS, "the bound has a factor 11 to spare"),
    },
    scope="part: alpha^(3/2) against delta_L/L, delta_L = delta (1 - 2 alpha - 1/(4 L))^L, without delta_L >= delta/2",
    note="64 delta^(3/2) log(m)^(3/2) is at most 8/125 of delta/L; at width 1 it is 0",
)
def share_against_separability(bound: Bound, *, constant: int = 10**6) -> list[Step]:
    """The number alpha^(3/2), alpha = 16 delta log m, against the bound for all delta = apart that Lemma B.9 admits."""
    value = (16 * apart * sympy.log(m)) ** Rational(3, 2)
    places = [
        {"apart": (share * _largest(constant)).subs({L: horizon, m: width}), "L": horizon, "m": width}
        for share, horizon, width in itertools.product((1, Rational(1, 10**4)), (1, 2, 64, 10**6), (2, 10**3, 10**9))
    ]
    # At most apart/L times 8/125, as its quotient by apart grows with apart; and (1 - x)^L is at least 1 - L x.
    quotient = sympy.simplify(
        sympy.expand_log(sympy.log((value * L / apart).subs(apart, _largest(constant))), force=True)
    )
    kept = 1 - L * (32 * _largest(constant) * sympy.log(m) + 1 / (4 * L))
    least = sympy.simplify(kept).subs({m: 2, L: 1})
    return [
        nowhere_violated(Bound(bound.expr - value), places),
        Step("alpha^(3/2) L/delta is 8/125 at the largest delta", is_zero(quotient - sympy.log(Rational(8, 125)))),
        Step(
            "what L steps keep, 1 - 1/4 - 2 alpha L, is least at L = 1 and width 2",
            at_least(least, Rational(8, 125), strict=True),
        ),
    ]


@claim(
    "allenzhu2018rnn:scalar-B.9-floor",
    title="the share that the induction sets aside is smaller than Lemma B.7 admits",
    bound="1/(100*L**4)",
    premises=[
        sheet.lemma_B_9_small.reads("10**6*L**2*log(m)**3*apart <= 1"),
        "horizon of the order of log(m), where the proof uses Lemma B.7: 25*log(m) >= L",
    ],
    measured=["apart", "L", "m"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: attained at L = 25 log(m)"),
    controls=[
        control("L^5", bound="1/(100*L**5)"),
        control("1/101", bound="1/(101*L**4)"),
        control("26 log(m)", longest=26),
    ],
    blind={
        f"premise {sheet.lemma_B_9_small.text}": "alpha grows with delta: its largest value decides",
        "premise 25*log(m) >= L": "the control with 26 log(m) leaves it",
    },
    note="so that the proof of Lemma B.9 may use Lemma B.7 beyond 25 log(m) times alone",
)
def share_against_floor(bound: Bound, *, longest: int = 25) -> list[Step]:
    """The number alpha = 16 delta log m at the largest delta = apart that Lemma B.9 admits, L up to 25 log(m)."""
    return _below_the_floor(bound, 16 * _largest() * sympy.log(m), 625, longest)


def _below_the_floor(bound: Bound, value: sympy.Expr, square: int, longest: int) -> list[Step]:
    """That `square` (log(m)/L)^2 is the bound over the value, and not below 1 for L up to `longest` log(m)."""
    places = [
        {"L": share * longest * sympy.log(width), "m": width}
        for share, width in itertools.product((1, Rational(1, 2), Rational(1, 25)), (2, 10**3, 10**9))
    ]
    gap = Bound(sympy.simplify((bound.expr / value - 1).subs(L, symbol("x"))))
    return [
        nowhere_violated(gap, [{"x": place["L"], "m": place["m"]} for place in places]),
        Step(
            f"their quotient is {square} (log(m)/L)^2, which is 1 at least",
            all_of([at_least(square, longest**2), is_zero(bound.expr / value - square * (sympy.log(m) / L) ** 2)])
            or None,
        ),
    ]


@claim(
    "allenzhu2018rnn:scalar-B.6-floor",
    title="the share that the induction of Lemma B.6 sets aside is smaller than Lemma B.7 admits",
    bound="1/(100*L**4)",
    premises="horizon of the order of log(m), where the proof uses Lemma B.7: 14*log(m) >= L",
    measured=["L", "m"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="2 % at L = 14 log(m)"),
    controls=[
        control("L^5", bound="1/(100*L**5)"),
        control("1/103", bound="1/(103*L**4)"),
        control("15 log(m)", longest=15),
    ],
    blind={"premise 14*log(m) >= L": "the control with 15 log(m) leaves it"},
    note="so that the proof of Lemma B.6 may use Lemma B.7 beyond sqrt(200) log(m) times alone",
)
def share_of_the_first_induction(bound: Bound, *, longest: int = 14) -> list[Step]:
    """The number alpha = 1/(2 10^4 L^2 log(m)^2) of (B.5), for L up to 14 log(m)."""
    return _below_the_floor(bound, 1 / (2 * 10**4 * L**2 * sympy.log(m) ** 2), 200, longest)
