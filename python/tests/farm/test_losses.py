"""Workers, schedulers and programs that are lost: a run goes on, or ends with a word, but does not wait for ever."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster, get_worker
from running import PROGRAM

from millbrain.farm import Cause, Farm, FarmError, Policy, cluster, hands, program
from millbrain.farm.program import Died, JobFailed, ProgramError


@pytest.fixture(autouse=True)
def is_impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks and words come quickly."""
    monkeypatch.setattr(hands, "LOOK", 0.1)
    monkeypatch.setattr(cluster, "ANSWER", 2.0)
    monkeypatch.setattr(cluster, "FIRST_WORD", 0.2)


class Log(logging.Handler):
    """Collects the messages of the farm."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += record.getMessage() + "\n"


@pytest.fixture
def log() -> Iterator[Log]:
    """Listens to the farm; Dask silences the handlers that pytest has."""
    log = Log()
    logging.getLogger("millbrain.farm").addHandler(log)
    yield log
    logging.getLogger("millbrain.farm").removeHandler(log)


def scheduler(workers: int, port: int = 0, resources: dict[str, float] | None = None) -> LocalCluster:
    """A scheduler whose workers are threads of this process, which come at once."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=False,
        protocol="tcp://",
        scheduler_port=port,
        resources=resources,
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
    )


@pytest.fixture
def empty() -> Iterator[LocalCluster]:
    """A scheduler without workers."""
    with scheduler(0) as empty:
        yield empty


def run(farm: Farm, count: int, function: Callable[[int], Any], on_done: Callable[[], object] = int) -> list[int]:
    """Runs a function for `count` numbers; returns those that are done, in order."""
    done = []

    def add(number: int, _: float, found: Any) -> bool:
        assert found == number
        done.append(number)
        on_done()
        return True

    farm.each(farm.job(), iter(range(count)), lambda number: (function, number), add, lambda number: f"number {number}")
    return sorted(done)


def leave(cluster: LocalCluster) -> None:
    """Takes all workers away."""
    cluster.scale(0)
    while cluster.scheduler.workers:
        time.sleep(0.02)


def once(folder: Path) -> Callable[[int, Callable[[], object]], int]:
    """Does something the first time that a number is at work."""

    def do(number: int, fault: Callable[[], object]) -> int:
        if not (folder / str(number)).exists():
            (folder / str(number)).touch()
            fault()
        return number

    return do


def test_all_workers_are_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: Log) -> None:
    # Dask then gives up workers before they are back.
    monkeypatch.setenv("DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT", "100ms")
    first_time = once(tmp_path)
    with Farm(workers=2, program=PROGRAM, policy=Policy(worker_timeout=60)) as farm:
        assert run(farm, 2, lambda number: first_time(number, lambda: os.kill(os.getpid(), signal.SIGKILL))) == [0, 1]
        assert "number 0: lost with worker tcp://" in log.text
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


def test_a_scheduler_without_workers(empty: LocalCluster, log: Log) -> None:
    with Farm(empty.scheduler_address, program=PROGRAM, policy=Policy(worker_timeout=1)) as farm:
        with pytest.raises(FarmError, match=r"^no workers for \d+ s, the limit of --worker-timeout; --resume goes on$"):
            farm.job()
        assert " s, given up after 1 s" in log.text
        empty.scale(1)
        farm.policy = Policy(worker_timeout=60)
        assert run(farm, 3, lambda number: number) == [0, 1, 2]
        farm.policy = Policy(worker_timeout=1)
        with pytest.raises(FarmError, match=r"^no workers for \d+ s"):
            run(farm, 99, lambda number: number, lambda: leave(empty))


def test_a_scheduler_that_goes_away_and_comes_back(log: Log) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    clusters: list[LocalCluster] = []

    def again() -> None:
        while clusters:
            clusters.pop().close()
        clusters.append(scheduler(1, port))

    # Not there yet, either.
    late = threading.Timer(0.5, again)
    late.start()
    restarts = iter([late.join, again])
    with Farm(f"tcp://127.0.0.1:{port}", program=PROGRAM, policy=Policy(worker_timeout=60)) as farm:
        assert run(farm, 9, lambda number: number, lambda: next(restarts, int)()) == list(range(9))
        farm.policy = Policy(worker_timeout=1)
        with pytest.raises(FarmError, match=f"^no answer from tcp://127.0.0.1:{port} for"):
            run(farm, 9, lambda number: number, lambda: clusters and clusters.pop().close())


