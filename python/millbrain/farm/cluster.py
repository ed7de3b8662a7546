"""The coordinator's side: a cluster, and parts of a job handed out until all are done."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import queue
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO, TypeVar

from distributed import Client, Future, KilledWorker
from distributed.client import FutureCancelledError

from millbrain.farm import worker
from millbrain.farm.errors import FarmError
from millbrain.farm.local import LocalWorkers
from millbrain.farm.program import Died, JobFailed, ProgramError, capture, digest, find, which
from millbrain.farm.shards import Items
from millbrain.farm.worker import Job

__all__ = ["Farm", "FarmError", "JobFailed", "Sizes"]

log = logging.getLogger("millbrain.farm")

#: Parts handed out for each slot of the cluster: one at work, one on the way.
PARTS_PER_SLOT = 2
#: How often a part may be lost before the run is given up.
ATTEMPTS = 5
#: What a part should take, in seconds: long against the start of a process, short against a loss.
SECONDS_PER_PART = 20.0
#: Seconds between two looks at the cluster.
LOOK = 1.0
#: Seconds for which the cluster may take to answer.
ANSWER = 10.0
#: Seconds without workers after which that is said for the first time; then after twice the time, and so on.
FIRST_WORD = 3.0
#: Seconds without workers after which a run is given up.
WORKER_TIMEOUT = 600.0
#: How to go on with most runs.
RESUME = "--resume goes on"

#: What asking a cluster that is not there ends with.
_NO_ANSWER = (OSError, asyncio.TimeoutError)

Part = TypeVar("Part")


class Farm:
    """A Dask cluster that runs parts of jobs: the one at a scheduler's address, or one of this machine's cores."""

    def __init__(
        self,
        scheduler: str | None = None,
        workers: int | None = None,
        program: str | None = None,
        worker_timeout: float = WORKER_TIMEOUT,
    ) -> None:
        self._scheduler = scheduler
        self._workers = workers
        #: Seconds without workers after which a run is given up.
        self.worker_timeout = worker_timeout
        #: The workers of this machine, where no scheduler was given.
        self.local: LocalWorkers | None = None
        self._client: Client | None = None
        #: The threads of each worker that may take parts, as last seen, and when that was.
        self._threads: dict[str, int] = {}
        self._looked = float("-inf")
        #: Since when there have been no workers, and after how many seconds that is said next.
        self._alone_since: float | None = None
        self._next_word = FIRST_WORD
        #: The workers that take no part, as they run another program.
        self.left_out: set[str] = set()
        self._shared: Future | None = None
        self.program = program
        words, self._file = find(program)
        #: The words that start the engine on this machine.
        self.words = list(words)
        #: How to go on with the run that began last, when it is given up.
        self.resume = RESUME

    @property
    def client(self) -> Client:
        """The client of the cluster, which starts when it is first asked for: not before a job is known to be sound.

        Dask closes a client whose scheduler has been away for half a minute; another one then takes its place.
        """
        if self._client is not None and self._client.status in ("closing", "closed"):
            self._client = Client(self._address(), timeout=ANSWER, set_as_default=False)
        if self._client is None:
            if self._scheduler is None:
                self.local = LocalWorkers(self._workers, ATTEMPTS)
            try:
                self._client = Client(self._address(), set_as_default=False)
            except OSError as error:
                raise FarmError(f"{self._scheduler}: no scheduler answers ({error})") from error
        return self._client

    def _address(self) -> Any:
        """What a client connects to."""
        return self._scheduler if self.local is None else self.local.cluster

    def __enter__(self) -> Farm:
        return self

    def __exit__(self, *_: object) -> None:
        if self._client is not None:
            with contextlib.suppress(*_NO_ANSWER):
                self._client.close(timeout=ANSWER)
        if self.local is not None:
            self.local.close()

    def threads(self) -> dict[str, int]:
        """The threads of each worker that may take parts, by the address; they come and go, so they are asked for anew.

        There may be none for a time, which is said; the run is given up when that has lasted for too long.
        """
        now = time.monotonic()
        if now - self._looked < LOOK:
            return self._threads
        client = self._connected()
        if self.local is not None:
            self.local.keep_up()
        found: dict[str, int] | None = None
        if client is not None:
            with contextlib.suppress(*_NO_ANSWER):
                found = client.nthreads(callback_timeout=ANSWER)
        self._threads = {address: n for address, n in (found or {}).items() if address not in self.left_out}
        self._looked = time.monotonic()
        self._wait_or_give_up("no workers" if found is not None else f"no answer from {self._scheduler}")
        return self._threads

    def _connected(self) -> Client | None:
        """The client, unless its scheduler has gone away."""
        if self._client is None:
            return self.client
        with contextlib.suppress(*_NO_ANSWER):
            return self.client
        return None

    def _wait_or_give_up(self, missing: str) -> None:
        """Says now and then for how long something has been missing, where there are no workers."""
        if self._threads:
            self._alone_since, self._next_word = None, FIRST_WORD
            return
        if self._alone_since is None:
            self._alone_since = self._looked
        seconds = self._looked - self._alone_since
        if seconds >= self.worker_timeout:
            raise FarmError(f"{missing} for {seconds:.0f} s, the limit of --worker-timeout; {self.resume}")
        if seconds >= self._next_word:
            log.warning("%s for %.0f s, given up after %g s", missing, seconds, self.worker_timeout)
            self._next_word = 2 * seconds

    def slots(self) -> int:
        """How many parts run at a time, at least 1."""
        return max(1, sum(self.threads().values()))

    @property
    def digest(self) -> str:
        """The SHA-256 of the engine on this machine."""
        return digest(self._file)

    def capture(self, words: Sequence[str], given: BinaryIO | None = None) -> str:
        """Runs the engine on this machine, on a file if given; its standard output. Its complaints are an error."""
        return capture([*self.words, *words], given)

    def job(self, others: Sequence[str] = (), resume: str = RESUME) -> Job:
        """A new run of the engine, and of these other programs, once a worker has the same files.

        resume says how to go on with it when it is given up.
        """
        self.resume = resume
        files = tuple((name, digest(which(name))) for name in others)
        job = Job(uuid.uuid4().hex, self.program, self.digest, os.getcwd(), files)
        self.left_out.clear()
        while not self.threads():
            time.sleep(LOOK / 10)
        faults: dict[str, Any] = {}
        # Workers that do not answer now are asked when they take their first part.
        with contextlib.suppress(*_NO_ANSWER):
            faults = self.client.run(worker.check, job, on_error="return", callback_timeout=ANSWER)
        for address, fault in faults.items():
            if fault is not None and not isinstance(fault, OSError):
                self.leave_out(address, str(fault))
        if faults and not self._threads:
            raise FarmError("; ".join(f"worker {address}: {fault}" for address, fault in faults.items()))
        return job

    def leave_out(self, address: str, fault: str) -> None:
        """Hands out no more parts to a worker."""
        self._threads.pop(address, None)
        if address not in self.left_out:
            self.left_out.add(address)
            log.warning("worker %s takes no part: %s", address, fault)

    def shared(self, text: str) -> Future:
        """A text that many parts need, as an argument of their functions: it is sent to each worker once."""
        # A task rather than data: what is lost with a worker is made again.
        if self._shared is None or self._shared.client is not self.client or self._shared.status in _FAILED:
            self._shared = self.client.submit(str, text, pure=False)
        return self._shared

    def cancel(self, futures: list[Future]) -> None:
        """Forgets futures, if the cluster can be told."""
        if futures and self._client is not None and self._client.status == "running":
            self._client.cancel(futures, force=True)

    def stop(self, job: Job) -> None:
        """Ends all parts of a job, on all workers that can be told, at once."""
        if self._client is not None and self._client.status == "running":
            with contextlib.suppress(*_NO_ANSWER):
                self._client.run(worker.stop, job.run, on_error="ignore", callback_timeout=ANSWER)

    def each(
        self,
        job: Job,
        parts: Iterator[Part],
        submit: Callable[[Part], tuple[Any, ...]],
        on_done: Callable[[Part, float, Any], bool],
        name: Callable[[Part], str] = str,
    ) -> None:
        """Runs all parts, and hands each to `on_done` once, in the order in which they come.

        `submit` turns a part into a function and its arguments, which run on a worker; `on_done` takes the part, the
        seconds it took and what the function has returned. It returns whether to go on; the parts still at work are
        ended where it does not, or where anything fails. `name` is what a part is called in messages.

        Parts whose worker is lost, or whose program is ended by a signal, are done again.
        """
        hands = _Hands(self, parts, submit, name)
        try:
            while hands.feed():
                for part, seconds, result in hands.take():
                    if not on_done(part, seconds, result):
                        return
        finally:
            if hands.drop():
                self.stop(job)


#: States of a future that no result comes from any more.
_FAILED = frozenset({"cancelled", "error", "lost"})


class _Hands:
    """The parts of one job that are on the cluster, and those that are to go there again."""

    def __init__(
        self,
        farm: Farm,
        parts: Iterator[Any],
        submit: Callable[[Any], tuple[Any, ...]],
        name: Callable[[Any], str],
    ) -> None:
        self._farm = farm
        self._parts = parts
        self._submit = submit
        self._name = name
        #: What each future is to do, and the only workers that may do it, if there are others.
        self._at_work: dict[Future, tuple[Any, frozenset[str]]] = {}
        #: Parts to hand out before the others.
        self._again: deque[Any] = deque()
        self._losses: Counter[Any] = Counter()
        self._finished: queue.SimpleQueue[tuple[Future, Any]] = queue.SimpleQueue()

    def feed(self) -> bool:
        """Hands out parts as long as workers have room; whether there is anything to wait for."""
        threads = self._farm.threads()
        self._take_back(threads)
        room = PARTS_PER_SLOT * sum(threads.values())
        while self._is_more() and len(self._at_work) < room:
            self._hand_out(self._again.popleft(), threads)
        return bool(self._at_work or self._again)

    def _is_more(self) -> bool:
        """Whether there is a part that is not handed out."""
        if not self._again:
            self._again.extend(itertools.islice(self._parts, 1))
        return bool(self._again)

    def _hand_out(self, part: Any, threads: dict[str, int]) -> None:
        client = self._farm.client
        only = frozenset(threads) if self._farm.left_out else frozenset[str]()
        workers = list(only) or None
        future = client.submit(worker.attempt, *self._submit(part), pure=False, workers=workers)
        self._at_work[future] = part, only
        client.loop.add_callback(_collect, future, self._finished)

    def _take_back(self, threads: dict[str, int]) -> None:
        """Takes back the parts that wait for workers which are no more: Dask would wait for them for ever."""
        for future, (part, only) in list(self._at_work.items()):
            if only and only.isdisjoint(threads):
                del self._at_work[future]
                self._again.append(part)
                self._farm.cancel([future])

    def take(self) -> Iterator[tuple[Any, float, Any]]:
        """The part that ends next, with its seconds and its result; none where it is lost, or nothing ends for now."""
        try:
            future, outcome = self._finished.get(timeout=LOOK)
        except queue.Empty:
            return
        part, _ = self._at_work.pop(future, (None, None))
        if part is None:
            return
        if isinstance(outcome, KilledWorker):
            last = outcome.last_worker.address
            self._lost(part, f"lost with worker {last}", outcome.allowed_failures + 1)
        elif isinstance(outcome, (FutureCancelledError, OSError)):
            self._lost(part, "lost with the connection to the scheduler")
        elif isinstance(outcome, Exception):
            raise FarmError(f"{self._name(part)}: {type(outcome).__name__}: {outcome}") from outcome
        elif isinstance(outcome.fault, Died):
            self._lost(part, f"{outcome.fault} on worker {outcome.worker}")
        elif isinstance(outcome.fault, ProgramError):
            self._farm.leave_out(outcome.worker, str(outcome.fault))
            self._again.append(part)
        elif outcome.fault is not None:
            raise outcome.fault
        else:
            yield part, outcome.seconds, outcome.result

    def _lost(self, part: Any, how: str, times: int = 1) -> None:
        """Does a part again, unless it has been lost too often."""
        self._losses[part] += times
        if self._losses[part] >= ATTEMPTS:
            raise FarmError(f"{self._name(part)}: {how}, lost {self._losses[part]} times; {self._farm.resume}")
        log.warning("%s: %s, done again", self._name(part), how)
        self._again.append(part)

    def drop(self) -> bool:
        """Forgets the parts that are still on the cluster; whether there were any."""
        self._farm.cancel(list(self._at_work))
        return bool(self._at_work)


async def _collect(future: Future, finished: queue.SimpleQueue[tuple[Future, Any]]) -> None:
    """Waits for a future on the client's loop, so that whoever waits for the queue can do so for a limited time."""
    try:
        outcome = await future
    except Exception as error:
        outcome = error
    finished.put((future, outcome))


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

    def cut(self, left: list[Items], slots: Callable[[], int]) -> Iterator[Items]:
        """What is left, in parts; the size of each follows from what is known when it is asked for."""
        remaining = sum(last - first for first, last in left)
        for first, last in left:
            while first < last:
                size = min(self.next(remaining, slots()), last - first)
                yield first, first + size
                first += size
                remaining -= size
