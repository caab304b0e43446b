"""Time and peak memory of one full-size problem, in a process that does nothing else.

    python -m benchmarks.measure TASK --width M [--threads T]

prints one line of JSON. Main definitions: `TASKS`, what can be measured; `in_process`, which runs one and reads the
line; `needed_bytes`, what stored or revealed layers take at least.

Compilation and imports come before the clock. The peak is that of the whole process, interpreter and libraries
included, which hold `baseline_bytes` of it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import svdvals
from threadpoolctl import threadpool_limits

from nets.data.points import sphere
from nets.descent.training import train
from nets.linear_algebra.lanczos import operator_norm_interval
from nets.networks.forward import forward
from nets.networks.gradients import output_gradient
from nets.networks.losses import LOGISTIC
from nets.networks.network import Network, he_network, recurrent_network, revealed_network
from nets.networks.operators import masked_product, masked_product_operator

ROOT = Path(__file__).resolve().parent.parent
DIMENSION, SAMPLES, STEPS = 16, 4, 12
NORM_DEPTH, TRAINING_DEPTH, TRAINING_STEPS, DRIFT_EVERY = 4, 3, 25, 5
TIMES, OUTPUTS = 16, 4

# Squared gradients are of order m, so that a step of order 1/m makes the loss fall at every width.
STEP_TIMES_WIDTH = 1.0


def _norm(net: Network, rng: np.random.Generator) -> dict[str, float]:
    """Forward pass, then the masked product of layers 2..L at the first sample."""
    fwd = forward(net, sphere(SAMPLES, DIMENSION, rng))
    sizes = np.linalg.norm(fwd.post[-1], axis=1)
    operator = masked_product_operator(net, fwd, 0, 2, net.depth)
    del fwd
    interval = operator_norm_interval(operator, rng, STEPS)
    return {"low": interval.low, "high": interval.high, "largest_layer_norm": float(sizes.max())}


def revealed(width: int) -> dict[str, float]:
    """Revealed layers: forward pass and norm interval."""
    rng = np.random.default_rng(0)
    return _norm(revealed_network((DIMENSION, *[width] * NORM_DEPTH), rng), rng)


def dense(width: int) -> dict[str, float]:
    """Stored layers, drawn, with the same steps."""
    rng = np.random.default_rng(0)
    return _norm(he_network((DIMENSION, *[width] * NORM_DEPTH), rng), rng)


def dense_svd(width: int) -> dict[str, float]:
    """Stored layers, drawn and multiplied; the norm of the product by LAPACK."""
    rng = np.random.default_rng(0)
    net = he_network((DIMENSION, *[width] * NORM_DEPTH), rng)
    fwd = forward(net, sphere(SAMPLES, DIMENSION, rng))
    product = masked_product(net, fwd, 0, 2, net.depth)
    del net
    norm = float(svdvals(product, overwrite_a=True, check_finite=False)[0])
    return {"low": norm, "high": norm, "largest_layer_norm": float(np.linalg.norm(fwd.post[-1], axis=1).max())}


def training(width: int) -> dict[str, Any]:
    """Gradient descent on revealed layers, all that `train` records included, operator norms at each fifth iterate."""
    rng = np.random.default_rng(0)
    net = revealed_network((DIMENSION, *[width] * TRAINING_DEPTH), rng)
    X, y = sphere(SAMPLES, DIMENSION, rng), np.resize([1.0, -1.0], SAMPLES)
    path = train(net, X, y, LOGISTIC, STEP_TIMES_WIDTH / width, TRAINING_STEPS, drift_every=DRIFT_EVERY)
    return {
        "first_loss": float(path.loss[0]),
        "last_loss": float(path.loss[-1]),
        "loss_decreases": bool((np.diff(path.loss) < 0.0).all()),
        "drift_operator": path.drift_operator[-1].tolist(),
        "drift_frobenius": path.drift_frobenius[-1].tolist(),
    }


def recurrent(width: int, times: int = TIMES) -> dict[str, Any]:
    """A recurrent network of one revealed matrix, drawn: forward pass, then the gradient of all its outputs.

    The gradient is that of half of the summed squared outputs of all samples and times, as factors. n (times - 1)
    directions are asked on either side, a direction and its answer of 8 m bytes each, and states, gates and backward
    vectors take as much again; each new direction meets all before it. So memory grows like m n times, and time like
    m (n times)^2 from some ten times on. Measured on one core, memory beyond the interpreter's: 0.3, 0.8, 2.3 s and
    140, 270, 550 MiB at m = 25000, 50000, 100000 and 16 times; 0.1, 0.2, 0.8, 3.0 s and 70, 140, 270, 570 MiB at
    m = 50000 and 4, 8, 16, 32 times.
    """
    rng = np.random.default_rng(0)
    net = recurrent_network(DIMENSION, width, OUTPUTS, times, rng, stored=0)
    X = sphere(SAMPLES * times, DIMENSION, rng).reshape(SAMPLES, times, DIMENSION)
    fwd = forward(net, X)
    (gradient,) = output_gradient(net, fwd, fwd.output)
    return {
        "directions": net.weights[0].directions,
        "gradient_rank": len(gradient.left),
        "least_last_norm": float(np.linalg.norm(fwd.post[-1], axis=1).min()),
        "largest_last_norm": float(np.linalg.norm(fwd.post[-1], axis=1).max()),
    }


TASKS: dict[str, Callable[[int], dict[str, Any]]] = {
    "revealed": revealed,
    "dense": dense,
    "dense-svd": dense_svd,
    "training": training,
    "recurrent": recurrent,
}


def needed_bytes(task: str, width: int) -> int:
    """Bytes of the layers after the first, stored, or revealed by a pass and `STEPS` products on either side."""
    # A direction and its answer for each product.
    per_layer = 2 * (SAMPLES + 2 * STEPS) * width if task == "revealed" else width**2
    return 8 * (NORM_DEPTH - 1) * per_layer


def peak_bytes() -> int:
    """Largest memory this program has held so far."""
    try:
        # Not ru_maxrss where this exists: that keeps what the parent held when it forked.
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


def measure(task: str, width: int) -> dict[str, Any]:
    """Run one task here and say what it took."""
    TASKS[task](min(width, 64))
    baseline = peak_bytes()
    start, worked = time.perf_counter(), time.process_time()
    results = TASKS[task](width)
    seconds, worked = time.perf_counter() - start, time.process_time() - worked
    return {
        "task": task,
        "width": width,
        "seconds": seconds,
        # On a machine with other work this comes nearer to what the clock would say on a quiet one.
        "processor_seconds": worked,
        # The kernel counts pages with a delay, so that its largest number so far may come out smaller later.
        "peak_bytes": max(baseline, peak_bytes()),
        "baseline_bytes": baseline,
        **results,
    }


class MeasureError(RuntimeError):
    """A task did not end; the message says how."""


def in_process(task: str, width: int, threads: int = 1, timeout: float = 600.0) -> dict[str, Any]:
    """`measure` in a process of its own, with that many threads for matrix products."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    command = [sys.executable, "-m", "benchmarks.measure", task, "--width", str(width), "--threads", str(threads)]
    where = f"{task} at m={width}"
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise MeasureError(f"{where} took over {timeout:.0f} s: choose a smaller width") from None
    if done.returncode < 0:
        raise MeasureError(f"{where} was ended by signal {-done.returncode}: the machine may be short of memory")
    if done.returncode:
        raise MeasureError(f"{where} failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    return dict(json.loads(done.stdout.splitlines()[-1]), threads=threads)


def main(arguments: list[str] | None = None) -> int:
    """Print one measurement."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.measure", description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=sorted(TASKS))
    parser.add_argument("--width", type=int, required=True, metavar="M")
    parser.add_argument("--threads", type=int, default=1, metavar="T")
    options = parser.parse_args(arguments)
    if options.width < 2 or options.width % 2:
        parser.error(f"--width {options.width}: choose an even, positive number")
    with threadpool_limits(limits=options.threads):
        print(json.dumps(measure(options.task, options.width)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
