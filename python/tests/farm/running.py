"""The engine as one process, and the farm as a program, for the tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from millbrain.farm.program import find

#: The engine to test; the installed package's own where it is not set.
PROGRAM = os.environ.get("MILLBRAIN") or None
#: Worker processes of the cluster that tests share.
WORKERS = 2
#: Those of a cluster for one test: each takes more than a second of a processor to start.
FEW = ("--workers", "2")


class Engine:
    """The engine as one process."""

    def __init__(self) -> None:
        self.words = list(find(PROGRAM)[0])
        #: The words of an engine in a match.
        self.command = [f"cmd={self.words[0]}", *([f"args={' '.join(self.words[1:])}"] if self.words[1:] else [])]

    def run(self, *words: str, cwd: Path) -> str:
        """Runs a job, which must end well; its standard output."""
        done = subprocess.run(
            [*self.words, *words], cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def match(self, *words: str) -> list[str]:
        """The words of a short match between two strengths of the engine."""
        engines = [
            word
            for name, nodes in [("A", 300), ("B", 150)]
            for word in ["--engine", f"name={name}", *self.command, f"nodes={nodes}"]
        ]
        return [*engines, "--openings", "plies=6", "seed=5", *words]


def start_farm(*words: str, cwd: Path, where: Sequence[str] = FEW, log: TextIO | None = None) -> subprocess.Popen[str]:
    """Starts the command line of the farm; its output goes into pipes, or to a log."""
    to = subprocess.PIPE if log is None else log
    own = [sys.executable, "-m", "millbrain.farm", *where]
    if PROGRAM:
        own += ["--program", PROGRAM]
    return subprocess.Popen([*own, *words], cwd=cwd, stdout=to, stderr=to, text=True, start_new_session=True)


def run_farm(*words: str, cwd: Path, where: Sequence[str] = FEW) -> tuple[int, str, str]:
    """Runs the command line of the farm; its status, output and complaints."""
    process = start_farm(*words, cwd=cwd, where=where)
    out, complaints = process.communicate(timeout=300)
    return process.returncode, out, complaints


def without_times(record: str) -> str:
    """The games of a record without the times of the moves."""
    return re.sub(r"\d+ms", "ms", record)


def table(out: str) -> list[str]:
    """The table that a match prints at its end."""
    return out[out.rindex("Score of") :].splitlines()
