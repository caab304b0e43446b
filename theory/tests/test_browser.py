"""The page in a real browser: views, filter, focus, links that keep the view, copying, light and dark; no network."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from theory.core.verdict import Verdict
from theory.papers import papers
from theory.reports.ledger import to_json, write
from theory.reports.needs import Plan, TheoremNeed
from theory.reports.page import page
from theory.reports.page.packing import packed
from theory.reports.page.statements import small_pages
from theory.reports.solving import Need, PremiseNeed
from theory.tests.test_cards import missing, of_a_paper, rated
from theory.tests.test_page import SUITE, toy

THEOREM = "zou2018:theorem-4.1"

# Set where a browser has to be there: then its lack is a failure and not a reason to skip.
REQUIRED = "LEMMATA_BROWSER"


def lacking() -> str:
    """What is missing to start a browser."""
    names = ("chromium", "chromedriver")
    missing = [name for name in names if shutil.which(name) is None]
    return f"there is no {' and no '.join(missing)} here: install Debian's chromium and chromium-driver" * bool(missing)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium with its logs."""
    if why := lacking():
        assert os.environ.get(REQUIRED) is None, why
        pytest.skip(why)
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install selenium")
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with a claim of every paper, on the first statement of each."""
    folder, row = tmp_path_factory.mktemp("whole"), toy()
    firsts = [(paper.key, paper.statements[0].id) for paper in papers().values()]
    rows = [replace(row, claim=replace(row.claim, id=i, statement=i, paper=key)) for key, i in firsts]
    write(folder, rows, SUITE)
    return (folder / "index.html").as_uri()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with three claims, one of them not as expected."""
    folder = tmp_path_factory.mktemp("page")
    first, *others = papers()["zou2018"].statements[:3]
    row = toy()
    rows = [row]
    for statement, title in zip(others, ("a second one", "one more"), strict=True):
        claim = replace(row.claim, id=statement.id, statement=statement.id, title=title)
        rows.append(replace(row, claim=claim))
    rows[2] = replace(rows[2], claim=replace(rows[2].claim, expected=Verdict.REFUTED, theme="separation"))
    assert first.id == row.claim.id
    needs = [
        Need(claim.id, claim.id, True, "n=2", (PremiseNeed("m >= n", r"m \geq n", "holds", {"C": 4.0}),), width)
        for claim, width in zip((row.claim for row in rows), (10**5, 10**120, 10**204), strict=True)
    ]
    theorem = TheoremNeed(
        id=needs[2].id,
        label="Theorem 9",
        title="what all leads to",
        width=10**204,
        widths={need.id: 10**204 if need is needs[2] else 10**120 for need in needs[1:]},
        open=(),
        forms={need.id: need.id for need in needs},
        costliest=needs[2].id,
        premise="m >= n",
        within=False,
    )
    lesser = replace(theorem, id=needs[0].id, label="Theorem 8", width=10**5, widths={needs[0].id: 10**5}, within=True)
    write(folder, rows, SUITE, plan=Plan(10**5, tuple(needs), (lesser, theorem)))
    return (folder / "index.html").as_uri()


def _open(browser: Any, address: str) -> None:
    browser.get("about:blank")
    browser.get(address)


def _wait(browser: Any, condition: Callable[[], bool]) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 20.0).until(lambda _: condition())


def _shown(browser: Any, selector: str) -> list[str]:
    """The ids of what is seen of these elements."""
    return [e.get_attribute("id") for e in browser.find_elements("css selector", selector) if e.is_displayed()]


def test_one_view_is_shown_at_a_time_and_every_claim_has_its_link(browser: Any, address: str) -> None:
    _open(browser, address)
    assert _shown(browser, ".view, .claim") == ["front"]
    identifier = papers()["zou2018"].statements[1].id
    _open(browser, f"{address}#{identifier}")
    assert _shown(browser, ".view, .claim") == [identifier]
    browser.find_element("css selector", "nav a[href='#claims']").click()
    assert _shown(browser, ".view, .claim") == ["claims"]
    browser.back()
    assert _shown(browser, ".view, .claim") == [identifier]


