"""The files of an analysis: what is a position, pieces, order, memory, and what --resume goes on with."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from millbrain.farm import analyse, sorting, worker
from millbrain.farm.cluster import FarmError
from millbrain.farm.files import Lines


class Alone:
    """A farm without cluster and engine: an object for each line, in pieces that end in any order."""

    resume = ""
    digest = "program"

    def __init__(self, stop_after: int = 1 << 60) -> None:
        self.given: list[list[str]] = []
        self._stop_after = stop_after

    def capture(self, words: Sequence[str]) -> str:
        return ""

    def slots(self) -> int:
        return 1

    def job(self) -> Alone:
        return self

    def each(self, job: Any, parts: Iterator[Any], submit: Any, on_done: Any, *_: object) -> None:
        chance = random.Random(1)
        held: list[Any] = []
        for count, part in enumerate(parts):
            held.append(part)
            if count == self._stop_after:
                raise KeyboardInterrupt
            if len(held) == 4:
                self._do(held.pop(chance.randrange(4)), submit, on_done)
        for part in held:
            self._do(part, submit, on_done)

    def _do(self, part: Any, submit: Any, on_done: Callable[[Any, float, Any], bool]) -> None:
        function, *arguments = submit(part)
        on_done(part, 1e-9, function(*arguments))

    def start(self, words: list[str]) -> str:
        """Does what the engine does with ``analyse FILE --first-line N --out OUT``."""
        self.given.append(words)
        options = dict(zip(words[2::2], words[3::2], strict=False))
        first = int(options.get("--first-line", 1))
        with open(words[1], "rb") as file, open(options["--out"], "wb") as out:
            for number, line in enumerate(file, first):
                if line.strip() and not line.startswith(b"#"):
                    out.write(b'{"line":%d,"nodes":%s}\n' % (number, options["--nodes"].encode()))
        return ""


@pytest.fixture(autouse=True)
def is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces, chunks and blocks are small, and no worker is needed for their folder."""

    @contextmanager
    def scratch() -> Iterator[Path]:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)

    monkeypatch.setattr(worker, "scratch", scratch)
    monkeypatch.setattr(analyse, "MOST_LINES", 500)
    monkeypatch.setattr(analyse, "BLOCK", 5_000, raising=False)
    monkeypatch.setattr(sorting, "CHUNK", 20_000)
    monkeypatch.setattr(sorting, "BLOCK", 100)


def do(folder: Path, *words: str, farm: Alone | None = None) -> None:
    """Analyses the positions in a folder."""
    files = [str(folder / "positions"), "--out", str(folder / "out"), "--nodes", "5"]
    analyse.run(farm or Alone(), [*files, *words])  # type: ignore[arg-type]


def run(folder: Path, *words: str, farm: Alone | None = None) -> list[int]:
    """Analyses the positions in a folder; the lines in the output."""
    do(folder, *words, farm=farm)
    return [json.loads(line)["line"] for line in (folder / "out").read_text().splitlines()]


def write(folder: Path, count: int) -> list[int]:
    """Writes so many lines, some of them empty or comments; the numbers of the positions."""
    chance = random.Random(count)
    lines = chance.choices(["position", "", "# comment"], [8, 1, 1], k=count)
    (folder / "positions").write_text("\n".join(lines))
    return [number for number, line in enumerate(lines, 1) if line == "position"]


def test_all_positions_are_analysed_once(tmp_path: Path) -> None:
    expected = write(tmp_path, 5_000)
    farm = Alone()
    assert run(tmp_path, farm=farm) == expected
    assert len(farm.given) > 5
    assert sorted(os.listdir(tmp_path)) == ["out", "out.farm", "positions"]


def test_an_analysis_is_gone_on_with(tmp_path: Path) -> None:
    expected = write(tmp_path, 5_000)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, farm=Alone(stop_after=6))
    left = len((tmp_path / "out").read_text().splitlines())
    assert 0 < left < len(expected)
    with (tmp_path / "out").open("a") as out:
        out.write('{"line":4')
    farm = Alone()
    assert run(tmp_path, "--resume", "--threads", "2", farm=farm) == expected
    # Nothing is left to do, and nothing to write.
    before = (tmp_path / "out").stat()
    farm = Alone()
    assert run(tmp_path, "--resume", farm=farm) == expected
    assert not farm.given and (tmp_path / "out").stat().st_ino == before.st_ino


