"""The decorator and its cache: never stale, really used, and the only place with numba options."""

import ast
import os
import py_compile
import shutil
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joblib
import numba
import numpy as np
import pytest
import scipy

from nets.core import jit
from nets.networks import activations

compiled_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="needs compiled kernels")


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Folders that tests make are closed to others, whatever the umask of who runs them."""
    before = os.umask(0o022)
    yield
    os.umask(before)


CALLEE = """from {decorator} import kernel

@kernel
def factor():
    return {value}
"""

CALLER = """from {decorator} import kernel
from {package}.callee import factor

@kernel
def scaled(x):
    return factor() * x

print(scaled(1.0), sum(scaled.stats.cache_hits.values()))
"""

# What one would write without nets.core.jit.
BARE = "import numba\n\nkernel = numba.njit(cache=True)\n"


def _package(folder: Path, name: str, decorator: str) -> Path:
    """A package with a kernel that calls a kernel of another file."""
    package = folder / name
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "callee.py").write_text(CALLEE.format(decorator=decorator, value=2.0))
    (package / "caller.py").write_text(CALLER.format(decorator=decorator, package=name))
    return package


def _copy_of_jit(package: Path) -> None:
    (package / "core").mkdir()
    (package / "core" / "__init__.py").touch()
    shutil.copy(Path(jit.__file__), package / "core")


def _process(folder: Path, code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A fresh process in that folder, which must succeed."""
    unwanted = {jit.CACHE_VARIABLE, "NUMBA_CACHE_DIR", "PYTHONPATH"}
    environment = {name: value for name, value in os.environ.items() if name not in unwanted} | variables
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


def _run(folder: Path, code: str, **variables: str) -> list[str]:
    """Words printed by a fresh process in that folder."""
    return _process(folder, code, **variables).stdout.split()


@compiled_only
def test_cached_caller_follows_an_edit_of_its_callee(tmp_path: Path) -> None:
    package = _package(tmp_path, "nets", "nets.core.jit")
    _copy_of_jit(package)
    assert _run(tmp_path, "import nets.caller") == ["2.0", "0"]
    assert _run(tmp_path, "import nets.caller") == ["2.0", "1"]
    (package / "callee.py").write_text(CALLEE.format(decorator="nets.core.jit", value=1.0 + 2.0**-10))
    assert _run(tmp_path, "import nets.caller") == [str(1.0 + 2.0**-10), "0"]
    assert len(list((tmp_path / ".cache" / "numba").iterdir())) == 2


@compiled_only
def test_processes_that_fill_an_empty_cache_at_once_leave_a_whole_one(tmp_path: Path) -> None:
    package = _package(tmp_path, "nets", "nets.core.jit")
    _copy_of_jit(package)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda code: _run(tmp_path, code), ["import nets.caller"] * 2))
    assert [value for value, _ in found] == ["2.0", "2.0"]
    assert _run(tmp_path, "import nets.caller") == ["2.0", "1"]


@compiled_only
def test_numba_alone_goes_stale(tmp_path: Path) -> None:
    package = _package(tmp_path, "bare", "bare.decorator")
    (package / "decorator.py").write_text(BARE)
    assert _run(tmp_path, "import bare.caller") == ["2.0", "0"]
    (package / "callee.py").write_text(CALLEE.format(decorator="bare.decorator", value=1.0 + 2.0**-10))
    assert _run(tmp_path, "import bare.caller") == ["2.0", "1"]


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package's sources, of which `cache_key` speaks during the test."""
    package = tmp_path / "nets"
    shutil.copytree(jit.PACKAGE, package, ignore=shutil.ignore_patterns("tests", "__pycache__"))
    monkeypatch.setattr(jit, "PACKAGE", package)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return package