def test_the_filter_keeps_what_is_asked_and_its_link_brings_it_back(browser: Any, address: str) -> None:
    def kept() -> list[str]:
        rows = browser.find_elements("css selector", ".claims tbody tr")
        return [row.find_elements("css selector", "td")[2].text for row in rows if row.is_displayed()]

    _open(browser, f"{address}#claims")
    assert len(kept()) == 3
    words = browser.find_element("name", "words")
    words.send_keys("SECOND")
    _wait(browser, lambda: kept() == ["a second one"])
    assert browser.find_element("css selector", ".filter output").text == "1 of 3"
    link = browser.current_url
    assert "words=SECOND" in link
    _open(browser, link)
    assert kept() == ["a second one"]
    _open(browser, f"{address}#claims?odd=yes")
    assert kept() == ["one more"]
    _open(browser, f"{address}#claims?theme=separation")
    assert kept() == ["one more"]
    _open(browser, f"{address}#claims?paper=guo2024")
    assert kept() == []


def _claims(browser: Any) -> list[str]:
    """The ids of the claims in the list, from above."""
    script = """return [...document.querySelectorAll(".claims tbody tr:not([hidden]) td:first-child")]
        .map((cell) => cell.textContent)"""
    return list(browser.execute_script(script))


def test_the_list_is_sorted_by_the_head_that_is_pressed_and_its_link_brings_that_back(
    browser: Any, address: str
) -> None:
    ids = [statement.id for statement in papers()["zou2018"].statements[:3]]
    _open(browser, f"{address}#claims")
    head = browser.find_element("xpath", "//table[@class='claims']//th[.='statement']")
    head.find_element("tag name", "button").click()
    assert (_claims(browser), head.get_attribute("aria-sort")) == ([ids[1], ids[2], ids[0]], "ascending")
    head.find_element("tag name", "button").click()
    assert (_claims(browser), head.get_attribute("aria-sort")) == ([ids[0], ids[2], ids[1]], "descending")
    link = browser.current_url
    _open(browser, link)
    assert _claims(browser) == [ids[0], ids[2], ids[1]]
    head = browser.find_element("xpath", "//table[@class='claims']//th[.='statement']")
    head.find_element("tag name", "button").click()
    assert (_claims(browser), head.get_attribute("aria-sort")) == (sorted(ids), None)
    # Numbers, with those that are none at the end.
    for column in ("ratio", "power", "variants"):
        browser.find_element("xpath", f"//table[@class='claims']//th[.='{column}']/button").click()
        assert len(_claims(browser)) == 3


@pytest.mark.parametrize(
    ("words", "found"), [("2*m", 3), ("toy", 3), ("second", 1), ("identity", 3), ("worst case", 3), ("no such word", 0)]
)
def test_words_are_sought_in_bounds_notes_symbols_and_what_the_field_calls_it(
    browser: Any, address: str, words: str, found: int
) -> None:
    _open(browser, f"{address}#claims")
    browser.find_element("name", "words").send_keys(words)
    _wait(browser, lambda: "words=" in browser.current_url)
    assert len(_claims(browser)) == found


def test_a_slash_leads_to_the_words_from_anywhere_and_is_a_letter_among_them(browser: Any, address: str) -> None:
    _open(browser, address)
    browser.find_element("tag name", "body").send_keys("/")
    _wait(browser, lambda: _shown(browser, ".view, .claim") == ["claims"])
    words = browser.find_element("name", "words")
    _wait(browser, lambda: browser.switch_to.active_element == words)
    words.send_keys("1/2")
    assert words.get_attribute("value") == "1/2"


def test_back_leads_to_the_place_and_the_link_that_one_came_from(browser: Any, address: str) -> None:
    identifier = papers()["zou2018"].statements[2].id
    _open(browser, f"{address}#claims")
    browser.set_window_size(900, 300)
    try:
        link = browser.find_element("link text", identifier)
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", link)
        before = browser.execute_script("return scrollY")
        assert before > 0
        link.click()
        _wait(browser, lambda: _shown(browser, ".view, .claim") == [identifier])
        active = browser.switch_to.active_element
        assert active.get_attribute("id") == identifier
        browser.back()
        _wait(browser, lambda: _shown(browser, ".view, .claim") == ["claims"])
        assert abs(browser.execute_script("return scrollY") - before) <= 2
        assert browser.switch_to.active_element == link
    finally:
        browser.set_window_size(1200, 900)


@pytest.mark.parametrize("target", ["%", "100%25%", "%E0%A4%A", "zou2018:nothing", "<b>", "claims,s"])
def test_an_address_that_names_nothing_says_so(browser: Any, address: str, target: str) -> None:
    _open(browser, f"{address}#{target}")
    assert _shown(browser, ".view, .claim") == ["missing"]
    assert browser.find_element("css selector", "#missing code").text
    near = browser.find_elements("css selector", "#missing li a")
    assert bool(near) == target.startswith("zou2018")
    if near:
        near[0].click()
        assert _shown(browser, ".view, .claim") == [papers()["zou2018"].statements[0].id]


