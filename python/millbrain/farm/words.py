"""The words of the engine's command line, as far as a run has to know them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from millbrain.farm.errors import FarmError


class Words:
    """A command line: options with their values, and the words that belong to none."""

    def __init__(self, words: Sequence[str], *, flags: Iterable[str] = (), has_lists: bool = False) -> None:
        """Takes the words apart.

        `flags` are the options without a value, such as ``--no-time``. With `has_lists` every word up to the next
        option belongs to the last one.
        """
        known = set(flags)
        self.free: list[str] = []
        self._options: list[list[str]] = []
        for word in words:
            last = self._options[-1] if self._options else None
            if word.startswith("--"):
                option, equals, value = word.partition("=")
                self._options.append([option, value] if equals else [option])
            elif last is not None and last[0] not in known and (has_lists or len(last) == 1):
                last.append(word)
            else:
                self.free.append(word)

    def take(self, option: str) -> str | None:
        """Takes an option out; its value, or `None` if it was not given."""
        values = self._remove(option)
        if not values:
            return None
        if len(values[-1]) != 1:
            raise FarmError(f"{option} unusable, expected a value")
        return values[-1][0]

    def value(self, option: str) -> str | None:
        """Returns the value of an option, which stays."""
        values = self.values(option)
        return values[-1] if values else None

    def number(self, option: str, default: int) -> int:
        """Returns the value of an option that is a number from 1, which stays."""
        text = self.value(option)
        if text is not None and not (text.isdecimal() and int(text) > 0):
            raise FarmError(f"{option} {text} unusable, expected a number from 1")
        return default if text is None else int(text)

    def values(self, option: str) -> list[str]:
        """Returns the values of an option that may be given several times, which stay."""
        return [value for given, *values in self._options if given == option for value in values]

    def take_all(self, option: str) -> list[str]:
        """Takes an option with several words out; its words."""
        return [word for words in self._remove(option) for word in words]

    def take_flag(self, option: str) -> bool:
        """Takes an option without a value out; whether it was given."""
        return bool(self._remove(option))

    def refuse(self, *options: str) -> None:
        """Refuses options that a run sets itself, or cannot do."""
        for option in options:
            if any(given[0] == option for given in self._options):
                raise FarmError(f"{option} unusable here, expected a job that the farm cuts itself")

    def __contains__(self, option: str) -> bool:
        return any(given[0] == option for given in self._options)

    def rest(self) -> list[str]:
        """Returns the options that are left, as words."""
        return [word for option in self._options for word in option]

    def settings(self, *without: str) -> dict[str, str]:
        """Returns the options that are left, by name, but for some on which no result depends."""
        found: dict[str, str] = {}
        for option, *values in self._options:
            if option not in without:
                found[option] = " ".join([found[option], *values] if option in found else values) or "given"
        return found

    def _remove(self, option: str) -> list[list[str]]:
        found = [given[1:] for given in self._options if given[0] == option]
        self._options = [given for given in self._options if given[0] != option]
        return found


def as_words(options: Mapping[str, Any]) -> list[str]:
    """Options by name as the words of a command line; what is `None` or `False` is left out."""
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        else:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                words += [option, *map(str, one if isinstance(one, (list, tuple)) else [one])]
    return words
