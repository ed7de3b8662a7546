"""Whether other threads go on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def counting(pause: float) -> Iterator[Callable[[], int]]:
    """Counts in another thread, with a pause between two numbers; yields a function that returns the count."""
    count = 0
    ended = threading.Event()

    def work() -> None:
        nonlocal count
        while not ended.is_set():
            count += 1
            time.sleep(pause)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield lambda: count
    finally:
        ended.set()
        thread.join()
