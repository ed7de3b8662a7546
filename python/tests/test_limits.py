"""Little memory, no threads, forked processes: exceptions and right results, never the end of the process."""

import inspect
import json
import subprocess
import sys
from typing import Any

import pytest

from millbrain import batch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")

# Each call runs in a child of its own, so that the death of one is seen.
PROGRAM = """
import hashlib, json, os, resource, sys, threading
import numpy as np
import millbrain
from millbrain import Board, Engine, Limit, Tables
from millbrain.batch import *

MIB = 1 << 20
positions = random_positions(8_000, sector="4-4", seed=1)
positions = positions[legal_actions(positions).counts() > 0][:7_000]
firsts = legal_actions(positions).actions[legal_actions(positions).starts[:-1]]
texts = fens(positions)

CALLS = {
    "decode": lambda: decode(positions),
    "encode": lambda: encode(texts),
    "evaluate": lambda: evaluate(positions),
    "features": lambda: [features(positions), features(positions[:1_000], dense=True)],
    "fens": lambda: fens(positions),
    "layout": layout,
    "legal_actions": lambda: legal_actions(positions),
    "planes": lambda: planes(positions[:600]),
    "play_actions": lambda: play_actions(positions, firsts),
    "probe_many": lambda: Tables().probe_many(positions),
    "random_positions": lambda: [random_positions(8_000, seed=1), random_positions(8_000, sector="4-4", seed=1)],
    "sector_positions": lambda: sector_positions("3-3", stop=20_000),
    "sector_slots": lambda: sector_slots("6-5"),
    "targets_many": lambda: Tables().targets_many(positions),
}
HUGE = {
    "decode": lambda: decode(np.repeat(positions, 40, axis=0)),
    "features": lambda: features(np.repeat(positions, 5, axis=0), dense=True),
    "planes": lambda: planes(np.repeat(positions, 20, axis=0)),
    "random_endings": lambda: random_positions(10**12, sector="3-3"),
    "random_positions": lambda: random_positions(10**12),
    "more than can be counted": lambda: random_positions(2**63 - 1),
    "sector_positions": lambda: sector_positions("8-8"),
}

def digest(result):
    if isinstance(result, (list, tuple)):
        return hashlib.sha256(json.dumps([digest(item) for item in result]).encode()).hexdigest()
    return result.tobytes().hex() if isinstance(result, np.ndarray) else str(result)

def in_child(prepare, call):
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            prepare()
            results = digest(call())
        except MemoryError as error:
            results = f"MemoryError: {error}"
        except BaseException as error:
            results = f"{type(error).__name__}: {error}"
        os.write(into, results[:60_000].encode())
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as pipe:
        results = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return results if status == 0 else f"status {status}"

def memory(mib):
    def prepare():
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + mib * MIB, resource.RLIM_INFINITY))
    return prepare

def no_threads():
    # The limit is of users other than root.
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    resource.setrlimit(resource.RLIMIT_NPROC, (0, resource.getrlimit(resource.RLIMIT_NPROC)[1]))
    try:
        threading.Thread(target=int).start()
    except RuntimeError:
        return
    raise OSError("threads start all the same")

def threads_again():
    resource.setrlimit(resource.RLIMIT_NPROC, (resource.getrlimit(resource.RLIMIT_NPROC)[1],) * 2)
"""


