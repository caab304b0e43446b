"""The suite as a whole: claims and paper records agree both ways, and the README shows claims that exist."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
import sympy
from hypothesis import Phase, find, settings
from hypothesis import strategies as st

from bounds.bound import Bound
from bounds.premise import Premise
from theory.claims import registry
from theory.claims.block import Claim, Control
from theory.claims.declaration import NO_PREMISE
from theory.claims.regime import Cell, choices
from theory.claims.scoping import own_constants
from theory.claims.sites import python_files
from theory.core.budget import FALSE_ALARM_BUDGET, shares
from theory.core.statements import FALSE, ByClaim, Through
from theory.core.verdict import NONE_NEEDED, Verdict
from theory.evidence import ExactLaw, Proof
from theory.papers import papers
from theory.reports.errata import errata_claims

pytestmark = pytest.mark.reads_claims

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def suite() -> list[Claim]:
    """Every claim below properties/, found at run time."""
    return [claim for claim in registry.load_claims() if claim.file.startswith("properties")]


def test_every_statement_listed_as_claimed_has_a_claim_under_its_own_id(suite: list[Claim]) -> None:
    claimed = {s.id for paper in papers().values() for s in paper.statements if isinstance(s.coverage, ByClaim)}
    assert claimed - {claim.id for claim in suite} == set()


def test_every_claim_on_a_listed_paper_is_listed_as_claimed(suite: list[Claim]) -> None:
    for claim in suite:
        if claim.paper in papers():
            record = papers()[claim.paper].find(claim.statement)
            assert record is not None, f"{claim.id} is about no statement of {claim.paper}"
            assert isinstance(record.coverage, ByClaim), f"{claim.id} is claimed but listed as {record.coverage}"


def test_what_is_covered_through_others_ends_at_claims_that_exist(suite: list[Claim]) -> None:
    ids = {claim.id for claim in suite}
    for paper in papers().values():
        for statement in paper.statements:
            if isinstance(statement.coverage, Through):
                for other in statement.coverage.ids:
                    record = paper.find(other)
                    assert record is not None
                    assert not isinstance(record.coverage, ByClaim) or other in ids


def test_every_decision_on_a_doubt_names_claims_that_say_so(suite: list[Claim]) -> None:
    expected = {claim.id: claim.expected for claim in suite}
    for paper in papers().values():
        for statement in paper.statements:
            if statement.suspect is not None:
                assert all(expected[name] is Verdict.REFUTED for name in statement.suspect.refuted), statement.id
                assert all(expected[name] is not Verdict.REFUTED for name in statement.suspect.tested), statement.id


# What the record of a form says that no choice of its hidden constants saves.
EVERY_CONSTANT = re.compile(r"\b(every|any|no|each|whatever)\b[^.]{0,25}\bconstants?\b|\bno [^.]{0,25} will do\b")


def test_a_form_with_open_constants_is_called_false_where_no_choice_of_these_saves_it(suite: list[Claim]) -> None:
    """Claims on it take constants of the project's own, so that its record has to argue for all others."""
    chosen = {claim.id for claim in suite if own_constants(claim)}
    for paper in papers().values():
        for statement in paper.statements:
            doubt = statement.suspect
            if doubt is not None and doubt.decision == FALSE and set(doubt.refuted) <= chosen:
                assert EVERY_CONSTANT.search(doubt.why), statement.id


def test_every_claim_expected_to_be_refuted_is_an_erratum(suite: list[Claim]) -> None:
    refuted = {claim.id for claim in suite if claim.expected is Verdict.REFUTED}
    assert refuted == {name for name in errata_claims() if name in refuted}


def test_every_claim_expected_to_be_refuted_states_the_printed_form(suite: list[Claim]) -> None:
    """And of the other variants none does, so that what a paper prints is judged by the claims that say so."""
    refuted = {claim.id for claim in suite if claim.expected is Verdict.REFUTED}
    assert {claim.id for claim in suite if claim.printed} == refuted | {
        claim.id for claim in suite if claim.id == claim.statement
    }


def test_every_claim_stands_in_the_folder_of_its_paper_and_a_file_of_its_theme(suite: list[Claim]) -> None:
    for claim in suite:
        assert re.fullmatch(rf"properties/{claim.paper}/test_{claim.theme}(_\w+)?\.py", claim.file), claim.id


# A claim is a block that one reads like its lemma, at a glance: decorator, function and docstring. Each form adds a
# bound and what goes with it.
LONGEST_BLOCK = 60
LONGER_BY_A_FORM = 25

# A note says what to know of the row in a sentence or two. A paragraph is the argument of the paper's record.
LONGEST_NOTE = 50


