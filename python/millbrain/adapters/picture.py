"""A board as an array of pixels, for environments that render one. Needs Pillow."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from .. import _native
from ..env import Environment
from ..svg import Colors

MODES = ["ansi", "rgb_array"]
"""What an environment renders."""
# Pixels of a point or square.
_CELL = 48


def render(env: Environment, mode: str | None) -> str | npt.NDArray[np.uint8] | None:
    """Returns the board as text or as an array of shape ``(height, width, 3)``, or nothing, as the mode is."""
    if mode is None:
        return None
    return str(env.board) if mode == "ansi" else pixels(env.board)


def pixels(board: _native.Board) -> npt.NDArray[np.uint8]:
    """Returns a board as an array of shape ``(height, width, 3)``."""
    layout, paint = json.loads(_native.board_layout(board)), Colors()
    points: list[dict[str, Any]] = layout["points"]
    at = {point["name"]: (_CELL * (point["x"] + 0.5), _CELL * (point["y"] + 0.5)) for point in points}
    width, height = (_CELL * (1 + max(point[axis] for point in points)) for axis in "xy")
    image = Image.new("RGB", (width, height), paint.board)
    pen = ImageDraw.Draw(image)

    def disc(place: tuple[float, float], radius: float, fill: str) -> None:
        (x, y) = place
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill, paint.line)

    if layout["squares"]:
        for point in points:
            x, y = at[point["name"]]
            fill = paint.dark if (point["x"] + point["y"]) % 2 else paint.board
            pen.rectangle((x - _CELL / 2, y - _CELL / 2, x + _CELL / 2, y + _CELL / 2), fill)
    for step in layout["steps"]:
        pen.line([at[points[number]["name"]] for number in step], paint.line, 3)
    if not layout["squares"]:
        for place in at.values():
            disc(place, 4, paint.line)
    whites = {kind["letters"][0] for kind in layout["kinds"]}
    for name, letter in board.piece_map().items():
        fill, ink = (paint.white, paint.black) if letter in whites else (paint.black, paint.white)
        disc(at[name], 0.4 * _CELL, fill)
        if len(layout["kinds"]) > 1:
            pen.text(at[name], letter.upper(), ink, anchor="mm")
    return np.asarray(image)
