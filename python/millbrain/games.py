"""Games with their variations, and the texts they are kept in: match records, PGN, SGF, Sanmill's lists and others."""

from __future__ import annotations

import io
import json
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Protocol

from . import _native
from ._native import Board
from .checks import integer_in, shown, wrong_type
from .errors import Error, RecordError, RecordWarning


class TextFile(Protocol):
    """A file that is open for reading text, or anything else whose ``read()`` returns a text."""

    def read(self) -> str:
        """All of the text that is left."""


Source = str | TextFile
"""Where games are read from: a text, or an open file of it."""

Form = Literal["record", "pgn", "sgf", "sanmill", "mif"]
"""A form that games are written in."""


def _read(source: Source) -> str:
    text = source if isinstance(source, str) or not hasattr(source, "read") else source.read()
    if not isinstance(text, str):
        raise wrong_type("what games are read from", text, "a text (str), or a file open for reading text")
    return text.removeprefix("\ufeff")


# Lines of moves are as deep as games are long: nothing here goes down by recursion.
@dataclass(eq=False, repr=False)
class Node:
    """A move, and what follows it. The root of a game is a node without a move."""

    move: str = ""
    """The move in the engine's notation."""
    score: str | None = None
    """What the engine that played it reported, from its side: ``+0.35`` in stones, or ``-M4``."""
    depth: int | None = None
    """Depth of that search in plies."""
    time: int | None = None
    """Milliseconds taken."""
    late: int | None = None
    """Milliseconds beyond the time limit."""
    comment: str = ""
    """Free text after the move; of the root, about the game."""
    children: list[Node] = field(default_factory=list)
    """The moves that follow; the first is the main line."""
    clock: int | None = None
    """Milliseconds left on the clock of the side that has moved."""
    marks: list[int] = field(default_factory=list)
    """Marks by their numbers in the portable game notation: 1 is ``!``, 2 ``?``."""
    before: str = ""
    """Free text before the move."""

    def add(self, move: str) -> Node:
        """Returns the node of a move from here, which is made if there is none yet."""
        known = next((child for child in self.children if child.move == move), None)
        if known is None:
            known = Node(move)
            self.children.append(known)
        return known

    def _own(self) -> dict[str, Any]:
        """All but the children."""
        return {name: value for name, value in self.__dict__.items() if name != "children"}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        waiting = [(self, other)]
        while waiting:
            one, two = waiting.pop()
            if one._own() != two._own() or len(one.children) != len(two.children):
                return False
            waiting += zip(one.children, two.children, strict=True)
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        nodes: list[tuple[type[Node], dict[str, Any], int]] = []
        waiting = [self]
        while waiting:
            node = waiting.pop()
            nodes.append((type(node), node._own(), len(node.children)))
            waiting += reversed(node.children)
        return _grown, (nodes,)

    def __repr__(self) -> str:
        parts = [repr(self.move)] if self.move else []
        usual = Node()
        for name in (at.name for at in fields(self)[1:]):
            value = [child.move for child in self.children] if name == "children" else getattr(self, name)
            if value != getattr(usual, name):
                parts.append(f"{name}={value!r}")
        return f"Node({', '.join(parts)})"


def _grown(nodes: list[tuple[type[Node], dict[str, Any], int]]) -> Node:
    """Returns a node from itself and all below it, each before its children, with the number of these."""
    grown: list[Node] = []
    for kind, own, children in reversed(nodes):
        node = kind.__new__(kind)
        node.__dict__.update(own, children=[grown.pop() for _ in range(children)])
        grown.append(node)
    return grown.pop()


