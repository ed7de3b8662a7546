"""How far a run has come, on standard error."""

from __future__ import annotations

import sys
from types import TracebackType

from tqdm import tqdm


class Bar:
    """A progress bar with the rate and the time left; an occasional line where standard error is no terminal."""

    def __init__(self, unit: str, total: int, done: int = 0) -> None:
        seconds = 0.5 if sys.stderr.isatty() else 30.0
        self._bar = tqdm(
            total=total, initial=done, unit=f" {unit}", dynamic_ncols=True, mininterval=seconds, smoothing=0.05
        )

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: type[BaseException] | TracebackType | BaseException | None) -> None:
        self._bar.close()

    def advance(self, items: int, note: str = "") -> None:
        """Counts finished items."""
        if note:
            self._bar.set_postfix_str(note, refresh=False)
        self._bar.update(items)

    def say(self, text: str) -> None:
        """Prints a line on standard output while the bar is out of the way."""
        with self._bar.external_write_mode():
            print(text, flush=True)
