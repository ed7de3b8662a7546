"""Game records, SGF and Sanmill's move lists."""

import copy
import io
import pickle
import random
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
    iter_games,
    read_games,
    read_records,
    read_sanmill,
    read_sgf,
    sanmill_fen,
    write_records,
    write_sanmill,
    write_sgf,
)

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
[Reason "fewer than three stones"]

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


def test_faults_of_records_are_told() -> None:
    for old, new, told in [
        ('[Round "3"]', "[Round]", r'line 3: "\[Round\]", expected \[NAME'),
        ("12ms} ", "12ms ", "line 15: a comment has no end"),
        ("g7xe4", "xe4", 'line 15: "xe4" stands before the first move'),
        ("[Reason", '[HouseRules "Stones=99"]\n[Reason', 'house rules "Stones=99", expected'),
    ]:
        with pytest.raises(millbrain.RecordError, match=told):
            read_records(RECORD.replace(old, new))
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
            ({"root": None}, "^a node of the game is None, expected a Node$"),
            ({"late_move": "d6"}, "^a node of the game is 'd6', expected a Node$"),
            ({"root": Node("", children=["d6"])}, "^a node of the game is 'd6', expected a Node$"),  # type: ignore
            ({"root": Node("", children=[Node(b"d6")])}, "^a move of the game is b'd6', expected a text$"),  # type: ignore
        ]
        for words, told in parts:
            with pytest.raises(TypeError, match=told):
                write(Game(**words))
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
    return [game for game in games() if game.variant != "smess"]


def test_sgf_there_and_back() -> None:
    played = morris_games()
    text = "".join(write_sgf(game) for game in played)
    assert read_sgf(text) == played
    for game in played:
        assert read_games(write_sgf(game)) == [game]


def test_sgf_keeps_variations_and_comments() -> None:
    game = Game(white="Ann", result="1-0", termination="resignation", reason="black resigns")
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
    assert "RU[morris;Stones=7;Flying=false;Board=diagonals]" in text and "PL[B]" in text and "RE[?]" in text
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
    assert "RE[B+]" in write_sgf(Game(result="0-1", reason="time")) and "RE[0]" in write_sgf(Game(result="1/2-1/2"))


def test_sgf_of_others() -> None:
    (game,) = read_sgf(
        "\ufeff (;GM[5] FF[3] RU[Some club]\nPW[x] RE[B+]; W[D6] C[first]\n;Black[f4](;W[d7])(;W[a7];B[a4]))"
    )
    assert (game.variant, game.result, game.moves) == ("morris", "0-1", ["d6", "f4", "d7"])
    assert game.root.children[0].comment == "first"
    for text, told in [
        ("(;GM[1])", "game number 1, expected 5"),
        ("(;GM[5];W[d6]", r"character 14: expected '\)'"),
        ("(;GM[5]AW[d6])", "expected its FEN in XF"),
        ("(;GM[5];W[d6];B[d6])", r"move 2 \(d6\) is illegal"),
        ("(;GM[5];W[])", "a pass of White as move 1"),
        ("(GM[5])", "character 2: expected ';'"),
        ("(;GM[5]XF[zzz])", "bad FEN"),
        ("(;RU[morris;Stones=1])", 'house rules "Stones=1", expected'),
    ]:
        with pytest.raises(millbrain.RecordError, match=told):
            read_sgf(text)
    with pytest.raises(millbrain.RecordError, match="SGF has no number for Smess"):
        write_sgf(Game("smess"))


def test_a_long_or_deep_text_is_no_trouble() -> None:
    moves = ["a7d7", "g1g4", "d7a7", "g4g1"] * 900
    game = Game(fen="O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 1")
    game.add_line(moves)
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
    for text, told in [
        ("1. d6 {f4", "a comment has no end, expected '}'"),
        ("1. d6 } f4", r"move 2 \(}\) cannot be read"),
        ("{" * 1_000_000, "a comment has no end"),
        ("{" * 1_000_000 + "} d9", r"move 1 \(d9\) cannot be read"),
        ("1. d6 d6", r"move 2 \(d6\) is illegal"),
        ("xd6", '"xd6" stands before the first move'),
        ("1. hello", r"move 1 \(hello\) cannot be read, expected a move such as d6, a4a7"),
        ('[FEN "x"]\nd6', "bad FEN"),
    ]:
        with pytest.raises(millbrain.RecordError, match=told):
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


def test_a_faulty_game_of_many_is_named() -> None:
    several = iter_games("1. d6 f4\n2. d7\n\n1. d6 d6\n")
    assert next(several).moves == ["d6", "f4", "d7"]
    with pytest.raises(RecordError, match="the game that begins in line 4: move 2 \\(d6\\) is illegal"):
        next(several)
    assert list(iter_games("")) == list(iter_games([])) == []
    with pytest.raises(millbrain.RulesError, match="unknown variant"):
        list(iter_games("1. d6", variant="chess"))
    with pytest.raises(RecordError, match="docx"):
        list(iter_games("1. d6", "docx"))
    assert next(iter_games("1. d6", variant="lasker", stones=7)).rules == {"stones": 7}
