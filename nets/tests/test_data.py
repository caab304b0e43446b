"""Reading data sets: what is kept, what is counted, and one clear line for everything that cannot be used."""

import math
import os
import pickle
import re
import sys
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nets.core.arrays import Array
from nets.data import files as data_files
from nets.data.distances import UNIT_TOLERANCE, DataError
from nets.data.files import BUNDLED, MOST_ROWS
from nets.data.labelled import Dataset, DataSource, describe, from_arrays, load
from nets.data.points import sphere

SQUARE = "1,0,-1\n0,1,1\n-1,0.5,1\n"


def refusal(spec: str | Path) -> str:
    """The message of the refusal, without the path it must begin with."""
    with pytest.raises(DataError) as caught:
        load(str(spec))
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(spec))
    return message.removeprefix(str(spec))


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def rows_accounted_for(data: Dataset) -> int:
    dropped = (data.duplicates_dropped, data.conflicts_dropped, data.others_dropped)
    return data.n + sum(dropped)


# Bundled sets


@pytest.mark.parametrize(
    ("name", "n", "d", "classes", "duplicates", "phi"),
    [
        ("digits", 357, 64, ("3", "8"), 0, 0.151457),
        ("iris", 99, 4, ("versicolor", "virginica"), 1, 0.00190112),
        ("wine", 130, 13, ("class_0", "class_1"), 0, 0.00118578),
        ("breast_cancer", 569, 30, ("malignant", "benign"), 0, 0.00255041),
    ],
)
def test_bundled_sets_hold_two_classes_of_separated_unit_rows(
    name: str, n: int, d: int, classes: tuple[str, str], duplicates: int, phi: float
) -> None:
    data = load(name)
    assert (data.n, data.d, data.classes, data.duplicates_dropped) == (n, d, classes, duplicates)
    assert data.name == name
    assert data.norm_deviation <= UNIT_TOLERANCE
    assert set(data.y) == {-1.0, 1.0}
    assert data.separation == pytest.approx(phi, rel=1e-5)
    # Features are not negative, so no row is near the antipode of another.
    assert data.antipodal_separation == data.separation
    assert rows_accounted_for(data) == data.rows_read


def test_the_first_class_of_a_bundled_set_is_the_negative_one() -> None:
    data = load("breast_cancer")
    assert ((data.y < 0).sum(), (data.y > 0).sum()) == (212, 357)


