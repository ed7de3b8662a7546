"""Boards as pictures, moves as objects, searches under way."""

import ast
import asyncio
import json
import sys
import threading
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import millbrain
from millbrain import VARIANTS, Board, Engine, EngineError, ExternalEngine, Limit, Move, Score
from millbrain.svg import Colors, draw

NAMESPACE = "{http://www.w3.org/2000/svg}"


def circles(picture: str, fill: str) -> int:
    return sum(circle.get("fill") == fill for circle in ET.fromstring(picture).iter(f"{NAMESPACE}circle"))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_picture_shows_what_stands_on_the_board(variant: str) -> None:
    colors = Colors(white="#abcdef", black="#fedcba")
    for row in millbrain.fens(millbrain.random_positions(20, variant, seed=1), variant):
        board = Board(variant, row)
        for flipped in (False, True):
            picture = draw(board, colors=colors, flipped=flipped)
            pieces = list(board.piece_map().values())
            whites = sum(piece in "OBSN" for piece in pieces)
            assert circles(picture, colors.white) == whites and circles(picture, colors.black) == len(pieces) - whites
            assert ET.fromstring(picture).find(f"{NAMESPACE}title").text == row  # type: ignore[union-attr]
    assert board._repr_svg_() == draw(board)


def test_marks_stand_where_they_are_asked_for() -> None:
    board = Board()
    for move in ("a7", "d1", "d7", "g1"):
        board.push(move)
    board.push("g7xd1")
    plain = draw(board, last_move=False)
    assert draw(board).count("dasharray") == 1, "the stone that was taken"
    assert draw(board).count("<circle") == plain.count("<circle") + 2
    assert draw(board, arrows=[("a7", "d7"), ("g1", "g4")]).count("<polygon") == 2
    assert ">+0.35 &lt;&amp;" in draw(board, values={"b4": "+0.35 <&"})
    assert 'width="123"' in draw(board, size=123)
    assert ">g</text>" in plain and ">g</text>" not in draw(board, coordinates=False)
    for bad in ({"arrows": [("a7", "z9")]}, {"values": {"a8": 1}}):
        with pytest.raises(ValueError, match="is no point of the board, expected one such as a7"):
            draw(board, **bad)
    with pytest.raises(ValueError, match="size is 7"):
        draw(board, size=7)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_map_of_pieces_makes_the_board_again(variant: str) -> None:
    for fen in millbrain.fens(millbrain.random_positions(30, variant, seed=5), variant):
        board = Board(variant, fen)
        again = Board.from_piece_map(board.piece_map(), board.turn, board.hands or (0, 0), variant)
        assert again.fen().split()[:2] == fen.split()[:2] and again.hands == board.hands
    bad: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"z9": "O"}, millbrain.InvalidPositionError, "no point .z9., expected one such as"),
        ({"a1": "Q"}, millbrain.InvalidPositionError, "a1 has .Q., expected one of"),
        ({"a1": 1}, TypeError, "str"),
    ]
    for pieces, kind, words in bad:
        with pytest.raises(kind, match=words):
            Board.from_piece_map(pieces, variant=variant)
    with pytest.raises(millbrain.InvalidFenError):
        Board.from_piece_map({}, hands=(99, 0), variant="morris")


def test_moves_are_taken_apart() -> None:
    board = Board()
    assert board.move("d6") == Move("d6", None, "d6", ())
    assert board.move("A4-A7xg1") == ("a4a7xg1", "a4", "a7", ("g1",)) and str(board.move("a4a7")) == "a4a7"
    assert Board("smess").move("d1d2") == ("d1d2", "d1", "d2", ())
    with pytest.raises(millbrain.InvalidMoveError, match="cannot be read"):
        board.move("z9")


def test_scores_are_numbers() -> None:
    scores = [Score(mate=0), Score(mate=-2), Score(mate=-9), Score(cp=-40), Score(cp=7), Score(mate=5), Score(mate=1)]
    numbers = [score.score(mate_score=100_000) for score in scores]
    assert numbers == [-100_000, -99_998, -99_991, -40, 7, 99_995, 99_999] and numbers == sorted(numbers)  # type: ignore[type-var]
    assert [score.score() for score in scores] == [None, None, None, -40, 7, None, None]


