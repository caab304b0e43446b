"""What pytest loads in each session of an environment that has lemmata: its options, and nothing more until needed.

Options have to be known before any conftest is read, so they stand here. The rest, `theory.surface`, joins when an
option of ours is given, when the session is that of the checkout, or at the first claim file.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from . import ROOT

SURFACE = "theory.surface.plugin"

# pytest-timeout has an option of the same name and meaning; where it is installed, that is the one.
TIMEOUT = "timeout"

# Options with a value, as (name, placeholder, default, help); those that may be given more than once have a list.
VALUES: tuple[tuple[str, str, str | list[str] | None, str], ...] = (
    ("paper", "KEY", [], "only claims of this paper"),
    ("theme", "NAME", [], "only claims on this theme"),
    ("claim", "ID", [], "only this claim; patterns allowed"),
    ("effort", "LEVEL", "quick", "quick (default), thorough or nightly"),
    ("bound", "FORMULA", None, "what if the bound of --claim were this?"),
    ("at", "M=V,...", "", "fix symbols, as in m=4096,L=3"),
    ("data", "SET", None, "digits, iris, wine, breast_cancer, FILE.npz, FILE.csv"),
    ("seed", "N", "0", "root of all randomness, or 'fresh' (default 0)"),
    ("ledger", "DIR", None, "write ledger.json, ledger.md and the pages index.html and needs.html there"),
    ("plot", "DIR", None, "write there a picture of what each claim measured beside its bound"),
    ("compare", "OLD", None, "say on that page what changed against this older ledger.json, or the one in this folder"),
    ("jobs", "N", "1", "worker processes (default 1)"),
    ("backend", "NAME", "loky", "where trials run: loky (default), dask or ray"),
    ("scheduler", "ADDRESS", None, "dask scheduler, instead of a local cluster"),
    (TIMEOUT, "SECONDS", None, "time limit of a claim, 0 for none (default by effort: 600 s, 2 h, 12 h)"),
    ("journal", "FILE", None, "where thorough and nightly runs note their blocks"),
)
FLAGS: tuple[tuple[str, str], ...] = (
    ("resume", "go on with the run of the journal"),
    ("needs", "judge nothing: say which width, depth, steps and step sizes the premises ask for"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the claims."""
    group = parser.getgroup("lemmata", "claims")
    for name, placeholder, default, text in VALUES:
        if name == TIMEOUT and importlib.util.find_spec("pytest_timeout") is not None:
            continue
        several = {"action": "append"} if isinstance(default, list) else {}
        group.addoption(f"--{name}", default=default, metavar=placeholder, help=text, **several)
    for name, text in FLAGS:
        group.addoption(f"--{name}", action="store_true", help=text)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> Any:
    """Start again where pytest took the value of an option for the place of the tests.

    pytest looks for its settings before it knows the options of plugins: after `--ledger DIR` it looks in DIR, if there
    is one. Written with an equals sign the value is nothing but a value.
    """
    given = config.invocation_params.args
    joined = joined_options(given)
    return pytest.main(joined, config.invocation_params.plugins) if joined != list(given) else None


def joined_options(given: Sequence[str]) -> list[str]:
    """`given` with each of our options and the existing path after it in one word."""
    valued = {f"--{name}" for name, *_ in VALUES}
    words = [str(word) for word in given]
    joined: list[str] = []
    for at, word in enumerate(words):
        if word == "--":
            return joined + words[at:]
        if joined and joined[-1] in valued and at > 0 and words[at - 1] == joined[-1] and _exists(word):
            joined[-1] = f"{joined[-1]}={word}"
        else:
            joined.append(word)
    return joined


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def pytest_configure(config: pytest.Config) -> None:
    """Join in where an option or the name of a claim asks for it, and in the checkout.

    Not before the plugins of pytest that select, such as that of --lf: what they keep is what is selected from.
    """
    config.stash[_BEFORE] = len(_strays())
    asked = any(config.getoption(name, default) != default for name, _, default, _ in VALUES)
    asked = asked or any(config.getoption(name) for name, _ in FLAGS)
    if asked or is_suite(config.rootpath) or any(_names_claim(config, argument) for argument in config.args):
        join(config)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """With --lf collect the files of the suite in which claims failed last, where no place and no claim is asked for.

    Outside of the checkout pytest would not come by them.
    """
    config = session.config
    asked = any(config.getoption(name) for name in ("claim", "paper"))
    if (
        not config.getoption("lf", False)
        or asked
        or config.args_source is config.ArgsSource.ARGS
        or is_suite(config.rootpath)
    ):
        return
    failed = config.cache.get("cache/lastfailed", {}) if config.cache is not None else {}
    files = dict.fromkeys(config.rootpath / name.split("::")[0] for name in failed)
    wanted = [str(file) for file in files if file.is_relative_to(ROOT / "properties") and file.is_file()]
    if wanted:
        join(config)
        config.args += wanted


