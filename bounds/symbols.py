"""The symbols of the papers: one sympy symbol per name, shared by every formula.

Two formulas can only be compared, multiplied or checked against each other when ``m`` is the same object
in both, so the names of the suite are declared here and nowhere else; :func:`declare` adds those of claims that
live elsewhere. A :class:`SymbolInfo` also says where the symbol lives (its :class:`Domain`) and towards which end a
scaling law in it is read (`towards`): widths grow, radii shrink.

Names follow the papers; where Python or sympy reserves a name the nearest one is taken (``lam``, ``beta_``).
A name has one domain. What it stands for may differ between papers: the formula sheet of a paper says it
(:func:`state_meanings`), and what stands here is what counts where the paper is silent.
"""

import difflib
import keyword
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import sympy

from bounds.arithmetic.tree import FUNCTIONS, SELECTIONS

__all__ = [
    "DOMAINS",
    "SYMBOLS",
    "TAKEN",
    "Domain",
    "SymbolError",
    "SymbolInfo",
    "UnknownSymbolError",
    "declare",
    "declared_elsewhere",
    "domain_elsewhere",
    "domain_of",
    "how_to_declare",
    "is_declared",
    "keep",
    "meaning_of",
    "note_use",
    "state_meanings",
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

#: What a formula reads as something else than a symbol.
TAKEN = frozenset({"pi", "E", "sqrt", "Rational", *FUNCTIONS, *SELECTIONS})


@dataclass(frozen=True)
class SymbolInfo:
    """A symbol with what it stands for in general; empty where each paper has a sense of its own.

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
    # A prime is an exponent to TeX, which takes no second one; written out, it puts the base of a power in parentheses.
    return name, SymbolInfo(made, meaning, domain, (latex or name).replace("'", r"^{\prime}"), towards)


def _of_papers(
    name: str, domain: Domain, latex: str | None = None, towards: sympy.Expr = sympy.oo
) -> tuple[str, SymbolInfo]:
    """A symbol that each paper uses in a sense of its own, which its formula sheet states."""
    return _info(name, "", domain, latex, towards)


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
        _info("m", "width", _COUNT),
        _info("n", "number of samples", _COUNT),
        _info("L", "depth: number of hidden layers", _COUNT),
        _of_papers("M", _COUNT),
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
        _of_papers("phi_pm", _DISTANCE, r"\phi_{\pm}", _ZERO),
        _of_papers("tau", _POSITIVE, r"\tau", _ZERO),
        _info("beta_", "threshold on the absolute pre-activation", _POSITIVE, r"\beta", _ZERO),
        _of_papers("theta", _DISTANCE, r"\theta", _ZERO),
        _of_papers("alpha", _CORRELATION, r"\alpha", _ZERO),
        _info("eps", "target accuracy, or a relative deviation", _POSITIVE, r"\varepsilon", _ZERO),
        _info("eta", "step size", _POSITIVE, r"\eta", _ZERO),
        _of_papers("mesh", _POSITIVE, r"\varepsilon", _ZERO),
        _info("t", "deviation", _NONNEGATIVE),
        _of_papers("clock", _NONNEGATIVE, "t"),
        # the loss
        _of_papers("rho", _POSITIVE, r"\rho"),
        _of_papers("lam", _POSITIVE, r"\lambda"),
        _of_papers("p", _UNIT, None, _ZERO),
        _of_papers("alpha0", _POSITIVE, r"\alpha_0"),
        _of_papers("alpha1", _POSITIVE, r"\alpha_1"),
        _of_papers("L0", _POSITIVE, "L_0"),
        _of_papers("ell0", _POSITIVE, r"\ell(0)"),
        _of_papers("S1", _REAL, "S_1"),
        _of_papers("S1abs", _NONNEGATIVE, "|S_1|"),
        _of_papers("SBabs", _NONNEGATIVE, "|S_B|"),
        # measured quantities
        _info("x", "real argument of a scalar inequality", _NONNEGATIVE, None, _ZERO),
        _info("a", "positive amplitude, or the smaller of two positive numbers", _POSITIVE),
        _info("b", "the larger of two positive numbers", _POSITIVE),
        _of_papers("r", _POSITIVE),
        _of_papers("D", _NONNEGATIVE),
        _of_papers("dinput", _NONNEGATIVE, r"\|x_{\ell - 1}' - x_{\ell - 1}\|"),
        _of_papers("dout", _NONNEGATIVE, r"\max_i |f_i' - f_i|"),
        _of_papers("moved", _NONNEGATIVE, r"\max_{i, s} |V_{1,i} (x_s - y_s \mu)|"),
        _info("count", "number of pre-activations below the threshold", _STEPS, r"|\mathcal{S}(\beta)|"),
        _of_papers("prodW", _POSITIVE, r"\prod_r \|W_r\|_2"),
        _of_papers("normW", _NONNEGATIVE, r"\max_l \|W_l\|_2"),
        _of_papers("normsq", _NONNEGATIVE, r"\|\nabla_{W} L_S\|_F^2"),
        _info("mean_sq", "mean of the squares", _NONNEGATIVE, r"\overline{u^2}"),
        _of_papers("Gam_l", _NONNEGATIVE, r"\Gamma_{\ell}"),
        _of_papers("SumGam", _NONNEGATIVE, r"\Sigma_{\Gamma}"),
        _of_papers("normX", _POSITIVE),
        _info("norma", "Euclidean norm of the weights of a sum", _POSITIVE, r"\|a\|_2"),
        _info("maxa", "largest absolute weight of a sum", _POSITIVE, r"\|a\|_\infty"),
        # smooth activations, logistic loss, all layers trained
        _of_papers("h", _POSITIVE, None, _ZERO),
        _of_papers("J", _POSITIVE, None, _ZERO),
        _of_papers("Js", _POSITIVE, "J_s", _ZERO),
        _of_papers("J1", _PROBABILITY, "J_1", _ZERO),
        _of_papers("g", _PROBABILITY, None, _ZERO),
        _of_papers("z", _REAL),
        _of_papers("normV", _POSITIVE, r"\|V\|"),
        _of_papers("normV1", _POSITIVE, r"\|V^{(1)}\|"),
        _of_papers("normG", _NONNEGATIVE, r"\|\nabla J\|"),
        _of_papers("dist", _NONNEGATIVE, r"\|V - W\|", _ZERO),
        _of_papers("distop", _NONNEGATIVE, r"\|V_\ell - W_\ell\|_{op}", _ZERO),
        _of_papers("dgate", _NONNEGATIVE, r"\kappa_{M,N}", _ZERO),
        _of_papers("factors", _COUNT, r"|\mathcal{I}|"),
        _of_papers("normLow", _NONNEGATIVE, r"\min(\|V\|, \|W\|)"),
        _of_papers("rise", _NONNEGATIVE, r"\max J_s(\tilde W)/J_s(V)"),
        _of_papers("singles", _NONNEGATIVE, r"\Pi_k \Pi_\ell"),
        _of_papers("pairs", _NONNEGATIVE, r"\Pi_{k \ell}"),
        _of_papers("bends", _NONNEGATIVE, r"\Pi^{\Sigma}_{k \ell}"),
        _of_papers("suffixes", _NONNEGATIVE, r"\Pi"),
        _of_papers("opfree", _POSITIVE, r"\Pi_{0}"),
        _of_papers("opright", _POSITIVE, r"\Pi_{\cdot S}"),
        _of_papers("opleft", _POSITIVE, r"\Pi_{S \cdot}"),
        _of_papers("opboth", _POSITIVE, r"\Pi_{S S'}", _ZERO),
        _of_papers("squares", _NONNEGATIVE, r"\Pi_2"),
        _of_papers("lip", _POSITIVE, r"\mathrm{Lip}(\nabla J)", sympy.oo),
        _of_papers("Q", _POSITIVE, None, _ZERO),
        _of_papers("rest", _NONNEGATIVE, r"\|r\|/\|e\|", _ZERO),
        _of_papers("gamma", _UNIT, r"\gamma", _ZERO),
        _of_papers("eapp", _NONNEGATIVE, r"\varepsilon_{app}", _ZERO),
        _of_papers("eNT", _POSITIVE, r"\varepsilon_{NT}", _ZERO),
        _of_papers("Gmax", _POSITIVE, r"\Gamma"),
        _of_papers("away", _NONNEGATIVE, r"\|V^{(1)} - V^*\|"),
        _of_papers("awayT", _NONNEGATIVE, r"\|V^{(T+1)} - V^*\|"),
        _of_papers("spread", _NONNEGATIVE, "r", _ZERO),
        _of_papers("plus", _STEPS, r"|S_+|"),
        _of_papers("minus", _STEPS, r"|S_-|"),
        # leaky ReLU, squared loss, several outputs
        _of_papers("slope", _REAL, r"\alpha"),
        _of_papers("outputs", _COUNT, "d"),
        _of_papers("chance", _UNIT),
        _of_papers("spectral", _NONNEGATIVE, r"\max_j |\lambda_j(W)|"),
        _of_papers("layerlow", _NONNEGATIVE, r"\min_l \lambda_{min}(K_l)"),
        _of_papers("back_part", _NONNEGATIVE, r"\Sigma_{M}"),
        _of_papers("fore_part", _NONNEGATIVE, r"\Sigma_{h}"),
        _of_papers("omega", _POSITIVE, r"\omega", _ZERO),
        _of_papers("jump", _DISTANCE, r"\kappa", _ZERO),
        _of_papers("fall0", _POSITIVE, r"1 - \hat{\gamma}(0)", _ZERO),
        _of_papers("angle", _NONNEGATIVE, r"\varphi", _ZERO),
        _of_papers("drift", _NONNEGATIVE, r"\|g_\ell'\|", _ZERO),
        _of_papers("drift1", _NONNEGATIVE, r"\|g_{\ell,1}'\|", _ZERO),
        _of_papers("drift2", _NONNEGATIVE, r"\|g_{\ell,2}'\|_\infty", _ZERO),
        _of_papers("risk", _NONNEGATIVE, r"\mathcal{L}"),
        _of_papers("gradF", _NONNEGATIVE, r"\|\nabla L\|_F"),
        _of_papers("gradop", _NONNEGATIVE, r"\|\nabla L\|_{op}"),
        _of_papers("gradvar", _NONNEGATIVE, r"\mathrm{Var}(\nabla L_i)"),
        _of_papers("clow", _POSITIVE, r"c_{\min}", _ZERO),
        _of_papers("growth", _POSITIVE, r"\beta"),
        _of_papers("shrink", _POSITIVE, r"\beta_{\min}", _ZERO),
        _of_papers("kerlow", _POSITIVE, r"\lambda_{\min}(K)", _ZERO),
        _of_papers("kerhigh", _POSITIVE, r"\lambda_{\max}(K)"),
        _of_papers("kerlim", _POSITIVE, r"\lambda_{\min}(K_\infty)", _ZERO),
        _of_papers("complexity", _NONNEGATIVE, r"\hat{\mathcal{R}}"),
        _of_papers("layersum", _NONNEGATIVE, r"\sum_l \|G_l\|_F"),
        _of_papers("steep", _NONNEGATIVE, r"\sum_i \|e_i\|^2"),
        # recurrent networks
        _of_papers("rho_", _POSITIVE, r"\rho"),
        _of_papers("varrho", _POSITIVE, r"\varrho"),
        _of_papers("rows", _COUNT, "N"),
        _of_papers("tau1", _POSITIVE, r"\tau_1"),
        _of_papers("tau2", _NONNEGATIVE, r"\tau_2"),
        _of_papers("tau4", _POSITIVE, r"\tau_4"),
        _of_papers("tau5", _POSITIVE, r"\tau_5"),
        _of_papers("acts", _COUNT, "(L - 1)"),
        _of_papers("g1", _NONNEGATIVE, r"\sqrt{m} \|g_1\|_\infty"),
        _of_papers("normg", _NONNEGATIVE, r"\|\tilde{g}_{\ell - 1}\|"),
        _of_papers("exponent", _NONNEGATIVE),
        _of_papers("inverse", _POSITIVE),
        _of_papers("deviation", _NONNEGATIVE),
        _of_papers("changes", _POSITIVE, r"\sum_i c_i^2"),
        _of_papers("change", _NONNEGATIVE),
        _of_papers("variables", _COUNT, "N"),
        _of_papers("mean", _NONNEGATIVE, r"\mu"),
        _of_papers("atypical", _UNIT, "p"),
        _of_papers("columns", _COUNT, r"\tilde{d}"),
        _of_papers("apart", _DISTANCE, r"\delta_0", _ZERO),
        _of_papers("dev", _POSITIVE, "t"),
        _of_papers("N4", _COUNT, "|N_4|"),
        _of_papers("betaminus", _POSITIVE, r"\beta_-", _ZERO),
        _of_papers("betaplus", _POSITIVE, r"\beta_+", _ZERO),
        _of_papers("chosen", _COUNT, "|N_2|"),
        _of_papers("worst", _NONNEGATIVE, r"\max\|loss\|"),
        _of_papers("carried", _NONNEGATIVE),
        _of_papers("turned", _STEPS),
        # residual networks
        _of_papers("ES", _UNIT, r"\mathcal{E}_S", _ZERO),
        _of_papers("sumpre", _NONNEGATIVE, r"\sum_k |w_k^T x|/\sqrt{m}"),
        _of_papers("gated", _NONNEGATIVE, r"\min_i y_i \langle \alpha, x_{L,i} \rangle \bar{\sigma}'_i"),
        _of_papers("rms", _NONNEGATIVE, r"\gamma_2", _ZERO),
        _of_papers("Cflip", _POSITIVE, "C_1"),
        _of_papers("Cmove", _POSITIVE, "C_3"),
        _of_papers("netmax", _NONNEGATIVE, r"\max_{\mathcal{N}} |g|"),
        _of_papers("corners", _COUNT, "N"),
        _of_papers("dead", _UNIT, r"\Pr[h_l = 0]", _ZERO),
        _of_papers("fall", _NONNEGATIVE, r"L_S - L_S'"),
        _of_papers("drop", _REAL, r"\min_k (L_S^{(k)} - L_S^{(k+1)})"),
        _of_papers("dfirst", _NONNEGATIVE, r"\|\hat{W}_1 - \tilde{W}_1\|", _ZERO),
        _of_papers("dskips", _NONNEGATIVE, r"\sum_r \|\hat{W}_r - \tilde{W}_r\|", _ZERO),
        _of_papers("dlast", _NONNEGATIVE, r"\|\hat{W}_{L+1} - \tilde{W}_{L+1}\|", _ZERO),
        # constants
        _info("C", "absolute constant of a bound", _POSITIVE),
        _of_papers("C0", _POSITIVE, "C_0"),
        _of_papers("C1", _POSITIVE, "C_1"),
        _of_papers("C2", _POSITIVE, "C_2"),
        _of_papers("Cbar", _POSITIVE, r"\bar{C}"),
        _info("c", "small absolute constant", _POSITIVE),
        _of_papers("c0", _POSITIVE, "c_0"),
        _of_papers("kappa", _POSITIVE, r"\kappa"),
    )
)


_OF_THE_SUITE = frozenset(SYMBOLS)

# By paper and name: what a symbol stands for there, where that is not what it stands for in general.
_MEANINGS: dict[str, dict[str, str]] = {}


def state_meanings(paper: str, meanings: Mapping[str, str]) -> None:
    """State what symbols stand for in a paper, by its key; there it counts before what they stand for in general.

    Raises :class:`UnknownSymbolError` for a name that is not declared, and :class:`SymbolError` for an empty meaning
    or one that differs from what was stated of the same paper before.
    """
    stated = _MEANINGS.setdefault(paper, {})
    for name, meaning in meanings.items():
        symbol(name)
        if not meaning.strip():
            raise SymbolError(f"the symbol {name} has no meaning in {paper}; say in a few words what it stands for")
        if stated.setdefault(name, meaning) != meaning:
            raise SymbolError(
                f"the symbol {name} stands for {stated[name]!r} in {paper} already, and not for {meaning!r}; "
                f"give a name one meaning"
            )


def meaning_of(name: str, paper: str) -> str:
    """What the symbol of that name stands for in a paper, or in general; empty where neither is stated."""
    return _MEANINGS.get(paper, {}).get(name) or SYMBOLS[name].meaning


def domain_of(name: str) -> Domain | None:
    """Where the symbol of that name takes its values; None for a name that is not declared."""
    info = SYMBOLS.get(name)
    return None if info is None else info.domain


def domain_elsewhere(name: str) -> Domain | None:
    """As `domain_of`, in a paper that is none of the suite's.

    A letter that each paper uses in a sense of its own has its sign there, which formulas rely on, and no further end.
    """
    domain = domain_of(name)
    if domain is None or SYMBOLS[name].meaning:
        return domain
    wide = (one for one in (_POSITIVE, _NONNEGATIVE, _REAL) if one.assumptions == domain.assumptions)
    return next(wide, domain)


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

    A name that is declared already with the same domain and the same end stays as it is; for another sense of it in
    your paper see :func:`state_meanings`. Raises
    :class:`SymbolError` for a name that is taken with another one, that a formula cannot hold, or an unknown domain.
    """
    if not (name.isidentifier() and name.isascii()) or keyword.iskeyword(name) or name in TAKEN:
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
    if name not in _OF_THE_SUITE and not known.meaning:
        # It was used before it was declared.
        known = SYMBOLS[name] = replace(known, meaning=meaning)
    if (known.domain, known.towards) != (info.domain, info.towards):
        raise SymbolError(
            f"the symbol {name} is declared already{f', as {known.meaning!r}' if known.meaning else ''} "
            f"({known.domain.text}, exponents read towards {known.towards}), which differs from {domain} towards "
            f"{info.towards}; take another name"
        )
    return known.symbol


def is_declared(name: str) -> bool:
    """Whether a formula may have this name, as a symbol or as what it reads otherwise."""
    return name in SYMBOLS or name in TAKEN


def note_use(name: str, positive: bool) -> None:
    """Let `name` be a symbol, positive or any real number, of which nobody has said yet what it stands for.

    Raises :class:`SymbolError` for a name that a formula cannot hold.
    """
    if not (name.isidentifier() and name.isascii()) or keyword.iskeyword(name):
        raise SymbolError(f"{name!r} cannot be the name of a symbol; take an identifier of ASCII letters")
    SYMBOLS.setdefault(name, _of_papers(name, _POSITIVE if positive else _REAL, sympy.latex(sympy.Symbol(name)))[1])


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
