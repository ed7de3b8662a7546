"""Worker processes of this machine."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import time

import dask
from dask.system import CPU_COUNT
from distributed import LocalCluster, Nanny
from distributed.core import Status

from millbrain.farm.errors import FarmError
from millbrain.farm.worker import CORES

log = logging.getLogger("millbrain.farm")

#: Seconds after which a keeper without a process is not expected to start one any more.
GRACE = 10.0
#: Where Dask's dashboard is: on any port of this machine.
DASHBOARD = "127.0.0.1:0"


def has_dashboard() -> bool:
    """Returns whether Dask can show its dashboard: with bokeh it can."""
    return importlib.util.find_spec("bokeh") is not None


class LocalWorkers:
    """A cluster of worker processes whose number is kept up.

    Each worker has a keeper (Dask's nanny) that starts it again when it is killed. A keeper that fails, as when the new
    process is killed, too, is replaced here: Dask does not do it.
    """

    def __init__(self, count: int | None, cores: float, attempts: int) -> None:
        """Starts workers, by default as many as have the cores that a part needs."""
        settings = {
            # A worker that is killed is no fault of the part it had: the coordinator counts the losses.
            "distributed.scheduler.allowed-failures": 0,
            # Dask would end the keepers of workers that take longer to come back, as they do on a busy machine.
            "distributed.deploy.lost-worker-timeout": "1000 weeks",
        }
        # The cluster reads them as long as it lives.
        self._settings = dask.config.set(settings)
        self._seen: dict[object, float] = {}
        self._is_opening = False
        for left in reversed(range(attempts)):
            try:
                self.cluster = self._start(count or max(1, int(CPU_COUNT // cores)))
                if has_dashboard():
                    log.info("dashboard: %s", self.cluster.dashboard_link)
                return
            except Exception as error:
                if not left:
                    raise FarmError(f"workers of this machine do not start: {error}") from error
                log.warning("workers of this machine do not start (%s), tried again", error)

    @staticmethod
    def _start(count: int) -> LocalCluster:
        return LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            resources={CORES: max(1, CPU_COUNT // count)},
            dashboard_address=DASHBOARD if has_dashboard() else None,
            # Without a dashboard, too, the scheduler listens for HTTP: on any port rather than on that of dashboards.
            scheduler_kwargs={"dashboard_address": DASHBOARD},
            silence_logs=logging.CRITICAL,
        )

    def keep_up(self) -> None:
        """Replaces the keepers that have failed. Returns at once."""
        self.cluster.loop.add_callback(self._replace)

    async def _replace(self) -> None:
        """Forgets the keepers that have failed, and opens new ones."""
        now = time.monotonic()
        for name, keeper in list(self.cluster.workers.items()):
            if keeper.is_alive():
                self._seen[name] = now
            is_over = keeper.status in (Status.closed, Status.failed)
            if is_over or now - self._seen.setdefault(name, now) > GRACE:
                del self.cluster.workers[name], self._seen[name]
                if not is_over:
                    self.cluster.loop.add_callback(_close, keeper)
        if self._is_opening or not set(self.cluster.worker_spec) - set(self.cluster.workers):
            return
        self._is_opening = True
        try:
            await self.cluster
        except Exception as error:
            log.warning("a worker of this machine does not start (%s), tried again", error)
        finally:
            self._is_opening = False

    def close(self) -> None:
        """Ends all workers. Those of a machine that is too busy to do it in time end with this process."""
        try:
            self.cluster.close()
        except (OSError, asyncio.TimeoutError):
            log.warning("workers of this machine do not answer, and are left to end by themselves")
        self._settings.__exit__(None, None, None)


async def _close(keeper: Nanny) -> None:
    """Ends a keeper that may have lost its way; whether it succeeds or not, another one takes its place."""
    try:
        await keeper.close()
    except Exception as error:
        log.info("a keeper does not end: %s", error)