def test_bundled_rows_are_normalised_and_nothing_else() -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    raw = datasets.load_wine()
    rows = raw.data[raw.target < 2]
    np.testing.assert_allclose(load("wine").X, rows / np.linalg.norm(rows, axis=1)[:, None], rtol=1e-15)


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("digit", "did you mean digits? give "),
        ("Iris", "did you mean iris? give "),
        ("breastcancer", "did you mean breast_cancer? give "),
        ("mnist", "give digits"),
        ("", "give digits"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(spec: str, hint: str) -> None:
    with pytest.raises(DataError, match=re.escape(f"unknown data set '{spec}': {hint}")) as caught:
        load(spec)
    assert all(name in str(caught.value) for name in (*BUNDLED, "FILE.npz", "FILE.csv"))


def test_missing_scikit_learn_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(DataError, match=r"^data set 'iris' comes with scikit-learn, which is missing: install it$"):
        load("iris")


# Files that are read


def test_csv_rows_are_normalised_and_labelled(tmp_path: Path) -> None:
    data = load(str(write(tmp_path / "a.csv", "3,4,0\n0,-2,1\n-1,0,1\n")))
    np.testing.assert_allclose(data.X, [[0.6, 0.8], [0.0, -1.0], [-1.0, 0.0]], rtol=1e-15)
    assert data.y.tolist() == [-1.0, 1.0, 1.0]
    assert data.classes == ("0", "1")
    assert data.rows_read == 3


@pytest.mark.parametrize(
    "text",
    [
        "width,height,label\n" + SQUARE,
        "\ufeff" + SQUARE,
        SQUARE.replace("\n", "\r\n"),
        "\n" + SQUARE.replace("\n", "\n\n"),
        SQUARE.rstrip("\n"),
        '"1","0","-1"\n 0 , 1 , 1 \n-1,0.5,1.0\n',
        '"the\nwidth",height,label\n' + SQUARE,
        "1e0,0,-1\n0,1e308,1\n-2e-320,1e-320,1\n",
    ],
    ids=["header", "mark", "windows", "blank", "no-end", "quoted", "two-line-header", "exponents"],
)
def test_forms_of_one_csv_file_read_alike(tmp_path: Path, text: str) -> None:
    plain, other = load(str(write(tmp_path / "a.csv", SQUARE))), load(str(write(tmp_path / "b.CSV", text)))
    # Denormals carry few digits: 2e-320 and 1e-320 are 4048 and 2024 units, so here the ratio is exact.
    np.testing.assert_allclose(other.X, plain.X, rtol=0, atol=UNIT_TOLERANCE)
    assert other.y.tolist() == plain.y.tolist()


@pytest.mark.parametrize(
    ("labels", "classes", "signs"),
    [
        (("1", "0", "1.0"), ("0", "1"), [1.0, -1.0, 1.0]),
        (("10", "9", "9"), ("9", "10"), [1.0, -1.0, -1.0]),
        (("yes", "no", "yes"), ("no", "yes"), [1.0, -1.0, 1.0]),
        (("1", "b", "b"), ("1", "b"), [-1.0, 1.0, 1.0]),
        (("0.25", "-1e300", "0.25"), ("-1e+300", "0.25"), [1.0, -1.0, 1.0]),
    ],
)
def test_the_smaller_label_becomes_negative(
    tmp_path: Path, labels: tuple[str, ...], classes: tuple[str, str], signs: list[float]
) -> None:
    lines = [f"{feature},{label}\n" for feature, label in zip(("1,0", "0,1", "1,1"), labels, strict=True)]
    data = load(str(write(tmp_path / "a.csv", "".join(lines))))
    assert data.classes == classes
    assert data.y.tolist() == signs


def test_csv_and_npz_round_trips_return_the_same_data(tmp_path: Path) -> None:
    data = from_arrays(sphere(20, 5, np.random.default_rng(1)), np.arange(20) % 2)
    lines = [",".join(map(repr, [*x.tolist(), y])) for x, y in zip(data.X, data.y.tolist(), strict=True)]
    from_csv = load(str(write(tmp_path / "a.csv", "\n".join(lines))))
    np.savez(tmp_path / "a.npz", X=data.X, y=data.y)
    from_npz = load(str(tmp_path / "a.npz"))
    assert data.fingerprint == from_csv.fingerprint == from_npz.fingerprint
    assert from_npz.classes == ("-1", "1")


@pytest.mark.parametrize("dtype", ["float32", "float16", "longdouble", "int8", "uint64", "bool", ">f8"])
def test_numeric_arrays_of_any_dtype_and_order_are_read(tmp_path: Path, dtype: str) -> None:
    X = np.asfortranarray(np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]], dtype=dtype))
    np.savez_compressed(tmp_path / "a.npz", X=X, y=np.array(["b", "a", "a"]), more=np.zeros(2))
    data = load(str(tmp_path / "a.npz"))
    half = math.sqrt(0.5)
    expected = np.array([[1.0, 0.0, 0.0], [half, half, 0.0], [0.0, 0.0, 1.0]])
    np.testing.assert_allclose(data.X, expected, rtol=1e-15)
    assert data.X.flags.c_contiguous
    assert data.X.dtype == np.dtype(np.float64)
    assert data.classes == ("a", "b")


def test_home_directory_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / "a.csv", SQUARE)
    assert load("~/a.csv").n == 3


def test_labels_that_floats_would_merge_stay_apart() -> None:
    data = from_arrays(np.eye(2), np.array([2**53, 2**53 + 1]))
    assert data.classes == ("9007199254740992", "9007199254740993")


# Files that are refused