# Words that send a reader to another row, which a story of one claim does not show.
ELSEWHERE = re.compile(
    r"\bas (above|before|there|for)\b|\blikewise\b|\bditto\b|\b(other|previous|last|next) row\b", re.I
)


def block_lengths(text: str) -> dict[int, tuple[int, int]]:
    """How many lines each function with a decorator `claim` has, decorators included, by the number of its first.

    Beside it how many forms are among them.
    """
    found = {}
    for node in ast.walk(ast.parse(text)):
        calls = [call for call in getattr(node, "decorator_list", []) if isinstance(call, ast.Call)]
        if isinstance(node, ast.FunctionDef) and calls and ast.unparse(calls[0].func) == "claim":
            forms = sum(ast.unparse(call.func) == "form" for call in calls)
            found[calls[0].lineno] = (node.end_lineno or 0) - calls[0].lineno + 1, forms
    return found


def test_the_lines_of_a_block_are_counted_from_its_decorator_to_its_end() -> None:
    text = '@claim(\n    "a:b",\n)\n{}def f():\n    """One."""\n    return 1\n\n\n@other\ndef g(): ...\n'
    assert block_lengths(text.format("")) == {1: (6, 0)}
    assert block_lengths(text.format('@form(\n    "c"\n)\n@form("d")\n')) == {1: (10, 2)}


def test_words_that_send_the_reader_to_another_row_are_seen() -> None:
    for text in (
        "The norm, as for full batches.",
        "As above, for one layer.",
        "Likewise the change.",
        "See the other row.",
    ):
        assert ELSEWHERE.search(text)
    assert not ELSEWHERE.search(
        "The norms of the layers above, and of other rows than the last, as a forward pass has them."
    )


def are_inside(claim: Claim, cells: Sequence[Cell]) -> bool:
    """Whether no premise whose symbols the cells give, derived ones included, fails at one of them."""
    for cell in cells:
        values = claim.regime.complete(cell, {})
        if not all(p.holds(values) for p in claim.premises if set(p.symbols) <= values.keys()):
            return False
    return True


def test_cells_of_a_longer_run_are_inside_the_premises_where_those_of_a_quick_one_are(suite: list[Claim]) -> None:
    """A claim that has a cell outside at quick effort says so there; of others one would be found in hours, if ever."""
    longer = [claim for claim in suite if claim.regime.thorough or claim.regime.nightly]
    assert len(longer) > 100
    outside = [
        claim.id
        for claim in longer
        if are_inside(claim, claim.regime.cells)
        and not are_inside(claim, [*claim.regime.thorough, *claim.regime.nightly])
    ]
    assert outside == []


def test_no_block_is_longer_than_a_reader_takes_in_at_once(suite: list[Claim]) -> None:
    for file in sorted({claim.file for claim in suite}):
        lengths = block_lengths((ROOT / file).read_text())
        long = {at: n for at, (n, forms) in lengths.items() if n > LONGEST_BLOCK + forms * LONGER_BY_A_FORM}
        what = f"more than {LONGEST_BLOCK} lines, and {LONGER_BY_A_FORM} for each form"
        assert long == {}, f"{file}: blocks of {what}, by line: {long}"


def test_a_paragraph_stands_in_the_record_and_not_in_a_note(suite: list[Claim]) -> None:
    long = {claim.id: words for claim in suite if (words := len(claim.note.split())) > LONGEST_NOTE}
    assert long == {}, f"notes of more than {LONGEST_NOTE} words; move the argument to the record of the paper"


def test_every_claim_says_what_it_measures(suite: list[Claim]) -> None:
    assert [claim.id for claim in suite if not (claim.function.__doc__ or "").strip()] == []


def test_a_constant_that_tells_of_attacks_has_the_reserve_over_them(suite: list[Claim]) -> None:
    constants = [constant for claim in suite for constant in claim.bound.constants.values()]
    constants += [constant for claim in suite for premise in claim.premises for constant in premise.constants.values()]
    assert {c.reason for c in constants if c.attacked is None and re.search(r"\battack", str(c.reason))} == set()


# How a claim that measures a chance says so.
A_CHANCE = re.compile(r"(The|A) (exact |least |largest )*(chance|probability)\b")


def test_every_claim_that_measures_a_chance_declares_it(suite: list[Claim]) -> None:
    """Then a bound of 1 is trivial. The bound of an exact law is its threshold, and a proof measures nothing."""
    undeclared = [c for c in suite if not (c.probability or isinstance(c.evidence, (ExactLaw, Proof)))]
    assert [claim.id for claim in undeclared if A_CHANCE.match(claim.measures)] == []