@dataclass
class Game:
    """A game, its players, and its result.

    >>> board = Board()
    >>> for move in ("d6", "f4", "d7"):
    ...     _ = board.push(move)
    >>> game = Game.from_board(board, white="Ann", black="Bob")
    >>> print(write_game(game, "sgf"), end="")
    (;FF[4]GM[5]CA[UTF-8]AP[millbrain]RU[morris]PW[Ann]PB[Bob]RE[?];W[d6];B[f4];W[d7])
    """

    variant: str = "morris"
    rules: dict[str, bool | int | str] = field(default_factory=dict)
    """House rules: what differs from the variant, by the keywords of :class:`millbrain.Board`."""
    white: str = ""
    black: str = ""
    fen: str | None = None
    """The first position, where it is not the start of the game."""
    root: Node = field(default_factory=Node)
    result: str = "*"
    """``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` for a game that has not ended."""
    termination: str = "normal"
    """``normal`` for an ending by the rules; else ``resignation``, ``agreement``, ``adjudication``, ``time forfeit``,
    ``illegal move``, ``crash``, ``stall``, ``abandoned`` or ``unknown``."""
    reason: str = ""
    """The ending in words."""
    number: int = 1
    """Number of the game in its match."""
    round: int = 1
    """Round of the match."""
    time_controls: tuple[str, str] = ("-", "-")
    """Time control of White and of Black."""
    late_move: Node | None = None
    """The move whose lateness ended the game. It was not played."""
    tags: dict[str, str] = field(default_factory=dict)
    """Other facts by the names of their tags, such as ``Event``, ``Site`` and ``Date``, in order."""
    notes: list[str] = field(default_factory=list, compare=False)
    """What was tolerated when the game was read, a line each."""

    @classmethod
    def from_board(cls, board: Board, white: str = "", black: str = "") -> Game:
        """Returns the game on a board: its first position, its moves, and its result so far."""
        if not isinstance(board, Board):
            raise wrong_type("board", board, "a Board")
        start = board.root().fen()
        game = cls(board.variant, board.house_rules, white, black)
        game.fen = None if start == game.board().fen() else start
        game.add_line(board.move_stack)
        game._conclude(board)
        return game

    def _conclude(self, board: Board) -> None:
        """Takes the result from the last position."""
        outcome = board.outcome()
        if outcome is not None:
            self.result, self.termination, self.reason = outcome.result(), "normal", outcome.termination.value

    def board(self) -> Board:
        """Returns the first position."""
        return Board(self.variant, self.fen, **self.rules)

    def end(self) -> Board:
        """Returns the position after the main line, with its moves."""
        board = self.board()
        for move in self.moves:
            board.push(move)
        return board

    def mainline(self) -> Iterator[Node]:
        """Yields the nodes of the main line, without the root."""
        node = self.root
        while node.children:
            node = node.children[0]
            yield node

    @property
    def moves(self) -> list[str]:
        """The moves of the main line."""
        return [node.move for node in self.mainline()]

    def add_line(self, moves: Iterable[str]) -> Node:
        """Adds moves from the start, as a variation where they are not there yet; returns the last node."""
        node = self.root
        for move in moves:
            node = node.add(move)
        return node

    def verify(self) -> None:
        """Plays the main line again and checks the result by the rules; raises a :class:`RecordError`."""
        _native.verify_game(_to_json(self))


# Between games and the JSON of the library, which reads and writes all forms.


def _option(keyword: str) -> str:
    return " ".join(word.capitalize() for word in keyword.split("_"))


def _house_text(rules: dict[str, bool | int | str]) -> str:
    def text(value: bool | int | str) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return ",".join(f"{_option(keyword)}={text(value)}" for keyword, value in rules.items())


def _house_rules(variant: str, text: str) -> dict[str, bool | int | str]:
    rules: dict[str, bool | int | str] = {}
    for option in filter(str.strip, re.split("[,;]", text)):
        name, _, value = option.partition("=")
        rules[name.strip().lower().replace(" ", "_")] = value.strip()
    try:
        return Board(variant, None, **rules).house_rules
    except Error as error:
        raise RecordError(str(error)) from None


def _whole(name: str, value: int | None, most: int) -> int | None:
    return None if value is None else integer_in(f"{name} of a move", value, 0, most)


_MOST = {"depth": 2**32 - 1, "time": 2**64 - 1, "late": 2**64 - 1}


def _played(node: Node) -> dict[str, Any]:
    numbers = {name: _whole(name, getattr(node, name), most) for name, most in _MOST.items()}
    data = {"move": node.move, "score": node.score, **numbers}
    return {name: value for name, value in data.items() if value is not None}


