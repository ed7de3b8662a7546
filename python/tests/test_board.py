"""Boards follow the rules of the engine, and feel like those of python-chess."""

import copy
import pickle
import random
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

import millbrain
from millbrain import BLACK, WHITE, Board, Engine, Limit, Outcome, Tables, Termination

# Leaves by depth from the start, as the engine's reference positions have them.
PERFT = {
    "morris": [24, 552, 12144, 255024],
    "mlyn": [24, 552, 12144, 255024],
    "morabaraba": [24, 552, 12144],
    "smess": [12, 144, 1943],
}


def random_game(variant: str, seed: int, plies: int = 200, **rules: bool | int | str) -> Board:
    rng = random.Random(seed)
    board = Board(variant, None, **rules)
    while not board.is_game_over() and board.ply() < plies:
        board.push(rng.choice(list(board.legal_moves)))
    return board


def test_an_alias_chooses_its_variant() -> None:
    assert Board("Twelve").variant == "morabaraba" and Board("twelve") == Board("morabaraba")


def test_a_first_game() -> None:
    board = Board()
    assert board.turn is WHITE and board.variant == "morris" and board.house_rules == {}
    assert len(board.legal_moves) == board.legal_moves.count() == 24
    assert "d6" in board.legal_moves and "d6d7" not in board.legal_moves and 7 not in board.legal_moves
    assert [board.push("D6"), board.push("f4")] == ["d6", "f4"]
    assert board.move_stack == ["d6", "f4"] and board.peek() == "f4" and board.ply() == 2
    assert board.fen() == "3/1O1/3/4X1/3/3/3 w 8 8 0 2"
    assert (board.fullmove_number, board.halfmove_clock, board.hands) == (2, 0, (8, 8))
    assert board.piece_map() == {"d6": "O", "f4": "X"}
    assert board.pop() == "f4" and board.turn is BLACK
    assert repr(board) == "Board('morris', '3/1O1/3/6/3/3/3 b 8 9 0 1')"
    assert eval(repr(board), {"Board": Board}) == board
    assert board.root() == Board()


def test_the_list_of_moves_is_that_of_the_moment() -> None:
    board = Board()
    moves = board.legal_moves
    for move in moves:
        board.push(move)
        assert len(moves) == 23 and move not in moves
        board.pop()
    assert bool(moves) and not Board(fen="OO1/3/3/6/3/3/XXX w 0 0").legal_moves
    assert repr(Board("smess").legal_moves).startswith("<LegalMoves (a2a1 a2a3 ")


@pytest.mark.parametrize("variant", PERFT)
def test_leaves_are_counted(variant: str) -> None:
    board = Board(variant)
    for depth, expected in enumerate(PERFT[variant], start=1):
        assert board.perft(depth) == expected
    divided = board.perft_divide(2, threads=2)
    assert set(divided) == set(board.legal_moves) and sum(divided.values()) == PERFT[variant][1]
    assert board.perft(0) == 1
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        *(({"threads": bad}, ValueError, f"threads is {bad}, expected 1..=512") for bad in (0, -1, 513, 10**30)),
        *(({"depth": bad}, ValueError, f"depth is {bad}, expected 0..=100") for bad in (-1, 101, 10**9, 10**30)),
        ({"depth": 10**5_000}, ValueError, "depth is too large, expected 0..=100"),
        *(({"depth": bad}, TypeError, f"depth is {bad!r}, expected an integer") for bad in (1.5, None, "3")),
    ]
    for words, kind, message in refused:
        for count in (board.perft, board.perft_divide):
            with pytest.raises(kind) as raised:
                count(**{"depth": 1, **words})
            assert message in str(raised.value)


