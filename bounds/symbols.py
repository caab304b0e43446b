"""The symbols of the papers: one sympy symbol per name, shared by every formula.

Two formulas can only be compared, multiplied or checked against each other when ``m`` is the same object
in both, so the names of the suite are declared here and nowhere else; :func:`declare` adds those of claims that
live elsewhere. A :class:`SymbolInfo` also says where the symbol lives (its :class:`Domain`) and towards which end a
scaling law in it is read (`towards`): widths grow, radii shrink.

Names follow the papers; where Python or sympy reserves a name the nearest one is taken (``lam``, ``beta_``).
A name that two papers use for different things stands here once; the second meaning gets a name of its own.
"""

import difflib
import keyword
import math
from collections.abc import Iterable
from dataclasses import dataclass

import sympy

from bounds.arithmetic.tree import FUNCTIONS, SELECTIONS

__all__ = [
    "DOMAINS",
    "SYMBOLS",
    "Domain",
    "SymbolError",
    "SymbolInfo",
    "UnknownSymbolError",
    "declare",
    "declared_elsewhere",
    "how_to_declare",
    "keep",
    "symbol",
]


class SymbolError(ValueError):
    """A symbol cannot be declared; the message says why in one line, and what to write."""


class UnknownSymbolError(KeyError):
    """A name that :data:`SYMBOLS` does not hold."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class Domain:
    """Where a symbol takes its values: an interval, over the integers if `integer`.

    `low` and `high` bound the interval; an end that is not attained (``> 0``) is told in `text` only.
    `assumptions` are the sympy assumptions that follow.
    """

    text: str
    low: float
    high: float
    assumptions: tuple[str, ...]
    integer: bool = False

    def contains(self, value: float) -> bool:
        """Whether `value` lies in the domain; NaN lies in none."""
        above = self.low < value if self.text.startswith(("> ", "in (")) else self.low <= value
        below = value < self.high if self.text.endswith(")") else value <= self.high
        return above and below and (not self.integer or value == int(value))


_INFINITY = float("inf")
_COUNT = Domain("integer >= 1", 1.0, _INFINITY, ("integer", "positive"), integer=True)
_STEPS = Domain("integer >= 0", 0.0, _INFINITY, ("integer", "nonnegative"), integer=True)
_POSITIVE = Domain("> 0", 0.0, _INFINITY, ("positive",))
_NONNEGATIVE = Domain(">= 0", 0.0, _INFINITY, ("nonnegative",))
_REAL = Domain("real", -_INFINITY, _INFINITY, ("real",))
_PROBABILITY = Domain("in (0, 1)", 0.0, 1.0, ("positive",))
_DISTANCE = Domain("in (0, 2]", 0.0, 2.0, ("positive",))
_UNIT = Domain("in [0, 1]", 0.0, 1.0, ("nonnegative",))
_CORRELATION = Domain("in [-1, 1]", -1.0, 1.0, ("real",))

#: The domains there are, by the words that name them.
DOMAINS: dict[str, Domain] = {
    domain.text: domain
    for domain in (_COUNT, _STEPS, _POSITIVE, _NONNEGATIVE, _REAL, _PROBABILITY, _DISTANCE, _UNIT, _CORRELATION)
}

# What a formula reads as something else than a symbol.
_TAKEN = frozenset({"pi", "E", "sqrt", "Rational", *FUNCTIONS, *SELECTIONS})


@dataclass(frozen=True)
class SymbolInfo:
    """A symbol with what it stands for.

    `towards` is the end of the domain at which exponents are read: infinity or 0 (from above).
    """

    symbol: sympy.Symbol
    meaning: str
    domain: Domain
    latex: str
    towards: sympy.Expr


def _info(
    name: str, meaning: str, domain: Domain, latex: str | None = None, towards: sympy.Expr = sympy.oo
) -> tuple[str, SymbolInfo]:
    made = sympy.Symbol(name, **dict.fromkeys(domain.assumptions, True))
    return name, SymbolInfo(made, meaning, domain, latex or name, towards)


def _table(entries: Iterable[tuple[str, SymbolInfo]]) -> dict[str, SymbolInfo]:
    """The entries by name; ValueError for a name given twice, one of whose meanings would be lost."""
    table: dict[str, SymbolInfo] = {}
    for name, info in entries:
        if name in table:
            raise ValueError(f"the symbol {name} is declared twice: as {table[name].meaning!r} and as {info.meaning!r}")
        table[name] = info
    return table


_ZERO = sympy.S.Zero

SYMBOLS: dict[str, SymbolInfo] = _table(
    (
        # sizes
        _info("m", "width: least, of the layer named, or of the last layer, as the formula says", _COUNT),
        _info("n", "number of samples", _COUNT),
        _info("L", "depth: number of hidden layers", _COUNT),
        _info("M", "largest width", _COUNT),
        _info("depth", "depth, where its powers count beside those of the width", _COUNT, "L"),
        _info("d", "input dimension", _COUNT),
        _info("l", "layer", _COUNT, r"\ell"),
        _info("s", "sparsity", _COUNT),
        _info("B", "mini-batch size", _COUNT),
        _info("K", "number of steps in all", _COUNT),
        _info("k", "step", _STEPS),
        # probability, geometry, radii
        _info("delta", "failure probability", _PROBABILITY, r"\delta", _ZERO),
        _info("phi", "separation: least distance between two inputs", _DISTANCE, r"\phi", _ZERO),
        _info(
            "phi_pm",
            "signed separation: least distance of an input from another input or its antipode",
            _DISTANCE,
            r"\phi_{\pm}",
            _ZERO,
        ),
        _info("tau", "radius of the perturbation region, operator norm per layer", _POSITIVE, r"\tau", _ZERO),
        _info("beta_", "threshold on the absolute pre-activation", _POSITIVE, r"\beta", _ZERO),
        _info("theta", "chord between two unit vectors", _DISTANCE, r"\theta", _ZERO),
        _info("alpha", "correlation of two Gaussians", _CORRELATION, r"\alpha", _ZERO),
        _info("eps", "target accuracy, or a relative deviation", _POSITIVE, r"\varepsilon", _ZERO),
        _info("eta", "step size", _POSITIVE, r"\eta", _ZERO),
        _info("t", "deviation", _NONNEGATIVE),
        # the loss
        _info("rho", "Lipschitz constant of the loss", _POSITIVE, r"\rho"),
        _info("lam", "smoothness constant of the loss", _POSITIVE, r"\lambda"),
        _info(
            "p",
            "exponent of the loss: its slope is at least its p-th power, up to a factor",
            _UNIT,
            None,
            _ZERO,
        ),
        _info("alpha0", "least slope of the loss left of its knee", _POSITIVE, r"\alpha_0"),
        _info("alpha1", "factor of the p-th power of the loss right of its knee", _POSITIVE, r"\alpha_1"),
        _info("L0", "training loss at initialisation", _POSITIVE, "L_0"),
        _info("ell0", "loss at margin zero", _POSITIVE, r"\ell(0)"),
        _info("S1", "sum of the loss derivatives over the samples", _REAL, "S_1"),
        _info("S1abs", "sum of the absolute loss derivatives over the samples", _NONNEGATIVE, "|S_1|"),
        _info("SBabs", "sum of the absolute loss derivatives over a mini-batch", _NONNEGATIVE, "|S_B|"),
        # measured quantities
        _info("x", "real argument of a scalar inequality", _NONNEGATIVE, None, _ZERO),
        _info("a", "positive amplitude, or the smaller of two positive numbers", _POSITIVE),
        _info("b", "the larger of two positive numbers", _POSITIVE),
        _info("r", "norm of a layer output", _POSITIVE),
        _info("D", "norm of a difference of pre-activations", _NONNEGATIVE),
        _info("count", "number of pre-activations below the threshold", _STEPS, r"|\mathcal{S}(\beta)|"),
        _info("prodW", "product of the operator norms of the other layers", _POSITIVE, r"\prod_r \|W_r\|_2"),
        _info("normW", "largest operator norm of a layer", _NONNEGATIVE, r"\max_l \|W_l\|_2"),
        _info("normsq", "squared Frobenius norm of a layer gradient", _NONNEGATIVE, r"\|\nabla_{W} L_S\|_F^2"),
        _info("mean_sq", "mean of the squares", _NONNEGATIVE, r"\overline{u^2}"),
        _info("Gam_l", "sparse supremum of the backward vector at one layer", _NONNEGATIVE, r"\Gamma_{\ell}"),
        _info("SumGam", "weighted sum of the sparse suprema above that layer", _NONNEGATIVE, r"\Sigma_{\Gamma}"),
        _info("normX", "largest psi norm of the terms of a sum, as the paper at hand defines it", _POSITIVE),
        _info("norma", "Euclidean norm of the weights of a sum", _POSITIVE, r"\|a\|_2"),
        _info("maxa", "largest absolute weight of a sum", _POSITIVE, r"\|a\|_\infty"),
        # smooth activations, logistic loss, all layers trained
        _info("h", "smoothing of the activation: its slope is 1/h-Lipschitz", _POSITIVE, None, _ZERO),
        _info(
            "J", "logistic loss: the mean over the samples, or that of one, as the formula says", _POSITIVE, None, _ZERO
        ),
        _info("J1", "logistic loss at the first iterate, below 1", _PROBABILITY, "J_1", _ZERO),
        _info("g", "weight of a sample in the gradient of the logistic loss", _PROBABILITY, None, _ZERO),
        _info("z", "margin of a sample: label times output", _REAL),
        _info("normV", "Frobenius norm of all weights together", _POSITIVE, r"\|V\|"),
        _info("normV1", "Frobenius norm of all weights at the first iterate", _POSITIVE, r"\|V^{(1)}\|"),
        _info("normG", "Frobenius norm of the gradient of the loss in all weights", _NONNEGATIVE, r"\|\nabla J\|"),
        _info("dist", "Frobenius norm of a difference of weights", _NONNEGATIVE, r"\|V - W\|", _ZERO),
        _info("distop", "operator norm of a difference at one layer", _NONNEGATIVE, r"\|V_\ell - W_\ell\|_{op}", _ZERO),
        _info("dgate", "largest operator norm of a difference of two gates", _NONNEGATIVE, r"\kappa_{M,N}", _ZERO),
        _info("factors", "number of matrices in a product", _COUNT, r"|\mathcal{I}|"),
        _info("normLow", "least Frobenius norm among the networks compared", _NONNEGATIVE, r"\min(\|V\|, \|W\|)"),
        _info(
            "rise",
            "largest loss of a sample on the way from V to W, over its loss at the start",
            _NONNEGATIVE,
            r"\max J_s(\tilde W)/J_s(V)",
        ),
        _info(
            "singles",
            "operator norms of all layers but k, times those of all but l",
            _NONNEGATIVE,
            r"\Pi_k \Pi_\ell",
        ),
        _info("pairs", "product of the operator norms of all layers but two", _NONNEGATIVE, r"\Pi_{k \ell}"),
        _info(
            "bends",
            "products of operator norms that meet at a slope, summed over the layers with slopes",
            _NONNEGATIVE,
            r"\Pi^{\Sigma}_{k \ell}",
        ),
        _info("suffixes", "sum over k of the products of the operator norms above layer k", _NONNEGATIVE, r"\Pi"),
        _info("opfree", "largest operator norm of a gated product", _POSITIVE, r"\Pi_{0}"),
        _info("opright", "the same from the flipped neurons of a layer on, 1 at least", _POSITIVE, r"\Pi_{\cdot S}"),
        _info("opleft", "the same up to the flipped neurons of a layer", _POSITIVE, r"\Pi_{S \cdot}"),
        _info("opboth", "the same between the flipped neurons of two layers", _POSITIVE, r"\Pi_{S S'}", _ZERO),
        _info(
            "squares", "sum over l of the squared product of all operator norms but the l-th", _NONNEGATIVE, r"\Pi_2"
        ),
        _info("lip", "local Lipschitz constant of the gradient", _POSITIVE, r"\mathrm{Lip}(\nabla J)", sympy.oo),
        _info(
            "Q", "rate of the loss: its inverse grows by Q per step, in proportion to the first", _POSITIVE, None, _ZERO
        ),
        _info(
            "gamma",
            "margin of the tangent features at initialisation, over the root of the width",
            _UNIT,
            r"\gamma",
            _ZERO,
        ),
        _info("eapp", "error of linearisation between two points of a ball", _NONNEGATIVE, r"\varepsilon_{app}", _ZERO),
        _info("eNT", "least loss of linearised functions of a ball", _POSITIVE, r"\varepsilon_{NT}", _ZERO),
        _info("Gmax", "largest norm of the gradient of an output in one layer", _POSITIVE, r"\Gamma"),
        _info("away", "distance of the first iterate from the point compared with", _NONNEGATIVE, r"\|V^{(1)} - V^*\|"),
        _info("awayT", "distance of the last iterate from that point", _NONNEGATIVE, r"\|V^{(T+1)} - V^*\|"),
        _info("spread", "largest distance of a point from the centre of its cluster", _NONNEGATIVE, "r", _ZERO),
        _info("plus", "number of neurons of moderate output weight that the centre activates", _STEPS, r"|S_+|"),
        _info("minus", "number of those that its antipode activates", _STEPS, r"|S_-|"),
        # constants
        _info("C", "absolute constant of a bound", _POSITIVE),
        _info("C0", "absolute constant of the flip term", _POSITIVE, "C_0"),
        _info("C1", "absolute constant of a norm threshold", _POSITIVE, "C_1"),
        _info("C2", "absolute constant of a share of the nodes", _POSITIVE, "C_2"),
        _info("Cbar", "large absolute constant of a premise", _POSITIVE, r"\bar{C}"),
        _info("c", "small absolute constant", _POSITIVE),
        _info("c0", "absolute constant of the gradient lower bound", _POSITIVE, "c_0"),
        _info("kappa", "small absolute constant of a premise", _POSITIVE, r"\kappa"),
    )
)


_OF_THE_SUITE = frozenset(SYMBOLS)


def declare(
    name: str, meaning: str, domain: str = "> 0", latex: str | None = None, towards: float | None = None
) -> sympy.Symbol:
    """Declare the symbol `name` beside the claims that use it, and return it.

    Parameters
    ----------
    name
        As it is typed in formulas.
    meaning
        What it stands for, in a few words.
    domain
        Where it takes its values: one of :data:`DOMAINS`, by its words.
    latex
        As it is typeset; by default the name.
    towards
        The end at which exponents in it are read, ``math.inf`` or 0; by default 0 if the domain is bounded.

    A name that is declared already with the same domain and the same end stays as it is. Raises
    :class:`SymbolError` for a name that is taken with another one, that a formula cannot hold, or an unknown domain.
    """
    if not (name.isidentifier() and name.isascii()) or keyword.iskeyword(name) or name in _TAKEN:
        raise SymbolError(
            f"{name!r} cannot be the name of a symbol; take an identifier that formulas do not use otherwise"
        )
    if not meaning.strip():
        raise SymbolError(f"the symbol {name} has no meaning; say in a few words what it stands for")
    if domain not in DOMAINS:
        raise SymbolError(
            f"the symbol {name} has the unknown domain {domain!r}; use one of {', '.join(map(repr, DOMAINS))}"
        )
    found = DOMAINS[domain]
    end = (math.inf if found.high == _INFINITY else 0.0) if towards is None else towards
    if end not in (0.0, math.inf) or (end == 0.0 and found.low > 0.0) or (end == math.inf and found.high < end):
        raise SymbolError(
            f"exponents in the symbol {name} ({domain}) cannot be read towards {towards}; use 0 or math.inf"
        )
    _, info = _info(name, meaning, found, latex, sympy.oo if end == math.inf else _ZERO)
    known = SYMBOLS.setdefault(name, info)
    if (known.domain, known.towards) != (info.domain, info.towards):
        raise SymbolError(
            f"the symbol {name} is declared already, as {known.meaning!r} ({known.domain.text}, exponents read towards "
            f"{known.towards}), which differs from {domain} towards {info.towards}; take another name"
        )
    return known.symbol


def declared_elsewhere(names: Iterable[str]) -> tuple[SymbolInfo, ...]:
    """Return those of the symbols called `names` that are not of the suite, so that another process can `keep` them."""
    return tuple(SYMBOLS[name] for name in sorted(set(names) - _OF_THE_SUITE))


def keep(infos: Iterable[SymbolInfo]) -> None:
    """Declare symbols that another process had declared, unless they are known here."""
    for info in infos:
        SYMBOLS.setdefault(info.symbol.name, info)


def how_to_declare(name: str) -> str:
    """Return the words on an unknown symbol: the names nearest to it, and the line that declares it."""
    near = ", ".join(difflib.get_close_matches(name, SYMBOLS, n=3)) or "none"
    return (
        f"unknown symbol {name!r} (nearest: {near}); declare it beside your claims: "
        f'from bounds.symbols import declare; declare({name!r}, "what it stands for")'
    )


def symbol(name: str) -> sympy.Symbol:
    """Return the sympy symbol called `name`; :class:`UnknownSymbolError` names the nearest ones."""
    try:
        return SYMBOLS[name].symbol
    except KeyError:
        raise UnknownSymbolError(how_to_declare(name)) from None
