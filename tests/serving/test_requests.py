"""What the server refuses, and the headers of everything it sends."""

import asyncio
import json
import re
import socket
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import pytest

from reproduction.serving import application, waiting
from reproduction.serving.application import HEADERS, MAXIMUM_LENGTH, STATIC
from reproduction.serving.server import LARGEST_BODY

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize("path", ["/", "/static/main.js", "/api/networks", "/nowhere", "/static/nowhere.js"])
def test_every_answer_has_safe_headers(site, path):
    headers = site.get(path).headers
    assert {name: headers.get(name) for name in HEADERS} == HEADERS
    assert headers["Cache-Control"] in ("no-store", "no-cache")


def test_the_page_needs_nothing_from_elsewhere_and_nothing_inline():
    for path in STATIC.iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
        assert "http://" not in text and "https://" not in text, path
        assert "eval(" not in text and "new Function" not in text, path
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|<script(?![^>]* src=)|\sstyle=|\son[a-z]+=", page)


def test_every_file_of_the_page_is_served(site):
    for path in STATIC.iterdir():
        assert site.get(f"/static/{path.name}").body == path.read_bytes()
    assert site.get("/").body == (STATIC / "index.html").read_bytes()


def test_the_report_and_the_documents_are_served(site):
    report, document = site.get("/report.html"), site.get("/docs/python.md")
    assert report.status == 200 and "script-src 'unsafe-inline'" in report.headers["Content-Security-Policy"]
    assert (document.status, document.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
    assert site.get("/docs/../pyproject.toml").status == 404


@pytest.mark.parametrize(
    "path", ["/static/../handler.py", "/static/%2e%2e/handler.py", "/static/", "/api/", "//etc/passwd"]
)
def test_nothing_else_is_served(site, path):
    answer = site.get(path)
    assert answer.status in (403, 404)
    assert "error" in answer.row


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost", 200), ("127.0.0.1:80", 200), ("127.8.9.1", 200), ("[::1]:8000", 200), ("page.localhost", 200),
     ("example.org", 403), ("127.0.0.1.example.org", 403), ("localhost.example.org:8000", 403), ("10.0.0.1", 403),
     ("0.0.0.0", 403), ("[::1", 403), ("", 403)],
)  # fmt: skip
def test_only_own_names_are_answered(site, host, status):
    answer = site.get("/api/networks", Host=host)
    assert answer.status == status and ("localhost" in answer.row.get("error", "")) == (status == 403)


def test_questions_of_other_pages_are_refused(site):
    for origin, status in (("https://example.org", 403), ("null", 403), (site.address.rstrip("/"), 200)):
        assert site.get("/api/networks", Origin=origin).status == status


@pytest.mark.parametrize("length", [LARGEST_BODY + 1, 10**12, "9" * 5000, "five", -1])
def test_a_body_of_an_impossible_size_is_refused_before_it_comes(site, length):
    assert site.request("POST", "/api/read", headers={**JSON, "Content-Length": str(length)}).status == 400


@pytest.mark.parametrize(
    ("body", "headers", "status", "said"),
    [
        ('{"text": "x"}', {}, 415, "application/json"),
        ('{"text": "x"}', {"Content-Type": "text/plain"}, 415, "application/json"),
        ("{", JSON, 400, "not JSON"),
        ("[" * 10_000, JSON, 400, "not JSON"),
        (b"\xff\xfe{", JSON, 400, "not JSON"),
        ("[1]", JSON, 400, "one JSON object"),
        ("{}", JSON, 400, "'text' is missing"),
        ('{"text": 7}', JSON, 400, "'text' is missing"),
    ],
)  # fmt: skip
def test_what_is_no_question_gets_a_sentence(site, body, headers, status, said):
    answer = site.request("POST", "/api/read", body, headers)
    assert answer.status == status
    assert said in answer.row["error"]


@pytest.mark.parametrize("address", ["read", "verify", "complete", "evaluate", "judge"])
def test_long_equations_are_refused_with_a_sentence(site, address):
    text = "x" + " + x" * MAXIMUM_LENGTH
    answer = site.post(f"/api/{address}", {"text": text, "equation": text, "expression": text})
    assert answer.status == 400
    assert f"at most {MAXIMUM_LENGTH} characters" in answer.row["error"]


def test_networks_that_do_not_exist_are_refused(site):
    for name, status in (("nobody", 404), ("../tree-lstm", 404), ("", 404), (["rnn"], 400)):
        assert site.post("/api/verify", {"equation": "x = x", "network": name}).status == status
    assert site.get("/api/curves?network=nobody").status == 404
    assert site.get("/api/verify").status == 405


def test_a_full_line_is_refused_for_a_moment(site, monkeypatch):
    asked = ("/api/verify", {"equation": "x = x"})
    monkeypatch.setattr(site.networks._line, "_longest", 0)
    answer = site.post(*asked)
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5") and "try again" in answer.row["error"]
    monkeypatch.undo()
    monkeypatch.setattr(site.networks._line, "_waiting", Counter({"127.0.0.1 completion": waiting.MOST_BLANKS}))
    assert site.post("/api/complete", {"equation": "_ = x"}).status == 429
    assert site.post(*asked).status == 200
    monkeypatch.setattr(waiting, "MOST_QUESTIONS", 0)
    assert site.post(*asked).status == 429
    assert site.get("/api/networks").status == 200


def test_the_question_of_a_visitor_who_leaves_is_cancelled(site, monkeypatch):
    begun, dropped = threading.Event(), threading.Event()

    async def endless(client, equation):
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            dropped.set()

    monkeypatch.setattr(site.judges, "judge", endless)
    body = json.dumps({"equation": "x = x"})
    lines = ("POST /api/judge HTTP/1.1", f"Host: 127.0.0.1:{site.port}", f"Content-Length: {len(body)}")
    with socket.create_connection(("127.0.0.1", site.port), timeout=60) as connection:
        connection.sendall("\r\n".join((*lines, "Content-Type: application/json", "", body)).encode())
        assert begun.wait(30)
        assert not dropped.is_set()
    assert dropped.wait(30)


def test_curves_are_computed_once_for_all_who_ask(site, monkeypatch):
    computed = []
    monkeypatch.setattr(application, "curves_once", lru_cache(lambda network: computed.append(network) or {}))
    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(site.get, ["/api/curves?network=lstm"] * 20))
    assert [answer.status for answer in answers] == [200] * 20
    assert len(computed) == 1
