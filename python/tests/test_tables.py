"""Tablebases: single positions, folders, and all positions of a sector."""

import copy
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import get_context
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

import millbrain
from millbrain import UNKNOWN, Board, Tables, Value, random_positions, sector_positions


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of up to three stones a side, those with stones in hand too."""
    path = tmp_path_factory.mktemp("tables") / "three"
    build = ["tablebase", "build", "--sectors", "6", "--placing", "--out", str(path)]
    subprocess.run([sys.executable, "-m", "millbrain", *build], check=True, capture_output=True)
    return path


def test_values_of_a_position_and_its_moves() -> None:
    tables = Tables()
    board = Board(fen="1O1/3/3/X4O/3/3/XOX w 0 0 0 1")
    assert tables.probe(board) == Value(-1, 26) and str(tables.probe(board)) == "loss in 26"
    moves = tables.moves(board)
    assert {move.move for move in moves} == set(board.legal_moves)
    assert moves[0].value == Value(-1, 26) and tables.best(board) == moves[0]
    ranks = [move.value.plies for move in moves if move.value is not None and move.value.plies is not None]
    assert ranks == sorted(ranks, reverse=True), "the longest loss first"
    # The best line, played out, is as long as the value.
    plies = 0
    while not board.is_game_over():
        board.push(tables.best(board).move)
        plies += 1
    assert plies == 26
    with pytest.raises(millbrain.IllegalMoveError, match="no legal move in"):
        tables.best(board)


def test_wins_that_the_draw_counter_stops() -> None:
    tables = Tables()

    def loss(counter: int) -> Value:
        return tables.probe(Board(fen=f"1O1/3/3/X4O/3/3/XOX w 0 0 {counter} 60"))

    assert (loss(74), loss(74).category, str(loss(74))) == (Value(-1, 26), "loss", "loss in 26")
    assert (loss(75), loss(75).category, str(loss(75))) == (Value(-1, 26), "blessed-loss", "loss in 26 (blessed-loss)")
    moves = tables.moves(Board(fen="1O1/3/3/X4O/3/3/XOX w 0 0 80 60"))
    assert {move.value.category for move in moves if move.value is not None} == {"blessed-loss", "loss"}
    assert moves[0].value == Value(-1, 26) and moves[1].value == Value(-1, 18)
    for same in (pickle.loads(pickle.dumps(loss(75))), copy.deepcopy(loss(75))):
        assert (same, same.category) == (loss(75), "blessed-loss")
    wdl, plies = loss(75)
    assert (wdl, plies, Value(1, 3).category) == (-1, 26, None)


def test_positions_without_a_table() -> None:
    tables, start = Tables(), Board()
    assert tables.get(start) is None and tables.get(start, Value(0, None)) == Value(0, None)
    with pytest.raises(millbrain.MissingTableError, match=r"no table has 3/3/3/6/3/3/3 w 9 9 0 1, expected") as raised:
        tables.probe(start)
    assert isinstance(raised.value, KeyError) and not str(raised.value).startswith(("'", '"'))
    with pytest.raises(millbrain.MissingTableError):
        tables.best(start)
    nothing = Tables(embedded=False)
    assert nothing.get(Board(fen="1O1/3/3/X4O/3/3/XOX w 0 0")) is None
    assert nothing.get(Board(fen="OO1/3/3/6/3/3/XXX w 0 0")) == Value(-1, 0), "over by the rules"
    once = Board(fen="1O1/3/3/X4O/3/3/XOX w 0 0 0 1 0,0", once_per_line_mills=True)
    assert tables.get(once) is None


def test_tables_of_a_folder(folder: Path, tmp_path: Path) -> None:
    tables = Tables(folder)
    start = Board(stones=3)
    value = tables.probe(start)
    moves = tables.moves(start)
    assert len(moves) == 24 and all(move.value is not None for move in moves)
    assert moves[0].value == value
    # By plain search into the tables: the value of the best move is the value.
    start.push(tables.best(start).move)
    after = tables.probe(start)
    assert (after.wdl, after.plies) == (-value.wdl, None if value.plies is None else value.plies - 1)
    assert Tables([folder]).probe(start) == after and repr(tables).startswith("Tables([")
    assert tables.get(Board("smess")) is None, "tables of other rules are not used"
    with pytest.raises(millbrain.TablesError, match=r"none/manifest.json: "):
        Tables(tmp_path / "none")


class Host(ThreadingHTTPServer):
    """A static host of one file, which counts its requests."""

    def __init__(self, file: Path) -> None:
        self.requests: list[str] = []
        content, requests = file.read_bytes(), self.requests

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                requests.append(self.headers["Range"])
                first, last = (int(text) for text in requests[-1].removeprefix("bytes=").split("-"))
                part = content[first : last + 1]
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(content)}")
                self.send_header("Content-Length", str(len(part)))
                self.send_header("ETag", '"1"')
                self.end_headers()
                self.wfile.write(part)

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)


def test_compact_tables_at_hand_and_on_a_host(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / "three.mbt"
    make = ["tablebase", "compact", "--from", str(folder), "--out", str(file)]
    subprocess.run([sys.executable, "-m", "millbrain", *make], check=True, capture_output=True)
    whole, start = Tables(folder, embedded=False), Board(stones=3)
    positions = random_positions(300, stones=3, seed=1)
    expected = whole.probe_many(positions, stones=3)[0]
    with Host(file) as host:
        Thread(target=host.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{host.server_port}/three.mbt"
        for place in (file, url):
            tables = Tables(place, embedded=False)
            assert tables.probe(start) == Value(whole.probe(start).wdl, None)
            results = {move.move: move.value and move.value.wdl for move in whole.moves(start)}
            assert {move.move: move.value and move.value.wdl for move in tables.moves(start)} == results
            np.testing.assert_array_equal(tables.probe_many(positions, stones=3)[0], expected)
        assert 1 <= len(host.requests) < 20, "not one for each position"
        assert repr(tables) == f"Tables(['{url}'], embedded=False)"
        host.shutdown()
    with pytest.raises(millbrain.TablesError, match=r"three.mbt: .*not asked for 10 s"):
        Tables(url.replace("three", "other/three"), embedded=False).probe_many(positions, stones=3)


def test_tables_travel_between_processes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = Board(stones=3)
    monkeypatch.chdir(folder.parent)
    tables = Tables(folder.name, embedded=False)
    assert repr(tables) == f"Tables(['{folder}'], embedded=False)"
    # A relative path means what it did when the tables were opened.
    monkeypatch.chdir("/")
    value = tables.probe(start)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert pool.submit(tables.probe, start).result(timeout=60) == value
    for twin in (copy.copy(tables), copy.deepcopy(tables), pickle.loads(pickle.dumps(tables))):
        assert type(twin) is Tables and repr(twin) == repr(tables) and twin.probe(start) == value
    assert pickle.loads(pickle.dumps(Tables())).probe(Board(fen="1O1/3/3/X4O/3/3/XOX w 0 0")) == Value(-1, 26)
    gone = pickle.dumps(tables).replace(bytes(folder.name, "ascii"), b"seven")
    with pytest.raises(millbrain.TablesError, match="seven/manifest.json"):
        pickle.loads(gone)


def test_damage_is_reported(folder: Path, tmp_path: Path) -> None:
    for file in filter(Path.is_file, folder.iterdir()):
        data = bytearray(file.read_bytes())
        if file.name == "3-3.dtw":
            data[len(data) // 2] ^= 255
        (tmp_path / file.name).write_bytes(bytes(data))
    tables = Tables(tmp_path, embedded=False)
    with pytest.warns(RuntimeWarning, match="3-3"):
        results, plies = tables.probe_many(sector_positions("3-3")[0])
    # The results are in another file.
    assert (results != UNKNOWN).all() and (plies[results != 0] == -1).any()


# Positions up to symmetry: won, lost, drawn, longest win, longest loss.
KNOWN = [
    ("morris", "3-3", (140_621, 28_736, 269), (25, 26)),
    ("morris", "4-3", (75_397, 3_095, 681_906), (1, 32)),
    ("morris", "4-4", (159, 29, 3_225_409), (9, 8)),
    ("mylos", "4-3", (74_649, 3_095, 682_654), (1, 32)),
    ("mlyn", "3-3", (90_842, 40_162, 38_622), (39, 38)),
]


@pytest.mark.parametrize(("variant", "sector", "counts", "longest"), KNOWN)
def test_whole_sectors_have_their_known_values(
    variant: str, sector: str, counts: tuple[int, int, int], longest: tuple[int, int]
) -> None:
    positions, images = sector_positions(sector, variant)
    results, plies = Tables().probe_many(positions, variant)
    assert len(images) == len(positions) == sum(counts)
    assert tuple(int((results == result).sum()) for result in (1, -1, 0)) == counts
    assert tuple(int(plies[results == result].max()) for result in (1, -1)) == longest
    assert (plies[results == 0] == -1).all()


def test_smess_sectors() -> None:
    positions, images = sector_positions("BS-B", "smess")
    results, plies = Tables().probe_many(positions, "smess")
    assert int(images[results == 1].sum()) == 166_102 and int(images.sum()) == 166_320 and plies.max() == 21


def test_many_are_as_one() -> None:
    tables = Tables()
    for variant, sector in (("morris", "5-3"), ("morabaraba", "4-3"), ("smess", "BN-B")):
        positions = random_positions(300, variant, sector=sector, seed=9)
        results, plies = tables.probe_many(positions, variant)
        for board, result, distance in zip(millbrain.decode(positions, variant), results, plies, strict=True):
            value = tables.probe(board)
            assert (value.wdl, -1 if value.plies is None else value.plies) == (result, distance)
    unknown = tables.probe_many(random_positions(100, plies=4, seed=1))
    assert (unknown[0] == UNKNOWN).all() and (unknown[1] == -1).all()
    assert unknown[0].dtype == np.int8 and unknown[1].dtype == np.int32
