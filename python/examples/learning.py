"""Two small networks learn what a position of Mlyn with four stones is worth: from tables, and from games with itself.

Both are the same network of numpy alone, on one core. Their error is the mean distance between the value that they
expect and the true one (-1, 0 or 1) on 3,000 positions, and stands beside that of the engine's own evaluation and of
short searches. Writes a picture and prints what it measures; takes as many minutes for each as asked:

    python learning.py MINUTES PICTURE
"""

import sys
import time
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

import millbrain
from millbrain import UNKNOWN, Engine, Limit, Tables
from millbrain.training import training_batches
from millbrain.vector import VectorEnvironment

Floats = npt.NDArray[np.float32]

VARIANT, STONES = "mlyn", 4
STEPS, REMOVALS = 600, 25
GAMES, UNROLL = 256, 12


class Network:
    """Planes to a value, and to logits of the two parts of an action: two hidden layers, trained by Adam."""

    def __init__(self, inputs: int, seed: int, hidden: tuple[int, int] = (256, 128)) -> None:
        rng = np.random.default_rng(seed)
        sizes = [(inputs, hidden[0]), (hidden[0], hidden[1]), (hidden[1], 1 + STEPS + REMOVALS)]
        self.weights: list[Floats] = []
        for rows, columns in sizes:
            self.weights.append((rng.standard_normal((rows, columns)) * np.sqrt(2 / rows)).astype(np.float32))
            self.weights.append(np.zeros(columns, dtype=np.float32))
        self.weights[4] *= 0.05
        self.moments = [(np.zeros_like(weight), np.zeros_like(weight)) for weight in self.weights]
        self.updates = 0

    def forward(self, planes: Floats) -> tuple[Floats, Floats, list[Floats]]:
        """Values, logits, and what the way back needs."""
        # True values do not depend on counter, repetitions and colour.
        first = np.ascontiguousarray(planes[:, :-3].reshape(len(planes), -1))
        w1, b1, w2, b2, w3, b3 = self.weights
        second = np.maximum(first @ w1 + b1, 0)
        third = np.maximum(second @ w2 + b2, 0)
        out = third @ w3 + b3
        return np.tanh(out[:, 0]), out[:, 1:], [first, second, third]

    def train(self, layers: list[Floats], gradient: Floats, rate: float) -> None:
        """One step of Adam, given the gradient of what comes out."""
        _, _, w2, _, w3, _ = self.weights
        first, second, third = layers
        back3 = (gradient @ w3.T) * (third > 0)
        back2 = (back3 @ w2.T) * (second > 0)
        gradients = [first.T @ back2, back2.sum(0), second.T @ back3, back3.sum(0), third.T @ gradient, gradient.sum(0)]
        self.updates += 1
        scale = rate * np.sqrt(1 - 0.999**self.updates) / (1 - 0.9**self.updates)
        for weight, (mean, square), slope in zip(self.weights, self.moments, gradients, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            weight -= (scale * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)


def test_set(count: int) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int8]]:
    """Positions of random games that the tables know, as many won as drawn as lost, and their results."""
    tables = Tables()
    games = VectorEnvironment(2_000, VARIANT, seed=99, observe=False, stones=STONES)
    found: dict[int, list[npt.NDArray[np.int16]]] = {1: [], 0: [], -1: []}
    while min(sum(map(len, rows)) for rows in found.values()) < count // 3:
        games.step(games.sample())
        rows = games.positions()
        results, _ = tables.probe_many(rows, VARIANT, stones=STONES)
        for result, kept in found.items():
            kept.append(rows[results == result])
    parts = [np.concatenate(found[result])[: count // 3] for result in found]
    return np.concatenate(parts), np.repeat(np.array(list(found), dtype=np.int8), count // 3)


def from_tables(network: Network) -> Iterator[int]:
    """Trains by true values of positions of random games, as many won as drawn as lost; yields how many were seen."""
    rng, seen = np.random.default_rng(1), 0
    for batch in training_batches(Tables(), 4_096, VARIANT, seed=1, stones=STONES):
        # Most are draws: of each result as many are drawn by lot, some of them more than once.
        rows = np.concatenate([rng.choice(np.flatnonzero(batch.results == result), 342) for result in (1, 0, -1)])
        for part in np.array_split(rng.permutation(rows), 2):
            values, _, layers = network.forward(batch.planes[part])
            gradient = np.zeros((len(values), 1 + STEPS + REMOVALS), dtype=np.float32)
            gradient[:, 0] = (values - batch.results[part]) * (1 - values * values) / len(values)
            network.train(layers, gradient, 1e-3)
            seen += len(values)
        yield seen


def choose(
    legal: npt.NDArray[np.bool_], logits: Floats, rng: np.random.Generator
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats, npt.NDArray[np.intp]]:
    """A random legal action for each game, by the logits: games and actions that are legal, their chances, and which
    of them are played."""
    game, action = np.nonzero(legal)
    score = logits[game, action % STEPS] + logits[game, STEPS + action // STEPS]
    first = np.searchsorted(game, np.arange(len(legal)))
    score = np.exp(score - np.maximum.reduceat(score, first)[game])
    chance = (score / np.add.reduceat(score, first)[game]).astype(np.float32)
    # The largest of noisy logarithms is drawn by the chances (Gumbel).
    noisy = np.log(chance + 1e-12) + rng.gumbel(size=len(chance))
    order = np.lexsort((noisy, game))
    last = np.append(first[1:], len(game)) - 1
    return game, action, chance, order[last]


def from_games(network: Network) -> Iterator[int]:
    """Trains by the ends of games with itself (actor and critic); yields the number of positions seen."""
    rng, seen = np.random.default_rng(1), 0
    games = VectorEnvironment(GAMES, VARIANT, seed=1, random_plies=6, stones=STONES, threads=1)
    while True:
        steps = []
        for _ in range(UNROLL):
            values, logits, layers = network.forward(games.observations)
            game, action, chance, played = choose(games.legal, logits, rng)
            movers = games.players.astype(np.intp)
            games.step(action[played].astype(np.int64))
            rewards = games.rewards[np.arange(GAMES), movers].copy()
            steps.append((layers, values, (game, action, chance, played), rewards, games.terminals.copy()))
        # What the side to move expects in the end is the opposite of what the next mover does.
        expected = network.forward(games.observations)[0]
        for layers, values, (game, action, chance, played), rewards, terminals in reversed(steps):
            expected = np.where(terminals, rewards, -expected).astype(np.float32)
            advantage = expected - values
            gradient = np.zeros((GAMES, 1 + STEPS + REMOVALS), dtype=np.float32)
            gradient[:, 0] = -advantage * (1 - values * values) / GAMES
            slope = chance * advantage[game]
            slope[played] -= advantage
            # A bonus for chances that are not all on one action.
            entropy = chance * (np.log(chance + 1e-12) - np.bincount(game, chance * np.log(chance + 1e-12))[game])
            slope = (slope + 0.01 * entropy) / GAMES
            np.add.at(gradient, (game, 1 + action % STEPS), slope)
            np.add.at(gradient, (game, 1 + STEPS + action // STEPS), slope)
            network.train(layers, gradient, 3e-4)
            expected = 0.95 * expected + 0.05 * values
            seen += GAMES
        yield seen


def learn(name: str, minutes: float, rows: npt.NDArray[np.int16], truth: npt.NDArray[np.int8]) -> list[list[float]]:
    """Trains for so many minutes; minutes, positions and errors on the way."""
    planes = millbrain.planes(rows, VARIANT, stones=STONES)
    network = Network(planes[0, :-3].size, seed=5)
    reported: list[list[float]] = []
    learning = (from_tables if name == "tables" else from_games)(network)
    began, spent, seen = time.perf_counter(), 0.0, 0
    while True:
        if not reported or spent >= reported[-1][0] * 1.15 + 0.02 or spent >= minutes:
            # The time that this takes is not training.
            paused = time.perf_counter()
            error = float(np.abs(network.forward(planes)[0] - truth).mean())
            reported.append([spent, seen, error])
            print(f"{name:9} {spent:6.2f} min {seen:12,} positions  error {error:.3f}", flush=True)
            began += time.perf_counter() - paused
            if spent >= minutes:
                return reported
        seen = next(learning)
        spent = (time.perf_counter() - began) / 60


def engine_error(nodes: int, rows: npt.NDArray[np.int16], truth: npt.NDArray[np.int8]) -> float:
    """The error of what the engine expects after so many nodes, without tables."""
    boards = millbrain.decode(rows, VARIANT, stones=STONES)
    with Engine(hash=4, tablebases=Tables(embedded=False)) as engine:
        expected = [engine.analyse(board, Limit(nodes=nodes))[0].wdl.expectation() for board in boards]
    return float(np.abs(2 * np.array(expected) - 1 - truth).mean())


def main() -> None:
    """Measures, prints and draws."""
    minutes, picture = float(sys.argv[1]), sys.argv[2]
    rows, truth = test_set(3_000)
    assert not (Tables().probe_many(rows, VARIANT, stones=STONES)[0] == UNKNOWN).any()
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for name, label, color in (("tables", "from tables", "#0072b2"), ("games", "from games with itself", "#d55e00")):
        reported = learn(name, minutes, rows, truth)
        axes.plot([at for at, _, _ in reported], [error for _, _, error in reported], color=color, label=label)
    for nodes, style in ((1, ":"), (1_000, "--"), (30_000, "-.")):
        error = engine_error(nodes, rows, truth)
        print(f"engine, {nodes} nodes: error {error:.3f}", flush=True)
        words = "the engine's evaluation" if nodes == 1 else f"the engine, {nodes:,} nodes"
        axes.axhline(error, color="#30343b", linestyle=style, linewidth=1, label=words)
    axes.set_xlabel("minutes of training on one core")
    axes.set_ylabel("mean error of the value")
    axes.set_ylim(bottom=0)
    axes.set_title("Mlyn with four stones: values learned, against the truth", fontsize=11)
    axes.legend(fontsize=8)
    figure.savefig(picture, dpi=120)


if __name__ == "__main__":
    main()