def test_a_percent_sign_is_found_where_it_stands_for_a_letter(browser: Any, address: str) -> None:
    identifier = papers()["zou2018"].statements[1].id
    _open(browser, f"{address}#{identifier.replace(':', '%3A')}")
    assert _shown(browser, ".view, .claim") == [identifier]


def test_the_axis_of_widths_follows_the_sizes_and_its_link_brings_them_back(browser: Any, tmp_path: Path) -> None:
    row = toy()
    write(tmp_path, [replace(row, claim=replace(row.claim, id=THEOREM, statement=THEOREM))], SUITE)
    script = "return [...document.querySelectorAll('.dots a')].map((dot) => [dot.dataset.id, dot.title])"
    address = (tmp_path / "index.html").as_uri()
    _open(browser, address)
    assert browser.execute_script(script) == [[THEOREM, "Theorem 4.1: m ≥ 10^289; holds as printed"]]
    first = browser.execute_script(script)
    points = browser.find_element("css selector", ".asked [name=n]")
    points.clear()
    points.send_keys("1797")
    second = browser.execute_script(script)
    assert first != second
    assert "n=1797" in browser.current_url
    _open(browser, browser.current_url)
    assert browser.execute_script(script) == second
    browser.find_element("css selector", ".asked [type=reset]").click()
    _wait(browser, lambda: browser.execute_script(script) == first)


@pytest.fixture(scope="module")
def all_kinds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pages of a ledger: a refuted claim, a supported one, two forms with controls, a theorem."""
    folder = tmp_path_factory.mktemp("kinds")
    refuted, supported, theorem = ("zou2018:corollary-A.2", "zou2018:lemma-A.3", THEOREM)
    made = {refuted: missing(), supported: rated(0.02), theorem: toy()}
    rows = [replace(r, claim=replace(r.claim, id=i, statement=i, paper="zou2018")) for i, r in made.items()]
    rows += [toy(), of_a_paper(toy("another form"), "-corrected")]
    write(folder, rows, SUITE)
    whole = (folder / "index.html").read_text(encoding="utf-8")
    for name, text in small_pages(to_json(rows, SUITE), whole).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


RUN_AXE = "axe.run(document, arguments[0]).then(arguments[1])"
PLANNED = """
  const told = (row) => [...row.cells].slice(1, 4).map((cell) => cell.textContent);
  return [...document.querySelectorAll(".planned tbody tr")].map((row) => [row.dataset.id, ...told(row)]);
