"""The page of a ledger in small ones, a statement each, under addresses that stay: `statements/zou2018/lemma-A.7.html`.

What a small page shows is cut out of the page that opens from a file, so that both say the same; links to other
statements lead to their own pages, and the rest to `index.html`. The planner has a page of its own as well.

Main definitions: `small_pages`; `address`, where a statement has its page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape

from markupsafe import Markup

from theory.core.statements import Open, Paper, Statement
from theory.core.values import Json
from theory.papers import papers
from theory.reports.page import STYLES, planner, rendered, style

FOLDER = "statements"
SHEET = f"{FOLDER}/style.css"
LIST = f"{FOLDER}/index.html"
PLANNER = f"{FOLDER}/planner.html"

# From a page of a statement, and from the list of them, to the folder of `index.html`.
UP, UP_ONCE = "../../", "../"

# The cards of claims, or of all forms of a statement.
CARD = re.compile(r'<article class=claim id="([^"]+)">.*?</article>', re.DOTALL)
FORMS = re.compile(r"<section class=forms.*?</section>", re.DOTALL)
LINK = re.compile(r'href="#([^"]*)"')


def address(identifier: str) -> str:
    """The path of a statement's page from the folder of `index.html`."""
    paper, _, name = identifier.partition(":")
    return f"{FOLDER}/{paper}/{name}.html"


def small_pages(ledger: Json, whole: str) -> dict[str, str]:
    """Every small page by its path: of `ledger` and its page `whole`, one for each statement of the papers there.

    With them come the list of all statements, the planner where the ledger has widths, and the style sheet of all.
    """
    statement_of = {claim["id"]: claim["statement"] for claim in ledger["claims"]}
    shown = {key: paper for key, paper in papers().items() if key in {claim["paper"] for claim in ledger["claims"]}}
    there = {statement.id for paper in shown.values() for statement in paper.statements}
    cards = _cards(whole, statement_of)
    users: dict[str, list[str]] = {}
    for paper in shown.values():
        for statement in paper.statements:
            for used in statement.uses:
                users.setdefault(used, []).append(statement.id)

    def led(target: str, up: str = UP) -> str:
        name = unescape(target).split("?")[0].removesuffix(",s")
        statement = statement_of.get(name, name)
        if statement not in there:
            return f"{up}index.html#{target}"
        return up + address(statement) + (f"#{name}" if name in statement_of else "")

    found = {SHEET: str(style(*STYLES))}
    for key, paper in shown.items():
        standing = {entry["id"]: entry for entry in ledger["papers"][key]["proofs"]}
        for statement in paper.statements:
            text = rendered(
                "small.html",
                paper=paper,
                s=statement,
                standing=standing[statement.id],
                cards=Markup("\n".join(cards.get(statement.id, ()))),
                told=statement.id in cards and FORMS.search(whole) is not None,
                open=statement.coverage.reason if isinstance(statement.coverage, Open) else "",
                uses=[used for used in statement.uses if used in there],
                used_by=users.get(statement.id, []),
                labels={s.id: s.label for p in shown.values() for s in p.statements},
                suite=ledger["suite"],
            )
            found[address(statement.id)] = LINK.sub(lambda link: f'href="{led(link[1])}"', text)
    if form := planner(ledger, UP_ONCE):
        found[PLANNER] = LINK.sub(lambda link: f'href="{led(link[1], UP_ONCE)}"', form)
    found[LIST] = rendered(
        "statements.html",
        papers=_listed(ledger, shown),
        suite=ledger["suite"],
        up=UP_ONCE,
        planner=PLANNER.removeprefix(f"{FOLDER}/") if form else "",
    )
    return found


def _cards(whole: str, statement_of: Mapping[str, str]) -> dict[str, list[str]]:
    """What the page has of each statement: its forms together where it says so, else the cards of its claims."""
    found: dict[str, list[str]] = {}
    blocks = FORMS.findall(whole) or [card.group() for card in CARD.finditer(whole)]
    for block in blocks:
        first = CARD.search(block)
        if first is not None and (name := unescape(first[1])) in statement_of:
            found.setdefault(statement_of[name], []).append(block)
    return found


def _listed(ledger: Json, shown: Mapping[str, Paper]) -> list[tuple[Paper, list[tuple[Statement, str, str]]]]:
    """The statements of each paper with how the printed form came out, and the address from the list."""
    listed = []
    for key, paper in shown.items():
        own: dict[str, str] = {entry["id"]: entry["own"] for entry in ledger["papers"][key]["proofs"]}
        rows = [(s, own[s.id], address(s.id).removeprefix(f"{FOLDER}/")) for s in paper.statements]
        listed.append((paper, rows))
    return listed
