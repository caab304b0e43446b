"""The short form of a claim: what it says is what a full block would say, and it is judged alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bounds.parse import FormulaError
from bounds.symbols import SYMBOLS
from theory import papers as records
from theory.claims import Cell, Regime, claim, control, form, reals, registry
from theory.claims.block import Claim, Plan
from theory.claims.registry import load_file
from theory.claims.scoping import CHOSEN
from theory.core.data import Data
from theory.core.refusal import ClaimError
from theory.core.verdict import Verdict
from theory.evidence import Mean, Proof, Scaling, Search, Step, Trials
from theory.evidence.lemma import lemma
from theory.evidence.short_sizes import Following, SizeError, Sizes, symbols_of
from theory.judging.judge import Row, judge
from theory.papers import by_label
from theory.reports.report import story, table
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.surface import rooms
from theory.tests.test_page import made

ALPHA = 1e-3
ON_SPHERES = RunConfig(data=Data(rooms.sphere()))


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Claims and symbols of these tests, forgotten afterwards."""
    monkeypatch.setattr(registry, "_claims", {})
    monkeypatch.setattr(registry, "_loaded", {})
    known = dict(SYMBOLS)
    yield
    for name in set(SYMBOLS) - set(known):
        del SYMBOLS[name]


def norm(rng: np.random.Generator, m: int, *, gain: float = 1.0) -> float:
    """Deviation of a mean square from its mean. Of m Gaussian numbers."""
    return float(abs(gain * np.mean(rng.standard_normal(m) ** 2) - 1.0))


def judged(made: Claim, config: RunConfig | None = None) -> Row:
    """The row of a claim."""
    return judge(made, config or ON_SPHERES, ALPHA)


