"""The files that results are written as: lines, as the engine writes them, or Parquet."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from millbrain.farm.errors import FarmError
from millbrain.farm.places import Place

#: Rows that are in memory at a time.
ROWS = 20_000

#: The columns of a table, with their types as Arrow names them.
Columns = dict[str, str]


def lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the lines in some pieces of a file, without their ends."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield from whole
    if rest:
        yield rest


class Format:
    """How an output is written, by its name or by ``--format``."""

    def __init__(
        self, name: str | None, target: Place, columns: Columns, row: Callable[[bytes], dict[str, Any]]
    ) -> None:
        """Takes `lines` or `parquet`, by default by the ending of the target's name.

        `row` makes a row of these columns of a line. Raises `FarmError` for another name, and without pyarrow.
        """
        self.name = name or ("parquet" if target.name.endswith(".parquet") else "lines")
        if self.name not in ("lines", "parquet"):
            raise FarmError(f"--format {self.name} unusable, expected lines or parquet")
        self._columns, self._row = columns, row
        if self.name == "parquet":
            try:
                import pyarrow.parquet  # noqa: F401
            except ImportError as error:
                raise FarmError(f"{target}: {error}, expected pyarrow, which writes Parquet") from error

    def write(self, target: Place, pieces: Iterable[bytes], plan: object) -> None:
        """Writes an output whose lines come in pieces; Parquet files have the plan among their metadata."""
        if self.name == "lines":
            target.write(pieces)
        else:
            self._write_parquet(target, lines(pieces), str(plan))

    def _write_parquet(self, target: Place, lines: Iterator[bytes], plan: str) -> None:
        import pyarrow
        import pyarrow.parquet

        fields = [(name, _type(pyarrow, of)) for name, of in self._columns.items()]
        schema = pyarrow.schema(fields, metadata={"millbrain.plan": plan})
        with target.writing() as file, pyarrow.parquet.ParquetWriter(file, schema) as writer:
            while rows := [self._row(line) for line in itertools.islice(lines, ROWS)]:
                writer.write_batch(pyarrow.RecordBatch.from_pylist(rows, schema))


def _type(pyarrow: Any, name: str) -> Any:
    """Returns the Arrow type of a name, such as ``int32`` or ``list<string>``."""
    of = name.removeprefix("list<").removesuffix(">")
    found = pyarrow.type_for_alias(of)
    return pyarrow.list_(found) if of != name else found
