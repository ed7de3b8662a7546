"""``tune play``: self-play for training, some games at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from millbrain.farm import worker
from millbrain.farm.cluster import Farm, FarmError, Sizes
from millbrain.farm.files import Parts, replace
from millbrain.farm.progress import Bar
from millbrain.farm.shards import Items, gaps, shard
from millbrain.farm.words import Words

#: Games of a part at most.
MOST_GAMES = 1_000


def play_games(job: worker.Job, games: Items, of: int, options: Sequence[str]) -> bytes:
    """Plays some of so many games on a worker; their positions, one a line."""
    with worker.scratch() as folder:
        out = folder / "positions"
        job.start(["tune", "play", "--games", str(of), "--shard", shard(games, of), "--out", str(out), *options])
        return out.read_bytes()


def run(farm: Farm, words: Sequence[str]) -> None:
    """Plays games and writes their positions, as ``millbrain tune play`` does.

    Finished parts are in OUT.parts until all are done.
    """
    given = Words(words, flags=["--resume"])
    if given.free != ["play"]:
        raise FarmError("tune unusable, expected 'tune play': training itself is for one machine")
    given.refuse("--shard")
    out, resume = given.take("--out"), given.take_flag("--resume")
    if out is None:
        raise FarmError("no file to write, expected --out OUT")
    games = given.take("--games") or "1000"
    target, options = Path(out), given.rest()
    # Unusable options are found before anything is handed out.
    with tempfile.TemporaryDirectory() as folder:
        nothing = ["--games", games, "--shard", f"{2**62}/{2**62}", "--out", f"{folder}/none"]
        farm.capture(["tune", "play", *nothing, *options])
    total = int(games)
    job = farm.job()
    plan = " ".join(["tune play --games", str(total), *options, job.digest])
    parts = Parts(target.with_name(target.name + ".parts"), plan, resume)
    sizes = Sizes(MOST_GAMES)
    left = gaps(parts.done(), total)
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
    replace(target, parts.contents())
    parts.remove()