"""


@pytest.mark.parametrize("view", ["index.html#planner", "statements/planner.html"])
def test_the_planner_says_for_sizes_that_are_typed_what_theorems_need_and_how_that_is_known(
    browser: Any, all_kinds: Path, view: str
) -> None:
    def typed(name: str, value: str) -> None:
        field = browser.find_element("css selector", f".sizing [name={name}]")
        field.clear()
        field.send_keys(value)

    _open(browser, f"{all_kinds.as_uri()}/{view}")
    first = browser.execute_script(PLANNED)
    assert [row[0] for row in first] == ["zou2018:corollary-A.2", THEOREM]
    assert first[1][1:] == ["m ≥ 10^289", "interpolated", ""]
    typed("n", "1000")
    typed("L", "4")
    typed("phi", "0.05")
    computed = browser.execute_script(PLANNED)[1]
    assert computed[1:3] == ["m ≥ 10^320", "computed"]
    typed("n", "1797")
    typed("m", "1000000")
    least, most = browser.execute_script(PLANNED)
    assert (least[2:], most[2:]) == (["interpolated", "within reach"], ["interpolated", "out of reach"])
    assert browser.find_element("css selector", ".sizing output").text == "1 of 2 within reach of m = 1,000,000"
    assert "n=1797" in browser.current_url
    typed("n", "10000000")
    assert [row[2] for row in browser.execute_script(PLANNED)] == ["beyond the table"] * 2
    kept = browser.execute_script(PLANNED)
    _open(browser, browser.current_url)
    assert browser.execute_script(PLANNED) == kept
    browser.find_element("css selector", ".sizing [type=reset]").click()
    _wait(browser, lambda: browser.execute_script(PLANNED) == first)
    browser.find_element("css selector", ".planned tbody a").click()
    assert browser.current_url.endswith(
        ("#zou2018:corollary-A.2,s", "zou2018/corollary-A.2.html#zou2018:corollary-A.2")
    )


def test_the_axis_leads_to_the_planner_with_the_sizes_that_were_typed(browser: Any, all_kinds: Path) -> None:
    _open(browser, f"{all_kinds.as_uri()}/index.html#front?n=1797")
    browser.find_element("css selector", ".as-table").click()
    assert _shown(browser, ".view") == ["planner"]
    assert browser.find_element("css selector", ".sizing [name=n]").get_attribute("value") == "1797"


@pytest.mark.parametrize(
    "view",
    [
        *("index.html", "index.html#claims", "index.html#planner", f"index.html#zou2018?focus={THEOREM.split(':')[1]}"),
        *("index.html#zou2018:corollary-A.2", "index.html#zou2018:lemma-A.3", f"index.html#{THEOREM}"),
        *("statements/planner.html", "statements/zou2018/corollary-A.2.html"),
    ],
)
def test_axe_finds_nothing_that_keeps_a_reader_out_in_light_or_dark(browser: Any, all_kinds: Path, view: str) -> None:
    axe = pytest.importorskip("selenium_axe_python", reason="pip install selenium-axe-python").Axe(browser)
    _open(browser, f"{all_kinds.as_uri()}/{view}")
    axe.inject()
    # The dark page differs in its colours alone.
    asked = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}
    try:
        for scheme, rules in asked.items():
            media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            options = {"resultTypes": ["violations"], "preload": False, **rules}
            found = browser.execute_async_script(RUN_AXE, options)["violations"]
            assert [(v["id"], node["html"], node["failureSummary"]) for v in found for node in v["nodes"]] == [], scheme
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_drawing_shows_one_statement_and_what_it_rests_on(browser: Any, address: str) -> None:
    def boxes() -> int:
        return sum(box.is_displayed() for box in browser.find_elements("css selector", "#zou2018 .graph a"))

    _open(browser, f"{address}#zou2018")
    assert boxes() == len(papers()["zou2018"].statements)
    select = browser.find_element("css selector", "#zou2018 .graph-tools select")
    option = next(o for o in select.find_elements("tag name", "option") if o.text.startswith("Theorem 4.1:"))
    option.click()
    focused = boxes()
    assert 10 < focused < len(papers()["zou2018"].statements)
    assert browser.current_url.endswith("focus=theorem-4.1")
    _open(browser, browser.find_element("css selector", "#zou2018 .here").get_attribute("href"))
    assert boxes() == focused
    _open(browser, f"{address}#zou2018?focus=Theorem+4.1&depth=1")
    assert 1 < boxes() < focused
    told = browser.find_element("css selector", "#zou2018 .graph-tools output").text
    assert told.startswith(f"{boxes()} of {len(papers()['zou2018'].statements)} statements, ")
    _open(browser, f"{address}#zou2018?focus=no+such+thing")
    assert boxes() == len(papers()["zou2018"].statements)


# Of each focus: whether its box lies in the frame of the drawing, how many boxes are seen, and how many are counted.
FOCUSED = """
const [key, asked, done] = arguments, view = document.getElementById(key), found = [];
const within = (inner, frame) => inner.left >= frame.left - 1 && inner.right <= frame.right + 1
  && inner.top >= frame.top - 1 && inner.bottom <= frame.bottom + 1;
