"""The claim block: a statement, its bound, where it is tested, and what would refute it.

Main definitions: the decorators `claim`, which makes a `theory.claims.block.Claim`, and `form`, which adds a bound to
what a block measures; `control`.

    @claim("mypaper:lemma-4", bound="16*l*sqrt(log(n/delta)/m)", premises=["m >= l**2*log(n/delta)"], ...)
    @form("sharp", bound="4*sqrt(l*log(n/delta)/m)", premises=["m >= l*log(n/delta)"], controls=[...])
    def norms(rng, m, n, l, delta, *, gain=2.0): ...
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack, cast

from bounds.bound import Bound
from bounds.premise import Premise
from theory.claims import registry
from theory.claims.block import Claim, Control, Plan
from theory.claims.checks import check
from theory.claims.described import description_of
from theory.claims.formulas import formulas_of, reason_for_none
from theory.claims.scoping import Block, scope_of
from theory.claims.written import SENSES, Form, Measuring, Premises, Site, Texts, Unread, Written, listed_premises
from theory.core.refusal import ClaimError, relative
from theory.core.scope import Scope, Scoped
from theory.core.values import Function, Values
from theory.core.verdict import Verdict
from theory.papers import beside, variant_of

# Why a claim without premises has none, where its block gives no other reason.
NO_PREMISE = "none is written: its author answers for it that whatever its sizes give is an instance of the statement"


def control(
    name: str,
    *,
    bound: Bound | str | None = None,
    cells: Sequence[Values] | None = None,
    without: Premises = (),
    **knobs: Any,
) -> Control:
    """A `Control`, with the measuring function's keyword arguments written as keywords.

    `without` is a premise of the claim, or several: the control is judged as if the statement did not ask for them. Of
    those that the cells decide, every one has to fail at a cell of the control, where all other premises hold.
    """
    places, dropped = None if cells is None else tuple(cells), listed_premises(without)
    read = tuple(premise for premise in dropped if isinstance(premise, Premise))
    if (bound is None or isinstance(bound, Bound)) and len(read) == len(dropped):
        return Control(name, bound, places, read, knobs)
    return Unread(name, None, places, (), knobs, bound, dropped)


def claim(statement: str, *, variant: str = "", **texts: Unpack[Texts]) -> Callable[[Function | Measuring], Claim]:
    """Declare the decorated measuring function to be a claim.

    `statement` is its id, `paper:name`. For a statement that the paper's data module lists, label, title, kind, theme
    and source come from there; a new lemma gives them here. A file named by a theme gives its blocks that one. A
    second claim about a listed statement (a corrected form, an exponent) is its variant: the id is the statement's
    followed by "-" and the name of the variant. Of a statement that no paper lists a variant is named by `variant`. All
    else that a block says is explained at `theory.claims.written.Texts`.

    Each `form` between it and the function is a claim as well. What is returned is that of the block itself.

    Raises `ClaimError` for an incomplete or contradictory block.
    """
    site = called_at()

    def write(measuring: Measuring) -> Written:
        about, named = (statement, variant) if variant else variant_of(statement, beside(site.folder))
        return Written.of(about, named, site, texts)

    return lambda measured: declared(write, measured)


def declared(write: Callable[[Measuring], Written], measured: Function | Measuring) -> Claim:
    """The claim of a block that `write` writes and those of its forms, checked and registered; the block's own.

    Raises `ClaimError` for an incomplete or contradictory block, unless its file is being loaded, which says so at its
    end; then what is returned is the function as it was.
    """
    measuring = measured if isinstance(measured, Measuring) else Measuring(measured)
    try:
        written = write(measuring)
        made = _declared(written, measuring.function)
        for other in measuring.forms:
            _declared(written.with_form(other), measuring.function)
    except ClaimError as refusal:
        if not registry.waits(refusal):
            raise
        return cast(Claim, measuring.function)
    return made


def form(
    variant: str = "", *, of: str = "", says: str = "", **texts: Unpack[Texts]
) -> Callable[[Function | Measuring], Measuring]:
    """Add a bound to what the block above measures: a claim of its own, with its own id, verdict and controls.

    It is the variant of that name of the block's statement, or is about the statement `of` of the same paper. What it
    does not write is as in the block, but for `note`, `expected`, `printed` and `figure`, and for another statement
    `title`, `kind`, `theme` and `source`. `says` goes on where the docstring of the function ends.

    Raises `ClaimError` where it stands above the claim.
    """
    site = called_at()
    added = Form(variant, of, says, site, texts)

    def add(measured: Function | Measuring) -> Measuring:
        if isinstance(measured, Claim):
            raise site.refuse(measured.id, f"its form {variant or of!r} stands above it; write it below claim(...)")
        below = measured if isinstance(measured, Measuring) else Measuring(measured)
        return Measuring(below.function, (added, *below.forms))

    return add


def called_at() -> Site:
    """Where the block stands that calls the decorator that asks; the registry is told that one begins there."""
    caller = sys._getframe(2)
    site = Site(caller.f_code.co_filename, caller.f_lineno)
    registry.call(*site)
    return site


def _declared(written: Written, function: Function) -> Claim:
    """The claim that is written, checked and registered. Raises `ClaimError`."""
    written.refuse_kinds()
    described = description_of(written, function)
    _refuse_gaps(written)
    texts = written.texts
    needless = reason_for_none(written)
    formulas = formulas_of(written, described.label)
    _refuse_contradictions(written)
    evidence, printed = texts["evidence"], texts["printed"]
    made = Claim(
        id=written.identifier,
        statement=written.statement,
        paper=written.statement.split(":")[0],
        label=described.label,
        title=described.title,
        kind=described.kind,
        theme=described.theme,
        source=described.source,
        uses=described.record.uses if described.record is not None else (),
        bound=formulas.bound,
        sense=texts["sense"],
        premises=formulas.premises,
        regime=texts["regime"],
        evidence=evidence,
        controls=formulas.controls,
        measured=tuple(texts["measured"]),
        ceiling=formulas.ceiling,
        probability=texts["probability"],
        entries=texts["entries"],
        expected=texts["expected"] or evidence.pass_verdict,
        printed=not written.variant if printed is None else printed,
        note=texts["note"],
        needs_none=needless or NO_PREMISE,
        blind=dict(texts["blind"]),
        rising=dict(texts["rising"]),
        idle=dict(texts["idle"]),
        function=function,
        says=written.says,
        form_of=written.form_of,
        file=relative(Path(written.site.file)),
        line=written.site.line,
        figure=texts["figure"],
        packages=dict(texts["packages"]),
        normalised=formulas.normalised,
        # Until the block is whole: what follows from it is found below.
        scope=Scoped(Scope.PART),
    )
    check(made, written.refuse, needs_meanings=not written.short)
    record = described.record
    listed_as = Block(
        texts["scope"], texts["independent"], record.kind if record else "", record.title if record else ""
    )
    made = replace(made, scope=scope_of(made, listed_as, written.refuse))
    registry.add(made, written.site)
    return made


def _refuse_gaps(written: Written) -> None:
    """Refuse a block without a bound, a regime or a plan of evidence, or one that should fail without a control."""
    texts = written.texts
    if texts.get("bound") is None:
        raise written.refuse('it has no bound; add bound="...", a formula such as "2*sqrt(n/m)"')
    regime = texts.get("regime")
    if regime is None or not regime.cells:
        raise written.refuse("it has no regime; add regime=Regime(cells=grid(...)) with the sizes to test it at")
    evidence = texts.get("evidence")
    if evidence is None:
        raise written.refuse("it has no evidence plan; add evidence=Search(...), Trials(...), ExactLaw(...) or another")
    if not isinstance(evidence, Plan):
        raise written.refuse(f"its evidence {evidence!r} is no plan; derive its class from lemmata.Plan")
    if not texts["controls"] and not (texts["expected"] or evidence.pass_verdict).is_pass:
        raise written.refuse("it has no negative control; add controls=[control('what is wrong', ...)] that must fail")


def _refuse_contradictions(written: Written) -> None:
    """Refuse a sense, a probability or an expected verdict that cannot be meant."""
    texts = written.texts
    if texts["sense"] not in SENSES:
        raise written.refuse(f"unknown sense {texts['sense']!r}; use one of {', '.join(SENSES)}")
    if texts["probability"] and texts["sense"] == "=":
        raise written.refuse(
            "a probability is bounded by 1 and 0, which an equality does not ask; leave probability out"
        )
    if texts["probability"] and texts["ceiling"] is not None:
        raise written.refuse("it is about a probability and gives a ceiling besides; leave the ceiling out")
    if texts["expected"] is Verdict.ERROR:
        raise written.refuse("it expects an error, which says nothing of the statement; expect another verdict")
