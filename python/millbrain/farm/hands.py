"""The parts of one job that are on the cluster, and those that are to go there again."""

from __future__ import annotations

import itertools
import logging
import queue
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from distributed import Client, Future, KilledWorker
from distributed.client import FutureCancelledError

from millbrain.farm import worker
from millbrain.farm.errors import FarmError
from millbrain.farm.losses import Cause, Losses, Policy, Report, Verdict
from millbrain.farm.program import Died, JobFailed, ProgramError
from millbrain.farm.worker import CORES, Job

log = logging.getLogger("millbrain.farm")

#: Parts handed out for each slot of the cluster: one at work, one on the way.
PARTS_PER_SLOT = 2
#: Seconds between two looks at the cluster.
LOOK = 1.0
#: Seconds without a finished part until the first warning; the next one comes after twice the time, and so on.
QUIET = 60.0
#: So many parts to be tried alone are not put off to the end of the run: each is in memory until then.
MOST_ALONE = 8


class Workers(Protocol):
    """The workers that parts are handed to."""

    policy: Policy
    report: Report
    resume: str
    is_declared: bool

    @property
    def client(self) -> Client: ...
    def threads(self) -> dict[str, int]: ...
    def is_away(self, error: Exception) -> bool: ...
    def leave_out(self, address: str, fault: str) -> None: ...
    def cancel(self, futures: list[Future]) -> None: ...


class Handed(NamedTuple):
    """A part that is on the cluster."""

    part: Any
    only: frozenset[str]
    """The only workers that may do it, if there are others."""
    since: float


