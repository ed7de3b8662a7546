"""Games with their variations, and the texts they are kept in: match records, SGF, and Sanmill's move lists."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from . import _native
from ._native import Board
from .checks import shown, wrong_type
from .errors import Error, RecordError

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
UNFINISHED = "unfinished"
"""The reason of a game without a result in a match record, which always has one."""


class TextFile(Protocol):
    """A file that is open for reading text, or anything else whose ``read()`` returns a text."""

    def read(self) -> str:
        """All of the text that is left."""


Source = str | TextFile
"""Where games are read from: a text, or an open file of it."""


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
    """Free text; only SGF keeps it."""
    children: list[Node] = field(default_factory=list)
    """The moves that follow; the first is the main line."""

    def add(self, move: str) -> Node:
        """The node of a move from here, which is made if there is none yet."""
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
        told = [repr(self.move)] if self.move else []
        told += [
            f"{at.name}={getattr(self, at.name)!r}" for at in fields(self)[1:-1] if getattr(self, at.name) != at.default
        ]
        lines = [child.move for child in self.children]
        return f"Node({', '.join(told + ([f'children={lines}'] if lines else []))})"


def _grown(nodes: list[tuple[type[Node], dict[str, Any], int]]) -> Node:
    """A node from itself and all below it, each before its children, with the number of these."""
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
    >>> print(write_sanmill(game), end="")
    1.    d6    f4
    2.    d7
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
    """``normal`` for an ending by the rules; else ``adjudication``, ``time forfeit``, ``illegal move``, ``crash`` or
    ``stall``."""
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

    @classmethod
    def from_board(cls, board: Board, white: str = "", black: str = "") -> Game:
        """The game on a board: its first position, its moves, and its result so far."""
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
        """The first position."""
        return Board(self.variant, self.fen, **self.rules)

    def end(self) -> Board:
        """The position after the main line, with its moves."""
        board = self.board()
        for move in self.moves:
            board.push(move)
        return board

    def mainline(self) -> Iterator[Node]:
        """The nodes of the main line, without the root."""
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
        _native.verify_record(_to_json(self))

    def _check(self) -> None:
        """Plays all variations, and writes their moves as the engine does; raises a :class:`RecordError`."""
        board = self._first()
        # Each entry is a node and the number of moves before it.
        waiting = [(child, 0) for child in self.root.children]
        while waiting:
            node, ply = waiting.pop()
            while board.ply() > ply:
                board.pop()
            try:
                node.move = board.push(node.move)
            except Error as error:
                raise RecordError(f"ply {ply + 1}: {error}") from None
            waiting += [(child, ply + 1) for child in node.children]

    def _first(self) -> Board:
        try:
            return self.board()
        except Error as error:
            raise RecordError(str(error)) from None


def _option(keyword: str) -> str:
    return " ".join(word.capitalize() for word in keyword.split("_"))


def _house_text(rules: dict[str, bool | int | str]) -> str:
    def text(value: bool | int | str) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return ";".join(f"{_option(keyword)}={text(value)}" for keyword, value in rules.items())


def _house_rules(variant: str, text: str) -> dict[str, bool | int | str]:
    rules: dict[str, bool | int | str] = {}
    for option in filter(str.strip, text.split(";")):
        name, _, value = option.partition("=")
        rules[name.strip().lower().replace(" ", "_")] = value.strip()
    try:
        return Board(variant, None, **rules).house_rules
    except Error as error:
        raise RecordError(str(error)) from None


# Match records.


def _played(node: Node) -> dict[str, Any]:
    told = {"move": node.move, "score": node.score, "depth": node.depth, "time": node.time, "late": node.late}
    return {name: value for name, value in told.items() if value is not None}


def _node(played: dict[str, Any]) -> Node:
    return Node(played["move"], played.get("score"), played.get("depth"), played.get("time"), played.get("late"))


_OUTCOMES = {"1-0": "WhiteWins", "0-1": "BlackWins", "1/2-1/2": "Draw", "*": "Draw"}
_TERMINATIONS = {
    "normal": "Normal",
    "adjudication": "Adjudication",
    "time forfeit": "Time",
    "illegal move": "IllegalMove",
    "crash": "Crash",
    "stall": "Stall",
}


def _checked(game: Game) -> Game:
    """The same game, if its parts are of the types that they are to be of."""
    if not isinstance(game, Game):
        raise wrong_type("game", game, "a Game")
    for name in ("variant", "white", "black", "result", "termination", "reason"):
        if not isinstance(getattr(game, name), str):
            raise wrong_type(f"{name} of the game", getattr(game, name), "a text")
    if not isinstance(game.rules, dict):
        raise wrong_type("rules of the game", game.rules, "a dict")
    waiting = [game.root, *([] if game.late_move is None else [game.late_move])]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Node):
            raise wrong_type("a node of the game", node, "a Node")
        if not isinstance(node.move, str):
            raise wrong_type("a move of the game", node.move, "a text")
        waiting += node.children
    return game


def _word(what: str, text: str, words: dict[str, str]) -> str:
    if text not in words:
        raise RecordError(f"{what} {shown(text)}, expected one of {', '.join(words)}")
    return words[text]


def _to_json(game: Game) -> str:
    open_end = _checked(game).result == "*"
    termination = "adjudication" if open_end else game.termination
    record: dict[str, Any] = {
        "index": game.number - 1,
        "round": game.round,
        "white": game.white or "?",
        "black": game.black or "?",
        "variant": game.variant,
        "house_rules": _house_text(game.rules),
        "thinking": list(game.time_controls),
        "fen": game.fen or game.board().fen(),
        "moves": [_played(node) for node in game.mainline()],
        "outcome": _word("result", game.result, _OUTCOMES),
        "termination": _word("termination", termination, _TERMINATIONS),
        "reason": UNFINISHED if open_end else game.reason,
    }
    if game.late_move is not None:
        record["late_move"] = _played(game.late_move)
    return json.dumps(record)


def write_records(games: Iterable[Game]) -> str:
    """Games as the records of ``millbrain match``, which ``match --replay`` and the archive read.

    A record has the main line only. A game that has not ended is written as an adjudicated draw with the reason
    ``unfinished``, and read back as one that has not ended.
    """
    return "".join(_native.write_record(_to_json(game)) for game in games)


def read_records(text: Source) -> list[Game]:
    """The games of match records; raises a :class:`RecordError` that names the line of the first fault.

    ``text`` may also be a file that is open for reading it.
    """
    results = {"WhiteWins": "1-0", "BlackWins": "0-1", "Draw": "1/2-1/2"}
    terminations = {name: words for words, name in _TERMINATIONS.items()}
    games = []
    for record in json.loads(_native.read_records(_read(text))):
        variant, ended = record["variant"], record["reason"] != UNFINISHED
        game = Game(variant, _house_rules(variant, record.get("house_rules", "")))
        game.white, game.black = ("" if name == "?" else name for name in (record["white"], record["black"]))
        game.fen = None if record["fen"] == game.board().fen() else record["fen"]
        game.result = results[record["outcome"]] if ended else "*"
        if ended:
            game.termination = terminations[record["termination"]]
            game.reason = record["reason"]
        game.number, game.round = record["index"] + 1, record["round"]
        game.time_controls = (record["thinking"][0], record["thinking"][1])
        if "late_move" in record:
            game.late_move = _node(record["late_move"])
        node = game.root
        for played in record["moves"]:
            node.children.append(_node(played))
            node = node.children[0]
        games.append(game)
    return games


# Sanmill's move lists.

_RINGS = (
    ("d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5"),
    ("d6", "f6", "f4", "f2", "d2", "b2", "b4", "b6"),
    ("d7", "g7", "g4", "g1", "d1", "a1", "a4", "a7"),
)


def sanmill_fen(board: Board) -> str:
    """The position as Sanmill writes it: rings from the inner to the outer, each clockwise from its north point.

    >>> sanmill_fen(Board(fen="3/1O1/3/6/3/3/3 b 8 9 0 1"))
    '********/O*******/******** b p p 1 8 0 9 0 0 0 1'
    """
    if not isinstance(board, Board):
        raise wrong_type("board", board, "a Board")
    hands = board.hands
    if hands is None:
        raise RecordError("Sanmill has no Smess, expected a position of the morris family")
    pieces = board.piece_map()
    cells = {"O": "O", "X": "@"}
    rings = "/".join("".join(cells.get(pieces.get(name, ""), "*") for name in ring) for ring in _RINGS)
    placing = hands[0 if board.turn else 1] > 0
    phase = "o" if board.is_game_over() else "p" if placing else "m"
    counts = " ".join(f"{list(pieces.values()).count(letter)} {hand}" for letter, hand in zip("OX", hands, strict=True))
    side, action = "w" if board.turn else "b", "p" if placing else "s"
    return f"{rings} {side} {phase} {action} {counts} 0 0 {board.halfmove_clock} {board.fullmove_number}"


def write_sanmill(game: Game) -> str:
    """The main line as Sanmill writes it: numbered rows, a slide as ``a4-a7``, a removal as a word (``xg1``).

    A game from a position begins with a tag that has Sanmill's FEN. Players, result and house rules are not kept.
    """
    board = _checked(game).board()
    if board.hands is None:
        raise RecordError("Sanmill has no Smess, expected a game of the morris family")
    cells = [] if board.turn else ["..."]
    for move in game.moves:
        step, _, removed = move.partition("x")
        cells.append("-".join(filter(None, (step[:2], step[2:]))) + (f" x{removed}" if removed else ""))
    rows = ["    ".join([f"{i // 2 + 1}.", *cells[i : i + 2]]) for i in range(0, len(cells), 2)]
    tag = "" if game.fen is None else f'[FEN "{sanmill_fen(board)}"]\n\n'
    return tag + "".join(f"{row}\n" for row in rows)


def _without_comments(text: str) -> str:
    # Not by a pattern: one that begins at each of many braces takes the square of their number.
    if text.rfind("{") > text.rfind("}"):
        raise RecordError("a comment has no end, expected '}'")
    first, *others = text.split("{")
    return " ".join([first, *(other.partition("}")[2] for other in others)])


def read_sanmill(text: Source, variant: str = "morris", **rules: bool | int | str) -> Game:
    """The game of such a list, by these rules; plain lists of moves in the engine's notation are read too.

    ``text`` may also be a file that is open for reading it. A text without moves is a game without moves.
    Raises a :class:`RecordError` for a word that is no move, or a move that cannot be played.
    """
    text = _read(text)
    game = Game(variant, Board(variant, None, **rules).house_rules)
    tag = re.search(r'^\[FEN "([^"]*)"\]', text, re.MULTILINE)
    if tag is not None:
        game.fen = tag[1]
        game.fen = game._first().fen()
    body = re.sub(r"^\[.*$", " ", text, flags=re.MULTILINE)
    moves: list[str] = []
    for word in re.split(r"[\s,]+", _without_comments(body)):
        bare = re.sub(r"^\d+\.+", "", word.lower())
        if not bare.strip(".") or bare in (*RESULTS, "0.5-0.5"):
            continue
        if re.fullmatch(r"x[a-g][1-7]", bare) and moves:
            moves[-1] += bare
        elif re.fullmatch(r"[a-g][1-8](-?[a-g][1-8])?(x[a-g][1-7])?", bare):
            moves.append(bare.replace("-", ""))
        else:
            raise RecordError(f"{word[:20]!r}, expected a move such as d6, a4-a7 or xg1 after a move")
    game.add_line(moves)
    game._check()
    game._conclude(game.end())
    return game


# SGF.


def _escaped(text: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", text)


def write_sgf(game: Game) -> str:
    """A game of the morris family with its variations in SGF (``GM[5]``).

    Moves are in the engine's notation. ``RU`` has the variant and the house rules, ``N`` of the root the reason of the
    result. A game from a position has its stones for other readers and its FEN in the private property ``XF``. Scores
    and times are not kept.
    """
    board = _checked(game).board()
    if board.hands is None:
        raise RecordError("SGF has no number for Smess, expected a game of the morris family")
    winner = {"1-0": "W+", "0-1": "B+"}.get(game.result)
    result = "0" if game.result == "1/2-1/2" else "?" if winner is None else winner
    if winner is not None and game.reason.endswith("resigns"):
        result += "R"
    house = _house_text(game.rules)
    properties = {"RU": game.variant + (f";{house}" if house else ""), "PW": game.white, "PB": game.black, "RE": result}
    if game.reason:
        properties["N"] = game.reason
    if game.root.comment:
        properties["C"] = game.root.comment
    if game.fen is not None:
        properties |= {"XF": game.fen, "PL": "W" if board.turn else "B"}
    text = ["(;FF[4]GM[5]CA[UTF-8]AP[millbrain]", *(f"{name}[{_escaped(value)}]" for name, value in properties.items())]
    if game.fen is not None:
        for name, letter in (("AW", "O"), ("AB", "X")):
            points = [point for point, piece in board.piece_map().items() if piece == letter]
            text.append(name + "".join(f"[{point}]" for point in points) if points else "")
    # A text to write, or a node and whether White moves; the next one is the last.
    waiting: list[str | tuple[Node, bool]] = ["\n)\n"]

    def follow(node: Node, white: bool) -> None:
        branches = len(node.children) > 1
        for child in reversed(node.children):
            waiting.extend([")", (child, white), "\n("] if branches else [(child, white)])

    follow(game.root, board.turn)
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, str):
            text.append(entry)
            continue
        node, white = entry
        comment = f"C[{_escaped(node.comment)}]" if node.comment else ""
        text.append(f";{'W' if white else 'B'}[{_escaped(node.move)}]{comment}")
        follow(node, not white)
    return "".join(text)


_SGF_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)((?:\s*\[(?:\\.|[^\]\\])*\])+))", re.DOTALL)
_SGF_VALUE = re.compile(r"\[((?:\\.|[^\]\\])*)\]", re.DOTALL)


def read_sgf(text: Source) -> list[Game]:
    """The games of an SGF file with their variations; none if it is empty.

    ``text`` may also be a file that is open for reading it. Raises a :class:`RecordError` for another game than
    ``GM[5]``, a move that cannot be played, or a text that is no SGF.
    """
    games: list[Game] = []
    # The nodes at which the open parentheses began, and the properties of the root.
    branches: list[Node] = []
    first = here = Node()
    root: dict[str, str] = {}
    fresh = False
    text = _read(text).rstrip()
    at = len(text) - len(text.lstrip("\ufeff \t\r\n"))

    def fail(expected: str) -> RecordError:
        return RecordError(f"SGF, character {at + 1}: expected {expected}")

    while at < len(text):
        token = _SGF_TOKEN.match(text, at)
        if token is None:
            raise fail("a node, a property with its values, or a parenthesis")
        mark, name, values = token.groups()
        if mark == "(":
            if not branches:
                first = here = Node()
                root = {}
            branches.append(here)
        elif not branches:
            raise fail("'('")
        elif mark == ")":
            here = branches.pop()
            if not branches:
                games.append(_sgf_game(first, root))
        elif mark == ";":
            fresh = True
        else:
            name = re.sub("[a-z]", "", name)
            read = [re.sub(r"\\(\r?\n)?(.?)", r"\2", value, flags=re.DOTALL) for value in _SGF_VALUE.findall(values)]
            if not fresh:
                raise fail("';'")
            if name in ("W", "B") and read[0]:
                here = here.add(read[0].strip().lower().replace("-", ""))
            elif here is first:
                root.setdefault(name, read[0])
            elif name == "C":
                here.comment = read[0]
        at = token.end()
    if branches:
        raise fail("')'")
    return games


def _sgf_game(first: Node, root: dict[str, str]) -> Game:
    number = root.get("GM", "5").strip()
    if number != "5":
        raise RecordError(f"SGF: game number {number}, expected 5")
    if "XF" not in root and ("AW" in root or "AB" in root):
        raise RecordError("SGF: a position by AW and AB, expected its FEN in XF too")
    variant, _, house = root.get("RU", "morris").partition(";")
    game = Game(variant.strip().lower(), root=first, white=root.get("PW", ""), black=root.get("PB", ""))
    if game.variant not in _native.variants():
        # Rules in the words of another program.
        game.variant, house = "morris", ""
    game.rules = _house_rules(game.variant, house)
    game.fen = root.get("XF")
    game.root.comment = root.get("C", "")
    game._check()
    result = root.get("RE", "?").strip()
    game.result = {"W": "1-0", "B": "0-1", "0": "1/2-1/2", "D": "1/2-1/2"}.get(result[:1], "*")
    end = game.end()
    game.termination = "normal" if end.result() == game.result != "*" else "adjudication"
    if game.result == "*":
        game.termination = "normal"
    resigned = {"1-0": "black resigns", "0-1": "white resigns"}.get(game.result, "") if "+R" in result.upper() else ""
    game.reason = root.get("N", resigned)
    return game


def read_games(text: Source, variant: str = "morris", **rules: bool | int | str) -> list[Game]:
    """The games of a text in whichever of the three forms it is; a bare list of moves is played by these rules.

    ``text`` may also be a file that is open for reading it. An empty one has no games.

    >>> import io
    >>> read_games(io.StringIO("1. d6 f4 2. d7"))[0].moves, read_games("")
    (['d6', 'f4', 'd7'], [])
    """
    body = _read(text).lstrip("\ufeff \t\r\n")
    if not body:
        return []
    if body.startswith("("):
        return read_sgf(body)
    if body.startswith("[") and re.search(r'^\[Variant "', body, re.MULTILINE):
        return read_records(body)
    return [read_sanmill(body, variant, **rules)]
