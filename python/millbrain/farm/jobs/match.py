"""``match``: meetings of two engines, some at a time, in one journal."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from millbrain.farm import worker
from millbrain.farm.cluster import Cluster
from millbrain.farm.errors import FarmError
from millbrain.farm.journal import Lines, Mirrored
from millbrain.farm.places import Place
from millbrain.farm.plan import Plan
from millbrain.farm.program import digest, which
from millbrain.farm.progress import Bar
from millbrain.farm.shards import Items, Sizes, shard
from millbrain.farm.words import Words

#: Meetings of a part at most.
MOST_MEETINGS = 500
#: The engine evaluates the sequential test again after this share of new games.
GROWTH = 0.05


def play(job: worker.Job, settings: str, meetings: Items, of: int, cores: float) -> tuple[list[str], float]:
    """Plays some of `of` meetings on a worker; returns the lines of their games and the cores that were idle before."""
    idle = worker.wait_for_cores(cores) if cores else 0.0
    part: dict[str, Any] = json.loads(settings)
    part["shard"] = shard(meetings, of)
    with worker.scratch() as folder:
        journal = folder / "journal"
        journal.write_text(json.dumps(part) + "\n")
        job.start(["match", "--resume", str(journal)])
        return journal.read_text().splitlines(keepends=True)[1:], idle


def run(farm: Cluster, words: Sequence[str]) -> None:
    """Plays a match, as ``millbrain match`` does: the same table, files and game at which a sequential test ends it.

    Each finished game is in the journal that --save names, from which --resume continues.
    """
    given = Words(words, has_lists=True)
    given.refuse("--shard", "--merge", "--replay", "--serve", "--plan")
    save, resume = given.take("--save"), given.take("--resume")
    results = {option: Place(file) for option in ("--record", "--json") if (file := given.take(option))}
    if resume is None:
        settings = json.loads(farm.capture(["match", "--plan", *given.free, *given.rest()]))["settings"]
    elif given.rest():
        raise FarmError(f"{given.rest()[0]} unusable with --resume, which has the settings")
    with tempfile.TemporaryDirectory() as scratch:
        name = resume or save
        place = Place(name or f"{scratch}/journal")
        go_on = f"--resume {name} goes on" if name else "all is lost without --save"
        is_there = place.exists() or bool(place.beside(".parts").names())
        if resume is None and is_there and place.size() != 0:
            raise FarmError(f"{place}: exists already, expected the name of a new file")
        if resume is not None and not is_there:
            raise FarmError(f"{place}: no such file, expected a journal")
        with Lines(place.local) if place.local is not None else Mirrored(place, Path(scratch)) as journal:
            if resume is None:
                journal.add([json.dumps(settings).encode() + b"\n"])
            _play_all(farm, journal, place, go_on)
            journal.finish()
            files = [word for option in results for word in (option, f"{scratch}/{option}")]
            table = farm.capture(["match", "--merge", str(journal.path), *files])
            for option, target in results.items():
                target.write(Place(f"{scratch}/{option}").pieces())
        sys.stdout.write(table)


def _play_all(farm: Cluster, journal: Lines, place: Place, go_on: str) -> None:
    """Plays what the journal has not got yet, until all is there or the sequential test decides.

    `go_on` is the message how to continue after the run is given up.
    """
    planned = _left(farm, journal)
    programs, settings, meetings = planned["programs"], planned["settings"], planned["meetings"]
    # Timed games are worth nothing where something else takes the engines' time.
    idle_cores = planned["cores"] if planned["is_timed"] else 0
    plan = Plan("match", settings, farm.engine, programs={name: digest(which(name)) for name in programs})
    plan.go_on(place)
    job = farm.job(programs, go_on, planned["cores"])
    if planned["is_over"]:
        return
    sizes = Sizes(MOST_MEETINGS)
    there = asked = planned["played"]
    busy = 0
    with Bar("games", planned["games"], there) as bar:

        def on_done(meetings: Items, seconds: float, result: tuple[list[str], float]) -> bool:
            nonlocal asked, busy, there
            games, idle = result
            journal.add(game.encode() for game in games)
            there += len(games)
            sizes.add(meetings[1] - meetings[0], seconds)
            busy += idle < idle_cores - 0.25
            bar.advance(len(games), f"{busy} parts on busy workers" if busy else "")
            if settings["sprt"] is not None and there >= asked + max(1, int(asked * GROWTH)):
                asked = there
                return not _left(farm, journal)["is_over"]
            return True

        farm.each(
            job,
            sizes.cut(planned["left"], farm.slots),
            lambda part: (play, job, farm.shared(json.dumps(settings)), part, meetings, idle_cores),
            on_done,
            lambda part: f"meetings {part[0] + 1} to {part[1]}",
        )
    plan.end(place, farm.report)
    if busy:
        print(f"{busy} parts were played though other work was using the cores", file=sys.stderr)


def _left(farm: Cluster, journal: Lines) -> dict[str, Any]:
    """Returns what is left of a match, as the engine plans it."""
    found: dict[str, Any] = json.loads(farm.capture(["match", "--plan", "--resume", str(journal.path)]))
    return found
