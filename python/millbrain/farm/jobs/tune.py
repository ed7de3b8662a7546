"""``tune``: self-play for training, or the parameters of the search tuned by playing."""

from __future__ import annotations

from collections.abc import Sequence

from millbrain.farm.cluster import Cluster
from millbrain.farm.errors import FarmError
from millbrain.farm.jobs import self_play, spsa


def run(farm: Cluster, words: Sequence[str]) -> None:
    """Runs ``tune play WORDS``, or ``tune WORDS`` for SPSA."""
    if words[:1] == ["play"]:
        self_play.run(farm, words[1:])
    elif words[:1] == ["fit"]:
        raise FarmError("tune fit unusable, expected 'tune play' or options: a network is trained on one machine")
    else:
        spsa.run(farm, words)
