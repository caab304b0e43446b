"""The ledger as one page that opens from a file: no network, no server, readable without a script.

Main definitions: `page`, the text of the page, `planner`, its planner alone, and `style`. `front`, `cards`,
`paper_view` and `side_by_side` say what its views show, `words` which words of the field find a claim, `widths` what
theorems ask for, `drawing` draws figures, `formulas` sets formulas, `graph` lays out what rests on what, `changes`
compares two ledgers, `packing` makes a large page smaller; words and order stand in the templates, a file a view.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from theory.claims.results import Power
from theory.core.digits import near_one
from theory.core.scope import MEANING as SCOPES
from theory.core.statements import DECISIONS, STATEMENT_KINDS, THEMES
from theory.core.values import Json
from theory.core.verdict import MEANING, Verdict
from theory.papers import papers
from theory.reports.figures import Figure
from theory.reports.page.cards import shown_claims, shown_statements
from theory.reports.page.changes import KINDS, changes
from theory.reports.page.formulas import mathml
from theory.reports.page.front import OPEN, front, shown_papers
from theory.reports.page.paper_view import paper_view
from theory.reports.page.side_by_side import shown_groups
from theory.reports.page.words import field_words
from theory.reports.versions import SIZES

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"

# End tags that HTML lets one leave out, of paragraphs before what cannot stand in one: thirty thousand of them.
OPTIONAL = re.compile(r"</(?:dt|dd|li|td|th|tr|option|thead|tbody)>")
PARAGRAPH = re.compile(
    r"</p>(?=\n?<(?:p|ul|dl|div|section|article|figure|table|details|form|h[1-6]|/article|/section|/div|/details)\b)"
)

# Quotes of attributes that are not looked for in the text of a page, around what needs none.
QUOTED = re.compile(r'(?<= )((?:class|scope|data-[a-z]+)=)"([\w:.,/+-]+)"(?=[ >])')

# In the order in which they stand on the page: a script may use what those before it define.
STYLES = ("base.css", "front.css", "planner.css", "list.css", "card.css", "graph.css", "picture.css")
SCRIPTS = (
    *(
        "base.js",
        "packed.js",
        "address.js",
        "widths.js",
        "front.js",
        "planner.js",
        "list.js",
        "graph.js",
        "card.js",
        "start.js",
    ),
)
PLANNER = ("base.js", "widths.js", "planner.js", "planner_start.js")

# Of the list of claims.
COLUMNS = ("claim", "label", "statement", "verdict", "ratio", "kind", "scope", "premises", "power", "variants")


def style(*names: str) -> Markup:
    """The style sheets of these names as one."""
    return Markup("".join(map(_text, names)))


def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def page(
    ledger: Json,
    figures: Mapping[str, Figure],
    old: Json | None = None,
    selected: bool = False,
    widths: Mapping[str, str] | None = None,
) -> str:
    """The page of a ledger, as `theory.reports.ledger.to_json` gives it.

    `figures` are those that claims draw themselves, by id. `old` is an earlier ledger to compare with; `selected` says
    that the run was about some claims alone. `widths` is what the premises of claims ask for, by
    `theory.reports.needs_shown.widths`, where `needs.html` stands beside the page.
    """
    environment = _environment()
    shown = shown_papers(ledger)
    claims = shown_claims(ledger, figures)
    views = [paper_view(paper, ledger, claims) for key, paper in sorted(papers().items()) if key in shown]
    text = environment.get_template("page.html").render(
        suite=ledger["suite"],
        planned=widths is not None,
        widths=widths or {},
        verdicts=[str(verdict) for verdict in Verdict if any(c["verdict"] == str(verdict) for c in claims)],
        meaning={str(verdict): said for verdict, said in MEANING.items()},
        decisions=DECISIONS,
        themes=THEMES,
        kinds=STATEMENT_KINDS,
        front=(beginning := front(ledger)),
        open_theorems=OPEN,
        columns=COLUMNS,
        scope_meaning={scope.value: said for scope, said in SCOPES.items()},
        papers=views,
        groups=shown_groups(ledger, claims),
        sizes=list(SIZES),
        claims=claims,
        statements=shown_statements(ledger, claims),
        changes=None if old is None else changes(old, ledger, selected),
        change_kinds=KINDS,
        old=None if old is None else old["suite"],
        style=style(*STYLES),
        script=_script(SCRIPTS),
        up="",
        data=_script_data(
            {
                "papers": {view["key"]: view["places"] for view in views},
                "widths": None if beginning["widths"] is None else beginning["widths"]["data"],
                "words": field_words(),
            }
        ),
    )
    return _short(text)


def planner(ledger: Json, up: str, planned: bool = False) -> str:
    """The planner as a page of its own, `up` the way to the page of the ledger; empty where that has no widths."""
    found = front(ledger)["widths"]
    if found is None:
        return ""
    return rendered(
        "planner_page.html",
        widths=found,
        up=up,
        planned=planned,
        suite=ledger["suite"],
        data=_script_data({"widths": found["data"]}),
        script=_script(PLANNER),
    )


def _script(names: Sequence[str]) -> Markup:
    """These files as one script, each with what those before it define."""
    return Markup('(() => {\n"use strict";\n' + "".join(map(_text, names)) + "})();")


def rendered(template: str, **given: object) -> str:
    """Another page than that of a ledger, by its template."""
    return _short(_environment().get_template(template).render(**given))


def _short(text: str) -> str:
    """A page without the blanks, the quotes and the end tags that nobody needs."""
    lines = (QUOTED.sub(r"\1\2", OPTIONAL.sub("", line.strip())) for line in text.splitlines())
    # The last head of a table ends where its body begins, and not with a blank.
    joined = "\n".join(line for line in lines if line).replace("\n<tbody>", "<tbody>")
    return PARAGRAPH.sub("", joined).replace("&#39;", "'") + "\n"


@cache
def _environment() -> Environment:
    """The templates, which take as long to read as a short page to write."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "math": mathml,
        "near_one": lambda ratio: near_one(float(ratio)),
        "tail": _tail,
        "exponent": _exponent,
        "power": lambda power: Power(power["kind"], float(power["value"])).short,
    }
    return environment


def _exponent(entry: Json) -> str:
    """An exponent as claimed and as measured."""
    claimed, measured, low, high = (float(entry[name]) for name in ("claimed", "measured", "low", "high"))
    said = "" if math.isnan(claimed) else f"{claimed:.3g}"
    return said if math.isnan(measured) else f"{said}; {measured:.2f} [{low:.2f}, {high:.2f}]"


def _tail(identifier: str) -> str:
    """The part of an id after the paper's key."""
    return identifier.split(":", 1)[1]


def _script_data(data: object) -> Markup:
    """Data for the script as JSON that cannot end the element in which it stands."""
    return Markup(json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"))
