"""A farm without a cluster."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from running import Engine

from millbrain.farm import Report
from millbrain.farm.program import capture


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for one part, which needs no worker."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


class Alone:
    """A farm without cluster, whose engine makes any object of a line, in pieces that end in any order."""

    resume = ""
    report = Report()

    def __init__(self, stop_after: int = 1 << 60) -> None:
        self.given: list[list[str]] = []
        self.engine = {"version": "1", "sha256": "program"}
        self._stop_after = stop_after

    def capture(self, words: Sequence[str], given: BinaryIO | None = None) -> str:
        return capture([*Engine().words, *words], given)

    def slots(self) -> int:
        return 1

    def job(self, **_: object) -> Alone:
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