def test_key_counts_every_source_and_no_test(copied: Path) -> None:
    key = jit.cache_key()
    (copied / "tests").mkdir()
    (copied / "tests" / "test_new.py").write_text("x = 1\n")
    assert jit.cache_key() == key
    (copied / "new.py").write_text("x = 1\n")
    assert jit.cache_key() != key


def test_key_is_the_same_with_and_without_bytecode(copied: Path) -> None:
    with_bytecode = [jit.cache_key(), jit.cache_key()]
    shutil.rmtree(copied / "__pycache__")
    assert [jit.cache_key(), *with_bytecode] == [with_bytecode[0]] * 3


def test_key_counts_the_bytecode_that_python_would_run(copied: Path) -> None:
    source = copied / "new.py"
    source.write_text("x = 1\n")
    stamp = source.stat()
    py_compile.compile(str(source))
    source.write_text("x = 2\n")
    os.utime(source, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    stale = jit.cache_key()
    shutil.rmtree(copied / "__pycache__")
    assert jit.cache_key() != stale


def test_a_file_that_does_not_parse_hinders_nobody_else(copied: Path) -> None:
    (copied / "new.py").write_text("def\n")
    assert len(jit.cache_key()) == 16


@pytest.mark.parametrize(
    ("variable", "matters"),
    [("NUMBA_BOUNDSCHECK", True), ("NUMBA_OPT", True), ("NUMBA_NUM_THREADS", False), ("LANG", False)],
)
def test_key_counts_settings_that_change_the_code(
    variable: str, matters: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable, raising=False)
    key = jit.cache_key()
    monkeypatch.setenv(variable, "1")
    assert (jit.cache_key() != key) is matters


@pytest.mark.parametrize(("module", "attribute"), [(numba, "__version__"), (np, "__version__"), (scipy, "__version__")])
def test_key_counts_versions(module: types.ModuleType, attribute: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key = jit.cache_key()
    monkeypatch.setattr(module, attribute, "0.0.0")
    assert jit.cache_key() != key


def test_latest_keys_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(jit.CACHE_VARIABLE, str(tmp_path))
    root = tmp_path / "numba"
    for age in range(5):
        old = root / (f"{age}" * 16)
        (old / "nets").mkdir(parents=True)
        os.utime(old, (1000.0 - age, 1000.0 - age))
    (root / "not-a-key").mkdir()
    assert jit._open_directory("a" * 16) == root / ("a" * 16)
    assert {path.name for path in root.iterdir()} == {"a" * 16, "0" * 16, "1" * 16, "not-a-key"}


def test_a_key_in_use_again_is_the_latest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(jit.CACHE_VARIABLE, str(tmp_path))
    root = tmp_path / "numba"
    for age in range(4):
        (root / (f"{age}" * 16)).mkdir(parents=True)
        os.utime(root / (f"{age}" * 16), (1000.0 - age, 1000.0 - age))
    jit._open_directory("3" * 16)
    assert {path.name[0] for path in root.iterdir()} == {"3", "0", "1"}


def test_a_place_that_cannot_be_written_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setenv(jit.CACHE_VARIABLE, str(blocked))
    directory = jit._open_directory("a" * 16)
    assert directory.is_dir()
    assert not directory.is_relative_to(tmp_path)
    # What a worker finds in its environment leads to the same place.
    assert jit._open_directory("a" * 16) == directory


owners = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs owners and permissions of files")


@owners
@pytest.mark.parametrize("level", [0, 1, 2], ids=["base", "numba", "key"])
@pytest.mark.parametrize("right", [0o020, 0o002], ids=["group", "all"])
def test_a_directory_in_which_others_may_write_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], level: int, right: int
) -> None:
    monkeypatch.setenv(jit.CACHE_VARIABLE, str(tmp_path / "base"))
    directory = jit._open_directory("a" * 16)
    assert directory == tmp_path / "base" / "numba" / ("a" * 16)
    assert capsys.readouterr().err == ""
    steps = (tmp_path / "base", directory.parent, directory)
    # Made by us, it is open to nobody else, whatever the umask.
    assert [step.stat().st_mode & 0o777 for step in steps] == [0o700] * 3
    steps[level].chmod(0o700 | right)
    private = jit._open_directory("a" * 16)
    assert not private.is_relative_to(tmp_path)
    told = capsys.readouterr().err
    assert told == (
        f"lemmata: compiled kernels are not kept in {directory}: others may write in {steps[level]}; "
        f"remove it, or name another with {jit.CACHE_VARIABLE}\n"
    )


