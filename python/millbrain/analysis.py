"""A search under way."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from queue import SimpleQueue
from types import TracebackType
from typing import Generic, Protocol, TypeVar


class _Ranked(Protocol):
    @property
    def multipv(self) -> int: ...


L = TypeVar("L", bound=_Ranked)


class Analysis(Generic[L]):
    """A search that runs beside the program; :meth:`Engine.analysis` begins it.

    What it finds is iterated as it is found, in a ``for`` or, in a coroutine, an ``async for``; leaving the ``with``
    stops the search. A search without a limit goes on until then.

    >>> from millbrain import Board, Engine, Limit
    >>> with Engine(hash=1) as engine, engine.analysis(Board(), Limit()) as analysis:
    ...     for line in analysis:
    ...         if line.depth >= 4:
    ...             break
    >>> len(analysis.wait()[0].pv) > 0
    True
    """

    def __init__(self, search: Callable[[Callable[[L], object]], list[L]], stop: Callable[[], None]) -> None:
        self._search, self._stop = search, stop
        self._found: SimpleQueue[L | None] = SimpleQueue()
        self._latest: dict[int, L] = {}
        self._result: list[L] | None = None
        self._error: BaseException | None = None
        self._ended = False
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="millbrain analysis", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result = self._search(self._told)
        except BaseException as error:
            self._error = error
        finally:
            self._found.put(None)

    def _told(self, line: L) -> None:
        self._latest[line.multipv] = line
        self._found.put(line)
        # A search that was stopped before it began has not heard of it.
        if self._stopped:
            self._stop()

    @property
    def lines(self) -> list[L]:
        """The latest variation of each rank, best first."""
        return [line for _, line in sorted(self._latest.items())]

    def stop(self) -> None:
        """Ends the search; what it has found is still there."""
        self._stopped = True
        self._stop()

    def wait(self) -> list[L]:
        """Waits for the end of the search and returns its variations, as :meth:`Engine.analyse` does."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self.lines if self._result is None else self._result

    def __iter__(self) -> Iterator[L]:
        while not self._ended:
            line = self._found.get()
            if line is None:
                self._ended = True
                self.wait()
                return
            yield line

    async def __aiter__(self) -> AsyncIterator[L]:
        while not self._ended:
            line = await asyncio.to_thread(self._found.get)
            if line is None:
                self._ended = True
                self.wait()
                return
            yield line

    def __enter__(self) -> Analysis[L]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()
        while self._thread.is_alive():
            # The search may have begun just after it was told to end.
            self._thread.join(0.05)
            self._stop()

    async def __aenter__(self) -> Analysis[L]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.__exit__, kind, error, traceback)
