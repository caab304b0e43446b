"""What the functions of an activation from outside are held to when it is made, at some places on the line.

Main definitions: `check_rules`; `RuleError`.

Each number has to be treated by itself: batch normalisation, say, gives the numbers of an array a value that depends on
the others, and a gradient by phi' would be wrong without a word. And the slope has to be that of the values, the second
derivative that of the slopes, as far as difference quotients tell. They err by rounding, and by no more than the slope
changes over their step, which `smoothness` bounds: a right slope is never refused. Where rounding would hide what is
asked nothing is checked.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array

# Places in units of the length over which the slope may change by 1, and in plain numbers.
_UNITS = np.array([0.0, 0.03, 0.17, 0.41, 0.72, 0.93, 1.21, 1.9, 3.1, 7.7])
_NUMBERS = np.array([0.05, 0.37, 1.3, 4.1, 11.0])
# Places about a kink or a bend, in units.
_ABOUT = np.array([-0.31, -0.02, 0.02, 0.31])

# Steps of the difference quotients in units.
_STEP = 2.0**-20
# Numbers computed in arrays of different shapes may differ by this, relative to their size: the last bits, not more.
_ALIKE = 1e-9
# Roundings in units of the last place that a user's function may make, and the error beyond which it is not checked.
_ROUNDINGS, _UNCHECKED = 64.0, 1e-3
_EPS = float(np.finfo(np.float64).eps)
# Below this length steps are no longer normal numbers.
_SHORTEST = 1e-290

# From an array (n, m) to one of its shape.
Rule = Callable[[Array], Array]


class RuleError(ValueError):
    """Functions that make no activation; the message is one sentence."""


def check_rules(
    name: str,
    rules: Mapping[str, Rule],
    kinks: Sequence[tuple[float, float]],
    bends: Sequence[float],
    smoothness: float,
) -> None:
    """Raise `RuleError` unless these functions are elementwise and derivatives of one another.

    Parameters
    ----------
    name : for messages
    rules : "value", "slope" and, where there is one, "second derivative"
    kinks : places where the slope jumps, and by how much
    bends : places where the second derivative jumps
    smoothness : finite bound of the second derivative
    """
    unit = min(1.0, 1.0 / smoothness) if smoothness else 1.0
    corners = np.array([*(place for place, _ in kinks), *bends])
    sizes = np.concatenate([unit * _UNITS, _NUMBERS])
    places = np.unique(np.concatenate([-sizes, sizes, *(corner + unit * _ABOUT for corner in corners)]))
    # An even number of them, to be split in two.
    places = places[places.size % 2 :]
    for what, rule in rules.items():
        scale = {"value": unit, "slope": 1.0}.get(what, smoothness)
        _check_elementwise(name, what, rule, places, scale)
    if unit > _SHORTEST:
        quotients = _Quotients(name, rules, unit, smoothness, corners)
        quotients.check(places, np.array([place for place, _ in kinks]))
        for place, jump in kinks:
            quotients.check_kink(place, jump)


def _check_elementwise(name: str, what: str, rule: Rule, places: Array, scale: float) -> None:
    """The same numbers in a row, in a column, in two rows, shuffled, split and beside others; `scale` is their size."""
    row, half = places[np.newaxis], places.size // 2
    given = row.copy()
    found = rule(given)[0].copy()
    if not np.array_equal(given, row):
        raise RuleError(f"the {what} of {name} writes into the array that it is given: let it return another")
    order = np.roll(np.arange(places.size)[::-1], 3)
    shuffled = np.empty_like(found)
    shuffled[order] = rule(row[:, order])[0]
    others = [
        rule(np.ascontiguousarray(places[:, np.newaxis]))[:, 0],
        rule(places.reshape(2, half)).ravel(),
        shuffled,
        np.concatenate([rule(row[:, :half].copy())[0], rule(row[:, half:].copy())[0]]),
        rule(np.concatenate([row, [[19.0, -23.0, 29.0]]], axis=1))[0, : places.size],
    ]
    for other in others:
        alike = np.isclose(other, found, rtol=_ALIKE, atol=_ALIKE * scale, equal_nan=True)
        if not alike.all():
            at = int(np.argmin(alike))
            raise RuleError(
                f"the {what} of {name} at {places[at]:.6g} is {found[at]:.6g} in one array and {other[at]:.6g} in"
                " another: an activation takes each number by itself, as no normalisation over a batch, softmax or"
                " attention does; make a FunctionNetwork of what is a function of one sample"
            )
    if not np.isfinite(found).all():
        at = int(np.argmin(np.isfinite(found)))
        raise RuleError(f"the {what} of {name} at {places[at]:.6g} is {found[at]}: let it be finite everywhere")


class _Quotients:
    """Difference quotients of values and of slopes, and how far each may be from the derivative between."""

    def __init__(self, name: str, rules: Mapping[str, Rule], unit: float, smoothness: float, corners: Array) -> None:
        self.name, self.rules, self.unit, self.smoothness, self.corners = name, rules, unit, smoothness, corners
        self.step = _STEP * unit
        # Numbers as large as these may cancel in a value.
        self.reach = unit + float(np.max(np.abs(corners), initial=0.0))

    def check(self, places: Array, kinks: Array) -> None:
        """Slopes against values, and second derivatives against slopes, away from kinks."""
        places = self._away(places, kinks)
        rate, lost = self._of("value", places)
        self._compare("slope", "values rise", "kinks", places, rate, 2.0 * self.smoothness * self.step + lost, lost)
        rate, lost = self._of("slope", places)
        steep = self._far(np.abs(rate) - self.smoothness, 1e-6 * self.smoothness + lost, lost)
        if steep.any():
            k = int(np.argmax(steep))
            raise RuleError(
                f"the slope of {self.name} changes at {places[k]:.6g} at the rate {rate[k]:.6g}, and its smoothness is"
                f" {self.smoothness:.6g}: pass a bound of |phi''|, and the places where phi' jumps in kinks"
            )
        if "second derivative" in self.rules:
            places = self._away(places, self.corners)
            rate, lost = self._of("slope", places)
            # By a thousandth it may change over a step, a millionth of a unit; what changes faster bends.
            allowed = 1e-3 * self.smoothness + lost
            self._compare("second derivative", "slope rises", "bends", places, rate, allowed, lost)

    def check_kink(self, place: float, jump: float) -> None:
        """The jump of the slope at a kink, where the values do not jump."""
        ends = np.array([place - self.step, place + self.step])
        left, right = self._at("slope", ends)
        found = float(right - left)
        rate, lost = self._of("value", np.array([place]))
        allowed = 2.0 * self.smoothness * self.step + float(lost[0])
        if float(lost[0]) > _UNCHECKED:
            return
        if abs(found - jump) > allowed:
            raise RuleError(f"the slope of {self.name} jumps at {place:.6g} by {found:.6g} and not by {jump:.6g}")
        if abs(float(rate[0]) - 0.5 * float(left + right)) > allowed:
            raise RuleError(f"the value of {self.name} jumps at {place:.6g}: an activation is continuous")

    def _at(self, what: str, places: Array) -> Array:
        found: Array = self.rules[what](places[np.newaxis].copy())[0].copy()
        return found

    def _away(self, places: Array, corners: Array) -> Array:
        near = np.abs(places[:, np.newaxis] - corners) <= 2.0 * self.step
        return places[~near.any(axis=1)]

    def _of(self, what: str, places: Array) -> tuple[Array, Array]:
        """The difference quotient of `what` at places, and what rounding may add to it."""
        low, high = places - self.step, places + self.step
        before, after = self._at(what, low), self._at(what, high)
        sizes = np.maximum(np.abs(before), np.abs(after))
        if what == "value":
            sizes = sizes + (np.abs(places) + self.reach) * np.maximum(1.0, np.abs(self._at("slope", places)))
        else:
            sizes = (1.0 + sizes) * (1.0 + (np.abs(places) + self.reach) / self.unit)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            lost = _ROUNDINGS * _EPS * sizes / self.step
            # Of large numbers a step is nothing.
            rate = np.where(high > low, (after - before) / (high - low), 0.0)
        return rate, np.where(high > low, lost, np.inf)

    def _far(self, difference: Array, allowed: Array, lost: Array) -> npt.NDArray[np.bool_]:
        return (lost <= _UNCHECKED * max(1.0, self.smoothness)) & (difference > allowed)

    def _compare(self, what: str, rises: str, where: str, at: Array, rate: Array, allowed: Array, lost: Array) -> None:
        """Refuse `what` where it is not the rate at which the function that it is derived from rises."""
        found = self._at(what, at)
        far = self._far(np.abs(found - rate), allowed, lost)
        if far.any():
            k = int(np.argmax(np.where(far, np.abs(found - rate), 0.0)))
            raise RuleError(
                f"the {what} of {self.name} at {at[k]:.6g} is {found[k]:.6g} where its {rises} at the rate"
                f" {rate[k]:.6g}: pass the derivative, and the places where it jumps in {where}"
            )
