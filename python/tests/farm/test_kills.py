"""Workers and coordinators that are killed change nothing in the result."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from running import Engine, start_farm, without_times

#: Kills of each job; twenty in the long form.
KILLS = int(os.environ.get("MILLBRAIN_KILLS", "2"))


def workers(coordinator: subprocess.Popen[str]) -> list[psutil.Process]:
    """The worker processes of a local cluster."""
    with contextlib.suppress(psutil.NoSuchProcess):
        children = psutil.Process(coordinator.pid).children()
        return [child for child in children if "spawn_main" in " ".join(child.cmdline())]
    return []


def is_at_work(coordinator: subprocess.Popen[str]) -> bool:
    """Whether a worker has begun a part: the cluster is there."""
    with contextlib.suppress(psutil.NoSuchProcess):
        family = psutil.Process(coordinator.pid).children(recursive=True)
        return any("--end-with-input" in child.cmdline() for child in family)
    return False


def disturbed(words: list[str], resume: list[str], folder: Path) -> None:
    """Runs a job of the farm to its end, and kills a worker or the coordinator again and again until then."""
    chance = random.Random(11)
    killed = 0
    started = False
    while True:
        # Once there is something to go on with, the job is resumed.
        job = start_farm(*(resume if started else words), cwd=folder)
        while killed < KILLS and job.poll() is None:
            if not is_at_work(job):
                time.sleep(0.05)
                continue
            time.sleep(chance.uniform(0.0, 3.0))
            killed += 1
            if killed % 2 == 0:
                job.kill()
            elif found := workers(job):
                with contextlib.suppress(psutil.NoSuchProcess):
                    chance.choice(found).kill()
        _, complaints = job.communicate(timeout=600)
        if job.returncode == 0:
            assert killed == KILLS, f"{killed} kills were all there was time for"
            return
        assert job.returncode == -9, complaints
        started = any(path.name not in ("positions",) and path.stat().st_size > 0 for path in folder.iterdir())


def test_analysis(engine: Engine, positions: Path, tmp_path: Path) -> None:
    words = [str(positions), "--nodes", str(5_000 * (1 + KILLS)), "--no-time"]
    expected = engine.run("analyse", *words, cwd=tmp_path)
    folder = tmp_path / "farm"
    folder.mkdir()
    disturbed(["analyse", *words, "--out", "out"], ["analyse", *words, "--out", "out", "--resume"], folder)
    assert (folder / "out").read_text() == expected


def test_match(engine: Engine, tmp_path: Path) -> None:
    rounds = 25 * (1 + KILLS)
    words = engine.match("--rounds", str(rounds))
    engine.run("match", *words, "--record", "record", "--json", "json", "--concurrency", "2", cwd=tmp_path)
    folder = tmp_path / "farm"
    folder.mkdir()
    results = ["--record", "record", "--json", "json"]
    disturbed(["match", *words, *results, "--save", "journal"], ["match", "--resume", "journal", *results], folder)
    assert (folder / "json").read_text() == (tmp_path / "json").read_text()
    assert without_times((folder / "record").read_text()) == without_times((tmp_path / "record").read_text())
    # No game is there twice.
    assert len((folder / "journal").read_text().splitlines()) == 1 + 2 * rounds


def test_nothing_outlives_the_coordinator(engine: Engine, tmp_path: Path) -> None:
    job = start_farm("match", *engine.match("--rounds", "300"), cwd=tmp_path)
    family: list[psutil.Process] = []
    deadline = time.monotonic() + 60
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