def test_missing_empty_and_unreadable_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for suffix in (".csv", ".npz"):
        path = tmp_path / f"a{suffix}"
        assert refusal(path) == ": no such file: check the path"
        path.write_bytes(b"")
        assert refusal(path).startswith(": the file is empty: give FILE.npz")
        folder = tmp_path / f"folder{suffix}"
        folder.mkdir()
        assert refusal(folder).startswith(": is a directory: give FILE.npz")
        loop = tmp_path / f"loop{suffix}"
        loop.symlink_to(loop)
        assert refusal(loop).startswith(": cannot be read (Too many levels of symbolic links)")
        assert "cannot be read (File name too long)" in refusal(tmp_path / ("a" * 300 + suffix))
    assert refusal(tmp_path).startswith(": is a directory: give FILE.npz")

    def denied(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    path = write(tmp_path / "a.csv", SQUARE)
    monkeypatch.setattr(Path, "open", denied)
    assert refusal(path) == ": cannot be read (Permission denied): check the file and its permissions"


@pytest.mark.parametrize("name", ["a.txt", "a", "a.npy", "a.csv.gz", "x" * 300 + ".tsv"])
def test_other_extensions_are_refused(tmp_path: Path, name: str) -> None:
    suffix = Path(name).suffix
    assert refusal(tmp_path / name).startswith(f": files with the extension '{suffix}' are not read: give FILE.npz")


def test_a_file_without_extension_is_no_data_set_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "numbers", SQUARE)
    assert refusal("numbers").startswith(": files with the extension '' are not read")
    (tmp_path / "folder").mkdir()
    assert refusal("folder").startswith(": is a directory")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,0,-1\n0,nan,1\n", "row 2, column 2 holds 'nan': features must be finite numbers"),
        ("a,b,c\n1,0,-1\n\n-inf,1,1\n", "row 4, column 1 holds '-inf': features must be finite numbers"),
        ("1,0,-1\n0,1e999,1\n", "row 2, column 2 holds '1e999': features must be finite numbers"),
        ("1,0,-1\n0,tall,1\n", "row 2, column 2 holds 'tall': features must be finite numbers"),
        (
            "1,05,-1\n0,5,1\n",
            "row 1, column 2 holds '05', as what stands behind a decimal comma: write decimal points, "
            "which leave commas to columns",
        ),
        ("1,0,-1\n0,1_000,1\n", "row 2, column 2 holds '1_000': features must be finite numbers"),
        ("1,0,-1\n0, ,1\n", "row 2, column 2 holds nothing: features must be finite numbers"),
        ("1,wide,-1\n0,1,1\n", "row 1, column 2 holds 'wide': features must be finite numbers"),
        ("a,b,c\nd,e,f\n0,1,1\n", "row 2, column 1 holds 'd': features must be finite numbers"),
        ("1,0,-1\n0,'\n',1\n", "row 2 has 2 columns and row 1 has 3: give every row the same number"),
        ("1,0,-1\n0,1,1,1\n", "row 2 has 4 columns and row 1 has 3: give every row the same number"),
        ("a,b\n1,0,-1\n", "row 2 has 3 columns and row 1 has 2: give every row the same number"),
        ("1,0,-1\n0,1,\n", "row 2, column 3 holds nothing: give every row a label"),
        ("1,0,-1\n0,1,NaN\n", "row 2, column 3 holds 'NaN': give every row a label"),
        ("1,0,-1\n0,1,inf\n", "row 2, column 3 holds 'inf': give every row a label"),
        ("1;0;-1\n0;1;1\n", "row 1 has one column: give features and a label, comma-separated"),
        ('1,0,-1\n0,"1,1\n', "row 2 is not valid CSV (unexpected end of data): check its quotes"),
        ("a,b,c\n", "there are no rows of data: give at least two, one of each class"),
        ("\n \n", "there are no rows of data: give at least two, one of each class"),
        ("1,0,1\n", "there is one row only: give at least two, one of each class"),
        ("1,0,1\n0,1,1\n", "every row has the label 1: give rows of two labels"),
        ("1,0,a\n0,1,a\n", "every row has the label a: give rows of two labels"),
        ("1,0,2\n0,1,1\n1,1,3\n", "there are 3 label values (1, 2, 3): keep the rows of two of them"),
        ("1,0,x\n0,1,1.5\n1,1,3\n", "there are 3 label values (1.5, 3, x): keep the rows of two of them"),
        (
            "".join(f"1,{k},{k / 4}\n" for k in range(9)),
            "there are 9 label values (0, 0.25, 0.5, 0.75, 1, 1.25, ...): keep the rows of two of them",
        ),
        ("a,b,c\n1,0,-1\n\n0,-0,1\n", "row 4 is zero and has no direction on the unit sphere: remove it"),
        (
            "1,0,1\n2,0,0\n",
            "2 of 2 rows share a ray with a row of the other label, and without them one class or none "
            "is left: check the labels",
        ),
        (
            "1,0,1\n2,0,0\n1,1,1\n",
            "2 of 3 rows share a ray with a row of the other label, and without them one class or none "
            "is left: check the labels",
        ),
    ],
)
def test_bad_csv_files_are_refused_with_the_place(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(write(tmp_path / "bad.csv", text)) == f": {message}"


@pytest.mark.parametrize("content", [b"\xff\xfe1\x00", "1,0,\xe9\n".encode("latin-1")])
def test_csv_in_another_encoding_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    assert re.fullmatch(r": is not UTF-8 text \(.*\): save it as UTF-8", refusal(path))


def test_an_oversized_csv_cell_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "bad.csv", "1,0,1\n" + "1" * 200_000 + ",1,1\n")
    assert refusal(path).startswith(": row 2 is not valid CSV (field larger than field limit")


