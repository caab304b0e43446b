"""The revealed matrix is one matrix, whatever is asked, and has the law of a dense Gaussian one."""

import copy
import itertools
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from scipy.sparse.linalg import LinearOperator, aslinearoperator, lsqr, svds

from nets.core.arrays import Array
from nets.linear_algebra import revealed
from nets.linear_algebra.lowrank import LowRank
from nets.linear_algebra.revealed import RevealedGaussian, ShortStore, Side, Store
from nets.linear_algebra.vector_store import SHORT, Rows

# Sums of at most some hundred terms, each rounded a few times; what a consistent matrix may lose.
RELATIVE = 1e-10

# Chance that a law test refuses the right law, were its seed drawn anew, and what a wrong law must fall below.
LEVEL = 1e-3
CONTROL_LEVEL = 1e-9

SHAPES = [(1, 1), (1, 5), (5, 1), (7, 4), (4, 7), (30, 30)]


class ForgetfulStore(Store):
    """Wrong law: new answers ignore what the other side has revealed."""

    def _condition(self, other: Side, residuals: Array, normals: Array, overlaps: Array) -> None:
        """Leave the normals as they are."""


class CarelessStore(Store):
    """Wrong law: each query counts as a new direction."""

    def _orthogonalise(self, basis: Rows, query: Array) -> tuple[Array, float]:
        size = float(np.linalg.norm(query))
        query /= size
        return np.zeros(basis.count), size


class Plain(RevealedGaussian):
    """By the store of any size, also where the matrix is small."""

    _store_kind = Store


class ForgetsTheLeft(RevealedGaussian):
    _store_kind = ForgetfulStore


class SkipsOrthogonalisation(RevealedGaussian):
    _store_kind = CarelessStore


CONTROLS = [ForgetsTheLeft, SkipsOrthogonalisation]
KINDS = [RevealedGaussian, Plain]


def generator(*key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(2018, spawn_key=key))


def bases(W: RevealedGaussian) -> list[Array]:
    """Orthonormal bases of the directions asked on the right, (cols, k), and on the left, (rows, k)."""
    return [side.directions.array().T for side in (W._store.right, W._store.left)]


def unit(x: Array) -> Array:
    return np.asarray(x / np.linalg.norm(x, axis=0))


def two_sided_error(op: LinearOperator, rng: np.random.Generator) -> float:
    """Largest |u^T (W v) - (W^T u)^T v| over adaptive unit queries, relative to the norm of a Gaussian matrix."""
    rows, cols = op.shape
    v, asked = unit(rng.standard_normal(cols)), []
    for _ in range(6):
        y = op.matvec(v)
        # The mask depends on the answer, as activation patterns do.
        u = unit((y > np.median(y)) * y + 0.1)
        z = op.rmatvec(u)
        asked.append((u, v, y, z))
        v = unit(np.maximum(z, 0.0) + 0.1 * rng.standard_normal(cols))
    gaps = [abs(u @ y - z @ v) for u, _, _, z in asked for _, v, y, _ in asked]
    return float(max(gaps)) / (np.sqrt(rows) + np.sqrt(cols))


# --- one matrix -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_both_sides_speak_of_one_matrix(shape: tuple[int, int], kind: type[RevealedGaussian]) -> None:
    assert two_sided_error(kind(*shape, 1.0, generator(0)), generator(1)) <= RELATIVE


@pytest.mark.parametrize("shape", [*SHAPES, (400, 300)])
def test_the_two_stores_answer_alike(shape: tuple[int, int]) -> None:
    rng, twins = generator(80), [kind(*shape, 1.0, generator(81)) for kind in KINDS]
    for turn in range(30):
        transposed = bool(turn % 2)
        X = rng.standard_normal((1 + turn % 3, shape[transposed]))[:, :: -1 if turn % 5 else 1]
        asked = bases(twins[0])[1 - transposed]
        # Also what is known already, and nothing.
        if turn % 4 == 1:
            X[-1] = 1e200 * X[0]
        elif turn % 4 == 2:
            X[-1] = 0.0
        elif turn % 4 == 3 and asked.size:
            X[-1] = asked[:, 0]
        found, wanted = (X @ W if not transposed else X @ W.T for W in twins)
        scale = 1.0 + np.abs(wanted).max(axis=1, keepdims=True)
        np.testing.assert_allclose(found / scale, wanted / scale, atol=RELATIVE)
        assert twins[0].directions == twins[1].directions


