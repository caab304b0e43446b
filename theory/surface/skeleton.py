"""A new claim file, with `...` wherever the reader has to write: `lemmata new KEY:STATEMENT --kind KIND`.

Such a block is refused when it loads, with a line that names what is still to be written; so it can never be judged as
it stands.

Main definitions: `main`, the command; `KINDS`; `skeleton`, the text of a file; `SkeletonError`.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from theory.claims.described import ID
from theory.claims.registry import is_claim_file
from theory.claims.selection import nearest
from theory.core.refusal import ClaimError
from theory.core.statements import THEMES, Paper
from theory.papers import beside, listed, unlisted
from theory.surface import settings

REFUSED = 4


class SkeletonError(Exception):
    """No file can be written as asked; the message says why in one line, and what to do."""


@dataclass(frozen=True)
class Kind:
    """What differs between claims: kind of statement, names imported, lines of the block, signature of the function."""

    kind: str
    vocabulary: str
    bound: str
    lines: str
    signature: str
    returns: str


KINDS: dict[str, Kind] = {
    "probability": Kind(
        kind="probability",
        vocabulary="Regime, Trials, claim, control, grid",
        bound="sqrt(20*log(2/delta)/m)",
        lines='regime=Regime(cells=grid(m=[256, 1024], delta=0.1)),\n    evidence=Trials(rate="delta"),',
        signature="rng: np.random.Generator, m: int) -> float",
        returns="a number, measured on one draw",
    ),
    "deterministic": Kind(
        kind="deterministic",
        vocabulary="Regime, Search, claim, control, grid, reals",
        bound="t*sqrt(m)",
        lines='regime=Regime(cells=grid(m=[4, 16]), draw={"t": reals(0.0, 1.0)}),  # a search chooses t and the draw\n'
        "    evidence=Search(examples=60),",
        signature="rng: np.random.Generator, m: int, t: float) -> float",
        returns="a number, measured on one instance",
    ),
    "expectation": Kind(
        kind="expectation",
        vocabulary="Mean, Regime, claim, control, grid",
        bound="5/m",
        lines="regime=Regime(cells=grid(m=[64, 1024])),\n"
        '    evidence=Mean(ratio=3.0, why="that of squared Gaussian numbers"),  # E[X^2] <= 3 E[X]^2; or a ceiling=',
        signature="rng: np.random.Generator, m: int) -> float",
        returns="a number that is never negative, measured on one draw",
    ),
    "constant": Kind(
        kind="asymptotic",
        vocabulary="Regime, Scaling, claim, control, grid",
        bound="C*sqrt(m)",
        lines='sense=">=",  # for Omega; leave it out for O\n'
        "    regime=Regime(calibration=grid(m=[64, 128, 256]), cells=grid(m=[512, 1024])),\n"
        '    evidence=Scaling(exponents={"m": "equal"}, constant="C"),',
        signature="rng: np.random.Generator, m: int) -> float",
        returns="a number, measured on one draw",
    ),
    "proof": Kind(
        kind="deterministic",
        vocabulary="Bound, Proof, Regime, Step, claim, control, grid, nonnegative, symbol",
        bound="1 - x/2",
        lines='measured=["x"],  # the symbols of the bound\n    regime=Regime(cells=grid()),\n    evidence=Proof(),',
        signature="bound: Bound) -> list[Step]",
        returns='steps, as in [Step("it is nowhere negative", nonnegative(bound.expr, symbol("x"), 0, 1))]',
    ),
}

FILE = '''"""{identifier}: what the statement says, in a sentence."""

{imports}from lemmata import {vocabulary}


@claim(
    "{identifier}",
{described}    bound=...,  # a formula as text, such as "{bound}"
    premises=[...],  # inequalities as text, such as "m >= 4*n"; [] if there are none
    {lines}
    controls=[control(..., bound=...)],  # what is wrong in words, and the wrong formula, which must be refuted
)
def {function}({signature}:
    """..."""  # what is measured, in a sentence
    return ...  # {returns}
'''

DESCRIBED = """    title=...,  # what is claimed, in a few words
    kind="{kind}",
{themes}
    theme=...,  # one of these
    source=...,  # where the statement stands, such as "Section 3, Lemma 2"
