"""A cluster of worker processes on this machine, and what it is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the farm is an extra of the package")

from running import PROGRAM, WORKERS, Engine  # noqa: E402

from millbrain.farm import Farm  # noqa: E402


@pytest.fixture(scope="session")
def farm() -> Iterator[Farm]:
    """A cluster that all tests share."""
    with Farm(workers=WORKERS, program=PROGRAM) as farm:
        yield farm


@pytest.fixture(scope="session")
def engine() -> Engine:
    """The engine as one process."""
    return Engine()


@pytest.fixture(scope="session")
def positions(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of positions, with empty lines and comments between them."""
    folder = tmp_path_factory.mktemp("positions")
    engine.run("tune", "play", "--games", "30", "--nodes", "200", "--out", "raw", cwd=folder)
    lines = []
    for number, line in enumerate((folder / "raw").read_text().splitlines()):
        lines.append(line.split(";")[0])
        if number % 7 == 0:
            lines += ["", "# a comment"]
    file = folder / "positions"
    file.write_text("\n".join(lines))
    return file