def test_an_analysis_runs_beside_the_program() -> None:
    with Engine(hash=1) as engine:
        board = Board("mlyn")
        with engine.analysis(board, Limit(), multipv=3) as analysis:
            board.push("d6")
            depths = []
            for line in analysis:
                depths.append(line.depth)
                if line.depth >= 5:
                    break
        lines = analysis.wait()
        assert depths == sorted(depths) and len(lines) == len(analysis.lines) == 3 and lines[0].turn
        with engine.analysis(board, Limit(depth=3)) as analysis:
            found = list(analysis)
        assert found[-1].depth == 3 and analysis.wait()[0].pv == found[-1].pv and list(analysis) == []
        for _ in range(20):
            with engine.analysis(board, Limit()):
                pass
        assert engine.play(board, Limit(nodes=100)).move, "the engine is free again"
        with engine.analysis(board, Limit(depth=3), root_moves=["z9"]) as analysis:
            pass
        with pytest.raises(millbrain.IllegalMoveError, match="z9 cannot be read"):
            analysis.wait()
        with pytest.raises(TypeError, match="board is 'fen', expected a Board"):
            engine.analysis("fen", Limit())  # type: ignore[arg-type]


def test_coroutines_search() -> None:
    async def work() -> None:
        board = Board()
        with Engine(hash=1) as engine:
            assert (await engine.play_async(board, Limit(nodes=500))).move in board.legal_moves
            assert len(await engine.analyse_async(board, Limit(nodes=500), multipv=2)) == 2
            seen = 0
            async with engine.analysis(board, Limit()) as analysis:
                async for line in analysis:
                    seen += 1
                    if line.depth >= 4:
                        break
            assert seen > 2
            task = asyncio.ensure_future(engine.play_async(board, Limit()))
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert engine.play(board, Limit(nodes=100)).move, "the search has ended"

    asyncio.run(work())


def test_no_search_waits_for_another() -> None:
    count = 40
    all_here = threading.Barrier(count)

    async def play() -> None:
        with Engine(hash=1) as engine:
            async with engine.analysis(Board(), Limit(depth=2)) as analysis:
                async for _ in analysis:
                    break
            await engine.play_async(Board(), Limit(depth=1), on_info=lambda line: all_here.wait(60) and None)

    async def work() -> None:
        await asyncio.gather(*(play() for _ in range(count)))

    asyncio.run(work())


def at_rest(engine: Engine | ExternalEngine) -> bool:
    """Whether an engine ends its search within a minute."""
    for _ in range(6_000):
        try:
            engine.new_game()
            return True
        except EngineError:
            time.sleep(0.01)
    return False


@pytest.mark.parametrize("make", [Engine, lambda: ExternalEngine([sys.executable, "-m", "millbrain"])])
def test_an_analysis_that_is_dropped_ends(make: Callable[[], Engine | ExternalEngine]) -> None:
    async def cancelled(engine: Engine | ExternalEngine) -> None:
        async def read() -> None:
            async for _ in engine.analysis(Board(), Limit()):
                pass

        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(read(), 0.1)

    with make() as engine:
        for line in engine.analysis(Board(), Limit()):
            assert line.pv
            break
        del line
        assert at_rest(engine)
        asyncio.run(cancelled(engine))
        assert at_rest(engine)
        ended = engine.analysis(Board(), Limit(depth=1))
        ended.wait()
        # One that has ended ends no other.
        lines = engine.analyse(Board(), Limit(depth=9), on_info=lambda line: ended.stop())
        assert lines[0].depth == 9


GALLERY = Path(__file__).parent.parent / "examples" / "gallery.ipynb"


@pytest.mark.skipif(not GALLERY.exists(), reason="only with the sources")
def test_the_gallery_shows_what_its_cells_give() -> None:
    names: dict[str, Any] = {}
    shown = 0
    for cell in json.loads(GALLERY.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            data = cell["outputs"][0]["data"]
            shown += 1
            # What a search finds changes with the engine.
            if "varies" in cell["metadata"].get("tags", []):
                continue
            if "image/svg+xml" in data:
                assert data["image/svg+xml"] == [value._repr_svg_()]
            else:
                assert data["text/plain"] == [repr(value)]
    assert shown >= 8