const look = () => {
  const box = view.querySelector(".graph svg > a.here"), frame = view.querySelector(".graph");
  const shown = Array.from(view.querySelectorAll(".graph svg > a")).filter((a) => a.getClientRects().length);
  const cells = Array.from(view.querySelectorAll("[data-count^=s-]"));
  found.push([box.dataset.s, within(box.getBoundingClientRect(), frame.getBoundingClientRect()), shown.length,
    cells.reduce((sum, cell) => sum + Number(cell.textContent), 0)]);
  step();
};
const step = () => {
  if (found.length === asked.length) return done(found);
  addEventListener("hashchange", look, {once: true});
  location.hash = key + "?" + new URLSearchParams(asked[found.length]);
};
step();
"""


def test_every_focus_shows_its_own_box_and_what_it_rests_on(browser: Any, whole: str) -> None:
    """The main theorems, and every other statement that rests on some: with all of these and with the nearest."""
    for key, paper in papers().items():
        ids = [s.id for s in paper.statements if any(used.startswith(f"{key}:") for used in s.uses)]
        asked = [{"focus": name.split(":")[1], "depth": depth} for name in ids for depth in (30, 1)]
        _open(browser, f"{whole}#{key}")
        # Boxes lie where they lie, painted or not, and painting takes a quarter of the time.
        browser.execute_script("document.body.style.visibility = 'hidden'")
        found = browser.execute_async_script(FOCUSED, key, asked)
        assert [name for name, *_ in found] == [name for name in ids for _ in range(2)]
        assert [name for name, within, *_ in found if not within] == []
        assert all(shown == counted > 1 for *_, shown, counted in found)


def test_a_box_under_the_pointer_shows_its_arrows_and_its_forms(browser: Any, address: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    statement = papers()["zou2018"].statements[1].id
    _open(browser, f"{address}#zou2018")
    (panel,) = browser.find_elements("css selector", "#zou2018 .peek")
    assert not panel.is_displayed()
    box = browser.find_element("css selector", f"#zou2018 .graph a[data-s='{statement}']")
    ActionChains(browser).move_to_element(box).perform()
    assert panel.is_displayed()
    assert panel.text.startswith(papers()["zou2018"].statements[1].label)
    assert "holds measured ≤" in panel.text
    lit = browser.find_elements("css selector", "#zou2018 .graph path.lit")
    number = "[data-e^='1 '], [data-e$=' 1']"
    assert len(lit) == len(browser.find_elements("css selector", f"#zou2018 .graph path:is({number})")) > 0
    ActionChains(browser).send_keys(Keys.ESCAPE).perform()
    assert not panel.is_displayed()


def test_the_line_that_reproduces_a_claim_is_copied(browser: Any, address: str) -> None:
    _open(browser, f"{address}#{papers()['zou2018'].statements[1].id}")
    code = next(c for c in browser.find_elements("css selector", "code.copy") if c.is_displayed())
    button = code.find_element("xpath", "following-sibling::button")
    button.click()
    _wait(browser, lambda: button.text == "copied")
    field = browser.find_element("name", "words")
    browser.execute_script("location.hash = '#claims'")
    field.send_keys("\ue009v\ue000")  # control and v
    _wait(browser, lambda: field.get_attribute("value") == code.get_attribute("textContent"))


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with two forms of one statement."""
    folder = tmp_path_factory.mktemp("forms")
    row = toy()
    other = replace(row, claim=replace(row.claim, id=f"{row.claim.id}-corrected", title="another form"))
    write(folder, [row, other], SUITE)
    return (folder / "index.html").as_uri()


def test_the_forms_of_a_statement_are_tabs_that_are_links(browser: Any, forms: str) -> None:
    def current() -> list[str]:
        return [tab.text.split()[0] for tab in browser.find_elements("css selector", ".tabs a[aria-current=page]")]

    identifier = papers()["zou2018"].statements[0].id
    _open(browser, f"{forms}#{identifier}")
    assert _shown(browser, ".claim") == [identifier]
    assert current() == ["as"]
    browser.find_element("css selector", f".tabs a[href='#{identifier}-corrected']").click()
    assert _shown(browser, ".claim") == [f"{identifier}-corrected"]
    assert current() == ["corrected"]
    assert browser.execute_script("return scrollY") == 0
    browser.back()
    assert _shown(browser, ".claim") == [identifier]
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        _open(browser, forms)
        assert _shown(browser, ".claim") == [identifier, f"{identifier}-corrected"]
        assert len(browser.find_elements("css selector", ".tabs a")) == 2
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_on_a_phone_the_verdict_of_a_claim_stands_on_the_first_screen(browser: Any, forms: str) -> None:
    screen = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        _open(browser, f"{forms}#{papers()['zou2018'].statements[0].id}-corrected")
        verdict = next(e for e in browser.find_elements("css selector", ".claim .is") if e.is_displayed())
        assert 0 < verdict.rect["y"] < verdict.rect["y"] + verdict.rect["height"] < screen["height"]
        # However long the name of the file is.
        browser.execute_script("document.querySelector('.claim.on .small code').textContent = 'properties/'.repeat(9)")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= screen["width"]
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_light_and_dark_are_two_clicks(browser: Any, address: str) -> None:
    def ink() -> str:
        return str(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))

    _open(browser, address)
    before = ink()
    button = browser.find_element("id", "theme")
    button.click()
    assert ink() != before
    button.click()
    assert ink() == before
    button.click()
    _open(browser, address)
    kept = ink()
    browser.execute_script("localStorage.clear()")
    assert kept != before


