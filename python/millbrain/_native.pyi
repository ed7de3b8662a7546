from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any, Final, TypeAlias, final

import numpy as np
import numpy.typing as npt

from .moves import Move
from .outcome import Color, Outcome

__all__ = [
    "Board",
    "Book",
    "Engine",
    "GameReader",
    "LegalMoves",
    "Process",
    "Tables",
    "UNKNOWN",
    "VERSION",
    "VectorGames",
    "board_actions",
    "board_layout",
    "board_planes",
    "chances",
    "cores",
    "decode",
    "encode",
    "evaluate",
    "feature_counts",
    "feature_indices",
    "fens",
    "layout",
    "learning_sizes",
    "legal_actions",
    "main",
    "planes",
    "play_actions",
    "probe_many",
    "random_endings",
    "random_games",
    "sanmill_fen",
    "sector_positions",
    "sector_slots",
    "symmetries",
    "targets_many",
    "variants",
    "verify_game",
    "write_game",
]

_Rules: TypeAlias = dict[str, bool | int | str]
_Positions: TypeAlias = npt.NDArray[np.int16]
_Arrays: TypeAlias = tuple[
    npt.NDArray[np.float32] | None,
    npt.NDArray[np.bool_],
    npt.NDArray[np.float32],
    npt.NDArray[np.bool_],
    npt.NDArray[np.int8],
]

UNKNOWN: Final[int]
VERSION: Final[str]

@final
class Board:
    """A game in progress, by the rules of a variant and house rules by keyword.

    Positions are FENs and moves are texts in the engine's notation (``d6``, ``a4a7``, ``d6xb4``).

    Raises ``RulesError`` for a variant or rule that does not exist, ``InvalidFenError`` for a bad FEN.
    """

    def __new__(cls, variant: str = "morris", fen: str | None = None, **rules: bool | int | str) -> Board: ...
    @property
    def variant(self) -> str:
        """The name of the variant."""
    @property
    def rules(self) -> _Rules:
        """All rules that are options, by keyword."""
    @property
    def house_rules(self) -> _Rules:
        """The rules that differ from those of the variant, by keyword."""
    @property
    def turn(self) -> Color:
        """The side to move: ``WHITE`` or ``BLACK``."""
    @property
    def legal_moves(self) -> LegalMoves:
        """The legal moves, as they are whenever they are looked at."""
    @property
    def move_stack(self) -> list[str]:
        """The moves played, oldest first."""
    @property
    def fullmove_number(self) -> int:
        """The number of the move, from 1; it goes up after Black's."""
    @property
    def halfmove_clock(self) -> int:
        """Plies since the last placement or mill (capture or promotion in Smess)."""
    @property
    def hands(self) -> tuple[int, int] | None:
        """Stones in hand of White and Black; ``None`` in Smess."""
    @property
    def occurrences(self) -> int:
        """How often the position has occurred, this time included."""
    @property
    def key(self) -> int:
        """A key of 64 bits of the rules and the position, the same for its image with the sides exchanged.

        Boards by different rules have different keys, which is why it is not the ``Key`` that ``d`` shows. Counters and
        the move number do not matter.
        """
    def push(self, move: str) -> str:
        """Plays a move and returns it as the engine writes it.

        Raises ``InvalidMoveError`` for a text that is no move, ``IllegalMoveError`` for a move that cannot be played.
        """
    def pop(self) -> str:
        """Takes the last move back and returns it; raises ``IndexError`` if there is none."""
    def peek(self) -> str:
        """The last move; raises ``IndexError`` if there is none."""
    def ply(self) -> int:
        """The number of moves on the stack."""
    def parse_move(self, text: str) -> str:
        """The legal move that a text means (``A4-A7`` is ``a4a7``); raises like ``push``."""
    def move(self, text: str) -> Move:
        """A move taken apart, legal or not; raises ``InvalidMoveError`` for a text that is no move."""
    @staticmethod
    def from_piece_map(
        pieces: dict[str, str],
        turn: Color = True,
        hands: tuple[int, int] = ...,
        variant: str = "morris",
        **rules: bool | int | str,
    ) -> Board:
        """A board from what stands where, as ``piece_map`` has it: the opposite.

        ``hands`` are White's stones in hand and Black's. Raises ``InvalidPositionError`` for a point or letter that
        does not exist, ``InvalidFenError`` for what the rules do not allow.
        """
    @staticmethod
    def status(fen: str, variant: str = "morris", **rules: bool | int | str) -> list[str]:
        """What is wrong with a FEN by these rules, fault by fault; nothing if it is a position."""
    def _repr_svg_(self) -> str: ...
    def is_legal(self, move: str) -> bool:
        """Whether a move can be played."""
    def fen(self) -> str:
        """The position as a FEN."""
    def set_fen(self, fen: str) -> None:
        """Sets a position up and forgets the moves; after an ``InvalidFenError`` all is as it was."""
    def reset(self) -> None:
        """Sets the start position up and forgets the moves."""
    def root(self) -> Board:
        """The position that the moves begin at."""
    def mirror(self) -> Board:
        """The position with the sides exchanged (in Smess also rotated by 180 degrees), without moves."""
    def piece_map(self) -> dict[str, str]:
        """What stands where, in the letters of the FEN: ``{"d6": "O"}``."""
    def outcome(self) -> Outcome | None:
        """How the game has ended; ``None`` if it has not."""
    def is_game_over(self) -> bool:
        """Whether the game has ended, draws by repetition and counter included."""
    def result(self) -> str:
        """``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` for a game that has not ended."""
    def perft(self, depth: int, threads: int = 1) -> int:
        """Leaves of the game tree at this depth in plies, at most 100; Ctrl-C ends the counting.

        The position is that at the call: other threads may go on with the board.
        """
    def perft_divide(self, depth: int, threads: int = 1) -> dict[str, int]:
        """Leaves below each move."""
    def evaluate(self) -> int:
        """The static evaluation from the side to move, in hundredths of a stone (of a Ninny in Smess)."""
    def d(self) -> str:
        """The board, the FEN and details of the position, as the protocol's command ``d`` shows them."""
    def copy(self, *, stack: bool = True) -> Board:
        """Another board in the same state; without ``stack`` it has no moves and no history."""
    def __copy__(self) -> Board: ...
    def __deepcopy__(self, _memo: Any) -> Board: ...
    def __eq__(self, other: object, /) -> bool:
        """Whether the rules and the FENs are equal; moves and history do not matter."""
    def __hash__(self) -> int:
        """By rules and FEN: do not change a board while it is in a set."""
    def __reduce__(self) -> tuple[Any, tuple[str, str, list[str], _Rules]]: ...
    @staticmethod
    def _restore(variant: str, root: str, moves: Sequence[str], rules: _Rules) -> Board: ...

