"""Reading labelled rows from outside: sets bundled with scikit-learn, npz archives, CSV files, plain arrays.

A `Table` holds the cells as they were found, checked to be finite numbers with one label a row; what the theorems ask
of data (unit rows, two classes, no duplicates) is the business of `nets.data.labelled`. Every refusal is a `DataError`
that names the cell.
"""

import csv
import difflib
import importlib
import math
import os
import stat
import zipfile
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array
from nets.data.distances import DataError

# The two classes kept of each bundled set where none are named, by target; the first becomes the label -1. digits: 3
# and 8, which look alike. iris: versicolor and virginica, the pair that no plane separates. wine: the two largest of
# its three classes. breast_cancer: malignant and benign, all it has.
_BUNDLED = {"digits": (3, 8), "iris": (1, 2), "wine": (0, 1), "breast_cancer": (0, 1)}

BUNDLED = tuple(_BUNDLED)

# What is read at most. Every pair of rows is compared, a minute's work for 10^5 rows of 64 numbers; so many numbers
# take a GiB, and in a text file at most some 16 characters each.
MOST_ROWS = 2**17
MOST_NUMBERS = 2**27
MOST_BYTES_OF_TEXT = 2**31

_FORMATS = "FILE.npz (arrays X and y) or FILE.csv (label in the last column)"
_SAVE = "save it with numpy.savez(FILE, X=X, y=y)"


@dataclass(frozen=True)
class Table:
    """Labelled rows of the set or file `source`: X (n, d), float64 and finite, and labels (n,), numbers or text.

    `rows` (n,) are their numbers in the source, from 1 (in a CSV file the lines), `class_names` the names of the two
    label values in sorted order, where the source has any, `others_dropped` counts rows of further classes left out.
    """

    source: str
    X: Array
    labels: npt.NDArray[Any]
    rows: npt.NDArray[np.intp]
    class_names: tuple[str, str] | None = None
    others_dropped: int = 0


def read(spec: str) -> Table:
    """Read a bundled set by its name (`BUNDLED`), or FILE.npz, or FILE.csv. Raises `DataError`.

    After the name of a bundled set two classes may be chosen, as in `digits:4,9`, or two groups of them, as in
    `digits:0+2+4,1+3`, and after these the number of rows, the first of both: `digits:4,9:200`.
    """
    name, _, choice = spec.partition(":")
    if name in _BUNDLED:
        return _read_bundled(name, choice, printable(spec))
    path = Path(os.path.expanduser(spec))
    shown = printable(str(path))
    reader = _READERS.get(path.suffix.lower())
    if "\0" in spec:
        raise DataError(f"{shown}: holds a NUL character, which no file name does: check the path")
    if spec and os.path.isdir(path):
        raise DataError(f"{shown}: is a directory: give {_FORMATS}")
    if reader is None:
        raise DataError(_why_no_reader(spec, path))
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise DataError(f"{shown}: is no regular file: give {_FORMATS}")
        if status.st_size == 0:
            raise DataError(f"{shown}: the file is empty: give {_FORMATS}")
        return reader(path, shown)
    except FileNotFoundError:
        raise DataError(f"{shown}: no such file: check the path") from None
    except OSError as error:
        reason = error.strerror or _first_line(error)
        raise DataError(f"{shown}: cannot be read ({reason}): check the file and its permissions") from error


