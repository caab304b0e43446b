"""All claims of the suite, by presence: a claim block in a file under properties/ registers when it loads.

Main definitions: `load_claims`, `claims`, `find`, and `ClaimError`.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theory.claim import Claim

_claims: dict[str, Claim] = {}


class ClaimError(Exception):
    """A claim cannot be accepted; the message names the file, the claim and what to write."""


def add(declared: Claim) -> None:
    """Register a claim; called by the decorator, which has refused duplicates."""
    _claims[declared.id] = declared


def remove(identifier: str) -> None:
    """Forget a claim (for tests that declare claims of their own)."""
    _claims.pop(identifier, None)


def find(identifier: str) -> Claim | None:
    """The claim of that id, if one is loaded."""
    return _claims.get(identifier)


def claims() -> list[Claim]:
    """Every loaded claim, in the order of their ids."""
    return [_claims[identifier] for identifier in sorted(_claims)]


def load_claims(package: str = "properties") -> list[Claim]:
    """Import every `test_*` module below `package` and return all claims.

    The package is found by name at run time, so that no room depends on the claims.
    """
    root = importlib.import_module(package)
    for module in pkgutil.walk_packages(root.__path__, prefix=f"{package}.", onerror=_refuse):
        if module.name.rsplit(".", 1)[-1].startswith("test_"):
            _load(module.name)
    return claims()


def _load(name: str) -> None:
    """Import a module of claims, whose own mistakes get one line as those of a block do."""
    try:
        importlib.import_module(name)
    except ClaimError:
        raise
    except Exception as error:
        place = f"{name.replace('.', '/')}.py"
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename.endswith(place):
                place = f"{place}:{frame.lineno}"
                break
        raise ClaimError(f"{place}: does not load: {type(error).__name__}: {error}") from error


def _refuse(package: str) -> None:
    """Raise the error of a package below, which `walk_packages` would drop together with its claims."""
    raise ClaimError(
        f"{package.replace('.', '/')}/__init__.py: does not load, so the claims beside it are missing: "
        f"{sys.exc_info()[1]}"
    )
