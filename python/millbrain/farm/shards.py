"""Parts of a job as the engine names them: with ``--shard I-J/N`` it does the items I to J of N."""

from __future__ import annotations

from collections.abc import Iterable

#: Items from the first up to, but without, the last, numbered from 0.
Items = tuple[int, int]


def shard(items: Items, of: int) -> str:
    """The name of some of so many items."""
    return f"{items[0] + 1}-{items[1]}/{of}"


def items(shard: str) -> Items:
    """The items that a name stands for."""
    first, _, last = shard.partition("/")[0].partition("-")
    return int(first) - 1, int(last or first)


def gaps(done: Iterable[Items], of: int) -> list[Items]:
    """The items of so many that are in no finished part."""
    left, next_item = [], 0
    for first, last in sorted(done):
        if first > next_item:
            left.append((next_item, first))
        next_item = max(next_item, last)
    if next_item < of:
        left.append((next_item, of))
    return left
