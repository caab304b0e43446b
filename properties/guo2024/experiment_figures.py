"""The figures of the experiments, drawn again: errors against steps, rates against slopes, errors against sizes.

Main definitions: `errors_by_step` (Figures 1, 3 and 6), `rates_by_slope` (Figure 2) and `errors_by_size` (Figure 5),
each of which gives a function for `figure=` of a claim. Errors are geometric means over seeds.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from bounds.papers import guo2024 as sheet
from nets.core.arrays import Array
from properties.guo2024.slope_runs import Errors, Recipe, errors, fall, seed_of
from theory.reports.figures import Curve, Figure, Panel

# What draws a figure, of a generator and the effort.
Drawing = Callable[[Generator, str], Figure]

# The slopes of the paper's figures, those of its Figure 2, and one in between.
FIGURE_SLOPES = (-2.0, -1.0, -0.5, 0.0, 0.01, 0.05)
FINE_FIGURE_SLOPES = (-10.0, -6.0, -4.0, -3.0, -2.0, -1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.05, 0.25, 0.5)


def seeds(rng: Generator, effort: str) -> list[int]:
    """The seeds that a figure takes the mean over: ten, as the paper, and three at quick effort."""
    return [seed_of(rng) for _ in range(3 if effort == "quick" else 10)]


def mean_error(of_seeds: list[Array]) -> Array:
    """The geometric mean."""
    return np.asarray(np.exp(np.mean(np.log(of_seeds), axis=0)))


def errors_by_step(
    caption: str,
    recipes: Mapping[str, Any],
    error: str = "squared error",
    run: Callable[[Any, float, int], Errors] = errors,
) -> Drawing:
    """Training errors against steps, a panel for each recipe, whose name is its title, and test errors below them.

    `run` gives the errors of a recipe, slope and seed.
    """

    def draw(rng: Generator, effort: str) -> Figure:
        above, below, chosen = [], [], seeds(rng, effort)
        for title, recipe in recipes.items():
            training, test = [], []
            for slope in FIGURE_SLOPES:
                runs = [run(recipe, slope, seed) for seed in chosen]
                met = mean_error([met.training for met in runs])
                training.append(Curve(f"slope {slope:g}", range(len(met)), met))
                met = mean_error([met.test for met in runs])
                test.append(Curve(f"slope {slope:g}", recipe.every * np.arange(len(met)), met))
            above.append(Panel("step", f"training: {error}", training, title, log_y=True))
            below.append(Panel("step", f"test: {error}", test, title, log_y=True))
        return Figure(caption, [*above, *below], columns=len(recipes))

    return draw


def rates_by_slope(caption: str, recipes: Mapping[str, tuple[Recipe, float]]) -> Drawing:
    """The factor of the training error in a step against the slope: as met, and by (17) with the given C0."""

    def draw(rng: Generator, effort: str) -> Figure:
        panels, chosen = [], seeds(rng, effort)
        for title, (recipe, factor) in recipes.items():
            falls = {
                slope: float(np.mean([fall(recipe, slope, seed, recipe.steps // 6) for seed in chosen]))
                for slope in FINE_FIGURE_SLOPES
            }
            predicted = [sheet.figure_2_shape(C0=factor, fall0=falls[0.0], slope=slope) for slope in FINE_FIGURE_SLOPES]
            met = Curve("met", FINE_FIGURE_SLOPES, [1.0 - falls[slope] for slope in FINE_FIGURE_SLOPES], dots=True)
            line = Curve("predicted from slope 0", FINE_FIGURE_SLOPES, 1.0 - np.array(predicted))
            panels.append(Panel("slope", "factor of the training error in a step", [met, line], title))
        return Figure(caption, panels)

    return draw


def errors_by_size(caption: str, recipe: Recipe, widths: tuple[int, ...], depths: tuple[int, ...]) -> Drawing:
    """The last training error against the width and the last test error against the depth, at one step size each."""

    def draw(rng: Generator, effort: str) -> Figure:
        chosen = seeds(rng, effort)
        by_width = [replace(recipe, m=m, pace=recipe.pace * m / max(widths)) for m in widths]
        by_depth = [replace(recipe, L=L, pace=recipe.pace * L / max(depths)) for L in depths]
        training, test = [], []
        for slope in FIGURE_SLOPES:
            met = [mean_error([errors(at, slope, seed).training[-1:] for seed in chosen])[0] for at in by_width]
            training.append(Curve(f"slope {slope:g}", widths, met))
            met = [mean_error([errors(at, slope, seed).test[-1:] for seed in chosen])[0] for at in by_depth]
            test.append(Curve(f"slope {slope:g}", depths, met))
        left = Panel("width m", "last training error", training, log_x=True, log_y=True)
        return Figure(caption, [left, Panel("depth L", "last test error", test, log_y=True)])

    return draw
