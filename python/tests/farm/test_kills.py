"""Workers and coordinators that are killed change nothing in the result. The script ``kills`` is the long form."""

from __future__ import annotations

import contextlib
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from disturbing import Task, children, compare, disturbed
from running import FEW, Engine, start_farm, without_times


class Killer:
    """Kills a worker of a local cluster, then its coordinator."""

    def __init__(self) -> None:
        self._chance = random.Random(11)
        self._at: float | None = None
        self.killed = 0

    def look(self, coordinator: subprocess.Popen[str]) -> None:
        """Kills one of them a while after a worker has begun a part."""
        if self.killed == 2 or not is_at_work(coordinator):
            return
        if self._at is None:
            self._at = time.monotonic() + self._chance.uniform(0.0, 1.0)
        if time.monotonic() < self._at:
            return
        victims = [coordinator] if self.killed else workers(coordinator)
        if victims:
            with contextlib.suppress(psutil.NoSuchProcess):
                self._chance.choice(victims).kill()
            self.killed, self._at = self.killed + 1, None


def workers(coordinator: subprocess.Popen[str]) -> list[psutil.Process]:
    """The worker processes of a local cluster."""
    with contextlib.suppress(psutil.NoSuchProcess):
        found = children(psutil.Process(coordinator.pid))
        return [child for child in found if "spawn_main" in " ".join(child.cmdline())]
    return []


def is_at_work(coordinator: subprocess.Popen[str]) -> bool:
    """Whether a worker has begun a part: the cluster is there."""
    with contextlib.suppress(psutil.NoSuchProcess):
        family = psutil.Process(coordinator.pid).children(recursive=True)
        return any("--end-with-input" in child.cmdline() for child in family)
    return False


def kill(task: Task, alone: Path, folder: Path) -> None:
    """Disturbs a job in a folder, and compares it with one process in another."""
    folder.mkdir()
    killer = Killer()
    assert disturbed(task, folder, FEW, killer.look) == 1
    assert killer.killed == 2
    compare(task, folder, alone)


def test_analysis(engine: Engine, positions: Path, tmp_path: Path) -> None:
    words = ["analyse", str(positions), "--nodes", "15000", "--no-time", "--out", "out"]
    engine.run(*words, cwd=tmp_path)
    kill(Task("analysis", words, [*words, "--resume"], {"out": Path.read_bytes}), tmp_path, tmp_path / "farm")


def test_match(engine: Engine, tmp_path: Path) -> None:
    words = ["match", *engine.match("--rounds", "60")]
    results = ["--record", "record", "--json", "json"]
    engine.run(*words, *results, "--concurrency", "2", cwd=tmp_path)
    files: dict[str, Callable[[Path], object]] = {
        "json": Path.read_bytes,
        "record": lambda path: without_times(path.read_text()),
    }
    resume = ["match", "--resume", "journal", *results]
    kill(Task("match", [*words, *results, "--save", "journal"], resume, files), tmp_path, tmp_path / "farm")
    # No game is there twice.
    assert len((tmp_path / "farm" / "journal").read_text().splitlines()) == 1 + 2 * 60


def test_nothing_outlives_the_coordinator(engine: Engine, tmp_path: Path) -> None:
    job = start_farm("match", *engine.match("--rounds", "300"), cwd=tmp_path)
    family: list[psutil.Process] = []
    deadline = time.monotonic() + 300
    # Coordinator, workers, matches, engines.
    while len(family) < 8:
        assert time.monotonic() < deadline and job.poll() is None
        time.sleep(0.2)
        family = psutil.Process(job.pid).children(recursive=True)
    job.kill()
    job.communicate()
    gone, alive = psutil.wait_procs(family, timeout=30)
    assert not alive, [process.cmdline() for process in alive]
    with pytest.raises(psutil.NoSuchProcess):
        psutil.Process(job.pid)
    assert len(gone) == len(family)
