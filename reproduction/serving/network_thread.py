"""Networks behind one thread: requests wait in a line of bounded length, and no two networks compute at a time."""

from collections.abc import Callable

from ..use.finding import Found
from ..use.network import Network
from .line import Line

LONGEST_LINE, LONGEST_OF_A_CLIENT = 256, 64  # requests


class NetworkThread:
    """The networks that the page can switch between, each loaded when it is first asked for and then kept."""

    def __init__(self, found: dict[str, Found], default: str):
        self._found, self.default = found, default
        self._networks: dict[str, Network] = {}
        self._line = Line("network", 1, LONGEST_LINE, LONGEST_OF_A_CLIENT)

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

    async def ask(self, client: str, name: str, question: Callable, *arguments):
        """What `question(network, *arguments)` returns."""
        return await self._line.ask(client, lambda departed: question(self._network(name), *arguments))

    def close(self) -> None:
        self._line.close()
