"""The page in a real browser, typed into and clicked at: `./run_all.sh test-report`, or pytest with this file.

Needs Chromium or Chrome, found on the path or named by CHROMIUM=/path/to/it. The name of this file keeps it out of
the ordinary tests. With SCREENSHOTS=directory pictures of every state are left there, to be looked at.
"""

import os
from pathlib import Path

import pytest
from support.chromium import Tab

WIDTHS = (360, 768, 1280)
JUDGED = "!document.getElementById('results').inert && document.getElementById('verdict').textContent"
RIGHT, WRONG = f"{JUDGED}.startsWith('✓')", f"{JUDGED}.startsWith('✗')"
FILLED = "document.querySelectorAll('#fillings li').length === 12"
SELECTED = "document.querySelector('#fillings [aria-selected=true] .rank').textContent"
FIELD = "document.getElementById('equation')"

# Elements that stick out to the right; what may be scrolled by itself is left out.
WIDE = """[...document.querySelectorAll("body *")].filter(
  (e) => !e.closest(".wide, .typeset, .skip, pre, .expression, .equations button") && e.getBoundingClientRect().width
    && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName + "#" + e.id + "." + e.className)"""

# Text with less contrast than 4.5 to what lies behind it: [contrast, text].
FAINT = """(() => {
  const parts = (colour) => (colour.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const luminance = (colour) => parts(colour).slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    const box = e.closest("svg") && e.parentElement.querySelector("rect");
    if (box) return getComputedStyle(box).fill;
    for (let each = e; each; each = each.parentElement) {
      const ground = getComputedStyle(each).backgroundColor;
      if ((parts(ground)[3] ?? 1) > 0) return ground;
    }
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement, style = getComputedStyle(e);
    if (!node.data.trim() || !e.checkVisibility({ visibilityProperty: true }) || e.closest("option, .stale")) continue;
    const ink = luminance(e.closest("svg") ? style.fill : style.color), ground = luminance(behind(e));
    const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
    if (contrast < 4.5) faint.push([contrast, node.data.trim()]);
  }
  return faint;
})()"""
NEED_A_NAME = set("button textbox combobox radio option treeitem tree listbox meter region image".split())


@pytest.fixture(scope="module")
def tab(browser, site, tmp_path_factory):
    with Tab(browser, tmp_path_factory.mktemp("profile")) as made:
        yield made


@pytest.fixture(params=WIDTHS)
def page(request, tab, site):
    """The page, loaded anew at one width, with its first equation answered."""
    tab.events.clear()
    tab.prefer(prefers_color_scheme="light")
    tab.resize(request.param, 900)
    tab.open(site.address)
    tab.wait_for(RIGHT)
    tab.wait_for("document.querySelectorAll('#curves figure').length > 5")
    yield tab
    assert tab.troubles() == []
    assert {address.startswith(site.address) for address in tab.fetched()} == {True}
    assert tab.script("document.documentElement.scrollWidth") <= request.param
    assert tab.script(WIDE) == []


def write(page, text: str) -> None:
    """Puts the cursor into the field, selects what is there, and types over it."""
    page.click("#equation")
    page.script(f"{FIELD}.select()")
    page.type(text)


def picture(page, name: str) -> None:
    directory = os.environ.get("SCREENSHOTS")
    if directory:
        width, height = page.script("[innerWidth, document.documentElement.scrollHeight]")
        Path(directory).mkdir(parents=True, exist_ok=True)
        page.resize(width, height)
        page.screenshot(Path(directory) / f"{name}-{width}.png")
        page.resize(width, 900)


def text(page, name: str) -> str:
    return page.script(f"document.getElementById('{name}').textContent")


def test_what_is_typed_is_typeset_and_answered(page):
    picture(page, "first")
    write(page, "sin(2*theta) = 2*sin(theta)")
    page.wait_for(WRONG)
    assert page.script("document.querySelector('#typeset math').textContent") == "sin(2×θ)=2×sin(θ)"
    assert "%" in text(page, "probability")
    assert text(page, "notes") == "theta is read as x"
    assert page.script("[...document.querySelectorAll('#counterexample th')].map((e) => e.textContent)") == [
        "theta", "left side", "right side",
    ]  # fmt: skip
    assert page.script("document.querySelectorAll('#tree g').length") == 9
    picture(page, "wrong")


def test_a_bad_equation_gets_its_caret(page):
    write(page, "sin(2*x) = 2*sinn(x)")
    page.wait_for("!document.getElementById('problem').hidden")
    assert text(page, "problem-sentence").startswith("column 14: 'sinn' is not a known name")
    assert text(page, "problem-excerpt") == "sin(2*x) = 2*sinn(x)\n             ^"
    assert page.script(f"{FIELD}.getAttribute('aria-invalid')") == "true"
    assert page.script("document.getElementById('results').inert")
    assert "□" in page.script("document.querySelector('#typeset math').textContent"), "the left side alone"
    picture(page, "bad")
    write(page, "x = x")
    page.wait_for(f"document.getElementById('problem').hidden && {RIGHT}")


def test_fillings_are_walked_through(page):
    write(page, "4^tanh(0) = _^x")
    page.wait_for(FILLED)
    assert page.script("document.getElementById('answers').hidden"), "nobody has typed any of the fillings"
    assert "Tried: " in text(page, "completions-about")
    page.press("ArrowDown")  # from the field into the list
    page.press("ArrowDown")
    assert page.script(SELECTED) == "1."
    page.wait_for(RIGHT)
    assert text(page, "filled-equation") == "4^tanh(0) = 1^x"
    assert page.script("document.querySelector('#typeset math').textContent").endswith("■x")
    picture(page, "blank")
    page.click("#fillings li:nth-child(3)")
    assert page.script(SELECTED) == "3."
    label = page.script("document.querySelector('#fillings [aria-selected=true]').getAttribute('aria-label')")
    page.press("Enter")
    page.wait_for("document.getElementById('completions').hidden")
    assert label.split(",")[0] in page.script(f"{FIELD}.value")
    assert page.script("document.activeElement.id") == "equation"


