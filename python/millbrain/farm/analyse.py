"""``analyse``: a file of positions, one piece of it at a time."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from millbrain.farm import worker
from millbrain.farm.cluster import Farm, FarmError, Sizes
from millbrain.farm.files import Lines, replace
from millbrain.farm.progress import Bar
from millbrain.farm.words import Words

#: Lines of a part at most.
MOST_LINES = 20_000
#: The beginning of every object: the number of its line.
NUMBER = re.compile(rb'\{"line":(\d+)\b')

#: Lines of the input: the number of the first from 0, and their text.
Piece = tuple[int, bytes]


def analyse_piece(job: worker.Job, piece: Piece, options: Sequence[str]) -> bytes:
    """Analyses a piece of a file on a worker; the objects, one a line, with the numbers of the whole file."""
    first, text = piece
    with worker.scratch() as folder:
        # Empty lines are passed over but counted.
        (folder / "positions").write_bytes(b"\n" * first + text)
        job.start(["analyse", str(folder / "positions"), "--out", str(folder / "objects"), *options])
        return (folder / "objects").read_bytes()


def run(farm: Farm, words: Sequence[str]) -> None:
    """Analyses the positions of a file, as ``millbrain analyse FILE --out OUT`` does.

    The objects are added to OUT as they come, and sorted by line at the end.
    """
    given = Words(words, flags=["--resume", "--no-time"])
    given.refuse("--shard")
    out, resume = given.take("--out"), given.take_flag("--resume")
    if len(given.free) != 1 or given.free[0] == "-" or out is None:
        raise FarmError("analyse unusable without files, expected FILE --out OUT")
    if not {"--depth", "--nodes", "--movetime", "--mate"} & set(given.rest()):
        raise FarmError("no limit, expected --depth, --nodes, --movetime or --mate")
    options = given.rest()
    # Only a line feed ends a line, as for the engine.
    lines = [line + b"\n" for line in Path(given.free[0]).read_bytes().split(b"\n")]
    target = Path(out)
    if target.exists() and not resume:
        raise FarmError(f"{target}: exists already, expected a new file or --resume")
    # Unusable options are found before anything is handed out.
    farm.capture(["analyse", os.devnull, *options])
    job = farm.job()
    sizes = Sizes(MOST_LINES)
    with Lines(target) as objects:
        done = {_line(found) for found in objects}
        todo = [number for number, line in enumerate(lines) if _is_position(line) and number + 1 not in done]

        def pieces() -> Iterator[Piece]:
            at = 0
            while at < len(todo):
                size = sizes.next(len(todo) - at, farm.slots())
                wanted = set(todo[at : at + size])
                at += size
                first, last = min(wanted), max(wanted)
                # What is analysed already, between two lines that are not, is left out.
                piece = (lines[number] if number in wanted else b"\n" for number in range(first, last + 1))
                yield first, b"".join(piece)

        with Bar("positions", len(todo) + len(done), len(done)) as bar:

            def on_done(_: Piece, seconds: float, found: bytes) -> bool:
                objects.add([found])
                count = found.count(b"\n")
                sizes.add(count, seconds)
                bar.advance(count)
                return True

            farm.each(job, pieces(), lambda piece: (analyse_piece, job, piece, options), on_done)
        replace(target, sorted(objects, key=_line))


def _is_position(line: bytes) -> bool:
    """Whether a line is neither empty nor a comment."""
    text = line.removeprefix(b"\xef\xbb\xbf").strip()
    return bool(text) and not text.startswith(b"#")


def _line(found: bytes) -> int:
    """The number of the line that an object is about, from 1."""
    number = NUMBER.match(found)
    if number is None:
        raise FarmError(f"{found[:40]!r} unusable, expected the output of an earlier run")
    return int(number[1])
