"""The record of a paper's statements: what each says in a few words, where it stands, and how it is covered.

Main definitions: `Statement`, `Paper`, the coverage classes `ByClaim`, `ByDefinition`, `Through` and `Open`,
`Suspect` for what is doubtful about a printed form and how that was decided, `Version` for claims that stand side by
side, the vocabularies `THEMES`, `STATEMENT_KINDS` and `DECISIONS`, and `check_references`. The papers themselves are
modules of `theory.papers`.
"""

from __future__ import annotations

import graphlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

THEMES: dict[str, str] = {
    "norm_preservation": "a random layer keeps the norm of what enters it",
    "separation": "distinct inputs stay apart from layer to layer",
    "sparse_spectral": "operator norms of masked weight products, on all vectors and on sparse ones",
    "forward_stability": "pre-activations, outputs and activation patterns under perturbed weights",
    "semi_smoothness": "first-order expansion of the output or the loss despite kinks",
    "gradient_lower_bound": "a large loss forces a large gradient",
    "gradient_upper_bound": "the gradient in closed form and how large it can be",
    "smoothness": "quadratic upper bounds and the effect of one step",
    "convergence": "losses, training and how fast it reaches a small loss",
    "stochastic_convergence": "mini-batch steps and what they reach",
    "ntk": "the tangent kernel: its limit, concentration and smallest eigenvalue",
    "generalisation": "error on unseen points and complexity of the hypothesis class",
    "initialisation": "the network and its law before the first step",
    "activation": "properties of the activation function alone",
    "parameter_chains": "conditions on width, radius and step size that imply one another",
    "scalar_inequalities": "inequalities between numbers and tails of sums that proofs lean on",
    "experiments": "tables and figures of trained networks, measured again",
    "unsorted": "claims of a reader's own that name no theme",
}

# The theme of a lemma that says none.
UNSORTED = "unsorted"

STATEMENT_KINDS: dict[str, str] = {
    "definition": "fixes an object; there is nothing to refute",
    "assumption": "a condition on data, loss or sizes that later statements take for granted",
    "deterministic": "an identity or inequality for all weights, points or parameters of a stated set",
    "probability": "an inequality that fails with at most a stated probability",
    "expectation": "an equality or inequality between means",
    "asymptotic": "an order of growth with unstated constants",
    "convergence": "what a training algorithm, or a recursion that models it, reaches and when",
    "implication": "one set of conditions on the parameters implies another",
    "experiment": "what a table or a figure says of trained networks",
}

FALSE, NOT_REPRODUCED = "false as printed", "not reproduced"
# Where a claim on the form is refuted.
REFUTED_FORMS = (FALSE, NOT_REPRODUCED)
DECISIONS: dict[str, str] = {
    FALSE: "a claim on the printed form is refuted, for every choice of constants that print leaves open; a corrected "
    "one stands beside it",
    NOT_REPRODUCED: "a claim on what a figure or a table shows is refuted on data and at sizes of ours, which decides "
    "nothing about those of the paper",
    "gap in the proof": "the argument as printed does not give the statement; the statement itself was tested",
    "slip of print": "the intended reading is plain, and it is what was tested",
    "no error": "the doubt was looked into and did not hold",
}


class StatementError(ValueError):
    """A record of a paper contradicts itself; the message names the statement and what to change."""


@dataclass(frozen=True)
class ByClaim:
    """Tested by a claim that names this statement."""


@dataclass(frozen=True)
class ByDefinition:
    """Fixed by code: `where` is the dotted path of the object, `tested` the test file that pins it."""

    where: str
    tested: str


@dataclass(frozen=True)
class Through:
    """Implied by the statements `ids`, each covered by a claim or by definition; `why` gives the argument."""

    ids: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Open:
    """Not tested; `reason` says what a test would need."""

    reason: str


Coverage = ByClaim | ByDefinition | Through | Open


@dataclass(frozen=True)
class Suspect:
    """What is doubtful about a printed form, and how the doubt was decided.

    `decision` is one of `DECISIONS` and `why` the argument for it, on which notes in blocks rely. `refuted` names
    the claims on the printed form that are expected to be refuted, `tested` those that stand for it: a corrected form,
    or the statement itself. Both are ids as after `--claim`.

    Raises `StatementError` for an empty text, an unknown decision, or a form called false that nothing refutes.
    """

    what: str
    decision: str
    why: str
    refuted: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (self.what.strip() and self.why.strip()):
            raise StatementError(
                "a doubt has no text or no argument; write what is doubtful, and why it was decided so"
            )
        if self.decision not in DECISIONS:
            raise StatementError(f"unknown decision {self.decision!r} of a doubt; use one of {', '.join(DECISIONS)}")
        if (self.decision in REFUTED_FORMS) != bool(self.refuted):
            raise StatementError(
                f"a doubt is decided as {self.decision!r} with the refuted claims {list(self.refuted)};"
                f" a form is {' or '.join(REFUTED_FORMS)} exactly where a claim on it is refuted"
            )


