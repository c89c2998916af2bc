"""A line of questions before some threads: bounded in all and for each client; those of departed visitors leave it."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from .handler import RefusedError


class Line:
    """Threads and who waits for them; `whom` is what a visitor is told to wait for."""

    def __init__(self, whom: str, threads: int, longest: int, longest_each: int):
        self._whom, self._longest, self._longest_each = whom, longest, longest_each
        self._waiting: Counter[str] = Counter()
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix=whom)

    def _refuse_too_many(self, client: str) -> None:
        waiting, own = self._waiting.total(), self._waiting[client]
        if waiting >= self._longest:
            raise RefusedError(503, f"{waiting} questions are waiting for the {self._whom}; try again in a few seconds")
        if own >= self._longest_each:
            raise RefusedError(
                429, f"{own} questions of yours are waiting for the {self._whom}; wait for their answers"
            )

    async def ask(self, client: str, answer: Callable, *arguments):
        """What `answer(departed, *arguments)` returns in a thread; the event is set when nobody wants it any more."""
        self._refuse_too_many(client)
        self._waiting[client] += 1
        departed = threading.Event()
        try:
            return await asyncio.get_running_loop().run_in_executor(self.threads, answer, departed, *arguments)
        finally:
            departed.set()
            self._waiting -= Counter([client])

    def close(self) -> None:
        self.threads.shutdown(wait=True, cancel_futures=True)
