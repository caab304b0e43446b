"""The line in a project's settings by which pytest judges its claims: `-p lemmata` among the options it always takes.

Main definition: `ask_pytest`.
"""

from __future__ import annotations

import configparser
import tomllib
from pathlib import Path

from theory.core.refusal import ROOT

OPTION = "-p lemmata"
# Files that are read before pyproject.toml, and those that are read where that says nothing of pytest.
BEFORE = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
AFTER = {"tox.ini": "pytest", "setup.cfg": "tool:pytest"}
SECTION = f'[tool.pytest.ini_options]\naddopts = "{OPTION}"\n'


def ask_pytest(folder: Path) -> str:
    """Write the line into the pyproject.toml of the project of `folder` where no settings of pytest are; what was done.

    Where there are such settings, what to write there; nothing where it stands there, nor in a checkout of the suite.
    """
    if folder.is_relative_to(ROOT):
        return ""
    project = _project(folder)
    settings, own = project / "pyproject.toml", _settings(project)
    if own is not None:
        return (
            "" if OPTION in own.read_text(encoding="utf-8") else f"{own}: add {OPTION} to addopts, as pytest needs it"
        )
    before = settings.read_text(encoding="utf-8") if settings.exists() else ""
    try:
        settings.write_text(f"{before.rstrip()}\n\n{SECTION}" if before.strip() else SECTION, encoding="utf-8")
    except OSError as error:
        return f"{settings}: cannot be written: {error.strerror}; give pytest the option {OPTION}"
    return f"{settings}: pytest judges claims there from now on"


def _project(folder: Path) -> Path:
    """The folder at or above `folder` that has settings or a repository; where none has, the one we are in above it."""
    marks = (*BEFORE, "pyproject.toml", *AFTER, ".git")
    here = Path.cwd() if folder.is_relative_to(Path.cwd()) else folder
    return next((place for place in (folder, *folder.parents) if any((place / name).exists() for name in marks)), here)


def _settings(project: Path) -> Path | None:
    """The file from which pytest takes its settings in a project, if one has any."""
    for name in BEFORE:
        if (project / name).is_file():
            return project / name
    settings = project / "pyproject.toml"
    try:
        if "pytest" in tomllib.loads(settings.read_text(encoding="utf-8")).get("tool", {}):
            return settings
    except FileNotFoundError:
        pass
    except (OSError, ValueError):
        return settings
    for name, section in AFTER.items():
        found = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            found.read(project / name, encoding="utf-8")
        except (configparser.Error, ValueError):
            continue
        if found.has_section(section):
            return project / name
    return None
