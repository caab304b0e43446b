"""Symbols that are functions of the training points: measured on the points at hand, the same for all trials."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from theory.claims import control
from theory.claims.block import Claim
from theory.claims.points import OfPoints, measure
from theory.claims.regime import Regime, grid
from theory.claims.selection import SelectionError, parse_at
from theory.core.data import Data
from theory.core.refusal import ClaimError
from theory.core.seeds import canonical
from theory.core.statements import ByClaim, Paper, Statement
from theory.core.verdict import Verdict
from theory.evidence import Scaling, Search, Trials
from theory.judging.judge import judge
from theory.reports.ledger import Suite, to_json
from theory.reports.needs import plan
from theory.reports.needs_shown import table
from theory.reports.solving import Solvers, need_of
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.surface import rooms
from theory.tests.fakes import ALPHA, NEVER, declared, formula
from theory.upkeep.replay import unlike

SYNTHETIC = RunConfig(data=Data(rooms.sphere()))


def spread(X: np.ndarray) -> float:
    """The least eigenvalue of the Gram matrix of the points."""
    return float(np.linalg.eigvalsh(X @ X.T)[0])


def share(rng: np.random.Generator, X: np.ndarray, m: int, *, times: float = 1.0) -> float:
    """A random share of what the points have in their worst direction."""
    return times * spread(X) * float(rng.random()) / m


def of_points(function: Any = share, **block: Any) -> AbstractContextManager[Claim]:
    """A claim whose bound has a function of the points."""
    usual: dict[str, Any] = {
        "bound": "phi/m",
        "regime": Regime(cells=grid(n=[2, 3], d=6, m=[4, 8]), from_data={"phi": spread}),
        "evidence": Trials(rate=0.2, budget=64),
        "controls": [control("half of it", bound="phi/(2*m)"), control("all of it", times=3.0)],
    }
    return declared(function, **{**usual, **block})


@pytest.fixture
def file(tmp_path: Path) -> Any:
    """The data of a file."""
    X = np.random.default_rng(0).standard_normal((5, 6))
    np.savez(tmp_path / "points.npz", X=X, y=np.arange(5) % 2)
    return rooms.load_data(str(tmp_path / "points.npz"))


def on(data: Any, **asked: Any) -> RunConfig:
    """A run on the data of a user."""
    return RunConfig(data=Data(rooms.sphere(), data), **asked)


class TestTheValue:
    def test_where_a_cell_has_all_rows_it_is_that_of_the_file_exactly(self, file: Any) -> None:
        with of_points() as made:
            (cell,) = Case(made, on(file, at={"n": 5, "m": 4}), ALPHA).cells
            assert cell["phi"] == spread(file.X)
            few = Case(made, on(file), ALPHA)
            assert len(few.cells) == 4
            for at in few.cells:
                X, y = few.sizes.points(at)
                assert at["phi"] == spread(X)
                known = {(row.tobytes(), label) for row, label in zip(file.X, file.y, strict=True)}
                assert {(row.tobytes(), label) for row, label in zip(X, y, strict=True)} <= known

    def test_it_has_all_digits_and_is_printed_with_six(self) -> None:
        number = measure("phi", lambda X: np.float64(1.0) / len(X), {"X": np.ones((3, 2))})
        assert number == 1.0 / 3.0
        assert canonical({"phi": number, "m": 4}) == "m=4,phi=0.333333"
        assert isinstance(number, OfPoints)
        assert number.short == 0.333333

    def test_whole_numbers_stay_exact(self) -> None:
        found = measure(
            "count", lambda y, n: np.count_nonzero(y > 0) * n, {"y": np.array([1.0, -1.0, 1.0]), "n": 10**18}
        )
        assert (found, type(found)) == (2 * 10**18, int)

    @pytest.mark.parametrize("wrong", [float("nan"), float("inf"), "many", None, [1.0, 2.0], True, 1j])
    def test_what_is_no_number_is_an_error_of_the_claim(self, wrong: Any) -> None:
        with of_points(regime=Regime(cells=grid(n=2, d=6, m=4), from_data={"phi": lambda X: wrong})) as made:
            row = judge(made, SYNTHETIC, ALPHA)
        assert row.verdict is Verdict.ERROR
        assert "the symbol phi of the points is " in row.error

    def test_derived_symbols_follow_it_and_neither_names_a_generator(self) -> None:
        regime = Regime(
            cells=grid(n=2, d=6, m=4),
            derived={"eta": lambda m, phi: phi / m, "k": lambda m: m + 1},
            from_data={"phi": lambda X, k: k * spread(X)},
        )
        with of_points(bound="phi*eta", regime=regime) as made:
            (cell,) = Case(made, SYNTHETIC, ALPHA).cells
            assert cell["eta"] == cell["phi"] / 4
            assert regime.unusual(cell) == {"n": 2, "d": 6, "m": 4, "k": 5}
            (other,) = Case(made, RunConfig(data=Data(rooms.sphere()), at={"eta": 0.5}), ALPHA).cells
            assert (other["eta"], other["phi"]) == (0.5, cell["phi"])


class TestThePoints:
    def test_all_trials_of_a_cell_and_its_controls_have_the_same_ones(self) -> None:
        seen: dict[tuple[int, int], set[bytes]] = {}

        def noted(
            rng: np.random.Generator, X: np.ndarray, y: np.ndarray, n: int, m: int, *, times: float = 1.0
        ) -> float:
            seen.setdefault((n, m), set()).add(X.tobytes() + y.tobytes())
            return share(rng, X, m, times=times)

        with of_points(noted) as made:
            assert judge(made, SYNTHETIC, ALPHA).ok
        assert {cell: len(points) for cell, points in seen.items()} == dict.fromkeys(
            ((2, 4), (2, 8), (3, 4), (3, 8)), 1
        )
        assert len(set.union(*seen.values())) == 4

    def test_nobody_changes_them(self) -> None:
        def careless(rng: np.random.Generator, X: np.ndarray) -> float:
            X[0] = 0.0
            return 0.0

        with of_points(careless, controls=[NEVER]) as made:
            row = judge(made, SYNTHETIC, ALPHA)
        assert row.error.startswith("ValueError: assignment destination is read-only")

    def test_they_are_handed_over_where_no_symbol_is_measured(self) -> None:
        with declared(
            lambda X, y: abs(float(np.linalg.norm(X) ** 2) - len(y)), regime=Regime(cells=grid(n=3, d=2))
        ) as made:
            assert made.takes_data
            assert Case(made, SYNTHETIC, ALPHA).judge({"n": 3, "d": 2}, {"n": 3, "d": 2}, 0)[1].ok

    def test_symbols_of_these_names_stay_symbols(self) -> None:
        with declared(lambda y: y, regime=Regime(cells=grid(m=4), draw={"y": st.floats(0.0, 1.0)})) as made:
            assert not made.takes_data
            assert judge(made, RunConfig(), ALPHA).verdict is Verdict.HOLDS


class TestARow:
    @pytest.mark.parametrize("evidence", [Trials(rate=0.2, budget=64), Search(examples=20)])
    def test_its_line_measures_the_same_number_again(self, evidence: Any) -> None:
        with of_points(evidence=evidence, premises="phi <= 2") as made:
            row = judge(made, RunConfig(seed=3, data=Data(rooms.sphere())), 1e-4)
            assert "phi" not in row.reproduce
            assert row.meanings["phi"].endswith("; measured on the points of a cell")
            (entry,) = to_json([row], Suite("0", "", "quick", 3))["claims"]
            assert unlike(entry, made) == ""
        assert row.ok, row.complaint
        assert "phi" in row.sight.sees
        assert all(len(str(cell["at"]["phi"])) <= 8 for cell in entry["cells"])
        assert "phi" not in row.trends


def test_it_cannot_be_assigned_but_to_plan_without_data(file: Any) -> None:
    with of_points(premises="m >= 2/phi") as made:
        theirs = Data(brought=file)
        for data, planned in ((Data(), False), (theirs, False), (theirs, True)):
            with pytest.raises(SelectionError, match=r"^--at: phi is measured on the points; leave it out, or"):
                parse_at("m=8,phi=0.5", [made], data, planned=planned)
        at = parse_at("phi=0.125", [made], planned=True)
        solvers = Solvers()
        assert need_of(made, RunConfig(at=at, data=Data(rooms.sphere())), solvers).width == 16
        assert need_of(made, on(file), solvers).width == int(np.ceil(2.0 / spread(file.X)))


def test_a_plan_leaves_open_what_cannot_be_measured(file: Any) -> None:
    def too_many(X: np.ndarray) -> float:
        raise MemoryError

    regime = Regime(cells=grid(n=2, d=6, m=4), from_data={"phi": too_many})
    with of_points(premises=["m >= 2/phi", "m >= 3*n"], regime=regime) as made:
        theorem = Statement(made.statement, "Theorem 1", "t", "probability", "ntk", "page 1", ByClaim())
        paper = Paper("toy", "T", ("A",), 2020, (theorem,))
        solvers = Solvers()
        found = plan([made], on(file, at={"m": 10**6}), {"toy": paper}, solvers)
    ((need,), (asked,)) = found.claims, found.theorems
    assert (need.width, need.why, need.within) == (None, "undecided", None)
    assert (asked.width, asked.within) == (None, None)
    assert "undecided without a trial: m >= 2/phi" in "".join(table(found))


def refused() -> Iterator[tuple[dict[str, Any], str]]:
    """Blocks that contradict themselves, and what is said of them."""
    cells = grid(n=[2, 3], d=6, m=[4, 8])
    yield (
        {"regime": Regime(cells=grid(n=2, m=4), from_data={"phi": spread})},
        "its points take n and d, and its regime",
    )
    yield {"regime": Regime(cells=[{**c, "phi": 1} for c in cells], from_data={"phi": spread})}, "is given twice"
    yield {"controls": [control("a", cells=[{**cells[0], "phi": 2.0}])]}, "of its control 'a' gives phi"
    yield {"regime": Regime(cells=cells, from_data={"phi": lambda X, p: p})}, "'phi' of its points needs p; let"
    yield (
        {"regime": Regime(cells=[{**c, "y": 1} for c in cells], from_data={"phi": spread})},
        "a symbol 'y', a name the",
    )
    scaled = Regime(cells=cells[2:], calibration=cells[:2], from_data={"phi": spread})
    fitted = {"regime": scaled, "evidence": Scaling({"m": "equal"}), "bound": formula(lambda phi: phi, m=0.0)}
    yield fitted, "its fit takes phi, which is not known before points are drawn"


@pytest.mark.parametrize(("block", "said"), list(refused()))
def test_a_block_that_contradicts_itself_is_refused(block: dict[str, Any], said: str) -> None:
    with pytest.raises(ClaimError, match=said), of_points(**block):
        pass
