"""A file to which lines are added as they come, and which survives a kill of the coordinator."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from millbrain.farm.errors import FarmError
from millbrain.farm.parts import Parts
from millbrain.farm.places import Place

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Lines:
    """A file to which whole lines are added; nobody else may write to it."""

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
        """Returns the length of the whole lines in bytes."""
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
        """Yields the lines, each with its end."""
        self._file.seek(0)
        yield from self._file

    def add(self, lines: Iterable[bytes]) -> None:
        """Adds whole lines; they are on disk when this returns."""
        self._file.write(b"".join(lines))
        self._file.flush()
        os.fsync(self._file.fileno())

    def finish(self) -> None:
        """Completes the file, once all lines are there."""

    def close(self) -> None:
        """Closes the file, and lets others write to it."""
        self._file.close()


class Mirrored(Lines):
    """A file elsewhere to which nothing can be added: what comes is there in parts until all is, and here in a copy."""

    def __init__(self, place: Place, folder: Path) -> None:
        """Copies what is there to a file in a folder of this machine."""
        self._place = place
        self._parts = Parts(place.beside(".parts"))
        copy = Place(str(folder / "journal"))
        copy.write(chain(place.pieces() if place.exists() else (), self._parts.contents()))
        super().__init__(folder / "journal")
        self._count = max((last for _, last in self._parts.done()), default=0)

    def add(self, lines: Iterable[bytes]) -> None:
        content = b"".join(lines)
        self._parts.add((self._count, self._count + 1), content)
        self._count += 1
        super().add([content])

    def finish(self) -> None:
        self._place.write(self)
        self._parts.remove()

    def close(self) -> None:
        super().close()
        self._parts.close()
