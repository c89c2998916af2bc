"""The HTTP server with bounds: on connections, on the time for a request, and on what is logged about either."""

import asyncio
import logging
import resource

from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream
from tornado.web import Application

LARGEST_REFUSED = 2**20  # bytes of a body that is too large but read to its end, so that its sender hears why
HEADER_BYTES = 16 * 1024
HEADER_SECONDS, BODY_SECONDS = 15, 10  # the first also ends a connection that is kept open and not used
MOST_CONNECTIONS = 512  # more than all lines of questions together

log = logging.getLogger(__name__)


def most_connections() -> int:
    """The bound, or half of the descriptors that this process may open where that is less."""
    return min(MOST_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


class BoundedServer(HTTPServer):
    """When all places are taken, the oldest connection that waits for no answer makes room for a new one."""

    def initialize(self, application: Application) -> None:
        super().initialize(
            application,
            max_body_size=LARGEST_REFUSED,
            max_header_size=HEADER_BYTES,
            idle_connection_timeout=HEADER_SECONDS,
            body_timeout=BODY_SECONDS,
        )
        self._answering = application.settings["answering"]
        self._streams: list[IOStream] = []  # the oldest first
        self._most, self._was_full = most_connections(), False

    def handle_stream(self, stream: IOStream, address: tuple) -> None:
        if len(self._streams) >= self._most:
            self._streams = [each for each in self._streams if not each.closed()]
            self._was_full = self._was_full and len(self._streams) > self._most // 2
        if len(self._streams) >= self._most:
            self._make_room(stream)
        self._streams.append(stream)
        if not stream.closed():
            super().handle_stream(stream, address)

    def _make_room(self, newest: IOStream) -> None:
        next((each for each in self._streams if each not in self._answering), newest).close()
        if not self._was_full:
            log.warning("%d connections are open: the oldest ones without a question are closed", self._most)
        self._was_full = True


def log_trouble(loop: asyncio.AbstractEventLoop, context: dict) -> None:
    """One line about an error outside of any request, in place of asyncio's traceback."""
    log.error("%s: %r", context["message"], context.get("exception"))