X2 = np.eye(2)
Y2 = np.array([0, 1])
SAVE = "save it with numpy.savez(FILE, X=X, y=y)"
MATRIX = "give a matrix (n, d) with n >= 2 and d >= 1"


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": Y2}, "has no array X (found: y): " + SAVE),
        ({"X": X2, "Y": Y2}, "has no array y (found: X, Y): " + SAVE),
        ({"data": X2}, "has no array X and no y (found: data): " + SAVE),
        ({}, "has no array X and no y (found: none): " + SAVE),
        (
            {"X": np.array([[1, None]]), "y": Y2},
            "holds pickled Python objects, which are not loaded because they may run code: "
            "save X and y as arrays of numbers",
        ),
        (
            {"X": X2, "y": np.array(["a", None])},
            "holds pickled Python objects, which are not loaded because they may run code: "
            "save X and y as arrays of numbers",
        ),
        ({"X": X2 + 0j, "y": Y2}, "X has dtype complex128, which is complex: give real numbers"),
        ({"X": np.array([["1", "2"]]), "y": Y2}, "X has dtype <U1, which is not numeric: give real numbers"),
        (
            {"X": np.zeros((2, 2), "datetime64[s]"), "y": Y2},
            "X has dtype datetime64[s], which is not numeric: give real numbers",
        ),
        ({"X": X2, "y": Y2 + 0j}, "y has dtype complex128: give the labels as real numbers or as text"),
        ({"X": np.ones(2), "y": Y2}, f"X has shape (2,): {MATRIX}"),
        ({"X": np.ones((2, 2, 2)), "y": Y2}, f"X has shape (2, 2, 2): {MATRIX}"),
        ({"X": np.ones((0, 2)), "y": Y2[:0]}, f"X has shape (0, 2): {MATRIX}"),
        ({"X": np.ones((2, 0)), "y": Y2}, f"X has shape (2, 0): {MATRIX}"),
        ({"X": X2, "y": Y2[:, None]}, "y has shape (2, 1): give a vector (n,)"),
        ({"X": X2, "y": np.array(1)}, "y has shape (): give a vector (n,)"),
        ({"X": X2, "y": np.ones(3)}, "X has 2 rows and y has 3 labels: give one label a row"),
        (
            {"X": np.array([[1, 2], [3, np.nan]]), "y": Y2},
            "X holds nan at row 2, column 2: features must be finite numbers, replace it or remove the row",
        ),
        (
            {"X": np.array([[-np.inf, 2], [3, np.nan]]), "y": Y2},
            "X holds -inf at row 1, column 1: features must be finite numbers, replace it or remove the row",
        ),
        (
            {"X": np.array([[1, 2], [np.longdouble(2) ** 1024, 1]]), "y": Y2},
            "X holds inf at row 2, column 1: features must be finite numbers, replace it or remove the row",
        ),
        ({"X": X2, "y": np.array([1.0, np.nan])}, "y holds nan at row 2: give every row a label"),
        ({"X": X2[:1], "y": Y2[:1]}, "there is one row only: give at least two, one of each class"),
        ({"X": X2 * [[0], [1]], "y": Y2}, "row 1 is zero and has no direction on the unit sphere: remove it"),
        ({"X": X2, "y": Y2 * 0}, "every row has the label 0: give rows of two labels"),
        (
            {"X": np.eye(3), "y": np.array(["a", "b\n", "c"])},
            "there are 3 label values (a, 'b\\n', c): keep the rows of two of them",
        ),
    ],
)
def test_bad_npz_files_are_refused(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    np.savez(tmp_path / "bad.npz", **arrays)
    assert refusal(tmp_path / "bad.npz") == f": {message}"


def npy_file(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, X2)


def pickle_file(path: Path) -> None:
    path.write_bytes(pickle.dumps({"X": X2, "y": Y2}))


def text_file(path: Path) -> None:
    path.write_text(SQUARE, encoding="utf-8")


def truncated(path: Path) -> None:
    np.savez(path, X=X2, y=Y2)
    path.write_bytes(path.read_bytes()[:-40])


@pytest.mark.parametrize("make", [npy_file, pickle_file, text_file, truncated])
def test_files_that_are_no_archive_are_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "bad.npz")
    assert refusal(tmp_path / "bad.npz") == ": is not an npz archive: " + SAVE


