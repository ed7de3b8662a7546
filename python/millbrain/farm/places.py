"""Files by their path or address: of this machine, or anything that fsspec knows, such as ``s3://BUCKET/NAME``."""

from __future__ import annotations

import contextlib
import os
import posixpath
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from millbrain.farm.errors import FarmError

#: Bytes that are in memory at a time when files are copied.
PIECE = 1 << 20


class Place:
    """A file or folder, by its path or address."""

    def __init__(self, name: str | os.PathLike[str]) -> None:
        self.name = os.fspath(name)
        try:
            self._files, self._path = url_to_fs(self.name)
        except (ImportError, ValueError) as error:
            raise FarmError(f"{self.name}: {error}") from error
        #: Where it is on this machine, if it is.
        self.local = Path(self._path) if isinstance(self._files, LocalFileSystem) else None

    def __str__(self) -> str:
        return self.name

    def beside(self, ending: str) -> Place:
        """Returns the one whose name has this at its end."""
        return Place(self.name.rstrip("/") + ending)

    def __truediv__(self, name: str) -> Place:
        """Returns the one of this name in this folder."""
        return Place(self.name.rstrip("/") + "/" + name)

    def folder(self) -> Place:
        """Returns the folder that it is in."""
        return Place(self.name.rpartition("/")[0] or ".")

    def _ask(self, what: str, *arguments: Any, **more: Any) -> Any:
        """Asks the file system about it. Errors of services become one line."""
        try:
            return getattr(self._files, what)(self._path, *arguments, **more)
        except OSError:
            raise
        except Exception as error:
            raise FarmError(f"{self.name}: {error}") from error

    def exists(self) -> bool:
        """Returns whether it is there."""
        self._files.invalidate_cache()
        return bool(self._ask("exists"))

    def size(self) -> int | None:
        """How many bytes are in it, if that is known."""
        return cast("int | None", self._ask("size")) if self.exists() else None

    def read(self) -> bytes:
        """All that is in it."""
        return cast(bytes, self._ask("cat_file"))

    def pieces(self) -> Iterator[bytes]:
        """All that is in it, a piece at a time."""
        with self.open() as file:
            while piece := file.read(PIECE):
                yield piece

    def open(self) -> BinaryIO:
        """Opens it for reading."""
        if self.local is not None:
            # A pipe, too.
            return self.local.open("rb")
        return cast(BinaryIO, self._ask("open", "rb"))

    def names(self) -> list[str]:
        """Returns the names of what is in this folder; none if it is not there."""
        self._files.invalidate_cache()
        try:
            return [posixpath.basename(path) for path in self._ask("ls", detail=False)]
        except FileNotFoundError:
            return []

    @contextlib.contextmanager
    def writing(self) -> Iterator[BinaryIO]:
        """Opens it for writing. It is there as a whole when that has ended well, and as it was otherwise."""
        if self.local is not None:
            with _replacing(self.local) as file:
                yield file
        else:
            # What is not committed never appears.
            with self._files.transaction, self._files.open(self._path, "wb") as file:
                yield file

    def write(self, pieces: Iterable[bytes]) -> None:
        """Writes all that is in it."""
        with self.writing() as file:
            for piece in pieces:
                file.write(piece)

    def make(self) -> None:
        """Makes this folder, where folders are made."""
        self._ask("makedirs", exist_ok=True)

    def remove(self) -> None:
        """Removes this file, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            self._ask("rm_file")

    def remove_all(self) -> None:
        """Removes this folder with all that is in it."""
        with contextlib.suppress(FileNotFoundError):
            self._ask("rm", recursive=True)


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """Writes a file under a temporary name, flushes it and renames it."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    temporary.replace(path)


@contextlib.contextmanager
def seekable(place: Place) -> Iterator[BinaryIO]:
    """Yields a file of this machine for reading; another one, or a pipe, is first copied to an unnamed file."""
    with place.open() as file:
        if place.local is not None and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            yield file
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(file, copy, PIECE)
            copy.seek(0)
            yield cast(BinaryIO, copy)
