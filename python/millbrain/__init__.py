"""Nine Men's Morris (six rule sets) and Smess: boards, search, tablebases, game records, and arrays of positions.

>>> import millbrain
>>> board = millbrain.Board()
>>> board.push("d6")
'd6'
>>> board.fen()
'3/1O1/3/6/3/3/3 b 8 9 0 1'
"""

from importlib import import_module
from typing import TYPE_CHECKING

from . import _native
from ._native import Board, LegalMoves

if TYPE_CHECKING:
    from .batch import (
        Layout,
        LegalActions,
        Positions,
        decode,
        encode,
        evaluate,
        features,
        fens,
        layout,
        legal_actions,
        planes,
        play_actions,
        random_positions,
        sector_positions,
        sector_slots,
    )
    from .book import Book, BookMove, BookPosition
    from .engine import Engine, Limit, Line, PlayResult, Score, Wdl
    from .errors import (
        BookError,
        EngineError,
        Error,
        IllegalMoveError,
        InvalidFenError,
        InvalidMoveError,
        InvalidPositionError,
        MissingTableError,
        OptionError,
        RecordError,
        RecordWarning,
        RulesError,
        TablesError,
    )
    from .external import ExternalEngine
    from .games import (
        Game,
        Node,
        iter_games,
        read_games,
        read_records,
        read_sanmill,
        read_sgf,
        sanmill_fen,
        write_game,
        write_games,
        write_records,
        write_sanmill,
        write_sgf,
    )
    from .moves import Move
    from .outcome import BLACK, WHITE, Color, Outcome, Termination
    from .tables import UNKNOWN, Tables, Targets, Value, ValuedMove

__version__ = _native.VERSION
VARIANTS: tuple[str, ...] = tuple(_native.variants())
"""The names of all variants; the first is the default."""

__all__ = [
    "BLACK",
    "UNKNOWN",
    "VARIANTS",
    "WHITE",
    "Board",
    "Book",
    "BookError",
    "BookMove",
    "BookPosition",
    "Color",
    "Engine",
    "EngineError",
    "Error",
    "ExternalEngine",
    "Game",
    "IllegalMoveError",
    "InvalidFenError",
    "InvalidMoveError",
    "InvalidPositionError",
    "Layout",
    "LegalActions",
    "LegalMoves",
    "Limit",
    "Line",
    "MissingTableError",
    "Move",
    "Node",
    "OptionError",
    "Outcome",
    "PlayResult",
    "Positions",
    "RecordError",
    "RecordWarning",
    "RulesError",
    "Score",
    "Tables",
    "TablesError",
    "Targets",
    "Termination",
    "Value",
    "ValuedMove",
    "Wdl",
    "__version__",
    "decode",
    "encode",
    "evaluate",
    "features",
    "fens",
    "iter_games",
    "layout",
    "legal_actions",
    "planes",
    "play_actions",
    "random_positions",
    "read_games",
    "read_records",
    "read_sanmill",
    "read_sgf",
    "sanmill_fen",
    "sector_positions",
    "sector_slots",
    "write_game",
    "write_games",
    "write_records",
    "write_sanmill",
    "write_sgf",
]

# Imported when first asked for: the engine's command line needs no numpy, which makes a process take seven times as
# much of a processor to start.
_MODULES = ("errors", "outcome", "moves", "games", "tables", "engine", "external", "book", "batch")


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name in __all__:
        for module in _MODULES:
            known = vars(import_module(f".{module}", __name__))
            if name in known:
                return globals().setdefault(name, known[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