@pytest.mark.parametrize(
    ("shape", "bits", "store"),
    [
        ((SHORT, SHORT), np.random.PCG64, ShortStore),
        ((SHORT + 1, 3), np.random.PCG64, Store),
        ((3, SHORT + 1), np.random.PCG64, Store),
        ((3, 3), np.random.Philox, Store),
    ],
)
def test_compiled_code_takes_short_queries_of_the_default_generator(
    shape: tuple[int, int], bits: type[np.random.BitGenerator], store: type[Store]
) -> None:
    W = RevealedGaussian(*shape, 1.0, np.random.Generator(bits(0)))
    assert type(W._store) is store
    assert np.isfinite(W.matvec(np.ones(shape[1]))).all()


@pytest.mark.parametrize("control", CONTROLS)
def test_two_sided_consistency_refuses_wrong_versions(control: type[RevealedGaussian]) -> None:
    assert two_sided_error(control(30, 30, 1.0, generator(0)), generator(1)) > 1e-2


def test_the_two_stores_agree_after_adaptive_masks() -> None:
    layers = [RevealedGaussian(40, 40, 0.2, generator(2, i)) for i in range(3)]
    x = generator(3).standard_normal((40, 4))
    masks = []
    for W in layers:
        pre = W.rmatmat(x)
        masks.append(pre > 0.0)
        x = np.where(masks[-1], pre, 0.0)
    for W, mask in zip(reversed(layers), reversed(masks), strict=True):
        x = W.matmat(mask * x)
    for W in layers:
        R, Q = bases(W)
        assert Q.shape == R.shape == (40, 4)
        np.testing.assert_allclose(Q.T @ W.matmat(R), W.rmatmat(Q).T @ R, atol=RELATIVE)
        assert W.directions == 8


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_query_gets_the_same_answer(shape: tuple[int, int]) -> None:
    op, rng = RevealedGaussian(*shape, 1.0, generator(4)), generator(5)
    v, u = rng.standard_normal(shape[1]), rng.standard_normal(shape[0])
    y, z = op.matvec(v), op.rmatvec(u)
    op.matmat(rng.standard_normal((shape[1], 3)))
    op.rmatmat(rng.standard_normal((shape[0], 3)))
    known = op.directions
    np.testing.assert_allclose(op.matvec(v), y, rtol=RELATIVE, atol=RELATIVE * float(np.linalg.norm(y)))
    np.testing.assert_allclose(op.rmatvec(u), z, rtol=RELATIVE, atol=RELATIVE * float(np.linalg.norm(z)))
    assert op.directions == known <= sum(shape)


def test_products_are_linear() -> None:
    op, rng = RevealedGaussian(50, 60, 1.0, generator(6)), generator(7)
    X, U = rng.standard_normal((60, 5)), rng.standard_normal((50, 5))
    mix = rng.standard_normal((5, 8))
    Y, Z = op.matmat(X), op.rmatmat(U)
    np.testing.assert_allclose(op.matmat(X @ mix), Y @ mix, atol=RELATIVE)
    np.testing.assert_allclose(op.rmatmat(U @ mix), Z @ mix, atol=RELATIVE)
    assert op.directions == 10


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_products_are_homogeneous_at_any_scale(scale: float) -> None:
    op = RevealedGaussian(9, 8, 1.0, generator(8))
    v = generator(9).standard_normal(8)
    np.testing.assert_allclose(op.matvec(v * scale) / scale, op.matvec(v), rtol=RELATIVE)
    assert op.directions == 1


def test_a_zero_query_costs_nothing() -> None:
    op = RevealedGaussian(6, 5, 1.0, generator(10))
    assert not op.matvec(np.zeros(5)).any()
    assert op.matmat(np.zeros((5, 0))).shape == (6, 0)
    assert op.directions == 0
    assert op.nbytes == 0


def test_a_block_gets_the_answers_of_its_columns() -> None:
    X, U = generator(11).standard_normal((30, 6)), generator(12).standard_normal((20, 5))
    X[:, 4] = X[:, 0] - 2.0 * X[:, 1]
    block = RevealedGaussian(20, 30, 1.0, generator(13))
    single = RevealedGaussian(20, 30, 1.0, generator(13))
    for _ in range(2):
        np.testing.assert_allclose(block.matmat(X), np.stack([single.matvec(x) for x in X.T], axis=1), atol=RELATIVE)
        np.testing.assert_allclose(block.rmatmat(U), np.stack([single.rmatvec(u) for u in U.T], axis=1), atol=RELATIVE)
    assert block.directions == single.directions == 10


