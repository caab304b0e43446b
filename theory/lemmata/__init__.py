"""The installed name of the suite: one package, so that none of its rooms lies open in an environment.

A claim file imports `theory`, `bounds` and `nets` by these names, in the checkout and outside of it. So the folder that
holds them is put on the path here, at its end: a project that has folders of such names keeps its own.
"""

import os
import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_INSTALLED = (_HERE / "theory").is_dir()

# Beside this file when installed from a wheel; in a checkout this folder stands inside one of the rooms.
ROOT = _HERE if _INSTALLED else _HERE.parents[1]

if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

if _INSTALLED:
    # Next to installed files there may be no right to write, and what is compiled belongs to the user.
    _cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    os.environ.setdefault("LEMMATA_CACHE_DIR", str(Path(_cache).expanduser() / "lemmata"))
