"""The addresses of the server, and the rules for every request: who may ask, headers, errors.

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

from tornado.web import Application, HTTPError, RequestHandler, StaticFileHandler

from .. import artifacts
from ..errors import InputError
from ..language.reading import read_equation
from .answers import completion, curves, error_row, evaluation, gallery, judgement_row, typeset, verification
from .waiting import Judges, NetworkThread, RefusedError

STATIC = Path(__file__).parent / "static"
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
    """The parts of an address; empty ones of text that is no address."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


class RequestRules(RequestHandler):
    """The rules as a part of every handler: headers, the Host that is asked for, errors."""

    def set_default_headers(self) -> None:
        for name, value in HEADERS.items():
            self.set_header(name, value)
        self.set_header("Cache-Control", "no-store")

    def prepare(self) -> None:
        """Refuses foreign host names on loopback: a page elsewhere may let its name point to this machine."""
        if self.settings["loopback_only"] and not is_loopback(_split(f"//{self.request.host}").hostname or ""):
            raise RefusedError(403, "this server answers only to localhost and its addresses")
        origin = self.request.headers.get("Origin")
        if origin and _split(origin).netloc != self.request.host:
            raise RefusedError(403, "requests from other pages are not answered")

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
        """Logs errors of the server alone, not those in what a visitor sent."""
        if not isinstance(error, (InputError, HTTPError)):
            super().log_exception(kind, error, trace)


class JsonHandler(RequestRules):
    """A handler that is sent one JSON object and answers with one."""

    _work: asyncio.Future | None = None

    async def worked_out(self, question: Awaitable):
        """The answer to a question, which is cancelled when the visitor leaves."""
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
        if self._work:
            self._work.cancel()

    def asked(self) -> dict:
        """The object that was sent."""
        if self.request.headers.get("Content-Type", "").partition(";")[0].strip() != "application/json":
            raise RefusedError(415, "send JSON, with Content-Type: application/json")
        try:
            row = json.loads(self.request.body)
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
    """The answer to all other addresses."""

    def prepare(self) -> None:
        super().prepare()
        raise RefusedError(404, "there is nothing at this address")


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
curves_once = lru_cache(maxsize=None)(curves)  # of each network; all run in one thread, one after the other


class _NetworkHandler(JsonHandler):
    """A question to one of the networks."""

    @property
    def networks(self) -> NetworkThread:
        return self.settings["networks"]

    async def answer(self, question: Callable, name: str | None, *arguments) -> None:
        """Sends the answer of the network of this name, or of the default one."""
        name = self.networks.default if name is None else name
        if name not in self.networks.found:
            raise RefusedError(404, f"there is no such network; there are {', '.join(self.networks.found)}")
        asked = self.networks.ask(str(self.request.remote_ip), name, question, *arguments)
        self.finish(await self.worked_out(asked))


class NetworksHandler(_NetworkHandler):
    """GET: the networks that can be asked."""

    def get(self) -> None:
        self.finish({"default": self.networks.default, "networks": self.networks.descriptions()})


class GalleryHandler(JsonHandler):
    """GET: examples and axioms."""

    def get(self) -> None:
        self.finish(gallery_once())


class CurvesHandler(_NetworkHandler):
    """GET: learned curves of the unary functions."""

    async def get(self) -> None:
        await self.answer(curves_once, self.get_query_argument("network", None))


class ReadHandler(JsonHandler):
    """POST {text}: its kind and its MathML; text that cannot be read is no error here."""

    def post(self) -> None:
        self.finish(typeset(self.asked_text(self.asked(), "text")))


class QuestionHandler(_NetworkHandler):
    """POST {equation, network}: what a network says."""

    def initialize(self, question: Callable, field: str) -> None:
        self.question, self.field = question, field

    async def post(self) -> None:
        row = self.asked()
        text, name = self.asked_text(row, self.field), row.get("network")
        if not isinstance(name, (str, type(None))):
            raise RefusedError(400, "'network' is a name")
        await self.answer(self.question, name, text)


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
            (r"/api/complete", QuestionHandler, {"question": completion, "field": "equation"}),
            (r"/api/evaluate", QuestionHandler, {"question": evaluation, "field": "expression"}),
            (r"/api/judge", JudgeHandler),
        ],
        default_handler_class=UnknownHandler,
        log_function=lambda handler: None,
        networks=networks,
        judges=judges,
        answering=set(),  # connections that wait for an answer
        loopback_only=loopback_only,
    )
