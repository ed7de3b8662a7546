"""Boards as pictures: SVG for notebooks, pages and files.

A notebook shows a :class:`millbrain.Board` as such a picture by itself. Colours, arrows, the last move and values on
points are asked for:

>>> from millbrain import Board
>>> board = Board()
>>> move = board.push("d6")
>>> picture = draw(board, arrows=[("d6", "f6")], values={"b4": "+0.35"}, size=240)
>>> picture.startswith("<svg"), "+0.35" in picture
(True, True)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, NamedTuple

from . import _native
from .checks import integer_in, shown

__all__ = ["Colors", "draw"]

# The square of a point or cell in the picture's own units, and the room around the board.
_CELL = 40
_EDGE = 30


class Colors(NamedTuple):
    """Colours of a picture, as CSS writes them. The two of the stones can be distinguished without colour."""

    board: str = "#e2bb85"
    """The board, or its light squares."""
    dark: str = "#d3a468"
    """The dark squares of a board that has squares."""
    line: str = "#53341a"
    """Lines and names."""
    white: str = "#fffaf0"
    """White's pieces."""
    black: str = "#2b2219"
    """Black's pieces."""
    last: str = "#1f5fae"
    """The last move."""
    arrow: str = "#226b45"
    """Arrows."""
    value: str = "#8a4b22"
    """Values."""


def _place(point: dict[str, Any], flipped: bool, columns: int, rows: int) -> tuple[float, float]:
    x, y = point["x"], point["y"]
    if flipped:
        x, y = columns - 1 - x, rows - 1 - y
    return _EDGE + _CELL * (x + 0.5), _EDGE + _CELL * (y + 0.5)


def _arrow(start: tuple[float, float], end: tuple[float, float], color: str) -> str:
    (x1, y1), (x2, y2) = start, end
    length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1.0)
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    # The head ends on the rim of the piece.
    tip, neck = (x2 - 10 * dx, y2 - 10 * dy), (x2 - 22 * dx, y2 - 22 * dy)
    wings = [(neck[0] + sign * 7 * dy, neck[1] - sign * 7 * dx) for sign in (-1, 1)]
    head = " ".join(f"{x:.1f},{y:.1f}" for x, y in (tip, *wings))
    return (
        f'<g fill="{color}" stroke="{color}" opacity="0.85"><path d="M{x1:.1f} {y1:.1f}L{neck[0]:.1f} {neck[1]:.1f}" '
        f'stroke-width="5" stroke-linecap="round"/><polygon points="{head}" stroke="none"/></g>'
    )


def draw(
    board: _native.Board,
    *,
    size: int = 360,
    last_move: bool = True,
    arrows: Iterable[tuple[str, str]] = (),
    values: Mapping[str, object] | None = None,
    flipped: bool = False,
    coordinates: bool = True,
    colors: Colors | None = None,
) -> str:
    """Returns a board as SVG, ``size`` pixels wide.

    ``arrows`` lead from point to point; ``values`` are texts on points. ``last_move`` marks where it came from and went
    to, and what it took. A point that the board does not have is a ``ValueError``.
    """
    width = integer_in("size", size, 50, 10_000)
    paint = Colors() if colors is None else colors
    layout = json.loads(_native.board_layout(board))
    points: list[dict[str, Any]] = layout["points"]
    columns, rows = 1 + max(point["x"] for point in points), 1 + max(point["y"] for point in points)
    at = {point["name"]: _place(point, flipped, columns, rows) for point in points}

    def place(name: str) -> tuple[float, float]:
        try:
            return at[name]
        except (KeyError, TypeError):
            raise ValueError(
                f"{shown(name)} is no point of the board, expected one such as {points[0]['name']}"
            ) from None

    across, down = 2 * _EDGE + _CELL * columns, 2 * _EDGE + _CELL * rows
    hands = board.hands
    height = down + (26 if hands else 0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {height}" width="{width}" '
        f'height="{round(width * height / across)}" font-family="sans-serif" font-size="13">',
        f"<title>{escape(board.fen())}</title>",
        f'<rect width="{across}" height="{height}" rx="8" fill="{paint.board}"/>',
    ]
    parts += _squares(layout, at, paint) if layout["squares"] else _steps(layout, at, paint)
    if coordinates:
        parts += _coordinates(points, at, down, paint)
    if last_move and board.ply() > 0:
        move = board.move(board.peek())
        parts += [
            f'<circle cx="{x}" cy="{y}" r="19" fill="none" stroke="{paint.last}" stroke-width="3"'
            + (' stroke-dasharray="4 4"/>' if name != move.target else "/>")
            for name in (move.origin, move.target, *move.taken)
            if name is not None
            for x, y in [place(name)]
        ]
    whites = {kind["letters"][0] for kind in layout["kinds"]}
    for name, letter in board.piece_map().items():
        (x, y), white = place(name), letter in whites
        fill, ink = (paint.white, paint.black) if white else (paint.black, paint.white)
        parts.append(f'<circle cx="{x}" cy="{y}" r="15" fill="{fill}" stroke="{paint.line}" stroke-width="1.5"/>')
        if len(layout["kinds"]) > 1:
            parts.append(_text(x, y + 5, letter.upper(), ink))
        elif white:
            parts.append(f'<circle cx="{x}" cy="{y}" r="9" fill="none" stroke="{paint.line}" opacity="0.4"/>')
    parts += [_arrow(place(start), place(end), paint.arrow) for start, end in arrows]
    for name, value in (values or {}).items():
        x, y = place(name)
        text = str(value)
        wide = 8 * len(text) + 6
        parts.append(
            f'<rect x="{x - wide / 2}" y="{y - 9}" width="{wide}" height="18" rx="9" fill="#fff" opacity="0.92" '
            f'stroke="{paint.value}"/>'
        )
        parts.append(_text(x, y + 4.5, text, paint.value))
    if hands is not None:
        words = f"{'White' if board.turn else 'Black'} to move; in hand: White {hands[0]}, Black {hands[1]}"
        parts.append(_text(across / 2, down + 8, words, paint.line))
    return "".join([*parts, "</svg>"])


