"""Randomness has one source: a root seed, the block of a claim, a cell and a trial number name one generator.

Nothing else in the suite draws, so a result depends on neither the order of work nor the number of workers.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np

from theory.core.values import Values

# Words of the pool of numpy's SeedSequence: shorter entropy is filled up with zeros before a spawn key.
_POOL = 4
_WORD = 2**32


@lru_cache(maxsize=4096)
def stable_key(text: str) -> int:
    """A 32-bit key of `text` that is the same in every process and on every machine."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def canonical(at: Values) -> str:
    """`at` as a text that tells instances apart, names sorted, floats so that they round-trip."""
    return ",".join(f"{name}={_python(at[name])!r}" for name in sorted(at))


def said(at: Values) -> str:
    """`at` as `--at` reads it again: names without quotes, numbers so that they round-trip."""
    shown = {name: value if isinstance(value, str) else repr(_python(value)) for name, value in at.items()}
    return ",".join(f"{name}={shown[name]}" for name in sorted(shown))


def _python(value: object) -> object:
    """A numpy scalar as the Python number it equals: its own `repr` is no number that `--at` could read."""
    return value.item() if isinstance(value, np.generic) else value


def generator(root: int, block: str, at: Values, trial: int) -> np.random.Generator:
    """The generator of one trial of one cell of a block, which the id of its own claim names.

    It and its children are those of `SeedSequence(root, spawn_key=(key of the block, key of the cell, trial))`. Trials
    are many, so that numpy is handed the words to which it would bring these numbers, in two thirds of its time.
    """
    keys = (stable_key(block), stable_key(canonical(at)))
    if trial >= _WORD:
        return np.random.default_rng(np.random.SeedSequence(root, spawn_key=(*keys, trial)))
    words = _words(root, *keys).copy()
    words[-1] = trial
    return np.random.default_rng(np.random.SeedSequence(words))


@lru_cache(maxsize=4096)
def _words(root: int, *keys: int) -> np.ndarray:
    """The words of `root`, filled up to those of numpy's pool, those of the keys, and room for that of a trial."""
    given = root.to_bytes(4 * max(_POOL, -(-root.bit_length() // 32)), "little")
    return np.append(np.frombuffer(given, dtype="<u4").astype(np.uint32), np.array([*keys, 0], dtype=np.uint32))