def test_endings() -> None:
    assert Board().outcome() is None and Board().result() == "*"
    cases = [
        ("morris", "OO1/3/3/6/3/3/XXX w 0 0", Termination.FEW_STONES, BLACK, "0-1"),
        ("morris", "3/3/3/6/OOO/3/XXX b 0 0 100 60", Termination.MOVE_COUNTER, None, "1/2-1/2"),
        ("morabaraba", "OXO/XOX/OXO/XOXOXO/XOX/OXO/XOX w 0 0", Termination.FULL_BOARD, None, "1/2-1/2"),
        ("smess", "7/7/7/2B4/7/7/7/7 b 0 1", Termination.BRAIN_CAPTURED, WHITE, "1-0"),
        ("smess", "7/7/7/2B4/7/7/7/b6 b 0 1", Termination.ONLY_BRAINS, None, "1/2-1/2"),
        ("morris", "OOO/3/3/XXO3/3/3/XX1 b 0 0", None, None, "*"),
    ]
    for variant, fen, termination, winner, result in cases:
        board = Board(variant, fen)
        if termination is None:
            assert board.outcome() is None
            continue
        assert board.outcome() == Outcome(termination, winner)
        assert board.is_game_over() and board.result() == result
    board = Board(fen="O2/1O1/2O/O2X2/3/XX1/2X w 0 0")
    for move in ["a7d7", "g1g4", "d7a7", "g4g1"] * 2:
        assert not board.is_game_over()
        board.push(move)
    assert board.occurrences == 3
    assert board.outcome() == Outcome(Termination.THREEFOLD_REPETITION, None)
    assert board.legal_moves, "there are still some"


def test_a_rule_without_a_name_is_called_by_its_words() -> None:
    found = Outcome("four in a row", WHITE).termination  # type: ignore[arg-type]
    assert (found.name, found.value) == ("FOUR_IN_A_ROW", "four in a row")
    assert found is Termination("four in a row") and found not in list(Termination)
    with pytest.raises(ValueError, match="7 is not a valid Termination"):
        Termination(7)


def test_house_rules_are_keywords() -> None:
    board = Board("morris", stones=3, flying=False, removal="never", board="diagonals")
    assert board.house_rules == {"stones": 3, "flying": False, "removal": "never", "board": "diagonals"}
    assert board.hands == (3, 3) and board.rules["no_mill_draw"] == 100
    assert eval(repr(board), {"Board": Board}) == board
    assert board != Board("morris", stones=3)
    assert Board("smess", no_capture_draw=7).rules == {"no_capture_draw": 7, "repetition_draw": True}
    once = Board(once_per_line_mills=True)
    assert once.fen().split()[-1] == "0,0" and once.fullmove_number == 1
    with pytest.raises(millbrain.RulesError, match='unknown variant "chess", expected one of morris'):
        Board("chess")
    with pytest.raises(millbrain.RulesError, match='unknown option "colour": expected stones, flying'):
        Board(colour="red")
    with pytest.raises(millbrain.RulesError, match="expected no_capture_draw or repetition_draw"):
        Board("smess", stones=9)
    with pytest.raises(millbrain.RulesError, match='invalid value "99" for Stones: expected a number from 3 to 12'):
        Board(stones=99)
    with pytest.raises(millbrain.RulesError, match='invalid value "1" for Flying: expected true or false'):
        Board(flying=1)


def test_bad_input_changes_nothing() -> None:
    board = Board()
    board.push("d6")
    before = board.fen()
    with pytest.raises(millbrain.InvalidFenError, match="bad FEN: 1 row, expected 7; "):
        board.set_fen("nonsense")
    with pytest.raises(millbrain.IllegalMoveError, match="d6 is illegal, expected a legal move"):
        board.push("d6")
    with pytest.raises(millbrain.InvalidMoveError, match="hello cannot be read, expected a move such as d6"):
        board.push("hello")
    with pytest.raises(millbrain.IllegalMoveError, match="name the stone to take, such as g7xd1"):
        line = Board()
        for move in ("a7", "d2", "d7", "d1", "g7"):
            line.push(move)
    assert board.fen() == before and board.move_stack == ["d6"]
    assert board.pop() == "d6"
    for call in (board.pop, board.peek):
        with pytest.raises(IndexError):
            call()
    assert issubclass(millbrain.IllegalMoveError, ValueError) and issubclass(
        millbrain.IllegalMoveError, millbrain.Error
    )
    assert board.parse_move("A4") == "a4" and not board.is_legal("a4a7")


def test_sanmill_is_read() -> None:
    board = Board(fen="********/**O*****/@******* b p p 1 8 1 8 0 0 0 2")
    assert board.fen() == "1X1/3/3/4O1/3/3/3 b 8 8 0 2"


