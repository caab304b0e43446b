"""Names of types that many modules share.

Main definitions: `Values`, what stands for each symbol of a claim; `Json` and `JsonDict`, an object of a ledger as it
is read and as it is made; `Function`, what a block decorates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

# By the name of the symbol: a number, an array of numbers, or a choice such as a loss.
Values = Mapping[str, Any]
# A whole ledger, a row, a cell or another part of it: theory/reports/ledger.schema.json says what each holds.
Json = Mapping[str, Any]
JsonDict = dict[str, Any]
# Its parameters are symbols of a claim, and services such as `rng`; what it returns can be read as numbers.
Function = Callable[..., Any]
