"""The house decorator for numba kernels, and the compile cache behind it.

A kernel is a pure function of float64, C-contiguous arrays and scalars, without validation, and without
randomness but for what `nets.core.normals` hands to one; what is public validates and calls it.
This file alone holds numba options. fastmath stays off, because with it a test for NaN is compiled away and a
wrong number passes for a right one; parallel stays off, because it reorders sums.

numba's own cache looks only at the file a kernel stands in, so after an edit to another file it goes on
returning the old value of a kernel called from there. Here the cache directory is named after a digest of
all that compiled code depends on (`cache_key`), so that an edit leads to a new, empty directory. A kernel
whose file changed between the computation of the key and its import is not cached at all.

The directories are `.cache/numba/<key>` in the checkout, and `$LEMMATA_CACHE_DIR/numba/<key>` when that
variable is set. What stands there is run as it is: so a directory that cannot be written, or in which anyone but
its user could write, is not used, a line on the standard error says why, and a directory private to the process and
its workers takes its place. `NUMBA_CACHE_DIR` is overridden.
"""

import atexit
import contextlib
import hashlib
import marshal
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import llvmlite.binding
import numba
import numpy as np
import scipy
from numba.core import types as types
from numba.extending import intrinsic as intrinsic
from numba.np.random.distributions import fi_double as fi_double
from numba.np.random.distributions import ki_double as ki_double
from numba.np.random.distributions import wi_double as wi_double
from numba.np.random.distributions import ziggurat_nor_inv_r as ziggurat_nor_inv_r
from numba.np.random.distributions import ziggurat_nor_r as ziggurat_nor_r

PACKAGE = Path(__file__).resolve().parents[1]
CACHE_VARIABLE = "LEMMATA_CACHE_DIR"
KEPT_KEYS = 3

# Settings of numba that leave the machine code as it is. All others, NUMBA_BOUNDSCHECK above all, are part
# of the key: numba's own index ignores them and would hand out unchecked code to a run that asked for
# checks.
_HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "NUMBA_NUM_THREADS"}

# Whether kernels are compiled; with NUMBA_DISABLE_JIT=1 they stay Python.
COMPILED = not numba.config.DISABLE_JIT

Function = TypeVar("Function", bound=Callable[..., Any])

# What is called from outside, each with a slow twin in the tests; and what kernels are put together from.
KERNELS: dict[str, Callable[..., Any]] = {}
PARTS: dict[str, Callable[..., Any]] = {}


def _sources() -> list[Path]:
    """The Python files that compiled code may come from: all of the package except its tests."""
    return sorted(path for path in PACKAGE.rglob("*.py") if "tests" not in path.relative_to(PACKAGE).parts)


def _stamps() -> dict[Path, tuple[int, int]]:
    """Time of change and size of every source, to notice an edit without reading the files again."""
    found = {}
    for path in _sources():
        with contextlib.suppress(FileNotFoundError):
            status = path.stat()
            found[path] = (status.st_mtime_ns, status.st_size)
    return found


def cache_key() -> str:
    """Digest of all that compiled code depends on: sources, versions, processor, settings of numba."""
    digest = hashlib.sha256()

    def add(part: bytes) -> None:
        digest.update(len(part).to_bytes(8, "big") + part)

    for path in _sources():
        add(str(path.relative_to(PACKAGE)).encode())
        # Not the text but the code that Python would run: it trusts a .pyc whose second and size agree with
        # the source, hence runs old code after two quick edits. Version 2 of marshal has no references,
        # which differ between code just compiled and code read back.
        with contextlib.suppress(SyntaxError):
            add(marshal.dumps(SourceFileLoader(path.stem, str(path)).get_code(path.stem), 2))
    for version in (sys.version, numba.__version__, llvmlite.__version__, np.__version__, scipy.__version__):
        add(version.encode())
    add(llvmlite.binding.get_host_cpu_name().encode())
    add(llvmlite.binding.get_host_cpu_features().flatten().encode())
    for name in sorted(os.environ):
        if name.startswith("NUMBA_") and name not in _HARMLESS:
            add(f"{name}={os.environ[name]}".encode())
    return digest.hexdigest()[:16]


def _why_not_trusted(directory: Path) -> str:
    """What lets others put compiled code into a directory, from which it would be run; empty if nothing does."""
    if not hasattr(os, "geteuid"):  # a system without this kind of owners and permissions
        return ""
    status = directory.stat()
    if status.st_uid != os.geteuid():
        return f"{directory} belongs to another user; name another with {CACHE_VARIABLE}"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write in {directory}; remove it, or name another with {CACHE_VARIABLE}"
    return ""