class Hands:
    """Hands out parts, and takes in what becomes of them."""

    def __init__(
        self,
        farm: Workers,
        job: Job,
        parts: Iterator[Any],
        submit: Callable[[Any], tuple[Any, ...]],
        name: Callable[[Any], str],
    ) -> None:
        self._farm = farm
        self._job = job
        self._parts = parts
        self._submit = submit
        self._name = name
        self._at_work: dict[Future, Handed] = {}
        #: Parts to hand out before the others, and those that are to have the cluster for themselves.
        self._again: deque[Any] = deque()
        self._alone: deque[Any] = deque()
        self._is_alone = False
        #: The worker on which a part was lost: another one tries it next, if there is one.
        self._avoid: dict[str, str] = {}
        self._losses = Losses(farm.policy, farm.report)
        self._finished: queue.SimpleQueue[tuple[Future, Any]] = queue.SimpleQueue()
        self._quiet_since = time.monotonic()
        self._next_word = QUIET

    def feed(self) -> bool:
        """Hands out parts as long as workers have room; whether there is anything to wait for."""
        slots = self._farm.threads()
        self._losses.forget(slots)
        self._take_back(slots)
        self._is_alone = self._is_alone and bool(self._at_work)
        if self._alone and (len(self._alone) >= MOST_ALONE or not self._is_more()):
            if slots and not self._at_work and self._hand_out(self._alone[0], slots):
                self._is_alone = True
                self._alone.popleft()
        elif not self._is_alone:
            room = PARTS_PER_SLOT * sum(slots.values())
            while self._is_more() and len(self._at_work) < room and self._hand_out(self._again[0], slots):
                self._again.popleft()
        return bool(self._at_work or self._again or self._alone)

    def _is_more(self) -> bool:
        """Returns whether there is a part that is not handed out."""
        if not self._again:
            self._again.extend(itertools.islice(self._parts, 1))
        return bool(self._again)

    def _hand_out(self, part: Any, slots: dict[str, int]) -> bool:
        """Hands out a part; returns whether the scheduler has taken it. It may be gone."""
        avoid = self._avoid.get(self._name(part))
        only = frozenset[str]()
        if self._farm.report.left_out or avoid is not None:
            only = frozenset(slots) - {avoid} or frozenset(slots)
        try:
            client = self._farm.client
            future = client.submit(
                worker.attempt,
                *self._submit(part),
                pure=False,
                workers=sorted(only) or None,
                resources={CORES: self._job.cores} if self._farm.is_declared else None,
            )
        except Exception as error:
            if not self._farm.is_away(error):
                raise
            return False
        self._at_work[future] = Handed(part, only, time.monotonic())
        client.loop.add_callback(_collect, future, self._finished)
        return True

    def _take_back(self, slots: dict[str, int]) -> None:
        """Takes back the parts that wait for workers which are no more: Dask would wait for them for ever."""
        for future, handed in list(self._at_work.items()):
            if handed.only and handed.only.isdisjoint(slots):
                del self._at_work[future]
                self._again.append(handed.part)
                self._farm.cancel([future])

    def take(self) -> Iterator[tuple[Any, float, Any]]:
        """Yields the part that ends next, with its seconds and its result; nothing if it is lost or none ends."""
        try:
            future, outcome = self._finished.get(timeout=LOOK if self._at_work else LOOK / 10)
        except queue.Empty:
            self._say_what_is_waited_for()
            return
        handed = self._at_work.pop(future, None)
        if handed is None:
            return
        self._quiet_since, self._next_word = time.monotonic(), QUIET
        part = handed.part
        if isinstance(outcome, KilledWorker):
            last = outcome.last_worker.address
            self._lost(part, Cause.WORKER, f"lost with worker {last}", last, times=outcome.allowed_failures + 1)
        elif isinstance(outcome, (FutureCancelledError, OSError)):
            self._lost(part, Cause.SCHEDULER, "lost with the connection to the scheduler", None)
        elif isinstance(outcome, Exception):
            raise FarmError(f"{self._name(part)}: {type(outcome).__name__}: {outcome}") from outcome
        elif outcome.fault is not None:
            how = f"{outcome.fault} on worker {outcome.worker}"
            self._lost(part, _cause(outcome.fault), how, outcome.worker, fault=outcome.fault)
        else:
            name = self._name(part)
            self._losses.done(name, outcome.worker)
            self._avoid.pop(name, None)
            yield part, outcome.seconds, outcome.result

    def _lost(
        self,
        part: Any,
        cause: Cause,
        how: str,
        where: str | None,
        times: int = 1,
        fault: Exception | None = None,
    ) -> None:
        """Applies the policy to a lost part and its worker."""
        name = self._name(part)
        if where is not None:
            self._avoid[name] = where
        verdict = self._losses.lost(name, cause, where, times)
        if cause is Cause.PROGRAM and where is not None:
            self._farm.leave_out(where, str(fault))
        elif where is not None and self._losses.is_bad(where):
            self._farm.leave_out(
                where, f"{self._farm.policy.worker_losses} parts lost there, the last one {name}: {how}"
            )
        if verdict is Verdict.REFUSED and fault is not None:
            raise fault
        if verdict is Verdict.QUARANTINE:
            self._avoid.pop(name, None)
            self._losses.quarantine(name, how)
            return
        if cause is not Cause.PROGRAM:
            log.warning("%s: %s, done again%s", name, how, " alone" if verdict is Verdict.ALONE else "")
        (self._alone if verdict is Verdict.ALONE else self._again).append(part)

    def _say_what_is_waited_for(self) -> None:
        """Warns about parts that have been quiet for long. The farm itself warns when there are no workers."""
        now = time.monotonic()
        if now - self._quiet_since < self._next_word or not self._at_work:
            return
        self._next_word *= 2
        eldest = min(self._at_work.values(), key=lambda handed: handed.since)
        log.warning(
            "waiting for %d parts on %d workers, first for %s, handed out %.0f s ago",
            len(self._at_work),
            len(self._farm.threads()),
            self._name(eldest.part),
            now - eldest.since,
        )

    def end(self) -> None:
        """Reports the losses of a finished run."""
        self._losses.tell(self._farm.resume)

    def drop(self) -> bool:
        """Forgets the parts that are still on the cluster; whether there were any."""
        self._farm.cancel(list(self._at_work))
        return bool(self._at_work)


def _cause(fault: Exception) -> Cause:
    """Returns what a fault on a worker counts as."""
    if isinstance(fault, Died):
        return Cause.ENGINE
    if isinstance(fault, ProgramError):
        return Cause.PROGRAM
    return Cause.REFUSAL if isinstance(fault, JobFailed) else Cause.MACHINE


async def _collect(future: Future, finished: queue.SimpleQueue[tuple[Future, Any]]) -> None:
    """Waits for a future on the client's loop, so that the queue can be read with a timeout."""
    try:
        outcome = await future
    except Exception as error:
        outcome = error
    finished.put((future, outcome))
