"""Kills whatever a cluster is made of, at random moments, and compares what comes out with one process.

Not a test by itself: the script ``kills`` runs it for long, and ``test_kills.py`` for a few kills.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil
from running import Engine, start_farm, without_times

#: How often each kind of process is killed, by its share: the engine of a part, a worker, the keeper that starts it
#: again, the coordinator and the scheduler.
KINDS = {"engine": 30, "worker": 30, "keeper": 10, "coordinator": 20, "scheduler": 10}


class Cluster:
    """A scheduler and workers, each a process that is started again when it has gone, as a supervisor does."""

    def __init__(self, workers: int, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        self.address = f"tcp://127.0.0.1:{port}"
        dask = [sys.executable, "-m", "distributed.cli."]
        scheduler = [*dask[:-1], f"{dask[-1]}dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"]
        worker = [*dask[:-1], f"{dask[-1]}dask_worker", self.address, "--nthreads", "1", "--resources", "cores=1"]
        # Where the scheduler is gone for long, a new worker is better than one that waits.
        worker += ["--no-dashboard", "--death-timeout", "60", "--local-directory", str(folder)]
        self._log = (folder / "dask.log").open("ab")
        self._commands = [scheduler, *[worker] * workers]
        self._processes = [self._start(command) for command in self._commands]
        self.restarts = 0

    def _start(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)

    def keep_up(self) -> None:
        """Starts again what has gone."""
        for number, process in enumerate(self._processes):
            if process.poll() is not None:
                self._processes[number] = self._start(self._commands[number])
                self.restarts += 1

    def scheduler(self) -> list[psutil.Process]:
        """The scheduler."""
        return _there(self._processes[0].pid)

    def keepers(self) -> list[psutil.Process]:
        """Those that start workers."""
        return [found for process in self._processes[1:] for found in _there(process.pid)]

    def workers(self) -> list[psutil.Process]:
        """The workers themselves."""
        return [child for keeper in self.keepers() for child in children(keeper) if "spawn_main" in _words(child)]

    def engines(self) -> list[psutil.Process]:
        """The engines of the parts at work."""
        return [child for worker in self.workers() for child in children(worker) if "--end-with-input" in _words(child)]

    def close(self) -> None:
        """Ends all of it."""
        family = [process for one in self._processes for process in [*_there(one.pid), *_descendants(one.pid)]]
        for process in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        for one in self._processes:
            one.wait()
        self._log.close()


def _there(pid: int) -> list[psutil.Process]:
    with contextlib.suppress(psutil.NoSuchProcess):
        return [psutil.Process(pid)]
    return []


def children(process: psutil.Process) -> list[psutil.Process]:
    """The children of a process; none if it has gone."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return list(process.children())
    return []


def _descendants(pid: int) -> list[psutil.Process]:
    with contextlib.suppress(psutil.NoSuchProcess):
        return list(psutil.Process(pid).children(recursive=True))
    return []


def _words(process: psutil.Process) -> str:
    with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
        return " ".join(process.cmdline())
    return ""


class Task(NamedTuple):
    """A job that is disturbed."""

    name: str
    begin: list[str]
    resume: list[str]
    files: dict[str, Callable[[Path], object]]
    """The files to compare with those of one process, and what of each is compared."""


def tasks(engine: Engine, folder: Path, size: int) -> list[Task]:
    """An analysis, self-play and a match of some size, done by one process in a folder for comparison."""
    engine.run("tune", "play", "--games", "40", "--nodes", "200", "--out", "raw", cwd=folder)
    text = "".join(line.split(";")[0] + "\n" for line in (folder / "raw").read_text().splitlines())
    (folder / "positions").write_text(text)
    analyse = ["analyse", str(folder / "positions"), "--nodes", str(400 * size), "--no-time", "--out", "objects"]
    play = ["tune", "play", "--games", str(20 * size), "--nodes", "400", "--seed", "3", "--out", "played"]
    results = ["--record", "record", "--json", "json"]
    match = engine.match("--rounds", str(3 * size))
    engine.run(*analyse, cwd=folder)
    engine.run(*play, cwd=folder)
    engine.run("match", *match, *results, cwd=folder)
    record: Callable[[Path], object] = lambda path: without_times(path.read_text())  # noqa: E731
    return [
        Task("analysis", analyse, [*analyse, "--resume"], {"objects": Path.read_bytes}),
        Task("self-play", play, [*play, "--resume"], {"played": Path.read_bytes}),
        Task(
            "match",
            ["match", *match, *results, "--save", "journal"],
            ["match", "--resume", "journal", *results],
            {"json": Path.read_bytes, "record": record},
        ),
    ]