def _text(x: float, y: float, words: str, fill: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="middle" fill="{fill}">{escape(words)}</text>'


def _steps(layout: dict[str, Any], at: dict[str, tuple[float, float]], paint: Colors) -> list[str]:
    """Returns the steps of a board, and its points."""
    names = [point["name"] for point in layout["points"]]
    paths = []
    for start, end in layout["steps"]:
        (x1, y1), (x2, y2) = at[names[start]], at[names[end]]
        paths.append(
            f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{paint.line}" stroke-width="2.5" stroke-linecap="round"/>'
        )
    return [*paths, *(f'<circle cx="{x}" cy="{y}" r="4" fill="{paint.line}"/>' for x, y in at.values())]


def _squares(layout: dict[str, Any], at: dict[str, tuple[float, float]], paint: Colors) -> list[str]:
    """Returns the squares of a board, with the arrows that they have."""
    parts, marks, half = [], [], _CELL / 2
    turned = at[layout["points"][0]["name"]][0] > at[layout["points"][-1]["name"]][0]
    for number, point in enumerate(layout["points"]):
        x, y = at[point["name"]]
        fill = paint.dark if (point["x"] + point["y"]) % 2 else paint.board
        square = f'<rect x="{x - half}" y="{y - half}" width="{_CELL}" height="{_CELL}"'
        parts.append(f'{square} fill="{fill}"/>')
        if number in layout["marked"]:
            marks.append(f'{square} fill="none" stroke="{paint.line}" stroke-width="1.5"/>')
        for right, below in layout["arrows"][number]:
            dx, dy = (-right, -below) if turned else (right, below)
            long = (dx * dx + dy * dy) ** 0.5
            ex, ey = x + 17 * dx / max(long, 1), y + 17 * dy / max(long, 1)
            parts.append(
                f'<path d="M{x + 9 * dx / long:.1f} {y + 9 * dy / long:.1f}L{ex:.1f} {ey:.1f}" stroke="{paint.line}" '
                'stroke-width="1.5" opacity="0.6" stroke-linecap="round"/>'
            )
    across, down = ([place[axis] for place in at.values()] for axis in (0, 1))
    left, top = min(across) - half, min(down) - half
    width, height = max(across) + half - left, max(down) + half - top
    frame = f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="{paint.line}"/>'
    return [*parts, *marks, frame]


def _coordinates(
    points: list[dict[str, Any]], at: dict[str, tuple[float, float]], down: float, paint: Colors
) -> list[str]:
    """Files below the board and ranks to the left of it."""
    files = {point["name"][0]: at[point["name"]][0] for point in points}
    ranks = {point["name"][1:]: at[point["name"]][1] for point in points}
    return [
        *(_text(x, down - 8, name, paint.line) for name, x in files.items()),
        *(_text(14, y + 5, name, paint.line) for name, y in ranks.items()),
    ]
