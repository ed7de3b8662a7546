"""Two pictures: what each opening move is worth, and how a game went.

Run it as a program, or cell by cell in an editor that knows ``# %%``. It needs ``pip install 'millbrain[examples]'``;
the pictures go to the folder that its argument names, or to this one.
"""

# %%
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from millbrain import Board, Engine, Limit, Tables, layout

pictures = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
WHITE_INK, BLACK_INK, GRID = "#c8762c", "#30343b", "#b9b4aa"

# %% [markdown]
# Three stones a side on the board of nine: small enough to be solved from the empty board in seconds. The tables have
# the sectors with stones in hand too (`--placing`).

# %%
folder = Path(tempfile.mkdtemp()) / "three"
build = ["tablebase", "build", "--sectors", "6", "--placing", "--out", str(folder)]
subprocess.run([sys.executable, "-m", "millbrain", *build], check=True, stdout=subprocess.DEVNULL)
tables = Tables(folder)
start = Board(stones=3)
first = tables.moves(start)
best = tables.best(start).move
start.push(best)
replies = tables.moves(start)
print(f"The start is a {tables.probe(Board(stones=3))} for White, {best} keeps it.")

# %% [markdown]
# Nine stones: no table is at hand, so a search gives each move a score. It is an estimate: the game is known to be a
# draw.

# %%
with Engine(hash=64) as engine:
    lines = engine.analyse(Board(), Limit(nodes=1_500_000), multipv=24)


# %%
def draw_board(axes: Axes, texts: list[tuple[str, str]], stones: dict[str, str], title: str) -> None:
    """The board with a text at each point, the best move first."""
    places = {name: ("abcdefg".index(name[0]), int(name[1])) for name in layout().names}
    for ring in range(3):
        low, high = ring, 6 - ring
        axes.plot([low, high, high, low, low], [low + 1, low + 1, high + 1, high + 1, low + 1], color=GRID, zorder=1)
    for x, y in (((0, 2), (4, 4)), ((4, 6), (4, 4)), ((3, 3), (1, 3)), ((3, 3), (5, 7))):
        axes.plot(x, y, color=GRID, zorder=1)
    for name, piece in stones.items():
        axes.plot(*places[name], "o", markersize=19, color=WHITE_INK if piece == "O" else BLACK_INK, zorder=2)
    ranks = list(dict.fromkeys(text for _, text in texts))
    for name, text in texts:
        # From green for the best to a pale red for the worst.
        shade = plt.get_cmap("RdYlGn")(0.75 - 0.5 * ranks.index(text) / max(len(ranks) - 1, 1), alpha=0.75)
        box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": GRID}
        axes.text(*places[name], text, ha="center", va="center", fontsize=7, bbox=box, zorder=3)
        axes.text(*places[name], text, ha="center", va="center", fontsize=7, bbox=box | {"facecolor": shade}, zorder=4)
    axes.set_title(title, fontsize=9)
    axes.set(aspect="equal", ylim=(0.6, 7.4))
    axes.axis("off")


exact_values = [[(move, str(value).replace(" in ", "\n")) for move, value in moves] for moves in (first, replies)]
searched = [(line.pv[0], str(line.score)) for line in lines]
figure, panels = plt.subplots(1, 3, figsize=(11, 4.2), layout="constrained")
draw_board(panels[0], exact_values[0], {}, "three stones, White's first move\n(exact, by tablebases; in plies)")
draw_board(panels[1], exact_values[1], {best: "O"}, f"three stones, Black's reply to {best}\n(exact, by tablebases)")
draw_board(
    panels[2], searched, {}, "nine stones, White's first move\n(a search of 1.5 million nodes, not exact; in stones)"
)
figure.savefig(pictures / "python-openings.png", dpi=80, bbox_inches="tight")

# %% [markdown]
# A game of level 9 against itself, then every position of it searched at full strength. Positions that the built-in
# tables know are exact; the others are estimates.

# %%
game = Board()
with Engine(hash=16, skill_level=9, random_seed=6) as player:
    while not game.is_game_over() and game.ply() < 160:
        result = player.play(game, Limit(nodes=50_000))
        assert result.move is not None
        game.push(result.move)

built_in, replay = Tables(), game.root()
expected, exact = [], []
with Engine(hash=64) as engine:
    for move in [*game.move_stack, None]:
        line = engine.analyse(replay, Limit(nodes=30_000))[0]
        points = line.wdl.expectation()
        if (value := built_in.get(replay)) is not None:
            points = (value.wdl + 1) / 2
            exact.append(replay.ply())
        expected.append(points if replay.turn else 1 - points)
        if move is not None:
            replay.push(move)

# %%
figure, axes = plt.subplots(figsize=(9, 3.4), layout="constrained")
axes.fill_between(range(len(expected)), 0.5, expected, color=WHITE_INK, alpha=0.25, linewidth=0)
axes.plot(expected, color=WHITE_INK, linewidth=1.2, label="a search of 30,000 nodes (an estimate)")
axes.plot(exact, [expected[ply] for ply in exact], ".", color=BLACK_INK, markersize=5, label="tablebases (exact)")
axes.axvline(18, color=GRID, linestyle="--", linewidth=1)
axes.text(18.3, 0.03, "all stones placed", fontsize=8, color="#77736b")
axes.set(xlim=(0, len(expected) - 1), ylim=(0, 1.02), xlabel="ply", ylabel="points that White may expect")
outcome = game.outcome()
ending = f"{game.result()}, {outcome.termination.value}" if outcome is not None else "not ended"
axes.set_title(f"Nine Men's Morris: level 9 against itself, {ending}", fontsize=10)
axes.legend(loc="lower right", fontsize=8, frameon=False)
figure.savefig(pictures / "python-game.png", dpi=80, bbox_inches="tight")
