"""Whether other threads go on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def counting(pause: float) -> Iterator[Callable[[], int]]:
    """Another thread counts, with so many seconds between two numbers; gives a function for how far it is."""
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
