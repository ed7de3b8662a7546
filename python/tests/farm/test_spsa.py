"""Parameters tuned by playing: towards what is better, the same however the games are shared out."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from alone import Alone, scratch

from millbrain.farm import FarmError, worker
from millbrain.farm.jobs import tune
from millbrain.farm.jobs.spsa import Spsa, Tunable

LINES = """razoring_depth, int, 2, 0, 6, 1, 0.02
razoring_margin, int, 120, 0, 400, 20, 0.02
other, int, 5, 0, 9, 1, 0.002
"""


def test_values_go_to_where_games_are_won() -> None:
    best = {"a": 7.0, "b": 300.0}
    tunables = [Tunable("a", 2, 0, 10, 1, 0.05), Tunable("b", 100, 0, 250, 20, 0.05)]
    spsa = Spsa(tunables, iterations=150, matches=8, seed=3)
    chance = random.Random(5)

    def result(match: Any) -> int:
        """How eight games end between players whose strength falls with the distance from the best values."""

        def strength(values: dict[str, float]) -> float:
            return -sum(((values[one.name] - best[one.name]) / one.step) ** 2 for one in tunables) / 10

        chances = 1 / (1 + math.exp(strength(match.minus) - strength(match.plus)))
        return sum(1 if chance.random() < chances else -1 for _ in range(8))

    values = spsa.start()
    for iteration in range(spsa.iterations):
        values = spsa.update(iteration, values, [(one, result(one)) for one in spsa.perturbations(iteration, values)])
    assert abs(values["a"] - 7) < 1
    # Never out of its range.
    assert 240 < values["b"] <= 250
    for match in spsa.perturbations(0, {"a": 0.0, "b": 250.0}):
        assert match.plus["a"] >= 0 and match.minus["b"] <= 250
        assert {match.plus["a"], match.minus["a"]} >= {0}


class Player:
    """An engine that wins the more the higher its margin is."""

    def __init__(self) -> None:
        self.given: list[list[str]] = []

    def words(self) -> list[str]:
        return ["engine", "-m"]

    def start(self, words: list[str]) -> None:
        self.given.append(words)
        plus, minus = (int(word.split("=")[1]) for word in words if word.startswith("option.razoring_margin"))
        pairing = {"wins": 3 if plus > minus else 1, "losses": 2}
        Path(words[words.index("--json") + 1]).write_text(json.dumps({"pairings": [pairing]}))


class Tuning(Alone):
    """A farm of such engines."""

    words = ["engine"]

    def __init__(self, stop_after: int = 1 << 60) -> None:
        super().__init__(stop_after)
        self.player = Player()

    def capture(self, words: Sequence[str], given: object = None) -> str:
        return LINES if words == ["tune", "spsa"] else ""

    def job(self, **_: object) -> Any:
        return self.player


@pytest.fixture(autouse=True)
def is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker is needed for the folder of a part."""
    monkeypatch.setattr(worker, "scratch", scratch)


def run(folder: Path, *words: str, farm: Tuning | None = None, out: str = "out") -> list[dict[str, Any]]:
    """Tunes the parameters of razoring; the lines of the output."""
    numbers = ["--iterations", "6", "--matches", "3", "--rounds", "2", "--seed", "5"]
    given = ["--only", "razoring", *numbers, "--out", str(folder / out), *words]
    tune.run(farm or Tuning(), given)  # type: ignore[arg-type]
    return [json.loads(line) for line in (folder / out).read_text().splitlines()]


def test_a_run_that_is_gone_on_with_is_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="the plot is drawn by it")
    farm = Tuning()
    lines = run(tmp_path, "--each", "nodes=9", "--variant", "smess", "--plot", str(tmp_path / "plot.svg"), farm=farm)
    assert [line["iteration"] for line in lines] == [1, 2, 3, 4, 5, 6]
    assert lines[-1]["values"]["razoring_margin"] > 120 and "other" not in lines[0]["values"]
    assert capsys.readouterr().out.startswith("razoring_depth 2 -> ")
    assert "razoring_margin" in (tmp_path / "plot.svg").read_text()
    assert len(farm.player.given) == 18
    words = " ".join(farm.player.given[0])
    assert "--engine name=plus cmd=engine args=-m option.razoring_depth=" in words
    assert "--each nodes=9 --rounds 2 --variant smess --openings plies=6 seed=" in words
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, "--each", "nodes=9", "--variant", "smess", farm=Ending(10), out="again")
    again = run(tmp_path, "--each", "nodes=9", "--variant", "smess", "--resume", out="again")
    assert again == lines
    with pytest.raises(FarmError, match=r"settings.options is .*nodes=8.*, expected .*nodes=9.* as in"):
        run(tmp_path, "--each", "nodes=8", "--variant", "smess", "--resume", out="again")


class Ending(Tuning):
    """Is killed after some matches."""

    def job(self, **_: object) -> Any:
        start, count = self.player.start, self._stop_after

        def limited(words: list[str]) -> None:
            if len(self.player.given) == count:
                raise KeyboardInterrupt
            start(words)

        self.player.start = limited  # type: ignore[method-assign]
        return self.player


def test_what_cannot_be_tuned(tmp_path: Path) -> None:
    for words, message in [
        (["--only", "chess"], "--only chess: no such parameter"),
        (["--iterations", "0"], "--iterations 0 unusable, expected a number from 1"),
        (["--sprt", "elo0=0"], "--sprt unusable here"),
        (["fast"], "tune fast unusable, expected 'tune play' or options"),
    ]:
        with pytest.raises(FarmError, match=message):
            tune.run(Tuning(), [*words, "--out", str(tmp_path / "out")])  # type: ignore[arg-type]
    with pytest.raises(FarmError, match="no file to write"):
        tune.run(Tuning(), [])  # type: ignore[arg-type]
