"""Time and memory against the width, for stored and for revealed layers.

    python -m benchmarks.scaling --output DIR

runs the forward pass and the masked-product norm of `benchmarks.measure` at widths from 10^2 to 10^6, each in a process
of its own, and writes scaling.json and scaling.png. Stored layers stop where they would take more memory or time than
the limits; the file says where and why. Main definitions: `points`, `sweep`, `draw`, `write`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import measure
from benchmarks.measure import MeasureError, in_process, needed_bytes

WIDTHS = (100, 316, 1000, 3162, 10_000, 31_622, 100_000, 316_228, 1_000_000)
KINDS = ("dense", "revealed")
LABELS = {"dense": "stored layers", "revealed": "revealed layers"}
GIB = 2.0**30


def sweep(
    kind: str,
    widths: tuple[int, ...],
    memory_limit: float,
    time_limit: float,
    run: Callable[[str, int], dict[str, Any]] = in_process,
) -> tuple[list[dict[str, Any]], str | None]:
    """Measurements at the widths, in their order, and why they stop before the last one."""
    done: list[dict[str, Any]] = []
    for width in widths:
        needed = needed_bytes(kind, width)
        if not needed <= memory_limit:
            return done, f"m={width} would store {needed / GIB:.3g} GiB, over {memory_limit / GIB:.3g} GiB"
        if done and len(done) > 1:
            # Extrapolated from the last two: the time of the smallest widths is mostly overhead.
            growth = done[-1]["seconds"] / done[-2]["seconds"]
            expected = done[-1]["seconds"] * max(growth, 1.0)
            if not expected <= time_limit:
                return done, f"m={width} would take about {expected:.0f} s, over {time_limit:.0f} s"
        try:
            done.append(run(kind, width))
        except MeasureError as error:
            return done, str(error)
        print(f"{kind:8} m={width}: {done[-1]['seconds']:.3g} s", file=sys.stderr, flush=True)
    return done, None


def draw(found: dict[str, Any], path: Path) -> None:
    """The plot: processor time, and peak memory beyond what the interpreter takes, against the width.

    Processor time, over all threads, changes little with what else the machine does.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(9.0, 3.8), layout="constrained")
    for kind in KINDS:
        rows = found["points"][kind]
        widths = [row["width"] for row in rows]
        memory = [max(row["peak_bytes"] - row["baseline_bytes"], 2**20) / GIB for row in rows]
        panels[0].plot(widths, [row["processor_seconds"] for row in rows], "o-", label=LABELS[kind])
        panels[1].plot(widths, memory, "o-", label=LABELS[kind])
    for panel, name in zip(panels, ("processor seconds", "peak memory, GiB"), strict=True):
        panel.set(xscale="log", yscale="log", xlabel="width m", ylabel=name)
        panel.grid(alpha=0.3)
        panel.legend()
    shape = f"L={measure.NORM_DEPTH}, n={measure.SAMPLES}, d={measure.DIMENSION}"
    figure.suptitle(f"Forward pass and masked-product norm, {measure.STEPS} Lanczos steps ({shape})")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def write(found: dict[str, Any], output: Path) -> None:
    """Write both files under other names first, so that none is ever half written."""
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output, prefix=".scaling-") as directory:
        numbers, plot = Path(directory, "scaling.json"), Path(directory, "scaling.png")
        numbers.write_text(json.dumps(found, indent=1) + "\n")
        draw(found, plot)
        for made in (numbers, plot):
            os.replace(made, output / made.name)


def main(arguments: list[str] | None = None, run: Callable[[str, int], dict[str, Any]] | None = None) -> int:
    """Measure, plot, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder for the two files")
    parser.add_argument("--widths", default=",".join(map(str, WIDTHS)), metavar="M,...", help="even widths, rising")
    parser.add_argument("--memory", type=float, default=8.0, metavar="GIB", help="do not store more (default 8)")
    parser.add_argument("--time", type=float, default=120.0, metavar="S", help="do not run longer (default 120)")
    parser.add_argument("--threads", type=int, default=1, metavar="T", help="for matrix products (default 1)")
    options = parser.parse_args(arguments)
    try:
        widths = tuple(int(text) for text in options.widths.split(","))
    except ValueError:
        parser.error(f"--widths {options.widths}: write numbers with commas between, as in 100,1000")
    if any(m < 2 or m % 2 for m in widths) or list(widths) != sorted(set(widths)):
        parser.error(f"--widths {options.widths}: choose even, positive widths in rising order")
    if options.output.exists() and not options.output.is_dir():
        parser.error(f"--output {options.output}: this is a file, name a folder")

    def measured(kind: str, width: int) -> dict[str, Any]:
        return in_process(kind, width, options.threads, timeout=10.0 * options.time)

    points, stopped = {}, {}
    for kind in KINDS:
        points[kind], stopped[kind] = sweep(kind, widths, options.memory * GIB, options.time, run or measured)
        if not points[kind]:
            print(f"error: no width could be measured for {LABELS[kind]}: {stopped[kind]}", file=sys.stderr)
            return 1
    facts = {"depth": measure.NORM_DEPTH, "samples": measure.SAMPLES, "dimension": measure.DIMENSION}
    found = {
        "what": "forward pass and masked-product norm of layers 2..L",
        **facts,
        "lanczos_steps": measure.STEPS,
        "threads": options.threads,
        "processors": os.cpu_count(),
        "points": points,
        "stopped": stopped,
    }
    try:
        write(found, options.output)
    except OSError as error:
        print(f"error: {options.output} cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    print(f"wrote {options.output / 'scaling.json'} and {options.output / 'scaling.png'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
