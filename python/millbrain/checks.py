"""Checks of arguments, and the words for those that are refused."""

from __future__ import annotations

from numbers import Real
from operator import index
from typing import SupportsIndex

from .errors import OptionError

_MAX_SECONDS = 1_000_000_000


def shown(value: object) -> str:
    """Returns a value as messages have it: on one line, and short."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # A number of too many digits, or whatever a class does.
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= 50 else f"{text[:47]}..."


def wrong_type(name: str, value: object, expected: str) -> TypeError:
    """Returns the exception for an argument of the wrong type."""
    return TypeError(f"{name} is {shown(value)}, expected {expected}")


def integer(name: str, value: SupportsIndex) -> int:
    """Returns an integer of whatever type, numpy's too; raises ``TypeError`` for anything else."""
    try:
        # Python's truth values are integers, but never meant as numbers here.
        if not isinstance(value, bool):
            return index(value)
    except TypeError:
        pass
    raise wrong_type(name, value, "an integer")


def integer_in(name: str, value: SupportsIndex, least: int, most: int) -> int:
    """Returns an integer in a range; raises ``ValueError`` for one out of it, and ``TypeError`` for anything else."""
    number = integer(name, value)
    if not least <= number <= most:
        raise ValueError(f"{name} is {shown(value)}, expected an integer in {least}..{most}")
    return number


def seconds_in(name: str, value: float, least: int) -> float:
    """Returns a time of at least ``least`` seconds; raises ``OptionError`` for anything else."""
    typed = isinstance(value, Real) and not isinstance(value, bool)
    # A comparison with NaN is false.
    if not (typed and least <= value <= _MAX_SECONDS):
        raise OptionError(f"{name} is {shown(value)}, expected seconds in {least}..{_MAX_SECONDS}")
    return value
