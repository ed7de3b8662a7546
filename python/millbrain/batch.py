"""Many positions at a time, as numpy arrays: for training and statistics.

A position is a row of ``int16``, with these columns:

- the points in the order of the FEN (a7, d7, g7, b6, ... g1): the kind of the piece (1 for a stone; in Smess 1 Brain,
  2 Numskull, 3 Ninny), negative for Black, 0 without one,
- the side to move: 1 White, -1 Black,
- the pieces in hand of White and of Black, in a game with a hand,
- the plies since the last progress, such as a placement, a capture or a promotion (at most 32767),
- with once-per-line mills: the lines on which White has formed a mill (bits 0-9 and 10-19 of the number in the FEN),
  and those of Black.

So the morris family has 28 columns, with once-per-line mills 32, and Smess has 58.

A row has no move number and no history. All functions take the rules as ``variant`` and house rules by keyword, like
:class:`millbrain.Board`; they work on all cores without the GIL, and Ctrl-C ends them. A result for which there is no
memory is a ``MemoryError`` before the work begins; where no threads can be started, the calling one works alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, SupportsIndex, overload

import numpy as np
import numpy.typing as npt

from . import _native
from .checks import integer_in, wrong_type

Positions = npt.NDArray[np.int16]
"""Positions as an array of shape ``(n, columns)``."""
Rule = bool | int | str

__all__ = [
    "Layout",
    "LegalActions",
    "Positions",
    "decode",
    "encode",
    "evaluate",
    "features",
    "fens",
    "layout",
    "legal_actions",
    "planes",
    "play_actions",
    "random_positions",
    "sector_positions",
    "sector_slots",
]


class Layout(NamedTuple):
    """The sizes of arrays by some rules."""

    columns: int
    """Columns of a position."""
    cells: int
    """The number of points or squares, which are the first columns."""
    features: int
    """Inputs of the evaluation network."""
    active: int
    """The most inputs that a position has."""
    names: tuple[str, ...]
    """Names of the points or squares, in the order of the columns."""


def layout(variant: str = "morris", **rules: Rule) -> Layout:
    """Returns the sizes of arrays by these rules.

    >>> layout("morris").columns, layout("smess").columns, layout("morris").names[:4]
    (28, 58, ('a7', 'd7', 'g7', 'b6'))
    """
    columns, cells, inputs, active, names = _native.layout(variant, rules)
    return Layout(columns, cells, inputs, active, tuple(names))


def prepared(positions: npt.NDArray[Any]) -> Positions:
    """Returns the same positions as the native part wants them: whole rows of ``int16`` in order."""
    if isinstance(positions, np.ma.MaskedArray):
        raise TypeError("positions are a masked array, expected one without a mask")
    array = np.asarray(positions)
    if array.dtype != np.int16 or array.ndim != 2:
        raise TypeError(f"positions are an array of {array.dtype} {array.shape}, expected int16 (n, columns)")
    return np.ascontiguousarray(array)


def encode(positions: Iterable[_native.Board | str], variant: str = "morris", **rules: Rule) -> Positions:
    """Boards or FENs as an array of shape ``(n, columns)``.

    Boards bring their rules, which must be the same for all; FENs are read by ``variant`` and ``rules``.

    >>> encode(["3/1O1/3/6/3/3/3 b 8 9 0 1"])[0, 24:]
    array([-1,  8,  9,  0], dtype=int16)
    """
    if isinstance(positions, (str, _native.Board)):
        raise wrong_type("positions", positions, "several boards or FENs, such as a list")
    return _native.encode(list(positions), variant, rules)


def decode(positions: Positions, variant: str = "morris", **rules: Rule) -> list[_native.Board]:
    """Returns the boards of an array, with the move number 1 and without history."""
    return _native.decode(prepared(positions), variant, rules)


def fens(positions: Positions, variant: str = "morris", **rules: Rule) -> list[str]:
    """Returns the FENs of an array, with the move number 1."""
    return _native.fens(prepared(positions), variant, rules)


def evaluate(positions: Positions, variant: str = "morris", **rules: Rule) -> npt.NDArray[np.int32]:
    """Static evaluations of shape ``(n,)`` from the side to move, in hundredths of a stone (of a Ninny in Smess)."""
    return _native.evaluate(prepared(positions), variant, rules)


@overload
def features(
    positions: Positions, variant: str = "morris", *, dense: Literal[False] = False, **rules: Rule
) -> npt.NDArray[np.int32]: ...
@overload
def features(
    positions: Positions, variant: str = "morris", *, dense: Literal[True], **rules: Rule
) -> npt.NDArray[np.uint8]: ...
def features(
    positions: Positions, variant: str = "morris", *, dense: bool = False, **rules: Rule
) -> npt.NDArray[np.int32] | npt.NDArray[np.uint8]:
    """Returns the inputs of the evaluation network that positions have, seen from the side to move.

    By default their numbers, of shape ``(n, active)``: ``int32`` in ``0..features``, padded with -1; the morris family
    always has 15, Smess one for each piece. A number may occur more than once in a row.

    With ``dense`` how often each input occurs, of shape ``(n, features)``: ``uint8``. That is 12 KB for a position of
    the morris family; take some thousands at a time.

    >>> start = encode(["3/3/3/6/3/3/3 w 9 9"])
    >>> features(start).shape, features(start, dense=True).sum()
    ((1, 15), np.uint64(15))
    """
    if dense:
        return _native.feature_counts(prepared(positions), variant, rules)
    return _native.feature_indices(prepared(positions), variant, rules)


def planes(positions: Positions, variant: str = "morris", **rules: Rule) -> npt.NDArray[np.float32]:
    """Positions as the planes of :mod:`millbrain.env`, each as if it were on the board for the first time.

    >>> planes(encode(["3/3/3/6/3/3/3 w 9 9"])).shape
    (1, 8, 7, 7)
    """
    return _native.planes(prepared(positions), variant, rules)


class LegalActions(NamedTuple):
    """The legal actions of ``n`` positions, as numbers of whole moves; :mod:`millbrain.env` numbers them."""

    starts: npt.NDArray[np.int64]
    """Where the actions of each position begin, and where the last ones end; of shape ``(n + 1,)``."""
    actions: npt.NDArray[np.int16]
    """All actions, those of each position in ascending order."""

    def of(self, position: SupportsIndex) -> npt.NDArray[np.int16]:
        """Returns the actions of one position."""
        number = integer_in("position", position, 0, len(self.starts) - 2)
        return self.actions[self.starts[number] : self.starts[number + 1]]

    def counts(self) -> npt.NDArray[np.int64]:
        """How many actions each position has."""
        return np.diff(self.starts)


def legal_actions(positions: Positions, variant: str = "morris", **rules: Rule) -> LegalActions:
    """Returns the legal actions of positions; none where the game is over, draws by repetition and counter left aside.

    >>> found = legal_actions(encode(["3/3/3/6/3/3/3 w 9 9 0 1", "OO1/3/3/6/3/3/XXX w 0 0"]))
    >>> found.counts().tolist(), found.of(0)[:3].tolist()
    ([24, 0], [0, 1, 2])
    """
    return LegalActions(*_native.legal_actions(prepared(positions), variant, rules))


def play_actions(positions: Positions, actions: npt.ArrayLike, variant: str = "morris", **rules: Rule) -> Positions:
    """Returns the positions after an action in each; raises :class:`IllegalMoveError` for the first illegal one.

    >>> start = encode(["3/3/3/6/3/3/3 w 9 9 0 1"] * 2)
    >>> fens(play_actions(start, [0, 4]))
    ['O2/3/3/6/3/3/3 b 8 9 0 1', '3/1O1/3/6/3/3/3 b 8 9 0 1']
    """
    numbers = np.asarray(actions)
    if not np.issubdtype(numbers.dtype, np.integer) or numbers.ndim != 1:
        raise TypeError(f"actions are an array of {numbers.dtype} {numbers.shape}, expected integers (n,)")
    return _native.play_actions(prepared(positions), np.ascontiguousarray(numbers, dtype=np.int64), variant, rules)


def random_positions(
    count: SupportsIndex,
    variant: str = "morris",
    *,
    plies: SupportsIndex | tuple[SupportsIndex, SupportsIndex] = (0, 60),
    sector: str | None = None,
    seed: SupportsIndex | None = None,
    **rules: Rule,
) -> Positions:
    """Returns random positions in which the game is not over, as an array of shape ``(count, columns)``.

    They come from games of uniformly random moves from the start; ``plies`` is their length, or the shortest and the
    longest, all equally likely. With ``sector`` (such as ``"4-3"``, side to move first, as tablebases name it) they are
    positions of that ending instead, White to move, all equally likely up to symmetry. Equal seeds give equal
    positions, whatever the machine; without one they differ each time.

    >>> random_positions(1000, plies=(10, 20), seed=1).shape
    (1000, 28)
    """
    if seed is None:
        seed = int(np.random.default_rng().integers(1 << 63))
    count, seed = integer_in("count", count, 0, 2**63 - 1), integer_in("seed", seed, 0, 2**64 - 1)
    if sector is not None:
        return _native.random_endings(count, sector, seed, variant, rules)
    bounds = _least_and_most(plies)
    return _native.random_games(count, bounds, seed, variant, rules)


def _least_and_most(plies: Any) -> tuple[int, int]:
    """Returns a number of plies, or the least and the most, as both."""
    try:
        least, most = (plies, plies) if isinstance(plies, SupportsIndex) else plies
    except (TypeError, ValueError):
        raise wrong_type("plies", plies, "a number, or the smallest and the greatest") from None
    return integer_in("plies", least, 0, 2**32 - 1), integer_in("plies", most, 0, 2**32 - 1)


def sector_slots(sector: str, variant: str = "morris", **rules: Rule) -> int:
    """Returns the number of slots of a sector of the tablebases: a few more than it has positions up to symmetry."""
    return _native.sector_slots(sector, variant, rules)


def sector_positions(
    sector: str,
    variant: str = "morris",
    *,
    start: SupportsIndex = 0,
    stop: SupportsIndex | None = None,
    **rules: Rule,
) -> tuple[Positions, npt.NDArray[np.int32]]:
    """All positions of a sector up to symmetry, White to move, and how many positions each stands for.

    ``start`` and ``stop`` are slots: a large sector (``8-8`` has 603 million) is taken in parts.

    >>> positions, images = sector_positions("3-3")
    >>> len(positions), int(images.sum())
    (169626, 2691920)
    """
    slots = sector_slots(sector, variant, **rules)
    bounds = (integer_in("start", start, 0, slots), slots if stop is None else integer_in("stop", stop, 0, slots))
    return _native.sector_positions(sector, bounds, variant, rules)
