"""Formula sheets, one per paper, whose formulas are built when asked for."""

from pathlib import Path

from bounds.lazy_sheet import install

install(__name__, Path(__file__).parent)