def _names_claim(config: pytest.Config, argument: str) -> bool:
    """Whether an argument `file::name` may name a claim."""
    file, _, name = argument.partition("::")
    path = config.invocation_params.dir / file
    return bool(name) and path.is_file() and _may_hold_claims(path.read_bytes())


def _may_hold_claims(content: bytes) -> bool:
    """Whether the surface has to look at a file. A project may have a `theory` of its own, and claims not there."""
    return b"theory" in content and (other_theory() is None or b"theory.claims import" in content)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Any:
    """Join in at the first file that may hold claims."""
    if parent.config.pluginmanager.hasplugin(SURFACE) or not _may_hold_claims(module_path.read_bytes()):
        return None
    try:
        return join(parent.config).pytest_pycollect_makemodule(module_path=module_path, parent=parent)
    except pytest.UsageError as error:
        # Here it would be told as a file that cannot be collected.
        parent.config.stash[_REFUSAL] = error
        return _Nothing.from_parent(parent, path=module_path)


class _Nothing(pytest.File):
    """A file that is not collected, since the session will be refused."""

    def collect(self) -> list[pytest.Item]:
        """No item."""
        return []


_REFUSAL = pytest.StashKey[pytest.UsageError]()
_BEFORE = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse a session that met a claim file and cannot judge it, or that passes by claim blocks in other files."""
    if _REFUSAL in config.stash:
        raise config.stash[_REFUSAL]
    unjudged = _strays()[config.stash[_BEFORE] :]
    if unjudged and not config.pluginmanager.hasplugin(SURFACE):
        claim = unjudged[0]
        raise pytest.UsageError(
            f"{claim.file}:{claim.line}: claim {claim.id} registers, and a claim block stands in a file that no run "
            f"collects; write it in a file test_*.py"
        )
    if not config.pluginmanager.hasplugin(SURFACE) and _passes_by_blocks(config):
        join(config).refuse_unjudged(config, items)


def _passes_by_blocks(config: pytest.Config) -> bool:
    """Whether claim blocks stand in a folder that was asked for; a session that met none has not joined in."""
    places = [Path(config.invocation_params.dir, given) for given in config.args if "::" not in given]
    if other_theory() is not None or not any(place.is_dir() for place in places):
        return False
    sites = importlib.import_module("theory.claims.sites")
    files = (file for place in places if place.is_dir() for file in sites.python_files(place))
    return any(sites.block_sites(file.read_bytes()) for file in files if not file.is_relative_to(ROOT))


def _strays() -> list[Any]:
    """The claims that registered without being loaded from a claim file, if any module of claims is loaded at all."""
    registry = sys.modules.get("theory.claims.registry")
    return [] if registry is None else list(registry.strays())


def join(config: pytest.Config) -> Any:
    """Load the surface, if it is not there, and register it.

    Raises `pytest.UsageError` if there is another `theory`, as in a folder of that name where pytest was started.
    """
    other = other_theory()
    if other is not None:
        raise pytest.UsageError(
            f"`import theory` gives {other}, not the room of that name in {ROOT}; rename that folder or run pytest "
            f"from elsewhere"
        )
    surface = importlib.import_module(SURFACE)
    if not config.pluginmanager.hasplugin(SURFACE):
        config.pluginmanager.register(surface, SURFACE)
    return surface


def other_theory() -> str | None:
    """What `import theory` gives where that is not the room of lemmata, of this copy of it or of another."""
    spec = importlib.util.find_spec("theory")
    place = "nothing" if spec is None else spec.origin or "a folder without __init__.py"
    return None if is_suite(Path(place).resolve().parent.parent) else place


def is_suite(folder: Path) -> bool:
    """Whether a folder holds the rooms of a lemmata: this copy, or a checkout in which another one is installed."""
    return folder == ROOT or (folder / "theory" / "lemmata" / "plugin.py").is_file()
