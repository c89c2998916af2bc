"""The report: one page, small, nothing from outside, nothing by chance, and honest when results are missing."""

import base64
from html import unescape
from html.parser import HTMLParser

import pytest
from support import made_up_rows
from support.made_up_rows import training

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.language.printing import to_mathml
from reproduction.report.claims import CLAIMS, IN_PART, NOT_REPRODUCED, REPRODUCED
from reproduction.report.outputs.ablation import CLAIM
from reproduction.report.outputs.verdicts import all_verdicts, paragraphs
from reproduction.report.page import formatted
from reproduction.report.readme import deviations_table
from reproduction.report.registry import FOLDED, SECTIONS
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


def made(runs, out) -> str:
    assert main(["report", "--runs", str(runs), "--out", str(out)]) == 0
    return (out / "report.html").read_text(encoding="utf-8")


@pytest.fixture
def page(reported):
    return (reported / "report.html").read_text(encoding="utf-8")


def test_nothing_on_the_page_comes_from_elsewhere(page):
    found = links(page)
    assert all(address.startswith(("data:", "#")) for address in found.addresses)
    assert "@import" not in page and "url(" not in page


def test_inner_links_lead_somewhere_and_ids_are_unique(page):
    found = links(page)
    assert len(found.identifiers) == len(set(found.identifiers))
    assert {address[1:] for address in found.addresses if address.startswith("#")} <= set(found.identifiers)


def test_images_are_inside_small_and_described(page):
    images = links(page).images
    assert len(images) >= 12
    for image in images:
        assert base64.b64decode(image["src"].split(",", 1)[1]).startswith(b"\x89PNG")
        assert image["alt"]


def test_the_committed_page_is_small():
    assert (artifacts.ROOT / "figures" / "report.html").stat().st_size <= 2 * 2**20


def test_data_can_be_downloaded(page):
    csvs = [address for address in links(page).addresses if address.startswith("data:text/csv")]
    assert len(csvs) >= 12
    assert b"ours_mean" in base64.b64decode(csvs[0].split(",", 1)[1])


def test_verdicts_come_first_and_every_section_is_a_question(page):
    questions = [question for question in SECTIONS.values() if f">{question}</h2>" in page]
    places = [page.index(f">{question}</h2>") for question in ("Which claims hold?", *questions)]
    assert places == sorted(places) and len(questions) >= 8


def test_details_are_folded(page):
    found = links(page)
    assert {"table-ablation-all", "search-effects", "table-protocol"} <= found.folded
    assert not {"table-3", "overview", "figure-3a", *SECTIONS} & found.folded
    assert set(FOLDED) <= set(SECTIONS)


def test_every_claim_and_every_deviation_is_there(page):
    assert all(claim.statement in page for claim in CLAIMS)
    assert all(row.name in unescape(page) for row in deviations_table().sections[0].rows)


def test_what_came_out_is_said_in_words(made_up, page):
    titles = {REPRODUCED: "What reproduces", IN_PART: "What does not", NOT_REPRODUCED: "What does not"}
    archive = read_archive(made_up)
    found = paragraphs(archive)
    said = {each.claim.statement: titles[each.word] for each in all_verdicts(archive) if each.word in titles}
    assert said and all(statement in found[title] for statement, title in said.items())
    words = ("Our settings: ", "At the paper's own protocol: ")
    assert all(each in found["Under whose settings"] for each in words)
    assert all(f"<p><strong>{title}.</strong> " in page for title in found)
    assert paragraphs(Archive()) == {}
    assert f"“{CLAIM}”" in page


def test_differences_are_marked_by_sign_as_well_as_by_colour(page):
    assert 'class="number close"' in page and "✓" in page
    assert 'class="number worse"' in page and "▼" in page


def test_text_from_files_is_escaped(page):
    assert "a &lt;script&gt; tag and <code>none</code>" in page


def test_how_it_was_run_is_told(page):
    assert "130 trainings, seeds 0, 1, 2, 3, 4, 1.3 hours" in page
    assert "2 cores, 8.0 GiB of memory" in page and "sympy 1.14.0" in page
    assert "No training diverged" in page


def test_the_same_rows_give_the_same_bytes(made_up, reported, tmp_path):
    made(made_up, tmp_path)
    first, second = ({path.name: path.read_bytes() for path in where.iterdir()} for where in (reported, tmp_path))
    assert first == second
    pictures = [content for name, content in first.items() if name.endswith((".png", ".svg"))]
    assert not any(b"<dc:date>" in content or b"Software" in content[:400] for content in pictures)


def test_the_list_names_every_file(reported):
    listed = (reported / "README.md").read_text()
    names = {path.stem for path in reported.iterdir()} - {"README", "report"}
    assert all(f"[{name}]({name}." in listed for name in names) and len(names) > 30


def test_without_most_results_the_page_says_what_makes_them(tmp_path):
    made_up_rows.write(tmp_path, [training("rnn")])
    page = made(tmp_path, tmp_path / "out")
    links(page)
    assert "9 not decided yet" in page
    assert "left out. <code>python -m reproduction study ladder</code> makes what it needs." in page
    assert "<code>python -m reproduction baselines</code>" in page


def test_nothing_reveals_where_it_was_made(made_up, page):
    assert str(made_up) not in page and "/tmp" not in page


@pytest.mark.parametrize(
    ("latex", "mathml"),
    [
        ("x^{2}", "<msup><mi>x</mi><mrow><mn>2</mn></mrow></msup>"),
        (r"\frac{1}{2}", "<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>"),
        (r"\operatorname{arcosh}\left(x\right)^{2}", '<mi>arcosh</mi><msup><mrow><mo stretchy="false">(</mo>'),
        (r"2 \times \pi", "<mn>2</mn><mo>×</mo><mi>π</mi>"),
        (r"x_{1} < y", "<mo>&lt;</mo>"),
    ],
)
def test_mathml(latex, mathml):
    assert mathml in to_mathml(latex).replace("<mi>&lt;</mi>", "<mo>&lt;</mo>")


def test_formulas_and_code_in_text():
    assert formatted("a < b, $x^{2}$ and `code`") == (
        "a &lt; b, <math><mrow><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></mrow></math> and <code>code</code>"
    )
