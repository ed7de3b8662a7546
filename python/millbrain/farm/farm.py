"""A cluster with the jobs that it can run."""

from __future__ import annotations

import logging
from typing import Any

from millbrain.farm.cluster import Cluster
from millbrain.farm.errors import FarmError
from millbrain.farm.jobs import JOBS
from millbrain.farm.losses import Report
from millbrain.farm.words import as_words

log = logging.getLogger("millbrain.farm")


class Farm(Cluster):
    """A Dask cluster that runs jobs of the engine in parts, and what is to happen when some are lost.

    ::

        with Farm(client=client) as farm:
            farm.run("analyse", "positions.txt", out="results.jsonl", nodes=1_000_000, no_time=True)
    """

    def run(self, job: str, *words: str, **options: Any) -> Report:
        """Runs a job to its end, as ``python -m millbrain.farm JOB WORDS... --OPTION VALUE...`` does.

        `job` is ``"analyse"``, ``"match"``, ``"tablebase"`` or ``"tune"``. Options are those of its command line with
        ``_`` for ``-``: ``nodes=1000``, ``no_time=True``, and lists for those that take several words or are given
        several times, as ``openings=["plies=6", "seed=1"]`` and ``engine=[["name=A", "cmd=a"], ["name=B", "cmd=b"]]``.

        Returns what was lost on the way. Raises `FarmError` where the run cannot go on, or a part was set aside,
        `JobFailed` where the engine refuses the job, and `OSError` for files.
        """
        if job not in JOBS:
            raise FarmError(f"{job!r} unusable, expected {', '.join(JOBS)}")
        self.report = Report()
        # Another program would fail at its first job.
        log.debug("engine: %s", self.engine["version"])
        JOBS[job](self, [*words, *as_words(options)])
        return self.report