def hidden_bounds(text: str) -> list[int]:
    """The lines of blocks whose formula nobody sees: `bound` is neither text nor given with text in parentheses."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    blocks = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in ("claim", "form")]
    given = [keyword.value for call in blocks for keyword in call.keywords if keyword.arg == "bound"]
    shown = [bound.args[0] if isinstance(bound, ast.Call) and bound.args else bound for bound in given]
    return [node.lineno for node in shown if not (isinstance(node, ast.Constant) and isinstance(node.value, str))]


def test_a_bound_taken_from_elsewhere_without_its_formula_is_seen() -> None:
    shown = "@claim('a:b', bound={})\ndef f(): ...\n"
    for bound in ("'m/2'", "formula('m/2', GIVEN)", "sheet.lemma.reads('m' '/2')"):
        assert hidden_bounds(shown.format(bound)) == []
    for bound in ("sheet.lemma", "BOUND", "sheet.lemma.reads(TEXT)", "made()"):
        assert hidden_bounds(shown.format(bound)) == [1]
    assert hidden_bounds("@claim('a:b', bound='m')\n@form('c', bound=sheet.lemma)\ndef f(): ...\n") == [2]


def test_every_claim_shows_its_formula_in_its_block(suite: list[Claim]) -> None:
    files = sorted({claim.file for claim in suite})
    assert [f"{file}:{line}" for file in files for line in hidden_bounds((ROOT / file).read_text())] == []


# What a premise says: a relation between sizes, or why there is none.
RELATION = re.compile(r"[<>]|==")
SHOWN_PREMISE = '"what it is about, in the field\'s words: m >= C*log(1/delta)", or sheet.name.reads("m >= ...")'


def hidden_premises(text: str) -> list[int]:
    """The lines of blocks that name a premise, or a group of them, whose inequality nobody sees.

    Seen is text that has the relation, or why there is none, in its own letters, and what `reads` such text: not a name
    of text, nor a name in braces.
    """
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    blocks = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in ("claim", "form")]
    given = [keyword.value for call in blocks for keyword in call.keywords if keyword.arg == "premises"]
    each = [one for node in given for one in (node.elts if isinstance(node, ast.List | ast.Tuple) else [node])]
    return [node.lineno for node in each if not _shown(node)]


def _shown(node: ast.expr) -> bool:
    """Whether a premise is text, or read from a sheet with text, where the relation stands behind the last colon."""
    if isinstance(node, ast.Call):
        read = isinstance(node.func, ast.Attribute) and node.func.attr == "reads" and not node.keywords
        return read and len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and _shown(node.args[0])
    said = _letters(node)
    return said.startswith(NONE_NEEDED) or bool(RELATION.search(said.rpartition(":")[2]))


def _letters(node: ast.expr) -> str:
    """What is seen of text, which is {} where something is put in; nothing of what is no text."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def test_a_premise_taken_from_elsewhere_without_its_inequality_is_seen() -> None:
    block = "WIDE = 'm >= n'\nREST = (sheet.a, sheet.b)\n@claim('a:b', premises={})\ndef f(): ...\n"
    for shown in (
        "'m >= n'",
        "['width: m >= n']",
        "['width: ' 'm >= n', 'n > L', 'steps: k < n', 'radius: tau <= 1', 'one neuron: m == 1']",
        "[sheet.a.reads('m >= n'), 'n > L']",
        "'none needed: any'",
        "f'none needed: {WHY}'",
        "f'width, {OURS}: m >= {64}*L'",
        "[]",
    ):
        assert hidden_premises(block.format(shown)) == []
    for hidden in (
        "sheet.a",
        "[sheet.a]",
        "(*REST, 'm >= n')",
        "REST",
        "WIDE",
        "[WIDE]",
        "f'{WIDE}'",
        "f'width, ours: {WIDE}'",
        "f'width, of m >= n the part that is ours: {WIDE}'",
        "'width: ' + WIDE",
        "'width against samples'",
        "'m >= n' if OURS else 'm >= 2*n'",
        "'width: {}'.format(WIDE)",
        "sheet.a.reads(WIDE)",
        "sheet.a.reads(f'{WIDE}')",
        "sheet.a.reads('m')",
        "made('m >= n')",
        "sheet.lemma_premises",
        "None",
        "...",
    ):
        assert hidden_premises(block.format(hidden)) == [3], hidden
    assert hidden_premises("@claim('a:b')\n@form('c', premises=sheet.a)\ndef f(): ...\n") == [2]


