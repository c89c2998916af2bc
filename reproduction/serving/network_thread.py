"""Networks behind one thread: requests wait in a line of bounded length, and no two networks compute at a time."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from ..use.finding import Found
from ..use.network import Network
from .handler import BusyError

LONGEST_LINE = 256  # requests


class NetworkThread:
    """The networks that the page can switch between, each loaded when it is first asked for and then kept."""

    def __init__(self, found: dict[str, Found], default: str):
        self._found, self.default = found, default
        self._networks: dict[str, Network] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="network")
        self._waiting = 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._found)

    def descriptions(self) -> list[dict]:
        """Name, title and test accuracy of every network."""
        return [
            {
                "name": name,
                "title": found.title,
                "decodes": found.run.configuration.decodes,
                "accuracy": found.run.results.test.symbolic.accuracy,
            }
            for name, found in self._found.items()
        ]

    def _network(self, name: str) -> Network:
        if name not in self._networks:
            self._networks[name] = Network(self._found[name])
        return self._networks[name]

    async def ask(self, name: str, question: Callable, *arguments):
        """What `question(network, *arguments)` returns."""
        if self._waiting >= LONGEST_LINE:
            raise BusyError("too many requests are waiting for the network; try again in a second")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, lambda: question(self._network(name), *arguments))
        finally:
            self._waiting -= 1

    def close(self) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)