class TestWhatItSays:
    def test_key_and_label_make_the_id_and_the_docstring_the_title(self) -> None:
        made = lemma("toy2020 Lemma C.1", "sqrt(20*log(2/delta)/m)", whp="delta", m=[64, 256])(norm)
        assert (made.id, made.paper, made.source) == ("toy2020:lemma-C.1", "toy2020", "Lemma C.1")
        assert made.title == "Deviation of a mean square from its mean"
        assert (made.kind, made.theme, made.sense) == ("probability", "unsorted", "<=")
        assert made.function is norm
        assert made(np.random.default_rng(0), 16) >= 0.0

    @pytest.mark.parametrize(
        ("label", "name"),
        [
            ("Lemma C.1", "lemma-C.1"),
            ("Theorem 3.1 (i)", "theorem-3.1-i"),
            ("Eq. (12)", "eq-12"),
            ("Lemma A", "lemma-A"),
            ("Claim h'", "claim-h"),
        ],
    )
    def test_the_name_of_a_statement_follows_from_its_label(self, label: str, name: str) -> None:
        assert by_label(label) == name

    @pytest.fixture
    def nothing_recorded(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """Records that a test loads are known no longer after it."""
        monkeypatch.setattr(records, "_elsewhere", {})
        monkeypatch.setattr(records, "_loaded", {})
        yield
        for cached in (records._all, records._statements, records.papers):
            cached.cache_clear()

    @pytest.mark.usefixtures("nothing_recorded")
    def test_a_listed_statement_is_found_by_its_label(self, tmp_path: Path) -> None:
        (tmp_path / "paper.py").write_text(
            'from lemmata import Paper, Statement\nPAPER = Paper("toylist", "Toys", ("A",), 2020, (Statement('
            '"toylist:lem-width", "Lemma 2", "half of the width", "deterministic", "activation", "page 2"),))\n'
        )
        (tmp_path / "test_toylist.py").write_text(
            "from lemmata import lemma\n@lemma('toylist Lemma 2', 'm', m=[2, 4])\ndef half(m):\n"
            '    """Half."""\n    return m/2\n'
        )
        (made,) = load_file(tmp_path / "test_toylist.py")
        assert (made.id, made.title, made.theme) == ("toylist:lem-width", "half of the width", "activation")

    @pytest.mark.parametrize(
        ("text", "sense", "bound"), [("m", "<=", "m"), ("<= m", "<=", "m"), (">= m/2", ">=", "m/2"), ("= m", "=", "m")]
    )
    def test_the_sense_stands_before_the_bound(self, text: str, sense: str, bound: str) -> None:
        made = lemma("toy Lemma 1", text, m=[2, 4])(lambda m: m)
        assert (made.sense, made.bound.text) == (sense, bound)

    def test_each_way_of_judging_has_its_evidence(self) -> None:
        def steps(bound: Any) -> list[Step]:
            """Nothing."""
            return [Step("true", True)]

        def made(name: str, bound: str, function: Any = norm, **given: Any) -> Plan:
            return lemma(f"toy {name}", bound, **given)(function).evidence

        assert made("1", "1/m", m=[4, 8]) == Search()
        assert made("2", "1/m", whp=0.2, m=[4, 8]) == Trials(rate=0.2)
        assert made("3", "1/m", order="m", m=[4, 64]) == Scaling({"m": "at most"}, constant="C")
        assert made("4", ">= 1/m", order="m", m=[4, 64]) == Scaling({"m": "at least"}, constant="C")
        assert made("5", "C/m", order={"m": "equal"}, m=[4, 64]) == Scaling({"m": "equal"}, constant="C")
        assert made("6", "C/m", whp="delta", C="fit", m=[4, 64], delta=0.2) == Scaling(
            {}, constant="C", replicates=128, margin=1.25, rate=0.2, spared=0.05, first=2
        )
        assert made("6a", "C/m", order="m", m=[4, 64], replicates=600) == Scaling(
            {"m": "at most"}, constant="C", replicates=600
        )
        assert made("7", "x", steps, proof=True) == Proof()
        assert lemma("toy 8", "m", equals=True, m=4)(lambda m: m).sense == "="

    def test_sizes_that_cannot_be_built_are_limits_of_its_regime(self) -> None:
        made = lemma("toy 1", "m", m=[2, 4], n=2, least={"m": 2}, most={"n": "2*m"})(lambda m, n: m)
        assert made.regime.lacks({"m": 1, "n": 2}) == "m >= 2"
        assert made.regime.lacks({"m": 2, "n": 5}) == "n <= 2*m"
        with pytest.raises(ClaimError, match=r"there is nothing to measure at .*: it takes m >= 3"):
            lemma("toy 2", "m", m=[2, 4], least={"m": 3})(lambda m: m)

    def test_a_letter_of_the_papers_of_the_suite_has_its_sign_and_no_other_limit(self) -> None:
        made = lemma("toy 1", "p*theta", p=[1, 8], theta=4.0)(lambda p, theta: p * theta)
        assert [cell["p"] for cell in made.regime.cells] == [1, 8]
        with pytest.raises(ClaimError, match=r"p=-1 in a cell of its regime is outside the domain of p, >= 0"):
            lemma("toy 2", "p", p=-1)(lambda p: p)
        with pytest.raises(ClaimError, match="outside the domain of phi"):
            lemma("toy 3", "phi", phi=3.0)(lambda phi: phi)

    def test_a_mean_is_judged_by_bets(self) -> None:
        def share(rng: np.random.Generator, m: int) -> float:
            """A share of the neurons."""
            return float(np.mean(rng.standard_normal(m) > 0.0))

        made = lemma("toy Lemma 1", "3/5", mean={"ceiling": 1.0}, m=[16, 64])(share)
        assert (made.evidence, made.kind) == (Mean(ceiling=1.0), "expectation")
        assert judged(made).verdict is Verdict.SUPPORTED
        assert lemma("toy Lemma 2", "3/5", mean=True, m=[16, 64])(share).evidence == Mean()

    def test_the_hidden_constant_of_an_order_need_not_be_written(self) -> None:
        assert lemma("toy Lemma 1", "sqrt(m)", order="m", m=[16, 256])(norm).bound.text == "C*sqrt(m)"

    def test_any_field_of_a_block_may_be_added(self) -> None:
        made = lemma(
            "toy Lemma 1",
            "sqrt(20*log(2/delta)/m)",
            whp="delta",
            m=[64, 256],
            variant="sharp",
            title="its own",
            theme="initialisation",
            controls=[control("twice the gain", gain=2.0)],
            expected=Verdict.REFUTED,
            premises=["wide: m >= 10*log(1/delta)"],
            note="a note",
        )(norm)
        assert (made.id, made.title, made.theme, made.note) == (
            "toy:lemma-1-sharp",
            "its own",
            "initialisation",
            "a note",
        )
        assert [c.name for c in made.controls] == ["twice the gain"]
        assert [p.text for p in made.premises] == ["m >= 10*log(1/delta)"]

    def test_forms_stand_below_it(self) -> None:
        made = lemma("toy Lemma 1", "m", m=[2, 4])(form("wide", bound="2*m")(lambda m: m / 2))
        assert {made.id, "toy:lemma-1-wide"} == {c.id for c in registry.claims()}


class TestSymbols:
    def test_a_symbol_is_declared_by_use_and_its_missing_meaning_is_a_remark(self) -> None:
        made = lemma("toy Lemma 1", "zeta*m", m=[2, 4], zeta=3.0)(lambda m: m)
        assert SYMBOLS["zeta"].symbol.is_positive
        assert SYMBOLS["zeta"].latex == r"\zeta"
        found = judged(made)
        assert found.unexplained == ("zeta",)
        assert any("nobody says what zeta stands for" in remark for remark in found.remarks)

    def test_what_it_means_is_said_beside_it(self) -> None:
        made = lemma("toy Lemma 1", "zeta*m", m=[2, 4], zeta=3.0, meanings={"zeta": "a scale"})(lambda m: m)
        assert judged(made).meanings["zeta"] == "a scale"

    def test_what_only_the_function_knows_is_measured(self) -> None:
        made = lemma("toy Lemma 1", "kappa_*m", m=[2, 4])(lambda m: m)
        assert made.measured == ("kappa_",)
        assert SYMBOLS["kappa_"].symbol.is_real
        assert not SYMBOLS["kappa_"].symbol.is_positive

    def test_names_in_a_formula_are_not_its_functions(self) -> None:
        assert symbols_of("C*n*sqrt(log(n/delta))/sqrt(m)") == ("C", "n", "delta", "m")
        assert symbols_of("C*(") == ()

    def test_a_bound_may_name_the_constants_of_formulas(self) -> None:
        made = lemma("toy Lemma 1", "m*(pi - acos(1/m))/E", m=4)(lambda m: m)
        assert (made.measured, made.bound.symbols) == ((), ("m",))

    def test_a_constant_without_a_value_is_asked_for(self) -> None:
        with pytest.raises(ClaimError, match=r'C has no value; write C=1, a value that you choose, or C="fit"'):
            lemma("toy Lemma 1", "C*m", m=4)(lambda m: m)

    def test_a_premise_whose_constant_its_author_chose_is_marked_in_the_row(self) -> None:
        made = lemma("toy Lemma 1", "m", m=[2, 4], premises=["m >= C1*m**3"], C1=1e-10)(lambda m: m / 2)
        assert made.premises[0].constants["C1"].reason == CHOSEN
        found = judged(made)
        assert found.premises_marked == "inside, C1 chosen"
        assert "inside, C1 chosen" in table([found], 120)[-1]
        assert any("C1 = 1e-10" in line for line in story(found) if line.startswith("remark"))


class TestSizes:
    def test_two_lists_of_two_ends_are_all_four_combinations(self) -> None:
        made = Sizes.of({"m": [64, 4096], "n": [2, 32], "d": 8}).regime(points=False)
        assert [(c["m"], c["n"], c["d"]) for c in made.cells] == [(64, 2, 8), (4096, 2, 8), (64, 32, 8), (4096, 32, 8)]

    def test_more_lists_move_one_size_at_a_time_and_all_together(self) -> None:
        cells = Sizes.of({"m": [1, 2], "n": [1, 2], "L": [1, 2, 3]}).regime(points=False).cells
        assert [tuple(c.values()) for c in cells] == [(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2), (1, 1, 3), (2, 2, 3)]

    def test_a_fit_is_on_the_smaller_half_of_sizes_with_equal_ratios(self) -> None:
        made = Sizes.of({"m": [64, 4096]}).regime(points=False, fits=4)
        assert [c["m"] for c in made.calibration] == [64, 256]
        assert [c["m"] for c in made.cells] == [1024, 4096]
        two = Sizes.of({"m": [64, 4096], "n": [2, 8]}).regime(points=False, fits=4)
        assert [(c["m"], c["n"]) for c in two.calibration] == [(64, 2), (256, 2), (64, 4)]
        assert [(c["m"], c["n"]) for c in two.cells] == [(1024, 2), (4096, 2), (64, 6), (64, 8), (4096, 8)]

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"premise": ["m >= 10**9"]}, "premise is no field of a lemma.*nearest: premises"),
            ({"control": [2, 3]}, "control is no field of a lemma.*nearest: controls"),
            ({"C2": 3.0}, "C2 is no field of a lemma"),
        ],
    )
    def test_a_name_that_nothing_uses_is_refused_and_not_taken_for_a_size(self, given: Any, said: str) -> None:
        with pytest.raises(ClaimError, match=said):
            lemma("toy2020 Lemma C.1", "sqrt(20*log(2/delta)/m)", whp="delta", m=[64, 256], **given)(norm)

    def test_a_symbol_that_only_the_bound_has_is_none_where_a_constant_is_fitted(self) -> None:
        with pytest.raises(ClaimError, match=r"loss0 is no size here.*divide what is measured by it, or give"):
            lemma("toy2020 Lemma C.1", "C*loss0/m", whp=0.1, m=[64, 256], C="fit")(norm)

    def test_a_search_over_points_that_are_drawn_once_is_refused(self) -> None:
        """A bound that coincident points break was met by the one draw of each size."""

        def least(X: np.ndarray) -> float:
            return float(np.linalg.norm(X, 2))

        def share(X: np.ndarray, share: float) -> float:
            return share * float(np.linalg.norm(X, 2))

        with pytest.raises(ClaimError, match=r"X is drawn once for each size.* X = sphere\(n, d, rng\)"):
            lemma("toy2020 Fact 1", "n", n=[2, 8], d=2)(least)
        assert lemma("toy2020 Fact 2", "n", n=[2, 8], d=2, share=reals(0.0, 1.0))(share).regime.draw

    def test_a_fit_without_larger_sizes_is_refused(self) -> None:
        with pytest.raises(ClaimError, match="it takes sizes to fit on and larger ones to be judged at"):
            lemma("toy Lemma 1", "C*m", C="fit", m=4)(lambda m: m)

    def test_a_fit_says_its_constant_and_how_many_fail_as_it_allows(self) -> None:
        def seldom(rng: np.random.Generator, m: int) -> float:
            """A number that is seldom larger, at large sizes."""
            return (1.0 + rng.random()) / m * (3.0 if m > 64 and rng.random() < 0.02 else 1.0)

        row = judge(lemma("toy Lemma 1", "C/m", whp=0.1, m=[16, 1024], C="fit")(seldom), RunConfig(), ALPHA)
        assert row.verdict is Verdict.CONSISTENT
        (told,) = re.findall(r" (\d+/\d+ fail) ", table([row], 150)[2])
        failed, trials = map(int, told.removesuffix(" fail").split("/"))
        assert 0 < failed < 0.1 * trials
        assert told in made([row])
        (told,) = (line for line in story(row) if line.startswith("constant"))
        assert re.fullmatch(r"constant   C = 2\.\d+: fitted on the calibration cells", told)

    def test_a_refuted_order_says_which_exponent_is_otherwise(self) -> None:
        level = lemma("toy Lemma 1", "C/sqrt(m)", order="m", m=[64, 4096], C="fit")(lambda rng, m: 1 + rng.random() / 9)
        row = judge(level, RunConfig(), ALPHA)
        assert row.verdict is Verdict.REFUTED
        told = r"; the exponent of m is -?0\.0\d* in \[-?0.*, 0.*\], where -0.5 is claimed \(at most\)$"
        assert re.search(told, row.complaint)
        # No cell need be refuted for that.
        spread = lemma("toy Lemma 2", "C*m**(-1/4)", order="m", m=[64, 256], C="fit")(
            lambda rng, m: 1 + rng.random() / 9
        )
        complaint = judge(spread, RunConfig(), ALPHA).complaint
        assert complaint.startswith("toy:lemma-2: verdict refuted, expected consistent: the exponent of m is ")

    def test_a_name_without_a_statement_is_refused_with_one_that_has_it(self) -> None:
        with pytest.raises(
            ClaimError, match=r'its name has no statement; write .* as in "toy2020 Lemma C.1", or an id'
        ):
            lemma("toy2020", "2/m", m=[4, 16])(lambda m: 1 / m)

    def test_a_failure_probability_that_nothing_knows_is_refused_with_what_may_be_meant(self) -> None:
        with pytest.raises(
            ClaimError, match=r"whp='dleta' is in none of its formulas and no size.*; nearest: delta; wr"
        ):
            lemma("toy Lemma 1", "2/m", m=[4, 16], whp="dleta")(lambda rng, m: 1 / m)
        assert lemma("toy Lemma 2", "2/m", m=[4, 16], whp="delta")(lambda rng, m: 1 / m).regime.cells[0]["delta"] == 0.1
        assert lemma("toy Lemma 3", "log(1/p)/m", m=[4, 16], whp="p")(lambda rng, m: 1 / m).regime.cells[0]["p"] == 0.1
        assert lemma("toy Lemma 4", "2/m", m=[4, 16], whp="q", q=0.2)(lambda rng, m: 1 / m).regime.cells[0]["q"] == 0.2

    def test_a_size_may_follow_from_others_by_a_formula(self) -> None:
        made = lemma("toy Lemma 1", "eta*m", m=[4, 8], eta="1/m**2")(lambda m, eta: 0.0)
        assert [made.regime.complete(c, {})["eta"] for c in made.regime.cells] == [1 / 16, 1 / 64]
        assert Following("m", "n**2/3")(n=4) == 6
        assert Following("eta", "n**2/3")(n=4) == pytest.approx(16 / 3)
        assert Following("eta", "ceiling(n**2/3)")(n=4) == Following("eta", " ceil(n**2/3)")(n=4) == 6
        for text in ("1 + ceiling(n)", "ceiling(n, 2)"):
            with pytest.raises(
                FormulaError, match=r"ceiling is not known; functions: log, exp, .*sqrt, Rational, Min, Max"
            ):
                Following("eta", text)

    def test_a_word_is_a_name_and_a_strategy_is_drawn(self) -> None:
        made = lemma("toy Lemma 1", "t*m", m=4, loss="logistic", t=reals(0.5, 1.0))(lambda m, t, loss: t)
        assert made.regime.cells == [{"m": 4, "loss": "logistic"}]
        assert set(made.regime.draw) == {"t"}

    def test_a_parameter_with_a_default_is_a_size(self) -> None:
        def scaled(m: int, kappa: float = 0.5) -> float:
            """A part of the width."""
            return kappa * m

        made = lemma("toy Lemma 1", "m", m=[2, 4])(scaled)
        assert made.regime.cells == [{"m": 2, "kappa": 0.5}, {"m": 4, "kappa": 0.5}]

    def test_points_are_drawn_once_for_n_and_d_and_kept_over_widths(self) -> None:
        seen: list[tuple[Cell, Any]] = []

        def sizes(rng: np.random.Generator, X: np.ndarray, m: int, n: int) -> float:
            """Nothing."""
            seen.append(({"m": m, "n": n}, X))
            return float(rng.random())

        made = lemma("toy Lemma 1", "2", whp=0.3, m=[4, 8], n=[2, 3])(sizes)
        case = Case(made, ON_SPHERES, ALPHA)
        for cell in case.cells:
            case.measure(cell, cell, 0)
        points = {(cell["m"], cell["n"]): X for cell, X in seen}
        assert points[4, 2].shape == (2, 16)
        assert np.array_equal(points[4, 2], points[8, 2])
        assert np.array_equal(points[4, 3], points[8, 3])
        assert not np.array_equal(points[4, 3][:2], points[4, 2])

    def test_a_size_that_follows_a_measured_symbol_and_a_premise_on_it_work_together(self) -> None:
        def least(X: np.ndarray) -> float:
            return float(np.linalg.svd(X)[1][-1])

        def step(rng: np.random.Generator, X: np.ndarray, m: int, eta: float) -> float:
            """A step."""
            return eta * float(rng.random())

        made = lemma(
            "toy Lemma 1",
            "eta",
            whp=0.3,
            m=[64, 128],
            n=2,
            d=4,
            lam0=least,
            eta="lam0/n**2",
            premises=["m >= C1*n**2/lam0**2"],
            C1=2,
        )(step)
        case = Case(made, ON_SPHERES, ALPHA)
        assert all(cell["eta"] == pytest.approx(cell["lam0"] / 4) for cell in case.cells)
        assert judged(made).verdict is Verdict.SUPPORTED

    @pytest.mark.parametrize("said", [{"a": 1}, None, [], True, [1, True]])
    def test_what_is_no_size_is_refused(self, said: Any) -> None:
        with pytest.raises(SizeError, match=r"m=.* is no size; write a number"):
            Sizes.of({"m": said})


