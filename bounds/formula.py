"""A bound from text: for wrong variants in negative controls, and for lemmas that have no sheet."""

from collections.abc import Mapping

from bounds.bound import Bound, Constant
from bounds.parse import parse_formula
from bounds.symbols import SYMBOLS

__all__ = ["formula"]


def formula(text: str, constants: Mapping[str, Constant] | None = None, source: str = "") -> Bound:
    """Return the bound that `text` writes in the declared symbols, in the grammar of `parse_formula`.

    Raises :class:`bounds.parse.FormulaError`.
    """
    return Bound(parse_formula(text, SYMBOLS), constants, source)
