"""A search under way."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar


class _Ranked(Protocol):
    @property
    def multipv(self) -> int: ...


L = TypeVar("L", bound=_Ranked)
R = TypeVar("R")


def in_thread(work: Callable[[], R]) -> asyncio.Future[R]:
    """Begins work in a thread of its own: those of asyncio's executor are few, and a search would wait for others."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[R] = loop.create_future()

    def settle(set: Callable[[Any], None], outcome: Any) -> None:
        if not future.done():
            set(outcome)

    def run() -> None:
        done: tuple[Callable[[Any], None], Any]
        try:
            done = future.set_result, work()
        except BaseException as error:
            done = future.set_exception, error
        # The loop may be closed by now.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, *done)

    threading.Thread(target=copy_context().run, args=(run,), name="millbrain", daemon=True).start()
    return future


class _Run(Generic[L]):
    """What a search has found, and how to end it."""

    def __init__(self, search: Callable[[Callable[[L], object]], list[L]], stop: Callable[[], None]) -> None:
        self._search, self._stop = search, stop
        self.found: SimpleQueue[L | None] = SimpleQueue()
        self.latest: dict[int, L] = {}
        self.result: list[L] | None = None
        self.error: BaseException | None = None
        self._stopped = self._ended = False

    def next(self) -> L | None:
        """Returns the next variation; ``None`` at the end, for every later call too."""
        line = self.found.get()
        if line is None:
            self.found.put(None)
        return line

    def __call__(self) -> None:
        try:
            self.result = self._search(self._reported)
        except BaseException as error:
            self.error = error
        finally:
            self._ended = True
            self.found.put(None)

    def _reported(self, line: L) -> None:
        self.latest[line.multipv] = line
        self.found.put(line)
        # A search that was stopped before it began has not heard of it.
        if self._stopped:
            self._stop()

    def stop(self) -> None:
        self._stopped = True
        # The engine may be at another search by now.
        if not self._ended:
            self._stop()


class Analysis(Generic[L]):
    """A search that runs beside the program; :meth:`Engine.analysis` begins it.

    What it finds is iterated as it is found, in a ``for`` or, in a coroutine, an ``async for``; leaving the ``with``
    stops the search, and so does dropping the analysis. A search without a limit runs until then.

    >>> from millbrain import Board, Engine, Limit
    >>> with Engine(hash=1) as engine, engine.analysis(Board(), Limit()) as analysis:
    ...     for line in analysis:
    ...         if line.depth >= 4:
    ...             break
    >>> len(analysis.wait()[0].pv) > 0
    True
    """

    def __init__(self, search: Callable[[Callable[[L], object]], list[L]], stop: Callable[[], None]) -> None:
        self._run: _Run[L] = _Run(search, stop)
        # The thread knows the run alone: an analysis without references is collected, and its search ends.
        weakref.finalize(self, self._run.stop)
        self._thread = threading.Thread(target=self._run, name="millbrain analysis", daemon=True)
        self._thread.start()

    @property
    def lines(self) -> list[L]:
        """The latest variation of each rank, best first."""
        return [line for _, line in sorted(self._run.latest.items())]

    def stop(self) -> None:
        """Ends the search; what it has found is still there."""
        self._run.stop()

    def wait(self) -> list[L]:
        """Waits for the end of the search and returns its variations, as :meth:`Engine.analyse` does."""
        self._thread.join()
        if self._run.error is not None:
            raise self._run.error
        return self.lines if self._run.result is None else self._run.result

    def __iter__(self) -> Iterator[L]:
        while (line := self._run.next()) is not None:
            yield line
        self.wait()

    async def __aiter__(self) -> AsyncIterator[L]:
        while (line := await in_thread(self._run.next)) is not None:
            yield line
        self.wait()

    def __enter__(self) -> Analysis[L]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()
        while self._thread.is_alive():
            # The search may have begun just after the request to stop.
            self._thread.join(0.05)
            self.stop()

    async def __aenter__(self) -> Analysis[L]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await in_thread(lambda: self.__exit__(kind, error, traceback))