def run(program: str) -> Any:
    """Returns the results of a program with all this."""
    # Python warns of forks beside threads, which these are about.
    words = [sys.executable, "-W", "ignore", "-c", PROGRAM + program]
    done = subprocess.run(words, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def functions_on_arrays() -> set[str]:
    public = {name for name in batch.__all__ if inspect.isfunction(getattr(batch, name))}
    return public | {"probe_many", "targets_many"}


def test_too_little_memory_is_an_exception() -> None:
    results = run(
        """
def tried(call):
    return [in_child(memory(mib), call) for mib in (0, 65, 75, 2_000)]
print(json.dumps({name: tried(call) for name, call in CALLS.items()}))
"""
    )
    assert set(results) == functions_on_arrays(), "each function is tried"
    expected = run("print(json.dumps({name: digest(call())[:60_000] for name, call in CALLS.items()}))")
    for name, answers in results.items():
        assert answers[-1] == expected[name], "enough memory"
        for answer in answers:
            assert answer == expected[name] or answer.startswith("MemoryError: "), (name, answer[:200])
            assert "\n" not in answer
        assert name == "layout" or answers[0].startswith("MemoryError: "), (name, answers[0][:200])


def test_threads_take_no_memory_that_is_not_there() -> None:
    results = run(
        """
from millbrain.vector import VectorEnvironment
def searched():
    with Engine(hash=1, threads=8) as engine:
        return len(engine.analyse(Board(), Limit(nodes=5_000)))
calls = {
    "evaluate": lambda: len(evaluate(positions)),
    "perft": lambda: Board().perft(3, threads=8),
    "search": searched,
    "step": lambda: VectorEnvironment(64, threads=8).sample().size,
}
print(json.dumps([[name, mib, in_child(memory(mib), calls[name])] for name in calls for mib in range(3, 900, 31)]))
"""
    )
    expected = {"evaluate": "7000", "perft": "12144", "search": "1", "step": "64"}
    for name, mib, answer in results:
        assert answer == expected[name] or answer.startswith(("MemoryError: ", "EngineError: ")), (name, mib, answer)
    for name, answer in expected.items():
        assert answer in [found for each, _, found in results if each == name], f"{name} needs less than 900 MiB"


def test_sizes_are_checked_before() -> None:
    results = run("print(json.dumps({name: in_child(memory(200), call) for name, call in HUGE.items()}))")
    assert {name: answer for name, answer in results.items() if not answer.startswith("MemoryError: ")} == {}
    assert results["random_positions"].startswith(
        "MemoryError: no memory for 1000000000000 rows (53405762 MiB), expected "
    )
    assert results["sector_positions"].startswith("MemoryError: no memory for ")


def test_without_threads_the_calling_one_works_alone() -> None:
    results = run("print(json.dumps({name: in_child(no_threads, call) for name, call in CALLS.items()}))")
    if "OSError: threads start all the same" in results.values():
        pytest.skip("no limit of threads binds this user")
    assert set(results) == functions_on_arrays(), "each function is tried"
    expected = run("print(json.dumps({name: digest(call())[:60_000] for name, call in CALLS.items()}))")
    assert results == expected


def test_an_engine_without_threads_says_so() -> None:
    results = run(
        """
engine = Engine(hash=1)
def again():
    try:
        engine.analyse(Board(), Limit(depth=1))
    finally:
        threads_again()
        assert engine.analyse(Board(), Limit(depth=2))[0].depth == 2, "it is still usable"
calls = {
    "perft": lambda: Board().perft(2),
    "perft with threads": lambda: Board().perft(2, threads=4),
    "search": again,
    "threads": lambda: Engine(hash=1, threads=4),
    "tables": lambda: str(Tables().probe(Board(fen="1O1/3/3/X4O/3/3/XOX w 0 0"))),
}
print(json.dumps({name: in_child(no_threads, call) for name, call in calls.items()}))
"""
    )
    if "OSError: threads start all the same" in results.values():
        pytest.skip("no limit of threads binds this user")
    assert results.pop("tables") == "loss in 26"
    assert results.pop("threads").startswith("EngineError: 4 threads cannot be started (")
    for name, answer in results.items():
        assert answer.startswith("EngineError: no thread could be started ("), (name, answer)


def test_an_engine_without_memory_says_so() -> None:
    results = run(
        """
engine = Engine(hash=1)
calls = {
    "hash": lambda: engine.configure({"Hash": 512}),
    "threads": lambda: engine.configure({"Threads": 500}),
    "new": lambda: Engine(hash=512),
}
print(json.dumps({name: in_child(memory(300), call) for name, call in calls.items()}))
"""
    )
    assert results.pop("threads") == "EngineError: no memory for 500 threads, expected fewer"
    for name, answer in results.items():
        assert answer.startswith("EngineError: no memory for a hash table of 512 MiB, expected "), (name, answer)


def test_what_engines_print_fills_no_memory() -> None:
    results = run(
        """
from millbrain import ExternalEngine
floods = {"lines": "yes", "a line without end": ["cat", "/dev/zero"]}
calls = {name: lambda command=command: ExternalEngine(command, timeout=1) for name, command in floods.items()}
print(json.dumps({name: in_child(memory(300), call) for name, call in calls.items()}))
"""
    )
    for answer in results.values():
        assert answer.startswith("EngineError: ") and ("within 1 s" in answer or "characters" in answer), answer


def test_a_forked_process_has_engines_and_tables() -> None:
    results = run(
        """
engine, tables = Engine(hash=1, threads=3), Tables()
ending = Board(fen="1O1/3/3/X4O/3/3/XOX w 0 0")
tables.probe(ending)
engine.analyse(Board(), Limit(depth=3))
def search():
    lines = engine.analyse(Board(), Limit(depth=4))
    engine.new_game()
    engine.close()
    return f"depth {lines[0].depth}"
calls = {
    "close": engine.close,
    "forget": engine.new_game,
    "search": search,
    "tables": lambda: [tables.probe(ending), Tables().probe(ending), tables.get(Board("smess"))] and "probed",
}
results = {name: in_child(lambda: None, call) for name, call in calls.items()}
results["parent"] = search()
print(json.dumps(results))
"""
    )
    assert results == {"close": "None", "forget": "None", "search": "depth 4", "tables": "probed", "parent": "depth 4"}


def test_many_games_go_on_in_a_forked_process() -> None:
    results = run(
        """
from millbrain.vector import VectorEnvironment
def played(games):
    for _ in range(30):
        games.step(games.sample())
    return [games.fen(number) for number in range(0, 300, 7)]
def begun():
    return VectorEnvironment(300, "mlyn", seed=1, threads=3)
def twice():
    results = played(begun())
    threads_again()
    assert results == played(begun())
    return results
calls = {"forked": (lambda: None, lambda: played(begun())), "no threads": (no_threads, twice)}
results = {name: in_child(*call) for name, call in calls.items()}
games = begun()
results["parent"] = digest(played(games))
results["its games"] = in_child(lambda: None, lambda: played(games))
results["again"] = digest(played(games))
print(json.dumps(results))
"""
    )
    assert results["forked"] == results["no threads"] == results["parent"]
    assert results["its games"] == results["again"] != results["parent"]
