"""Tables of servers: few requests, and servers that are busy, fail, or never end."""

import json
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from millbrain import Board, Engine, Limit, MissingTableError, Tables, TablesError, Value, encode, random_positions

signal.signal(signal.SIGINT, signal.default_int_handler)

ENDING = Board(fen="1O1/3/3/X4O/3/3/XOX w 0 0 0 1")
# A call of each method that looks positions up.
CALLS: dict[str, Callable[[Tables], object]] = {
    "best": lambda tables: tables.best(ENDING),
    "get": lambda tables: tables.get(ENDING),
    "moves": lambda tables: tables.moves(ENDING),
    "probe": lambda tables: tables.probe(ENDING),
    "probe_many": lambda tables: tables.probe_many(encode([ENDING] * 10)),
    "targets_many": lambda tables: tables.targets_many(encode([ENDING] * 10)),
}


class Server(ThreadingHTTPServer):
    """A server that answers a question as it likes; the address is :attr:`place`."""

    daemon_threads = True
    # A thread that never ends is not waited for.
    block_on_close = False

    def __init__(self, answer: Callable[[Any], bytes], status: Callable[[int], int] = lambda number: 200) -> None:
        self.requests = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                question = json.loads(self.rfile.read(int(self.headers["content-length"])))
                assert (self.path, question["variant"], question["rules"]) == ("/api/tablebase", "morris", "")
                server.requests += 1
                found = status(server.requests)
                self.send_response(found)
                if found != 200:
                    self.send_header("Retry-After", "1")
                self.end_headers()
                self.wfile.write(answer(question) if found == 200 else b"")

            def log_message(self, format: str, *args: Any) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.place = f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> "Server":
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


def fields(value: Value | None) -> dict[str, Any]:
    return {"value": "unknown"} if value is None else {"value": str(value).split()[0], "plies": value.plies}


def truth(question: Any) -> bytes:
    """Answers as a server with the small tables does."""

    def one(fen: str) -> dict[str, Any]:
        board = Board(question["variant"], fen)
        try:
            moves = [{"move": each.move, **fields(each.value)} for each in Tables().moves(board)]
            return {"fen": fen, **fields(Tables().probe(board)), "moves": moves}
        except MissingTableError as error:
            return {"fen": fen, "error": str(error)}

    return json.dumps({"positions": [one(fen) for fen in question["fens"]]}).encode()


def nothing(_: Any) -> bytes:
    time.sleep(3_600)
    return b""


def test_tables_of_a_server() -> None:
    with Server(truth) as server:
        tables = Tables(server.place, embedded=False)
        assert repr(tables) == f"Tables(['{server.place}'], embedded=False)"
        board = Board(fen="1O1/3/3/X4O/3/3/XOX w 0 0 5 9")
        for _ in range(2):
            assert tables.probe(board) == Value(-1, 26) and tables.moves(board) == Tables().moves(board)
        assert server.requests == 1, "answers are cached"
        assert pickle.loads(pickle.dumps(tables)).probe(board) == Value(-1, 26)
        assert tables.get(Board()) is None
        found = Engine(tablebases=tables).play(board, Limit(depth=2))
        assert found.move == tables.best(board).move
    with pytest.raises(TablesError, match=r"is no address, expected http://HOST"):
        Tables("ftp://localhost")


def same(found: Iterable[Any], expected: Iterable[Any]) -> bool:
    return all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))


def test_many_positions_take_few_requests() -> None:
    positions = np.concatenate([random_positions(600, sector="3-3", seed=1), random_positions(600, plies=20, seed=2)])
    with Server(truth) as server:
        tables = Tables(server.place, embedded=False)
        assert same(tables.probe_many(positions), Tables().probe_many(positions))
        assert server.requests == 2
        assert same(tables.targets_many(positions), Tables().targets_many(positions))
        assert server.requests == 2, "the answer is known"


def test_a_busy_server_is_asked_again_when_it_likes() -> None:
    with Server(truth, lambda number: 200 if number % 2 == 0 else 429 if number % 4 == 1 else 503) as server:
        for name, call in CALLS.items():
            before = server.requests
            found = call(Tables(server.place, embedded=False))
            assert str(found) == str(call(Tables())) and server.requests == before + 2, name


@pytest.fixture(params=["silent", "dripping", "failing", "gone", "lying"])
def failing(request: pytest.FixtureRequest) -> Iterator[str]:
    class Dripping(Server):
        def finish_request(self, request: Any, client_address: Any) -> None:
            request.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                request.sendall(b" ")
                time.sleep(0.05)

    servers: dict[str, Server] = {
        "silent": Server(nothing),
        "dripping": Dripping(nothing),
        "failing": Server(truth, lambda _: 500),
        "gone": Server(nothing),
        "lying": Server(lambda question: truth({**question, "fens": question["fens"][1:]})),
    }
    server = servers[request.param]
    if request.param == "gone":
        server.server_close()
        yield server.place
        return
    with server:
        yield server.place


def test_a_server_that_fails_is_an_exception(failing: str) -> None:
    public = {name for name in dir(Tables) if name[0] != "_"}
    assert set(CALLS) == public, "each method is called"

    def failure(call: Callable[[Tables], object]) -> str:
        with pytest.raises(TablesError) as caught:
            call(Tables(failing, embedded=False))
        assert not isinstance(caught.value, MissingTableError), "nothing is known of it"
        return str(caught.value)

    with ThreadPoolExecutor(len(CALLS)) as pool:
        for words in pool.map(failure, CALLS.values()):
            assert words.startswith(f"tablebase server {failing}: ") and "\n" not in words


@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_is_heard_while_a_server_is_silent(name: str) -> None:
    with Server(nothing) as server:
        tables = Tables(server.place, embedded=False)

        def interrupt() -> None:
            while server.requests == 0:
                time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            CALLS[name](tables)
        thread.join()