def foreign_members(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f8' ")
        archive.writestr("y.npy", b"")


def flipped_bits(path: Path) -> None:
    np.savez_compressed(path, X=np.arange(2000.0).reshape(2, 1000), y=Y2)
    content = bytearray(path.read_bytes())
    content[200:260] = bytes(60)
    path.write_bytes(content)


@pytest.mark.parametrize("make", [foreign_members, flipped_bits])
def test_damaged_archives_are_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "bad.npz")
    assert re.fullmatch(r": is a damaged npz archive \(.+\): save it with .*", refusal(tmp_path / "bad.npz"))


def test_pickled_arrays_are_not_executed(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, tuple[str]]:
            return os.mkdir, (str(tmp_path / "sprung"),)

    np.savez(tmp_path / "bad.npz", X=np.array([[Trap()]], dtype=object), y=Y2)
    refusal(tmp_path / "bad.npz")
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"X": b"1,2,3", "y": b"1"}, "has no array X and no y (found: none): " + SAVE),
        ({"X.npy": X2, "y.txt": b"1"}, "has no array y (found: X): " + SAVE),
        ({"X.npy": np.array(1.0), "y.npy": Y2}, f"X has shape (): {MATRIX}"),
        ({"X.npy": X2, "y.npy": np.zeros(2, "V8")}, "y has dtype |V8: give the labels as"),
        ({"X.npy": X2, "a\n\x1b[2J.npy": X2}, "has no array y (found: X, a\\n\\x1b[2J): " + SAVE),
        (
            {"X.npy": b"\x93NUMPY\x03\x00" + bytes(20), "y.npy": Y2},
            "is a damaged npz archive (X has a header of version",
        ),
    ],
)
def test_members_that_are_no_arrays_of_numbers_are_refused(
    tmp_path: Path, members: dict[str, Any], message: str
) -> None:
    with zipfile.ZipFile(tmp_path / "bad.npz", "w") as archive:
        for name, content in members.items():
            with archive.open(name, "w") as file:
                if isinstance(content, bytes):
                    file.write(content)
                else:
                    np.lib.format.write_array(file, content)
    assert refusal(tmp_path / "bad.npz").startswith(f": {message}")


def _promise(path: Path, shape: tuple[int, ...]) -> None:
    """An archive whose X has a header that promises that many numbers, and holds a few."""
    with zipfile.ZipFile(path, "w") as archive:
        with archive.open("X.npy", "w") as file:
            header = {"descr": "<f8", "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, header)
            file.write(bytes(64))
        with archive.open("y.npy", "w") as file:
            np.lib.format.write_array(file, Y2)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((10**12, 2), "there are 1000000000000 rows and at most 131072 are read: draw a sample"),
        ((2, 10**12), "there are 2 rows of 1000000000000 numbers and at most 134217728 numbers are read"),
        ((10**5, 1000), r"is a damaged npz archive (X has shape (100000, 1000) and holds 192 bytes)"),
    ],
)
def test_a_header_is_not_believed(tmp_path: Path, shape: tuple[int, ...], message: str) -> None:
    _promise(tmp_path / "bad.npz", shape)
    tracemalloc.start()
    assert refusal(tmp_path / "bad.npz").startswith(f": {message}")
    assert tracemalloc.get_traced_memory()[1] < 1e6
    tracemalloc.stop()


def test_an_archive_that_unpacks_to_more_than_is_read_is_refused_unopened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("X.npy", "w") as file:
            np.lib.format.write_array(file, X2)
            file.write(bytes(10**7))
        with archive.open("y.npy", "w") as file:
            np.lib.format.write_array(file, Y2)
    assert (tmp_path / "bomb.npz").stat().st_size < 20_000
    monkeypatch.setattr(data_files, "MOST_NUMBERS", 10**6)
    tracemalloc.start()
    assert refusal(tmp_path / "bomb.npz") == ": X takes 10000160 bytes and at most 8000000 are read: draw a sample"
    assert tracemalloc.get_traced_memory()[1] < 1e6
    tracemalloc.stop()


def test_files_of_more_rows_numbers_or_text_than_are_read_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    y = np.arange(MOST_ROWS + 1) % 2
    np.savez(tmp_path / "rows.npz", X=np.ones((len(y), 1)), y=y)
    assert refusal(tmp_path / "rows.npz").startswith(": there are 131073 rows and at most 131072 are read")
    monkeypatch.setattr(data_files, "MOST_NUMBERS", 5)
    path = write(tmp_path / "numbers.csv", SQUARE)
    assert refusal(path) == ": there are 3 rows of 2 numbers and at most 5 numbers are read: draw a sample"
    monkeypatch.setattr(data_files, "MOST_BYTES_OF_TEXT", 10)
    assert refusal(path) == ": is larger than 10 bytes, which is all that is read: draw a sample"


