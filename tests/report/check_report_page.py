"""The report in a real browser: `./run_all.sh test-report`, or `pytest tests/report/check_report_page.py`.

Needs Chromium or Chrome, found on the path or named by CHROMIUM=/path/to/it. The name of this file keeps it out of
the ordinary tests.
"""

import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import chromium, made_up_rows

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.data.manifest import finish, manifest_of

# Appended to a copy of the page: measures it once it is laid out and tells the page around it.
MEASURE = """
<script>
addEventListener("load", () => {
  const wide = [...document.querySelectorAll("body *")].filter(
    (e) => !e.closest(".wide, svg, math, thead") && e.getBoundingClientRect().right > innerWidth + 1);
  const fetched = performance.getEntriesByType("resource").map((e) => e.name).filter((n) => !n.startsWith("data:"));
  const text = getComputedStyle(document.body);
  parent.postMessage({
    width: document.documentElement.scrollWidth, inner: innerWidth, height: document.documentElement.scrollHeight,
    wide: wide.map((e) => e.tagName + "#" + e.id + " " + e.textContent.slice(0, 40)),
    broken: [...document.images].filter((i) => !i.complete || !i.naturalWidth).map((i) => i.alt),
    images: document.images.length, tables: document.querySelectorAll("table").length, fetched: fetched,
    colour: text.color, ground: text.backgroundColor,
    fractions: [...document.querySelectorAll("mfrac")].map((e) => e.getBoundingClientRect().height > 12),
    smallest: Math.min(...[...document.querySelectorAll("td, th, p, figcaption, small")].map(
      (e) => parseFloat(getComputedStyle(e).fontSize))),
  }, "*");
});
</script>
"""
FRAME = """<!DOCTYPE html><body><iframe src="{page}" width="{width}" height="2000"></iframe><pre id="measured"></pre>
<script>
addEventListener("message", (e) => {{ document.getElementById("measured").textContent = JSON.stringify(e.data); }});
</script></body>"""


@pytest.fixture(scope="session")
def pages(tmp_path_factory) -> dict[str, Path]:
    """A page of made-up results, one of few, and the one that is committed, if it is there."""
    directory = tmp_path_factory.mktemp("report")
    made_up_rows.write_everything(directory / "runs")
    pair = {"correct": "\\frac{1}{2} = x^{2}", "incorrect": "x = 1"}
    artifacts.write_json(directory / "runs" / "data" / "table-2.json", [pair])
    finish(manifest_of(directory / "runs" / "data", {}))
    made_up_rows.write(directory / "few", [made_up_rows.training("rnn")])
    for name in ("runs", "few"):
        assert main(["report", "--runs", str(directory / name), "--out", str(directory / f"{name}-figures")]) == 0
    found = {"made-up": directory / "runs-figures", "few": directory / "few-figures"}
    committed = artifacts.FIGURES
    if (committed / "report.html").is_file():
        found["committed"] = committed
    return {name: path / "report.html" for name, path in found.items()}


def measure(browser: str, page: Path, width: int, directory: Path, *flags: str) -> dict:
    """The measurements of a page that is so many pixels wide; the browser reaches no network."""
    text = page.read_text(encoding="utf-8")
    (directory / "copy.html").write_text(text.replace("</body>", MEASURE + "</body>"), encoding="utf-8")
    (directory / "frame.html").write_text(FRAME.format(page="copy.html", width=width), encoding="utf-8")
    address = (directory / "frame.html").as_uri()
    words = [*chromium.flags(directory / "profile"), "--virtual-time-budget=20000", *flags, "--dump-dom", address]
    done = subprocess.run([browser, *words], capture_output=True, text=True, timeout=chromium.SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = re.search(r'<pre id="measured">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found and found[1], "the page did not finish loading"
    return json.loads(unescape(found[1]))


@pytest.fixture(params=["made-up", "few", "committed"])
def page(request, pages) -> Path:
    if request.param not in pages:
        pytest.skip("there is no report in figures/ yet")
    return pages[request.param]


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_the_page_fits_every_width_and_loads_nothing(browser, page, width, tmp_path):
    measured = measure(browser, page, width, tmp_path)
    assert measured["inner"] == width
    assert measured["width"] <= width
    assert measured["wide"] == []
    assert measured["broken"] == []
    assert measured["fetched"] == []
    assert measured["images"] >= 2 and measured["tables"] >= 6
    assert measured["smallest"] >= 10


def luminance(colour: str) -> float:
    """Of `rgb(…)`, by the formula of the accessibility guidelines."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("flags", [[], ["--blink-settings=preferredColorScheme=0"]], ids=["light", "dark"])
def test_formulas_are_laid_out_and_text_stands_out_from_its_ground(browser, pages, flags, tmp_path):
    measured = measure(browser, pages["made-up"], 1000, tmp_path, *flags)
    assert measured["fractions"] and all(measured["fractions"])
    ink, ground = luminance(measured["colour"]), luminance(measured["ground"])
    assert (max(ink, ground) + 0.05) / (min(ink, ground) + 0.05) > 7
    assert (ink > ground) == bool(flags)