@final
class Book:
    def __new__(cls, path: str | PathLike[str]) -> Book: ...
    @property
    def about(self) -> tuple[str, str, str]: ...
    def __len__(self) -> int: ...
    def entry(self, number: int) -> tuple[str, list[tuple[str, int]]] | None: ...
    def moves(self, board: Board) -> list[tuple[str, int, float]]: ...

@final
class GameReader:
    def __new__(cls, form: str | None, like: str) -> GameReader: ...
    def push(self, part: str) -> list[str]: ...
    def finish(self) -> list[str]: ...

@final
class LegalMoves:
    """The legal moves of a board: can be iterated, counted, and asked whether they contain a move.

    After a draw by repetition or counter there still are some.
    """

    def count(self) -> int:
        """The number of legal moves."""
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __contains__(self, move: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __reduce__(self) -> tuple[Any, tuple[Board, str]]: ...

@final
class Engine:
    def __new__(cls, tables: Tables, options: dict[str, Any]) -> Engine: ...
    @property
    def options(self) -> _Rules: ...
    @property
    def closed(self) -> bool: ...
    def configure(self, options: dict[str, Any]) -> None: ...
    def search(
        self, board: Board, limits: dict[str, Any], multipv: int, root_moves: Sequence[str], on_reported: Any
    ) -> tuple[str | None, str | None, list[tuple[Any, ...]]]: ...
    def stop(self) -> None: ...
    def new_game(self) -> None: ...
    def close(self) -> None: ...

@final
class Process:
    def __new__(cls, command: Sequence[str]) -> Process: ...
    @property
    def pid(self) -> int: ...
    def send(self, line: str) -> None: ...
    def hear(self, seconds: float) -> str | None:
        """Waits for the next line: ``None`` if none comes in time, an ``EOFError`` at the end of the output."""
    def status(self) -> str:
        """How the program has ended, as far as that shows within a second."""
    def end(self, seconds: float) -> None:
        """Asks the program to quit, and kills it if it does not within so many seconds."""

@final
class Tables:
    def __new__(cls, folders: Sequence[str | PathLike[str]], embedded: bool) -> Tables: ...
    @property
    def places(self) -> list[str]: ...
    @property
    def embedded(self) -> bool: ...
    def sectors(self, board: Board) -> int: ...
    def probe(self, board: Board) -> tuple[int, int | None, str | None]: ...
    def moves(self, board: Board) -> list[tuple[str, tuple[int, int | None, str | None] | None]]: ...

def variants() -> list[str]: ...
def main(words: Sequence[str]) -> int: ...
def encode(positions: list[Board | str], variant: str, rules: _Rules) -> _Positions: ...
def decode(positions: _Positions, variant: str, rules: _Rules) -> list[Board]: ...
def fens(positions: _Positions, variant: str, rules: _Rules) -> list[str]: ...
def evaluate(positions: _Positions, variant: str, rules: _Rules) -> npt.NDArray[np.int32]: ...
def feature_indices(positions: _Positions, variant: str, rules: _Rules) -> npt.NDArray[np.int32]: ...
def feature_counts(positions: _Positions, variant: str, rules: _Rules) -> npt.NDArray[np.uint8]: ...
def layout(variant: str, rules: _Rules) -> tuple[int, int, int, int, list[str]]: ...
def probe_many(
    tables: Tables, positions: _Positions, variant: str, rules: _Rules
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]: ...
def targets_many(
    tables: Tables, positions: _Positions, width: int, variant: str, rules: _Rules
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32], npt.NDArray[np.int16]]:
    """Results and distances of rows, and as many of the best actions as wanted, padded with -1."""

