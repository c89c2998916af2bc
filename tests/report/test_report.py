"""The report: one page, nothing from outside, nothing by chance, and honest when results are missing."""

import base64
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from support import synthetic_runs

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import figures as figures_command
from reproduction.commands import report as command
from reproduction.commands import tables as tables_command
from reproduction.data.dataset import load
from reproduction.language.mathml import to_mathml
from reproduction.report.claims import CLAIMS
from reproduction.report.comparison import IN_PART, NOT_REPRODUCED, REPRODUCED
from reproduction.report.deviations import read_deviations
from reproduction.report.figures import drawing
from reproduction.report.in_words import paragraphs
from reproduction.report.outputs import all_plots, all_tables
from reproduction.report.page import formatted
from reproduction.report.results import read_archive
from reproduction.report.tables.ablation_claim import CLAIM
from reproduction.report.verdicts import all_verdicts


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
    synthetic_runs.write_dataset(directory / "data", synthetic_runs.tiny_dataset(4), range(5))
    synthetic_runs.write_archive(directory, load(directory / "data"), seeds=5, fractions=())
    remedy = {"claim": "data-helps", "remedy": "a <script> tag", "outcome": "`none`"}
    artifacts.write_sealed(directory / "remedies.json", {"remedies": [remedy]})
    machine = {"cores": 2, "memory_gib": 8.0, "system": "Linux", "python": "3.11.7", "packages": {"sympy": "1.14.0"}}
    artifacts.write_sealed(directory / "machine.json", machine)
    return directory


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """Runs that are ablations and a search only."""
    directory = tmp_path_factory.mktemp("swept")
    synthetic_runs.write_sweeps(directory)
    return directory


SWEEPS = ("ablation-all", "ablation-tree-lstm+data", "ablation-tree-nn", "search-rnn")


def contents(directory, pattern: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.glob(pattern)}


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
    for deviation in read_deviations():
        assert deviation.topic in page


def test_what_came_out_is_said_in_words(runs, page, tmp_path):
    titles = {REPRODUCED: "What reproduces", IN_PART: "What does not", NOT_REPRODUCED: "What does not"}
    archive = read_archive(runs)
    found = {each.title: each.text for each in paragraphs(archive)}
    decided = (verdict for verdict in all_verdicts(archive) if verdict.word in titles)
    said = {verdict.claim.statement: titles[verdict.word] for verdict in decided}
    assert set(said.values()) == set(found)
    assert said and all(statement in found[title] for statement, title in said.items())
    assert all(f"<p><strong>{title}.</strong> " in page for title in found)
    assert paragraphs(read_archive(tmp_path)) == ()
    committed = {each.title: each.text for each in paragraphs(read_archive(artifacts.ROOT / "runs"))}
    assert "Function-evaluation data help under" in committed["What it depends on"]


def test_a_study_of_one_seed_is_said_in_words_too():
    """The small twin of everything has one seed, which decides nothing: a single sentence."""
    archive = read_archive(artifacts.ROOT / "runs")
    many = archive.data_study["rows"][0]
    one = {**many, **{name: values[:1] for name, values in many.items() if isinstance(values, list)}}
    text = paragraphs(replace(archive, data_study={**archive.data_study, "rows": [one]}))[-1].text
    assert text.count("Function-evaluation data help under 0 of 1 conditions") == 1


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
    artifacts.write_sealed(
        tmp_path / "ablation" / "rnn" / artifacts.SUMMARY, {**synthetic_runs.ablation_summary("rnn"), "rows": []}
    )
    page = make(tmp_path, tmp_path / "out")
    links(page)
    assert "9 not decided yet" in page
    assert page.count("Left out.") >= 5
    assert "python -m reproduction experiments" in page


@pytest.mark.parametrize("command", ["tables", "figures", "report", "tables table-1 table-3", "figures overview"])
def test_without_any_result_nothing_is_written(tmp_path, command, capsys):
    (tmp_path / "empty").mkdir()
    for runs, said in (("nowhere", "there is no such directory"), ("empty", "no finished run is in its experiments/")):
        words = [*command.split(), "--runs", str(tmp_path / runs), "--out", str(tmp_path / "out")]
        assert main(words) == 2 and f"{tmp_path / runs}: {said}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_what_is_made_of_no_run_needs_none(tmp_path):
    places = ("--runs", str(tmp_path), "--out", str(tmp_path / "out"))
    assert main(["tables", "table-1", "table-5", *places]) == main(["figures", "figure-1", *places]) == 0
    archive = read_archive(tmp_path)
    known = {each.name for each in (*all_tables(archive), *all_plots(archive))}
    assert set(command.WITHOUT_RUNS) <= known