def test_normals_of_a_known_query_are_left_to_the_next() -> None:
    v, w = generator(68).standard_normal((2, 30))
    plain = RevealedGaussian(20, 30, 1.0, generator(69))
    repeating = RevealedGaussian(20, 30, 1.0, generator(69))
    first, second = plain.matvec(v), plain.matvec(w)
    for _ in range(3):
        np.testing.assert_allclose(repeating.matvec(v), first, atol=RELATIVE)
    np.testing.assert_allclose(repeating.matvec(w), second, atol=RELATIVE)


def test_a_thread_of_its_own_draws_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    X, U = generator(70).standard_normal((30, 3)), generator(71).standard_normal((20, 3))
    answers = []
    for length in (10**9, 1):
        monkeypatch.setattr(revealed, "THREADED", length)
        W = Plain(20, 30, 1.0, generator(72))
        answers.append((W.matmat(X), W.rmatmat(U)))
    np.testing.assert_array_equal(answers[0][0], answers[1][0])
    np.testing.assert_array_equal(answers[0][1], answers[1][1])


def failing(*_: object) -> None:
    raise RuntimeError("interrupted")


@pytest.mark.parametrize("threaded", [False, True])
@pytest.mark.parametrize(
    ("kind", "method"),
    [
        *((Plain, method) for method in ("_draw", "_enter", "_orthogonalise", "_condition")),
        *((RevealedGaussian, method) for method in ("_split", "_condition")),
    ],
)
def test_an_interrupted_query_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, kind: type[RevealedGaussian], method: str, threaded: bool
) -> None:
    monkeypatch.setattr(revealed, "THREADED", 1 if threaded else 10**9)
    W = kind(20, 30, 1.0, generator(73))
    X, U = generator(74).standard_normal((3, 30)), generator(75).standard_normal((3, 20))
    Y = X @ W.T
    with monkeypatch.context() as patch:
        patch.setattr(type(W._store), method, failing)
        with pytest.raises(RuntimeError, match="interrupted"):
            _ = U @ W
    assert W.directions == bases(W)[0].shape[1] == 3
    Z = U @ W
    np.testing.assert_allclose(Z @ X.T, U @ Y.T, atol=RELATIVE)
    np.testing.assert_allclose(X @ W.T, Y, atol=RELATIVE)
    assert bases(W)[1].shape == (20, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_is_another_matrix_with_the_same_answers_to_come(kind: type[RevealedGaussian]) -> None:
    W, X = kind(400, 30, 1.0, generator(82)), generator(83).standard_normal((5, 30))
    Y = X[:1] @ W.T
    for other in (copy.deepcopy(W), pickle.loads(pickle.dumps(W))):
        np.testing.assert_array_equal(X[:1] @ other.T, Y)
        first = X[1:3] @ other.T
        assert (other.directions, W.directions) == (3, 1)
    np.testing.assert_array_equal(X[1:3] @ W.T, first)


def test_queries_are_left_as_they_are() -> None:
    op = RevealedGaussian(6, 5, 1.0, generator(14))
    X = np.asfortranarray(generator(15).standard_normal((5, 3)))
    before = X.copy()
    op.matmat(X)
    op.matvec(X[:, 0])
    np.testing.assert_array_equal(X, before)


# --- the basis ------------------------------------------------------------------------------------


def orthonormality(basis: Array) -> float:
    return float(np.abs(basis.T @ basis - np.eye(basis.shape[1])).max())


def test_repeated_queries_add_no_direction() -> None:
    op, rng = RevealedGaussian(400, 300, 1.0, generator(16)), generator(17)
    X = rng.standard_normal((300, 5))
    Y = op.matmat(X)
    for _ in range(1000):
        c = rng.standard_normal(5) * 10.0 ** rng.uniform(-6.0, 6.0, 5)
        error = np.abs(op.matvec(X @ c) - Y @ c).max()
        assert error <= RELATIVE * np.abs(c).max() * np.abs(Y).max()
    assert op.directions == 5


def test_nearly_dependent_queries_do_not_corrupt_the_basis() -> None:
    op, rng = RevealedGaussian(500, 400, 1.0, generator(18)), generator(19)
    right, left = rng.standard_normal((400, 3)), rng.standard_normal((500, 3))
    v, u = right[:, 0], left[:, 0]
    asked = []
    for step in range(1000):
        noise = 10.0 ** rng.uniform(-18.0, -6.0)
        y = op.matvec(v)
        z = op.rmatvec(u)
        if step % 50 == 0:
            asked.append((v, u, y, z))
        # Mostly repetitions, with perturbations from far above to far below rounding.
        v = unit(right @ rng.standard_normal(3) + noise * rng.standard_normal(400) + 0.1 * noise * z)
        u = unit(left @ rng.standard_normal(3) + noise * rng.standard_normal(500) + 0.1 * noise * y)
    R, Q = bases(op)
    assert min(R.shape[1], Q.shape[1]) > 300
    assert orthonormality(R) < 1e-12
    assert orthonormality(Q) < 1e-12
    norm = np.sqrt(500) + np.sqrt(400)
    assert np.abs(Q.T @ op.matmat(R) - op.rmatmat(Q).T @ R).max() <= RELATIVE * norm
    for v, u, y, z in asked:
        assert np.linalg.norm(op.matvec(v) - y) <= RELATIVE * norm * np.linalg.norm(v)
        assert np.linalg.norm(op.rmatvec(u) - z) <= RELATIVE * norm * np.linalg.norm(u)


@pytest.mark.parametrize("kind", KINDS)
def test_nearly_dependent_columns_within_a_block_stay_orthonormal(kind: type[RevealedGaussian]) -> None:
    op, rng = kind(90, 80, 1.0, generator(20)), generator(21)
    X = rng.standard_normal((80, 1)) + 10.0 ** np.linspace(0.0, -15.0, 16) * rng.standard_normal((80, 16))
    op.matmat(X[:, ::-1])
    op.matmat(X + 1e-9 * rng.standard_normal(X.shape))
    assert orthonormality(bases(op)[0]) < 1e-12


# --- the whole matrix -----------------------------------------------------------------------------


def adaptive_matrix(rows: int, cols: int, rng: np.random.Generator) -> Array:
    """A matrix of standard deviation 2, read off after adaptive queries on both sides, divided by 2."""
    op = RevealedGaussian(rows, cols, 2.0, rng)
    v = np.ones(cols)
    for _ in range(min(rows, cols) - 1):
        y = op.matvec(v)
        u = np.maximum(y, 0.0) + 0.1
        z = op.rmatvec(u)
        v = unit(np.where(z > 0.0, z, 0.0) + z[::-1] ** 2)
    full = op.matmat(np.eye(cols))
    np.testing.assert_allclose(op.rmatmat(np.eye(rows)).T, full, atol=RELATIVE)
    return full / 2.0


@pytest.mark.parametrize("shape", SHAPES)
def test_exhausting_the_space_gives_a_full_matrix(shape: tuple[int, int]) -> None:
    op, rng = RevealedGaussian(*shape, 1.0, generator(22)), generator(23)
    for _ in range(2):
        op.matvec(rng.standard_normal(shape[1]))
        op.rmatvec(rng.standard_normal(shape[0]))
    full = op.matmat(np.eye(shape[1]))
    np.testing.assert_allclose(op.rmatmat(np.eye(shape[0])).T, full, atol=RELATIVE)
    known = op.directions
    assert known == sum(shape)
    X, U = rng.standard_normal((shape[1], 3)), rng.standard_normal((shape[0], 3))
    np.testing.assert_allclose(op.matmat(X), full @ X, atol=RELATIVE)
    np.testing.assert_allclose(op.rmatmat(U), full.T @ U, atol=RELATIVE)
    assert op.directions == known


def test_the_full_matrix_has_independent_gaussian_entries() -> None:
    trials = 1500
    entries = np.stack([adaptive_matrix(3, 4, generator(24, i)).ravel() for i in range(trials)])
    assert stats.kstest(entries.ravel(), "norm").pvalue > LEVEL
    # Off-diagonal second moments of independent unit entries are asymptotically N(0, 1/trials), and uncorrelated.
    for powers in (entries, (entries**2 - 1.0) / np.sqrt(2.0)):
        moments = (powers.T @ powers / trials)[np.triu_indices(12, 1)]
        assert stats.chi2.sf(trials * float(moments @ moments), moments.size) > LEVEL


def test_a_large_full_matrix_has_gaussian_entries_and_the_norm_of_one() -> None:
    full = adaptive_matrix(60, 80, generator(25))
    assert stats.kstest(full.ravel(), "norm").pvalue > LEVEL
    assert stats.chi2.cdf(float((full**2).sum()), full.size) == pytest.approx(0.5, abs=0.5 - LEVEL / 2)
    # Gaussian concentration (Davidson and Szarek): above sqrt(rows) + sqrt(cols) + t with chance < exp(-t^2/2).
    limit = np.sqrt(60) + np.sqrt(80) + np.sqrt(-2.0 * np.log(LEVEL))
    assert np.linalg.norm(full, 2) <= limit


# --- the law in a network -------------------------------------------------------------------------

WIDTHS = (5, 20, 20, 20)
TRIALS = 500


def dense(rows: int, cols: int, std: float, rng: np.random.Generator) -> LinearOperator:
    return aslinearoperator(std * rng.standard_normal((rows, cols)))


def network_statistics(make: Callable[..., LinearOperator], trial: int, stream: int) -> tuple[float, float, float]:
    """Of a random ReLU network at two near points: layer norm, distance of the outputs, masked-product norm.

    The last is a power iteration of 12 steps on W_3^T Sigma_2 W_2^T Sigma_1 W_1^T, from the first point.
    """
    shapes = itertools.pairwise(WIDTHS)
    layers = [make(a, b, np.sqrt(2.0 / b), generator(stream, trial, i)) for i, (a, b) in enumerate(shapes)]
    points = [unit(np.array([1.0, 0.0, 0.0, 0.0, 0.0])), unit(np.array([1.0, 0.5, 0.0, 0.0, 0.0]))]
    outputs, masks = [], []
    for x in points:
        for W in layers:
            pre = W.rmatvec(x)
            x = np.maximum(pre, 0.0)
            masks.append((pre > 0.0).astype(np.float64))
        outputs.append(x)
    v, size = points[0], 0.0
    for _ in range(12):
        for W, mask in zip(layers, [*masks[:2], 1.0], strict=True):
            v = mask * W.rmatvec(v)
        for W, mask in zip(reversed(layers), [1.0, *reversed(masks[:2])], strict=True):
            v = W.matvec(mask * v)
        size = float(np.linalg.norm(v))
        v = v / size
    distance = float(np.linalg.norm(outputs[0] - outputs[1]))
    return float(np.linalg.norm(outputs[0])), distance, np.sqrt(size)


def network_sample(make: Callable[..., LinearOperator], stream: int, trials: int = TRIALS) -> Array:
    """Independent networks: (trials, 3)."""
    return np.array([network_statistics(make, trial, stream) for trial in range(trials)])


@pytest.fixture(scope="module")
def dense_sample() -> Array:
    return network_sample(dense, 26, 4 * TRIALS)


@pytest.mark.parametrize("kind", KINDS)
def test_networks_on_revealed_layers_have_the_law_of_dense_ones(
    dense_sample: Array, kind: type[RevealedGaussian]
) -> None:
    sample = network_sample(kind, 27)
    pvalues = [stats.ks_2samp(a, b).pvalue for a, b in zip(dense_sample.T, sample.T, strict=True)]
    assert min(pvalues) > LEVEL / len(pvalues)


def test_the_law_test_refuses_a_forgotten_left_basis(dense_sample: Array) -> None:
    wrong = network_sample(ForgetsTheLeft, 28)
    assert stats.ks_2samp(dense_sample[:, 2], wrong[:, 2]).pvalue < CONTROL_LEVEL


def test_the_law_test_refuses_a_missing_orthogonalisation(dense_sample: Array) -> None:
    wrong = network_sample(SkipsOrthogonalisation, 29)
    assert stats.ks_2samp(dense_sample[:, 1], wrong[:, 1]).pvalue < CONTROL_LEVEL
    assert stats.ks_2samp(dense_sample[:, 2], wrong[:, 2]).pvalue < CONTROL_LEVEL


# --- the law through training ---------------------------------------------------------------------


class Dense(LinearOperator):
    """A stored Gaussian matrix with the interface of the revealed one."""

    def __init__(self, rows: int, cols: int, std: float, rng: np.random.Generator) -> None:
        super().__init__(np.dtype(np.float64), (rows, cols))
        self.entries = std * rng.standard_normal((rows, cols))
        self.start = self.entries

    def _matmat(self, X: Array) -> Array:
        return self.entries @ X

    def _rmatmat(self, X: Array) -> Array:
        return self.entries.T @ X

    def __add__(self, step: LowRank) -> "Dense":
        moved = copy.copy(self)
        moved.entries = self.entries + step.dense()
        return moved

    @property
    def update(self) -> LowRank:
        return LowRank(np.eye(self.shape[0]), self.entries - self.start)


def training_statistics(make: Callable[..., LinearOperator], trial: int, stream: int) -> tuple[float, ...]:
    """Of 20 gradient steps on two layers of 12 neurons, squared loss of three points: loss, flips, drift of W_2."""
    shapes = ((3, 12), (12, 12))
    W1, W2 = (make(a, b, np.sqrt(2.0 / b), generator(stream, trial, i)) for i, (a, b) in enumerate(shapes))
    X, y = np.eye(3), np.array([1.0, -1.0, 1.0])
    v = np.repeat([1.0, -1.0], 6)[:, np.newaxis]
    first: Array = np.zeros((12, 3))
    for step in range(21):
        pre1 = W1.rmatmat(X)
        post1 = np.maximum(pre1, 0.0)
        pre2 = W2.rmatmat(post1)
        if step == 0:
            first = pre2
        gap = (v * np.maximum(pre2, 0.0)).sum(axis=0) - y
        if step < 20:
            back2 = (pre2 > 0.0) * v * gap
            back1 = (pre1 > 0.0) * W2.matmat(back2)
            W1 = W1 + LowRank(-0.02 * X.T, back1.T)
            W2 = W2 + LowRank(-0.02 * post1.T, back2.T)
    return float(gap @ gap), float(np.count_nonzero((pre2 > 0.0) != (first > 0.0))), W2.update.norms()[0]


def training_sample(make: Callable[..., LinearOperator], stream: int, trials: int) -> Array:
    """Independent runs: (trials, 3)."""
    return np.array([training_statistics(make, trial, stream) for trial in range(trials)])


def test_gradient_descent_on_revealed_layers_has_the_law_of_dense_ones() -> None:
    trained, wanted = training_sample(RevealedGaussian, 50, 250), training_sample(Dense, 51, 1000)
    assert wanted[:, 1].mean() > 0.5
    pvalues = [stats.ks_2samp(a, b).pvalue for a, b in zip(wanted.T, trained.T, strict=True)]
    assert min(pvalues) > LEVEL / len(pvalues)
    wrong = training_sample(ForgetsTheLeft, 52, 250)
    assert stats.ks_2samp(wanted[:, 2], wrong[:, 2]).pvalue < CONTROL_LEVEL


# --- updates --------------------------------------------------------------------------------------


def step(p: int, rows: int, cols: int, rng: np.random.Generator) -> LowRank:
    return LowRank(rng.standard_normal((p, rows)), rng.standard_normal((p, cols)))


def assert_is(W: LinearOperator, full: Array) -> None:
    """That all products of W are those of a dense matrix."""
    tolerance = RELATIVE * (1.0 + float(np.abs(full).max()))
    np.testing.assert_allclose(W.matmat(np.eye(full.shape[1])), full, atol=tolerance)
    np.testing.assert_allclose(W.rmatmat(np.eye(full.shape[0])), full.T, atol=tolerance)
    np.testing.assert_allclose(np.eye(full.shape[0]) @ W, full, atol=tolerance)
    np.testing.assert_allclose(np.eye(full.shape[1]) @ W.T, full.T, atol=tolerance)
    np.testing.assert_allclose(W.matvec(np.ones(full.shape[1])), full.sum(axis=1), atol=full.shape[1] * tolerance)
    np.testing.assert_allclose(W.rmatvec(np.ones(full.shape[0])), full.sum(axis=0), atol=full.shape[0] * tolerance)


def test_a_step_gives_another_matrix_with_the_same_gaussian_part() -> None:
    start, rng = RevealedGaussian(20, 15, 1.0, generator(30)), generator(31)
    W = start
    # What is asked of one is known to all, whichever is asked first.
    W.matvec(rng.standard_normal(15))
    seen = [(W, np.zeros((20, 15)))]
    for p in (1, 3, 2):
        new = step(p, 20, 15, rng)
        W = W + new if p != 3 else W - new
        seen.append((W, seen[-1][1] + (new.dense() if p != 3 else -new.dense())))
        W.rmatvec(rng.standard_normal(20))
    full = seen[2][0].matmat(np.eye(15)) - seen[2][1]
    for view, drift in reversed(seen):
        assert_is(view, full + drift)
        assert view.directions == start.directions
    assert (start.nbytes, W.nbytes) == (8 * 35 * 35, 8 * 35 * (35 + 6))


def test_the_difference_of_two_matrices_is_what_separates_them() -> None:
    start, rng = RevealedGaussian(9, 8, 1.0, generator(60)), generator(61)
    first, second, third = (step(p, 9, 8, rng) for p in (2, 1, 3))
    W = start + first
    V, U = W + second, W - third
    for A, B, wanted, factors in [
        (V, W, second.dense(), 1),
        (W, V, -second.dense(), 1),
        (V, start, first.dense() + second.dense(), 3),
        (V, U, second.dense() + third.dense(), 4),
        (W, W, np.zeros((9, 8)), 0),
        (V.compress(), W, second.dense(), 5),
    ]:
        found = A - B
        assert isinstance(found, LowRank)
        assert found.left.shape[0] == factors
        np.testing.assert_allclose(found.dense(), wanted, atol=RELATIVE)
        np.testing.assert_allclose((A.T - B.T).dense(), wanted.T, atol=RELATIVE)
    np.testing.assert_allclose(V.update.dense(), first.dense() + second.dense(), atol=RELATIVE)
    assert start.update.left.shape == (0, 9)
    assert start.directions == 0


def test_the_difference_of_unrelated_matrices_is_refused() -> None:
    W, V = (RevealedGaussian(5, 5, 1.0, generator(62)) for _ in range(2))
    for other in (V, W.T):
        with pytest.raises(ValueError, match="subtract matrices with the same Gaussian part"):
            _ = W - other


@pytest.mark.parametrize("columns", [4, 12, 40])
def test_compression_keeps_the_matrix_and_finds_the_rank_of_its_update(columns: int) -> None:
    start, rng = RevealedGaussian(30, 20, 1.0, generator(32)), generator(33)
    W = start + LowRank(
        rng.standard_normal((columns, 4)) @ rng.standard_normal((4, 30)), rng.standard_normal((columns, 20))
    )
    small = W.compress()
    assert small.update.left.shape == (4, 30)
    assert small.nbytes == 8 * 50 * 4
    assert W.nbytes == 8 * 50 * columns
    drift = W.update.dense()
    np.testing.assert_allclose(small.update.dense(), drift, atol=RELATIVE * float(np.linalg.norm(drift)))
    assert_is(small, W.matmat(np.eye(20)))


def test_an_update_that_cancels_is_compressed_to_nothing() -> None:
    W = RevealedGaussian(6, 5, 1.0, generator(34))
    assert W.compress().nbytes == 0
    W = W + LowRank(np.zeros((2, 6)), np.ones((2, 5)))
    assert W.compress().nbytes == 0
    assert W.update.norms() == (0.0, 0.0)


def test_norms_of_the_update_are_those_of_the_dense_drift() -> None:
    W, rng = RevealedGaussian(30, 20, 1.0, generator(35)), generator(36)
    assert W.update.norms() == (0.0, 0.0)
    assert np.array_equal(W.update.column_norms(), np.zeros(20))
    drift = np.zeros((30, 20))
    for p in (1, 2, 30):
        new = step(p, 30, 20, rng)
        W = W + new
        drift += new.dense()
        spectral, frobenius = W.update.norms()
        assert spectral == pytest.approx(np.linalg.norm(drift, 2), rel=RELATIVE)
        assert frobenius == pytest.approx(np.linalg.norm(drift), rel=RELATIVE)
        assert W.update.column_norms() == pytest.approx(np.linalg.norm(drift, axis=0), rel=RELATIVE)
        W = W.compress()
        assert W.update.norms() == pytest.approx((spectral, frobenius), rel=RELATIVE)


# --- products from the left and the transpose -----------------------------------------------------


def test_products_with_rows_are_those_of_a_dense_matrix() -> None:
    W, rng = RevealedGaussian(30, 20, 1.0, generator(63)), generator(64)
    W = W + step(3, 30, 20, rng)
    X, B = rng.standard_normal((4, 30)), rng.standard_normal((5, 20))
    Y, Z = X @ W, B @ W.T
    known = W.directions
    full = np.eye(30) @ W
    assert known == 9
    for found, wanted in ((Y, X @ full), (Z, B @ full.T)):
        assert found.flags.c_contiguous
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, wanted, atol=RELATIVE)
    np.testing.assert_allclose(X[0] @ W, Y[0], atol=RELATIVE)
    np.testing.assert_allclose(B[0] @ W.T, Z[0], atol=RELATIVE)
    np.testing.assert_allclose(np.asfortranarray(X)[::2] @ W, Y[::2], atol=RELATIVE)
    np.testing.assert_allclose((W.H @ W).matmat(B.T), (B @ W.T @ W).T, atol=1e2 * RELATIVE)


