"""The coordinator's side: a cluster, and parts of a job handed out until all are done."""

from __future__ import annotations

import logging
import os
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import dask
from distributed import Client, Future, KilledWorker, LocalCluster, as_completed
from distributed.client import FutureCancelledError

from millbrain.farm import worker
from millbrain.farm.program import JobFailed, capture, digest, find, which
from millbrain.farm.worker import Job

__all__ = ["Farm", "FarmError", "JobFailed", "Sizes"]

log = logging.getLogger("millbrain.farm")

#: Parts handed out for each slot of the cluster: one at work, one on the way.
PARTS_PER_SLOT = 2
#: Workers that a part may take with it before the run is given up.
ATTEMPTS = 5
#: What a part should take, in seconds: long against the start of a process, short against a loss.
SECONDS_PER_PART = 20.0

Part = TypeVar("Part")


class FarmError(Exception):
    """A run that cannot go on. The text says why."""


class Farm:
    """A Dask cluster that runs parts of jobs: the one at a scheduler's address, or one of this machine's cores."""

    def __init__(self, scheduler: str | None = None, workers: int | None = None, program: str | None = None) -> None:
        self._scheduler = scheduler
        self._workers = workers
        self._cluster: LocalCluster | None = None
        self._client: Client | None = None
        self._slots, self._slots_asked = 1, float("-inf")
        self.program = program
        words, self._file = find(program)
        #: The words that start the engine on this machine.
        self.words = list(words)

    @property
    def client(self) -> Client:
        """The client of the cluster, which starts when it is first asked for: not before a job is known to be sound."""
        if self._client is None:
            if self._scheduler is None:
                # A worker that is killed is no fault of the part it had.
                with dask.config.set({"distributed.scheduler.allowed-failures": ATTEMPTS}):
                    self._cluster = LocalCluster(
                        n_workers=self._workers,
                        threads_per_worker=1,
                        processes=True,
                        dashboard_address=None,
                        silence_logs=logging.ERROR,
                    )
            try:
                self._client = Client(self._cluster or self._scheduler, set_as_default=False)
            except OSError as error:
                raise FarmError(f"{self._scheduler}: no scheduler answers ({error})") from error
        return self._client

    def __enter__(self) -> Farm:
        return self

    def __exit__(self, *_: object) -> None:
        if self._client is not None:
            self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    def slots(self) -> int:
        """How many parts run at a time; workers come and go, so it is asked anew every second."""
        now = time.monotonic()
        if now - self._slots_asked > 1.0:
            self._slots, self._slots_asked = max(1, sum(self.client.nthreads().values())), now
        return self._slots

    def capture(self, words: Sequence[str]) -> str:
        """Runs the engine on this machine; its standard output. Its complaints are an error."""
        return capture([*self.words, *words])

    def job(self, others: Sequence[str] = ()) -> Job:
        """A new run of the engine, and of these other programs, once all workers have the same files."""
        files = tuple((name, digest(which(name))) for name in others)
        job = Job(uuid.uuid4().hex, self.program, digest(self._file), os.getcwd(), files)
        self.client.wait_for_workers(1)
        for address, fault in self.client.run(worker.check, job).items():
            if fault is not None:
                raise FarmError(f"worker {address}: {fault}")
        return job

    def stop(self, job: Job) -> None:
        """Ends all parts of a job, on all workers, at once."""
        self.client.run(worker.stop, job.run, on_error="ignore")

    def each(
        self,
        job: Job,
        parts: Iterator[Part],
        submit: Callable[[Part], tuple[Any, ...]],
        on_done: Callable[[Part, float, Any], bool],
    ) -> None:
        """Runs all parts, and hands each to `on_done` once, in the order in which they come.

        `submit` turns a part into a function and its arguments, which run on a worker; `on_done` takes the part, the
        seconds it took and what the function has returned. It returns whether to go on; the parts still at work are
        ended where it does not, or where anything fails.
        """
        at_work: dict[Future, Part] = {}
        attempts: dict[Part, int] = {}
        results = as_completed(loop=self.client.loop)

        def hand_out(part: Part) -> None:
            future = self.client.submit(worker.attempt, *submit(part), pure=False)
            at_work[future] = part
            results.add(future)

        def feed() -> None:
            while len(at_work) < PARTS_PER_SLOT * self.slots():
                part = next(parts, None)
                if part is None:
                    return
                hand_out(part)

        try:
            feed()
            while at_work:
                future = next(results)
                part = at_work.pop(future)
                try:
                    seconds, result, fault = future.result()
                except (KilledWorker, FutureCancelledError) as error:
                    attempts[part] = attempts.get(part, 0) + 1
                    if attempts[part] >= ATTEMPTS:
                        raise FarmError(f"a part was lost {ATTEMPTS} times with its workers ({error})") from error
                    log.warning("a part was lost with its worker, and is done again")
                    hand_out(part)
                    continue
                if fault is not None:
                    raise fault
                if not on_done(part, seconds, result):
                    return
                feed()
        finally:
            if at_work:
                self.client.cancel(list(at_work), force=True)
                self.stop(job)


class Sizes:
    """How many items make a part of about 20 seconds, by the time that the parts so far have taken."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._items = 0
        self._seconds = 0.0

    def add(self, items: int, seconds: float) -> None:
        """A part of so many items took so many seconds on its worker."""
        self._items += items
        self._seconds += seconds

    def next(self, left: int, slots: int) -> int:
        """Items for the next part; less at the end, so that all workers end at about the same time."""
        wanted = 1
        if self._seconds > 0:
            wanted = int(SECONDS_PER_PART * self._items / self._seconds)
        return max(1, min(wanted, self._most, left // (2 * slots)))