class TestJudged:
    def test_it_reports_what_a_full_block_reports(self) -> None:
        def told(made: Claim) -> str:
            row = judged(made)
            found = row.evidence, row.sight, row.trends, row.said, row.controls_said, row.claim.scope
            return re.sub(r"seconds=[^,]+", "", repr(found))

        controls = [control("twice the gain", gain=2.0)]
        premises = ["wide: m >= 10*log(1/delta)"]
        short = lemma(
            "toy Lemma 1", "sqrt(20*log(2/delta)/m)", whp="delta", m=[256, 1024], controls=controls, premises=premises
        )(norm)
        first = told(short)
        registry.remove(short.id)
        full = claim(
            "toy:lemma-1",
            title="Deviation of a mean square from its mean",
            kind="probability",
            theme="unsorted",
            source="Lemma 1",
            bound="sqrt(20*log(2/delta)/m)",
            premises=premises,
            regime=Regime(cells=[{"m": 256, "delta": 0.1}, {"m": 1024, "delta": 0.1}]),
            evidence=Trials(rate="delta"),
            controls=controls,
        )(norm)
        assert told(full) == first

    def test_no_wrong_variant_need_be_typed(self) -> None:
        found = judged(lemma("toy Lemma 1", "3*sqrt(2/m)", whp=0.1, m=[64, 4096])(norm))
        assert found.verdict is Verdict.SUPPORTED
        assert found.ok
        assert "m" in found.sight.sees
        assert not found.controls

    def test_a_fitted_constant_is_judged_on_larger_sizes_and_its_best_value_is_said(self) -> None:
        found = judged(lemma("toy Lemma 1", "C/sqrt(m)", whp=0.1, m=[64, 4096], C="fit")(norm))
        assert found.verdict is Verdict.CONSISTENT
        assert found.ok
        details = found.evidence.details
        assert 0.5 * details["constant"] < details["least constant"] < 1.5 * details["constant"]
        assert "m" in found.sight.sees

    def test_a_constant_that_is_not_enough_at_larger_sizes_refutes(self) -> None:
        found = judged(lemma("toy Lemma 1", "C/m", whp=0.1, m=[64, 65536], C="fit")(norm))
        assert found.verdict is Verdict.REFUTED

    def test_a_fitted_constant_takes_a_symbol_measured_on_points_and_zeros(self) -> None:
        def least(X: np.ndarray) -> float:
            return float(np.linalg.svd(X)[1][-1])

        def part(rng: np.random.Generator, X: np.ndarray, m: int) -> float:
            """Sometimes nothing."""
            return float(rng.integers(2)) / m

        made = lemma("toy Lemma 1", "C/(lam0*m)", whp=0.1, m=[4, 256], n=2, lam0=least, C="fit")(part)
        assert judged(made).verdict is Verdict.CONSISTENT


