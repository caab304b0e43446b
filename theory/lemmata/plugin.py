"""What pytest loads where claims are asked for, by `-p lemmata`: their options, and `theory.surface`, which judges.

Options have to be known before any conftest is read, so they stand here, and nothing heavy does. PYTEST_DONT_REWRITE
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
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
    ("budget", "P", None, "chance that a run refutes a true claim of yours (default 0.001)"),
    ("seed", "N", "0", "root of all randomness, or 'fresh' (default 0)"),
    ("ledger", "DIR", None, "write ledger.json, ledger.md and the pages index.html and needs.html there"),
    ("plot", "DIR", None, "write there a picture of what each claim measured beside its bound"),
    ("compare", "OLD", None, "say on that page what changed against this older ledger.json, or the one in this folder"),
    ("expect", "LINE", None, "say whether the one claim comes to this, as in 'ratio 0.97, holds'"),
    ("jobs", "N", "1", "worker processes (default 1)"),
    ("backend", "NAME", "loky", "where trials run: loky (default), dask or ray"),
    ("scheduler", "ADDRESS", None, "dask scheduler, instead of a local cluster"),
    (TIMEOUT, "SECONDS", None, "time limit of a claim, 0 for none (default by effort: 600 s, 2 h, 12 h)"),
    ("journal", "FILE", None, "where thorough and nightly runs note their blocks"),
)
FLAGS: tuple[tuple[str, str], ...] = (
    ("resume", "go on with the run of the journal"),
    ("known", "show rows of which nothing has changed since they were judged as they came out then"),
    ("no-page", "write ledger.json and ledger.md alone, without pages and figures"),
    ("strict-claims", "fail as well where a row is blind to a symbol without a reason, or its ratio rises"),
    ("story", "tell all of each claim that is judged, as `lemmata show` does"),
    ("needs", "judge nothing: say which width, depth, steps and step sizes the premises ask for"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the claims."""
    _leave_assertions()
    group = parser.getgroup("lemmata", "claims")
    for name, placeholder, default, text in VALUES:
        if name == TIMEOUT and importlib.util.find_spec("pytest_timeout") is not None:
            continue
        several = {"action": "append"} if isinstance(default, list) else {}
        _add(group, name, default=default, metavar=placeholder, help=text, **several)
    for name, text in FLAGS:
        _add(group, name, action="store_true", help=text)


def _add(group: pytest.OptionGroup, name: str, **described: Any) -> None:
    try:
        group.addoption(f"--{name}", **described)
    except ValueError:
        raise pytest.UsageError(
            f"--{name}: another plugin of this session has an option of that name, and lemmata needs it; "
            f"leave that plugin out, with -p no:NAME or --noconftest"
        ) from None


class _AsWritten(MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The modules of the wheel as Python finds them."""
        return PathFinder.find_spec(name, path, target) if name.startswith("lemmata.") else None


def _leave_assertions() -> None:
    """Keep pytest from changing the assertions in the whole package, as it does below the name of a plugin."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _AsWritten)]
    rewriting = [at for at, it in enumerate(sys.meta_path) if type(it).__name__ == "AssertionRewritingHook"]
    if rewriting:
        sys.meta_path.insert(rewriting[0], _AsWritten())


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
    """Bring the surface.

    Not before the plugins of pytest that select, such as that of --lf: what they keep is what is selected from.
    """
    # Modules live as long as the process, and looking for garbage among them is a fifth of the time of loading them.
    collects = gc.isenabled()
    gc.disable()
    try:
        surface = importlib.import_module(SURFACE)
    finally:
        if collects:
            gc.enable()
    config.pluginmanager.register(surface, SURFACE)


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
    config.args += wanted


def is_suite(folder: Path) -> bool:
    """Whether a folder holds the rooms of a lemmata: this copy, or a checkout in which another one is installed."""
    return folder == ROOT or (folder / "theory" / "lemmata" / "plugin.py").is_file()