def _reported(node: Node, parent: int) -> dict[str, Any]:
    """Returns the notes of a move as one text."""
    return {
        "parent": parent,
        **_played(node),
        "clock": _whole("clock", node.clock, 2**64 - 1),
        "marks": [integer_in("a mark of a move", mark, 0, 255) for mark in node.marks],
        "before": node.before,
        "comment": node.comment,
    }


def _node(data: dict[str, Any]) -> Node:
    node = Node(data["move"], data.get("score"), data.get("depth"), data.get("time"), data.get("late"))
    node.comment, node.before = data.get("comment", ""), data.get("before", "")
    node.clock, node.marks = data.get("clock"), data.get("marks", [])
    return node


_OUTCOMES = {"1-0": "WhiteWins", "0-1": "BlackWins", "1/2-1/2": "Draw", "*": "Open"}
_RESULTS = {outcome: result for result, outcome in _OUTCOMES.items()}
_TERMINATIONS = {
    "normal": "Normal",
    "resignation": "Resignation",
    "agreement": "Agreement",
    "adjudication": "Adjudication",
    "time forfeit": "Time",
    "illegal move": "IllegalMove",
    "crash": "Crash",
    "stall": "Stall",
    "abandoned": "Abandoned",
    "unterminated": "Unfinished",
    "unknown": "Unknown",
}


def _checked(game: Game) -> Game:
    """Returns the same game, if its parts are of the types that they are to be of."""
    if not isinstance(game, Game):
        raise wrong_type("game", game, "a Game")
    for name in ("variant", "white", "black", "result", "termination", "reason"):
        if not isinstance(getattr(game, name), str):
            raise wrong_type(f"{name} of the game", getattr(game, name), "a text")
    for name in ("rules", "tags"):
        if not isinstance(getattr(game, name), dict):
            raise wrong_type(f"{name} of the game", getattr(game, name), "a dict")
    for text in (part for tag in game.tags.items() for part in tag):
        if not isinstance(text, str):
            raise wrong_type("a tag of the game", text, "a text")
    waiting = [game.root, *([] if game.late_move is None else [game.late_move])]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Node):
            raise wrong_type("a node of the game", node, "a Node")
        for name in ("move", "comment", "before"):
            if not isinstance(getattr(node, name), str):
                raise wrong_type(f"a {name} of the game", getattr(node, name), "a text")
        if not isinstance(node.marks, list):
            raise wrong_type("marks of a move", node.marks, "a list")
        waiting += node.children
    return game


def _word(what: str, text: str, words: dict[str, str]) -> str:
    if text not in words:
        raise RecordError(f"{what} {shown(text)}, expected one of {', '.join(words)}")
    return words[text]


def _to_json(game: Game) -> str:
    outcome = _word("result", _checked(game).result, _OUTCOMES)
    termination = _word("termination", game.termination, _TERMINATIONS)
    nodes: list[dict[str, Any]] = []
    # A node and the number of the one before it; 0 is the first position.
    waiting = [(child, 0) for child in reversed(game.root.children)]
    while waiting:
        node, parent = waiting.pop()
        nodes.append(_reported(node, parent))
        waiting += [(child, len(nodes)) for child in reversed(node.children)]
    data: dict[str, Any] = {
        "variant": game.variant,
        "house_rules": _house_text(game.rules),
        "white": game.white,
        "black": game.black,
        "fen": game.fen,
        "tags": list(game.tags.items()),
        "comment": game.root.comment,
        "nodes": nodes,
        "index": game.number - 1,
        "round": game.round,
        "thinking": list(game.time_controls),
    }
    if game.result != "*" or game.termination not in ("normal", "unterminated"):
        data["end"] = {"outcome": outcome, "termination": termination, "reason": game.reason}
    if game.late_move is not None:
        data["late_move"] = _played(game.late_move)
    return json.dumps(data)


