"""The minimal client of the protocol plays a whole game."""

import subprocess
import sys
from pathlib import Path

from millbrain import Board


def test_the_minimal_client_plays_a_game() -> None:
    client = Path(__file__).parents[2] / "examples" / "client.py"
    command = [sys.executable, str(client), sys.executable, "-m", "millbrain"]
    first, *moves, last = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    board = Board("mlyn")
    for line in moves:
        number, move, score = line.split(" ", 2)
        board.push(move)
        assert number == f"{board.ply()}." and score.startswith("(")
    outcome = board.outcome()
    assert outcome is not None
    winner = "draw" if outcome.winner is None else "white wins" if outcome.winner else "black wins"
    texts = (Path(__file__).parents[2] / "crates/core/src/texts/en.txt").read_text().splitlines()
    (reason,) = [line.split(" = ")[1] for line in texts if line.startswith(f"ending.{outcome.termination.value} = ")]
    assert (first, last) == ("readyok", f"Result: {winner} ({reason})")
