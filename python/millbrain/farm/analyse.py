"""``analyse``: a file of positions, one piece of it at a time."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from millbrain.farm import worker
from millbrain.farm.cluster import Farm, FarmError, Sizes
from millbrain.farm.files import Lines
from millbrain.farm.progress import Bar
from millbrain.farm.settings import keep
from millbrain.farm.sorting import sort
from millbrain.farm.words import Words

#: Positions of a part at most.
MOST_LINES = 20_000
#: Bytes of a part after which it ends.
MOST_BYTES = 1 << 20
#: Lines without a position, or with one that is analysed already, that a part has in a row at most.
MOST_EMPTY = 1_000
#: Bytes of lines that are read at a time.
BLOCK = 1 << 20
#: The beginning of every object: the number of its line.
NUMBER = re.compile(rb'\{"line":(\d+)\b')
#: What some editors put before the first line of a text.
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
#: What the engine takes for space around a line.
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


class Piece(NamedTuple):
    """Lines of the input; those that are not to be analysed are empty."""

    first: int
    """The number of the first, from 1."""
    positions: int
    """How many are to be analysed."""
    text: bytes

    def __str__(self) -> str:
        last = self.first + self.text.count(b"\n") - 1
        return f"lines {self.first} to {last}"


def analyse_piece(job: worker.Job, piece: Piece, options: Sequence[str]) -> bytes:
    """Analyses a piece of a file on a worker; the objects, one a line, with the numbers of the whole file."""
    with worker.scratch() as folder:
        (folder / "positions").write_bytes(piece.text)
        files = [str(folder / "positions"), "--first-line", str(piece.first), "--out", str(folder / "objects")]
        job.start(["analyse", *files, *options])
        return (folder / "objects").read_bytes()


def run(farm: Farm, words: Sequence[str]) -> None:
    """Analyses the positions of a file, as ``millbrain analyse FILE --out OUT`` does.

    The objects are added to OUT as they come, and sorted by line at the end. Neither file is ever in memory as a whole.
    """
    given = Words(words, flags=["--resume", "--no-time"])
    given.refuse("--shard", "--first-line")
    out, resume = given.take("--out"), given.take_flag("--resume")
    if len(given.free) != 1 or given.free[0] == "-" or out is None:
        raise FarmError("analyse unusable without files, expected FILE --out OUT")
    if not {"--depth", "--nodes", "--movetime", "--mate"} & set(given.rest()):
        raise FarmError("no limit, expected --depth, --nodes, --movetime or --mate")
    options = given.rest()
    target = Path(out)
    if target.exists() and not resume:
        raise FarmError(f"{target}: exists already, expected a new file or --resume")
    with regular(Path(given.free[0]), target.parent) as positions:
        # Unusable options are found before anything is handed out.
        farm.capture(["analyse", os.devnull, *options])
        # On the threads of the engine nothing depends.
        settings = {"engine": farm.digest, "input": positions.digest, **given.settings("--threads")}
        with Lines(target) as lines:
            keep(target, settings)
            _analyse(farm, positions, Objects(lines, positions), options)


def _analyse(farm: Farm, positions: Positions, objects: Objects, options: Sequence[str]) -> None:
    """Analyses what is not there yet, and puts all in order."""
    job = farm.job()
    sizes = Sizes(MOST_LINES)
    left = positions.count - objects.count

    def size() -> int:
        return sizes.next(left, farm.slots())

    def pieces() -> Iterator[Piece]:
        nonlocal left
        for piece in positions.pieces(objects, size):
            left -= piece.positions
            yield piece

    with Bar("positions", positions.count, objects.count) as bar:

        def on_done(_: Piece, seconds: float, found: bytes) -> bool:
            objects.add(found)
            count = found.count(b"\n")
            sizes.add(count, seconds)
            bar.advance(count)
            return True

        farm.each(job, pieces(), lambda piece: (analyse_piece, job, piece, options), on_done)
    objects.sort()


@contextmanager
def regular(path: Path, folder: Path) -> Iterator[Positions]:
    """The positions of a file; those of a pipe are first copied to a file without a name in a folder."""
    with path.open("rb") as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            yield Positions(file)
        else:
            with tempfile.TemporaryFile(dir=folder) as copy:
                shutil.copyfileobj(file, copy)
                yield Positions(copy)


class Positions:
    """A file of positions, one a line."""

    def __init__(self, file: BinaryIO) -> None:
        """Counts them."""
        self._file = file
        #: Lines of the file.
        self.lines = 0
        #: Those that are neither empty nor a comment.
        self.count = 0
        found = hashlib.sha256()
        for block in self._blocks():
            found.update(b"".join(block))
            self.lines += len(block)
            self.count += sum(map(_is_position, block))
        #: The SHA-256 of the file, but for a mark before the first line.
        self.digest = found.hexdigest()

    def _blocks(self) -> Iterator[list[bytes]]:
        """The lines, some at a time; only a line feed ends one, as for the engine."""
        self._file.seek(0)
        if self._file.read(len(BYTE_ORDER_MARK)) != BYTE_ORDER_MARK:
            self._file.seek(0)
        while block := self._file.readlines(BLOCK):
            yield block

    def pieces(self, done: Objects, size: Callable[[], int]) -> Iterator[Piece]:
        """The positions that are not done, cut into pieces of as many as `size` says before each."""
        first, wanted, count, text = 1, 0, 0, bytearray()
        empty = 0
        for number, line in enumerate(itertools.chain.from_iterable(self._blocks()), 1):
            if number in done or not _is_position(line):
                empty += 1
                continue
            if count and (count >= wanted or len(text) >= MOST_BYTES or empty > MOST_EMPTY):
                yield Piece(first, count, bytes(text))
                count = 0
                text.clear()
            if count == 0:
                first, wanted, empty = number, size(), 0
            text += b"\n" * empty + line
            if not line.endswith(b"\n"):
                text += b"\n"
            count, empty = count + 1, 0
        if count:
            yield Piece(first, count, bytes(text))


class Objects:
    """The output: an object for each position, in any order until all are there."""

    def __init__(self, lines: Lines, positions: Positions) -> None:
        """Reads what is there already."""
        self._lines = lines
        #: A bit for each line of the input: whether its object was there at the start.
        self._done = bytearray(positions.lines // 8 + 1)
        #: Objects that are there.
        self.count = 0
        self._last = 0
        self._is_sorted = True
        for line in lines:
            number = _line(line)
            if not 0 < number <= positions.lines:
                raise FarmError(f"{lines.path}: an object for line {number}, expected those of {positions.lines} lines")
            if number not in self:
                self.count += 1
            self._done[number >> 3] |= 1 << (number & 7)
            self._follow(number, number)

    def __contains__(self, number: int) -> bool:
        """Whether the object for a line was there at the start."""
        return bool(self._done[number >> 3] >> (number & 7) & 1)

    def _follow(self, first: int, last: int) -> None:
        """Notes that objects for these lines come next in the file."""
        self._is_sorted &= first > self._last
        self._last = last

    def add(self, found: bytes) -> None:
        """Adds the objects of a piece, which are in order; they are on disk when this returns."""
        if not found:
            return
        self._lines.add([found])
        self._follow(_line(found), _line(found[found.rfind(b"\n", 0, -1) + 1 :]))

    def sort(self) -> None:
        """Puts the objects in the order of their lines."""
        if not self._is_sorted:
            sort(self._lines.path, self._lines, _line)


def _is_position(line: bytes) -> bool:
    """Whether a line is neither empty nor a comment."""
    text = line.strip()
    if text and text[0] >= 0x80:
        # There is more space than that of ASCII.
        shown = text.decode(errors="replace").strip(SPACE)
        return bool(shown) and not shown.startswith("#")
    return bool(text) and text[0] != 0x23


def _line(found: bytes) -> int:
    """The number of the line that an object is about, from 1."""
    number = NUMBER.match(found)
    if number is None:
        raise FarmError(f"{found[:40]!r} unusable, expected the output of an earlier run")
    return int(number[1])
