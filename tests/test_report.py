"""The report: one page, nothing from outside, nothing by chance, and honest when results are missing."""

import base64
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
import synthetic_runs

from reproduction import artifacts
from reproduction.claims import CLAIMS
from reproduction.commands import report as command
from reproduction.dataset import load
from reproduction.deviations import DEVIATIONS
from reproduction.mathml import to_mathml
from reproduction.report import formatted


class Links(HTMLParser):
    """Every address on a page, every id, and whether tags are closed in order."""

    VOID = frozenset({"meta", "link", "img", "br", "hr", "input"})

    def __init__(self):
        super().__init__()
        self.addresses, self.identifiers, self.open, self.images = [], [], [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.addresses += [attributes[name] for name in ("src", "href", "action") if name in attributes]
        self.identifiers += [attributes["id"]] if "id" in attributes else []
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


def make(runs, out) -> str:
    assert command.run(SimpleNamespace(runs=runs, out=out)) == 0
    return (out / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    directory = tmp_path_factory.mktemp("runs")
    synthetic_runs.write_dataset(directory / "data", synthetic_runs.tiny_dataset(4), range(1))
    synthetic_runs.write_archive(directory, load(directory / "data"), seeds=5, fractions=())
    remedy = {"claim": "data-helps", "remedy": "a <script> tag", "outcome": "`none`"}
    artifacts.write_json(directory / "remedies.json", [remedy])
    machine = {"cores": 2, "memory_gib": 8.0, "system": "Linux", "python": "3.11.7", "packages": {"sympy": "1.14.0"}}
    artifacts.write_json(directory / "machine.json", machine)
    return directory


@pytest.fixture(scope="module")
def page(runs, tmp_path_factory):
    return make(runs, tmp_path_factory.mktemp("out"))


def test_nothing_on_the_page_comes_from_elsewhere(page):
    found = links(page)
    assert all(address.startswith(("data:", "#")) for address in found.addresses)
    assert "@import" not in page and "url(" not in page


def test_inner_links_lead_somewhere_and_ids_are_unique(page):
    found = links(page)
    assert len(found.identifiers) == len(set(found.identifiers))
    assert {address[1:] for address in found.addresses if address.startswith("#")} <= set(found.identifiers)


def test_images_are_inside_and_described(page):
    images = links(page).images
    assert len(images) >= 6
    for image in images:
        assert base64.b64decode(image["src"].split(",", 1)[1]).lstrip().startswith(b"<?xml")
        assert image["alt"]


def test_data_can_be_downloaded(page):
    csvs = [address for address in links(page).addresses if address.startswith("data:text/csv")]
    assert len(csvs) >= 12
    assert b"ours_mean" in base64.b64decode(csvs[1].split(",", 1)[1])


def test_every_claim_and_every_deviation_is_there(page):
    for claim in CLAIMS:
        assert claim.statement in page
    for deviation in DEVIATIONS:
        assert deviation.topic in page


def test_differences_are_marked_by_sign_as_well_as_by_colour(page):
    assert 'class="number close"' in page and "✓" in page
    assert 'class="number worse"' in page and "▼" in page


def test_text_from_files_is_escaped(page):
    assert "a &lt;script&gt; tag" in page and "<code>none</code>" in page


def test_how_it_was_run_is_told(page):
    assert "120 runs, seeds 0, 1, 2, 3, 4" in page
    assert "2 cores, 8.0 GiB of memory" in page and "sympy 1.14.0" in page
    assert "No run diverged" in page


def test_the_same_runs_give_the_same_page(runs, page, tmp_path):
    assert make(runs, tmp_path) == page


def test_without_results_the_page_says_what_makes_them(tmp_path):
    page = make(tmp_path / "none", tmp_path / "out")
    links(page)
    assert "9 not decided yet" in page
    assert page.count("Left out.") >= 5
    assert "python -m reproduction experiments" in page


def test_nothing_reveals_where_it_was_made(runs, page):
    assert str(runs) not in page and "/tmp" not in page


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
