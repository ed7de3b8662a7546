"""``tablebase build`` by several builders in one folder, and ``tablebase verify`` in parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from millbrain.farm import worker
from millbrain.farm.cluster import Cluster
from millbrain.farm.errors import FarmError
from millbrain.farm.formats import lines
from millbrain.farm.places import Place
from millbrain.farm.plan import Plan
from millbrain.farm.progress import Bar
from millbrain.farm.shards import Items, shard
from millbrain.farm.words import Words

#: Parts of a check for each slot of the cluster: each part reads all tables once.
PARTS_PER_SLOT = 2
#: A line of a check: the sector, and the slots checked.
CHECKED = re.compile(r"(\S+) +(\d+) of +(\d+) slots checked")


def start(job: worker.Job, words: Sequence[str]) -> str:
    """Runs ``tablebase`` with these words on a worker; what it prints."""
    return job.start(["tablebase", *words])


def run(farm: Cluster, words: Sequence[str]) -> None:
    """Builds or checks tables in a folder that all workers see under the same name."""
    match words[:1]:
        case ["build"]:
            build(farm, words[1:])
        case ["verify"]:
            verify(farm, words[1:])
        case _:
            raise FarmError("tablebase unusable, expected 'tablebase build' or 'tablebase verify'")


def build(farm: Cluster, words: Sequence[str]) -> None:
    """Runs a builder on each worker. They share the work pair by pair, and each ends when all is there."""
    given = Words(words, flags=["--placing", "--json"])
    out = given.take("--out")
    if out is None or given.free:
        raise FarmError("no folder to build in, expected --out DIR")
    folder = str(Path(out).resolve())
    is_given, threads = "--threads" in given, given.number("--threads", 1)
    given.take("--threads")
    plan = Plan("tablebase build", given.settings(), farm.engine)
    job = farm.job(resume="the same command goes on", cores=threads)
    plan.start(Place(folder) / "build")
    per_worker = farm.threads()

    # One thread for each slot of a worker by default.
    own = str(threads if is_given else max(per_worker.values(), default=1))
    builder = start, job, ["build", "--out", folder, "--threads", own, *given.rest()]

    builders = max(1, len(per_worker))
    with Bar("builders", builders) as bar:

        def on_done(_: int, __: float, printed: str) -> bool:
            for line in printed.splitlines():
                bar.say(line)
            bar.advance(1)
            return True

        farm.each(
            job,
            iter(range(builders)),
            lambda _: builder,
            on_done,
            lambda number: f"builder {number + 1}",
        )
    plan.end(Place(folder) / "build", farm.report)


def verify(farm: Cluster, words: Sequence[str]) -> None:
    """Checks tables in parts; prints for each sector what all parts have checked."""
    given = Words(words, flags=["--resume"])
    given.refuse("--shard")
    resume = given.take_flag("--resume")
    if len(given.free) != 1:
        raise FarmError("no folder to check, expected DIR")
    folder = Path(given.free[0]).resolve()
    options = given.rest()
    if "--threads" not in given:
        options += ["--threads", "1"]
    if not (folder / "manifest.json").is_file():
        raise FarmError(f"{folder}: no manifest.json, expected a folder of tables")
    job = farm.job(cores=given.number("--threads", 1))
    target = Place(folder) / "verify"
    # Parts are of the number that they were at first.
    total = resume and Plan.settings(target).get("parts") or PARTS_PER_SLOT * farm.slots()
    plan = Plan("tablebase verify", {"options": options, "parts": total}, farm.engine, [str(folder)])
    plan.begin(target, resume)
    with plan.parts(target) as parts:
        left = [(part, part + 1) for first, last in parts.left(total) for part in range(first, last)]
        with Bar("parts", total, total - len(left)) as bar:

            def on_done(part: Items, _: float, printed: str) -> bool:
                parts.add(part, printed.encode())
                bar.advance(1)
                return True

            farm.each(
                job,
                iter(left),
                lambda part: (start, job, ["verify", str(folder), "--shard", shard(part, total), *options]),
                on_done,
                lambda part: f"part {part[1]} of {total}",
            )
        checked: dict[str, tuple[int, int]] = {}
        for line in lines(parts.whole(total)):
            if found := CHECKED.match(line.decode()):
                sector, slots, of = found.groups()
                checked[sector] = (checked.get(sector, (0, 0))[0] + int(slots), int(of))
        for sector, (slots, number) in checked.items():
            print(f"{sector:8} {slots:>11} of {number:>11} slots checked, all right")
        plan.end(target, farm.report)
        parts.remove()
