"""The report: one page, small, nothing from outside, nothing by chance, and honest when results are missing."""

import base64
import re
from html import unescape
from html.parser import HTMLParser

import pytest
from support import made_up_rows

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.report.claims import CLAIMS, IN_PART, NOT_REPRODUCED
from reproduction.report.outputs.ablation import CLAIM
from reproduction.report.outputs.verdicts import all_verdicts, paragraphs
from reproduction.report.page import deviations_table, formatted
from reproduction.report.registry import SECTIONS
from reproduction.report.results import Archive, read_archive


class Links(HTMLParser):
    """Every address on a page, every id, and whether tags are closed in order."""

    VOID = frozenset({"meta", "link", "img", "br", "hr", "input"})

    def __init__(self):
        super().__init__()
        self.addresses, self.identifiers, self.open, self.images = [], [], [], []
        self.folded = set()  # identifiers inside of what is folded

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.addresses += [attributes[name] for name in ("src", "href", "action") if name in attributes]
        if "id" in attributes:
            self.identifiers.append(attributes["id"])
            self.folded |= {attributes["id"]} if "details" in self.open else set()
        self.images += [attributes] if tag == "img" else []
        assert tag not in ("script", "iframe", "object")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def links(page: str) -> Links:
    parser = Links()
    parser.feed(page)
    assert parser.open == []
    return parser


@pytest.fixture
def page(reported):
    return (reported / "report.html").read_text(encoding="utf-8")


def test_the_page_is_whole_and_takes_nothing_from_elsewhere(page):
    found = links(page)
    beside = [address for address in found.addresses if not address.startswith(("data:", "#"))]
    assert all(re.fullmatch(r"[a-z0-9-]+\.csv", address) for address in beside)  # large files, for those who ask
    assert "@import" not in page and "url(" not in page
    assert len(found.identifiers) == len(set(found.identifiers))
    assert {address[1:] for address in found.addresses if address.startswith("#")} <= set(found.identifiers)
    assert len(found.images) >= 12
    for image in found.images:
        assert base64.b64decode(image["src"].split(",", 1)[1]).startswith(b"\x89PNG") and image["alt"]
    csvs = [address for address in found.addresses if address.startswith("data:text/csv")]
    assert len(csvs) >= 12 and b"ours_mean" in base64.b64decode(csvs[0].split(",", 1)[1])
    assert (artifacts.ROOT / "figures" / "report.html").stat().st_size <= 2 * 2**20


def test_verdicts_come_first_every_section_is_a_question_and_details_are_folded(page):
    questions = [question for question in SECTIONS.values() if f">{question}</h2>" in page]
    places = [page.index(f">{question}</h2>") for question in ("Which claims hold?", *questions)]
    assert places == sorted(places) and len(questions) >= 8
    found = links(page)
    assert {"table-ablation-all", "search-effects", "table-protocol"} <= found.folded
    assert not {"table-3", "overview", "figure-3a", *SECTIONS} & found.folded


def test_every_claim_deviation_and_what_came_out_is_there(made_up, page):
    assert all(claim.statement in page for claim in CLAIMS) and f"“{CLAIM}”" in page
    assert all(row.name in unescape(page) for row in deviations_table().sections[0].rows)
    titles = {"reproduced": "What reproduces", IN_PART: "What does not", NOT_REPRODUCED: "What does not"}
    archive = read_archive(made_up)
    found = paragraphs(archive)
    said = {each.claim.statement: titles[each.word] for each in all_verdicts(archive) if each.word in titles}
    assert said and all(statement in found[title] for statement, title in said.items())
    assert all(f"{each}: " in found["Under whose settings"] for each in ("Our settings", "At the paper's own protocol"))
    assert all(f"<p><strong>{title}.</strong> " in page for title in found) and paragraphs(Archive()) == {}


def test_what_the_page_says(made_up, page):
    """Differences by sign as well as by colour, text from files escaped, how it was run, and not where."""
    assert all(text in page for text in ('class="number close"', "✓", 'class="number worse"', "▼"))
    assert "a &lt;script&gt; tag and <code>none</code>" in page
    assert "130 trainings, seeds 0, 1, 2, 3, 4, 1.3 hours" in page and "No training diverged" in page
    assert "2 cores, 8.0 GiB of memory" in page and "sympy 1.14.0" in page
    assert str(made_up) not in page and "/tmp" not in page


def test_the_same_rows_give_the_same_bytes_and_the_list_names_every_file(made_up, reported, tmp_path):
    assert main(["report", "--runs", str(made_up), "--out", str(tmp_path)]) == 0
    first, second = ({path.name: path.read_bytes() for path in where.iterdir()} for where in (reported, tmp_path))
    assert first == second
    pictures = [content for name, content in first.items() if name.endswith((".png", ".svg"))]
    assert not any(b"<dc:date>" in content or b"Software" in content[:400] for content in pictures)
    assert all(len(content) < 200_000 for name, content in first.items() if name.endswith(".png"))
    names = {name.partition(".")[0] for name in first} - {"README", "report"}
    assert all(f"[{name}]({name}.".encode() in first["README.md"] for name in names) and len(names) > 30


def test_without_most_results_the_page_says_what_makes_them(tmp_path):
    made_up_rows.write(tmp_path, [made_up_rows.training("rnn")])
    assert main(["report", "--runs", str(tmp_path), "--out", str(tmp_path)]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    links(page)
    assert "9 not decided yet" in page
    assert "left out. <code>python -m reproduction study ladder</code> makes what it needs." in page
    assert "<code>python -m reproduction baselines</code>" in page


def test_formulas_and_code_in_text():
    assert formatted("a < b, $x^{2}$ and `code`") == (
        "a &lt; b, <math><mrow><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></mrow></math> and <code>code</code>"
    )