def printable(text: str) -> str:
    """`text` with what a terminal would act upon or break a line at, such as control characters, escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def table_of_arrays(source: str, X: npt.NDArray[Any], y: npt.NDArray[Any]) -> Table:
    """Check dtypes, shapes and finiteness of X (n, d) and y (n,). Raises `DataError`, counting from 1."""
    if X.dtype.kind not in "biuf":
        kind = "complex" if X.dtype.kind == "c" else "not numeric"
        raise DataError(f"{source}: X has dtype {X.dtype}, which is {kind}: give real numbers")
    if y.dtype.kind not in "biufU":
        raise DataError(f"{source}: y has dtype {y.dtype}: give the labels as real numbers or as text")
    if X.ndim != 2 or 0 in X.shape:
        raise DataError(f"{source}: X has shape {X.shape}: give a matrix (n, d) with n >= 2 and d >= 1")
    if y.ndim != 1:
        raise DataError(f"{source}: y has shape {y.shape}: give a vector (n,)")
    check_size(source, *X.shape)
    if len(X) != len(y):
        raise DataError(f"{source}: X has {len(X)} rows and y has {len(y)} labels: give one label a row")
    # A long double beyond the range of float64 becomes inf here and is refused as such.
    with np.errstate(over="ignore"):
        X = np.array(X, dtype=np.float64, order="C")
    infinite = np.argwhere(~np.isfinite(X))
    if len(infinite):
        row, column = infinite[0]
        raise DataError(
            f"{source}: X holds {X[row, column]} at row {row + 1}, column {column + 1}: "
            "features must be finite numbers, replace it or remove the row"
        )
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        row = np.argmin(np.isfinite(y))
        raise DataError(f"{source}: y holds {y[row]} at row {row + 1}: give every row a label")
    return Table(source=source, X=X, labels=y, rows=np.arange(1, len(X) + 1))


def check_size(source: str, rows: int, columns: int) -> None:
    """Raise `DataError` for more rows or numbers than are read."""
    if rows > MOST_ROWS:
        raise DataError(f"{source}: there are {rows} rows and at most {MOST_ROWS} are read: draw a sample")
    if rows * columns > MOST_NUMBERS:
        raise DataError(
            f"{source}: there are {rows} rows of {columns} numbers and at most {MOST_NUMBERS} numbers are read: "
            "draw a sample"
        )


def _why_no_reader(spec: str, path: Path) -> str:
    shown = printable(spec)
    if path.suffix or os.sep in spec or (os.path.exists(path) and spec):
        return f"{shown}: files with the extension '{printable(path.suffix)}' are not read: give {_FORMATS}"
    near = difflib.get_close_matches(spec.lower(), BUNDLED, n=2, cutoff=0.65)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return f"unknown data set '{shown}': {hint}give {', '.join(BUNDLED)}, {_FORMATS}"


def _read_bundled(name: str, choice: str, shown: str) -> Table:
    """The rows of a bundled set that `choice` names: classes and number of rows, as :func:`read` says."""
    try:
        # Imported here because only these sets need scikit-learn, and it takes a second.
        bunch = getattr(importlib.import_module("sklearn.datasets"), f"load_{name}")()
    except ImportError as error:
        raise DataError(f"data set '{name}' comes with scikit-learn, which is missing: install it") from error
    names = [str(entry) for entry in bunch.target_names]
    classes, _, most = choice.partition(":")
    groups = [group.split("+") for group in classes.split(",")] if classes else [[names[k]] for k in _BUNDLED[name]]
    chosen = [entry for group in groups for entry in group]
    if len(groups) != 2 or not set(chosen) <= set(names) or len(set(chosen)) < len(chosen):
        raise DataError(
            f"{shown}: name two classes, or two groups of them, as in {name}:{names[0]},{names[1]}, each once; "
            f"the classes are {', '.join(names)}"
        )
    if most and not (most.isdecimal() and int(most) >= 2):
        raise DataError(f"{shown}: {most!r} is no number of rows: give two or more")
    label = {names.index(entry): side for side, group in enumerate(groups) for entry in group}
    kept = np.flatnonzero(np.isin(bunch.target, list(label)))
    read = len(bunch.target)
    if most and int(most) < len(kept):
        kept = kept[: int(most)]
        read = int(kept[-1]) + 1
    return Table(
        source=shown,
        X=np.array(bunch.data[kept], dtype=np.float64, order="C"),
        labels=np.array([label[int(target)] for target in bunch.target[kept]]),
        rows=kept + 1,
        class_names=("+".join(groups[0]), "+".join(groups[1])),
        others_dropped=read - len(kept),
    )


def _read_npz(path: Path, shown: str) -> Table:
    if not zipfile.is_zipfile(path):
        raise DataError(f"{shown}: is not an npz archive: {_SAVE}")
    try:
        with zipfile.ZipFile(path) as archive:
            members = {member.filename: member for member in archive.infolist()}
            missing = [key for key in ("X", "y") if f"{key}.npy" not in members]
            if missing:
                found = [printable(name.removesuffix(".npy")) for name in members if name.endswith(".npy")]
                listed = ", ".join(found[:6]) + (", ..." if len(found) > 6 else "")
                raise DataError(
                    f"{shown}: has no array {' and no '.join(missing)} (found: {listed or 'none'}): {_SAVE}"
                )
            twice = [key for key in ("X", "y") if sum(m.filename == f"{key}.npy" for m in archive.infolist()) > 1]
            if twice:
                raise DataError(f"{shown}: has two arrays {twice[0]}, of which only one can be meant: {_SAVE}")
            X, y = (_read_member(archive, members[f"{key}.npy"], shown) for key in ("X", "y"))
    except (DataError, OSError, MemoryError):
        raise
    # A damaged archive shows as any of a dozen exceptions of zipfile, zlib and numpy's header parser.
    except Exception as error:
        raise DataError(f"{shown}: is a damaged npz archive ({_first_line(error)}): {_SAVE}") from error
    return table_of_arrays(shown, X, y)


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, shown: str) -> npt.NDArray[Any]:
    """One array of an npz archive, whose header is looked at before anything is unpacked."""
    name = member.filename.removesuffix(".npy")
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        headers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        if version not in headers:
            raise ValueError(f"{name} has a header of version {version[0]}.{version[1]}")
        shape, _, dtype = headers[version](file)
    if dtype.hasobject:
        raise DataError(
            f"{shown}: holds pickled Python objects, which are not loaded because they may run code: "
            "save X and y as arrays of numbers"
        )
    # Before the header is believed: an archive of a few bytes may promise any number of zeros, and unpack to them.
    if shape:
        check_size(shown, shape[0], math.prod(shape[1:]))
    needed = math.prod(shape) * dtype.itemsize
    if max(needed, member.file_size) > 8 * MOST_NUMBERS + 2**16:
        size = max(needed, member.file_size)
        raise DataError(f"{shown}: {name} takes {size} bytes and at most {8 * MOST_NUMBERS} are read: draw a sample")
    if needed > member.file_size:
        raise ValueError(f"{name} has shape {shape} and holds {member.file_size} bytes")
    with archive.open(member) as file:
        found: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    return found


def _read_csv(path: Path, shown: str) -> Table:
    """Read comma-separated text. A row's number is its line in the file; blank lines are passed over."""
    if path.stat().st_size > MOST_BYTES_OF_TEXT:
        raise DataError(f"{shown}: is larger than {MOST_BYTES_OF_TEXT} bytes, which is all that is read: draw a sample")
    features = array("d")
    labels: list[str] = []
    rows: list[int] = []
    width = first = 0
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        try:
            for cells in reader:
                if not "".join(cells).strip():
                    continue
                row = reader.line_num
                if any("\0" in cell for cell in cells):
                    raise DataError(f"{shown}: row {row} holds a NUL character: save the file as text")
                if not width:
                    width, first = len(cells), row
                    if width < 2:
                        raise DataError(
                            f"{shown}: row {row} has one column: give features and a label, comma-separated"
                        )
                    if all(_number(cell) is None for cell in cells[:-1]):
                        continue
                if len(cells) != width:
                    raise DataError(
                        f"{shown}: row {row} has {len(cells)} columns and row {first} has {width}: "
                        "give every row the same number"
                    )
                features.extend(
                    _feature(cell, f"{shown}: row {row}, column {k}") for k, cell in enumerate(cells[:-1], 1)
                )
                labels.append(_label(cells[-1], f"{shown}: row {row}, column {width}"))
                rows.append(row)
                check_size(shown, len(rows), width - 1)
        except UnicodeDecodeError as error:
            raise DataError(f"{shown}: is not UTF-8 text ({error.reason}): save it as UTF-8") from error
        except csv.Error as error:
            raise DataError(
                f"{shown}: row {reader.line_num} is not valid CSV ({_first_line(error)}): check its quotes"
            ) from error
    if not rows:
        raise DataError(f"{shown}: there are no rows of data: give at least two, one of each class")
    numbers = [_number(label) for label in labels]
    return Table(
        source=shown,
        X=np.array(features, dtype=np.float64).reshape(len(rows), width - 1),
        # Compared as numbers if all are numbers, so that 1 and 1.0 are one class.
        labels=np.array(labels if None in numbers else numbers),
        rows=np.array(rows),
    )


def _feature(cell: str, where: str) -> float:
    value = _number(cell)
    if value is None or not math.isfinite(value):
        raise DataError(f"{where} holds {_quote(cell)}: features must be finite numbers")
    digits = cell.strip()
    if len(digits) > 1 and digits.isdecimal() and digits[0] == "0":
        raise DataError(
            f"{where} holds {_quote(cell)}, as what stands behind a decimal comma: write decimal points, which leave "
            "commas to columns"
        )
    return value


def _label(cell: str, where: str) -> str:
    value = _number(cell)
    if not cell.strip() or (value is not None and not math.isfinite(value)):
        raise DataError(f"{where} holds {_quote(cell)}: give every row a label")
    return cell.strip()


def _quote(cell: str) -> str:
    return repr(cell.strip()[:30]) if cell.strip() else "nothing"


def _number(cell: str) -> float | None:
    """The number a cell holds, None for text. (float alone would take 1_000 for a number.)"""
    if "_" in cell:
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def _first_line(error: Exception) -> str:
    return printable((str(error).splitlines() or [type(error).__name__])[0])


_READERS: dict[str, Callable[[Path, str], Table]] = {".npz": _read_npz, ".csv": _read_csv}
