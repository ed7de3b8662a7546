"""``tune``: the parameters of the search tuned by playing, with SPSA.

Simultaneous perturbation stochastic approximation (J. C. Spall, "An overview of the simultaneous perturbation method
for efficient optimization", Johns Hopkins APL Technical Digest 19, 1998): all parameters are moved at once, each by a
random sign times its step, up and down; the two play each other, and the parameters go a little towards the winner.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from millbrain.farm import worker
from millbrain.farm.cluster import Cluster
from millbrain.farm.errors import FarmError
from millbrain.farm.formats import lines
from millbrain.farm.parts import Parts
from millbrain.farm.places import Place
from millbrain.farm.plan import Plan
from millbrain.farm.program import JobFailed
from millbrain.farm.progress import Bar
from millbrain.farm.words import Words

#: How steps and gains fall with the number of perturbations, and the share of the run by which the gains start later.
ALPHA, GAMMA, LATER = 0.602, 0.101, 0.1

#: Parameters and their values.
Values = dict[str, float]


class Tunable(NamedTuple):
    """A parameter of the search, as ``millbrain tune spsa`` lists it."""

    name: str
    default: float
    least: float
    most: float
    step: float
    """How far it is moved at the end of the run."""
    rate: float
    """How far a won game takes it at the end, as a share of the step."""

    @staticmethod
    def of(line: str) -> Tunable:
        """Reads a line: name, type, default, least, most, step, rate."""
        name, _, *numbers = line.split(", ")
        return Tunable(name, *map(float, numbers))


class Perturbation(NamedTuple):
    """A match that is to be played."""

    iteration: int
    number: int
    plus: Values
    minus: Values
    signs: dict[str, int]
    seed: int

    def __str__(self) -> str:
        return f"iteration {self.iteration + 1}, match {self.number + 1}"


@dataclass(frozen=True)
class Spsa:
    """The parameters to tune, and for how long."""

    tunables: Sequence[Tunable]
    iterations: int
    matches: int
    """Matches of an iteration: each has its own signs, and all begin at the same values."""
    seed: int

    def _steps(self, iteration: int) -> dict[str, tuple[float, float]]:
        """How far each parameter is moved in an iteration, and how far a won game takes it."""
        count, total = iteration * self.matches + 1, self.iterations * self.matches
        later = LATER * total
        fall = ((later + total) / (later + count)) ** ALPHA
        rise = (total / count) ** GAMMA
        steps = {}
        for one in self.tunables:
            step = one.step * rise
            # The gain a of the method is rate * step^2 at the end; a game moves a parameter by a / step.
            steps[one.name] = step, one.rate * one.step**2 * fall / step
        return steps

    def start(self) -> Values:
        """Returns the values to begin with."""
        return {one.name: one.default for one in self.tunables}

    def perturbations(self, iteration: int, values: Values) -> list[Perturbation]:
        """Returns the matches of an iteration from these values: they depend on the seed alone."""
        chance = random.Random(f"{self.seed} {iteration}")
        steps = self._steps(iteration)
        found = []
        for number in range(self.matches):
            signs = {name: chance.choice((-1, 1)) for name in steps}
            plus, minus = (
                {one.name: self._within(one, values[one.name] + way * signs[one.name] * steps[one.name][0])
                 for one in self.tunables}
                for way in (1, -1)
            )  # fmt: skip
            found.append(Perturbation(iteration, number, plus, minus, signs, chance.randrange(1 << 31)))
        return found

    def update(self, iteration: int, values: Values, results: Sequence[tuple[Perturbation, int]]) -> Values:
        """Returns the values after an iteration; a result is the first side's wins less its losses."""
        steps = self._steps(iteration)
        return {
            one.name: self._within(
                one,
                values[one.name] + steps[one.name][1] * sum(match.signs[one.name] * won for match, won in results),
            )
            for one in self.tunables
        }

    @staticmethod
    def _within(one: Tunable, value: float) -> float:
        return min(one.most, max(one.least, value))


def play(job: worker.Job, match: Perturbation, options: Sequence[str], openings: Sequence[str]) -> int:
    """Plays a match on a worker; the games won by the first side, less those lost."""
    first, *arguments = job.words()
    program = [f"cmd={first}", *([f"args={' '.join(arguments)}"] if arguments else [])]
    sides = [
        word
        for name, values in (("plus", match.plus), ("minus", match.minus))
        for word in ("--engine", f"name={name}", *program, *(f"option.{key}={round(values[key])}" for key in values))
    ]
    with worker.scratch() as folder:
        result = folder / "result.json"
        job.start(["match", *sides, *options, "--openings", *openings, f"seed={match.seed}", "--json", str(result)])
        (pairing,) = json.loads(result.read_text())["pairings"]
    return int(pairing["wins"]) - int(pairing["losses"])


def tunables(farm: Cluster, wanted: Sequence[str]) -> list[Tunable]:
    """Returns the parameters with one of these words in their names; all without words."""
    try:
        listed = farm.capture(["tune", "spsa"])
    except JobFailed as error:
        raise FarmError(
            f"{farm.words[0]}: no parameters to tune, expected as --program what scripts/train/spsa builds"
        ) from error
    found = [Tunable.of(line) for line in listed.splitlines()]
    found = [one for one in found if not wanted or any(word in one.name for word in wanted)]
    if not found:
        raise FarmError(f"--only {','.join(wanted)}: no such parameter, expected words in the names of 'tune spsa'")
    return found


