"""Finished parts of a job, in a folder beside its output until that is whole."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator
from typing import BinaryIO

from millbrain.farm.errors import FarmError
from millbrain.farm.places import Place
from millbrain.farm.shards import Items, gaps

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: So many small neighbours become one file, and are small as long as they have fewer bytes than this.
JOINED, SMALL = 64, 64 << 20


class Parts:
    """A folder of finished parts, each a file named by its items, from one up to another.

    Neighbours are joined as they come, so that neither memory nor the number of files grows with that of the parts: in
    memory are a few numbers for each 64 MiB and for each gap. Small parts are written some three times in all.
    """

    def __init__(self, folder: Place) -> None:
        """Makes the folder, or continues with its contents. A lock keeps other runs of this machine out."""
        self.folder = folder
        folder.make()
        self._lock = _lock(folder)
        #: The parts in order, none of them within another, and the bytes of each that was added here.
        self._done: list[Items] = []
        self._bytes: dict[Items, int] = {}
        for items in sorted(_found(folder), key=lambda items: (items[0], -items[1])):
            if self._done and items[1] <= self._done[-1][1]:
                # Joined before a kill, which came before this one was removed.
                self._place(items).remove()
            else:
                self._done.append(items)

    def done(self) -> list[Items]:
        """Returns the items of the finished parts, in order; several parts may be one by now."""
        return list(self._done)

    def left(self, of: int) -> list[Items]:
        """Returns the items of `of` that are in no finished part."""
        return gaps(self._done, of)

    def whole(self, of: int) -> Iterator[bytes]:
        """Yields the bytes of all parts in order, a piece at a time, if these are all of `of` items."""
        if left := self.left(of):
            raise FarmError(f"{self.folder}: items {left[0][0] + 1} to {left[0][1]} of {of} missing, expected all")
        yield from self.contents()

    def add(self, items: Items, content: bytes) -> None:
        """Saves a finished part."""
        self._place(items).write([content])
        at = bisect.bisect(self._done, items)
        self._done.insert(at, items)
        self._bytes[items] = len(content)
        self._join(at)

    def _join(self, at: int) -> None:
        """Joins the small parts around one, when they are many without a gap between them."""
        first = last = at
        while first > 0 and self._is_small(first - 1) and self._done[first - 1][1] == self._done[first][0]:
            first -= 1
        while (
            last + 1 < len(self._done) and self._is_small(last + 1) and self._done[last][1] == self._done[last + 1][0]
        ):
            last += 1
        if last + 1 - first < JOINED:
            return
        old = self._done[first : last + 1]
        joined = old[0][0], old[-1][1]
        self._place(joined).write(itertools.chain.from_iterable(self._place(items).pieces() for items in old))
        self._done[first : last + 1] = [joined]
        self._bytes[joined] = sum(self._bytes.pop(items, 0) for items in old)
        for items in old:
            self._place(items).remove()

    def _is_small(self, at: int) -> bool:
        return self._bytes.get(self._done[at], 0) < SMALL

    def _place(self, items: Items) -> Place:
        return self.folder / f"{items[0]}-{items[1]}"

    def contents(self) -> Iterator[bytes]:
        """Yields the bytes of all parts in order, a piece at a time."""
        for items in self._done:
            yield from self._place(items).pieces()

    def close(self) -> None:
        """Lets others add to the folder."""
        if self._lock is not None:
            self._lock.close()

    def remove(self) -> None:
        """Removes the folder, once what was in it is saved elsewhere."""
        self.close()
        self.folder.remove_all()

    def __enter__(self) -> Parts:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _found(folder: Place) -> Iterator[Items]:
    """Yields the items that files of a folder are named by."""
    for name in folder.names():
        first, dash, last = name.partition("-")
        if dash and first.isdigit() and last.isdigit():
            yield int(first), int(last)


def _lock(folder: Place) -> BinaryIO | None:
    """Keeps another run of this machine from a folder."""
    if folder.local is None or fcntl is None:
        return None
    file = (folder.local / "lock").open("wb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise FarmError(f"{folder}: another run writes to it, expected one at a time") from error
    return file