def test_what_the_theorems_need_stands_on_an_axis_with_a_line_at_what_is_trained(browser: Any, address: str) -> None:
    def across(selector: str) -> list[float]:
        found = browser.find_elements("css selector", f"#zou2018 tbody {selector}")
        return [round(e.rect["x"] + e.rect["width"] / 2) for e in found]

    _open(browser, address)
    browser.find_element("link text", "planner").click()
    first, last = across("circle.whole")
    assert first < last
    assert across("line.asked") == [first, first]
    assert first < across("circle:not(.whole)")[1] < last
    summary = browser.find_elements("css selector", "#zou2018 .needs summary")[1]
    summary.click()
    identifier = papers()["zou2018"].statements[1].id
    link = next(e for e in browser.find_elements("link text", identifier) if e.is_displayed())
    link.click()
    row = browser.find_element("id", identifier)
    assert row.is_displayed()
    assert "holds" in row.text
    row.find_element("link text", identifier).click()
    assert _shown(browser, ".view, .claim") == [identifier]


def test_on_a_narrow_screen_nothing_of_the_planner_is_cut_off(browser: Any, address: str) -> None:
    screen = {"width": 380, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        _open(browser, address.replace("index.html", "needs.html"))
        assert browser.execute_script("return document.documentElement.scrollWidth") <= screen["width"]
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_without_a_script_everything_is_there_to_read(browser: Any, address: str) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        _open(browser, address)
        assert len(_shown(browser, ".claim")) == 3
        assert {"front", "zou2018", "claims"} <= set(_shown(browser, ".view"))
        assert not any(e.is_displayed() for e in browser.find_elements("css selector", ".filter"))
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of two forms of one statement as a large one is stored."""
    folder, row = tmp_path_factory.mktemp("packed"), toy()
    other = replace(row, claim=replace(row.claim, id=f"{row.claim.id}-corrected", title="another form"))
    (folder / "index.html").write_text(packed(page(to_json([row, other], SUITE), {}), large=0), encoding="utf-8")
    return (folder / "index.html").as_uri()


def test_of_a_packed_page_a_script_puts_pictures_and_choices_into_their_places(browser: Any, small: str) -> None:
    drawn = (
        "return [...document.querySelectorAll('.claim.on figure > svg')].map((s) => s.getBoundingClientRect().width)"
    )
    identifier = papers()["zou2018"].statements[0].id
    _open(browser, f"{small}#{identifier}")
    _wait(browser, lambda: len(browser.execute_script(drawn)) == 1)
    assert browser.execute_script(drawn)[0] > 200
    browser.find_element("css selector", f".tabs a[href='#{identifier}-corrected']").click()
    assert len(browser.execute_script(drawn)) == 1
    assert (
        browser.execute_script("return document.querySelectorAll('.forms:has(.on) :is([data-p], [data-f])').length")
        == 0
    )
    _open(browser, f"{small}#zou2018?focus=theorem-4.1")
    chosen = "return document.querySelector('#zou2018 select').value"
    _wait(browser, lambda: browser.execute_script(chosen) == "theorem-4.1")
    _open(browser, f"{small}#claims?words=2*m")
    shown = "return document.querySelectorAll('.claims tbody tr:not([hidden])').length"
    _wait(browser, lambda: browser.execute_script(shown) == 2)
    assert [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []


def test_of_a_packed_page_all_text_is_there_without_a_script_and_where_a_picture_is_missing_is_said(
    browser: Any, small: str
) -> None:
    told = "return getComputedStyle(document.querySelector('.claim figure'), '::before').content"
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        _open(browser, small)
        cards = browser.find_elements("css selector", ".claim")
        assert all(card.is_displayed() and "sizes judged" in card.text.lower() for card in cards)
        lines = browser.find_elements("css selector", "[data-f]")
        assert all(line.text.strip() for line in lines)
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        assert "draws the picture" in browser.execute_script(told)
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_no_step_of_these_is_an_error_or_asks_the_network(browser: Any, address: str) -> None:
    for view in ("", "#zou2018", "#claims", "#nowhere", "#zou2018:nowhere?x=%3Cb%3E"):
        _open(browser, address + view)
    _open(browser, address.replace("index.html", "needs.html"))
    assert [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []
    sent = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"]
    assert asked
    assert all(url.startswith(("file:", "about:", "data:")) for url in asked), asked
