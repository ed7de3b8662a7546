"""``analyse``: a file of positions, some lines of it at a time."""

from __future__ import annotations

import itertools
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from os import fstat
from pathlib import Path
from typing import BinaryIO, NamedTuple

from millbrain.farm import worker
from millbrain.farm.cluster import Farm, FarmError, Sizes
from millbrain.farm.files import Lines, replace
from millbrain.farm.progress import Bar
from millbrain.farm.shards import Items, items
from millbrain.farm.words import Words

#: Lines of a part at most.
MOST_LINES = 20_000
#: Bytes of a part after which it ends.
MOST_BYTES = 1 << 20


class Piece(NamedTuple):
    """Lines of the input."""

    lines: Items
    text: bytes

    def __str__(self) -> str:
        return f"lines {self.lines[0] + 1} to {self.lines[1]}"


def analyse_piece(job: worker.Job, piece: Piece, options: Sequence[str]) -> bytes:
    """Analyses a piece of a file on a worker; the objects, one a line, with the numbers of the whole file."""
    with worker.scratch() as folder:
        (folder / "positions").write_bytes(piece.text)
        files = [str(folder / "positions"), "--first-line", str(piece.lines[0] + 1), "--out", str(folder / "objects")]
        job.start(["analyse", *files, *options])
        return (folder / "objects").read_bytes()


def run(farm: Farm, words: Sequence[str]) -> None:
    """Analyses the positions of a file, as ``millbrain analyse FILE --out OUT`` does.

    The objects are added to OUT as they come, and put in order at the end. Neither file is ever in memory as a whole.
    """
    given = Words(words, flags=["--resume", "--no-time"])
    given.refuse("--shard", "--first-line", "--plan", "--merge")
    out, resume = given.take("--out"), given.take_flag("--resume")
    if len(given.free) != 1 or given.free[0] == "-" or out is None:
        raise FarmError("analyse unusable without files, expected FILE --out OUT")
    target, options = Path(out), given.rest()
    with regular(Path(given.free[0]), target.parent) as file:
        # The engine begins OUT or goes on with it, and says what is left.
        go_on = ["--resume"] if resume else []
        plan = farm.capture(["analyse", "-", "--plan", "--out", out, *go_on, *options], file)
        with Lines(target) as objects:
            keep(target, farm.digest)
            _analyse(farm, file, list(map(items, plan.split())), objects, options)
    farm.capture(["analyse", "--merge", out, "--out", out])


def _analyse(farm: Farm, file: BinaryIO, left: list[Items], objects: Lines, options: Sequence[str]) -> None:
    """Analyses the lines that are left, and adds their objects."""
    job = farm.job()
    sizes = Sizes(MOST_LINES)
    count = sum(last - first for first, last in left)
    total = left[-1][1] if left else 0
    with Bar("lines", total, total - count) as bar:

        def on_done(piece: Piece, seconds: float, found: bytes) -> bool:
            objects.add([found])
            # Comments take no time.
            sizes.add(found.count(b"\n"), seconds)
            bar.advance(piece.lines[1] - piece.lines[0])
            return True

        parts = pieces(file, sizes.cut(left, farm.slots))
        farm.each(job, parts, lambda piece: (analyse_piece, job, piece, options), on_done)


def keep(target: Path, digest: str) -> None:
    """Keeps the SHA-256 of the engine beside an output, and compares it: the version in its settings says less."""
    path = target.with_name(target.name + ".farm")
    if target.stat().st_size == 0:
        replace(path, [digest.encode()])
    elif path.exists() and path.read_text() != digest:
        raise FarmError(f"{target}: engine is {digest}, expected {path.read_text()} as in {path}")


@contextmanager
def regular(path: Path, folder: Path) -> Iterator[BinaryIO]:
    """A file; what comes from a pipe is first copied to a file without a name in a folder."""
    with path.open("rb") as file:
        if stat.S_ISREG(fstat(file.fileno()).st_mode):
            yield file
        else:
            with tempfile.TemporaryFile(dir=folder) as copy:
                shutil.copyfileobj(file, copy)
                copy.seek(0)
                yield copy


def pieces(file: BinaryIO, parts: Iterable[Items]) -> Iterator[Piece]:
    """These lines of a file; a part with many bytes is cut again."""
    file.seek(0)
    at = 0
    for first, last in parts:
        lines, text = itertools.islice(file, first - at, last - at), bytearray()
        for at, line in enumerate(lines, first + 1):
            text += line
            if at == last or len(text) >= MOST_BYTES:
                yield Piece((first, at), bytes(text))
                first = at
                text.clear()