def _of_json(data: dict[str, Any]) -> Game:
    game = Game(data["variant"], _house_rules(data["variant"], data["house_rules"]), data["white"], data["black"])
    game.fen = data["fen"]
    end = data["end"]
    if end is not None:
        terminations = {name: words for words, name in _TERMINATIONS.items()}
        game.result, game.reason = _RESULTS[end["outcome"]], end["reason"]
        game.termination = terminations[end["termination"]]
    game.number, game.round = data["index"] + 1, data["round"]
    game.time_controls = (data["thinking"][0], data["thinking"][1])
    if data.get("late_move") is not None:
        game.late_move = _node(data["late_move"])
    game.tags = dict(data["tags"])
    game.root.comment = data["comment"]
    nodes = [game.root]
    for played in data["nodes"]:
        nodes.append(_node(played))
        nodes[played["parent"]].children.append(nodes[-1])
    return game


def _warn(words: str) -> None:
    """Warns the caller of this package."""
    level = 1
    while sys._getframe(level).f_globals.get("__name__") == __name__:
        level += 1
    warnings.warn(words, RecordWarning, stacklevel=level + 1)


def _games(
    parts: Iterable[str], form: str | None, like: Game, strict: bool, faults: list[RecordError] | None
) -> Iterator[Game]:
    """Yields the games of a text in parts, as soon as each is whole."""
    reader = _native.GameReader(form, _to_json(like))
    # The first fault is raised if there is no other game, and otherwise reported like the others.
    waiting: str | None = None
    is_alone = True

    def found() -> Iterator[str]:
        for part in parts:
            yield from reader.push(part)
        yield from reader.finish()

    for data in map(json.loads, found()):
        at = f"game {data['number']} in line {data['line']}"
        fault = data["fault"]
        if fault is None:
            game = _of_json(data["game"])
            game.notes = data["notes"]
            if not (strict and game.notes):
                if waiting is not None:
                    _warn(f"{waiting}; left out")
                waiting, is_alone = None, False
                yield game
                continue
            fault = game.notes[0]
        words = f"{at}: {fault}"
        if strict:
            raise RecordError(words)
        if faults is not None:
            faults.append(RecordError(words))
        elif is_alone and waiting is None:
            waiting = words
        else:
            _warn(f"{words}; left out")
    if waiting is not None:
        raise RecordError(waiting)


def _read_as(
    form: str | None,
    text: Source,
    like: Game | None = None,
    strict: bool = False,
    faults: list[RecordError] | None = None,
) -> list[Game]:
    return list(_games([_read(text)], form, like or Game(), strict, faults))


def write_game(game: Game, form: Form = "pgn") -> str:
    """Returns a game with all that it has, in a form: ``record``, ``pgn``, ``sgf``, ``sanmill`` or ``mif``.

    A :class:`RecordWarning` reports what the form has no place for; docs/formats.md has a table.

    >>> game = Game(white="Ann", tags={"Event": "Club night", "Date": "2026.08.01"})
    >>> game.add_line(["d6", "f4"]).comment = "as last week"
    >>> print(write_game(game), end="")
    [Event "Club night"]
    [Site "?"]
    [Date "2026.08.01"]
    [Round "1"]
    [White "Ann"]
    [Black "?"]
    [Result "*"]
    [Variant "Nine Men's Morris"]
    [PlyCount "2"]
    <BLANKLINE>
    1. d6 f4 {as last week}
    *
    <BLANKLINE>
    """
    text, remarks = _native.write_game(_to_json(game), form)
    for remark in remarks:
        _warn(remark)
    return text


def write_games(games: Iterable[Game], form: Form = "pgn") -> str:
    """Returns games one after the other in a form of :func:`write_game`."""
    return "".join(write_game(game, form) for game in games)


def write_records(games: Iterable[Game]) -> str:
    """Games as the records of ``millbrain match``, which ``match --replay`` and the archive read.

    A game that has not ended has the result ``*``.
    """
    return write_games(games, "record")


def read_records(text: Source) -> list[Game]:
    """Returns the games of match records; as :func:`read_games`, of this form alone.

    ``text`` may also be a file that is open for reading it.
    """
    return _read_as("record", text)


