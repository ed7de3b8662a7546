"""``tablebase build`` by several builders in one folder, and ``tablebase verify`` in parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from millbrain.farm import worker
from millbrain.farm.cluster import Farm, FarmError
from millbrain.farm.files import Parts
from millbrain.farm.progress import Bar
from millbrain.farm.shards import gaps, shard
from millbrain.farm.words import Words

#: Parts of a check for each slot of the cluster: each part reads all tables once.
PARTS_PER_SLOT = 2
#: A line of a check: the sector, and the slots checked.
CHECKED = re.compile(r"(\S+) +(\d+) of +(\d+) slots checked")


def start(job: worker.Job, words: Sequence[str]) -> str:
    """Runs ``tablebase`` with these words on a worker; what it prints."""
    return job.start(["tablebase", *words])


def run(farm: Farm, words: Sequence[str]) -> None:
    """Builds or checks tables in a folder that all workers see under the same name."""
    match words[:1]:
        case ["build"]:
            build(farm, words[1:])
        case ["verify"]:
            verify(farm, words[1:])
        case _:
            raise FarmError("tablebase unusable, expected 'tablebase build' or 'tablebase verify'")


def build(farm: Farm, words: Sequence[str]) -> None:
    """Runs a builder on each worker. They share the work pair by pair, and each ends when all is there."""
    given = Words(words, flags=["--placing", "--json"])
    out = given.take("--out")
    if out is None or given.free:
        raise FarmError("no folder to build in, expected --out DIR")
    folder = str(Path(out).resolve())
    threads = given.take("--threads")
    job = farm.job(resume="the same command goes on")
    per_worker = farm.threads()

    # One thread for each slot of a worker, unless told otherwise.
    own = threads or str(max(per_worker.values(), default=1))
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


def verify(farm: Farm, words: Sequence[str]) -> None:
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
    manifest = (folder / "manifest.json").stat()
    job = farm.job()
    plan = f"verify {' '.join(options)} {job.digest} {manifest.st_size} {manifest.st_mtime_ns}"
    parts = Parts(folder / "verify.parts", plan, resume)
    count = parts.folder / "count"
    total = int(count.read_text()) if count.exists() else PARTS_PER_SLOT * farm.slots()
    count.write_text(str(total))
    left = [part for first, last in gaps(parts.done(), total) for part in range(first, last)]
    with Bar("parts", total, total - len(left)) as bar:

        def on_done(part: int, _: float, printed: str) -> bool:
            parts.add((part, part + 1), printed.encode())
            bar.advance(1)
            return True

        farm.each(
            job,
            iter(left),
            lambda part: (start, job, ["verify", str(folder), "--shard", shard((part, part + 1), total), *options]),
            on_done,
            lambda part: f"part {part + 1} of {total}",
        )
    checked: dict[str, tuple[int, int]] = {}
    for content in parts.contents():
        for sector, slots, of in CHECKED.findall(content.decode()):
            checked[sector] = (checked.get(sector, (0, 0))[0] + int(slots), int(of))
    for sector, (slots, of) in checked.items():
        print(f"{sector:8} {slots:>11} of {of:>11} slots checked, all right")
    parts.remove()
