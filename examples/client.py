"""A minimal client of the protocol: plays a game of the engine against itself. Usage: client.py COMMAND [ARGUMENT ...]"""

import subprocess
import sys
from collections.abc import Callable


class Engine:
    """A program that speaks the protocol."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line: str, is_last: Callable[[str], bool]) -> list[str]:
        """Sends a line and returns the answer, up to the line that is the last."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(line, file=self._process.stdin, flush=True)
        answer = []
        for text in self._process.stdout:
            answer.append(text.rstrip("\n"))
            if is_last(answer[-1]):
                return answer
        raise SystemExit(f"the engine ended after {line!r}")

    def close(self) -> None:
        """Ends the program."""
        self._process.communicate("quit\n")


def main() -> None:
    engine, moves = Engine(sys.argv[1:]), list[str]()
    engine.ask("uci", lambda line: line == "uciok")
    # There is no answer to this; one to isready says that it has been done, and what was refused comes before it.
    print(*engine.ask("setoption name UCI_Variant value mlyn\nisready", lambda line: line == "readyok"))
    while True:
        position = " ".join(["position startpos moves", *moves])
        board = engine.ask(f"{position}\nd\nisready", lambda line: line == "readyok")
        if result := [line for line in board if line.startswith("Result: ")]:
            break
        *info, last = engine.ask("go nodes 2000", lambda line: line.startswith("bestmove"))
        moves.append(last.split()[1])
        scores = [line.split(" score ")[1].split(" nodes ")[0] for line in info if " score " in line]
        print(f"{len(moves)}. {moves[-1]} ({scores[-1] if scores else 'no search'})")
    print(*result)
    engine.close()


if __name__ == "__main__":
    main()
