"""A claim block that lacks something is refused when it loads; the message says where and what to write."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from theory.claims import control, registry
from theory.claims.described import theme_of
from theory.claims.regime import Regime, choices, grid
from theory.core.refusal import ClaimError
from theory.core.verdict import Verdict
from theory.evidence import Distribution, ExactLaw, Proof, Scaling, Search, Trials
from theory.papers import statement
from theory.tests import fakes
from theory.tests.fakes import NEVER, ONE, FakeBound, FakePremise, chosen, declared, formula

# Where the one block stands that all toy claims are made of.
_MADE = "    made = claim(**{**defaults, **block})(function)"
BLOCK_OF_FAKES = f"theory/tests/fakes.py:{1 + inspect.getsource(fakes).splitlines().index(_MADE)}"


def silent(m: int, *, gain: float = 2.0) -> float:
    return 0.5


def random(rng: np.random.Generator, m: int) -> float:
    return float(rng.random())


def refusal(function: Callable[..., Any] = silent, **block: Any) -> str:
    """The message that refuses the block, less its beginning, which must say where and which claim."""
    with pytest.raises(ClaimError) as caught, declared(function, **block):
        pass
    message = str(caught.value)
    identifier = block.get("statement", "toy:statement") + (f"-{block['variant']}" if "variant" in block else "")
    place, _, said = message.partition(f": claim {identifier}: ")
    assert place == BLOCK_OF_FAKES
    assert "\n" not in message
    return said


REFUSALS: dict[str, tuple[dict[str, Any], str]] = {
    "no paper in the id": ({"statement": "statement"}, "its id has no paper; write it as `paper:statement`"),
    "blank in the id": ({"statement": "toy:a b"}, "its id has blanks or no paper key; write `paper:statement`"),
    "paper no key": ({"statement": "Toy 1:a"}, "its id has blanks or no paper key; write `paper:statement`"),
    "no source": ({"source": ""}, 'it has no source locator; add source="where the statement stands"'),
    "package without a remedy": (
        {"packages": {"mlxtend": " "}},
        "its package 'mlxtend' is no name to import, or has no remedy; write what installs it",
    ),
    "figure without effort": (
        {"figure": lambda rng: None},
        "its figure is no function of rng and effort; let it take these two keywords",
    ),
    "no title": ({"title": ""}, 'no paper lists this statement, so the block must give title="..."'),
    "no kind": ({"kind": ""}, 'no paper lists this statement, so the block must give kind="..."'),
    "no theme": ({"theme": ""}, 'no paper lists this statement, so the block must give theme="..."'),
    "unknown theme": ({"theme": "magic"}, "unknown theme 'magic'; use one of norm_preservation, separation"),
    "unknown kind": ({"kind": "guess"}, "unknown kind 'guess'; use one of definition, assumption"),
    "unknown sense": ({"sense": "<"}, "unknown sense '<'; use one of <=, >=, ="),
    "no regime": ({"regime": None}, "it has no regime; add regime=Regime(cells=grid(...))"),
    "empty regime": ({"regime": Regime(cells=[])}, "it has no regime; add regime=Regime(cells=grid(...))"),
    "no evidence": ({"evidence": None}, "it has no evidence plan; add evidence=Search(...), Trials(...)"),
    "no control, and a verdict with which it has none of its own": (
        {"controls": [], "expected": Verdict.REFUTED},
        "it has no negative control; add controls=[control('what is wrong', ...)]",
    ),
    "no bound": ({"bound": None}, 'it has no bound; add bound="..."'),
    "an unknown keyword": ({"premisses": []}, "it has a keyword 'premisses', which no block has; nearest: premises"),
    "expects an error": (
        {"expected": Verdict.ERROR},
        "it expects an error, which says nothing of the statement; expect another verdict",
    ),
    "unknown symbol in bound": (
        {"bound": formula(lambda q: q)},
        "unknown symbol 'q' in its bound; give it in the regime, or list it in measured=(...)",
    ),
    "unknown symbol in premise": (
        {"premises": [FakePremise(lambda q: q > 0, "q > 0")]},
        "unknown symbol 'q' in its premise q > 0; give it in the regime",
    ),
    "unknown symbol in control bound": (
        {"controls": [control("wrong", bound=formula(lambda q: q))]},
        "unknown symbol 'q' in its bound of control 'wrong'; give it in the regime",
    ),
    "symbol without a meaning in the paper": (
        {"bound": formula(lambda unsaid: unsaid), "measured": ["unsaid"]},
        "nobody says what 'unsaid' in its bound stands for in toy; say it in the formula sheet of that paper",
    ),
    "constant without a value in control bound": (
        {
            "bound": FakeBound(lambda C: C, constants={"C": chosen(1.0)}),
            "controls": [control("wrong", bound=formula(lambda C: C / 2))],
        },
        "constant 'C' has no value in its bound of control 'wrong'; give that formula constants={...}",
    ),
    "control that changes nothing": (
        {"controls": [control("same")]},
        "control 'same' changes nothing; give it a wrong bound, cells, a premise to drop or a keyword",
    ),
    "control with the published bound": ({"controls": [control("same", bound=ONE)]}, "control 'same' changes nothing"),
    "control with the published keyword": ({"controls": [control("same", gain=2.0)]}, "control 'same' changes nothing"),
    "control with an unknown keyword": (
        {"controls": [control("wrong", variance=1.0)]},
        "control 'wrong' sets 'variance', which is no keyword-only parameter of its function; write it",
    ),
    "two controls of one name": ({"controls": [NEVER, NEVER]}, "two controls are called 'a bound nothing meets'"),
    "control cells without a symbol": (
        {"controls": [control("wrong", cells=[{"L": 2}])]},
        "not every cell of its control 'wrong' gives L, m; give all cells the same symbols",
    ),
    "uneven cells": (
        {"regime": Regime(cells=[{"m": 4}, {"m": 4, "L": 2}])},
        "not every cell of its regime gives L; give all cells the same symbols",
    ),
    "derived from nothing": (
        {"regime": Regime(cells=[{"m": 4}], derived={"r": lambda q: q})},
        "derived symbol 'r' needs q; add it to the cells or derive it first",
    ),
    "derived twice": (
        {"regime": Regime(cells=[{"m": 4}], derived={"m": lambda: 1})},
        "'m' is given twice; let the cells fix it, or derive it, or draw it",
    ),
    "drawn and fixed": (
        {"regime": Regime(cells=[{"m": 4}], draw={"m": st.integers(1, 9)})},
        "'m' is given twice; let the cells fix it, or derive it, or draw it",
    ),
    "a symbol called trial": (
        {"regime": Regime(cells=[{"m": 4, "trial": 1}])},
        "its regime has a symbol 'trial', a name the run itself uses; rename it",
    ),
    "built from nothing": (
        {"regime": Regime(cells=[{"m": 4}], draw={"x": st.floats(0, 1)}, built={"pair": (dict, ("x", "y"))})},
        "its argument 'pair' is built from y, which nothing draws; draw it",
    ),
    "built and given": (
        {"regime": Regime(cells=[{"m": 4}], draw={"x": st.floats(0, 1)}, built={"m": (dict, ("x",))})},
        "its argument 'm' is built and given; rename one of them",
    ),
    "pinned no choice": (
        {"regime": Regime(cells=[{"m": 4}], draw={"x": choices("zero", "equal")}, pinned=[{"x": "equals"}])},
        "pinned x='equals' is none of its choices: zero, equal",
    ),
    "pinned what is not drawn": (
        {"regime": Regime(cells=[{"m": 4}], draw={"x": st.floats(0, 1)}, pinned=[{"y": 1.0}])},
        "pinned {'y': 1.0} must assign the drawn symbols and no other: x",
    ),
}


@pytest.mark.parametrize(("block", "message"), REFUSALS.values(), ids=REFUSALS.keys())
def test_an_incomplete_block_is_refused(block: dict[str, Any], message: str) -> None:
    assert refusal(**block).startswith(message)
    assert registry.find("toy:statement") is None


def test_the_block_that_the_refusals_vary_is_accepted() -> None:
    with declared(silent) as made:
        assert registry.find("toy:statement") is made
        assert (made.paper, made.expected, made.parameters) == ("toy", Verdict.HOLDS, ("m",))
    assert registry.find("toy:statement") is None


def asks_for_more(m: int, q: float) -> float:
    return q


def keyword_without_default(m: int, *, gain: float) -> float:
    return gain


def asks_for_threshold(m: int, threshold: float) -> float:
    return threshold


def asks_for_bound(m: int, bound: Any) -> list[Any]:
    return []


def test_a_function_that_asks_for_what_nothing_gives_is_refused() -> None:
    assert refusal(asks_for_more).startswith("its function asks for 'q', which the regime does not give; add it")
    assert refusal(keyword_without_default).startswith("keyword 'gain' of its function has no default; write")
    assert refusal(asks_for_threshold).startswith("its function asks for 'threshold', which only evidence=ExactLaw")


CALIBRATED = Regime(cells=grid(m=[8, 16]), calibration=grid(m=[2, 4]))
POWER = FakeBound(lambda m, C: C * m, constants={"C": chosen(1.0)})
DRAWN = Regime(cells=[{"m": 4}], draw={"x": st.floats(0, 1)})
BY_TRIAL = {"premises": [FakePremise(lambda r: r > 0, "r > 0")], "measured": ["r"]}

PLAN_REFUSALS: dict[str, tuple[Callable[..., Any], dict[str, Any], str]] = {
    "trials without rng": (silent, {"evidence": Trials(rate=0.1)}, "its function takes no rng"),
    "trials at an unknown rate": (random, {"evidence": Trials(rate="delta")}, "its rate 'delta' is no symbol"),
    "trials at rate 1": (random, {"evidence": Trials(rate=1.0)}, "its rate 1.0 is not between 0 and 1"),
    "trials at rate 0": (random, {"evidence": Trials(rate=0.0)}, "its rate 0.0 is not between 0 and 1"),
    "trials at rate NaN": (random, {"evidence": Trials(rate=float("nan"))}, "its rate nan is not between"),
    "trials that draw": (random, {"evidence": Trials(rate=0.1), "regime": DRAWN}, "only a Search draws symbols"),
    "trials gated by the trial": (
        random,
        {"evidence": Trials(rate=0.1), **BY_TRIAL},
        "premise r > 0 is not decided by the cell; condition on it in a Search claim",
    ),
    "law without threshold": (
        silent,
        {"evidence": ExactLaw(rate=0.1)},
        "its function must take the parameter threshold",
    ),
    "law of a lower bound": (
        asks_for_threshold,
        {"evidence": ExactLaw(rate=0.1), "sense": ">="},
        "an exact law judges upper bounds",
    ),
    "law at an unknown rate": (asks_for_threshold, {"evidence": ExactLaw()}, "its rate 'delta' is no symbol"),
    "law at rate 1": (asks_for_threshold, {"evidence": ExactLaw(rate=1.0)}, "its rate 1.0 is not between 0 and 1"),
    "law with rng": (
        lambda rng, threshold: threshold,
        {"evidence": ExactLaw(rate=0.1)},
        "an exact law draws nothing; remove the parameter rng or use Trials",
    ),
    "law gated by the trial": (
        asks_for_threshold,
        {"evidence": ExactLaw(rate=0.1), **BY_TRIAL},
        "premise r > 0 is not decided by the cell",
    ),
    "law of a measured symbol": (
        asks_for_threshold,
        {"evidence": ExactLaw(rate=0.1), "measured": ["r"], "bound": formula(lambda r: r)},
        "its bound needs r, which the cells do not give",
    ),
    "distribution as an inequality": (
        random,
        {"evidence": Distribution(law=lambda m: None)},
        "equality in law is no inequality; state the claim with sense '='",
    ),
    "distribution without rng": (
        silent,
        {"evidence": Distribution(law=lambda m: None), "sense": "="},
        "its function takes no rng, so it has no law",
    ),
    "distribution of unknown symbols": (
        random,
        {"evidence": Distribution(law=lambda q: None), "sense": "="},
        "its law needs q, which the regime does not give",
    ),
    "distribution gated by the trial": (
        random,
        {"evidence": Distribution(law=lambda m: None), "sense": "=", **BY_TRIAL},
        "premise r > 0 is not decided by the cell",
    ),
    "proof of a fixed formula": (silent, {"evidence": Proof()}, "its function must take the parameter bound"),
    "proof that draws": (
        lambda rng, bound: [],
        {"evidence": Proof()},
        "a proof draws nothing; remove the parameter rng or use Search",
    ),
    "scaling as an equality": (
        random,
        {"evidence": Scaling({"m": "equal"}), "sense": "=", "regime": CALIBRATED},
        "a scaling claim bounds from one side",
    ),
    "scaling without calibration": (
        random,
        {"evidence": Scaling({"m": "equal"})},
        "a scaling claim needs calibration cells; add calibration=grid(...)",
    ),
    "scaling calibrated on a test cell": (
        random,
        {"evidence": Scaling({"m": "equal"}), "regime": replace(CALIBRATED, calibration=grid(m=[2, 8]))},
        "a calibration cell is also a test cell; keep the two apart",
    ),
    "scaling calibrated on a nightly cell": (
        random,
        {"evidence": Scaling({"m": "equal"}), "regime": replace(CALIBRATED, nightly=grid(m=[4, 32]))},
        "a calibration cell is also a test cell; keep the two apart",
    ),
    "scaling tested inside the calibration": (
        random,
        {"evidence": Scaling({"m": "equal"}), "regime": Regime(cells=grid(m=4), calibration=grid(m=[2, 8]))},
        "no test cell lies beyond the calibration cells",
    ),
    "scaling of nothing": (
        random,
        {"evidence": Scaling({}), "regime": CALIBRATED},
        "a scaling claim is about exponents; name each variable",
    ),
    "scaling by two sizes": (
        random,
        {"evidence": Scaling({"m": "equal"}), "regime": Regime(cells=grid(m=8), calibration=grid(m=4))},
        "m takes 2 values in the regime; an exponent needs at least 3",
    ),
    "scaling in an unknown variable": (
        random,
        {"evidence": Scaling({"q": "equal"}), "regime": CALIBRATED},
        "exponent of q: the cells do not give q",
    ),
    "scaling with an unknown agreement": (
        random,
        {"evidence": Scaling({"m": "about"}), "regime": CALIBRATED},
        "exponent of m: 'about' is none of equal, at most, at least",
    ),
    "scaling in a size that is 0": (
        random,
        {"evidence": Scaling({"m": "equal"}), "regime": replace(CALIBRATED, calibration=grid(m=[0, 4]))},
        "exponent of m: a size is not positive",
    ),
    "scaling of sizes that move together": (
        random,
        {
            "evidence": Scaling({"m": "equal", "n": "equal"}),
            "regime": Regime(cells=[{"m": k, "n": 3 * k} for k in (4, 8)], calibration=[{"m": 2, "n": 6}]),
        },
        "the cells do not tell the exponents of m, n apart; vary each alone",
    ),
    "scaling with a size no one accounts for": (
        random,
        {
            "evidence": Scaling({"m": "equal"}),
            "regime": Regime(cells=grid(m=[8, 16], L=3), calibration=grid(m=[2, 4], L=2)),
        },
        "L varies over the cells and would bend the fit; name it in exponents or fix it",
    ),
    "scaling with a constant the bound lacks": (
        random,
        {"evidence": Scaling({"m": "equal"}, constant="c"), "bound": POWER, "regime": CALIBRATED},
        "its hidden constant 'c' is no constant of the bound",
    ),
    "scaling with a constant that is no factor": (
        random,
        {
            "evidence": Scaling({"m": "equal"}, constant="C"),
            "bound": FakeBound(lambda m, C: m**C, constants={"C": chosen(1.0)}),
            "regime": CALIBRATED,
        },
        "its hidden constant 'C' is no factor of the bound, so it cannot be fitted as one",
    ),
    "scaling with one replicate": (
        random,
        {"evidence": Scaling({"m": "equal"}, replicates=1), "regime": CALIBRATED},
        "a scaling claim needs replicates >= 2, a margin of at least 1 and a rate between 0 and 1",
    ),
    "scaling with one replicate where the constant is fitted": (
        random,
        {"evidence": Scaling({"m": "equal"}, replicates=lambda m: 1), "regime": CALIBRATED},
        "a scaling claim needs replicates >= 2, a margin of at least 1 and a rate between 0 and 1",
    ),
    "scaling with replicates by an unknown symbol": (
        random,
        {"evidence": Scaling({"m": "equal"}, replicates=lambda depth: 9), "regime": CALIBRATED},
        "its numbers depend on depth, which the cells do not give; add it to them",
    ),
    "scaling gated by the trial": (
        random,
        {"evidence": Scaling({"m": "equal"}), "regime": CALIBRATED, **BY_TRIAL},
        "premise r > 0 is not decided by the cell",
    ),
}


@pytest.mark.parametrize(("function", "block", "message"), PLAN_REFUSALS.values(), ids=PLAN_REFUSALS.keys())
def test_a_block_that_its_plan_cannot_judge_is_refused(
    function: Callable[..., Any], block: dict[str, Any], message: str
) -> None:
    assert refusal(function, **block).startswith(message)


@pytest.mark.parametrize(
    ("function", "block"),
    [
        (random, {"evidence": Trials(rate=0.1)}),
        (asks_for_threshold, {"evidence": ExactLaw(rate=0.1)}),
        (random, {"evidence": Distribution(law=lambda m: None), "sense": "="}),
        (asks_for_bound, {"evidence": Proof()}),
        (random, {"evidence": Scaling({"m": "equal"}, constant="C"), "bound": POWER, "regime": CALIBRATED}),
        (random, {"evidence": Scaling({"m": "equal"}), "sense": ">=", "regime": CALIBRATED}),
        (silent, {"evidence": Search(), **BY_TRIAL, "sense": "="}),
    ],
)
def test_the_blocks_that_the_plans_vary_are_accepted(function: Callable[..., Any], block: dict[str, Any]) -> None:
    with declared(function, **block) as made:
        assert made.expected is block["evidence"].pass_verdict


def test_an_id_is_taken_once() -> None:
    with declared(silent):
        assert refusal(random) == f"its id is taken by {BLOCK_OF_FAKES}; rename it or give it a variant"
        # A block that is run again by hand takes the place of its former self; a variant has an id of its own.
        with declared(silent):
            pass
        with declared(random, variant="corrected") as other:
            assert other.id == "toy:statement-corrected"


def test_a_listed_statement_brings_its_own_description(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_claims", {})  # other tests may have loaded the claims on it
    empty = {"title": "", "kind": "", "theme": "", "source": ""}
    record = statement("zou2018:lemma-A.7")
    with declared(silent, statement="zou2018:lemma-A.7", **empty) as made:
        assert (made.label, made.title, made.kind) == (record.label, record.title, record.kind)
        assert (made.theme, made.source, made.uses) == (record.theme, record.locator, record.uses)
    with declared(silent, statement="zou2018:lemma-A.7-sharp", **empty) as made:
        assert (made.id, made.statement, made.printed) == ("zou2018:lemma-A.7-sharp", "zou2018:lemma-A.7", False)
        assert made.title == record.title
    again = refusal(silent, statement="zou2018:lemma-A.7", **{**empty, "title": record.title})
    assert again == "its title is the one that its paper lists already; leave it out"
    with declared(silent, statement="zou2018:lemma-A.7", **{**empty, "title": "another"}) as made:
        assert made.title == "another"


@pytest.mark.parametrize(
    ("text", "sense", "formula"), [(">= m/2", ">=", "m/2"), ("=m", "=", "m"), ("m - 1", "<=", "m - 1")]
)
def test_a_bound_may_begin_with_its_sense(text: str, sense: str, formula: str) -> None:
    with declared(silent, bound=text) as made:
        assert (made.sense, made.bound.text) == (sense, formula)
    with declared(silent, bound=text, sense=sense) as made:
        assert made.sense == sense
    said = refusal(silent, bound=">= m/2", sense="=")
    assert said == "its bound begins with '>=', and its sense is '='; leave one out"


def test_the_theme_is_that_which_the_name_of_the_file_begins_with() -> None:
    named = {"test_norm_preservation.py": "norm_preservation", "test_convergence_steps.py": "convergence"}
    assert {name: theme_of(Path(name)) for name in named} == named
    assert [theme_of(Path(name)) for name in ("test_normal.py", "norm_preservation_x.ipynb", "test_a.py")] == [
        "",
        "norm_preservation",
        "",
    ]


def test_a_claim_knows_its_names() -> None:
    regime = Regime(cells=[{"m": 4}], derived={"r": lambda m: m}, draw={"x": st.floats(0, 1)})
    bound = FakeBound(lambda m, C: C * m, constants={"C": chosen(1.0)})
    with declared(silent, regime=regime, bound=bound, measured=["s"]) as made:
        assert made.names == {"m", "r", "x", "s", "C"}
        assert not made.takes_data


@pytest.fixture
def themes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty package `themes_of_this_test`, forgotten afterwards."""
    folder = tmp_path / "themes_of_this_test"
    (folder / "first").mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "first" / "__init__.py").touch()
    monkeypatch.setattr(registry, "_claims", {})
    monkeypatch.setattr(registry, "_loaded", {})
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield folder
    for name in [name for name in sys.modules if name.startswith(folder.name)]:
        del sys.modules[name]