def test_files_that_cannot_be_rewritten_are_refused_before_the_tables(runs, tmp_path, capsys):
    words = ["tables", "table-1", "--runs", str(runs), "--out", str(tmp_path / "out")]
    assert main([*words, "--readme", str(tmp_path / "none.md")]) == 2
    assert "none.md: there is no such file" in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_ablations_and_searches_are_on_the_page(swept, tmp_path):
    page = make(swept, tmp_path)
    found = links(page)
    assert '<h2 id="optimizers">Optimizers and hyper-parameters</h2>' in page and 'href="#optimizers"' in page
    assert f"“{CLAIM}”. Whether this holds here needs all eight" in page
    for name in SWEEPS:
        assert {name, f"table-{name}"} <= set(found.identifiers)
        assert f'download="{name}.csv"' in page and f'download="table-{name}.csv"' in page
    assert len([image for image in found.images if "ccuracy by" in image["alt"]]) >= len(SWEEPS)


def test_without_ablations_and_searches_there_is_no_such_section(page):
    assert "Optimizers" not in page and CLAIM not in page


def test_an_ablation_that_has_nothing_to_show_is_passed_over(tmp_path):
    failed = {**synthetic_runs.ablation_summary("rnn"), "rows": []}
    artifacts.write_sealed(tmp_path / "ablation" / "rnn" / artifacts.SUMMARY, failed)
    assert "Optimizers" not in make(tmp_path, tmp_path / "out")


def test_every_figure_is_drawn_once(swept, tmp_path, monkeypatch):
    saved, save = [], drawing.save
    monkeypatch.setattr(drawing, "save", lambda figure, path: (saved.append(path.name), save(figure, path)))
    make(swept, tmp_path)
    assert len(saved) == len(set(saved)) and set(SWEEPS) <= set(saved)


def test_what_sweeps_wrote_is_made_again_from_their_summaries(swept, tmp_path):
    """`tables` and `figures` together write the files of `report`, without its page."""
    make(swept, tmp_path / "report")
    made = contents(tmp_path / "report", "*ablation*") | contents(tmp_path / "report", "*search*")
    tables = {f"table-{name}.{suffix}" for name in SWEEPS for suffix in ("md", "csv", "tex")}
    figures = {f"{name}.{suffix}" for name in SWEEPS for suffix in ("png", "svg", "csv")}
    assert set(made) == tables | figures
    tables_command.run(SimpleNamespace(runs=swept, out=tmp_path / "tables", names=[], readme=None))
    figures_command.run(SimpleNamespace(runs=swept, out=tmp_path / "figures", names=[]))
    again = contents(tmp_path / "tables", "*") | contents(tmp_path / "figures", "*")
    whole = contents(tmp_path / "report", "*")
    assert whole == {**again, "report.html": whole["report.html"], "README.md": whole["README.md"]}


def test_a_table_and_a_figure_are_made_by_name(runs, tmp_path):
    places = ("--runs", str(runs), "--out", str(tmp_path))
    assert main(["tables", "table-3", "verdicts", *places]) == main(["figures", "figure-1", *places]) == 0
    assert set(contents(tmp_path, "*")) == {
        "table-3.md", "table-3.csv", "table-3.tex", "verdicts.md", "verdicts.csv", "figure-1.png", "figure-1.svg",
    }  # fmt: skip


@pytest.mark.parametrize("command", ["tables", "figures"])
def test_a_name_that_does_not_exist_is_refused_with_those_that_do(runs, tmp_path, command, capsys):
    assert main([command, "table-9", "--runs", str(runs), "--out", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert f"there is no {command[:-1]} 'table-9'; there are " in said
    assert {"tables": "table-3, ", "figures": "figure-3a, "}[command] in said
    assert not contents(tmp_path, "*")


def test_the_list_of_tables_and_figures_names_every_file(swept, tmp_path):
    make(swept, tmp_path)
    listed = (tmp_path / "README.md").read_text()
    made = {path.stem for path in tmp_path.iterdir()} - {"README", "report"}
    assert all(f"`./run_all.sh {name}`" in listed for name in made)


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
