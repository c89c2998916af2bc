"""What every request passes: who may ask, how much may be sent, the headers of every answer, errors as sentences.

Nothing that a visitor sends is kept, run as code or sent back as HTML.
"""

import asyncio
import json
from collections.abc import Awaitable
from http.client import responses
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from tornado.web import HTTPError, RequestHandler, StaticFileHandler, stream_request_body

from ..errors import InputError
from ..language.parsing import ParseError

MAXIMUM_BODY = 16 * 1024  # bytes
BUSY, RETRY_SECONDS = (429, 503), 5
MAXIMUM_LENGTH = 500  # characters of an equation: more does not fit on a page

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Server": "reproduction",
}


class RefusedError(HTTPError):
    """A request that is not answered: the status and a sentence."""

    def __init__(self, status: int, sentence: str):
        super().__init__(status)
        self.sentence = sentence


def is_loopback(host: str) -> bool:
    """Whether this name or address means the machine itself."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _split(address: str) -> SplitResult:
    """The parts of an address; of one that is none, nothing."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def error_row(error: InputError) -> dict:
    """The sentence and, for text that cannot be read, the column and the excerpt with its caret."""
    if not isinstance(error, ParseError):
        return {"error": str(error)}
    sentence, _, excerpt = str(error).partition("\n")
    return {"error": sentence, "column": error.column, "excerpt": excerpt}


class RequestRules:
    """The rules as a part of every handler: headers, the Host that is asked for, the size of the body, errors."""

    def set_default_headers(self) -> None:
        for name, value in HEADERS.items():
            self.set_header(name, value)
        self.set_header("Cache-Control", "no-store")

    def prepare(self) -> None:
        self._refuse_foreign_host()
        if "Transfer-Encoding" in self.request.headers:
            raise RefusedError(411, "send the length of the body as Content-Length")
        length = self.request.headers.get("Content-Length", "0")
        if not (length.isascii() and length.isdigit()):
            raise RefusedError(400, "Content-Length is a number")
        if len(length) > 9 or int(length) > MAXIMUM_BODY:
            raise RefusedError(413, f"a request has at most {MAXIMUM_BODY} bytes")
        self.body = b""

    def _refuse_foreign_host(self) -> None:
        """A page elsewhere may have its name point to this machine; only our own names are answered on loopback."""
        if self.settings["loopback_only"] and not is_loopback(_split(f"//{self.request.host}").hostname or ""):
            raise RefusedError(403, "this server answers only to localhost and its addresses")
        origin = self.request.headers.get("Origin")
        if origin and _split(origin).netloc != self.request.host:
            raise RefusedError(403, "requests from other pages are not answered")

    def data_received(self, chunk: bytes) -> None:
        self.body += chunk

    def write_error(self, status: int, **details) -> None:
        """An error as a JSON object with a sentence."""
        error = details.get("exc_info", (None, None, None))[1]
        if isinstance(error, InputError):
            self.set_status(400)
            self.finish(error_row(error))
        else:
            if status in BUSY:
                self.set_header("Retry-After", RETRY_SECONDS)
            self.finish(
                {"error": error.sentence if isinstance(error, RefusedError) else responses.get(status, "trouble")}
            )

    def log_exception(self, kind, error, trace) -> None:
        """What a visitor sent is no trouble of the server's."""
        if not isinstance(error, (InputError, HTTPError)):
            super().log_exception(kind, error, trace)


@stream_request_body
class JsonHandler(RequestRules, RequestHandler):
    """A handler whose answers are JSON; what it is asked is one JSON object."""

    _work: asyncio.Future | None = None

    async def worked_out(self, question: Awaitable):
        """What the question returns; it is cancelled when the visitor leaves."""
        self._work = asyncio.ensure_future(question)
        stream = self.request.connection.stream
        self.settings["answering"].add(stream)
        try:
            return await self._work
        except asyncio.CancelledError:
            raise RefusedError(503, "the question was given up") from None
        finally:
            self.settings["answering"].discard(stream)

    def on_connection_close(self) -> None:
        super().on_connection_close()  # ends the wait for a body that will not come
        if self._work:
            self._work.cancel()

    def asked(self) -> dict:
        """The object that was sent."""
        if self.request.headers.get("Content-Type", "").partition(";")[0].strip() != "application/json":
            raise RefusedError(415, "send JSON, with Content-Type: application/json")
        try:
            row = json.loads(self.body)
        except (ValueError, RecursionError):
            raise RefusedError(400, "the body is not JSON") from None
        if not isinstance(row, dict):
            raise RefusedError(400, "send one JSON object")
        return row

    def asked_text(self, row: dict, name: str) -> str:
        """A text of the object, not longer than a page can show."""
        text = row.get(name)
        if not isinstance(text, str):
            raise RefusedError(400, f"'{name}' is missing, or is not a text")
        if len(text) > MAXIMUM_LENGTH:
            raise InputError(f"an equation has at most {MAXIMUM_LENGTH} characters here, and this one has {len(text)}")
        return text


class UnknownHandler(JsonHandler):
    """Everything that has no address here."""

    def prepare(self) -> None:
        super().prepare()
        raise RefusedError(404, "there is nothing at this address")


@stream_request_body
class FileHandler(RequestRules, StaticFileHandler):
    """A file of the page; browsers ask each time whether it is still the same."""

    def set_extra_headers(self, path: str) -> None:
        self.set_header("Cache-Control", "no-cache")
