"""Opening books."""

import copy
import pickle
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from millbrain import Board, Book, BookError, RulesError

BUILD = [sys.executable, "-m", "millbrain", "book", "build", "--variant", "mlyn", "--games", "20", "--plies", "4"]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    path = tmp_path_factory.mktemp("book") / "mlyn.book"
    subprocess.run([*BUILD, "--nodes", "200", "--out", str(path)], check=True, capture_output=True)
    return Book(path)


def test_a_book_has_its_positions(book: Book) -> None:
    assert (book.variant, book.house_rules) == ("mlyn", "") and "games=20 plies=4" in book.made
    positions = list(book)
    assert len(positions) == len(book) > 10 and book[-1] == positions[-1]
    for position in positions:
        board = Board("mlyn", position.fen)
        assert board in book
        message = {move.move: move.weight for move in book.moves(board)}
        assert all(message[move] == weight for move, weight in position.moves)
    with pytest.raises(IndexError, match=f"position {len(book)}, expected one of {len(book)}"):
        book[len(book)]


def test_moves_are_chosen_by_their_shares(book: Book) -> None:
    moves = book.moves(Board("mlyn"))
    assert sum(move.share for move in moves) == pytest.approx(1)
    rng = random.Random(1)
    chosen = Counter(book.choose(Board("mlyn"), rng) for _ in range(4_000))
    assert set(chosen) == {move.move for move in moves}
    for move in moves:
        assert chosen[move.move] == pytest.approx(4_000 * move.share, abs=100)
    assert len({book.choose(Board("mlyn")) for _ in range(60)}) > 1, "without a generator they differ"
    assert book.choose(Board("mlyn"), random.Random(7)) == book.choose(Board("mlyn"), random.Random(7))


def test_symmetric_positions_have_symmetric_moves(book: Book) -> None:
    for text, image in [("a7", "g1"), ("d6", "b4")]:
        boards = [Board("mlyn"), Board("mlyn")]
        for board, move in zip(boards, (text, image), strict=True):
            board.push(move)
        weights = [sorted(move.weight for move in book.moves(board)) for board in boards]
        assert weights[0] == weights[1]


def test_what_is_not_there(book: Book, tmp_path: Path) -> None:
    far = Board("mlyn", "OOO/XXX/3/OX3X/3/3/X2 w 0 0")
    assert (far in book, book.moves(far), book.choose(far)) == (False, [], None)
    expected = "the board is by the rules of mlyn with Stones=7, expected mlyn"
    with pytest.raises(RulesError, match=expected):
        book.moves(Board("mlyn", stones=7))
    with pytest.raises(BookError, match="nothing: "):
        Book(tmp_path / "nothing")
    torn = tmp_path / "torn"
    torn.write_text(Path(book.path).read_text()[:-5])
    with pytest.raises(BookError, match="torn: line .*the book is not whole"):
        Book(torn)
    with pytest.raises(TypeError, match="board is 'a7', expected a Board"):
        book.moves("a7")  # type: ignore[arg-type]


def test_a_copy_reads_the_file_again(book: Book) -> None:
    for other in (copy.copy(book), copy.deepcopy(book), pickle.loads(pickle.dumps(book))):
        assert list(other) == list(book) and repr(other) == repr(book)
