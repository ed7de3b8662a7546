"""Parts of a job as the engine names them: with ``--shard I-J/N`` it does the items I to J of N."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

#: Items from the first up to, but without, the last, numbered from 0.
Items = tuple[int, int]

#: What a part should take, in seconds: long against the start of a process, short against a loss.
SECONDS_PER_PART = 20.0


def shard(items: Items, of: int) -> str:
    """Returns the name of some of `of` items."""
    return f"{items[0] + 1}-{items[1]}/{of}"


def gaps(done: Iterable[Items], of: int) -> list[Items]:
    """Returns the items of `of` that are in none of the finished parts, which are in order."""
    left, next_item = [], 0
    for first, last in done:
        if first > next_item:
            left.append((next_item, first))
        next_item = max(next_item, last)
    if next_item < of:
        left.append((next_item, of))
    return left


class Sizes:
    """How many items make a part of about 20 seconds, by the time that the parts so far have taken."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._items = 0
        self._seconds = 0.0

    def add(self, items: int, seconds: float) -> None:
        """Takes note of the time of a finished part."""
        self._items += items
        self._seconds += seconds

    def next(self, left: int, slots: int) -> int:
        """Items for the next part; less at the end, so that all workers end at about the same time."""
        wanted = 1
        if self._seconds > 0:
            wanted = int(SECONDS_PER_PART * self._items / self._seconds)
        return max(1, min(wanted, self._most, left // (2 * slots)))

    def cut(self, left: list[Items], slots: Callable[[], int]) -> Iterator[Items]:
        """Yields what is left, in parts; the size of each follows from the times so far."""
        remaining = sum(last - first for first, last in left)
        for first, last in left:
            while first < last:
                size = min(self.next(remaining, slots()), last - first)
                yield first, first + size
                first += size
                remaining -= size
