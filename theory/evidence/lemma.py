"""The short form of a claim: a lemma in a line and a function, translated into the block that `claim` would be given.

    @lemma("arora2019 Lemma C.1", "C*n*sqrt(log(n/delta))/sqrt(m)", whp="delta", m=[64, 4096], n=[2, 32], C="fit")
    def gram_at_start(rng, X, m, kappa=1.0): ...

Main definition: `lemma`. What it makes is a claim like any other, judged by the same plans.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bounds.symbols import SymbolError, is_declared, note_use, state_meanings
from theory.claims.block import Claim, Plan
from theory.claims.declaration import called_at, declared
from theory.claims.points import POINTS
from theory.claims.regime import Regime
from theory.claims.scoping import CHOSEN
from theory.claims.selection import nearest
from theory.claims.written import Measuring, Site, Texts, Unread, Written, listed_premises, with_sense
from theory.core.statements import UNSORTED, Paper
from theory.core.values import Function, Values
from theory.evidence.mean import Mean
from theory.evidence.proof import Proof
from theory.evidence.scaling import Scaling
from theory.evidence.search import Search
from theory.evidence.short_sizes import (
    OF_A_CONSTANT,
    OF_EXPONENTS,
    USUAL_POINTS,
    USUAL_RATE,
    SizeError,
    Sizes,
    is_formula,
    symbols_of,
)
from theory.evidence.trials import Trials
from theory.papers import beside, by_label, labelled

# Absolute constants are called so; other names are sizes or symbols.
CONSTANT = re.compile(r"[Cc](?:\d+|_\w+)?")
FIT = "fit"

# The failure probability of a bound that does not depend on it.
USUAL_NAME = "delta"

# The hidden constant of an order that names none.
HIDDEN = "C"

# A constant that is fitted alone is `MARGIN` times a ratio that so large a part of the failure rate exceeds among so
# many replicates: with a larger one a wrong exponent would hide in it. Where nothing is drawn, so many replicates, all
# alike, tell whether the bound is missed.
REPLICATES, MARGIN, SPARED, ALIKE = 128, 1.25, 0.25, 8

# One in so many of them judges a larger size, where none misses the bound: 64 then miss a failure rate of 0.1 with a
# chance of 0.001, and others are drawn where some miss it, or where they leave open a wrong bound that all may refute.
FIRST = 2

# How an exponent that is measured has to compare with that of a bound of this sense.
_AGREEMENT = {"<=": "at most", ">=": "at least"}

# What a claim is about, by the keyword that says so.
_WAYS = ("whp", "mean", "order", "equals", "proof")

# Where a docstring has its first sentence.
_SENTENCE = re.compile(r"(.+?)(?:\.\s|\.$|\n\n|$)", re.DOTALL)


def lemma(
    name: str,
    bound: str,
    *,
    whp: str | float | None = None,
    mean: bool | Mapping[str, Any] = False,
    order: str | Sequence[str] | Mapping[str, str] = (),
    equals: bool = False,
    proof: bool = False,
    variant: str = "",
    replicates: int = 0,
    meanings: Mapping[str, str] | None = None,
    least: Mapping[str, float | str] | None = None,
    most: Mapping[str, float | str] | None = None,
    **given: Any,
) -> Callable[[Function | Measuring], Claim]:
    """Declare the decorated function to measure what a lemma bounds.

    Parameters
    ----------
    name
        Key of the paper and label of the statement, as in ``"arora2019 Lemma C.1"``; its id is then
        ``arora2019:lemma-C.1``, or that of the statement with this label where a `paper.py` lists one.
    bound
        The formula, after ``>=`` or ``=`` where what is measured is not at most that.
    whp
        It may fail with this probability, a symbol or a number: judged by `Trials`.
    mean
        The bound is one of the mean of what is measured: judged by `Mean`, with these keywords where it is a mapping,
        as in ``mean={"ceiling": 1.0}``. Without a ceiling or a second moment a mean from above is never supported.
    order
        The sizes whose exponents are claimed, up to a hidden constant: judged by `Scaling`. Of ``<=`` the measured
        exponent has to be at most that of the bound, of ``>=`` at least; a mapping says it for each size.
    equals, proof
        An equality, as ``=`` before the bound says too; steps that are decided for all values of the symbols.
        With none of these five, a `Search` for a counterexample.
    replicates
        How often each size is measured for an order or a constant that is fitted, where the usual number leaves it
        undecided.
    variant
        A second claim on the same statement is called so.
    meanings
        What symbols stand for; one that nobody explains is a remark of the row.
    least, most
        The sizes between which there is anything to measure, as in ``least={"d": 2}``, those of `Regime`; ``--at``
        refuses others with a line.
    given
        Sizes: a number, a list (`theory.evidence.short_sizes` says which cells that makes), a formula in other sizes,
        `reals(...)` or `choices(...)` for a search, or a function of the points `X`, `y` and other sizes, by name.
        Constants, which are called C, c, C1 and so on: a number, which the row says was chosen by its author, or
        ``"fit"`` for one that is fitted on the smaller sizes and has to be enough at the larger ones. Any field of
        `claim`: premises, controls, title, expected and the others of `theory.claims.written.Texts`.

    The title is the first sentence of the docstring. Parameters `X` and `y` are points and labels, drawn once for each
    (n, d), by default (8, 16), and the same at every width; `delta` is 0.1 unless it is given; a parameter with a
    default is a size with that value.

    Raises `ClaimError` for an incomplete or contradictory block.
    """
    site = called_at()
    ways = dict(zip(_WAYS, (whp, mean, order, equals, proof), strict=True))

    limits = {"least": least or {}, "most": most or {}}

    def write(measuring: Measuring) -> Written:
        return _Short(name, bound, ways, variant, replicates, meanings or {}, limits, given, site, measuring).written

    return lambda measured: declared(write, measured)


@dataclass(frozen=True)
class _Short:
    """A lemma as it is written, with its function and the forms between the two."""

    name: str
    text: str
    ways: Values
    variant: str
    replicates: int
    meanings: Mapping[str, str]
    limits: Mapping[str, Mapping[str, float | str]]
    given: Values
    site: Site
    measuring: Measuring

    @property
    def written(self) -> Written:
        """The block that it stands for. Raises `ClaimError` for what no block can be made of."""
        try:
            return self._written
        except (SizeError, SymbolError, KeyError) as error:
            raise self._refuse(str(error)) from None

    @property
    def _written(self) -> Written:
        self._refuse_ways()
        self._declare_symbols()
        sizes, plan = self._sizes, self._plan
        self._refuse_unused(sizes)
        regime = self._regime(sizes, plan)
        self._refuse_no_search(sizes, regime, plan)
        texts: dict[str, Any] = {
            "bound": self._bound,
            "sense": self._sense,
            "regime": regime,
            "evidence": plan,
            **self._described,
        }
        if chosen := self._chosen:
            texts["constants"] = {name: (value, CHOSEN) for name, value in chosen.items()}
        if measured := self._measured(sizes, plan):
            texts["measured"] = measured
        if "constants" in self._fields:
            texts["constants"] = {**texts.get("constants", {}), **self._fields["constants"]}
        texts |= {name: text for name, text in self._fields.items() if name != "constants"}
        made: Texts = texts  # type: ignore[assignment]
        return Written.of(self._id, self.variant, self.site, made, short=True)

    def _refuse(self, problem: str) -> Exception:
        return self.site.refuse(self._id or self.name, problem)

    # ------------------------------------------------------------------------- id

    @property
    def _own(self) -> Paper | None:
        return beside(self.site.folder)

    @property
    def _label(self) -> str:
        """What the paper calls it."""
        return "" if ":" in self.name.split(" ")[0] else self.name.partition(" ")[2].strip()

    @property
    def _id(self) -> str:
        if not self._label:
            return self.name
        key = self.name.partition(" ")[0]
        found = labelled(key, self._label, self._own)
        return found.id if found is not None else f"{key}:{by_label(self._label)}"

    @property
    def _described(self) -> dict[str, str]:
        """Title, kind, theme and source, where no list of its paper has them."""
        if self._label and labelled(self.name.partition(" ")[0], self._label, self._own) is not None:
            return {}
        first = _SENTENCE.match(inspect.cleandoc(self.measuring.function.__doc__ or ""))
        label = self._label or self.name
        return {
            "title": " ".join(first[1].split()) if first is not None else label,
            "kind": self._kind,
            "theme": UNSORTED,
            "source": label,
        }

    @property
    def _kind(self) -> str:
        if self.ways["whp"] is not None:
            return "probability"
        if self.ways["mean"]:
            return "expectation"
        return "asymptotic" if self.ways["order"] or self._fitted else "deterministic"

    # ------------------------------------------------------------------- keywords

    @property
    def _fields(self) -> dict[str, Any]:
        """What stands there as in a full block."""
        return {name: value for name, value in self.given.items() if name in Texts.__annotations__}

    @property
    def _others(self) -> dict[str, Any]:
        return {name: value for name, value in self.given.items() if name not in Texts.__annotations__}

    @property
    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.measuring.function).parameters

    def _is_constant(self, name: str) -> bool:
        return CONSTANT.fullmatch(name) is not None and name not in self._parameters

    @property
    def _fitted(self) -> str:
        """The constant that is to be fitted; empty where none is."""
        found = [name for name, value in self._others.items() if isinstance(value, str) and value == FIT]
        if self.ways["order"] and not found:
            return HIDDEN
        return found[0] if found else ""

    @property
    def _chosen(self) -> dict[str, Any]:
        """The constants that have a value here."""
        return {n: v for n, v in self._others.items() if self._is_constant(n) and n != self._fitted}

    @property
    def _given_sizes(self) -> dict[str, Any]:
        return {n: v for n, v in self._others.items() if n not in self._chosen and n != self._fitted}

    # ------------------------------------------------------------------- formulas

    @property
    def _sense(self) -> str:
        return "=" if self.ways["equals"] else with_sense(self.text)[0] or "<="

    @property
    def _bound(self) -> str:
        text = with_sense(self.text)[1]
        hidden = self.ways["order"] and HIDDEN not in symbols_of(text) and self._fitted == HIDDEN
        return f"{HIDDEN}*({text})" if hidden else text

    @property
    def _formulas(self) -> list[str]:
        """All formulas that are text, those of forms and controls included."""
        blocks: list[Values] = [self._fields, *(form.texts for form in self.measuring.forms)]
        found: list[Any] = [self._bound]
        for texts in blocks:
            found += [texts.get("bound"), texts.get("ceiling"), *texts.get("normalised", {}).values()]
            premises = texts.get("premises") or ()
            found += [p for p in listed_premises(premises) if not str(p).startswith("none needed")]
            for control in texts.get("controls", ()):
                found += [control.written, *control.dropped] if isinstance(control, Unread) else []
        if isinstance(mean := self.ways["mean"], Mapping):
            found += [mean.get("ceiling"), mean.get("ratio")]
        given = self._given_sizes
        found += [v for v in given.values() if isinstance(v, str) and is_formula(v, given)]
        return [text.rpartition(":")[2] for text in found if isinstance(text, str)]

    @property
    def _names(self) -> tuple[str, ...]:
        """The symbols and constants of all formulas."""
        return tuple(dict.fromkeys(name for text in self._formulas for name in _sides(text)))

    def _declare_symbols(self) -> None:
        """Let every symbol that is used be known, and those of `meanings` mean what is said there."""
        values = self._given_sizes
        for name in self._names:
            if not is_declared(name):
                note_use(name, positive=_is_positive(values.get(name)))
        if unknown := [name for name in self.meanings if not is_declared(name)]:
            raise SizeError(
                f"it says what {unknown[0]!r} means, which no formula has; {nearest(unknown[0], self._names)}"
            )
        state_meanings(self._id.partition(":")[0], self.meanings)

    # ---------------------------------------------------------------- what is made

    @property
    def _plan(self) -> Plan:
        if self.replicates and not (self.ways["order"] or self._fitted):
            raise SizeError(
                f"replicates={self.replicates!r} is for an order or a constant that is fitted; leave it out, or write "
                f'order= or C="fit"'
            )
        if "evidence" in self._fields:
            plan: Plan = self._fields["evidence"]
            return plan
        order, whp, given = self.ways["order"], self.ways["whp"], self.replicates
        if order:
            named = order if isinstance(order, Mapping) else dict.fromkeys([order] if isinstance(order, str) else order)
            agreements = {name: said or _AGREEMENT.get(self._sense, "equal") for name, said in named.items()}
            return Scaling(agreements, constant=self._fitted, **({"replicates": given} if given else {}))
        if self._fitted:
            spared = SPARED * self._rate if whp is not None else 0.0
            drawn = "rng" in self._parameters
            return Scaling(
                {},
                constant=self._fitted,
                replicates=given or (REPLICATES if drawn else ALIKE),
                margin=MARGIN,
                rate=self._rate,
                spared=spared,
                first=FIRST if drawn else 1,
            )
        if whp is not None:
            return Trials(rate=whp)
        if self.ways["mean"]:
            known = self.ways["mean"]
            return Mean(**known) if isinstance(known, Mapping) else Mean()
        return Proof() if self.ways["proof"] else Search()

    @property
    def _rate(self) -> float:
        """The failure rate that is allowed at a size where a fitted constant is judged: one for all sizes."""
        whp = self.ways["whp"]
        said = self._given_sizes.get(whp, USUAL_RATE) if isinstance(whp, str) else whp
        if said is None:
            return USUAL_RATE
        if not isinstance(said, int | float):
            raise SizeError(f"{whp}={said!r}: a constant is fitted at one failure rate; write one number")
        return float(said)

    @property
    def _sizes(self) -> Sizes:
        """Its sizes, with what is usual where it says nothing."""
        found = Sizes.of(self._given_sizes)
        usual: dict[str, Any] = {}
        parameters = self._parameters.values()
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        usual |= {p.name: p.default for p in parameters if p.kind in kinds and p.default is not p.empty}
        if self._has_points(found):
            usual |= {name: value for name, value in USUAL_POINTS.items() if name not in usual}
        rate = self.ways["whp"]
        if isinstance(rate, str) or USUAL_NAME in self._names:
            usual |= {rate if isinstance(rate, str) else USUAL_NAME: USUAL_RATE}
        return found.with_usual(usual)

    def _has_points(self, sizes: Sizes) -> bool:
        return bool(sizes.from_data) or bool(set(POINTS) & set(self._parameters) - sizes.known)

    def _regime(self, sizes: Sizes, plan: Plan) -> Regime:
        points, fits = self._has_points(sizes), 0
        if plan.fits:
            fits = OF_EXPONENTS if self.ways["order"] else OF_A_CONSTANT
        try:
            return replace(sizes.regime(points, fits), least=self.limits["least"], most=self.limits["most"])
        except ValueError as error:
            raise SizeError(str(error)) from None

    def _measured(self, sizes: Sizes, plan: Plan) -> tuple[str, ...]:
        """The symbols of the formulas that nothing here gives a value: the function reports them."""
        stated = {*self._chosen, self._fitted, *self._fields.get("constants", {})}
        found = tuple(name for name in self._names if name not in sizes.known and name not in stated)
        if constants := [name for name in found if self._is_constant(name)]:
            raise SizeError(
                f"{constants[0]} has no value; write {constants[0]}=1, a value that you choose, or "
                f'{constants[0]}="{FIT}"'
            )
        if found and plan.fits:
            raise SizeError(
                f"{found[0]} is no size here, and where a constant is fitted the function reports no symbol of the "
                f"bound; divide what is measured by it, or give the constant a value"
            )
        return found

    def _refuse_unused(self, sizes: Sizes) -> None:
        """Refuse a name that nothing has a use for: a field that is misspelt would be taken for a size."""
        made = [*self._given_sizes.values(), *self.ways.values()]
        used = {*self._parameters, *self._names, *(name for value in made for name in _named(value))}
        for form in self.measuring.forms:
            used |= set(form.texts)
        if self._has_points(sizes):
            used |= set(USUAL_POINTS)
        for name in self._others:
            if name not in used:
                fields = set(Texts.__annotations__) | set(_WAYS) | {"variant", "meanings", *self.limits}
                raise SizeError(
                    f"{name} is no field of a lemma, no parameter of its function and in none of its formulas; "
                    f"{nearest(name, fields | used)}"
                )

    def _refuse_no_search(self, sizes: Sizes, regime: Regime, plan: Plan) -> None:
        """Refuse a search over points that are drawn once for each size, with nothing else that it could choose."""
        taken = [name for name in POINTS if name in self._parameters and name not in sizes.known]
        if plan == Search() and taken and "rng" not in self._parameters and not regime.draw:
            raise SizeError(
                f"{taken[0]} is drawn once for each size, so that a search has nothing to choose; take rng in its "
                f"place and draw the points, as in X = sphere(n, d, rng) with sphere from lemmata.nets"
            )

    def _refuse_ways(self) -> None:
        """Refuse two ways of being judged at once, and a fit where nothing is fitted."""
        if not self._label and ":" not in self.name:
            raise SizeError(
                f'its name has no statement; write the key of the paper and what that calls it, as in "{self.name} '
                f'Lemma C.1", or an id `paper:statement`'
            )
        used = [way for way, said in self.ways.items() if said not in (None, False, (), "")]
        if len(used) > 1:
            raise SizeError(f"it says {' and '.join(f'{way}=' for way in used)}, which are different ways to judge it")
        rate, known = self.ways["whp"], {*self._names, *self._others, *self._parameters, USUAL_NAME}
        if isinstance(rate, str) and rate not in known:
            raise SizeError(
                f"whp={rate!r} is in none of its formulas and no size or parameter; {nearest(rate, known)}; write the "
                f"symbol of its failure probability, or a number"
            )
        fitted = [name for name, value in self._others.items() if isinstance(value, str) and value == FIT]
        if len(fitted) > 1:
            raise SizeError(f"{' and '.join(fitted)} are both to be fitted; fit one and give the others values")
        if fitted and (never := [way for way in used if way in ("mean", "equals", "proof")]):
            raise SizeError(f"{fitted[0]} cannot be fitted with {never[0]}=; give it a value")
        premises = listed_premises(self._fields.get("premises") or ())
        if self._fitted and (of := [p for p in premises if self._fitted in _sides(str(p).rpartition(":")[2])]):
            raise SizeError(
                f"{self._fitted} is fitted, and stands in the premise {of[0]}; call the constant there C1, and give it "
                f"a value"
            )
        taken = {name for name in self._others if name in self._parameters}
        if keyword_only := sorted(n for n in taken if self._parameters[n].kind is inspect.Parameter.KEYWORD_ONLY):
            raise SizeError(
                f"{keyword_only[0]} is a size and a keyword-only parameter, which only controls set; leave out the * "
                f"before it"
            )


def _sides(text: str) -> tuple[str, ...]:
    """The names on both sides of an inequality, or in a formula."""
    return tuple(dict.fromkeys(name for side in re.split("[<>=]+", text) for name in symbols_of(side)))


def _is_positive(value: object) -> bool:
    """Whether a symbol with this value, or these, is taken to be positive; one that is measured or drawn is not."""
    values = value if isinstance(value, list | tuple) else [value]
    return all(isinstance(v, int | float) and v > 0 for v in values)


def _named(value: object) -> tuple[str, ...]:
    """The names of sizes that a size or a way of being judged takes: those of a formula, a function's parameters."""
    if callable(value):
        return tuple(inspect.signature(value).parameters)
    if isinstance(value, str):
        return (value,) if value.isidentifier() else symbols_of(value)
    return tuple(value) if isinstance(value, list | tuple | Mapping) and all(isinstance(v, str) for v in value) else ()
