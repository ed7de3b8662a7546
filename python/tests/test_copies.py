"""Whatever is public can be copied and sent to another process."""

import copy
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

import millbrain
from millbrain import WHITE, Board, Book, Engine, ExternalEngine, Game, Limit, Line, Move, Outcome, Score, Tables, Wdl
from millbrain.analysis import Analysis
from millbrain.book import BookMove, BookPosition
from millbrain.engine import PlayResult
from millbrain.env import Environment, Step
from millbrain.external import Option
from millbrain.games import Node, TextFile
from millbrain.svg import Colors
from millbrain.tables import Targets, Value, ValuedMove
from millbrain.training import TrainingBatch, training_batches
from millbrain.vector import Symmetries, VectorEnvironment, VectorStep, symmetries

# Those that have a test of their own, what only types name, and a search under way, which is a thread.
ELSEWHERE = {Book, BookMove, BookPosition, Engine, ExternalEngine, Tables, Node, TextFile, Analysis}


def played(games: VectorEnvironment) -> list[str]:
    """Where games come to."""
    for _ in range(40):
        games.step(games.sample())
    return [games.fen(number) for number in range(len(games))]


def test_games_go_on_as_one_that_was_copied() -> None:
    for variant, settings in (("morris", {"random_plies": 3}), ("smess", {"observe": False, "auto_reset": False})):
        games = VectorEnvironment(70, variant, seed=5, **settings)
        played(games)
        twins = [copy.copy(games), copy.deepcopy(games), pickle.loads(pickle.dumps(games))]
        for twin in twins:
            for name in VectorStep._fields:
                assert np.array_equal(getattr(twin, name), getattr(games, name)), name
                assert not np.shares_memory(getattr(twin, name), getattr(games, name))
        expected = played(games)
        assert all(played(twin) == expected for twin in twins)


def test_a_repetition_is_one_of_a_copy_too() -> None:
    games = VectorEnvironment(1, fen="O2/1O1/2O/O2X2/3/XX1/2X w 0 0", auto_reset=False)
    env = Environment()
    back_and_forth = [env.move_to_action(move) for move in ["a7d7", "g1g4", "d7a7", "g4g1"] * 2]
    for action in back_and_forth:
        games = pickle.loads(pickle.dumps(games))
        games.step([action])
    assert games.terminals.all() and not games.rewards.any()


def test_legal_moves_are_those_of_their_board() -> None:
    board = Board()
    moves, others = copy.copy(board.legal_moves), copy.deepcopy(board.legal_moves)
    sent = pickle.loads(pickle.dumps(board.legal_moves))
    board.push("d6")
    assert list(moves) == list(board.legal_moves) and len(moves) == 23
    assert list(others) == list(sent) == list(Board().legal_moves)


LINE = Line(1, Score(cp=3), Wdl(1, 2, 3), 4, 5, 6, 7.0, 8, 9, "exact", ["d6"], WHITE)
MADE: dict[type, Callable[[], Any]] = {
    Board: lambda: Board("mlyn", stones=5),
    Colors: Colors,
    Environment: lambda: Environment("smess"),
    Game: lambda: millbrain.read_games("1. d6 f4")[0],
    millbrain.batch.Layout: lambda: millbrain.layout("smess"),
    millbrain.batch.LegalActions: lambda: millbrain.legal_actions(millbrain.encode([Board()])),
    type(Board().legal_moves): lambda: Board().legal_moves,
    Limit: lambda: Limit(depth=3),
    Line: lambda: LINE,
    Move: lambda: Board().move("d6"),
    Option: lambda: Option("Hash", "spin"),
    Outcome: lambda: Board(fen="OO1/3/3/6/3/3/XXX w 0 0").outcome(),
    PlayResult: lambda: PlayResult("d6", None, LINE),
    Score: lambda: Score(mate=3),
    Step: lambda: Environment().step(0),
    Symmetries: symmetries,
    Targets: lambda: Tables().targets_many(millbrain.encode([Board()])),
    TrainingBatch: lambda: next(training_batches(Tables(), 3, sector="3-3")),
    Value: lambda: Value(1, 3),
    ValuedMove: lambda: ValuedMove("d6", Value(1, 3)),
    VectorEnvironment: lambda: VectorEnvironment(2),
    VectorStep: lambda: VectorEnvironment(2).step([0, 1]),
    Wdl: lambda: Wdl(1, 2, 3),
}


def public() -> set[type]:
    """The classes that users meet, exceptions left out."""
    modules = [millbrain]
    for found in pkgutil.iter_modules(millbrain.__path__, "millbrain."):
        if found.name.rpartition(".")[2] not in ("__main__", "_native", "adapters", "errors", "farm"):
            modules.append(importlib.import_module(found.name))
    named = [getattr(module, name) for module in modules for name in getattr(module, "__all__", dir(module))]
    own = {each for each in named if inspect.isclass(each) and each.__module__.partition(".")[0] == "millbrain"}
    return {each for each in own if each.__name__[0] != "_" and not issubclass(each, BaseException | Enum)}


def test_all_that_is_public_can_be_copied() -> None:
    left = public() - set(MADE) - ELSEWHERE
    assert not left, f"each class is copied: {left}"
    for kind, make in MADE.items():
        made = make()
        assert type(made) is kind
        for twin in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            assert type(twin) is kind and (repr(twin) == repr(made) or " at 0x" in repr(made)), kind


def test_exceptions_travel() -> None:
    kinds = [each for each in vars(millbrain.errors).values() if inspect.isclass(each) and issubclass(each, Exception)]
    for kind in kinds:
        twin = pickle.loads(pickle.dumps(kind("words")))
        assert type(twin) is kind and str(twin) == "words"
