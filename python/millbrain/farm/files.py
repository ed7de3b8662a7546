"""Files that lose nothing when the coordinator is killed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from millbrain.farm.errors import FarmError
from millbrain.farm.shards import Items

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def replace(path: Path, pieces: Iterable[bytes]) -> None:
    """Writes a file under a temporary name, flushes it and renames it."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


class Lines:
    """A file to which whole lines are added; nobody else adds to it meanwhile."""

    def __init__(self, path: Path) -> None:
        """Opens or makes the file, and cuts off a last line without its end, which a kill has left."""
        self.path = path
        self._file: BinaryIO = open(path, "a+b")  # noqa: SIM115 - closed by `close`
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                self._file.close()
                raise FarmError(f"{path}: another run writes to it, expected one at a time") from error
        self._file.truncate(self._whole())

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: type[BaseException] | TracebackType | BaseException | None) -> None:
        self.close()

    def _whole(self) -> int:
        """The length of the whole lines in bytes."""
        end = self._file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - 65_536)
            self._file.seek(start)
            newline = self._file.read(end - start).rfind(b"\n")
            if newline >= 0:
                return start + newline + 1
            end = start
        return 0

    def __iter__(self) -> Iterator[bytes]:
        """The lines, each with its end."""
        self._file.seek(0)
        yield from self._file

    def add(self, lines: Iterable[bytes]) -> None:
        """Adds whole lines; they are on disk when this returns."""
        self._file.write(b"".join(lines))
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Closes the file, and lets others write to it."""
        self._file.close()


class Parts:
    """A folder of finished parts, each a file named by its items, from one up to another."""

    def __init__(self, folder: Path, plan: str, resume: bool) -> None:
        """Makes the folder, or goes on with one of the same plan: a text that tells one run from another."""
        self.folder = folder
        named = folder / "plan"
        if not resume and folder.exists() and self.done():
            raise FarmError(f"{folder}: left by a run that has not ended, expected --resume, or that you delete it")
        folder.mkdir(parents=True, exist_ok=True)
        if named.exists() and named.read_text() != plan:
            raise FarmError(f"{folder}: the parts of {named.read_text()!r}, expected {plan!r}")
        replace(named, [plan.encode()])

    def done(self) -> list[Items]:
        """The items of the finished parts, in order."""
        parts = []
        for path in self.folder.iterdir():
            first, dash, last = path.name.partition("-")
            if dash and first.isdigit() and last.isdigit():
                parts.append((int(first), int(last)))
        return sorted(parts)

    def add(self, items: Items, content: bytes) -> None:
        """Saves a finished part."""
        replace(self.folder / f"{items[0]}-{items[1]}", [content])

    def contents(self) -> Iterator[bytes]:
        """The parts in order."""
        for first, last in self.done():
            yield (self.folder / f"{first}-{last}").read_bytes()

    def remove(self) -> None:
        """Removes the folder, once what was in it is saved elsewhere."""
        for path in self.folder.iterdir():
            path.unlink()
        with contextlib.suppress(OSError):
            self.folder.rmdir()