def test_other_settings_are_not_mixed_in(tmp_path: Path) -> None:
    expected = write(tmp_path, 100)
    assert run(tmp_path, "--no-time", "--tablebase", "a", "--tablebase", "b") == expected
    (tmp_path / "out").write_text('{"line":1,"nodes":5}\n')
    good = ["--no-time", "--tablebase", "a", "--tablebase", "b"]
    name = tmp_path / "out"
    for words, told in [
        ([*good, "--nodes", "9"], "--nodes is 5 9, expected 5"),
        ([*good, "--multipv", "2"], "--multipv is 2, expected not given"),
        (good[1:], "--no-time is not given, expected given"),
        (good[:3], "--tablebase is a, expected a b"),
    ]:
        with pytest.raises(FarmError, match=f"^{name}: {told} as in {name}.farm$"):
            run(tmp_path, *words, "--resume")
    farm = Alone()
    farm.digest = "another"
    with pytest.raises(FarmError, match="engine is another, expected program as in"):
        run(tmp_path, *good, "--resume", farm=farm)
    text = (tmp_path / "positions").read_bytes()
    (tmp_path / "positions").write_bytes(text.replace(b"position", b"positiom", 1))
    with pytest.raises(FarmError, match="input is .*, expected .* as in"):
        run(tmp_path, *good, "--resume")
    (tmp_path / "positions").write_bytes(text)
    assert name.read_text() == '{"line":1,"nodes":5}\n'
    (tmp_path / "out.farm").rename(tmp_path / "kept")
    with pytest.raises(FarmError, match="made with unknown settings, there is no"):
        run(tmp_path, *good, "--resume")
    (tmp_path / "out.farm").write_text("x")
    with pytest.raises(FarmError, match="out.farm: not the settings of an output"):
        run(tmp_path, *good, "--resume")
    (tmp_path / "kept").rename(tmp_path / "out.farm")
    assert run(tmp_path, *good, "--resume") == expected


def peak(folder: Path) -> int:
    """The most memory in bytes for the positions in a folder."""
    tracemalloc.start()
    do(folder)
    do(folder, "--resume")
    return tracemalloc.get_traced_memory()[1]


def test_memory_does_not_grow_with_the_input(tmp_path: Path) -> None:
    peaks = []
    for lines in (5_000, 20_000):
        folder = tmp_path / str(lines)
        folder.mkdir()
        expected = write(folder, lines)
        # In a process without the threads of a cluster, whose memory would be counted too.
        with multiprocessing.get_context("fork").Pool(1) as alone:
            peaks.append(alone.apply(peak, [folder]))
        assert len((folder / "out").read_bytes().splitlines()) == len(expected)
    assert peaks[1] < 1.5 * peaks[0], peaks


def test_pieces_have_no_lines_before_their_first(tmp_path: Path) -> None:
    (tmp_path / "positions").write_bytes(b"\xef\xbb\xbfa\n" + b"\n" * 1_001 + b"b\n" + b"# no\n" * 1_000 + b"c")
    with analyse.regular(tmp_path / "positions", tmp_path) as positions, Lines(tmp_path / "out") as lines:
        assert (positions.lines, positions.count) == (2_004, 3)
        pieces = list(positions.pieces(analyse.Objects(lines, positions), lambda: 9))
    assert pieces == [(1, 1, b"a\n"), (1_003, 2, b"b\n" + b"\n" * 1_000 + b"c\n")]
    assert list(map(str, pieces)) == ["lines 1 to 1", "lines 1003 to 2004"]


def test_positions_from_a_pipe(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a\n\nb")
    os.close(writing)
    with analyse.regular(Path(f"/dev/fd/{reading}"), tmp_path) as positions:
        assert (positions.lines, positions.count) == (3, 2)
    os.close(reading)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("space", ["", " \t", "\x0b\x0c\r", "\x85", "\xa0", "\u2003", "\u202f \u3000"])
def test_positions_are_told_as_by_the_engine(space: str) -> None:
    assert not analyse._is_position(f"{space}\n".encode())
    assert not analyse._is_position(f"{space}# x\n".encode())
    assert analyse._is_position(f"{space}x {space}\n".encode())
    # No space for the engine, other than for Python.
    assert analyse._is_position(f"{space}\x1c\n".encode())
    assert analyse._is_position(space.encode() + b"\xff\n")
    assert analyse._is_position(f"{space}\ufeff\n".encode())


def test_sorting_keeps_all_lines_and_the_order_of_equals(tmp_path: Path) -> None:
    chance = random.Random(3)
    lines = [b"%d %d%s\n" % (chance.randrange(500), number, b"x" * chance.randrange(300)) for number in range(2_000)]
    sorting.sort(tmp_path / "out", iter(lines), lambda line: int(bytes(line).split()[0]))
    assert (tmp_path / "out").read_bytes() == b"".join(sorted(lines, key=lambda line: int(bytes(line).split()[0])))
    assert os.listdir(tmp_path) == ["out"]
    sorting.sort(tmp_path / "out", [], len)
    assert (tmp_path / "out").read_bytes() == b""