def test_data_that_do_not_fit_in_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez(tmp_path / "a.npz", X=X2, y=Y2)

    def full(*_: Any, **__: Any) -> None:
        raise MemoryError("Unable to allocate")

    monkeypatch.setattr(np.lib.format, "read_array", full)
    assert refusal(tmp_path / "a.npz") == ": does not fit in memory: draw a sample"


@pytest.mark.parametrize("text", ["1,0,-1\n0,\x001,1\n", "1,0,-1\n0,1,a\x00\n"])
def test_csv_files_with_nul_characters_are_refused(tmp_path: Path, text: str) -> None:
    assert refusal(write(tmp_path / "bad.csv", text)) == ": row 2 holds a NUL character: save the file as text"


def test_what_is_no_regular_file_is_refused_unread(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "device.npz").symlink_to("/dev/zero")
    for name in ("pipe.csv", "device.npz"):
        assert refusal(tmp_path / name).startswith(": is no regular file: give FILE.npz")


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".txt", ""])
@pytest.mark.parametrize("name", ["two\nlines", "clear\x1b[2J\x07", "left\u202eright", "nul\x00", "\udcff"])
@pytest.mark.parametrize("content", [b"", b"1,0,-1\n0,nan,1\n", None])
def test_file_names_are_told_in_one_printable_line(
    tmp_path: Path, name: str, suffix: str, content: bytes | None
) -> None:
    path = f"{tmp_path}/{name}{suffix}"
    if content is not None and "\0" not in name:
        Path(path).write_bytes(content)
    with pytest.raises(DataError) as caught:
        load(path)
    message = str(caught.value)
    assert message.isprintable()
    assert message.startswith(f"{tmp_path}/" + name.encode("unicode_escape").decode())


def test_a_name_that_needs_escapes_is_read_and_reported_in_one_line(tmp_path: Path) -> None:
    path = write(tmp_path / "two\nlines.csv", SQUARE)
    data = load(str(path))
    assert data.spec == str(path)
    assert data.name == str(path).replace("\n", "\\n")
    assert all(line.isprintable() for line in describe(data))


# Rows that coincide


def test_duplicates_after_normalisation_are_dropped_and_counted() -> None:
    data = from_arrays([[1.0, 2.0], [2.0, 4.0], [0.1, 0.2], [3.0, 1.0], [1.0, 2.0]], [0, 0, 0, 1, 0])
    assert data.n == 2
    assert (data.rows_read, data.duplicates_dropped, data.conflicts_dropped) == (5, 3, 0)
    assert data.y.tolist() == [-1.0, 1.0]


def test_equal_rows_with_both_labels_are_all_dropped() -> None:
    data = from_arrays([[1, 2], [3, 1], [2, 4], [3, 6], [1, 0], [2, 0], [0, 1]], [0, 0, 1, 0, 1, 1, 0])
    np.testing.assert_allclose(data.X, np.array([[3, 1], [math.sqrt(10), 0], [0, math.sqrt(10)]]) / math.sqrt(10))
    assert data.y.tolist() == [-1.0, 1.0, -1.0]
    assert (data.rows_read, data.duplicates_dropped, data.conflicts_dropped) == (7, 1, 3)


def test_antipodes_are_no_duplicates() -> None:
    data = from_arrays([[1.0, 2.0], [-2.0, -4.0], [3.0, 1.0], [0.3, 0.1], [-0.3, -0.1]], [0, 1, 1, 1, 0])
    assert (data.n, data.duplicates_dropped) == (4, 1)
    assert data.separation > 0.5
    assert data.antipodal_separation < 1e-15