def test_the_transpose_is_the_same_matrix_turned() -> None:
    W, rng = RevealedGaussian(12, 9, 1.0, generator(65)), generator(66)
    W = W + step(2, 12, 9, rng)
    x = rng.standard_normal(12)
    y = W.T @ x
    assert isinstance(W.T, LinearOperator)
    assert W.T.shape == (9, 12)
    assert W.T.T.shape == W.H.T.shape == (12, 9)
    assert [basis.shape for basis in bases(W)] == [(9, 0), (12, 1)]
    np.testing.assert_allclose(W.rmatvec(x), y, atol=RELATIVE)
    full = W @ np.eye(9)
    assert_is(W.T, full.T)
    assert_is(W.H, full.T)
    assert_is(W.T.T, full)
    new = step(1, 9, 12, rng)
    assert_is((W.T + new).T, full + new.dense().T)


@pytest.mark.parametrize("shape", [(3, 5), (5,), (2, 3, 6), ()])
def test_arrays_that_do_not_fit_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"pass \(n, 6\) or \(6,\)"):
        _ = np.ones(shape) @ RevealedGaussian(6, 5, 1.0, generator(67))


# --- as a scipy operator, and its errors ----------------------------------------------------------


def test_scipy_takes_the_operator() -> None:
    op = RevealedGaussian(40, 30, 1.0, generator(38))
    assert aslinearoperator(op) is op
    assert op.dtype == np.float64
    found = svds(op, k=3, v0=np.ones(30), return_singular_vectors=False)
    b = op @ np.arange(30.0)
    solution = lsqr(op, b, atol=1e-14, btol=1e-14)[0]
    np.testing.assert_allclose(solution, np.arange(30.0), atol=1e-6)
    full = op.matmat(np.eye(30))
    np.testing.assert_allclose(np.sort(found), np.linalg.svd(full, compute_uv=False)[2::-1], rtol=1e-8)
    np.testing.assert_allclose(op.T @ np.eye(40), full.T, atol=RELATIVE)
    np.testing.assert_allclose((2.0 * op).H @ np.eye(40), 2.0 * full.T, atol=RELATIVE)


