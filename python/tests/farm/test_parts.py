"""Command lines, files and sizes of parts."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from millbrain.farm import FarmError, worker
from millbrain.farm import parts as parts_module
from millbrain.farm.formats import lines
from millbrain.farm.journal import Lines, Mirrored
from millbrain.farm.losses import Cause, Losses, Policy, Report, Verdict
from millbrain.farm.parts import Parts
from millbrain.farm.places import Place, seekable
from millbrain.farm.plan import Plan
from millbrain.farm.shards import Sizes, gaps, shard
from millbrain.farm.words import Words, as_words


def test_words_are_taken_apart() -> None:
    words = Words(
        ["in", "--nodes", "5", "--no-time", "free", "--hash", "1", "--out=x", "--hash", "2"], flags=["--no-time"]
    )
    assert words.free == ["in", "free"]
    assert words.take("--out") == "x"
    assert words.take("--out") is None
    assert words.take_flag("--no-time")
    assert not words.take_flag("--no-time")
    assert "--hash" in words
    assert words.rest() == ["--nodes", "5", "--hash", "1", "--hash", "2"]
    with pytest.raises(FarmError, match="--nodes unusable here"):
        words.refuse("--shard", "--nodes")
    with pytest.raises(FarmError, match="--out unusable, expected a value"):
        Words(["--out"]).take("--out")
    lists = Words(["--engine", "cmd=a", "nodes=1", "--out", "x", "--engine", "cmd=b"], has_lists=True)
    assert lists.take("--out") == "x"
    assert (lists.rest(), lists.free) == (["--engine", "cmd=a", "nodes=1", "--engine", "cmd=b"], [])


def test_options_by_name_are_words() -> None:
    options = {
        "nodes": 5,
        "no_time": True,
        "resume": False,
        "hash": None,
        "tablebase": ["a", "b"],
        "openings": ["plies=6", "seed=1"],
        "engine": [["name=A", "cmd=a"], ["name=B"]],
    }
    assert " ".join(as_words(options)) == (
        "--nodes 5 --no-time --tablebase a --tablebase b --openings plies=6 --openings seed=1 "
        "--engine name=A cmd=a --engine name=B"
    )


def test_lines_of_pieces() -> None:
    assert list(lines([b"a\nb", b"c\n", b"\n", b"d"])) == [b"a", b"bc", b"", b"d"]


def test_a_part_is_set_aside_after_some_losses() -> None:
    report = Report()
    losses = Losses(Policy(attempts=3), report)
    assert losses.lost("a", Cause.ENGINE, "w") is Verdict.AGAIN
    assert losses.lost("a", Cause.SCHEDULER, None) is Verdict.AGAIN
    # However often it was lost beside others, it is tried alone.
    assert losses.lost("a", Cause.WORKER, "v", times=9) is Verdict.ALONE
    assert losses.lost("b", Cause.ENGINE, "w") is Verdict.AGAIN
    assert losses.lost("a", Cause.MACHINE, "v") is Verdict.QUARANTINE
    losses.quarantine("a", "no memory")
    losses.done("b", "w")
    assert losses.lost("b", Cause.ENGINE, "w") is Verdict.AGAIN
    with pytest.raises(FarmError, match=r"^1 part set aside, the others are done; so: a: no memory$"):
        losses.tell("so")
    assert report.as_json()["losses"] == {
        "killed engine": 3,
        "lost scheduler": 1,
        "lost worker": 1,
        "fault of a machine": 1,
    }


def test_a_refusal_counts_by_itself_and_workers_are_watched() -> None:
    losses = Losses(Policy(worker_losses=2), Report())
    assert losses.lost("a", Cause.REFUSAL, "w") is Verdict.AGAIN
    assert losses.lost("a", Cause.REFUSAL, "w") is Verdict.REFUSED
    # The same part twice is no fault of the worker.
    assert not losses.is_bad("w")
    losses.lost("b", Cause.MACHINE, "w")
    assert losses.is_bad("w")
    losses.done("c", "w")
    assert not losses.is_bad("w")


def test_a_plan_goes_on_with_the_same_alone(tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    tables.mkdir()
    (tables / "manifest.json").write_text("{}")
    target = Place(tmp_path / "out")

    def plan(**settings: object) -> Plan:
        return Plan("job", settings, {"version": "1"}, [str(tables), "http://tables"])

    assert not plan(nodes=1).begin(target, resume=False)
    with plan(nodes=1).parts(target) as parts:
        parts.add((0, 1), b"")
    with pytest.raises(FarmError, match="left by a run that has not ended"):
        plan(nodes=1).begin(target, resume=False)
    assert not plan(nodes=1).begin(target, resume=True)
    with pytest.raises(FarmError, match=r"settings.nodes is 2, expected 1 as in .*out.plan.json$"):
        plan(nodes=2).begin(target, resume=True)
    (tables / "manifest.json").write_text("{ }")
    with pytest.raises(FarmError, match=r"out: tables.*tables is .*, expected .* as in"):
        plan(nodes=1).begin(target, resume=True)
    (tables / "manifest.json").write_text("{}")
    target.write([b"done"])
    assert plan(nodes=1).begin(target, resume=True)
    with pytest.raises(FarmError, match="exists already"):
        plan(nodes=1).begin(target, resume=False)
    plan(nodes=1).end(target, Report())
    kept = json.loads((tmp_path / "out.plan.json").read_text())
    assert kept["plan"]["engine"] == {"version": "1"} and kept["report"]["quarantined"] == []
    assert kept["plan"]["tables"]["http://tables"] == "http://tables"
    assert Plan.settings(target) == {"nodes": 1}
    (tmp_path / "out.plan.json").write_text("[]")
    with pytest.raises(FarmError, match="no plan"):
        plan(nodes=1).begin(target, resume=True)


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


@pytest.fixture(params=["local", "memory://parts"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A folder of this machine, or of none."""
    folder = Place(tmp_path / "out.parts") if request.param == "local" else Place(request.param)
    yield folder
    folder.remove_all()


