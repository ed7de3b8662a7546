"""Sorting a file of lines that is larger than memory."""

from __future__ import annotations

import heapq
import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from millbrain.farm.files import replace

#: Bytes of lines that are sorted at a time.
CHUNK = 32 << 20
#: Bytes that are read at a time from each sorted chunk.
BLOCK = 1 << 16


def sort(path: Path, lines: Iterable[bytes], key: Callable[[bytes], int]) -> None:
    """Writes lines to a file in the order of a key; of lines with the same key the earlier one comes first.

    Needs as much space again in the file's folder, for sorted chunks that are then merged.
    """
    # Without a name, so that nothing is left over if this process is killed.
    with tempfile.TemporaryFile(dir=path.parent) as file:
        ends = [0]
        for some in _chunks(lines):
            some.sort(key=key)
            file.writelines(some)
            ends.append(file.tell())
        replace(path, heapq.merge(*(_lines(file, start, end) for start, end in itertools.pairwise(ends)), key=key))


def _chunks(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The lines in lists of about the size of a chunk."""
    some: list[bytes] = []
    length = 0
    for line in lines:
        some.append(line)
        length += len(line)
        if length >= CHUNK:
            yield some
            some, length = [], 0
    if some:
        yield some


def _lines(file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    """The lines between two places of a file that is also read elsewhere meanwhile."""
    rest = b""
    while start < end:
        file.seek(start)
        block = file.read(min(BLOCK, end - start))
        start += len(block)
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            yield line + b"\n"