def _make(base: Path, key: str) -> tuple[Path, str]:
    """The cache directory of `key` below `base`, made if need be, and why it cannot be used, empty if it can."""
    directory = base / "numba" / key
    try:
        base.parent.mkdir(parents=True, exist_ok=True)
        for step in (base, directory.parent, directory):
            # Whatever the umask says.
            step.mkdir(mode=0o700, exist_ok=True)
            if step.is_symlink():
                return directory, f"{step} is a symbolic link; remove it"
            if problem := _why_not_trusted(step):
                return directory, problem
        tempfile.TemporaryFile(dir=directory).close()
    except (OSError, ValueError) as error:
        return directory, f"{getattr(error, 'strerror', None) or error}"
    return directory, ""


def _open_directory(key: str) -> Path:
    """Create the cache directory of `key` and drop the directories of all but the latest keys."""
    wanted = os.environ.get(CACHE_VARIABLE) or PACKAGE.parent / ".cache"
    directory, problem = _make(Path(os.path.realpath(wanted)), key)
    if problem:
        line = f"lemmata: compiled kernels are not kept in {directory}: {problem}"
        print(line if line.isprintable() else repr(line), file=sys.stderr)
        private = Path(tempfile.mkdtemp(prefix="lemmata-"))
        atexit.register(shutil.rmtree, private, ignore_errors=True)
        # Workers inherit the environment and so share what this process compiles.
        os.environ[CACHE_VARIABLE] = str(private)
        directory, problem = _make(Path(os.path.realpath(private)), key)
        if problem:
            raise OSError(f"compiled kernels cannot be kept in {directory} either: {problem}")
    # Another process may prune at the same time: whatever vanishes meanwhile is no loss.
    with contextlib.suppress(OSError):
        os.utime(directory)
        keys = [path for path in directory.parent.iterdir() if re.fullmatch("[0-9a-f]{16}", path.name)]
        for old in sorted(keys, key=lambda path: path.stat().st_mtime_ns, reverse=True)[KEPT_KEYS:]:
            if old != directory:
                shutil.rmtree(old, ignore_errors=True)
    return directory


_STAMPS = _stamps()
CACHE_DIRECTORY = _open_directory(cache_key())

# numba reads the variable at its import and again whenever the environment has changed: set both.
os.environ["NUMBA_CACHE_DIR"] = str(CACHE_DIRECTORY)
numba.config.CACHE_DIR = str(CACHE_DIRECTORY)


def kernel(function: Function) -> Function:
    """Compile `function` at its first call, once for the types it is called with, and register it by name.

    With NUMBA_DISABLE_JIT=1 it stays Python, as silent about overflow as compiled code is.

    Raises
    ------
    ValueError : the function stands outside this package, or another kernel has its name
    RuntimeError : numba keeps compiled code elsewhere than in `CACHE_DIRECTORY`
    """
    return _compiled(function, KERNELS)


def part(function: Function) -> Function:
    """Compile a part of kernels, which compiled code alone calls: it may write to its arguments, and allocates nothing.

    It becomes a piece of the kernel that calls it, with which it is tested, and costs no call; without allocation no
    references are counted, which takes as long as a dozen operations for each array. It is registered by name among
    `PARTS`, apart from kernels, and raises as `kernel` does.
    """
    return _compiled(function, PARTS, forceinline=True, _nrt=False)


def _compiled(function: Function, register: dict[str, Callable[..., Any]], **options: bool) -> Function:
    name, path = function.__name__, Path(function.__code__.co_filename).resolve()
    if path not in _sources():
        raise ValueError(f"kernel {name} stands in {path}: move it into {PACKAGE.name}/, whose files name its cache")
    if name in register and register[name].__module__ != function.__module__:
        raise ValueError(f"kernel {name} of {function.__module__} bears the name of one in {register[name].__module__}")
    if not COMPILED:
        # Compiled code overflows and divides by zero in silence.
        compiled = np.errstate(all="ignore")(function)
    else:
        compiled = numba.njit(function, error_model="numpy", fastmath=False, cache=_stamps() == _STAMPS, **options)
        used = compiled.stats.cache_path
        if used is not None and not Path(used).is_relative_to(CACHE_DIRECTORY):
            raise RuntimeError(f"numba keeps compiled code in {used}: unset NUMBA_CACHE_LOCATOR_CLASSES")
    register[name] = compiled
    return compiled