def run(farm: Cluster, words: Sequence[str]) -> None:
    """Tunes the parameters of the engine's search; the words that are not named here are those of ``millbrain match``.

    OUT gets a line an iteration: the values after it, and how its games have ended. Finished ones are in OUT.parts
    until all are done.
    """
    given = Words(words, flags=["--resume"])
    given.refuse(*_REFUSED)
    if given.free:
        raise FarmError(f"tune {given.free[0]} unusable, expected 'tune play' or options")
    out, resume, plot = given.take("--out"), given.take_flag("--resume"), given.take("--plot")
    if out is None:
        raise FarmError("no file to write, expected --out OUT")
    chosen = tunables(farm, (given.take("--only") or "").replace(",", " ").split())
    numbers = {name: _number(name, given.take(f"--{name}") or default) for name, default in _NUMBERS.items()}
    openings = given.take_all("--openings") or ["plies=6"]
    each = given.take_all("--each") or ["nodes=2000", "option.Hash=4"]
    options = ["--each", *each, "--rounds", str(numbers["rounds"]), *given.rest()]
    if plot is not None:
        _drawing()
    spsa = Spsa(chosen, numbers["iterations"], numbers["matches"], numbers["seed"])
    # Unusable options are found before anything is handed out.
    engines = [word for _ in range(2) for word in ("--engine", f"cmd={farm.words[0]}")]
    farm.capture(["match", *engines, *options, "--openings", *openings, "--plan"])

    target = Place(out)
    settings = {
        "parameters": {one.name: one._asdict() for one in chosen},
        **numbers,
        "options": " ".join(options),
        "openings": " ".join(openings),
    }
    plan = Plan("tune", settings, farm.engine)
    is_whole = plan.begin(target, resume)
    with plan.parts(target) as parts:
        if not is_whole:
            _tune(farm, spsa, parts, options, openings)
            target.write(parts.whole(numbers["iterations"]))
            plan.end(target, farm.report)
        parts.remove()
    last = _report(target, chosen)
    print("\n".join(f"{one.name} {one.default:g} -> {last[one.name]:.1f}" for one in chosen))
    if plot is not None:
        draw(target, chosen, Place(plot))


#: Options of a match that have no place here.
_REFUSED = ("--engine", "--save", "--record", "--json", "--sprt", "--shard", "--merge", "--plan", "--games", "--replay")
#: Numbers that a run is given, with their defaults.
_NUMBERS = {"iterations": "200", "matches": "8", "rounds": "4", "seed": "1"}


def _number(name: str, text: str) -> int:
    if not (text.isdecimal() and (int(text) > 0 or name == "seed")):
        raise FarmError(f"--{name} {text} unusable, expected a number from {0 if name == 'seed' else 1}")
    return int(text)


def _tune(farm: Cluster, spsa: Spsa, parts: Parts, options: Sequence[str], openings: Sequence[str]) -> None:
    """Does the iterations that are left, one after the other, and the matches of each side by side."""
    job = farm.job()
    values, begun = spsa.start(), 0
    for line in lines(parts.contents()):
        values, begun = json.loads(line)["values"], begun + 1
    with Bar("iterations", spsa.iterations, begun) as bar:
        for iteration in range(begun, spsa.iterations):
            results: list[tuple[Perturbation, int]] = []
            farm.each(
                job,
                iter(spsa.perturbations(iteration, values)),
                lambda match: (play, job, match, options, openings),
                _adder(results),
            )
            # Whichever came first.
            results.sort(key=lambda result: result[0].number)
            values = spsa.update(iteration, values, results)
            record = {"iteration": iteration + 1, "values": values, "results": [won for _, won in results]}
            parts.add((iteration, iteration + 1), json.dumps(record).encode() + b"\n")
            bar.advance(1)


def _adder(results: list[tuple[Perturbation, int]]) -> Callable[[Perturbation, float, int], bool]:
    def add(match: Perturbation, _: float, won: int) -> bool:
        results.append((match, won))
        return True

    return add


def _records(target: Place) -> Iterator[Mapping[str, Any]]:
    return map(json.loads, lines(target.pieces()))


def _report(target: Place, chosen: Sequence[Tunable]) -> Values:
    """Returns the values at the end of a run."""
    last = {one.name: one.default for one in chosen}
    for record in _records(target):
        last = record["values"]
    return last


def _drawing() -> Any:
    """Returns the class of matplotlib that draws."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise FarmError(f"--plot unusable: {error}, expected matplotlib") from error
    return Figure


def draw(target: Place, chosen: Sequence[Tunable], plot: Place) -> None:
    """Draws how the parameters have moved, in steps from where they began."""
    figure = _drawing()(figsize=(9, 5.5), layout="constrained")
    axes = figure.add_subplot()
    records = list(_records(target))
    numbers = [0, *(record["iteration"] for record in records)]
    for one in chosen:
        moved = [0.0, *((record["values"][one.name] - one.default) / one.step for record in records)]
        label = f"{one.name} {records[-1]['values'][one.name]:.0f} ({one.default:g})"
        axes.plot(numbers, moved, label=label, linewidth=1)
    axes.set_xlabel("iterations")
    axes.set_ylabel("steps from the default")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", fontsize="x-small", frameon=False)
    ending = Path(plot.name).suffix.removeprefix(".") or "svg"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"plot.{ending}")
        figure.savefig(file, dpi=120)
        plot.write([file.read_bytes()])
