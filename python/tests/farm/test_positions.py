"""The files of an analysis: pieces, order, memory, and what --resume goes on with."""

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
from typing import Any, BinaryIO

import pytest
from running import Engine

from millbrain.farm import analyse, worker
from millbrain.farm.cluster import FarmError
from millbrain.farm.program import JobFailed, capture


class Alone:
    """A farm without cluster, whose engine makes any object of a line, in pieces that end in any order."""

    resume = ""
    digest = "program"

    def __init__(self, stop_after: int = 1 << 60) -> None:
        self.given: list[list[str]] = []
        self._stop_after = stop_after

    def capture(self, words: Sequence[str], given: BinaryIO | None = None) -> str:
        return capture([*Engine().words, *words], given)

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
    """Pieces are small, and no worker is needed for their folder."""

    @contextmanager
    def scratch() -> Iterator[Path]:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)

    monkeypatch.setattr(worker, "scratch", scratch)
    monkeypatch.setattr(analyse, "MOST_LINES", 500)


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
    assert sorted(os.listdir(tmp_path)) == ["out", "out.farm", "out.settings", "positions"]


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
    # Nothing is left to do.
    farm = Alone()
    assert run(tmp_path, "--resume", farm=farm) == expected
    assert not farm.given


def test_the_engine_and_the_farm_go_on_with_each_other(tmp_path: Path) -> None:
    write(tmp_path, 40)
    words = ["analyse", "positions", "--nodes", "5", "--no-time", "--out"]
    engine = Engine()
    engine.run(*words, "alone", cwd=tmp_path)
    whole = (tmp_path / "alone").read_text()
    begun = whole.splitlines(keepends=True)[7:20]
    (tmp_path / "out").write_text("".join(begun))
    (tmp_path / "out.settings").write_bytes((tmp_path / "alone.settings").read_bytes())
    run(tmp_path, "--no-time", "--resume")
    assert set(begun) < set((tmp_path / "out").read_text().splitlines(keepends=True))
    (tmp_path / "out").write_text("".join(begun))
    engine.run(*words, "out", "--resume", cwd=tmp_path)
    engine.run("analyse", "--merge", "out", "--out", "out", cwd=tmp_path)
    assert (tmp_path / "out").read_text() == whole


def test_other_settings_are_not_mixed_in(tmp_path: Path) -> None:
    expected = write(tmp_path, 100)
    assert run(tmp_path, "--no-time") == expected
    name = tmp_path / "out"
    before = name.read_text()
    for words, told in [
        (["--no-time", "--multipv", "2"], "multipv is 2, expected 1"),
        ([], "time is true, expected false"),
    ]:
        with pytest.raises(JobFailed, match=f"^{name}: {told} as in {name}.settings$"):
            run(tmp_path, *words, "--resume")
    farm = Alone()
    farm.digest = "another"
    with pytest.raises(FarmError, match=f"^{name}: engine is another, expected program as in {name}.farm$"):
        run(tmp_path, "--no-time", "--resume", farm=farm)
    with pytest.raises(JobFailed, match="out: exists already"):
        run(tmp_path, "--no-time")
    text = (tmp_path / "positions").read_bytes()
    (tmp_path / "positions").write_bytes(text.replace(b"position", b"positiom", 1))
    with pytest.raises(JobFailed, match=r"input\.digest is .*, expected .* as in"):
        run(tmp_path, "--no-time", "--resume")
    assert name.read_text() == before


def peak(folder: Path) -> int:
    """The most memory in bytes for the positions in a folder.

    It is the least of three times: now and then Python's own table of names doubles, which is 2 MB late in the tests.
    """
    tracemalloc.start()
    peaks = []
    for _ in range(3):
        for file in folder.glob("out*"):
            file.unlink()
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        do(folder)
        do(folder, "--resume")
        peaks.append(tracemalloc.get_traced_memory()[1] - before)
    return min(peaks)


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


def test_pieces_are_lines_that_are_left(tmp_path: Path) -> None:
    lines = [b"\xef\xbb\xbfa\n", b"b\n", b"# no\n", b"c" * (1 << 20) + b"\n", b"d\r\n", b"e"]
    (tmp_path / "positions").write_bytes(b"".join(lines))
    with (tmp_path / "positions").open("rb") as file:
        for parts, expected in [
            ([(0, 6)], [(0, 4), (4, 6)]),
            ([(0, 1), (1, 2), (4, 5)], [(0, 1), (1, 2), (4, 5)]),
            ([(3, 6)], [(3, 4), (4, 6)]),
        ]:
            pieces = list(analyse.pieces(file, parts))
            assert pieces == [((first, last), b"".join(lines[first:last])) for first, last in expected]
    assert list(map(str, pieces)) == ["lines 4 to 4", "lines 5 to 6"]


def test_positions_from_a_pipe(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a\n\nb")
    os.close(writing)
    with analyse.regular(Path(f"/dev/fd/{reading}"), tmp_path) as file:
        assert file.read() == b"a\n\nb"
    os.close(reading)
    assert not os.listdir(tmp_path)