"""


def skeleton(identifier: str, kind: str, own: Paper | None = None) -> str:
    """The text of a claim file about the statement `identifier`, by a kind of `KINDS`, beside the record `own`.

    What a paper's record says of the statement is left out, as the claim takes it from there.
    """
    form = KINDS[kind]
    themes = textwrap.fill(", ".join(THEMES), 118, initial_indent="    # ", subsequent_indent="    # ")
    known = listed(identifier, own) is not None
    return FILE.format(
        identifier=identifier,
        imports="" if kind == "proof" else "import numpy as np\n\n",
        vocabulary=form.vocabulary,
        described="" if known else DESCRIBED.format(kind=form.kind, themes=themes),
        bound=form.bound,
        lines=form.lines,
        function=_name(identifier.split(":")[1]),
        signature=form.signature,
        returns=form.returns,
    )


def _name(text: str) -> str:
    """`text` as a part of the name of a file or a function."""
    name = re.sub("[^a-z0-9]+", "_", text.lower()).strip("_")
    return name if name[:1].isalpha() else f"statement_{name}".rstrip("_")


def write(identifier: str, kind: str, place: Path) -> Path:
    """Write the skeleton into the folder `place`, or as the file `place`, and return the file.

    Raises `SkeletonError` for an id that is none or that its paper does not list, a kind that is none, a place where no
    claims are found, and a file that is there already.
    """
    if not ID.fullmatch(identifier):
        raise SkeletonError(f"{identifier!r} is no id; write KEY:STATEMENT, as in du2018:lemma-3.1")
    if kind not in KINDS:
        raise SkeletonError(f"--kind: no kind {kind!r}; {nearest(kind, KINDS)}")
    key, name = identifier.split(":", 1)
    file = place / f"test_{_name(key)}_{_name(name)}.py" if place.is_dir() else place
    if not file.suffix and not is_claim_file(file, file.parent):
        raise SkeletonError(f"{place}: there is no such folder; make it first, or name a file test_....py")
    if not is_claim_file(file, file.parent):
        raise SkeletonError(f"{file}: no claims are looked for in a file of that name; call it test_....py")
    if not file.parent.is_dir():
        raise SkeletonError(f"{file.parent}: there is no such folder; make it first")
    own = beside(file.parent)
    if problem := unlisted(identifier, own):
        raise SkeletonError(f"{identifier}: {problem}")
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(skeleton(identifier, kind, own))
    except FileExistsError:
        raise SkeletonError(f"{file}: there is such a file already; give another one after the id") from None
    except OSError as error:
        raise SkeletonError(f"{file}: cannot be written: {error.strerror}") from None
    return file


class _Parser(argparse.ArgumentParser):
    """One whose refusals are one line, with the exit code of refused options."""

    def error(self, message: str) -> NoReturn:
        self.exit(REFUSED, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file that the command line asks for; return the exit code, 4 where that is refused."""
    parser = _Parser(prog="lemmata", description="Write the skeleton of a claim file.")
    parser.add_argument("command", choices=["new"])
    parser.add_argument("id", metavar="KEY:STATEMENT", help="the claim, as in du2018:lemma-3.1")
    parser.add_argument(
        "place", metavar="PLACE", nargs="?", default=".", help="a folder, by default this one, or a file"
    )
    parser.add_argument("--kind", required=True, metavar="KIND", help=", ".join(KINDS))
    given = parser.parse_intermixed_args(arguments)
    try:
        file = write(given.id, given.kind, Path(given.place))
    except (SkeletonError, ClaimError) as error:
        print(f"lemmata new: {error}", file=sys.stderr)
        return REFUSED
    print(f"{file}: write what stands as ... there, then run `lemmata check {file}`")
    if said := settings.ask_pytest(file.resolve().parent):
        print(said)
    return 0