class TestRefused:
    @pytest.mark.parametrize(
        ("given", "why"),
        [
            ({"whp": 0.1, "order": "m"}, "whp= and order=, which are different ways to judge it"),
            ({"C": "fit", "C1": "fit"}, "C and C1 are both to be fitted"),
            ({"C": "fit", "equals": True}, "C cannot be fitted with equals="),
            ({"C": "fit", "premises": ["m >= C*2"]}, "C is fitted, and stands in the premise"),
            ({"gain": [1.0, 2.0]}, "gain is a size and a keyword-only parameter"),
            ({"meanings": {"psi_": "nothing"}}, "it says what 'psi_' means, which no formula has"),
            ({"C": "fit", "whp": "delta", "delta": [0.1, 0.2]}, "a constant is fitted at one failure rate"),
        ],
    )
    def test_what_contradicts_itself(self, given: dict[str, Any], why: str) -> None:
        with pytest.raises(ClaimError, match=why):
            lemma("toy Lemma 1", "C*m", **{"m": [4, 64], **given})(norm)

    def test_all_blocks_of_a_file_are_refused_at_once(self, tmp_path: Path) -> None:
        text = "from lemmata import claim, lemma\n" + "".join(
            f'@lemma("toyfile Lemma {k}", "{bound}", m=[2, 4])\ndef f{k}(m):\n    """Half."""\n    return m/2\n'
            for k, bound in enumerate(["C*m", "m", "m*"], start=1)
        )
        (tmp_path / "test_toyfile.py").write_text(text + '@claim("toyfile:four", bond="m")\ndef g(m):\n    return m\n')
        with pytest.raises(ClaimError) as caught:
            load_file(tmp_path / "test_toyfile.py")
        said = str(caught.value)
        assert "lemma-1: C has no value" in said
        assert "lemma-3: its bound" in said
        assert "keyword 'bond'" in said
        assert "lemma-2" not in said
        assert not registry.claims()


