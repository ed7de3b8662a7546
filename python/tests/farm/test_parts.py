"""Command lines, files and sizes of parts."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

from millbrain.farm import worker
from millbrain.farm.cluster import FarmError, Sizes
from millbrain.farm.files import Lines, Parts
from millbrain.farm.shards import gaps, items, shard
from millbrain.farm.words import Words


def test_words_are_taken_apart() -> None:
    words = Words(
        ["in", "--nodes", "5", "--no-time", "free", "--engine", "cmd=a", "nodes=1", "--out=x", "--engine", "cmd=b"],
        flags=["--no-time"],
    )
    assert words.free == ["in", "free"]
    assert words.take("--out") == "x"
    assert words.take("--out") is None
    assert words.take_flag("--no-time")
    assert not words.take_flag("--no-time")
    assert "--engine" in words
    assert words.rest() == ["--nodes", "5", "--engine", "cmd=a", "nodes=1", "--engine", "cmd=b"]
    with pytest.raises(FarmError, match="--nodes unusable here"):
        words.refuse("--shard", "--nodes")
    with pytest.raises(FarmError, match="--out unusable, expected a value"):
        Words(["--out"]).take("--out")


def test_a_torn_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntwo\n" + b"x" * 200_000)
    with Lines(path) as lines:
        assert list(lines) == [b"one\n", b"two\n"]
        lines.add([b"three\n", b"four\n"])
        with pytest.raises(FarmError, match="another run writes to it"):
            Lines(path)
    assert path.read_bytes() == b"one\ntwo\nthree\nfour\n"
    path.write_bytes(b"no end")
    with Lines(path) as lines:
        assert list(lines) == []


def test_parts_are_kept_for_the_same_plan(tmp_path: Path) -> None:
    folder = tmp_path / "out.parts"
    parts = Parts(folder, "plan", resume=False)
    parts.add((10, 12), b"b")
    parts.add((2, 10), b"a")
    with pytest.raises(FarmError, match="expected --resume"):
        Parts(folder, "plan", resume=False)
    with pytest.raises(FarmError, match="expected 'another'"):
        Parts(folder, "another", resume=True)
    again = Parts(folder, "plan", resume=True)
    assert again.done() == [(2, 10), (10, 12)]
    assert b"".join(again.contents()) == b"ab"
    again.remove()
    assert not folder.exists()


def test_shards_are_named_as_the_engine_does() -> None:
    assert shard((2, 5), 9) == "3-5/9"
    for name in ["1-9/9", "3-5/9"]:
        assert shard(items(name), 9) == name
    assert items("4/9") == (3, 4)


def test_gaps_and_parts_are_everything() -> None:
    assert gaps([], 3) == [(0, 3)]
    assert gaps([(4, 6), (0, 2)], 8) == [(2, 4), (6, 8)]
    assert gaps([(0, 8)], 8) == []


def test_parts_grow_to_their_time_and_shrink_at_the_end() -> None:
    sizes = Sizes(most=100)
    assert sizes.next(left=1000, slots=4) == 1
    sizes.add(items=4, seconds=2.0)
    assert sizes.next(left=1000, slots=4) == 40
    assert sizes.next(left=80, slots=4) == 10
    assert sizes.next(left=3, slots=4) == 1
    sizes.add(items=1000, seconds=1.0)
    assert sizes.next(left=100_000, slots=4) == 100


def test_what_is_left_is_cut_as_sizes_grow() -> None:
    sizes = Sizes(most=100)
    cut = sizes.cut([(0, 1), (5, 90), (100, 1000)], lambda: 1)
    assert [next(cut), next(cut)] == [(0, 1), (5, 6)]
    sizes.add(items=2, seconds=1.0)
    assert list(itertools.islice(cut, 4)) == [(6, 46), (46, 86), (86, 90), (100, 140)]
    assert [last for _, last in cut][-1] == 1000


def test_a_worker_waits_for_idle_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = iter([0.1, 0.4, 0.9, 0.0])
    monkeypatch.setattr(worker, "idle_cores", lambda: next(idle))
    assert worker.wait_for_cores(1) == 0.9
    monkeypatch.setattr(worker, "PATIENCE", -1.0)
    assert worker.wait_for_cores(1) == 0.0


def test_idle_cores_are_measured() -> None:
    spinning = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        busy = worker.idle_cores(0.5)
    finally:
        spinning.kill()
        spinning.wait()
    assert busy >= 0.0
