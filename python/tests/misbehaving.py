"""An engine that misbehaves: ``STAGE HOW`` is the command at which it does, and what it does."""

import itertools
import os
import sys
import time
from collections.abc import Callable


def say(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)


def flood(line: str) -> None:
    for number in itertools.count():
        print(line.format(number))


def hang() -> None:
    time.sleep(3_600)


def fall_silent() -> None:
    os.close(1)
    hang()


# What it does then, and whether it goes on as if nothing had been.
ENDLESS: dict[str, Callable[[], object]] = {
    "hang": hang,
    "flood": lambda: flood("y"),
    "notes": lambda: flood("info string {}"),
    "options": lambda: flood("option name {} type spin default 1"),
    "reports": lambda: flood("info multipv {} score cp 1 pv d6"),
    "a line without end": lambda: [os.write(1, b"x" * 4_096) for _ in itertools.count()],
    "fall silent": fall_silent,
    "end": lambda: os._exit(3),
    "be killed": lambda: os.kill(os.getpid(), 9),
}

if __name__ == "__main__":
    stage, how = sys.argv[1:]
    for line in map(str.strip, sys.stdin):
        command = line.partition(" ")[0]
        if command == stage:
            ENDLESS[how]()
        if command == "uci":
            say(
                "id name mock 1", "option name UCI_Variant type combo var morris", "option name Hash type spin", "uciok"
            )
        elif command == "isready":
            say("readyok")
        elif command == "go" and "infinite" not in line or command == "stop":
            say("info depth 1 score cp 5 pv d6", "bestmove d6")
        elif command == "quit":
            break
