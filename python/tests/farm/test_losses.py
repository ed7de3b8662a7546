"""Workers, schedulers and programs that are lost: a run goes on, or ends with a word, but does not wait for ever."""

from __future__ import annotations

import logging
import os
import signal
import socket
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster, get_worker
from running import PROGRAM

from millbrain.farm import cluster, program
from millbrain.farm.cluster import Farm, FarmError
from millbrain.farm.program import Died, JobFailed, ProgramError


@pytest.fixture(autouse=True)
def is_impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks and words come quickly."""
    monkeypatch.setattr(cluster, "LOOK", 0.1)
    monkeypatch.setattr(cluster, "ANSWER", 2.0)
    monkeypatch.setattr(cluster, "FIRST_WORD", 0.2)


class Said(logging.Handler):
    """What the farm says."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += record.getMessage() + "\n"


@pytest.fixture
def said() -> Iterator[Said]:
    """Listens to the farm; Dask silences the handlers that pytest has."""
    said = Said()
    logging.getLogger("millbrain.farm").addHandler(said)
    yield said
    logging.getLogger("millbrain.farm").removeHandler(said)


def scheduler(workers: int, port: int = 0) -> LocalCluster:
    """A scheduler whose workers are threads of this process, which come at once."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=False,
        protocol="tcp://",
        scheduler_port=port,
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
    )


@pytest.fixture
def nobody() -> Iterator[LocalCluster]:
    """A scheduler without workers."""
    with scheduler(0) as nobody:
        yield nobody


def run(farm: Farm, count: int, function: Callable[[int], Any], on_done: Callable[[], object] = int) -> list[int]:
    """Runs a function for so many numbers; which have been done, in order."""
    done = []

    def add(number: int, _: float, found: Any) -> bool:
        assert found == number
        done.append(number)
        on_done()
        return True

    farm.each(farm.job(), iter(range(count)), lambda number: (function, number), add, lambda number: f"number {number}")
    return sorted(done)


def once(folder: Path) -> Callable[[int, Callable[[], object]], int]:
    """Does something the first time that a number is at work."""

    def do(number: int, fault: Callable[[], object]) -> int:
        if not (folder / str(number)).exists():
            (folder / str(number)).touch()
            fault()
        return number

    return do


def test_all_workers_are_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said) -> None:
    # Dask then gives up workers before they are back.
    monkeypatch.setenv("DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT", "100ms")
    first_time = once(tmp_path)
    with Farm(workers=2, program=PROGRAM, worker_timeout=60) as farm:
        assert run(farm, 2, lambda number: first_time(number, lambda: os.kill(os.getpid(), signal.SIGKILL))) == [0, 1]
        assert "number 0: lost with worker tcp://" in said.text
        # Their keepers, too.
        assert farm.local is not None
        keepers = farm.local.cluster
        for keeper in list(keepers.workers.values()):
            keepers.sync(keeper.close)
        assert run(farm, 3, lambda number: number) == [0, 1, 2]
        # One may have done all three before the other is up.
        until = time.monotonic() + 60
        while {keeper.status.name for keeper in keepers.workers.values()} != {"running"}:
            assert farm.threads() and time.monotonic() < until
            time.sleep(0.05)


def test_a_scheduler_without_workers(nobody: LocalCluster, said: Said) -> None:
    with Farm(nobody.scheduler_address, program=PROGRAM, worker_timeout=1) as farm:
        with pytest.raises(FarmError, match=r"^no workers for \d+ s, the limit of --worker-timeout; --resume goes on$"):
            farm.job()
        assert " s, given up after 1 s" in said.text
        nobody.scale(1)
        farm.worker_timeout = 60
        assert run(farm, 3, lambda number: number) == [0, 1, 2]
        farm.worker_timeout = 1
        with pytest.raises(FarmError, match=r"^no workers for \d+ s"):
            run(farm, 99, lambda number: number, lambda: nobody.scale(0))


def test_a_scheduler_that_goes_away_and_comes_back(said: Said) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    clusters: list[LocalCluster] = []

    def again() -> None:
        while clusters:
            clusters.pop().close()
        clusters.append(scheduler(1, port))

    again()
    restarts = iter([again])
    with Farm(f"tcp://127.0.0.1:{port}", program=PROGRAM, worker_timeout=60) as farm:
        assert run(farm, 9, lambda number: number, lambda: next(restarts, int)()) == list(range(9))
        farm.worker_timeout = 1
        with pytest.raises(FarmError, match=f"^no answer from tcp://127.0.0.1:{port} for"):
            run(farm, 9, lambda number: number, lambda: clusters and clusters.pop().close())


def test_a_program_that_is_killed(farm: Farm, tmp_path: Path, said: Said) -> None:
    first_time = once(tmp_path)
    # How to go on with a run is said of that run alone.
    farm.job(resume="the same command goes on")

    def killed(script: str) -> object:
        return program.JOBS.run("run", ["sh", "-c", script], None)

    assert run(farm, 5, lambda number: first_time(number, lambda: killed("kill -9 $$"))) == [0, 1, 2, 3, 4]
    assert "number 4: the engine was ended by signal 9 (SIGKILL) on worker tcp://" in said.text
    with pytest.raises(
        FarmError, match=r"^number 7: .*SIGABRT\): no memory on worker .*, lost 5 times; --resume goes on$"
    ):
        run(farm, 9, lambda number: killed("echo no memory >&2; kill -6 $$") if number == 7 else number)
    # A shell around it says it so.
    with pytest.raises(Died, match="SIGKILL"):
        killed("sh -c 'kill -9 $$'; exit $?")
    with pytest.raises(JobFailed, match="^full$") as failure:
        killed("echo 'millbrain: full' >&2; exit 1")
    assert not isinstance(failure.value, Died)


def test_a_late_worker_with_another_program(nobody: LocalCluster, said: Said) -> None:
    nobody.scale(1)

    def part(number: int) -> int:
        if get_worker().name != 0:
            raise ProgramError("engine: another one")
        return number

    def late() -> None:
        nobody.scale(2)
        while len(nobody.scheduler.workers) < 2:
            time.sleep(0.05)

    lates = iter([late])
    with Farm(nobody.scheduler_address, program=PROGRAM, worker_timeout=60) as farm:
        assert run(farm, 40, part, lambda: next(lates, int)()) == list(range(40))
        assert said.text.count("takes no part: engine: another one") == 1
        # What waits for workers that are gone is not left to wait.
        farm.worker_timeout = 1
        with pytest.raises(FarmError, match=r"^no workers for \d+ s"):
            run(farm, 40, part, lambda: nobody.scale(0))


def test_the_port_of_dashboards_is_left_alone() -> None:
    with socket.socket() as taken, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        except OSError:
            logging.info("another program has it")
        with Farm(workers=1, program=PROGRAM) as farm:
            assert farm.threads()
    assert not [str(warning.message) for warning in told if "8787" in str(warning.message)]
