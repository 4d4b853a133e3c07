"""Checks of arguments: the value in the type that the extension takes, or an exception of one sentence."""

from __future__ import annotations

import numbers
import operator
from typing import Any

from synap.results import Rect

_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1


def integer(value: Any, name: str, low: int = _INT32_MIN, high: int = _INT32_MAX) -> int:
    """An integer from `low` to `high`: a TypeError for other types, a ValueError for other numbers."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError("%s is %r, expected an integer" % (name, value)) from None
    if not low <= number <= high:
        raise ValueError("%s is %d, expected %d to %d" % (name, number, low, high))
    return number


def real(value: Any, name: str) -> float:
    """A real number, or a TypeError."""
    if not isinstance(value, numbers.Real):
        raise TypeError("%s is %r, expected a number" % (name, value))
    return float(value)


def rect(value: Any, name: str) -> Rect:
    """Four integers: a TypeError for other types, a ValueError for another number of them, or beyond 32 bits."""
    parts = tuple(value)
    if len(parts) != len(Rect._fields):
        raise ValueError("%s is %r, expected (x, y, width, height)" % (name, value))
    return Rect(*(integer(part, "%s.%s" % (name, field)) for part, field in zip(parts, Rect._fields)))