@given(hnp.arrays(np.int64, st.tuples(st.integers(2, 12), st.just(2)), elements=st.integers(-2, 2)), st.data())
def test_what_is_kept_is_separated_and_accounted_for(X: npt.NDArray[np.int64], data: st.DataObject) -> None:
    X = X[X.any(axis=1)]  # zero rows are refused
    labels = data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X)))
    assume(len(set(labels)) == 2)
    # Rows of integers lie on one ray iff they are equal once divided by their greatest common divisor.
    rays = [(x // math.gcd(x, z), z // math.gcd(x, z)) for x, z in X.tolist()]
    labels_of = {ray: {label for r, label in zip(rays, labels, strict=True) if r == ray} for ray in rays}
    clean = [ray for ray in labels_of if len(labels_of[ray]) == 1]
    signs = [1.0 if labels_of[ray] == {True} else -1.0 for ray in clean]
    if len(set(signs)) < 2:
        with pytest.raises(DataError, match="one class or none is left: check the labels"):
            from_arrays(X, labels)
        return
    kept = from_arrays(X, labels)
    assert kept.y.tolist() == signs
    expected = np.array([(x / math.hypot(x, z), z / math.hypot(x, z)) for x, z in clean])
    np.testing.assert_allclose(kept.X, expected, rtol=0, atol=UNIT_TOLERANCE)
    assert kept.conflicts_dropped == sum(len(labels_of[ray]) == 2 for ray in rays)
    assert rows_accounted_for(kept) == kept.rows_read == len(X)
    assert kept.separation > 0.1


# The data set


@pytest.fixture(scope="module")
def blobs() -> Dataset:
    """Twelve rows, three of them positive."""
    X = sphere(12, 4, np.random.default_rng(2))
    return from_arrays(X, np.arange(12) % 4 == 0, name="blobs")


def test_subset_has_distinct_rows_of_both_classes(blobs: Dataset) -> None:
    rng = np.random.default_rng(3)
    for n in range(2, 13):
        for _ in range(30):
            part = blobs.subset(n, rng)
            assert part.n == n
            assert set(part.y) == {-1.0, 1.0}
            assert part.separation >= blobs.separation
            labels = {tuple(x): y for x, y in zip(blobs.X.tolist(), blobs.y, strict=True)}
            assert [labels[tuple(x)] for x in part.X.tolist()] == part.y.tolist()
    assert blobs.subset(12, rng).fingerprint == blobs.fingerprint
    assert blobs.subset(5, rng).name == "blobs[n=5]"


def test_subset_is_uniform_over_the_mixed_ones() -> None:
    data = from_arrays(sphere(5, 3, np.random.default_rng(4)), [1, 0, 0, 1, 0])
    rng = np.random.default_rng(5)
    counts: dict[str, int] = {}
    for _ in range(9000):
        key = data.subset(3, rng).fingerprint
        counts[key] = counts.get(key, 0) + 1
    # Of the 10 subsets one has no positive row. Binomial(9000, 1/9) has standard deviation 30: six of them.
    assert len(counts) == 9
    assert all(abs(count - 1000) <= 180 for count in counts.values())


def test_subset_of_one_row_or_of_one_class_is_allowed(blobs: Dataset) -> None:
    rng = np.random.default_rng(6)
    assert blobs.subset(1, rng).n == 1
    assert blobs.subset(1, rng).separation == math.inf
    single = Dataset(X=blobs.X[1:4].copy(), y=blobs.y[1:4], name="single", classes=("0", "1"), rows_read=3)
    assert set(single.subset(2, rng).y) == {-1.0}


@pytest.mark.parametrize("n", [0, -1, 13])
def test_subset_of_impossible_size_is_refused(blobs: Dataset, n: int) -> None:
    with pytest.raises(DataError, match=f"^blobs: {n} rows asked for where there are 12: ask for 1 to 12$"):
        blobs.subset(n, np.random.default_rng(7))


def test_subset_of_a_large_unbalanced_set_is_cheap_and_mixed() -> None:
    angles = np.linspace(0.0, 3.0, 3000)
    data = from_arrays(np.column_stack([np.cos(angles), np.sin(angles)]), np.arange(3000) == 7)
    assert set(data.subset(2, np.random.default_rng(8)).y) == {-1.0, 1.0}
    assert set(data.subset(1500, np.random.default_rng(8)).y) == {-1.0, 1.0}


def test_a_data_set_is_a_data_source(blobs: Dataset) -> None:
    source: DataSource = blobs
    X, y = source.draw(5, 4, np.random.default_rng(9))
    part = blobs.subset(5, np.random.default_rng(9))
    assert np.array_equal(X, part.X)
    assert np.array_equal(y, part.y)
    assert np.array_equal(X, blobs.draw(5, rng=np.random.default_rng(9))[0])
    with pytest.raises(DataError, match=r"^blobs: rows with d = 3 asked for, they have d = 4: ask for that$"):
        source.draw(5, 3, np.random.default_rng(9))
    with pytest.raises(TypeError, match="pass rng"):
        blobs.draw(5)


def test_pickling_keeps_the_data_and_the_counts(blobs: Dataset) -> None:
    blobs.separation  # noqa: B018  (cached values must travel too)
    copy = pickle.loads(pickle.dumps(blobs))
    assert copy.fingerprint == blobs.fingerprint
    assert copy.separation == blobs.separation
    assert describe(copy) == describe(blobs)


def test_fingerprint_tells_contents_apart_and_ignores_names(blobs: Dataset) -> None:
    def make(X: Array, y: Array) -> str:
        return Dataset(X=X, y=y, name="other", classes=("a", "b"), rows_read=0).fingerprint

    assert make(blobs.X.copy(), blobs.y.copy()) == blobs.fingerprint
    assert make(blobs.X, -blobs.y) != blobs.fingerprint
    assert make(np.ascontiguousarray(blobs.X[::-1]), blobs.y) != blobs.fingerprint
    X = np.array([[1.0, 0.0]])
    assert make(X, np.ones(1)) == make(X * [1.0, -1.0], np.ones(1))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.eye(2) * 1.001, np.ones(2), "the norm of a row is off 1 by 1.0e-03"),
        (np.eye(2) * np.nan, np.ones(2), "the norm of a row is off 1 by nan"),
        (np.eye(2), np.ones(3), "y does not hold 2 float64 labels -1 or [+]1"),
        (np.eye(2), np.zeros(2), "y does not hold 2 float64 labels -1 or [+]1"),
        (np.eye(2), np.ones(2, dtype=int), "y does not hold 2 float64 labels -1 or [+]1"),
        (np.eye(2, dtype=np.float32), np.ones(2), r"X is float32 of shape \(2, 2\) where a C-contiguous"),
        (np.eye(4)[::2, ::2], np.ones(2), r"X is float64 of shape \(2, 2\) where a C-contiguous"),
        (np.ones(2), np.ones(2), r"X is float64 of shape \(2,\) where a C-contiguous"),
    ],
)
def test_a_data_set_cannot_hold_what_the_theorems_exclude(X: Array, y: Array, message: str) -> None:
    with pytest.raises(DataError, match=f"^raw: {message}.*: make the data set with from_arrays$"):
        Dataset(X=X, y=y, name="raw", classes=("-1", "1"), rows_read=2)


