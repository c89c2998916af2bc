"""The addresses of the server, and what every request passes: who may ask, how much may be sent, headers, errors.

Nothing that a visitor sends is kept, run as code or sent back as HTML.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import lru_cache
from http.client import responses
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from tornado.web import Application, HTTPError, RequestHandler, StaticFileHandler, stream_request_body

from .. import artifacts
from ..errors import InputError
from ..language.reading import read_equation
from .answers import completion, curves, error_row, evaluation, gallery, judgement_row, typeset, verification
from .waiting import LONGEST_OF_A_CLIENT, MOST_BLANKS, Judges, NetworkThread, RefusedError

STATIC = Path(__file__).parent / "static"
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


class RequestRules(RequestHandler):
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

    def write_error(self, status_code: int, **details) -> None:
        """An error as a JSON object with a sentence."""
        error = details.get("exc_info", (None, None, None))[1]
        if isinstance(error, InputError):
            self.set_status(400)
            self.finish(error_row(error))
        else:
            if status_code in BUSY:
                self.set_header("Retry-After", RETRY_SECONDS)
            self.finish(
                {"error": error.sentence if isinstance(error, RefusedError) else responses.get(status_code, "trouble")}
            )

    def log_exception(self, kind, error, trace) -> None:
        """What a visitor sent is no trouble of the server's."""
        if not isinstance(error, (InputError, HTTPError)):
            super().log_exception(kind, error, trace)


@stream_request_body
class JsonHandler(RequestRules):
    """A handler whose answers are JSON; what it is asked is one JSON object."""

    _work: asyncio.Future | None = None

    async def worked_out(self, question: Awaitable):
        """What the question returns; it is cancelled when the visitor leaves."""
        self._work = asyncio.ensure_future(question)
        stream = self.request.connection.stream  # type: ignore[union-attr]  # it is HTTP/1 here
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


class ReportHandler(FileHandler):
    """The report that `report` writes: one file with its own styles, scripts and pictures."""

    def set_extra_headers(self, path: str) -> None:
        super().set_extra_headers(path)
        self.set_header(
            "Content-Security-Policy", "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
            "script-src 'unsafe-inline'; font-src data:; frame-ancestors 'none'",
        )  # fmt: skip


class DocumentHandler(FileHandler):
    """A document as it is written."""

    def get_content_type(self) -> str:
        return "text/plain; charset=utf-8"


gallery_once = lru_cache(maxsize=1)(gallery)


class _NetworkHandler(JsonHandler):
    """A question to one of the networks."""

    @property
    def networks(self) -> NetworkThread:
        return self.settings["networks"]

    def chosen(self, name: str | None) -> str:
        """The name of the network that is asked; the default one where none is named."""
        if name is None:
            return self.networks.default
        if name not in self.networks.names:
            raise RefusedError(404, f"there is no such network; there are {', '.join(self.networks.names)}")
        return name


class NetworksHandler(_NetworkHandler):
    """GET: the networks that can be asked."""

    def get(self) -> None:
        self.finish({"default": self.networks.default, "networks": self.networks.descriptions()})


class GalleryHandler(JsonHandler):
    """GET: examples and axioms."""

    def get(self) -> None:
        self.finish(gallery_once())


class CurvesHandler(_NetworkHandler):
    """GET: learned curves of the unary functions, computed once for all who ask."""

    def _curves(self, name: str) -> asyncio.Future:
        known = self.settings["curves"]
        if name not in known:
            known[name] = asyncio.ensure_future(self.networks.ask("curves", name, curves))
            known[name].add_done_callback(lambda done: (done.cancelled() or done.exception()) and known.pop(name))
        return asyncio.shield(known[name])

    async def get(self) -> None:
        name = self.chosen(self.get_query_argument("network", None))
        self.finish(await self.worked_out(self._curves(name)))


class ReadHandler(JsonHandler):
    """POST {text}: what it is and how it looks; text that cannot be read is no error here."""

    def post(self) -> None:
        self.finish(typeset(self.asked_text(self.asked(), "text")))


class QuestionHandler(_NetworkHandler):
    """POST {equation, network}: what a network says."""

    def initialize(self, question: Callable, field: str, most: int = LONGEST_OF_A_CLIENT) -> None:
        self.question, self.field, self.most = question, field, most

    async def post(self) -> None:
        row = self.asked()
        text, name = self.asked_text(row, self.field), row.get("network")
        if not isinstance(name, (str, type(None))):
            raise RefusedError(400, "'network' is a name")
        asked = self.networks.ask(str(self.request.remote_ip), self.chosen(name), self.question, text, most=self.most)
        self.finish(await self.worked_out(asked))


class JudgeHandler(JsonHandler):
    """POST {equation}: what the judges say; may take seconds."""

    async def post(self) -> None:
        equation, _ = read_equation(self.asked_text(self.asked(), "equation"))
        asked = self.settings["judges"].judge(str(self.request.remote_ip), equation)
        self.finish(judgement_row(equation, await self.worked_out(asked)))


def make_application(networks: NetworkThread, judges: Judges, loopback_only: bool) -> Application:
    """The server's addresses with what answers them."""
    files = {"path": str(STATIC)}
    return Application(
        [
            (r"/()", FileHandler, {**files, "default_filename": "index.html"}),
            (r"/static/([a-z.]+)", FileHandler, files),
            (r"/(report\.html)", ReportHandler, {"path": str(artifacts.FIGURES)}),
            (r"/docs/([a-z-]+\.md)", DocumentHandler, {"path": str(artifacts.ROOT / "docs")}),
            (r"/api/networks", NetworksHandler),
            (r"/api/gallery", GalleryHandler),
            (r"/api/curves", CurvesHandler),
            (r"/api/read", ReadHandler),
            (r"/api/verify", QuestionHandler, {"question": verification, "field": "equation"}),
            (r"/api/complete", QuestionHandler, {"question": completion, "field": "equation", "most": MOST_BLANKS}),
            (r"/api/evaluate", QuestionHandler, {"question": evaluation, "field": "expression"}),
            (r"/api/judge", JudgeHandler),
        ],
        default_handler_class=UnknownHandler,
        log_function=lambda handler: None,
        networks=networks,
        judges=judges,
        curves={},
        answering=set(),  # connections that wait for an answer
        loopback_only=loopback_only,
    )