def sanmill_fen(board: Board) -> str:
    """Returns the position in Sanmill's FEN: rings from the inner to the outer, each clockwise from its north point.

    >>> sanmill_fen(Board(fen="3/1O1/3/6/3/3/3 b 8 9 0 1"))
    '********/O*******/******** b p p 1 8 0 9 0 0 0 0 0 0 0 0 1'
    """
    if not isinstance(board, Board):
        raise wrong_type("board", board, "a Board")
    fen = _native.sanmill_fen(board)
    if fen is None:
        raise RecordError(f"Sanmill has no {board.variant}, expected a position of the morris family")
    return fen


def write_sanmill(game: Game) -> str:
    """Returns the main line as Sanmill writes it: numbered rows, a slide as ``a4-a7``, a removal as a word (``xg1``).

    A game from a position begins with a tag that has Sanmill's FEN. Players, result and house rules are not kept.
    """
    return write_game(game, "sanmill")


def read_sanmill(text: Source, variant: str = "morris", **rules: bool | int | str) -> Game:
    """Returns the game of such a list, by these rules; plain lists of moves in the engine's notation are read too.

    ``text`` may also be a file that is open for reading it. A text without moves is a game without moves.
    Raises a :class:`RecordError` for a word that is no move, or a move that cannot be played.
    """
    like = Game(variant, Board(variant, None, **rules).house_rules)
    return next(iter(_read_as("sanmill", text, like)), like)


def write_sgf(game: Game) -> str:
    """Returns a game of the morris family with its variations in SGF (``GM[5]``).

    Moves are in the engine's notation. ``RU`` has the variant and the house rules, ``N`` of the root the reason of the
    result, and the private property ``XT`` what has ended a game that the rules have not. A game from a position has
    its stones for other readers and its FEN in the private property ``XF``. Scores and times are not kept.
    """
    return write_game(game, "sgf")


def read_sgf(text: Source) -> list[Game]:
    """Returns the games of an SGF file with their variations; none if it is empty.

    ``text`` may also be a file that is open for reading it. Raises a :class:`RecordError` for another game than
    ``GM[5]``, a move that cannot be played, or a text that is no SGF.
    """
    return _read_as("sgf", text)


def iter_games(
    lines: Iterable[str],
    form: str | None = None,
    variant: str = "morris",
    *,
    strict: bool = False,
    faults: list[RecordError] | None = None,
    **rules: bool | int | str,
) -> Iterator[Game]:
    """Yields the games of a text one by one, with only one in memory; ``lines`` is an open text file, or lines.

    ``form`` is one of those of docs/formats.md, such as ``pgn``; without it, each game is in the form that it seems to
    have. Where lists of moves stand one after the other, each begins with a tag or with its row 1. What of a faulty
    game becomes, see :func:`read_games`.

    >>> import io
    >>> [game.moves for game in iter_games(io.StringIO("1. d6 f4\\n2. d7\\n1. a7\\n"))]
    [['d6', 'f4', 'd7'], ['a7']]
    """
    like = Game(variant, Board(variant, None, **rules).house_rules)
    yield from _games(io.StringIO(lines) if isinstance(lines, str) else lines, form, like, strict, faults)


def read_games(
    text: Source,
    variant: str = "morris",
    *,
    strict: bool = False,
    faults: list[RecordError] | None = None,
    **rules: bool | int | str,
) -> list[Game]:
    """Returns the games of a text, in whichever forms they are; those that do not name their rules are played by these.

    ``text`` may also be a file that is open for reading it. An empty one has no games.

    A faulty game does not lose the others: it is left out with a :class:`RecordWarning`, or without one if it can be
    appended to a list of ``faults``. The first fault is raised as a :class:`RecordError` where no game can be read,
    and at once if ``strict``. Then a game that is not quite as its form has it, as its ``notes`` say, is faulty too.

    >>> import io
    >>> read_games(io.StringIO("1. d6 f4 2. d7"))[0].moves, read_games("")
    (['d6', 'f4', 'd7'], [])
    >>> faults = []
    >>> [game.moves for game in read_games("1. d6 f4 * 1. d6 d6 * 1. a7 *", faults=faults)], str(faults[0])
    ([['d6', 'f4'], ['a7']], 'game 2 in line 1: move 2 (d6) is illegal, expected a legal move')
    """
    like = Game(variant, Board(variant, None, **rules).house_rules)
    return _read_as(None, text, like, strict, faults)