def planes(positions: _Positions, variant: str, rules: _Rules) -> npt.NDArray[np.float32]:
    """Rows as planes, each as if it were on the board for the first time."""

def random_games(count: int, plies: tuple[int, int], seed: int, variant: str, rules: _Rules) -> _Positions: ...
def random_endings(count: int, sector: str, seed: int, variant: str, rules: _Rules) -> _Positions: ...
def sector_slots(sector: str, variant: str, rules: _Rules) -> int: ...
def sector_positions(
    sector: str, slots: tuple[int, int], variant: str, rules: _Rules
) -> tuple[_Positions, npt.NDArray[np.int32]]: ...
def legal_actions(
    positions: _Positions, variant: str, rules: _Rules
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int16]]:
    """Where the legal actions of each row begin, and all of them."""

def play_actions(positions: _Positions, actions: npt.NDArray[np.int64], variant: str, rules: _Rules) -> _Positions:
    """The rows after an action in each."""

def chances(board: Board, cp: int | None, mate: int | None) -> tuple[int, int, int]:
    """The chances of a win, draw and loss in permille by the rules of a board for a score."""

def write_game(game: str, form: str) -> tuple[str, list[str]]: ...
def verify_game(game: str) -> None: ...
def sanmill_fen(board: Board) -> str | None: ...

@final
class VectorGames:
    """Many games of one rule set; :class:`millbrain.vector.VectorEnvironment` says what they do."""

    def __new__(
        cls,
        count: int,
        variant: str,
        fen: str | None,
        rules: _Rules,
        seed: int,
        random_plies: int,
        auto_reset: bool,
        threads: int,
    ) -> VectorGames: ...
    def step(self, actions: npt.NDArray[np.int64], arrays: _Arrays) -> None:
        """Plays an action in each game; those of games that are over are not looked at."""
    def reset(self, which: npt.NDArray[np.bool_], positions: _Positions | None, arrays: _Arrays) -> None:
        """Begins some games anew, from these positions if there are any."""
    def sample(self) -> npt.NDArray[np.int64]:
        """A random legal action for each game."""
    def positions(self) -> _Positions:
        """The positions as rows."""
    def fen(self, number: int) -> str:
        """The FEN of a game."""
    def save(self) -> list[tuple[str, list[int], int]]:
        """What the games go on with: FENs, keys of the positions before, and the state of their random numbers."""
    def restore(self, saved: list[tuple[str, list[int], int]], arrays: _Arrays) -> None:
        """Goes on with games that were saved, and shows them."""

def learning_sizes(variant: str, rules: _Rules) -> tuple[int, int, tuple[int, int, int]]:
    """The number of actions by some rules, how many of them remove nothing, and the shape of an observation."""

def board_actions(board: Board) -> npt.NDArray[np.int64]:
    """The legal actions of a board in ascending order, whether the game is over or not."""

def board_planes(board: Board) -> npt.NDArray[np.float32]:
    """A board as planes."""

def symmetries(variant: str, rules: _Rules) -> npt.NDArray[np.int64]:
    """Where each symmetry of the board sends each cell."""

def board_layout(board: Board) -> str:
    """The board of some rules as JSON: points, lines, arrows, kinds of pieces."""

def cores() -> int:
    """Processors that there are."""