class TestAConstantByParts:
    """A larger size is judged by half of its replicates; what these leave open, by all."""

    @staticmethod
    def _calls(bound: str, shifted: Any, **given: Any) -> tuple[Row, dict[int, int]]:
        numbers: dict[int, int] = {}

        def measure(rng: np.random.Generator, m: int, *, gain: float = 1.0) -> float:
            """Some number."""
            numbers[m] = numbers.get(m, 0) + 1
            return float(gain * np.exp(0.05 * rng.standard_normal()) * shifted(m))

        row = judged(lemma("toy Lemma 1", bound, whp=0.1, m=[64, 4096], C="fit", **given)(measure))
        return row, numbers

    def test_where_none_misses_the_bound_half_of_the_replicates_judge_it(self) -> None:
        row, numbers = self._calls("C*m", lambda m: m)
        assert [cell.trials for cell in row.evidence.cells] == [64, 64]
        # One of a cell is measured again.
        assert numbers == {64: 129, 256: 129, 1024: 65, 4096: 65}
        assert (row.verdict, row.complaint) == (Verdict.CONSISTENT, "")
        assert "m: frozen at 64" in row.sight.refuted

    def test_where_some_miss_it_more_are_drawn_until_these_tell(self) -> None:
        row, numbers = self._calls("C*m", lambda m: m * (1.0 if m < 1000 else 1.27))
        assert numbers[1024] > 130
        assert row.verdict is not Verdict.UNDECIDED

    @pytest.mark.parametrize(("rare", "refuted"), [(0.02, False), (0.24, True), (0.9, True)])
    def test_a_wrong_bound_that_a_part_leaves_open_is_tried_with_all_where_enough_miss_it(
        self, rare: float, refuted: bool
    ) -> None:
        numbers: dict[int, int] = {}

        def measure(rng: np.random.Generator, m: int) -> float:
            """A number that grows beyond the smaller sizes in some draws."""
            numbers[m] = numbers.get(m, 0) + 1
            return 8.0 if rng.random() < rare and m > 256 else 1.0 + 0.01 * rng.random()

        row = judged(lemma("toy Lemma 1", "C*m", whp=0.1, m=[64, 4096], C="fit")(measure))
        assert row.verdict is Verdict.CONSISTENT
        assert row.sight.own["m: frozen at 64"] is refuted
        # By a part where that is refuted already, or far from it.
        assert (max(numbers[1024], numbers[4096]) > 65) is (rare == 0.24)

    def test_a_control_by_another_bound_is_refuted(self) -> None:
        row, _ = self._calls("C*m", lambda m: m, controls=[control("no growth", bound="C")])
        assert [found.verdict for found in row.controls] == [Verdict.REFUTED]

    def test_a_number_of_replicates_is_for_what_is_fitted(self) -> None:
        with pytest.raises(ClaimError, match="replicates=600 is for an order or a constant that is fitted"):
            lemma("toy Lemma 1", "1/m", whp=0.1, m=[4, 8], replicates=600)(norm)


def test_an_order_that_stays_undecided_says_how_many_replicates_would_do() -> None:
    def spread(rng: np.random.Generator, m: int) -> float:
        """A number of the order of m**(-1/2), within a factor of 3 in one cell."""
        return float(np.exp(1.1 * rng.standard_normal()) / np.sqrt(m))

    row = judged(lemma("toy Lemma 1", "1/sqrt(m)", order="m", m=[64, 4096])(spread))
    assert row.verdict is Verdict.UNDECIDED
    (number,) = re.findall(r"about \d+ would do, so write replicates=(\d+)", row.complaint)
    assert "or measure what is spread less" in row.complaint
    more = judged(lemma("toy Lemma 2", "1/sqrt(m)", order="m", m=[64, 4096], replicates=int(number))(spread))
    assert more.verdict is Verdict.CONSISTENT
