"""The pytest surface in a checkout: the plugin that `-p lemmata` brings elsewhere, and the Hypothesis profile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

PLUGIN = "theory.lemmata.plugin"
CLAIMS = Path(__file__).parent / "properties"

# Unit tests of what claims measure with: left out where claims are collected, run where they are named.
collect_ignore_glob = ["properties/*/tests"]


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Bring the plugin, unless this session has it by -p: options are registered once."""
    there = {getattr(plugin, "__name__", "") for plugin in pluginmanager.get_plugins()}
    if not {"lemmata.plugin", PLUGIN} & there:
        pluginmanager.import_plugin(PLUGIN)


def pytest_pycollect_makemodule(module_path: Path, parent: Any) -> Any:
    """Load the profile before the first unit test that uses Hypothesis; claims name it themselves."""
    claims = module_path.is_relative_to(CLAIMS) and "tests" not in module_path.parts
    if not claims and b"hypothesis" in module_path.read_bytes():
        from theory.core import profile

        profile.load()