@owners
def test_our_directories_are_closed_whatever_the_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(jit.CACHE_VARIABLE, str(tmp_path / "base"))
    before = os.umask(0o002)
    try:
        directory = jit._open_directory("a" * 16)
    finally:
        os.umask(before)
    assert directory.is_relative_to(tmp_path)
    assert directory.stat().st_mode & 0o777 == 0o700


@owners
def test_a_directory_of_another_user_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(jit.CACHE_VARIABLE, str(tmp_path))
    own = os.geteuid()
    # Seen from another user's process, until the private directory is made, which that user owns.
    monkeypatch.setattr(os, "geteuid", lambda: own + 1 if os.environ[jit.CACHE_VARIABLE] == str(tmp_path) else own)
    assert not jit._open_directory("a" * 16).is_relative_to(tmp_path)
    assert f"{tmp_path} belongs to another user" in capsys.readouterr().err


@owners
def test_links_are_followed_to_the_base_and_refused_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setenv(jit.CACHE_VARIABLE, str(tmp_path / "link"))
    assert jit._open_directory("a" * 16) == tmp_path / "real" / "numba" / ("a" * 16)
    (tmp_path / "real").chmod(0o770)
    assert not jit._open_directory("a" * 16).is_relative_to(tmp_path)
    assert f"others may write in {tmp_path / 'real'};" in capsys.readouterr().err
    (tmp_path / "other" / "elsewhere").mkdir(mode=0o700, parents=True)
    (tmp_path / "other").chmod(0o700)
    (tmp_path / "other" / "numba").symlink_to(tmp_path / "other" / "elsewhere")
    monkeypatch.setenv(jit.CACHE_VARIABLE, str(tmp_path / "other"))
    assert not jit._open_directory("a" * 16).is_relative_to(tmp_path)
    assert f"{tmp_path / 'other' / 'numba'} is a symbolic link" in capsys.readouterr().err


@compiled_only
@owners
def test_nothing_is_read_from_a_cache_that_others_may_write(tmp_path: Path) -> None:
    package = _package(tmp_path, "nets", "nets.core.jit")
    _copy_of_jit(package)
    assert _run(tmp_path, "import nets.caller") == ["2.0", "0"]
    assert _run(tmp_path, "import nets.caller") == ["2.0", "1"]
    (tmp_path / ".cache").chmod(0o777)
    done = _process(tmp_path, "import nets.caller")
    assert done.stdout.split() == ["2.0", "0"]
    (line,) = done.stderr.splitlines()
    assert f"others may write in {tmp_path / '.cache'};" in line


def _cache_of_worker() -> tuple[str, str, int]:
    """Run in a worker: the directory in use, and what was read from it."""
    activations.leaky_with_gate(np.ones((1, 1)), 0.5, 1.0)
    stats = activations.leaky_with_gate.stats  # type: ignore[attr-defined]
    return str(jit.CACHE_DIRECTORY), stats.cache_path, sum(stats.cache_hits.values())


@compiled_only
def test_workers_read_what_this_process_compiled() -> None:
    activations.leaky_with_gate(np.ones((1, 1)), 0.5, 1.0)
    with joblib.parallel_config(backend="loky"):
        found = joblib.Parallel(n_jobs=2)(joblib.delayed(_cache_of_worker)() for _ in range(2))
    for directory, used, hits in found:
        assert directory == str(jit.CACHE_DIRECTORY)
        assert Path(used).is_relative_to(jit.CACHE_DIRECTORY)
        assert hits == 1