def test_report_names_every_count() -> None:
    X = [[1, 2], [2, 4], [3, 1], [-3, 1], [1, 0], [2, 0], [0, 5]]
    data = from_arrays(X, [0, 0, 1, 1, 0, 1, 1], name="small")
    phi = 2.0 * math.sin(math.atan(0.5) / 2.0)
    assert describe(data) == [
        f"data set small: n = 4, d = 2, fingerprint {data.fingerprint[:12]}",
        "rows read: 7; dropped: other classes 0, duplicates 1, equal rows with both labels 2; used: 4 of 4",
        "classes: 0 as -1 (1 rows), 1 as +1 (3 rows)",
        f"norms: largest deviation from 1 is {data.norm_deviation:.1e}",
        f"separation phi = min ||x_i - x_j|| = {phi:.6g}",
        f"antipodal separation phi_pm = min ||x_i +- x_j|| = {phi:.6g}",
    ]
    part = data.subset(2, np.random.default_rng(10))
    assert describe(part)[1].endswith("used: 2 of 4")


def test_classes_and_rows_of_a_bundled_set_may_be_chosen() -> None:
    data = load("digits:4,9")
    assert (data.classes, data.n, data.rows_read) == (("4", "9"), 361, 1797)
    assert "classes: 4 as -1 (181 rows), 9 as +1 (180 rows); choose others as in digits:A,B" in describe(data)
    assert load("digits:3,8").fingerprint == load("digits").fingerprint
    few = load("digits:4,9:20")
    assert np.array_equal(few.X, data.X[:20])
    assert rows_accounted_for(few) == few.rows_read < 1797
    everything = load("digits:0+2+4+6+8,1+3+5+7+9")
    assert (everything.classes, everything.n, everything.others_dropped) == (("0+2+4+6+8", "1+3+5+7+9"), 1797, 0)
    assert (everything.y[:2] == [-1.0, 1.0]).all()


@pytest.mark.parametrize("choice", ["4", "4,9,1", "4,4", "4,x", "4+9,9", ",9"])
def test_a_choice_of_classes_that_are_none_is_refused_with_their_names(choice: str) -> None:
    assert "the classes are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9" in refusal(f"digits:{choice}")


@pytest.mark.parametrize("rows", ["1", "-3", "few"])
def test_a_number_of_rows_that_is_none_is_refused(rows: str) -> None:
    assert "is no number of rows" in refusal(f"digits:4,9:{rows}")


def test_an_archive_with_two_arrays_of_one_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.npz"
    np.savez(path, X=np.eye(2), y=np.array([1, -1]))
    with zipfile.ZipFile(path) as archive:
        content = archive.read("X.npy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("X.npy", content)
    with pytest.raises(DataError, match="has two arrays X"):
        load(str(path))
