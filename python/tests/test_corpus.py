"""The game files of tests/data/games: what is read of each is what expected.json says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from millbrain import Game, RecordError, iter_games, read_games
from millbrain.games import _house_text

FOLDER = Path(__file__).parents[2] / "tests" / "data" / "games"
USUAL: dict[str, Any] = {"variant": "morris", "fen": None}


def said(game: Game) -> dict[str, Any]:
    nodes, waiting = [], [game.root]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        waiting += reversed(node.children)
    nodes = nodes[1:]
    reported = {
        "variant": game.variant,
        "rules": _house_text(game.rules),
        "white": game.white,
        "black": game.black,
        "fen": game.fen,
        "moves": " ".join(game.moves),
        "nodes": len(nodes),
        "comment": game.root.comment,
        "comments": sorted(text for node in nodes for text in (node.before, node.comment) if text),
        "marks": [mark for node in nodes for mark in node.marks],
        "clocks": [node.clock for node in nodes if node.clock is not None],
        "tags": [list(tag) for tag in game.tags.items()],
        "notes": game.notes,
    }
    if game.result != "*" or game.termination != "normal":
        reported |= {"result": game.result, "termination": game.termination, "reason": game.reason}
    usual = {"variant": "morris", "nodes": len(game.moves), "result": "*"}
    return {
        name: value
        for name, value in reported.items()
        if name == "moves" or value not in ("", None, []) and value != usual.get(name)
    }


def of_fault(fault: RecordError) -> tuple[int, dict[str, Any]]:
    found = re.match(r"game (\d+) in line (\d+): (.*)$", str(fault), re.DOTALL)
    assert found is not None
    return int(found[1]), {"error": found[3], "line": int(found[2])}


@pytest.mark.parametrize("reads", ["whole", "line by line"])
def test_all_files_are_read_as_expected(reads: str) -> None:
    expected = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
    assert len(expected) >= 200
    for name, games in expected.items():
        faults: list[RecordError] = []
        # As it is: with the ends of lines that it has.
        with (FOLDER / name).open(encoding="utf-8", newline="") as file:
            read = read_games(file, faults=faults) if reads == "whole" else list(iter_games(file, faults=faults))
        found = [said(game) for game in read]
        for number, reported in map(of_fault, faults):
            found.insert(number - 1, reported)
        assert found == games, name
