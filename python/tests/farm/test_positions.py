"""The files of an analysis: pieces, order, memory, and what --resume accepts."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from alone import Alone, scratch
from running import Engine

from millbrain.farm import FarmError, worker
from millbrain.farm.jobs import analyse
from millbrain.farm.parts import Parts
from millbrain.farm.places import Place, seekable


@pytest.fixture(autouse=True)
def is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces are small, and no worker is needed for their folder."""

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
    """Writes `count` lines, some of them empty or comments; returns the numbers of the positions."""
    chance = random.Random(count)
    lines = chance.choices(["position", "", "# comment"], [8, 1, 1], k=count)
    (folder / "positions").write_text("\n".join(lines))
    return [number for number, line in enumerate(lines, 1) if line == "position"]


def test_all_positions_are_analysed_once(tmp_path: Path) -> None:
    expected = write(tmp_path, 5_000)
    farm = Alone()
    assert run(tmp_path, farm=farm) == expected
    assert len(farm.given) > 5
    assert sorted(os.listdir(tmp_path)) == ["out", "out.plan.json", "out.settings", "positions"]


def test_an_analysis_is_gone_on_with(tmp_path: Path) -> None:
    expected = write(tmp_path, 5_000)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, farm=Alone(stop_after=6))
    assert not (tmp_path / "out").exists()
    with pytest.raises(FarmError, match=r"out.parts: left by a run that has not ended, expected --resume"):
        run(tmp_path)
    # What a kill has left of a part that was being written.
    (tmp_path / "out.parts" / "4999-5000.tmp").write_text('{"line":4')
    with Parts(Place(tmp_path / "out.parts")) as parts:
        done = parts.done()
    farm = Alone()
    assert run(tmp_path, "--resume", "--threads", "2", farm=farm) == expected
    begun = [int(words[3]) - 1 for words in farm.given]
    assert done and not any(first <= number < last for first, last in done for number in begun)
    # Nothing is left to do.
    farm = Alone()
    assert run(tmp_path, "--resume", farm=farm) == expected
    assert not farm.given


def test_one_process_takes_the_output_as_its_own(tmp_path: Path) -> None:
    write(tmp_path, 40)
    engine = Engine()
    run(tmp_path, "--no-time")
    words = ["analyse", "positions", "--nodes", "5", "--no-time", "--out", "out"]
    before = (tmp_path / "out").read_bytes()
    engine.run(*words, "--resume", cwd=tmp_path)
    engine.run("analyse", "--merge", "out", "--out", "out", cwd=tmp_path)
    assert (tmp_path / "out").read_bytes() == before


def test_other_settings_are_not_mixed_in(tmp_path: Path) -> None:
    expected = write(tmp_path, 100)
    assert run(tmp_path, "--no-time") == expected
    name = tmp_path / "out"
    before = name.read_text()
    for words, message in [
        (["--no-time", "--multipv", "2"], "settings.multipv is 2, expected 1"),
        ([], "settings.time is True, expected False"),
    ]:
        with pytest.raises(FarmError, match=f"^{name}: {message} as in {name}.plan.json$"):
            run(tmp_path, *words, "--resume")
    farm = Alone()
    farm.engine["sha256"] = "another"
    message = f"{name}: engine.sha256 is another, expected program as in {name}.plan.json"
    with pytest.raises(FarmError, match=f"^{message}$"):
        run(tmp_path, "--no-time", "--resume", farm=farm)
    with pytest.raises(FarmError, match="out: exists already"):
        run(tmp_path, "--no-time")
    text = (tmp_path / "positions").read_bytes()
    (tmp_path / "positions").write_bytes(text.replace(b"position", b"positiom", 1))
    with pytest.raises(FarmError, match=r"input\.digest is .*, expected .* as in"):
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
    for lines in (3_000, 9_000):
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


def test_positions_from_a_pipe() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a\n\nb")
    os.close(writing)
    with seekable(Place(f"/dev/fd/{reading}")) as file:
        assert file.read() == b"a\n\nb"
    os.close(reading)


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket of a server of this process."""
    pytest.importorskip("s3fs", reason="addresses of S3 need s3fs")
    server = pytest.importorskip("moto.server", reason="the server is moto's").ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in [("ACCESS_KEY_ID", "a"), ("SECRET_ACCESS_KEY", "b"), ("ENDPOINT_URL", f"http://{host}:{port}")]:
        monkeypatch.setenv(f"AWS_{name}", value)
    bucket = Place("s3://farm")
    bucket.make()
    yield bucket.name
    server.stop()


def test_an_analysis_in_a_bucket(bucket: str, tmp_path: Path) -> None:
    expected = write(tmp_path, 3_000)
    source = Place(f"{bucket}/positions")
    source.write([(tmp_path / "positions").read_bytes()])
    words = [source.name, "--out", f"{bucket}/out", "--nodes", "5", "--no-time"]

    def run(farm: Alone, *more: str) -> None:
        analyse.run(farm, [*words, *more])  # type: ignore[arg-type]

    with pytest.raises(KeyboardInterrupt):
        run(Alone(stop_after=6))
    assert Place(f"{bucket}/out.parts").names() and not Place(f"{bucket}/out").exists()
    run(Alone(), "--resume")
    assert [json.loads(line)["line"] for line in Place(f"{bucket}/out").read().splitlines()] == expected
    assert Place(bucket).names() == ["out", "out.plan.json", "out.settings", "positions"]


def test_an_analysis_as_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    write(tmp_path, 700)
    run(tmp_path)
    rows = [analyse.row(line) for line in (tmp_path / "out").read_bytes().splitlines()]
    words = [str(tmp_path / "positions"), "--nodes", "5", "--out"]
    for name, more in [(str(tmp_path / "o.parquet"), []), ("memory://o", ["--format", "parquet"])]:
        analyse.run(Alone(), [*words, name, *more])  # type: ignore[arg-type]
        with Place(name).open() as file:
            table = parquet.read_table(file)
        found = [{name: value for name, value in row.items() if value is not None} for row in table.to_pylist()]
        assert found == [{name: value for name, value in row.items() if value is not None} for row in rows]
        plan = json.loads(table.schema.metadata[b"millbrain.plan"])
        assert plan["settings"]["nodes"] == 5 and plan["engine"]["sha256"] == "program"
    with pytest.raises(FarmError, match="--format xml unusable, expected lines or parquet"):
        analyse.run(Alone(), [*words, str(tmp_path / "x"), "--format", "xml"])  # type: ignore[arg-type]


def test_rows_of_objects() -> None:
    line = b'{"line":2,"id":7.50,"score":{"cp":-3},"wdl":[1,2,3],"pv":["a1"],"others":[{"depth":1}],"error":"e"}'
    assert analyse.row(line) == {
        "line": 2, "id": "7.5", "cp": -3, "win": 1, "draw": 2, "loss": 3, "pv": ["a1"], "others": '[{"depth":1}]',
        "error": "e",
    }  # fmt: skip
    assert set(analyse.row(line)) <= set(analyse.COLUMNS)
