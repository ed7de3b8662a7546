"""Games in all forms."""

import copy
import io
import pickle
import random
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import millbrain
from millbrain import (
    Board,
    Game,
    Node,
    RecordError,
    RecordWarning,
    _native,
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

# Of what a form has no place for; the tests of these warnings ask for them.
pytestmark = pytest.mark.filterwarnings("ignore:.* has no place for:millbrain.RecordWarning")

RECORD = """\
[Event "millbrain match"]
[Game "5"]
[Round "3"]
[White "A \\"quoted\\" name"]
[Black "B"]
[Result "1-0"]
[Variant "morris"]
[FEN "OO1/3/3/3X2/1XX/3/3 w 1 0 0 1"]
[WhiteTimeControl "1+0.01"]
[BlackTimeControl "nodes 1000"]
[PlyCount "1"]
[Termination "normal"]
[Reason "few-stones"]

1. g7xe4 {+M1/3 12ms} 1-0

"""


def random_game(variant: str, seed: int, fen: str | None = None, **rules: bool | int | str) -> Game:
    rng = random.Random(seed)
    board = Board(variant, fen, **rules)
    while not board.is_game_over() and board.ply() < 150:
        board.push(rng.choice(list(board.legal_moves)))
    return Game.from_board(board, "Ann [white]", 'Bob \\ "black"')


def games() -> list[Game]:
    played = [random_game(variant, seed) for variant in millbrain.VARIANTS for seed in range(4)]
    played.append(random_game("morris", 1, stones=6, flying=False, board="diagonals"))
    played.append(random_game("mlyn", 2, "O2/1O1/2O/O2X2/3/XX1/2X b 1 0 3 7"))
    played.append(random_game("morris", 3, once_per_line_mills=True))
    played.append(random_game("morris", 4, "1O1/3/3/6/3/3/3 b 8 9"))
    return played


def test_a_record_is_written_as_it_was_read() -> None:
    (game,) = read_records(RECORD)
    assert write_records([game]) == RECORD
    assert (game.white, game.number, game.round, game.result) == ('A "quoted" name', 5, 3, "1-0")
    (node,) = game.mainline()
    assert (node.move, node.score, node.depth, node.time) == ("g7xe4", "+M1", 3, 12)
    game.verify()
    game.result = "0-1"
    with pytest.raises(millbrain.RecordError, match="the result is recorded as 0-1, but it is 1-0"):
        game.verify()


def test_records_of_many_games() -> None:
    played = games()
    assert {game.result for game in played} >= {"1-0", "0-1", "*"}
    text = write_records(played)
    assert read_records(text) == played and read_games(text) == played
    assert write_records(read_records(text)) == text
    for game in played:
        game.verify()
        assert game.end().result() == game.result
    late = Game(
        result="0-1", termination="time forfeit", reason="white is out of time", late_move=Node("d6", time=9, late=3)
    )
    illegal = Game(result="0-1", termination="illegal move", reason="white plays a1a1")
    assert read_records(write_records([late, illegal])) == [late, illegal]


def test_faults_of_records_are_reported() -> None:
    for old, new, message in [
        ('[Round "3"]', "[Round]", r'line 3: "\[Round\]", expected \[NAME'),
        ("12ms} ", "12ms ", "line 15: a comment has no end"),
        ("g7xe4", "xe4", 'line 15: "xe4" stands before the first move'),
        ("[Reason", '[HouseRules "Stones=99"]\n[Reason', 'house rules "Stones=99", expected'),
    ]:
        with pytest.raises(millbrain.RecordError, match=message):
            read_games(RECORD.replace(old, new), strict=True)
    with pytest.raises(millbrain.RecordError, match="result 'won', expected one of 1-0, 0-1"):
        write_records([Game(result="won")])


def test_a_game_that_is_none_is_refused() -> None:
    writers: list[Callable[[Any], str]] = [lambda game: write_records([game]), write_sgf, write_sanmill]
    for write in writers:
        for no_game in (None, "1. d6", Board(), Node()):
            with pytest.raises(TypeError, match="^game is .*, expected a Game$"):
                write(no_game)
        for name in ("variant", "white", "black", "result", "termination", "reason"):
            for bad in (None, 5, b"Ann", ["Ann"]):
                words: dict[str, Any] = {name: bad}
                with pytest.raises(TypeError, match=f"^{name} of the game is .*, expected a text$"):
                    write(Game(**words))
        parts: list[tuple[dict[str, Any], str]] = [
            ({"rules": None}, "^rules of the game is None, expected a dict$"),
            ({"rules": "Stones=5"}, "^rules of the game is 'Stones=5', expected a dict$"),
            ({"tags": [("Date", "x")]}, "^tags of the game is .*, expected a dict$"),
            ({"tags": {"Date": 2026}}, "^a tag of the game is 2026, expected a text$"),
            ({"root": Node(comment=5)}, "^a comment of the game is 5, expected a text$"),  # type: ignore
            ({"root": Node("", children=[Node("d6", before=b"x")])}, "^a before of the game is b'x'"),  # type: ignore
            ({"root": Node("", children=[Node("d6", marks=1)])}, "^marks of a move is 1, expected a list$"),  # type: ignore
            ({"root": Node("", children=[Node("d6", time=0.5)])}, "^time of a move is 0.5, expected an int"),  # type: ignore
            ({"root": None}, "^a node of the game is None, expected a Node$"),
            ({"late_move": "d6"}, "^a node of the game is 'd6', expected a Node$"),
            ({"root": Node("", children=["d6"])}, "^a node of the game is 'd6', expected a Node$"),  # type: ignore
            ({"root": Node("", children=[Node(b"d6")])}, "^a move of the game is b'd6', expected a text$"),  # type: ignore
        ]
        for words, message in parts:
            with pytest.raises(TypeError, match=message):
                write(Game(**words))
        for node in (Node("d6", marks=[256]), Node("d6", clock=-1), Node("d6", depth=2**32)):
            with pytest.raises(
                ValueError, match="of a move is .*, expected an integer in 0..(255|18446.*|4294967295)$"
            ):
                write(Game(root=Node(children=[node])))
        with pytest.raises(RecordError, match='^tag "a b", expected a name of letters'):
            write(Game(tags={"a b": "c"}))
    for no_board in (None, "3/3/3/6/3/3/3 w 9 9", Game()):
        calls: list[Callable[[Any], object]] = [sanmill_fen, Game.from_board]
        for call in calls:
            with pytest.raises(TypeError, match="^board is .*, expected a Board$"):
                call(no_board)
    endings = "normal, resignation, agreement, adjudication, time forfeit, illegal move, crash, stall, .*"
    for ending in ("", "timeout", "NORMAL"):
        with pytest.raises(millbrain.RecordError, match=f"^termination '{ending}', expected one of {endings}$"):
            write_records([Game(result="1-0", termination=ending)])
    # A text that ends a property is no end of it.
    game = Game(white="]", reason="\\")
    assert "PW[\\]]" in write_sgf(game)
    game.root.children.append(Node("d6];B[f4"))
    with pytest.raises(millbrain.RecordError, match="cannot be read, expected a move such as d6"):
        write_sgf(game)


def morris_games() -> list[Game]:
    """Returns the games of the family that other formats know."""
    return [game for game in games() if _native.sanmill_fen(Board(game.variant)) is not None]


def test_sgf_there_and_back() -> None:
    played = morris_games()
    text = "".join(write_sgf(game) for game in played)
    assert read_sgf(text) == played
    for game in played:
        assert read_games(write_sgf(game)) == [game]


def test_sgf_keeps_variations_and_comments() -> None:
    game = Game(white="Ann", result="1-0", termination="resignation")
    game.root.comment = "a [short]\ngame"
    game.add_line(["d6", "f4", "d7", "b4"])
    game.add_line(["d6", "f4", "e5"])
    game.add_line(["d6", "d2"])
    game.add_line(["a7", "a4", "b6"]).comment = "back \\ slash"
    text = write_sgf(game)
    assert "RE[W+R]" in text and text.count("(") == text.count(")") - 0
    (again,) = read_sgf(text)
    assert again == game and again.moves == ["d6", "f4", "d7", "b4"]
    assert write_sgf(again) == text
    assert [child.move for child in again.root.children] == ["d6", "a7"]


def test_sgf_tells_others_the_position_and_the_rules() -> None:
    game = Game("morris", {"stones": 7, "flying": False, "board": "diagonals"}, fen="OO1/3/3/X2X2/3/2O/XXX b 1 0 3 7")
    text = write_sgf(game)
    assert "RU[morris;Stones=7,Flying=false,Board=diagonals]" in text and "PL[B]" in text and "RE[?]" in text
    assert "AW[a7][d7][f2]" in text and "AB[a4][e4][a1][d1][g1]" in text
    assert "AW" not in write_sgf(Game(fen="3/3/3/6/3/3/XXX w 9 6")) and "PL" not in write_sgf(Game())


def test_sgf_of_a_resignation() -> None:
    for result, termination in (
        ("W+R", "resignation"),
        ("b+r", "resignation"),
        ("B+Resign", "resignation"),
        ("B+T", "time forfeit"),
        ("1-0", "unknown"),
        ("W+", "unknown"),
        ("0", "unknown"),
    ):
        (game,) = read_sgf(f"(;GM[5]RE[{result}];W[d6])")
        assert (game.reason, game.termination) == ("", termination)
    assert "RE[B+R]" in write_sgf(Game(result="0-1", reason="white resigns"))
    for result, message in (("0-1", "RE[B+]"), ("1/2-1/2", "RE[0]")):
        with pytest.warns(RecordWarning, match="is no result by the rules: taken for one without a known reason$"):
            assert message in write_sgf(Game(result=result))


def test_sgf_of_others() -> None:
    (game,) = read_sgf(
        "\ufeff (;GM[5] FF[3] RU[Some club]\nPW[x] RE[B+]; W[D6] C[first]\n;Black[f4](;W[d7])(;W[a7];B[a4]))"
    )
    assert (game.variant, game.result, game.moves) == ("morris", "0-1", ["d6", "f4", "d7"])
    assert game.root.children[0].comment == "first"
    for text, message in [
        ("(;GM[1])", "game number 1, expected 5"),
        ("(;GM[5];W[d6]", r"character 14: expected '\)'"),
        ("(;GM[5]AW[d6])", "expected its FEN in XF"),
        ("(;GM[5];W[d6];B[d6])", r"move 2 \(d6\) is illegal"),
        ("(;GM[5];W[])", "a pass of White as move 1"),
        ("(GM[5])", "character 2: expected ';'"),
        ("(;GM[5]XF[zzz])", "bad FEN"),
        ("(;RU[morris;Stones=1])", 'house rules "Stones=1", expected'),
    ]:
        with pytest.raises(millbrain.RecordError, match=message):
            read_sgf(text)
    with pytest.raises(millbrain.RecordError, match="SGF has no number for Smess"):
        write_sgf(Game("smess"))


def test_a_long_or_deep_text_is_no_trouble() -> None:
    moves = ["a7d7", "g1g4", "d7a7", "g4g1"] * 900
    game = Game(fen="O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 1")
    game.add_line(moves)
    with pytest.warns(RecordWarning, match="^the game goes on after move 8, a draw by .*: taken without that rule$"):
        (again,) = read_sgf(write_sgf(game))
    assert again.moves == moves
    with pytest.raises(millbrain.RecordError, match=r"expected '\)'"):
        read_sgf("(;" * 100_000)
    assert read_sgf("(;" * 5_000 + ")" * 5_000)[0].moves == []


def test_sanmill_there_and_back() -> None:
    for game in morris_games():
        text = write_sanmill(game)
        if text.startswith("[FEN") and game.variant == "morris" and not game.rules:
            assert [again.moves for again in read_games(text)] == [game.moves], "tags alone make no record"
        again = read_sanmill(text, game.variant, **game.rules)
        assert (again.moves, again.fen, again.result, again.reason) == (game.moves, game.fen, game.result, game.reason)
        assert write_sanmill(again) == text
    with pytest.raises(millbrain.RecordError, match="Sanmill has no Smess"):
        write_sanmill(Game("smess"))


def test_an_empty_text_has_no_games() -> None:
    for text in ("", " \n\t\r\n", "\ufeff", "\ufeff\n"):
        assert read_games(text) == read_sgf(text) == read_records(text) == []
        assert read_games(io.StringIO(text)) == []
        assert read_sanmill(text, "lasker", stones=5) == Game("lasker", {"stones": 5})
    assert write_records([]) == ""


def test_files_are_read(tmp_path: Path) -> None:
    game = games()[0]
    path = tmp_path / "games"
    readers: list[tuple[Callable[[Any], object], str]] = [
        (read_records, write_records([game, game])),
        (read_sgf, write_sgf(game)),
        (read_sanmill, write_sanmill(game)),
        (read_games, write_records([game])),
        (read_games, write_sgf(game)),
        (read_games, write_sanmill(game)),
    ]
    for read, text in readers:
        # Some editors put a mark before a text in UTF-8.
        path.write_text("\ufeff" + text, encoding="utf-8")
        with path.open(encoding="utf-8") as file:
            assert read(file) == read(text) and file.read() == ""
        assert read(io.StringIO(text)) == read(text)
        wrong: list[Any] = [text.encode(), path, None, [text], 7, float("nan")]
        for bad in wrong:
            with pytest.raises(TypeError, match="^what games are read from is .*, expected a text .*, or a file open"):
                read(bad)
        with path.open("rb") as binary, pytest.raises(TypeError, match=r"is b'.*expected a text"):
            read(binary)


def test_long_games_are_compared_and_travel() -> None:
    moves = ["a7d7", "g1g4", "d7a7", "g4g1"] * 900
    game, other = (Game(fen="O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 1") for _ in range(2))
    for each in (game, other):
        each.add_line(moves)
        each.add_line([*moves[:1_000], "g1d1"]).comment = "aside"
    assert game == other and len(repr(game)) < 400
    for twin in (copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert twin == game and twin.moves == moves and twin is not game
        twin.add_line(moves[:2_000]).time = 5
        assert twin != game
    other.add_line([*moves, "a7b6"])
    assert game != other and Node("d6") != "d6"
    assert repr(Node("d6", "+M1", 3, children=[Node("f4")])) == "Node('d6', score='+M1', depth=3, children=['f4'])"
    assert repr(Node()) == "Node()"


def test_sanmill_lists() -> None:
    game = read_sanmill(" 1.    d6    f4\n 2.    d7 {good}   f2\n 3.    d5 xf4   f6\n")
    assert game.moves == ["d6", "f4", "d7", "f2", "d5xf4", "f6"]
    assert write_sanmill(game) == "1.    d6    f4\n2.    d7    f2\n3.    d5 xf4    f6\n"
    assert read_games("d6 f4, d7") == [read_sanmill("1. d6 f4 2. d7 *")]
    assert read_sanmill("{a {b} 1. d6 {c}f4{ {} d7").moves == ["d6", "f4", "d7"]
    for text, message in [
        ("1. d6 {f4", "a comment has no end, expected '}'"),
        ("1. d6 } f4", r"move 2 \(}\) cannot be read"),
        ("{" * 1_000_000, "a comment has no end"),
        ("{" * 1_000_000 + "} d9", r"move 1 \(d9\) cannot be read"),
        ("1. d6 d6", r"move 2 \(d6\) is illegal"),
        ("xd6", '"xd6" stands before the first move'),
        ("1. hello", r"move 1 \(hello\) cannot be read, expected a move such as d6, a4a7"),
        ('[FEN "x"]\nd6', "bad FEN"),
    ]:
        with pytest.raises(millbrain.RecordError, match=message):
            read_sanmill(text)


def test_positions_of_sanmill_are_read_back() -> None:
    for game in morris_games():
        if "once_per_line_mills" in game.rules:
            continue
        board = game.board()
        for move in game.moves:
            board.push(move)
            assert Board(game.variant, sanmill_fen(board), **game.rules).fen() == board.fen()


@pytest.mark.parametrize("form", ["record", "sgf", "sanmill"])
def test_games_come_one_by_one(form: str, tmp_path: Path) -> None:
    played = [game for game in games() if game.variant == "morris" and not game.rules]
    write = {"record": lambda game: write_records([game]), "sgf": write_sgf, "sanmill": write_sanmill}[form]
    path = tmp_path / "games"
    path.write_text("\n".join(write(game) for game in played), encoding="utf-8")
    with path.open(encoding="utf-8") as file:
        found = list(iter_games(file, form))
    assert len(found) == len(played) > 3
    assert [game.moves for game in found] == [game.moves for game in played]
    assert list(iter_games(path.read_text(encoding="utf-8"))) == found
    if form != "sanmill":
        assert found == read_games(path.read_text(encoding="utf-8"))


def test_no_more_is_read_than_is_asked_for() -> None:
    game = read_sanmill("1. d6 f4")
    game.root.children[0].comment = "a ) and [b( \\"
    text = write_sgf(game)

    def lines() -> Iterator[str]:
        for number in range(1_000_000):
            assert number < 10, "no more is read than is needed"
            yield from text.splitlines(keepends=True)

    assert [found for _, found in zip(range(3), iter_games(lines()), strict=False)] == read_sgf(text) * 3


def annotated() -> Game:
    """A game with all that there is."""
    game = Game(
        "lasker", {"stones": 7}, "Ann", "Bob", result="*", termination="abandoned", reason="the lights went out"
    )
    game.tags = {"Event": "Club night", "Site": "Brno", "Date": "2026.08.01", "ECO": "A00", "WhiteElo": "1900"}
    game.root.comment = "the first of three"
    game.add_line(["d6", "f4", "d2"])
    game.add_line(["d6", "b4", "a7"]).comment = "aside"
    first = game.root.children[0]
    first.score, first.depth, first.time, first.clock, first.marks = "+0.35", 12, 96, 598_000, [1, 14]
    first.before, first.comment = "as always", "good"
    game.number, game.round, game.time_controls = 3, 2, ("600+5", "nodes 1000")
    game.late_move = Node("d7", time=9_000, late=30)
    return game


def test_all_that_a_game_has_is_kept() -> None:
    game = annotated()
    for form in ("record", "pgn"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            text = write_game(game, form)
        (again,) = read_games(text)
        assert again == game and write_games([again, again], form) == text * 2
        assert list(iter_games(text * 2)) == [game] * 2 and again.notes == []
    for change in (
        lambda game: game.tags.update(Date="2026.08.02"),
        lambda game: game.root.children[0].marks.append(3),
        lambda game: setattr(game.root.children[0], "before", ""),
        lambda game: setattr(game.root.children[0], "clock", None),
    ):
        other = copy.deepcopy(game)
        assert other == game and pickle.loads(pickle.dumps(game)) == game
        change(other)
        assert other != game and write_game(other) != write_game(game)
    # An ending without a result is one, and a game that goes on has none.
    assert [game.termination for game in read_games("1. d6 *")] == ["normal"]
    assert repr(game.root.children[0]) == (
        "Node('d6', score='+0.35', depth=12, time=96, comment='good', children=['f4', 'b4'], clock=598000, "
        "marks=[1, 14], before='as always')"
    )


def test_what_has_no_place_is_named() -> None:
    game = annotated()
    with pytest.warns(
        RecordWarning, match="^sgf has no place for the late move, scores and depths, times of moves$"
    ) as all:
        write_sgf(game)
    assert [warning.filename for warning in all] == [__file__]
    with pytest.warns(RecordWarning, match="^sanmill has no place for the rules, the players, other tags, "):
        write_game(game, "sanmill")
    with pytest.raises(RecordError, match="^no games are written as kaggle, expected one of record, pgn"):
        write_game(game, "kaggle")  # type: ignore
    with pytest.raises(RecordError, match="unknown variant `docx`, expected one of `record`"):
        write_game(game, "docx")  # type: ignore


FAULTY = "1. d6 f4\n2. d7\n\n1. d6 d6\n\n1. a7 g1 5. d7\n1. hello *\n"


def test_a_faulty_game_does_not_lose_the_others() -> None:
    faults = [
        "game 2 in line 4: move 2 (d6) is illegal, expected a legal move",
        "game 4 in line 7: move 1 (hello) cannot be read, expected a move such as d6, a4a7 or d6xb4",
    ]
    readers: list[Callable[..., list[Game]]] = [read_games, lambda *args, **words: list(iter_games(*args, **words))]
    for read in readers:
        with pytest.warns(RecordWarning) as message:
            found = read(FAULTY)
        assert [game.moves for game in found] == [["d6", "f4", "d7"], ["a7", "g1", "d7"]]
        assert [str(warning.message) for warning in message] == [f"{fault}; left out" for fault in faults]
        assert {warning.filename for warning in message} == {__file__}
        assert [game.notes for game in found] == [[], ["move number 5., expected 2."]]
        # The first fault too, when there is a game behind it.
        with pytest.warns(RecordWarning, match="^game 1 in line 1: .*; left out$"):
            assert len(read("1. d6 d6 *\n1. d6 *\n")) == 1

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            collected: list[RecordError] = []
            assert read(FAULTY, faults=collected) == found and [str(fault) for fault in collected] == faults
            assert read("1. d6 d6", faults=collected) == [] and len(collected) == 3
            for text in ("1. d6 d6 *", "\n1. d6 d6 *"):
                with pytest.raises(RecordError, match="^game 1 in line [12]: move 2 \\(d6\\) is illegal"):
                    read(text)
            with pytest.raises(RecordError, match=f"^{re.escape(faults[0])}$"):
                read(FAULTY, strict=True)
            with pytest.raises(RecordError, match="^game 1 in line 1: move number 5., expected 2.$"):
                read("1. a7 g1 5. d7", strict=True)
            with pytest.raises(RecordError, match="^game 1 in line 1: line 3: '\\)' closes no variation"):
                read("1. d6\nf4\n) *")


def test_the_games_before_a_faulty_one_are_given() -> None:
    several = iter_games("1. d6 f4\n2. d7\n\n1. d6 d6\n", strict=True)
    assert next(several).moves == ["d6", "f4", "d7"]
    with pytest.raises(RecordError, match="game 2 in line 4: move 2 \\(d6\\) is illegal"):
        next(several)
    assert list(iter_games("")) == list(iter_games([])) == []
    with pytest.raises(millbrain.RulesError, match="unknown variant"):
        list(iter_games("1. d6", variant="chess"))
    with pytest.raises(RecordError, match="docx"):
        list(iter_games("1. d6", "docx"))
    assert next(iter_games("1. d6", variant="lasker", stones=7)).rules == {"stones": 7}