def test_every_claim_shows_its_premises_in_its_block(suite: list[Claim]) -> None:
    files = sorted({claim.file for claim in suite})
    hidden = [f"{file}:{line}" for file in files for line in hidden_premises((ROOT / file).read_text())]
    assert hidden == [], f"premises whose inequality does not stand in the block: {hidden}; write {SHOWN_PREMISE}"


def test_every_premise_of_a_claim_says_in_words_what_it_asks_for(suite: list[Claim]) -> None:
    assert [f"{claim.id}: {p.text}" for claim in suite for p in claim.premises if not p.note.strip()] == []


def picked_premises(text: str) -> list[int]:
    """The lines that take a premise out of a tuple of them by its place, which says nothing of what it asks."""
    taken = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Subscript)]
    return [node.lineno for node in taken if "_premises" in ast.unparse(node.value).split(".")[-1]]


def test_a_premise_picked_by_its_place_is_seen() -> None:
    assert picked_premises("x = sheet.lemma_premises[0]\ny = [*lemma_premises[1:]]\nz = sheet.lemma_width") == [1, 2]


def test_premises_are_named_and_never_picked_by_their_place() -> None:
    files = [*python_files(ROOT / "properties"), *python_files(ROOT / "bounds" / "papers")]
    assert len(files) > 50
    assert [f"{file}:{line}" for file in files for line in picked_premises(file.read_text())] == []


# A wrong variant whose bound is less than this share of the claim's, everywhere, is not a mistake that anyone makes.
LEAST_SHARE = 0.1


def differs_in_substance(claim: Claim, control: Control) -> bool:
    """Whether a control measures something else, or has another formula and not just a tiny multiple of it."""
    if control.knobs or control.bound is None:
        return True
    bound, wrong = claim.bound.expr, control.bound.expr
    if not bound:
        return True
    ratio = sympy.sympify(wrong / bound)
    names = sorted(ratio.free_symbols, key=str)
    first, second = (
        complex(ratio.subs({name: start + 0.211 * i for i, name in enumerate(names)}).evalf(20))
        for start in (1.3, 1.67)
    )
    return abs(first - second) > 1e-9 * abs(first) or abs(first) >= LEAST_SHARE


def test_a_tiny_multiple_of_the_bound_is_no_substance(suite: list[Claim]) -> None:
    claim = next(claim for claim in suite if claim.bound.expr != 0)
    for share, wanted in (("1/1000", False), ("1/2", True)):
        smaller = Bound(sympy.Rational(share) * claim.bound.expr)
        assert differs_in_substance(claim, Control("smaller", bound=smaller)) is wanted


def test_the_controls_of_a_claim_differ_from_it_in_substance(suite: list[Claim]) -> None:
    """One of them at least; a claim that has none by hand has wrong variants of its own, which are no multiples."""
    by_hand = [claim for claim in suite if claim.controls]
    assert [claim.id for claim in by_hand if not any(differs_in_substance(claim, c) for c in claim.controls)] == []


def test_every_claim_says_what_it_measures_in_a_sentence_that_needs_no_other(suite: list[Claim]) -> None:
    for claim in suite:
        said = claim.measures
        assert said[:1].isupper(), claim.id
        assert said.endswith("."), claim.id
        assert len(said.split()) >= 6, claim.id
        assert not said.startswith("The same"), claim.id
        assert not ELSEWHERE.search(said), claim.id
        assert not ELSEWHERE.search(claim.note), claim.id


def test_every_claim_without_premises_says_why_it_needs_none(suite: list[Claim]) -> None:
    assert [claim.id for claim in suite if claim.needs_none == NO_PREMISE and not claim.premises] == []


def test_every_claim_that_takes_points_takes_their_dimension_from_them(suite: list[Claim]) -> None:
    """Points of another dimension cannot be drawn where it is written into the measuring function."""
    assert [claim.id for claim in suite if claim.takes_data and "d" not in claim.regime.symbols] == []


def test_every_value_that_is_fixed_drawn_or_pinned_can_be_said(suite: list[Claim]) -> None:
    strategies = {id(claim.regime.draw[n]): drawn for claim in suite for n, drawn in claim.regime.strategies.items()}
    once = settings(max_examples=1, phases=[Phase.generate], database=None)
    one_of_each = find(st.tuples(*strategies.values()), lambda values: True, settings=once)
    drawn = dict(zip(strategies, one_of_each, strict=True))
    for claim in suite:
        regime = claim.regime
        values = {f"drawn {name}": drawn[id(entry)] for name, entry in regime.draw.items()}
        for where in (*regime.all_cells(), *regime.pinned):
            values |= {f"{name}={value!r}": value for name, value in where.items()}
        for what, value in values.items():
            assert isinstance(value, int | float | str), f"{claim.id}: {what}"
            assert not isinstance(value, str) or choices(value).names == (value,), f"{claim.id}: {what}"