BLOCK = """
from theory.tests import fakes
from theory.tests.fakes import NEVER, ONE
from theory.claims import claim
from theory.evidence import Search
from theory.claims.regime import Regime

@claim("toy:{name}", title="t", kind="deterministic", theme="activation", source="s", bound=ONE,
       regime=Regime(cells=[{{"m": 4}}]), evidence=Search(), controls=[NEVER])
def measured(m):
    return 0.5
"""


def test_a_claim_is_found_by_the_presence_of_its_file(themes: Path) -> None:
    (themes / "first" / "test_a.py").write_text(BLOCK.format(name="b"))
    (themes / "test_b.py").write_text(BLOCK.format(name="a"))
    (themes / "first" / "helpers.py").write_text("raise AssertionError('no claims are looked for here')")
    assert [c.id for c in registry.load_claims(themes)] == ["toy:a", "toy:b"]


def test_a_folder_that_does_not_import_is_not_passed_over(themes: Path) -> None:
    """Its claims would vanish from the suite without a word."""
    (themes / "first" / "__init__.py").write_text("import there_is_no_such_module")
    (themes / "first" / "test_a.py").write_text(BLOCK.format(name="a"))
    told = (
        f"{themes}/first/__init__.py:1: does not load: ModuleNotFoundError: No module named 'there_is_no_such_module', "
        f"so the claims of {themes}/first/test_a.py are missing"
    )
    with pytest.raises(ClaimError, match=re.escape(told)):
        registry.load_claims(themes)


def test_a_name_that_a_module_does_not_have_is_told_with_the_nearest(themes: Path) -> None:
    (themes / "first" / "test_a.py").write_text(
        "from lemmata.nets import two_layers_network\n" + BLOCK.format(name="a")
    )
    with pytest.raises(ClaimError, match=r"cannot import name 'two_layers_network' .*; nearest: two_layer_network"):
        registry.load_claims(themes)


def test_a_file_that_does_not_load_is_named_with_its_line(themes: Path) -> None:
    (themes / "first" / "test_a.py").write_text(BLOCK.format(name="a") + "y = 1 / 0\n")
    with pytest.raises(ClaimError, match=r"first/test_a.py:12: does not load: ZeroDivisionError: "):
        registry.load_claims(themes)