@compiled_only
def test_cache_directory_fills() -> None:
    activations.leaky_with_gate(np.ones((1, 1)), 0.5, 1.0)
    assert list(jit.CACHE_DIRECTORY.rglob("activations.leaky_with_gate-*.nbi"))
    assert os.environ["NUMBA_CACHE_DIR"] == numba.config.CACHE_DIR == str(jit.CACHE_DIRECTORY)


def test_kernels_run_without_compiling() -> None:
    code = (
        "import numpy as np; from nets.core import jit; from nets.networks.forward import forward;"
        "from nets.networks.network import he_network; net = he_network((3, 4), np.random.default_rng(0));"
        "f = forward(net, np.ones((2, 3))); print(bool(f.post[1].any()),"
        "any(hasattr(k, 'py_func') for k in jit.KERNELS.values()))"
    )
    assert _run(jit.PACKAGE.parent, code, NUMBA_DISABLE_JIT="1") == ["True", "False"]


def _function(text: str, path: Path) -> Callable[..., object]:
    """The function `added` defined by text, as if it stood in that file."""
    space: dict[str, Callable[..., object]] = {}
    exec(compile(text, str(path), "exec"), space)
    return space["added"]


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Callable[..., object]:
    """A function that stands in a module of the package, and a registry to throw away."""
    monkeypatch.setattr(jit, "KERNELS", {})
    return _function("def added(x): return x + 1.0", jit.PACKAGE / "networks" / "activations.py")


@compiled_only
def test_kernels_are_strict_about_numbers(added: Callable[..., object]) -> None:
    options = jit.kernel(added).targetoptions  # type: ignore[attr-defined]
    assert options["error_model"] == "numpy"
    assert not options["fastmath"]
    assert "parallel" not in options


@compiled_only
def test_kernel_of_an_edited_file_is_not_cached(added: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> None:
    assert jit.kernel(added).stats.cache_path is not None  # type: ignore[attr-defined]
    monkeypatch.setattr(jit, "_STAMPS", {**jit._STAMPS, jit.PACKAGE / "networks" / "activations.py": (0, 0)})
    assert jit.kernel(added).stats.cache_path is None  # type: ignore[attr-defined]


@compiled_only
def test_a_cache_elsewhere_is_refused(
    added: Callable[..., object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    with pytest.raises(RuntimeError, match="unset NUMBA_CACHE_LOCATOR_CLASSES"):
        jit.kernel(added)


def test_kernel_outside_the_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"kernel added stands in .*: move it into nets/"):
        jit.kernel(_function("def added(x): return x", tmp_path / "elsewhere.py"))


def test_two_kernels_of_one_name_are_refused(added: Callable[..., object]) -> None:
    jit.kernel(added)
    twin = _function("def added(x): return x", jit.PACKAGE / "networks" / "losses.py")
    twin.__module__ = "nets.networks.losses"
    with pytest.raises(ValueError, match=r"kernel added of nets\.networks\.losses bears the name of one in"):
        jit.kernel(twin)


def numba_options(source: str) -> list[str]:
    """What a module says about numba: imports of it, and keywords that are options of its decorators."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.split(".")[0] == "numba"]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
            found.append(f"from {node.module}")
        elif isinstance(node, ast.keyword) and node.arg in {"fastmath", "parallel", "error_model", "cache"}:
            found.append(node.arg)
    return found


@pytest.mark.parametrize("path", [path for path in jit._sources() if path.name != "jit.py"], ids=lambda path: path.name)
def test_numba_options_stand_in_one_file(path: Path) -> None:
    assert numba_options(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    ["import numba as nb", "from numba import njit", "import numba.core", "@jit(fastmath=True)\ndef f(): pass"],
)
def test_numba_options_elsewhere_are_noticed(source: str) -> None:
    assert numba_options(source)
