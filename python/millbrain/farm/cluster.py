"""The coordinator's side: a cluster, and parts of a job handed out until all are done."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from distributed import Client, Future
from distributed.comm import get_address_host_port

from millbrain.checks import shown
from millbrain.farm import hands, worker
from millbrain.farm.errors import FarmError
from millbrain.farm.hands import Hands
from millbrain.farm.local import LocalWorkers
from millbrain.farm.losses import Policy, Report
from millbrain.farm.program import ProgramError, capture, digest, find, which
from millbrain.farm.worker import Job

if TYPE_CHECKING:
    from typing_extensions import Self

log = logging.getLogger("millbrain.farm")

#: Seconds for which the cluster may take to answer.
ANSWER = 10.0
#: Seconds without workers until the first warning; the next one comes after twice the time, and so on.
FIRST_WORD = 3.0
#: How to go on with most runs.
RESUME = "--resume goes on"

#: What asking a cluster that is not there ends with.
_NO_ANSWER = (OSError, asyncio.TimeoutError)
#: States of a future that no result comes from any more.
_FAILED = frozenset({"cancelled", "error", "lost"})

Part = TypeVar("Part")


def _check_address(address: str) -> None:
    """Raises `FarmError` unless a client can connect to an address."""
    try:
        host, port = get_address_host_port(address if "://" in address else f"tcp://{address}", strict=True)
        if host and 0 < port < 1 << 16:
            return
    except ValueError:
        pass
    raise FarmError(f"scheduler {shown(address)}: no address, expected one such as tcp://10.0.0.1:8786")


class Cluster:
    """A Dask cluster that runs parts of jobs, and what is to happen when some are lost."""

    def __init__(
        self,
        scheduler: str | None = None,
        workers: int | None = None,
        program: str | None = None,
        *,
        client: Client | None = None,
        policy: Policy | None = None,
    ) -> None:
        """Uses the cluster of a client, or of a scheduler's address, or else processes of this machine.

        By default there is a process for each core, or for as many as a part of the first job needs. A client that is
        given stays open at the end. `program` is the engine; by default it is the one in this package. `policy`
        decides about losses.

        Raises `FarmError` for more than one of client, scheduler and workers, for a client of a coroutine, and for an
        address that is none; `ProgramError` if there is no such program.
        """
        if sum(given is not None for given in (client, scheduler, workers)) > 1:
            raise FarmError("several clusters given, expected one of client, scheduler and workers")
        if client is not None and client.asynchronous:
            raise FarmError("client of a coroutine unusable, expected one that waits: Client(asynchronous=False)")
        if scheduler is not None:
            _check_address(scheduler)
        self._is_given = client is not None
        self._scheduler = scheduler if client is None else client.scheduler.address
        self._workers = workers
        self._client = client
        self.policy = policy or Policy()
        #: What was lost in the run that began last.
        self.report = Report()
        #: The workers of this machine, where there is no other cluster.
        self.local: LocalWorkers | None = None
        #: The greeting of each known worker.
        self._greeted: dict[str, worker.Greeting] = {}
        self._job: Job | None = None
        #: How many parts each worker may run at a time, as last seen, and when that was.
        self._slots: dict[str, int] = {}
        self._looked = float("-inf")
        #: When the last worker went away, and the seconds until the next warning.
        self._alone_since: float | None = None
        self._next_word = FIRST_WORD
        #: Whether workers declare their cores as a resource, so that parts ask for some.
        self.is_declared = False
        self._shared: Future | None = None
        self.program = program
        words, self._file = find(program)
        #: The words that start the engine on this machine.
        self.words = list(words)
        #: How to go on with the run that began last, when it is given up.
        self.resume = RESUME

    @property
    def client(self) -> Client:
        """The client of the cluster, which starts with the first use: not before a job is known to be sound.

        Dask closes a client whose scheduler has been away for half a minute; another one then takes its place.
        """
        if self._client is not None and self._client.status in ("closing", "closed"):
            self._client, self._is_given = None, False
        if self._client is None:
            if self._scheduler is None and self.local is None:
                self.local = LocalWorkers(self._workers, self._cores, self.policy.attempts)
            self._client = Client(self._address(), timeout=ANSWER, set_as_default=False)
        return self._client

    @property
    def _cores(self) -> float:
        """The cores that a part needs."""
        return 1.0 if self._job is None else self._job.cores

    def _address(self) -> Any:
        """Returns what a client connects to."""
        return self._scheduler if self.local is None else self.local.cluster

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._client is not None and not self._is_given:
            with contextlib.suppress(*_NO_ANSWER):
                self._client.close(timeout=ANSWER)
        if self.local is not None:
            self.local.close()

    def threads(self) -> dict[str, int]:
        """Returns how many parts each worker may run at a time, by its address. Workers come and go.

        Without workers it warns, and gives the run up after the timeout of the policy.
        """
        if time.monotonic() - self._looked < hands.LOOK:
            return self._slots
        client = self._connected()
        if self.local is not None:
            self.local.keep_up()
        found: dict[str, int] | None = None
        if client is not None:
            with contextlib.suppress(*_NO_ANSWER):
                found = client.nthreads(callback_timeout=ANSWER)
        missing = f"no answer from {self._scheduler or 'the scheduler of this machine'}"
        if found is not None and client is not None:
            self._greet(client, found)
            missing = self._admit(found)
        else:
            self._slots = {}
        self._looked = time.monotonic()
        self._wait_or_give_up(missing)
        return self._slots

    def _greet(self, client: Client, found: dict[str, int]) -> None:
        """Asks the workers that have come since the last time what they have, and whether their program is the same."""
        self._greeted = {address: known for address, known in self._greeted.items() if address in found}
        new = [address for address in found if address not in self._greeted]
        if not new:
            return
        answers: dict[str, Any] = {}
        with contextlib.suppress(*_NO_ANSWER):
            answers = client.run(worker.greet, self._job, workers=new, on_error="return", callback_timeout=ANSWER)
        for address in new:
            answer = answers.get(address, OSError())
            if isinstance(answer, OSError):
                # Its first part will check it.
                answer = worker.Greeting(None, None)
            elif isinstance(answer, Exception):
                answer = worker.Greeting(str(answer), None)
            self._greeted[address] = answer
            if answer.fault is not None:
                self.leave_out(address, answer.fault)

    def _admit(self, found: dict[str, int]) -> str:
        """Counts the slots of these workers; what is missing where there are none."""
        for gone in self.report.left_out.keys() - found.keys():
            del self.report.left_out[gone]
        admitted = {address: n for address, n in found.items() if address not in self.report.left_out}
        cores = {address: self._greeted[address].cores for address in admitted}
        self.is_declared = any(count is not None for count in cores.values())
        most = max((count or 0.0 for count in cores.values()), default=0.0)
        if self.local is not None and self._cores > most:
            # There will never be more cores here.
            self.is_declared = False
        if self.is_declared:
            admitted = {address: min(n, int((cores[address] or 0.0) // self._cores)) for address, n in admitted.items()}
        self._slots = {address: n for address, n in admitted.items() if n > 0}
        if admitted and not self._slots:
            return f"no worker with {self._cores:g} cores, as a part needs, of {most:g} at most,"
        return f"no workers ({len(self.report.left_out)} left out)" if self.report.left_out else "no workers"

    def _connected(self) -> Client | None:
        """Returns the client, unless its scheduler has gone away."""
        with contextlib.suppress(*_NO_ANSWER):
            return self.client
        return None

    def is_away(self, error: Exception) -> bool:
        """Returns whether what has failed with this error did so because the scheduler has gone away."""
        return isinstance(error, _NO_ANSWER) or self._client is None or self._client.status != "running"

    def _wait_or_give_up(self, missing: str) -> None:
        """Says now and then for how long something has been missing, where there are no workers."""
        if self._slots:
            self._alone_since, self._next_word = None, FIRST_WORD
            return
        if self._alone_since is None:
            self._alone_since = self._looked
        seconds, limit = self._looked - self._alone_since, self.policy.worker_timeout
        if seconds >= limit:
            raise FarmError(f"{missing} for {seconds:.0f} s, the limit of --worker-timeout; {self.resume}")
        if seconds >= self._next_word:
            log.warning("%s for %.0f s, given up after %g s", missing, seconds, limit)
            self._next_word = 2 * seconds

    def slots(self) -> int:
        """How many parts run at a time, at least 1."""
        return max(1, sum(self.threads().values()))

    @property
    def digest(self) -> str:
        """The SHA-256 of the engine on this machine."""
        return digest(self._file)

    @functools.cached_property
    def engine(self) -> dict[str, str]:
        """Which engine it is: its version, what it was built from and for, and the SHA-256 of its file."""
        first, *lines = self.capture(["--version"]).splitlines() or [""]
        if not first.startswith("millbrain "):
            raise ProgramError(f"{self.program}: no engine (--version prints {shown(first)}), expected millbrain")
        return {"version": first, **dict(line.split(" ", 1) for line in lines), "sha256": self.digest}

    def capture(self, words: Sequence[str], given: BinaryIO | None = None) -> str:
        """Runs the engine on this machine, on a file if given; its standard output. Its complaints are an error."""
        return capture([*self.words, *words], given)

    def job(self, others: Sequence[str] = (), resume: str = RESUME, cores: float = 1.0) -> Job:
        """Returns a new run of the engine, and of these other programs, once a worker has the same files.

        `resume` is the message how to continue after it is given up; `cores` is how many a part needs.
        """
        self.resume = resume
        files = tuple((name, digest(which(name))) for name in others)
        job = self._job = Job(uuid.uuid4().hex, self.program, self.digest, os.getcwd(), files, cores)
        self.report = Report()
        self._greeted.clear()
        self._looked = float("-inf")
        while not self.threads():
            if faults := self.report.left_out:
                raise FarmError("; ".join(f"worker {address}: {fault}" for address, fault in faults.items()))
            time.sleep(hands.LOOK / 10)
        return job

    def leave_out(self, address: str, fault: str) -> None:
        """Hands out no more parts to a worker."""
        self._slots.pop(address, None)
        if address not in self.report.left_out:
            self.report.left_out[address] = fault
            log.warning("worker %s takes no part: %s", address, fault)

    def shared(self, text: str) -> Future:
        """Returns a text that many parts need, as an argument of their functions: it is sent to each worker once."""
        # A task rather than data: what is lost with a worker is made again.
        if self._shared is None or self._shared.client is not self.client or self._shared.status in _FAILED:
            self._shared = self.client.submit(str, text, pure=False)
        return self._shared

    def cancel(self, futures: list[Future]) -> None:
        """Cancels futures, if the cluster answers."""
        if futures and self._client is not None and self._client.status == "running":
            with contextlib.suppress(*_NO_ANSWER):
                self._client.cancel(futures, force=True)

    def stop(self, job: Job) -> None:
        """Ends all parts of a job, on all workers that answer, at once."""
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
        ended where it does not, or where anything fails. `name` is the unique name of a part in
        messages.

        Parts that are lost are done again, by the policy of the farm. Raises `FarmError` at the end if some were
        set aside. In memory are the parts at work and what is known of lost ones, however many there are in all.
        """
        handed = Hands(self, job, parts, submit, name)
        try:
            while handed.feed():
                for part, seconds, result in handed.take():
                    if not on_done(part, seconds, result):
                        return
            handed.end()
        finally:
            if handed.drop():
                self.stop(job)
