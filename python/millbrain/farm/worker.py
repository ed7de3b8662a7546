"""What runs on a worker: one part of a job at a time, in a folder of its own."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from distributed import Worker, get_worker

from millbrain.farm.program import JOBS, JobFailed, ProgramError, Stopped, digest, find, which

#: The resource of a worker with its number of cores: ``dask worker --resources cores=8``.
CORES = "cores"
#: Seconds for which a worker waits for a free core before it plays timed games all the same.
PATIENCE = 60.0


@dataclass(frozen=True)
class Job:
    """What all parts of a run have in common."""

    run: str
    """The name of the run."""
    program: str | None
    """The engine's program, as `find` takes it."""
    digest: str
    """The SHA-256 of its file."""
    folder: str
    """The folder of the coordinator: jobs run there, where a worker has it."""
    others: tuple[tuple[str, str], ...] = ()
    """More programs that must be the same everywhere, with their SHA-256."""
    cores: float = 1.0
    """The cores that a part keeps busy."""

    def words(self) -> tuple[str, ...]:
        """Returns the words that start the engine here, if it is the same as everywhere."""
        words, file = find(self.program)
        others = [(which(name), expected) for name, expected in self.others]
        for path, expected in [(file, self.digest), *others]:
            found = digest(path)
            if found != expected:
                raise ProgramError(f"{path}: SHA-256 {found[:16]}…, expected {expected[:16]}… as on the coordinator")
        return words

    def start(self, words: Sequence[str]) -> str:
        """Runs the engine's program with these words, and returns its standard output."""
        folder = self.folder if Path(self.folder).is_dir() else None
        return JOBS.run(self.run, [*self.words(), *words, "--end-with-input"], folder)


def check(job: Job) -> str | None:
    """Returns what keeps this worker from taking parts of a job, if anything."""
    try:
        job.words()
    except (ProgramError, OSError) as error:
        return str(error)
    return None


class Greeting(NamedTuple):
    """The answer of a worker to a greeting."""

    fault: str | None
    """What keeps it from taking parts of a job, if anything."""
    cores: float | None
    """How many cores it has for them, where it declares that."""


def greet(job: Job | None, dask_worker: Worker) -> Greeting:
    """Asks a worker what it has, and whether it can take parts of a job."""
    return Greeting(None if job is None else check(job), dask_worker.state.total_resources.get(CORES))


class Outcome(NamedTuple):
    """How a part has ended on a worker."""

    worker: str
    """The address of the worker."""
    seconds: float
    result: Any
    fault: Exception | None


def attempt(function: Callable[..., Any], *arguments: Any) -> Outcome:
    """Calls a function on a worker.

    A fault is a result like others: Dask would print it on the worker, with a useless traceback.
    """
    since = time.monotonic()
    result, fault = None, None
    try:
        result = function(*arguments)
    except (JobFailed, ProgramError, Stopped, OSError) as error:
        fault = error
    return Outcome(get_worker().address, time.monotonic() - since, result, fault)


def stop(run: str) -> None:
    """Ends all parts of a run on this worker."""
    JOBS.stop(run)


@contextmanager
def scratch() -> Iterator[Path]:
    """Yields a folder for one part, in the one that Dask removes after the worker, however that ends."""
    with tempfile.TemporaryDirectory(dir=get_worker().local_directory) as folder:
        yield Path(folder)


def idle_cores(seconds: float = 1.0) -> float:
    """How many cores of this machine have been idle in these seconds, on average."""
    busy: float = psutil.cpu_percent(interval=seconds)
    return (100.0 - busy) / 100.0 * (os.cpu_count() or 1)


def wait_for_cores(cores: float) -> float:
    """Waits until this number of cores is idle, for a minute at most; returns how many are.

    Games on a clock are worth nothing where something else takes the engines' time.
    """
    since = time.monotonic()
    while True:
        idle = idle_cores()
        # A core is never quite idle.
        if idle >= cores - 0.25 or time.monotonic() - since > PATIENCE:
            return idle
