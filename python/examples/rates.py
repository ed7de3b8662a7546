"""Measures the functions on arrays: positions a second, the best of five runs on a million positions each.

Run it with the optimised wheel on a machine that does nothing else: ``scripts/python rates``.
"""

import os
import platform
import sys
import time
from collections.abc import Callable

import millbrain
from millbrain.vector import VectorEnvironment

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000


def rate(positions: int, work: Callable[[], object]) -> str:
    """Millions of positions a second."""
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return f"{positions / best / 1e6:8.2f}"


def main() -> None:
    """Prints a table in Markdown."""
    print(f"millbrain {millbrain.__version__}, {platform.machine()}, {os.cpu_count()} processors, {COUNT} positions\n")
    print("| million positions/s | morris | smess |\n|---|---|---|")
    tables = millbrain.Tables()
    sectors = {"morris": "4-4", "smess": "BS-B"}
    middle = {name: millbrain.random_positions(COUNT, name, seed=1) for name in sectors}
    ending = {name: millbrain.random_positions(COUNT, name, sector=sector, seed=1) for name, sector in sectors.items()}
    part = {name: positions[: COUNT // 50] for name, positions in middle.items()}
    texts = {name: millbrain.fens(positions, name) for name, positions in middle.items()}
    rows: list[tuple[str, int, Callable[[str], object]]] = [
        ("`random_positions`, games of 0 to 60 plies", COUNT, lambda v: millbrain.random_positions(COUNT, v, seed=2)),
        ("`encode` FENs", COUNT, lambda v: millbrain.encode(texts[v], v)),
        ("`fens`", COUNT, lambda v: millbrain.fens(middle[v], v)),
        ("`evaluate`", COUNT, lambda v: millbrain.evaluate(middle[v], v)),
        ("`features`, numbers", COUNT, lambda v: millbrain.features(middle[v], v)),
        ("`features`, dense", COUNT // 50, lambda v: millbrain.features(part[v], v, dense=True)),
        ("`Tables.probe_many`, built-in 4-4 and BS-B", COUNT, lambda v: tables.probe_many(ending[v], v)),
    ]
    games = {name: VectorEnvironment(1_024, name, seed=1) for name in sectors}
    bare = {name: VectorEnvironment(1_024, name, seed=1, observe=False) for name in sectors}

    def play(played: VectorEnvironment) -> None:
        for _ in range(COUNT // len(played)):
            played.step(played.sample())

    rows += [
        ("steps of `VectorEnvironment`", COUNT, lambda v: play(games[v])),
        ("the same without planes", COUNT, lambda v: play(bare[v])),
    ]
    for name, positions, work in rows:
        figures = [rate(positions, lambda work=work, v=variant: work(v)) for variant in sectors]  # type: ignore[misc]
        print(f"| {name} | {' | '.join(figures)} |", flush=True)


if __name__ == "__main__":
    main()