def test_copies_are_their_own() -> None:
    board = random_game("lasker", 5, 30)
    for twin in (board.copy(), copy.copy(board), copy.deepcopy(board)):
        assert twin == board and twin.move_stack == board.move_stack and hash(twin) == hash(board)
        twin.pop()
        assert twin != board
    bare = board.copy(stack=False)
    assert bare == board and bare.move_stack == []
    assert board != board.fen() and len({board, bare, board.copy()}) == 1
    mirror = board.mirror()
    assert mirror.turn is not board.turn and mirror.key == board.key and mirror.mirror() == board
    board.reset()
    assert board == Board("lasker") and board.move_stack == []


def test_keys_tell_rules_and_positions_apart() -> None:
    start = [Board(variant) for variant in millbrain.VARIANTS]
    start += [Board(flying=False), Board(flying=False, board="diagonals"), Board("mlyn", no_mill_draw=7)]
    assert len({board.key for board in start}) == len(set(start)) == len(start)
    for board in start:
        twin = pickle.loads(pickle.dumps(board))
        assert twin.key == board.key and board.mirror().key == board.key
        keys = {board.key}
        for move in board.legal_moves:
            board.push(move)
            keys.add(board.key)
            board.pop()
        assert len(keys) == 1 + board.legal_moves.count() and board.key == twin.key
    # Counters are no part of a key; a rule as the variant has it is no other rule.
    assert Board(fen="3/1O1/3/6/3/3/3 b 8 9 5 9").key == Board(fen="3/1O1/3/6/3/3/3 b 8 9").key
    assert Board(flying=True) == Board() and hash(Board(flying=True)) == hash(Board())
    assert Board(flying=True).key == Board().key
    assert Board(flying=False) != Board() and Board("mlyn", "3/3/3/6/3/3/3 w 9 9") != Board()


def test_text() -> None:
    board = Board(fen="OO1/3/3/6/3/3/XX1 w 7 7 0 1")
    assert str(board).splitlines()[0] == "7 O-----------O-----------."
    assert board.d().startswith(str(board)) and "Legal moves: 21: g7xd1" in board.d()


def fen_of(board: Board) -> tuple[str, list[str], int, int]:
    return board.fen(), board.move_stack, board.occurrences, board.key


def test_boards_travel_between_processes() -> None:
    boards = [random_game(variant, 3, 60) for variant in millbrain.VARIANTS]
    boards.append(random_game("morris", 4, 60, stones=5, once_per_line_mills=True))
    boards.append(Board(fen="O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 7"))
    for board in boards:
        twin = pickle.loads(pickle.dumps(board))
        assert twin == board and fen_of(twin) == fen_of(board) and twin.house_rules == board.house_rules
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert list(pool.map(fen_of, boards)) == [fen_of(board) for board in boards]


@pytest.mark.parametrize("variant", millbrain.VARIANTS)
def test_moves_are_taken_back(variant: str) -> None:
    board = random_game(variant, 11)
    fens = []
    while board.move_stack:
        fens.append(board.fen())
        move = board.pop()
        assert move in board.legal_moves
    assert board == Board(variant)
    assert len(set(fens)) > 10


def test_a_board_may_change_while_another_thread_works_on_it() -> None:
    board = Board(fen="1O1/3/3/X4O/3/3/XOX w 0 0")
    first = next(iter(board.legal_moves))
    ended = threading.Event()
    faults: list[Exception] = []
    changes = 0

    def change() -> None:
        nonlocal changes
        while not ended.is_set():
            try:
                board.push(first)
                board.pop()
                changes += 1
            except Exception as fault:
                faults.append(fault)

    thread = threading.Thread(target=change)
    thread.start()
    with Engine(hash=1) as engine:
        tables = Tables()
        for _ in range(100):
            assert board.perft(1) and board.perft_divide(2)
            assert board.outcome() is None and tables.get(board) is not None and tables.moves(board)
            assert engine.analyse(board, Limit(depth=1))[0].pv
    ended.set()
    thread.join()
    assert not faults and changes > 0


def test_the_status_of_a_fen_is_its_faults() -> None:
    assert Board.status("3/3/3/6/3/3/3 w 9 9 0 1") == Board.status(Board("smess").fen(), "smess") == []
    assert Board.status("O7/XX/OOOO w 9 12 0 1") == [
        "3 rows, expected 7",
        'black\'s hand is "12", expected a number from 0 to 9',
    ]
    assert Board.status("3/3/3/6/3/3/3 w 9 9", stones=5)[0] == 'white\'s hand is "9", expected a number from 0 to 5'
    with pytest.raises(millbrain.RulesError):
        Board.status("", "chess")
