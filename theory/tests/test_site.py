"""The site: every page has a place in it, the reference names what exists, and docstrings are shown as they are."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = sorted((ROOT / "docs" / "api").glob("*.md"))


def site() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    return loaded


def pages(entries: list[Any]) -> list[str]:
    """The files that the menu leads to, in its order."""
    found: list[str] = []
    for entry in entries:
        (place,) = entry.values()
        found += [place] if isinstance(place, str) else pages(place)
    return found


def identifiers() -> list[str]:
    """What the reference shows: modules, by the names under which they are imported."""
    return [name for page in REFERENCE for name in re.findall(r"^::: (\S+)$", page.read_text(), re.MULTILINE)]


def copied() -> list[str]:
    """What `make site` copies beside docs_dir, from the Makefile."""
    (line,) = re.findall(r"^PAGES := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return line.split()


def test_the_menu_leads_to_every_page_once_and_each_is_copied() -> None:
    menu = pages(site()["nav"])
    documents = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert sorted(menu) == sorted(set(menu))
    assert documents <= set(menu)
    assert {place for place in menu if not place.startswith("docs/")} <= set(copied())
    assert [place for place in copied() if not (ROOT / place).exists()] == []


def test_the_site_is_built_where_nothing_is_committed_and_a_broken_link_stops_it() -> None:
    settings = site()
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {settings[name].split("/")[0] + "/" for name in ("docs_dir", "site_dir")} <= set(ignored)
    assert settings["strict"] is True
    assert set(settings["validation"].values()) == {"warn"}


@pytest.mark.parametrize("name", identifiers())
def test_the_reference_names_modules_with_a_docstring(name: str) -> None:
    assert importlib.import_module(name).__doc__


def test_the_reference_has_what_the_pages_import() -> None:
    """Every name that a block of the documentation imports stands in a module of the reference."""
    texts = [(ROOT / place).read_text() for place in pages(site()["nav"])]
    blocks = "".join(block for text in texts for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    imported = re.findall(r"^from (lemmata\S*) import (.+)$", blocks, re.MULTILINE)
    names = {(module, name.strip()) for module, listed in imported for name in listed.split(",")}
    assert len(names) > 5
    modules = [importlib.import_module(name) for name in identifiers()]
    found = {(module, name): getattr(importlib.import_module(module), name) for module, name in names}
    lost = {at for at, thing in found.items() if not any(getattr(m, at[1], None) is thing for m in modules)}
    assert lost == set()
    assert len(identifiers()) == len(set(identifiers()))


def loaded(place: str) -> ModuleType:
    """A module beside the pages, which belongs to no package."""
    spec = importlib.util.spec_from_file_location(Path(place).stem, ROOT / place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def plain_text(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The extension of the reference, without the package that calls it, which only `make site` installs."""
    monkeypatch.setitem(sys.modules, "griffe", SimpleNamespace(Extension=object, Object=object))
    (name,) = site()["plugins"][1]["mkdocstrings"]["handlers"]["python"]["options"]["extensions"]
    return loaded(name)


def test_formulas_of_a_page_are_set_and_code_is_left_alone() -> None:
    (name,) = site()["hooks"]
    html = r"bound $<code>\frac{a}{b} &lt; C</code>$, <code>a</code> and $ <code>b</code>"
    formula = "<math><mfrac><mi>a</mi><mi>b</mi></mfrac><mo>&lt;</mo><mi>C</mi></math>"
    assert loaded(name).on_page_content(html, page=None) == f"bound {formula}, <code>a</code> and $ <code>b</code>"


def test_what_is_no_markup_on_github_is_none_in_the_site() -> None:
    (name,) = site()["hooks"]
    text = "<u, v> at l*, of **rows** and *all*, `<u, v>`:\n```\n<u, v> l* - 1\n```\nl* - 1 <b>"
    shown = r"&lt;u, v> at l\*, of **rows** and *all*, `<u, v>`:" + "\n```\n<u, v> l* - 1\n```\n" + r"l\* - 1 <b>"
    assert loaded(name).on_page_markdown(text, page=None) == shown


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("One sentence.", "One sentence."),
        ("<u, v> of a*b*c in [0, 1], m_{l-1}.", r"&lt;u, v> of a\*b\*c in \[0, 1], m\_{l-1}."),
        ("As `x[i] * 2` says.", "As `x[i] * 2` says."),
        (":class:`TailError` for a*b.", r"`TailError` for a\*b."),
        ("Words:\n\n    x = a*b\n\n    y = <x>\n\nand a*b.", "Words:\n\n    x = a*b\n\n    y = <x>\n\n" + r"and a\*b."),
        ("Two:\n- one*\n  more\n- two", "Two:\n\n- one\\*\n  more\n- two"),
        (
            "Words.\n\nAttributes\n----------\nweight : number of W*\ncarry\n    what counts\n\nRaises nothing.",
            "Words.\n\n**Attributes**\n\n- `weight`: number of W\\*\n- `carry`:\n    what counts\n\nRaises nothing.",
        ),
    ],
)
def test_a_docstring_is_shown_as_it_is(plain_text: ModuleType, text: str, markdown: str) -> None:
    assert plain_text.as_markdown(text) == markdown


def test_each_docstring_is_rewritten_where_there_is_one(plain_text: ModuleType) -> None:
    documented = SimpleNamespace(docstring=SimpleNamespace(value="a*b"))
    shown = plain_text.PlainText()
    shown.on_object(obj=documented, loader=None)
    shown.on_object(obj=SimpleNamespace(docstring=None))
    assert documented.docstring.value == r"a\*b"
