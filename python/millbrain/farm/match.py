"""``match``: meetings of two engines, some at a time, in one journal."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
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
from millbrain.farm.shards import Items, Sizes, gaps, shard
from millbrain.farm.words import Words

#: Meetings of a part at most.
MOST_MEETINGS = 500
#: The sequential test is asked again when so many more games, as a share, are there without a gap.
GROWTH = 0.05


def play(job: worker.Job, settings: str, meetings: Items, of: int, cores: float) -> tuple[list[str], float]:
    """Plays some of so many meetings on a worker; the lines of their games, and the cores that were idle before."""
    idle = worker.wait_for_cores(cores) if cores else 0.0
    part: dict[str, Any] = json.loads(settings)
    part["shard"] = shard(meetings, of)
    with worker.scratch() as folder:
        journal = folder / "journal"
        journal.write_text(json.dumps(part) + "\n")
        job.start(["match", "--resume", str(journal)])
        return journal.read_text().splitlines(keepends=True)[1:], idle


class Match:
    """The settings of a match, as the first line of its journal has them."""

    def __init__(self, settings: str) -> None:
        self.settings = settings
        found = json.loads(settings)
        schedule, engines = found["schedule"], found["engines"]
        count = schedule["engines"]
        pairings = count - 1 if schedule["gauntlet"] else count * (count - 1) // 2
        #: Games of each meeting.
        self.games: int = schedule["games"]
        #: Meetings of the match.
        self.meetings: int = schedule["rounds"] * pairings
        #: Whether a sequential test ends the match.
        self.is_test: bool = found["sprt"] is not None
        #: The engines' programs.
        self.programs = sorted({engine["command"] for engine in engines})
        is_timed = any(engine["thinking"]["clock"] or engine["thinking"]["move_time"] for engine in engines)
        #: Cores that a part keeps busy.
        self.cores: float = found["concurrency"] * max(map(_threads, engines))
        #: Cores that must be idle before, where time counts.
        self.idle: float = self.cores if is_timed else 0


class Played:
    """The games that are there, by number: all of the first ones, and some after a gap."""

    def __init__(self, numbers: Iterable[int]) -> None:
        #: How many are there without a gap.
        self.unbroken = 0
        self._beyond: set[int] = set()
        for number in numbers:
            self.add(number)

    def add(self, number: int) -> None:
        """A game is there, perhaps once more."""
        if number not in self:
            self._beyond.add(number)
        while self.unbroken in self._beyond:
            self._beyond.remove(self.unbroken)
            self.unbroken += 1

    def __contains__(self, number: int) -> bool:
        return number < self.unbroken or number in self._beyond

    def __len__(self) -> int:
        return self.unbroken + len(self._beyond)


def _threads(engine: dict[str, Any]) -> int:
    """How many threads an engine searches with."""
    return max((int(value) for name, value in engine["options"] if name.lower() == "threads"), default=1)


def run(farm: Cluster, words: Sequence[str]) -> None:
    """Plays a match, as ``millbrain match`` does: the same table, files and game at which a sequential test ends it.

    Each finished game is in the journal that --save names, from which --resume goes on.
    """
    given = Words(words, flags=["--no-recover", "--recover", "--replay-killed", "--lenient"])
    given.refuse("--shard", "--merge", "--replay", "--serve", "--plan")
    save, resume = given.take("--save"), given.take("--resume")
    results = {option: Place(file) for option in ("--record", "--json") if (file := given.take(option))}
    if resume is None:
        planned = farm.capture(["match", "--plan", *given.rest()])
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
                journal.add([planned.encode()])
            _play_all(farm, journal, place, go_on)
            journal.finish()
            files = [word for option in results for word in (option, f"{scratch}/{option}")]
            table = farm.capture(["match", "--merge", str(journal.path), *files])
            for option, target in results.items():
                target.write(Place(f"{scratch}/{option}").pieces())
        sys.stdout.write(table)


def _play_all(farm: Cluster, journal: Lines, place: Place, go_on: str) -> None:
    """Plays what the journal has not got yet, until all is there or the sequential test decides.

    go_on says how to go on when the run is given up.
    """
    lines = map(bytes.decode, journal)
    settings = next(lines, None)
    if settings is None:
        raise FarmError(f"{place}: no match, expected a file written by --save")
    match = Match(settings)
    plan = Plan(
        "match", json.loads(settings), farm.engine, programs={name: digest(which(name)) for name in match.programs}
    )
    plan.go_on(place)
    played = Played(map(_index, lines))
    total = match.meetings * match.games
    job = farm.job(match.programs, go_on, match.cores)
    sizes = Sizes(MOST_MEETINGS)
    games = range(match.games)
    done = (n for n in range(match.meetings) if all(n * match.games + game in played for game in games))
    left = gaps(((meeting, meeting + 1) for meeting in done), match.meetings)
    if match.is_test and played.unbroken and _has_decided(farm, journal.path):
        return

    asked, busy = played.unbroken, 0
    with Bar("games", total, len(played)) as bar:

        def on_done(meetings: Items, seconds: float, result: tuple[list[str], float]) -> bool:
            nonlocal asked, busy
            games, idle = result
            new = [line for line in games if _index(line) not in played]
            journal.add(line.encode() for line in new)
            for line in new:
                played.add(_index(line))
            sizes.add(meetings[1] - meetings[0], seconds)
            busy += idle < match.idle - 0.25
            bar.advance(len(new), f"{busy} parts on busy workers" if busy else "")
            if match.is_test and played.unbroken >= asked + max(1, int(asked * GROWTH)):
                asked = played.unbroken
                return not _has_decided(farm, journal.path)
            return True

        farm.each(
            job,
            sizes.cut(left, farm.slots),
            lambda meetings: (play, job, farm.shared(settings), meetings, match.meetings, match.idle),
            on_done,
            lambda meetings: f"meetings {meetings[0] + 1} to {meetings[1]}",
        )
    plan.end(place, farm.report)
    if busy:
        print(f"{busy} parts were played though other work was using the cores", file=sys.stderr)


def _has_decided(farm: Cluster, journal: Path) -> bool:
    """Whether the sequential test of a match has come to a decision, as the engine counts it."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "result.json")
        farm.capture(["match", "--merge", str(journal), "--json", str(result)])
        return json.loads(result.read_text())["sprt"]["decision"] is not None


def _index(line: str) -> int:
    """The number of the game, from 0, in a line of a journal."""
    return int(json.loads(line)["index"])
