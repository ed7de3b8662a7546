"""``analyse``: a file of positions, some lines of it at a time."""

from __future__ import annotations

import itertools
import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from millbrain.farm import worker
from millbrain.farm.cluster import Cluster
from millbrain.farm.errors import FarmError
from millbrain.farm.formats import Columns, Format
from millbrain.farm.parts import Parts
from millbrain.farm.places import Place, seekable
from millbrain.farm.plan import Plan
from millbrain.farm.progress import Bar
from millbrain.farm.shards import Items, Sizes
from millbrain.farm.words import Words

#: Lines of a part at most.
MOST_LINES = 20_000
#: Bytes of a part after which it ends.
MOST_BYTES = 1 << 20

#: The columns of a Parquet file: scores in centistones or moves to the end, chances in permille; `others` is JSON.
COLUMNS: Columns = {
    "line": "int64",
    "id": "string",
    "variant": "string",
    "rules": "string",
    "fen": "string",
    "bestmove": "string",
    "cp": "int32",
    "mate": "int32",
    "win": "int16",
    "draw": "int16",
    "loss": "int16",
    "depth": "int32",
    "nodes": "int64",
    "pv": "list<string>",
    "time": "int64",
    "engine": "string",
    "others": "string",
    "error": "string",
}


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


def row(line: bytes) -> dict[str, Any]:
    """Returns a row of the columns for an object of an analysis."""
    found: dict[str, Any] = json.loads(line)
    found["id"] = str(found["id"]) if "id" in found else None
    found.update(found.pop("score", None) or {})
    found.update(zip(("win", "draw", "loss"), found.pop("wdl", None) or (), strict=False))
    if "others" in found:
        found["others"] = json.dumps(found["others"], separators=(",", ":"))
    return found


def run(farm: Cluster, words: Sequence[str]) -> None:
    """Analyses the positions of a file, as ``millbrain analyse FILE --out OUT`` does.

    Finished parts are in OUT.parts until all are done. Neither file is ever in memory as a whole.
    """
    given = Words(words, flags=["--resume", "--no-time"])
    given.refuse("--shard", "--first-line", "--plan", "--merge")
    out, resume, named = given.take("--out"), given.take_flag("--resume"), given.take("--format")
    if len(given.free) != 1 or given.free[0] == "-" or out is None:
        raise FarmError("analyse unusable without files, expected FILE --out OUT")
    target, options = Place(out), given.rest()
    form = Format(named, target, COLUMNS, row)
    with seekable(Place(given.free[0])) as file:
        settings = settings_of(farm, file, options)
        found = json.loads(settings)
        plan = Plan("analyse", found | {"format": form.name}, farm.engine, given.values("--tablebase"))
        is_whole = plan.begin(target, resume)
        with plan.parts(target) as parts:
            if not is_whole:
                total = found["input"]["lines"]
                _analyse(farm, file, parts, total, options, given.number("--threads", 1))
                form.write(target, parts.whole(total), plan)
                if form.name == "lines":
                    # One process may put it together with other parts.
                    target.beside(".settings").write([settings])
                plan.end(target, farm.report)
            parts.remove()


def settings_of(farm: Cluster, file: BinaryIO, options: Sequence[str]) -> bytes:
    """Returns the settings of an analysis as the engine writes them, with the digest of the input."""
    with tempfile.TemporaryDirectory() as folder:
        farm.capture(["analyse", "-", "--plan", "--out", f"{folder}/out", *options], file)
        return Path(folder, "out.settings").read_bytes()


def _analyse(farm: Cluster, file: BinaryIO, parts: Parts, total: int, options: Sequence[str], threads: int) -> None:
    """Analyses the lines that are left, and saves their objects."""
    job = farm.job(cores=threads)
    sizes = Sizes(MOST_LINES)
    left = parts.left(total)
    count = sum(last - first for first, last in left)
    with Bar("lines", total, total - count) as bar:

        def on_done(piece: Piece, seconds: float, found: bytes) -> bool:
            parts.add(piece.lines, found)
            # Comments take no time.
            sizes.add(found.count(b"\n"), seconds)
            bar.advance(piece.lines[1] - piece.lines[0])
            return True

        cut = pieces(file, sizes.cut(left, farm.slots))
        farm.each(job, cut, lambda piece: (analyse_piece, job, piece, options), on_done)


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