def test_a_program_that_is_killed(farm: Farm, tmp_path: Path, log: Log) -> None:
    first_time = once(tmp_path)
    # The message how to resume is that of this run.
    farm.job(resume="the same command goes on")

    def killed(script: str) -> object:
        return program.JOBS.run("run", ["sh", "-c", script], None)

    assert run(farm, 5, lambda number: first_time(number, lambda: killed("kill -9 $$"))) == [0, 1, 2, 3, 4]
    assert "number 4: the engine was ended by signal 9 (SIGKILL) on worker tcp://" in log.text
    tried = []

    def fails(number: int) -> object:
        return killed("echo no memory >&2; kill -6 $$") if number == 7 else number

    # It is set aside once it has been lost with nothing beside it, and all others are done.
    with pytest.raises(
        FarmError, match=r"^1 part set aside, .*; --resume goes on: number 7: .*SIGABRT\): no memory on worker "
    ):
        run(farm, 9, fails, lambda: tried.append(0))
    assert len(tried) == 8
    assert "done again alone" in log.text and "number 7: the engine" in farm.report.quarantined[0]
    assert farm.report.causes == {Cause.ENGINE: 5}
    # A shell returns the number of a signal plus 128.
    with pytest.raises(Died, match="SIGKILL"):
        killed("sh -c 'kill -9 $$'; exit $?")
    with pytest.raises(JobFailed, match="^full$") as failure:
        killed("echo 'millbrain: full' >&2; exit 1")
    assert not isinstance(failure.value, Died)


def test_workers_that_lose_part_after_part(empty: LocalCluster, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    empty.scale(2)
    monkeypatch.setattr(hands, "QUIET", 0.2)

    def part(number: int) -> int:
        if get_worker().name == 1:
            raise OSError("No space left on device")
        time.sleep(0.5 if number == 39 else 0)
        return number

    with Farm(empty.scheduler_address, program=PROGRAM, policy=Policy(worker_losses=3)) as farm:
        farm.job()
        while len(farm.threads()) < 2:
            time.sleep(0.05)
        assert run(farm, 40, part) == list(range(40))
        (message,) = farm.report.left_out.values()
        assert message.startswith("3 parts lost there, the last one number ") and "No space left on device" in message
        assert farm.report.causes[Cause.MACHINE] >= 3
        assert "waiting for 1 parts on 1 workers, first for number 39, handed out 0 s ago" in log.text


def test_what_the_engine_refuses(empty: LocalCluster, log: Log) -> None:
    empty.scale(2)

    def part(number: int) -> int:
        if get_worker().name == 1:
            raise JobFailed("no such folder")
        return number

    # Whichever worker it is: another one does what one has refused.
    with Client(empty) as client:
        with Farm(client=client, program=PROGRAM, policy=Policy(worker_losses=99)) as farm:
            farm.job()
            while len(farm.threads()) < 2:
                time.sleep(0.05)
            assert run(farm, 9, part) == list(range(9))
            assert farm.report.causes[Cause.REFUSAL] == log.text.count("no such folder on worker")
            empty.scale(1)
            with pytest.raises(JobFailed, match="^all refuse$"):
                run(farm, 9, lambda number: refuse())
        # It is the caller's.
        assert client.status == "running"


def refuse() -> int:
    """What the engine does on any worker."""
    raise JobFailed("all refuse")


def test_parts_take_cores_that_are_declared(log: Log) -> None:
    with scheduler(1, resources={"cores": 2}) as two:
        with Farm(two.scheduler_address, program=PROGRAM, policy=Policy(worker_timeout=1)) as farm:
            with pytest.raises(FarmError, match="^no worker with 4 cores, as a part needs, of 2 at most, for"):
                farm.job(cores=4)
            job = farm.job(cores=2)
            done: list[int] = []

            def add(number: int, *_: object) -> bool:
                done.append(number)
                return True

            farm.each(job, iter(range(3)), lambda number: (int, number), add)
            assert sorted(done) == [0, 1, 2] and farm.is_declared
            assert farm.slots() == 1


def test_one_cluster_at_a_time() -> None:
    with pytest.raises(FarmError, match="expected one of client, scheduler and workers"):
        Farm("tcp://127.0.0.1:1", workers=1)
    with pytest.raises(FarmError, match="'chess' unusable, expected analyse, match, tablebase, tune"):
        Farm(program=PROGRAM).run("chess")


def test_a_late_worker_with_another_program(empty: LocalCluster, log: Log) -> None:
    empty.scale(1)

    def part(number: int) -> int:
        if get_worker().name != 0:
            raise ProgramError("engine: another one")
        return number

    def late() -> None:
        empty.scale(2)
        while len(empty.scheduler.workers) < 2:
            time.sleep(0.05)

    lates = iter([late])
    with Farm(empty.scheduler_address, program=PROGRAM, policy=Policy(worker_timeout=60)) as farm:
        assert run(farm, 40, part, lambda: next(lates, int)()) == list(range(40))
        assert log.text.count("takes no part: engine: another one") == 1
        # What waits for workers that are gone is not left to wait.
        farm.policy = Policy(worker_timeout=1)
        with pytest.raises(FarmError, match=r"^no workers for \d+ s"):
            run(farm, 40, part, lambda: leave(empty))


def test_the_port_of_dashboards_is_left_alone() -> None:
    with socket.socket() as taken, warnings.catch_warnings(record=True) as message:
        warnings.simplefilter("always")
        try:
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        except OSError:
            logging.info("another program has it")
        with Farm(workers=1, program=PROGRAM) as farm:
            assert farm.threads()
    assert not [str(warning.message) for warning in message if "8787" in str(warning.message)]
