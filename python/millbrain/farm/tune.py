"""``tune play``: self-play for training, some games at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from millbrain.farm import worker
from millbrain.farm.cluster import Farm, FarmError, Sizes
from millbrain.farm.files import Parts, gaps, replace
from millbrain.farm.progress import Bar
from millbrain.farm.words import Words

#: Games of a part at most.
MOST_GAMES = 1_000

#: Games from the first up to, but without, the last, numbered from 0.
Games = tuple[int, int]


def play_games(job: worker.Job, games: Games, of: int, options: Sequence[str]) -> bytes:
    """Plays some of so many games on a worker; their positions, one a line."""
    first, last = games
    with worker.scratch() as folder:
        shard = f"{first + 1}-{last}/{of}"
        out = folder / "positions"
        job.start(["tune", "play", "--games", str(of), "--shard", shard, "--out", str(out), *options])
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

    def pieces() -> Iterator[Games]:
        remaining = count
        for first, last in left:
            while first < last:
                size = min(sizes.next(remaining, farm.slots()), last - first)
                yield first, first + size
                first += size
                remaining -= size

    with Bar("games", total, total - count) as bar:

        def on_done(games: Games, seconds: float, positions: bytes) -> bool:
            parts.add(games, positions)
            sizes.add(games[1] - games[0], seconds)
            bar.advance(games[1] - games[0])
            return True

        farm.each(
            job,
            pieces(),
            lambda games: (play_games, job, games, total, options),
            on_done,
            lambda games: f"games {games[0] + 1} to {games[1]}",
        )
    replace(target, parts.contents())
    parts.remove()