def test_parts_are_in_order_however_they_come(folder: Place) -> None:
    with Parts(folder) as parts:
        parts.add((10, 12), b"b")
        parts.add((2, 10), b"a")
        if folder.local is not None:
            with pytest.raises(FarmError, match="another run writes to it"):
                Parts(folder)
    again = Parts(folder)
    assert again.done() == [(2, 10), (10, 12)]
    assert again.left(20) == [(0, 2), (12, 20)]
    assert b"".join(again.contents()) == b"ab"
    with pytest.raises(FarmError, match="items 1 to 2 of 12 missing, expected all"):
        list(again.whole(12))
    again.add((0, 2), b"-")
    assert b"".join(again.whole(12)) == b"-ab"
    again.remove()
    assert not folder.names()


def test_parts_are_joined_as_they_come(folder: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts_module, "JOINED", 4)
    monkeypatch.setattr(parts_module, "SMALL", 40)
    most = 0
    order = [number for number in range(120) if number != 50]
    random.Random(4).shuffle(order)
    with Parts(folder) as parts:
        for number in sorted(order, key=lambda number: number // 20):
            parts.add((number, number + 1), b"%d," % number)
            most = max(most, len(parts.done()))
        known = parts.done()
    assert len(known) < 120 * 4 / 40 + 12 and most < 40
    assert b"".join(Parts(folder).contents()) == b"".join(b"%d," % number for number in sorted(order))
    # A kill has come between joining and removing.
    whole = next(items for items in known if items[1] - items[0] > 1)
    (folder / f"{whole[0]}-{whole[0] + 1}").write([b"again"])
    with Parts(folder) as parts:
        assert parts.done() == known
        assert parts.left(120) == [(50, 51)]
    assert len([name for name in folder.names() if name != "lock"]) == len(known)


def test_files_elsewhere_are_whole_or_not_there() -> None:
    place = Place("memory://whole/file")
    with pytest.raises(RuntimeError), place.writing() as file:
        file.write(b"half")
        raise RuntimeError
    assert not place.exists() and place.size() is None
    place.write([b"a", b"b"])
    assert (place.read(), place.size(), b"".join(place.pieces())) == (b"ab", 2, b"ab")
    with seekable(place) as copy:
        assert copy.seek(1) == 1 and copy.read() == b"b"
    place.remove()
    assert not place.exists()
    with pytest.raises(FarmError, match="nowhere://x: "):
        Place("nowhere://x")


def test_a_journal_elsewhere(tmp_path: Path) -> None:
    place = Place("memory://journals/match")
    for number, line in enumerate([b"one\n", b"two\n"]):
        # Opened again each time, as after a kill.
        with tempfile.TemporaryDirectory(dir=tmp_path) as scratch, Mirrored(place, Path(scratch)) as journal:
            assert len(list(journal)) == number
            journal.add([line])
    assert not place.exists()
    with Mirrored(place, tmp_path) as journal:
        journal.add([b"three\n"])
        journal.finish()
    assert place.read() == b"one\ntwo\nthree\n"
    assert not place.beside(".parts").names()


def test_shards_are_named_as_the_engine_does() -> None:
    assert shard((2, 5), 9) == "3-5/9"


def test_gaps_and_parts_are_everything() -> None:
    assert gaps([], 3) == [(0, 3)]
    assert gaps([(0, 2), (4, 6)], 8) == [(2, 4), (6, 8)]
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
