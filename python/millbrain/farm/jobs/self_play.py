"""``tune play``: self-play for training, some games at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import Any

from millbrain.farm import worker
from millbrain.farm.cluster import Cluster
from millbrain.farm.errors import FarmError
from millbrain.farm.formats import Columns, Format
from millbrain.farm.places import Place
from millbrain.farm.plan import Plan
from millbrain.farm.progress import Bar
from millbrain.farm.shards import Items, Sizes, shard
from millbrain.farm.words import Words

#: Games of a part at most.
MOST_GAMES = 1_000

#: The columns of a Parquet file: score in centistones and result (1, 0, -1) from the side to move.
COLUMNS: Columns = {"fen": "string", "score": "int32", "result": "int8"}


def play_games(job: worker.Job, games: Items, of: int, options: Sequence[str]) -> bytes:
    """Plays some of `of` games on a worker; returns their positions, one a line."""
    with worker.scratch() as folder:
        out = folder / "positions"
        job.start(["tune", "play", "--games", str(of), "--shard", shard(games, of), "--out", str(out), *options])
        return out.read_bytes()


def row(line: bytes) -> dict[str, Any]:
    """Returns a row of the columns for a position."""
    fen, score, result = line.decode().split(";")
    return {"fen": fen, "score": int(score), "result": int(result)}


def run(farm: Cluster, words: Sequence[str]) -> None:
    """Plays games and writes their positions, as ``millbrain tune play`` does.

    Finished parts are in OUT.parts until all are done.
    """
    given = Words(words, flags=["--resume"])
    given.refuse("--shard")
    out, resume, named = given.take("--out"), given.take_flag("--resume"), given.take("--format")
    if out is None:
        raise FarmError("no file to write, expected --out OUT")
    games = given.take("--games") or "1000"
    target, options = Place(out), given.rest()
    form = Format(named, target, COLUMNS, row)
    # Unusable options are found before anything is handed out.
    with tempfile.TemporaryDirectory() as folder:
        nothing = ["--games", games, "--shard", f"{2**62}/{2**62}", "--out", f"{folder}/none"]
        farm.capture(["tune", "play", *nothing, *options])
    total = int(games)
    settings = {"games": total, "format": form.name, **given.settings("--threads")}
    plan = Plan("tune play", settings, farm.engine, given.values("--tables"))
    is_whole = plan.begin(target, resume)
    with plan.parts(target) as parts:
        if not is_whole:
            job = farm.job(cores=given.number("--threads", 1))
            sizes = Sizes(MOST_GAMES)
            left = parts.left(total)
            count = sum(last - first for first, last in left)
            with Bar("games", total, total - count) as bar:

                def on_done(games: Items, seconds: float, positions: bytes) -> bool:
                    parts.add(games, positions)
                    sizes.add(games[1] - games[0], seconds)
                    bar.advance(games[1] - games[0])
                    return True

                farm.each(
                    job,
                    sizes.cut(left, farm.slots),
                    lambda games: (play_games, job, games, total, options),
                    on_done,
                    lambda games: f"games {games[0] + 1} to {games[1]}",
                )
            form.write(target, parts.whole(total), plan)
            plan.end(target, farm.report)
        parts.remove()
