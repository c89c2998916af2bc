"""The addresses of the server: the page and its files, and a small JSON interface."""

import asyncio
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from tornado.web import Application

from ..language.grammar import EXTRA_FUNCTIONS
from ..language.parsing import parse_equation
from .answers import completion, evaluation, judgement_row, verification
from .curves import curves
from .gallery import gallery
from .handler import FileHandler, JsonHandler, RefusedError, UnknownHandler
from .judging import Judges
from .network_thread import NetworkThread
from .typesetting import typeset

STATIC = Path(__file__).parent / "static"

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

    def initialize(self, question: Callable, field: str) -> None:
        self.question, self.field = question, field

    async def post(self) -> None:
        row = self.asked()
        text, name = self.asked_text(row, self.field), row.get("network")
        if not isinstance(name, (str, type(None))):
            raise RefusedError(400, "'network' is a name")
        asked = self.networks.ask(self.request.remote_ip, self.chosen(name), self.question, text)
        self.finish(await self.worked_out(asked))


class JudgeHandler(JsonHandler):
    """POST {equation}: what the judges say; may take seconds."""

    async def post(self) -> None:
        equation = parse_equation(self.asked_text(self.asked(), "equation"), EXTRA_FUNCTIONS)
        asked = self.settings["judges"].judge(self.request.remote_ip, equation)
        self.finish(judgement_row(equation, await self.worked_out(asked)))


def make_application(networks: NetworkThread, judges: Judges, loopback_only: bool) -> Application:
    """The server's addresses with what answers them."""
    files = {"path": str(STATIC)}
    return Application(
        [
            (r"/()", FileHandler, {**files, "default_filename": "index.html"}),
            (r"/static/([a-z.]+)", FileHandler, files),
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
        curves={},
        answering=set(),  # connections that wait for an answer
        loopback_only=loopback_only,
    )
