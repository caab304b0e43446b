"""What users select and assign: sense is read, nonsense is refused in one line that names what is near."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import strategies as st

from theory.claims.block import Claim
from theory.claims.regime import Regime, choices, grid
from theory.claims.selection import SelectionError, nearest, parse_at, select
from theory.core.data import Data
from theory.evidence import Search
from theory.tests.fakes import FakeBound, chosen, declared


def still(m: int) -> float:
    return 0.5


def moving(rng: np.random.Generator, m: int, L: int, x: float) -> float:
    return 0.5


@pytest.fixture
def all_claims() -> Iterator[list[Claim]]:
    with ExitStack() as stack:
        blocks: list[tuple[Callable[..., Any], dict[str, Any]]] = [
            (still, {"statement": "toy:lemma-1", "theme": "activation"}),
            (still, {"statement": "toy:lemma-2", "theme": "convergence"}),
            (
                moving,
                {
                    "statement": "other:theorem-1",
                    "theme": "convergence",
                    "regime": Regime(
                        cells=grid(m=[4, 8], L=2, eps=0.5), derived={"r": lambda m: m}, draw={"x": st.floats(0, 1)}
                    ),
                    "bound": FakeBound(lambda m, C, s: C, constants={"C": chosen(1.0)}),
                    "measured": ["s"],
                },
            ),
        ]
        yield [stack.enter_context(declared(function, **block)) for function, block in blocks]


def ids(chosen: list[Claim]) -> list[str]:
    return [c.id for c in chosen]


class TestSelect:
    def test_nothing_asked_is_everything(self, all_claims: list[Claim]) -> None:
        assert select(all_claims) == all_claims

    @pytest.mark.parametrize(
        ("patterns", "chosen"),
        [
            (["toy:lemma-1"], ["toy:lemma-1"]),
            (["toy:*"], ["toy:lemma-1", "toy:lemma-2"]),
            (["*-1"], ["toy:lemma-1", "other:theorem-1"]),
            (["toy:lemma-[2-9]", "other:*"], ["toy:lemma-2", "other:theorem-1"]),
        ],
    )
    def test_ids_may_be_patterns(self, all_claims: list[Claim], patterns: list[str], chosen: list[str]) -> None:
        assert ids(select(all_claims, patterns)) == chosen

    def test_papers_and_themes_narrow_it_down(self, all_claims: list[Claim]) -> None:
        assert ids(select(all_claims, papers=["toy"])) == ["toy:lemma-1", "toy:lemma-2"]
        assert ids(select(all_claims, themes=["convergence"])) == ["toy:lemma-2", "other:theorem-1"]
        assert ids(select(all_claims, papers=["toy"], themes=["convergence"])) == ["toy:lemma-2"]
        assert ids(select(all_claims, ["*-1"], ["toy"], ["activation"])) == ["toy:lemma-1"]

    @pytest.mark.parametrize(
        ("asked", "message"),
        [
            ((["toy:lema-1"], [], []), "--claim: no claim 'toy:lema-1'; nearest: toy:lemma-1, toy:lemma-2"),
            (([], ["tpy"], []), "--paper: no paper 'tpy'; nearest: toy"),
            (([], [], ["convergance"]), "--theme: no theme 'convergance'; nearest: convergence"),
            (
                (["toy:lemma-1"], ["other"], []),
                "the selection is empty: no claim is of that paper, theme and id at once",
            ),
            (([], [], ["ntk"]), "the selection is empty: no claim is of that paper, theme and id at once"),
        ],
    )
    def test_nonsense_is_refused_in_one_line(
        self, all_claims: list[Claim], asked: tuple[list[str], list[str], list[str]], message: str
    ) -> None:
        with pytest.raises(SelectionError) as caught:
            select(all_claims, *asked)
        assert str(caught.value).startswith(message)
        assert "\n" not in str(caught.value)

    def test_names_are_read_where_they_are_declared(self) -> None:
        regime = Regime(cells=[{"m": 4, "loss": "p < 1/2"}], draw={"kind": choices("zero", "equal")})
        block: dict[str, Any] = {"regime": regime, "evidence": Search(examples=3)}
        with declared(lambda m, loss, kind: 0.5, **block) as made:
            for text in ("kind=equal,loss=p < 1/2,m=8", "kind='equal', loss=\"p < 1/2\" ,m=8"):
                assert parse_at(text, [made]) == {"kind": "equal", "loss": "p < 1/2", "m": 8}
            for text, message in (
                ("kind=equals", "--at: kind=equals is no choice of kind; nearest: equal"),
                ("kind=1", "--at: kind=1 is no choice of kind; valid: equal, zero"),
                ("m=equal", "--at: m=equal is no number; write an integer or a decimal"),
            ):
                with pytest.raises(SelectionError, match=re.escape(message)):
                    parse_at(text, [made])
            numbered = Regime(cells=[{"m": 4}], draw={"kind": st.integers(0, 1)})
            with declared(lambda m, kind: 0.5, statement="toy:other", regime=numbered) as other:
                assert parse_at("kind=1", [made, other]) == {"kind": 1}
                assert parse_at("kind=zero", [made, other]) == {"kind": "zero"}

    def test_one_wrong_id_among_right_ones_is_refused(self, all_claims: list[Claim]) -> None:
        with pytest.raises(SelectionError, match="--claim: no claim 'toy:lemma-3'"):
            select(all_claims, ["toy:lemma-1", "toy:lemma-3"])


class TestNearest:
    def test_it_does_not_mind_the_case(self) -> None:
        assert nearest("LEMMA-a.7", ["lemma-A.7", "theorem"]) == "nearest: lemma-A.7"

    def test_far_from_everything_it_lists_what_there_is(self) -> None:
        assert nearest("zzz", ["b", "a"]) == "valid: a, b"
        assert nearest("zzz", [f"n{i:02}" for i in range(30)]).endswith("n18, n19, ...")


class TestAssignments:
    @pytest.mark.parametrize(
        ("text", "assigned"),
        [
            ("", {}),
            ("m=4096", {"m": 4096}),
            ("m=4096,L=3", {"m": 4096, "L": 3}),
            (" m = 4096 , eps = 1e-05 ", {"m": 4096, "eps": 1e-05}),
            ("m=4e3", {"m": 4000}),
            ("m=64.0", {"m": 64}),
            ("eps=1", {"eps": 1}),
            ("eps=2.5", {"eps": 2.5}),
            ("r=0.5,x=0.25,C=3", {"r": 0.5, "x": 0.25, "C": 3}),
            ("trial=0", {"trial": 0}),
            ("m=8,", {"m": 8}),
        ],
    )
    def test_numbers_are_read(self, all_claims: list[Claim], text: str, assigned: dict[str, float]) -> None:
        found = parse_at(text, all_claims)
        assert found == assigned
        assert {name: type(value) for name, value in found.items()} == {
            name: type(value) for name, value in assigned.items()
        }

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("m", "--at: 'm' is no assignment; write NAME=NUMBER, as in m=4096,L=3"),
            ("m=", "--at: 'm=' is no assignment; write NAME=NUMBER"),
            ("=4", "--at: '=4' is no assignment; write NAME=NUMBER"),
            ("m:4", "--at: 'm:4' is no assignment; write NAME=NUMBER"),
            ("m=4 L=3", "--at: m=4 L=3 is no number; write an integer or a decimal"),
            ("m=4=5", "--at: m=4=5 is no number; write an integer or a decimal"),
            ("m=2**x", "--at: m=2**x is no number; write an integer or a decimal"),
            ("m=\n4\n5", "--at: m=4 5 is no number; write an integer or a decimal"),
            ("m=nan", "--at: m=nan is not finite; write a finite number"),
            ("m=-inf", "--at: m=-inf is not finite; write a finite number"),
            ("m=1e999", "--at: m=1e999 is not finite; write a finite number"),
            ("m=4,m=5", "--at: m is given twice; give it once"),
            ("q=4", "--at: no selected claim has a symbol 'q'; valid: C, L, eps, m, r, trial, x"),
            ("Eps=4", "--at: no selected claim has a symbol 'Eps'; nearest: eps"),
            ("s=4", "--at: no selected claim has a symbol 's'; "),
            ("trial=-1", "--at: trial='-1' numbers no trial; write a whole number from 0 up"),
            ("trial=0.5", "--at: trial='0.5' numbers no trial; write a whole number from 0 up"),
        ],
    )
    def test_nonsense_is_refused_in_one_line(self, all_claims: list[Claim], text: str, message: str) -> None:
        with pytest.raises(SelectionError) as caught:
            parse_at(text, all_claims)
        assert str(caught.value).startswith(message)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("m=0", "--at: m=0 is no value of m, which is an integer >= 1"),
            ("m=-1", "--at: m=-1 is no value of m, which is an integer >= 1"),
            ("m=64.5", "--at: m=64.5 is no value of m, which is an integer >= 1"),
            ("L=0", "--at: L=0 is no value of L, which is an integer >= 1"),
            ("m=1e30", "--at: m=1e30 is larger than what is built; write a number up to 1000000000000"),
            (f"m={10**400}", f"--at: m={10**400} is larger than what is built"),
            ("L=1000000000", "--at: L=1000000000 is larger than what is built; write a number up to 1000000"),
            ("eps=0", "--at: eps=0 is no value of eps, which is > 0"),
            ("eps=-0.5", "--at: eps=-0.5 is no value of eps, which is > 0"),
        ],
    )
    def test_values_at_which_nothing_can_be_built_are_refused(
        self, all_claims: list[Claim], text: str, message: str
    ) -> None:
        with pytest.raises(SelectionError) as caught:
            parse_at(text, all_claims)
        assert str(caught.value).startswith(message)
        assert "\n" not in str(caught.value)

    def test_values_in_the_domain_are_read_as_before(self, all_claims: list[Claim]) -> None:
        assert parse_at("m=1,L=1e6,eps=7,x=3,C=2", all_claims) == {"m": 1, "L": 10**6, "eps": 7, "x": 3, "C": 2}

    def test_what_a_claim_declares_may_be_asked_of_it(self) -> None:
        with declared(still, regime=Regime(cells=grid(m=[4, 10**130]))) as huge:
            assert parse_at("m=1e120", [huge]) == {"m": int(1e120)}
        with declared(still, regime=Regime(cells=grid(m=[0.5, 4]))) as other:
            assert parse_at("m=0.25", [other]) == {"m": 0.25}

    def test_only_symbols_of_selected_claims_are_known(self, all_claims: list[Claim]) -> None:
        with pytest.raises(SelectionError, match="no selected claim has a symbol 'eps'"):
            parse_at("eps=0.1", all_claims[:2])

    def test_replicates_have_numbers_without_randomness_too(self, all_claims: list[Claim]) -> None:
        replicated = replace(all_claims[0], evidence=cast(Any, SimpleNamespace(replicates_cells=True)))
        assert parse_at("trial=1", [replicated]) == {"trial": 1}

    def test_without_randomness_there_are_no_trials_to_name(self, all_claims: list[Claim]) -> None:
        with pytest.raises(SelectionError, match="no selected claim has a symbol 'trial'"):
            parse_at("trial=1", all_claims[:2])


class TestWhatTheDataAre:
    """Symbols that the points of the user fix keep the value they have there."""

    OF_DATA = Data(brought=SimpleNamespace(n=150, d=4, separation=0.25))

    @staticmethod
    def on_points(data: Any, n: int, d: int, phi: float, m: int) -> float:
        return 0.5

    @pytest.fixture
    def about_data(self) -> Iterator[list[Claim]]:
        with declared(self.on_points, regime=Regime(cells=grid(n=9, d=3, phi=0.1, m=4))) as made:
            yield [made]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("phi=0.9", "phi=0.9, but the points of --data have phi=0.25"),
            ("m=8,d=5", "d=5, but the points of --data have d=4"),
            ("n=151", "n=151, but --data has 150 rows; ask for at most so many"),
        ],
    )
    def test_another_value_is_refused(self, text: str, said: str, about_data: list[Claim]) -> None:
        with pytest.raises(SelectionError, match=f"^--at: {said}"):
            parse_at(text, about_data, self.OF_DATA)

    def test_their_own_value_and_every_other_symbol_are_accepted(self, about_data: list[Claim]) -> None:
        """The line that reproduces a row names them all."""
        assert parse_at("phi=0.25,d=4,n=150,m=8", about_data, self.OF_DATA) == {"phi": 0.25, "d": 4, "n": 150, "m": 8}
        assert parse_at("phi=0.9,n=500", about_data) == {"phi": 0.9, "n": 500}

    def test_a_claim_that_is_not_about_data_keeps_its_symbols(self) -> None:
        with declared(lambda d: 0.5, regime=Regime(cells=grid(d=3))) as made:
            assert parse_at("d=5", [made], self.OF_DATA) == {"d": 5}