def test_numbers_are_decoded_and_trees_are_walked(page):
    write(page, "sin(-2.5) = -0.6")
    page.wait_for(WRONG)
    page.click("input[value=value]")
    page.click("#tree g[data-path='']")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft"):
        page.press(key)
    assert page.script("document.activeElement.dataset.path") == "0.0"
    assert text(page, "node").startswith("−2.5: equals the other side")
    assert "true value −2.500" in text(page, "node")
    assert page.script("document.querySelectorAll('#tree [class^=grade]').length") == 7
    picture(page, "numbers")
    write(page, "cos(2.18)")
    page.wait_for("document.getElementById('word').textContent.includes('−0.572')")
    picture(page, "value")


def test_examples_and_axioms_are_put_into_the_field(page):
    page.click("#examples div:nth-child(2) li:nth-child(4) button")
    assert page.wait_for(f"{FIELD}.value") == "cos(-_) = -0.57"
    page.wait_for(FILLED)
    picture(page, "number-blank")
    page.script("document.getElementById('family').value = 'parity (6)'")
    page.script("document.getElementById('family').dispatchEvent(new Event('change'))")
    page.click("#axioms button")
    page.wait_for(RIGHT)
    assert page.script(f"{FIELD}.value") == page.script("document.querySelector('#axioms button').dataset.equation")


def test_an_equation_is_shared_by_its_address(page, site):
    write(page, "x = x + 1")
    page.wait_for(WRONG)
    address = page.script("document.getElementById('share').href")
    page.open("about:blank")
    page.open(address)
    page.wait_for(WRONG)
    assert page.script(f"{FIELD}.value") == "x = x + 1"


def test_deep_trees_are_folded_and_fit_the_width(page):
    write(page, "((x + y)*(x - y) + sin(x*y)^2)^2 = ((x - y)*(y + x) + sin(y*x)^2)^2 + 0*(x + (y + (x + (y + x))))")
    page.wait_for("document.querySelectorAll('#tree [aria-expanded=false]').length > 0")
    few = page.script("document.querySelectorAll('#tree g').length")
    assert page.script("document.getElementById('tree').getBoundingClientRect().width <= innerWidth")
    picture(page, "deep")
    page.click("#tree-unfold")
    assert page.script("document.querySelectorAll('#tree g').length") > few
    page.click("#tree g[data-path='0']")
    page.press("Enter")
    assert page.script("document.activeElement.getAttribute('aria-expanded')") == "false"


def test_networks_are_switched(page):
    before = text(page, "probability")
    page.script("document.getElementById('network').value = 'rnn'")
    page.script("document.getElementById('network').dispatchEvent(new Event('change'))")
    page.wait_for("document.getElementById('curves-about').textContent.includes('RNN does not decode')")
    page.wait_for(f"document.getElementById('probability').textContent !== '{before}' && {RIGHT}")
    assert page.script("document.querySelector('input[value=value]').disabled")
    page.events[:] = [event for event in page.events if event.get("method") != "Log.entryAdded"]  # 400: no curves
    picture(page, "rnn")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("equation", ["sin(2*x) = 2*sin(x)", "4^tanh(0) = _^x", "sin(2*x) = sinn"])
def test_text_stands_out_from_its_ground(tab, site, scheme, equation):
    tab.prefer(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
    tab.resize(1280, 900)
    tab.open(site.address)
    tab.wait_for(RIGHT)
    write(tab, equation)
    tab.wait_for(f"{WRONG} || {FILLED} || !document.getElementById('problem').hidden")
    assert tab.script("matchMedia('(prefers-color-scheme: dark)').matches") == (scheme == "dark")
    assert tab.script(FAINT) == []
    assert tab.script("getComputedStyle(document.getElementById('meter-bar')).transitionProperty") == "none"
    picture(tab, f"{scheme}-{len(equation)}")


def test_everything_has_a_name_and_is_reached_by_keyboard(tab, site):
    tab.resize(1280, 900)
    tab.open(site.address)
    tab.wait_for(RIGHT)
    write(tab, "4^tanh(0) = _^x")
    tab.wait_for(FILLED)
    tab.click("#fillings li:nth-child(1)")
    tab.wait_for(RIGHT)
    nodes = tab.call("Accessibility.getFullAXTree")["nodes"]
    roles = [(node["role"]["value"], node.get("name", {}).get("value")) for node in nodes if not node["ignored"]]
    assert NEED_A_NAME - {role for role, _ in roles} <= {"image"}
    assert [role for role, name in roles if role in NEED_A_NAME and not name] == []
    reached = []
    tab.script(f"{FIELD}.focus()")
    for _ in range(60):
        tab.press("Tab")
        active = tab.script("document.activeElement.id || document.activeElement.tagName")
        if active == "BODY":  # between the last element and the first
            continue
        assert tab.script("(({outlineStyle: s}, g) => s !== 'none' || g)(getComputedStyle(document.activeElement),"
                          "document.activeElement.matches('#fillings, #tree g'))")  # fmt: skip
        reached.append(active)
    assert {"typeset", "fillings", "take", "g", "BUTTON", "family"} <= set(reached)