def test_the_memory_limit_names_directions_and_bytes() -> None:
    op = RevealedGaussian(300, 200, 1.0, generator(39), memory_limit=8 * 500 * 3)
    v, u = generator(40).standard_normal((200, 2)), generator(41).standard_normal(300)
    Y, z = op.matmat(v), op.rmatvec(u)
    assert op.nbytes == 12_000
    with pytest.raises(MemoryError, match=r"4 directions and 0 update factors, 16000 bytes, over its limit of 12000"):
        op.rmatvec(np.ones(300))
    with pytest.raises(MemoryError, match="3 directions and 2 update factors, 20000 bytes"):
        _ = op + LowRank(np.ones((2, 300)), np.ones((2, 200)))
    assert op.directions == 3
    np.testing.assert_allclose(op.matmat(v), Y, atol=RELATIVE)
    np.testing.assert_allclose(op.rmatvec(u), z, atol=RELATIVE)


def test_a_width_of_a_hundred_thousand_costs_what_was_asked() -> None:
    op = RevealedGaussian(100_000, 100_000, 1.0, generator(42))
    y = op.matvec(np.ones(100_000))
    z = op.rmatvec(y)
    assert z.sum() == pytest.approx(float(y @ y), rel=RELATIVE)
    assert op.nbytes == 8 * 200_000 * 2


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_queries_that_are_not_finite_are_refused(bad: float) -> None:
    op = RevealedGaussian(6, 5, 1.0, generator(43))
    with pytest.raises(ValueError, match="pass finite vectors"):
        op.matvec(np.array([1.0, bad, 0.0, 0.0, 0.0]))
    with pytest.raises(ValueError, match="pass finite vectors"):
        _ = np.array([np.ones(6), np.full(6, bad)]) @ op
    with pytest.raises(ValueError, match="pass finite vectors"):
        _ = np.full((1, 5), bad) @ op.T
    for left, right in ((bad, 1.0), (1.0, bad)):
        with pytest.raises(ValueError, match="pass finite factors"):
            _ = op + LowRank(np.full((1, 6), left), np.full((1, 5), right))
    assert op.directions == 0


def test_complex_queries_are_refused() -> None:
    with pytest.raises(ValueError, match="the query is complex"):
        RevealedGaussian(6, 5, 1.0, generator(44)).matvec(np.ones(5, dtype=complex))


@pytest.mark.parametrize(("rows", "cols", "std"), [(0, 5, 1.0), (5, 0, 1.0), (5, 5, -1.0), (5, 5, np.nan)])
def test_unusable_parameters_are_refused(rows: int, cols: int, std: float) -> None:
    with pytest.raises(ValueError, match=r"pass (positive sizes|a finite number)"):
        RevealedGaussian(rows, cols, std, generator(45))


def test_steps_that_do_not_fit_are_refused() -> None:
    W = RevealedGaussian(6, 5, 1.0, generator(46))
    new = LowRank(np.ones((2, 5)), np.ones((2, 6)))
    with pytest.raises(ValueError, match=r"the step has shape \(5, 6\): a matrix of shape \(6, 5\) needs"):
        _ = W + new
    with pytest.raises(ValueError, match="the step has shape"):
        _ = W - new
    with pytest.raises(TypeError):
        _ = W + np.ones((6, 5))