def test_every_symbol_of_a_bound_or_premise_has_a_meaning(suite: list[Claim]) -> None:
    for claim in suite:
        formulas: list[Bound | Premise] = [claim.bound, *claim.premises]
        for formula in formulas:
            meanings = formula.meanings(claim.paper)
            assert set(meanings) == {*formula.symbols, *formula.constants}, claim.id
            assert all(meanings.values()), claim.id


def test_the_documentation_leads_from_an_id_to_its_file(suite: list[Claim]) -> None:
    (example,) = re.findall(r"`(properties/\S+)::(\S+)`", (ROOT / "docs" / "running.md").read_text())
    assert example in {(claim.file, claim.id) for claim in suite}


def test_the_shares_of_the_error_budget_add_up_to_nearly_all_of_it(suite: list[Claim]) -> None:
    assert 0.75 * FALSE_ALARM_BUDGET < sum(shares(suite).values()) <= FALSE_ALARM_BUDGET


def test_the_excerpt_in_the_readme_shows_claims_with_the_verdict_they_are_expected_to_have(suite: list[Claim]) -> None:
    readme = (ROOT / "README.md").read_text()
    excerpt = readme.split("<!-- ledger excerpt: begin -->")[1].split("<!-- ledger excerpt: end -->")[0]
    expected = {claim.id: str(claim.expected) for claim in suite}
    rows = re.findall(r"^(\w+:\S+)\s+.*?\s(holds|proved|supported|consistent|refuted|vacuous)[ ,]", excerpt, re.M)
    assert {verdict for _, verdict in rows} == {"proved", "holds", "supported", "consistent", "refuted", "vacuous"}
    for identifier, verdict in rows:
        assert expected[identifier] == verdict


# How many symbols, terms of sums and premises the claims of each paper declare that they need not see. A paper that has
# just been added is not counted.
DECLARED_BLIND = {"frei2019": 223, "allenzhu2018rnn": 284, "chatterji2021": 233, "guo2024": 331, "zou2018": 244}


def test_no_blind_spot_is_declared_without_a_word_here(suite: list[Claim]) -> None:
    counted = Counter(claim.paper for claim in suite if claim.paper in DECLARED_BLIND for _ in claim.blind)
    assert counted == DECLARED_BLIND


HELPERS = [
    path for path in sorted((ROOT / "properties").glob("*/*.py")) if not path.name.startswith(("test_", "__init__"))
]


def public_definitions(path: Path) -> tuple[set[str], set[str]]:
    """The functions that a file defines at its top; its classes and their methods."""
    body = ast.parse(path.read_text()).body
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    methods = [entry for node in classes for entry in node.body if isinstance(entry, ast.FunctionDef)]
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    others = {node.name for node in classes} | {node.name for node in methods}
    return {name for name in functions if name[0] != "_"}, {name for name in others if name[0] != "_"}


def words(path: Path) -> set[str]:
    """Names and attributes that the code of a file uses; comments and docstrings have none."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


@pytest.mark.parametrize("path", HELPERS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_helper_of_the_claims_has_unit_tests(path: Path) -> None:
    """Functions by name; classes and methods too, unless others of the same file make or use them."""
    tests = path.parent / "tests" / f"test_{path.name}"
    assert tests.exists(), f"{tests.relative_to(ROOT)} is missing"
    functions, others = public_definitions(path)
    assert functions - words(tests) == set()
    assert others - words(tests) - words(path) == set()


def test_every_helper_of_the_claims_is_used_beyond_its_unit_tests() -> None:
    sources = sorted((ROOT / "properties").glob("*/*.py"))
    used = set().union(*map(words, sources))
    unused = {path.name: set().union(*public_definitions(path)) - used for path in HELPERS}
    assert {name: found for name, found in unused.items() if found} == {}


def test_a_helper_without_tests_is_noticed(tmp_path: Path) -> None:
    """A function is no function of its file because a comment or a docstring names it."""
    helper, tests = tmp_path / "helper.py", tmp_path / "test_helper.py"
    helper.write_text("class Box:\n    def size(self): pass\n\ndef make() -> Box: return Box()\n\ndef _own(): pass\n")
    tests.write_text('"""make and size."""\n# make()\nvalue = 1\n')
    functions, others = public_definitions(helper)
    assert (functions, others) == ({"make"}, {"Box", "size"})
    assert functions - words(tests) == {"make"}
    assert others - words(tests) - words(helper) == {"size"}
