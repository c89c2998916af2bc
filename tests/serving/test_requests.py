"""What the server refuses, and the headers of everything it sends."""

import asyncio
import json
import re
import socket
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from reproduction.serving import application
from reproduction.serving.application import HEADERS, MAXIMUM_BODY, MAXIMUM_LENGTH, STATIC, is_loopback
from reproduction.serving.waiting import MOST_BLANKS

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
        answer = site.get(f"/static/{path.name}")
        assert (answer.status, answer.body) == (200, path.read_bytes())
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


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:80", "[::1]:8000", "page.localhost"])
def test_own_names_are_answered(site, host):
    assert site.get("/api/networks", Host=host).status == 200


@pytest.mark.parametrize(
    "host", ["example.org", "127.0.0.1.example.org", "localhost.example.org:8000", "10.0.0.1", "[::1", ""]
)
def test_other_names_are_refused(site, host):
    answer = site.get("/api/networks", Host=host)
    assert answer.status == 403
    assert "localhost" in answer.row["error"]


def test_questions_of_other_pages_are_refused(site):
    assert site.get("/api/networks", Origin="https://example.org").status == 403
    assert site.get("/api/networks", Origin="null").status == 403
    assert site.get("/api/networks", Origin=site.address.rstrip("/")).status == 200


def test_loopback_is_told_from_other_addresses():
    assert all(map(is_loopback, ("127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.0.1", "localhost.example.org", "")))


@pytest.mark.parametrize("path", ["/api/verify", "/api/read", "/", "/static/main.js", "/nowhere"])
@pytest.mark.parametrize("size", [MAXIMUM_BODY + 1, 1_000_000])
def test_large_bodies_are_refused(site, path, size):
    try:
        answer = site.request("POST", path, b"x" * size, JSON)
    except (BrokenPipeError, ConnectionResetError):  # the server has hung up while the body was still being sent
        assert size > 10 * MAXIMUM_BODY and site.get("/api/networks").status == 200
        return
    assert answer.status == 413
    assert str(MAXIMUM_BODY) in answer.row["error"]


def test_a_body_of_any_announced_size_is_refused_before_it_comes(site):
    for length, status in ((10**12, 413), ("9" * 5000, 413), ("five", 400), (-1, 400)):
        answer = site.request("POST", "/api/read", headers={**JSON, "Content-Length": str(length)})
        assert answer.status == status, length


def test_a_body_without_its_length_is_refused(site):
    lines = ("POST /api/read HTTP/1.1", f"Host: 127.0.0.1:{site.port}", "Content-Type: application/json")
    request = "\r\n".join((*lines, "Transfer-Encoding: chunked", "", "2", "{}", "0", "", "")).encode()
    with socket.create_connection(("127.0.0.1", site.port), timeout=60) as connection:
        connection.sendall(request)  # at once: the server answers without waiting for the rest
        assert connection.recv(1000).startswith(b"HTTP/1.1 411 ")


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
    for name in ("nobody", "../tree-lstm", ""):
        answer = site.post("/api/verify", {"equation": "x = x", "network": name})
        assert answer.status == 404
        assert "tree-lstm+data" in answer.row["error"]
    assert site.post("/api/verify", {"equation": "x = x", "network": ["rnn"]}).status == 400
    assert site.get("/api/curves?network=nobody").status == 404


def test_other_methods_are_refused(site):
    assert site.get("/api/verify").status == 405
    assert site.request("DELETE", "/api/networks").status == 405
    assert site.request("PUT", "/").status == 405


def test_a_full_line_is_refused_for_a_moment(site, monkeypatch):
    monkeypatch.setattr(site.networks._line, "_longest", 0)
    answer = site.post("/api/verify", {"equation": "x = x"})
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
    assert "try again" in answer.row["error"]
    monkeypatch.undo()
    monkeypatch.setattr(site.networks._line, "_longest_each", 0)
    assert site.post("/api/verify", {"equation": "x = x"}).status == 429
    monkeypatch.undo()
    monkeypatch.setattr(site.networks._line, "_waiting", Counter({f"127.0.0.1 {MOST_BLANKS}": MOST_BLANKS}))
    assert site.post("/api/complete", {"equation": "_ = x"}).status == 429
    assert site.post("/api/verify", {"equation": "x = x"}).status == 200
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
    begun, computed = threading.Event(), []

    def slow(network):
        computed.append(network)
        begun.wait(0.5)  # the others ask meanwhile
        return {"functions": []}

    monkeypatch.setattr(application, "curves", slow)
    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(site.get, ["/api/curves?network=lstm"] * 20))
    assert [answer.status for answer in answers] == [200] * 20
    assert len(computed) == 1