@dataclass(frozen=True)
class Statement:
    """One statement of a paper.

    `id` is `paper:name`; `label` is the paper's own number for it; `locator` says where it stands; `coverage` need not
    be said of a record beside claims, where it follows from these (`theory.papers.check_records`); `uses` lists the ids
    of the statements it rests on; `suspect`, if there is a doubt about the printed form or its
    proof, says which and how it was decided.

    Raises `StatementError` for an empty text or a word outside the vocabularies.
    """

    id: str
    label: str
    title: str
    kind: str
    theme: str
    locator: str
    coverage: Coverage = Open("no claim is about it yet")
    uses: tuple[str, ...] = ()
    suspect: Suspect | None = None

    def __post_init__(self) -> None:
        for name in ("label", "title", "locator"):
            if not getattr(self, name).strip():
                raise StatementError(f"statement {self.id} has no {name}; write one")
        if self.kind not in STATEMENT_KINDS:
            raise StatementError(
                f"statement {self.id} has unknown kind {self.kind!r}; use one of {', '.join(STATEMENT_KINDS)}"
            )
        if self.suspect is not None and self.suspect.decision == NOT_REPRODUCED and self.kind != "experiment":
            raise StatementError(
                f"statement {self.id} is decided as {NOT_REPRODUCED!r} and of the kind {self.kind!r};"
                " only an experiment can be repeated on other data"
            )
        if self.theme not in THEMES:
            raise StatementError(
                f"statement {self.id} has unknown theme {self.theme!r}; use one of {', '.join(THEMES)}"
            )


@dataclass(frozen=True)
class Version:
    """A claim on a quantity that other papers bound as well: what is said of one `quantity` stands side by side.

    `claim` is an id as after `--claim`. One version of a quantity leads, and says under which `theme` all stand: where
    it was judged the bounds of all are evaluated, each with what `renamed` says of its own symbols, the name or the
    number that a symbol has there. A bound that needs more is left out, and so is one that is `apart`: about another
    part or measure of the quantity, as this says after "its bound is", so that numbers would not compare.

    Raises `StatementError` for an unknown theme.
    """

    quantity: str
    claim: str
    theme: str = ""
    renamed: Mapping[str, str | float] = field(default_factory=dict)
    apart: str = ""

    def __post_init__(self) -> None:
        if self.theme and self.theme not in THEMES:
            raise StatementError(
                f"the version {self.claim} has unknown theme {self.theme!r}; use one of {', '.join(THEMES)}"
            )


@dataclass(frozen=True)
class Paper:
    """A paper and all its statements, in the order of the paper; `versions` are claims that stand beside other papers'.

    `url` is where it can be read. `setting` is what its blocks take for granted unless they say otherwise: the
    network and its letters, how weights are drawn, losses, norms. Raises `StatementError` if an id does not start
    with the paper's key or occurs twice.
    """

    key: str
    title: str
    authors: tuple[str, ...]
    year: int
    statements: tuple[Statement, ...]
    versions: tuple[Version, ...] = ()
    url: str = ""
    setting: str = ""

    def __post_init__(self) -> None:
        if self.url and not self.url.startswith("https://"):
            raise StatementError(f"the url of paper {self.key} is {self.url!r}; give one that starts with https://")
        for version in self.versions:
            if not version.claim.startswith(f"{self.key}:"):
                raise StatementError(
                    f"the version {version.claim} stands in paper {self.key}; its id must start with {self.key}:"
                )
        for identifier, count in Counter(statement.id for statement in self.statements).items():
            if not identifier.startswith(f"{self.key}:"):
                raise StatementError(
                    f"statement {identifier} stands in paper {self.key}; its id must start with {self.key}:"
                )
            if count > 1:
                raise StatementError(f"statement {identifier} occurs {count} times in paper {self.key}; rename one")

    def find(self, identifier: str) -> Statement | None:
        """The statement of that id, if the paper has one."""
        return next((statement for statement in self.statements if statement.id == identifier), None)


def ids(key: str, *names: str) -> tuple[str, ...]:
    """Ids of the statements `names` of the paper `key`."""
    return tuple(f"{key}:{name}" for name in names)


def check_references(statements: Mapping[str, Statement]) -> None:
    """Raise `StatementError` if statements name ids that do not exist or that cannot be relied on.

    So `uses` has no cycle, and what a statement is covered through has a claim or an implementation itself.
    """
    for statement in statements.values():
        for used in statement.uses:
            if used not in statements:
                raise StatementError(f"statement {statement.id} uses {used}, which no paper lists; correct the id")
        if isinstance(statement.coverage, Through):
            for target in statement.coverage.ids:
                covered = f"statement {statement.id} is covered through {target}, which"
                if target not in statements:
                    raise StatementError(f"{covered} no paper lists; correct the id")
                if not isinstance(statements[target].coverage, ByClaim | ByDefinition):
                    raise StatementError(
                        f"{covered} has neither a claim nor an implementation; name statements that have one"
                    )
    graph = {identifier: statement.uses for identifier, statement in statements.items()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        raise StatementError(
            f"the proofs go in a circle: {' <- '.join(error.args[1])}; remove the `uses` that closes it"
        ) from None
