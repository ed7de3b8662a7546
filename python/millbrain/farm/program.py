"""The engine's program: which one it is, and running it so that it ends with its parent."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO


class ProgramError(Exception):
    """The program cannot be found, or is another one than it should be."""


class JobFailed(Exception):
    """The program has refused a job, or has found a fault. The text is its message."""


class Died(JobFailed):
    """The program was ended by a signal, such as that of a system short of memory."""


class Stopped(Exception):
    """The run is over, so the job is not needed any more."""


@functools.cache
def find(program: str | None) -> tuple[tuple[str, ...], str]:
    """Returns the words that start the engine on this machine, and the file by which it is compared with others.

    Without a `program` it is that of the installed package, or else ``millbrain`` on the search path.
    """
    if program is None:
        package = importlib.util.find_spec("millbrain._native")
        if package is not None and package.origin is not None:
            return (sys.executable, "-m", "millbrain"), package.origin
    path = which(program or "millbrain")
    return (path,), path


def which(name: str) -> str:
    """Returns the file of a program, by its name or path."""
    path = shutil.which(name)
    if path is None:
        raise ProgramError(f"{name}: no such program on this machine")
    return path


@functools.cache
def digest(path: str) -> str:
    """Returns the SHA-256 of a file, in hexadecimal."""
    found = hashlib.sha256()
    with Path(path).open("rb") as file:
        while piece := file.read(1 << 20):
            found.update(piece)
    return found.hexdigest()


class Jobs:
    """The processes that run on this worker, by the run they belong to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, set[subprocess.Popen[bytes]]] = {}
        self._stopped: set[str] = set()

    def run(self, run: str, words: Sequence[str], folder: str | None) -> str:
        """Runs a job to its end, in a folder if one is given, and returns its standard output.

        Raises `JobFailed` if it fails, and `Stopped` if the run has been stopped.
        """
        # The job ends when the other end of its input is closed, even if this process is killed.
        reading, writing = os.pipe()
        try:
            with self._lock:
                if run in self._stopped:
                    raise Stopped
                process = subprocess.Popen(
                    words,
                    cwd=folder,
                    stdin=reading,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                )
                self._running.setdefault(run, set()).add(process)
            out, complaints = process.communicate()
        finally:
            os.close(reading)
            os.close(writing)
        with self._lock:
            self._running[run].discard(process)
            if run in self._stopped:
                raise Stopped
        if process.returncode != 0:
            raise failure(words, process.returncode, complaints.decode(errors="replace"))
        return out.decode()

    def stop(self, run: str) -> None:
        """Ends all processes of a run, and lets no more begin."""
        with self._lock:
            self._stopped.add(run)
            for process in self._running.pop(run, ()):
                process.kill()


JOBS = Jobs()


def failure(words: Sequence[str], status: int, complaints: str) -> JobFailed:
    """Returns the error for a program that has ended with this status, in its own words."""
    message = re.search(r"^(?:millbrain|error): (.*)", complaints, re.MULTILINE)
    # A shell around the program returns the number of a signal plus 128.
    number = -status if status < 0 else status - 128
    if number in signal.valid_signals() and message is None:
        last = complaints.strip().rpartition("\n")[2]
        return Died(f"the engine was ended by signal {number} ({signal.Signals(number).name}){last and f': {last}'}")
    return JobFailed(message[1] if message else f"{' '.join(words)}: status {status}")


def capture(words: Sequence[str], given: BinaryIO | None = None) -> str:
    """Runs the program here, on a file if given; its standard output. Its complaints are an error."""
    stdin = subprocess.DEVNULL if given is None else given
    done = subprocess.run(words, stdin=stdin, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise failure(words, done.returncode, done.stderr)
    return done.stdout