class Disturbance:
    """Kills at random moments, `kills` times in `seconds`."""

    def __init__(self, cluster: Cluster, kills: int, seconds: float, seed: int) -> None:
        self._cluster = cluster
        self._chance = random.Random(seed)
        since, pause = time.monotonic(), seconds / kills
        #: When each process is to be killed, the next one last.
        self._times = [since + pause * (number + self._chance.random()) for number in reversed(range(kills))]
        self.killed: Counter[str] = Counter()

    @property
    def left(self) -> int:
        """Kills that are still to come."""
        return len(self._times)

    def look(self, coordinator: subprocess.Popen[str]) -> None:
        """Kills a process if it is time to, and there is one of a kind that is drawn."""
        self._cluster.keep_up()
        if not self._times or time.monotonic() < self._times[-1]:
            return
        (kind,) = self._chance.choices(list(KINDS), list(KINDS.values()))
        found = {
            "engine": self._cluster.engines,
            "worker": self._cluster.workers,
            "keeper": self._cluster.keepers,
            "coordinator": lambda: _there(coordinator.pid),
            "scheduler": self._cluster.scheduler,
        }[kind]()
        with contextlib.suppress(psutil.NoSuchProcess):
            if found:
                self._chance.choice(found).kill()
                self._times.pop()
                self.killed[kind] += 1


def disturbed(task: Task, folder: Path, where: Sequence[str], look: Callable[[subprocess.Popen[str]], None]) -> int:
    """Runs a job of the farm in a folder to its end; returns how often it was resumed."""
    begun = 0
    while True:
        # Once there is something to go on with, the job is resumed.
        has_begun = any(path.stat().st_size > 0 for path in folder.iterdir() if path.suffix != ".log")
        with (folder / "farm.log").open("a") as log:
            job = start_farm(*(task.resume if has_begun else task.begin), cwd=folder, where=where, log=log)
            try:
                while job.poll() is None:
                    look(job)
                    time.sleep(0.05)
            finally:
                _end(job)
        if job.returncode == 0:
            return begun
        end = (folder / "farm.log").read_text()[-2000:]
        assert job.returncode == -9 or "set aside" in end, end
        begun += 1


def _end(job: subprocess.Popen[str]) -> None:
    """Ends a coordinator that is left behind."""
    if job.poll() is None:
        job.kill()
        job.wait()


def compare(task: Task, folder: Path, alone: Path) -> None:
    """Compares the files of a job with those of one process."""
    for name, of in task.files.items():
        assert of(folder / name) == of(alone / name), f"{folder / name} differs from {alone / name}"


@contextlib.contextmanager
def load(processes: int) -> Iterator[None]:
    """Keeps processors busy, in addition to the present load."""
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes - int(os.getloadavg()[0]))
    ]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def main(kills: int, seconds: float) -> None:
    """Kills processes while jobs run one after the other, and compares each result."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    engine = Engine()
    with tempfile.TemporaryDirectory() as name, load(os.cpu_count() or 1), contextlib.ExitStack() as stack:
        folder = Path(name)
        (folder / "alone").mkdir()
        jobs = tasks(engine, folder / "alone", size=40)
        cluster = Cluster(3, folder)
        stack.callback(cluster.close)
        disturbance = Disturbance(cluster, kills, seconds, seed=1)
        since, rounds = time.monotonic(), 0
        print(f"{len(jobs)} jobs to be compared with are done, load {os.getloadavg()[0]:.1f}", flush=True)
        while disturbance.left:
            task = jobs[rounds % len(jobs)]
            rounds += 1
            room = folder / f"{rounds}"
            room.mkdir()
            where = ["--scheduler", cluster.address]
            begun = disturbed(task, room, where, disturbance.look)
            compare(task, room, folder / "alone")
            lost = (room / "farm.log").read_text().count("done again")
            print(
                f"{time.monotonic() - since:6.0f} s, {disturbance.killed.total():3} kills: {task.name} is that of one "
                f"process, resumed {begun} times, {lost} parts lost",
                flush=True,
            )
        kinds = ", ".join(f"{count} {kind}s" for kind, count in sorted(disturbance.killed.items()))
        print(f"{disturbance.killed.total()} kills ({kinds}), {rounds} jobs, all equal; {cluster.restarts} restarts")


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
