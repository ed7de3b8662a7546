"""The one policy for all losses: a part is tried again, set aside after too many losses, and reported.

A part is lost when its worker goes away, its engine is ended by a signal, its machine has no room left, or the
scheduler is gone. A worker is at fault when part after part is lost on it, or when its engine is another one.
"""

from __future__ import annotations

import enum
import logging
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from millbrain.farm.errors import FarmError

log = logging.getLogger("millbrain.farm")


class Cause(enum.Enum):
    """What a part was lost by."""

    WORKER = "lost worker"
    ENGINE = "killed engine"
    MACHINE = "fault of a machine"
    REFUSAL = "refusal"
    SCHEDULER = "lost scheduler"
    PROGRAM = "other program"


class Verdict(enum.Enum):
    """What is to be done with a lost part."""

    AGAIN = enum.auto()
    """At once."""
    ALONE = enum.auto()
    """Once more, with nothing beside it: what is lost then is lost by its own fault."""
    QUARANTINE = enum.auto()
    """No more in this run."""
    REFUSED = enum.auto()
    """No more: the engine has refused it on two occasions, and would refuse others."""


@dataclass(frozen=True)
class Policy:
    """How losses are dealt with."""

    attempts: int = 5
    """How often a part is tried before it is set aside."""
    refusals: int = 2
    """How often the engine may refuse a part in words of its own, on another worker each time, before the run ends."""
    worker_losses: int = 5
    """How many different parts may be lost on a worker, one after the other, before it takes no more."""
    worker_timeout: float = 600.0
    """Seconds without a worker that can take parts, after which the run is given up."""


@dataclass
class Report:
    """What was lost in a run, and what is missing for it."""

    causes: Counter[Cause] = field(default_factory=Counter)
    """How many parts were lost by each cause."""
    quarantined: list[str] = field(default_factory=list)
    """The parts that were set aside, each with its last loss."""
    left_out: dict[str, str] = field(default_factory=dict)
    """The addresses of workers that take no part, with the reason."""

    def __str__(self) -> str:
        words = ", ".join(f"{count} by {cause.value}" for cause, count in self.causes.items())
        return f"{sum(self.causes.values())} parts lost and done again: {words}"

    def as_json(self) -> dict[str, object]:
        """Returns the same for a file."""
        return {
            "losses": {cause.value: count for cause, count in self.causes.items()},
            "quarantined": self.quarantined,
            "left_out": self.left_out,
        }


class Losses:
    """Counts what is lost in one run, and judges by the policy."""

    def __init__(self, policy: Policy, report: Report) -> None:
        self._policy = policy
        self._report = report
        self._reported = report.causes.copy()
        self._of_part: Counter[Hashable] = Counter()
        self._refusals: Counter[Hashable] = Counter()
        #: The last parts that were lost on a worker, since one was done there.
        self._on_worker: dict[str, set[Hashable]] = {}

    def lost(self, part: Hashable, cause: Cause, worker: str | None, times: int = 1) -> Verdict:
        """Returns a part was lost, on this worker if that is known; what to do with it.

        The scheduler's end, and a worker whose program is another one, are no fault of the part.
        """
        self._report.causes[cause] += 1
        if cause in (Cause.SCHEDULER, Cause.PROGRAM):
            return Verdict.AGAIN
        if worker is not None:
            self._on_worker.setdefault(worker, set()).add(part)
        if cause is Cause.REFUSAL:
            self._refusals[part] += 1
            return Verdict.REFUSED if self._refusals[part] >= self._policy.refusals else Verdict.AGAIN
        # However often it was lost beside others, it is tried alone once.
        attempts, before = self._policy.attempts, self._of_part[part]
        count = self._of_part[part] = before + times if before >= attempts - 1 else min(before + times, attempts - 1)
        if count >= attempts:
            return Verdict.QUARANTINE
        return Verdict.ALONE if count == attempts - 1 else Verdict.AGAIN

    def done(self, part: Hashable, worker: str) -> None:
        """Returns a part was done: nothing is held against it, or against the worker, any more."""
        del self._of_part[part], self._refusals[part]
        self._on_worker.pop(worker, None)

    def is_bad(self, worker: str) -> bool:
        """Returns whether part after part is lost on a worker."""
        return len(self._on_worker.get(worker, ())) >= self._policy.worker_losses

    def forget(self, there: Iterable[str]) -> None:
        """Forgets all workers but those that are there."""
        for gone in self._on_worker.keys() - set(there):
            del self._on_worker[gone]

    def quarantine(self, name: str, how: str) -> None:
        """Sets a part aside."""
        self._report.quarantined.append(f"{name}: {how}")
        log.warning("%s: %s, set aside after %d attempts", name, how, self._policy.attempts)

    def tell(self, resume: str) -> None:
        """Tells at the end what was lost. What was set aside is an error: the result is not whole."""
        if self._report.causes != self._reported:
            log.warning("%s", self._report)
        if aside := self._report.quarantined:
            shown = "; ".join(aside[:5]) + (f"; and {len(aside) - 5} more" if len(aside) > 5 else "")
            parts = "1 part" if len(aside) == 1 else f"{len(aside)} parts"
            raise FarmError(f"{parts} set aside, the others are done; {resume}: {shown}")
