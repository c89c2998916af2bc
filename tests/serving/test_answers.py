"""What the page is told: readings, probabilities and trees, completions, values, curves, verdicts."""

import pytest

from reproduction.models import paper_models
from reproduction.serving.answers import EXAMPLES, arguments, gallery, typeset


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        ("", "empty", None),
        ("sin(x)", "open", "<mi>sin</mi>"),
        ("sin(2.5)", "expression", "<mn>2.5</mn>"),
        ("sin(x) = x", "equation", "<mo>=</mo>"),
        ("sin(_) = x", "blank", "■"),
        ("x_1 + ? = theta", "blank", "θ"),
        ("sin(x) =", "unfinished", "□"),
        ("sin(", "unfinished", None),
        ("<b>x</b> = 1", "unfinished", None),
    ],
)
def test_text_is_typeset_as_far_as_it_goes(text, kind, shown):
    reading = typeset(text)
    assert reading["kind"] == kind
    assert shown in reading["mathml"] if shown else reading["mathml"] is None
    assert (reading["problem"] is not None) == (kind == "unfinished")


def test_a_problem_has_its_caret(site):
    reading = site.post("/api/read", {"text": "sin(2*x) = 2*sinn(x)"}).row
    problem = reading["problem"]
    assert problem["column"] == 14
    assert problem["error"].startswith("column 14: 'sinn' is not a known name")
    text, caret = problem["excerpt"].split("\n")
    assert text[caret.index("^") :] == "sinn(x)"
    refused = site.post("/api/verify", {"equation": "sin(2*x) = 2*sinn(x)"})
    assert (refused.status, refused.row) == (400, problem)


def test_an_equation_has_a_probability_and_a_tree(site):
    row = site.post("/api/verify", {"equation": "theta + y = y + theta"}).row
    assert row["probability"] > 0.9 and row["network_verdict"] == "correct"
    assert row["notes"] == ["theta is read as x"]
    assert [node["path"] for node in row["nodes"]] == [[0], [0, 0], [0, 1], [1], [1, 0], [1, 1]]
    assert [node["label"] for node in row["nodes"]] == ["+", "θ", "y", "+", "y", "θ"]
    assert [node["kind"] for node in row["nodes"][:3]] == ["symbol", "variable", "variable"]
    for root in (row["nodes"][0], row["nodes"][3]):
        assert root["probability"] == pytest.approx(row["probability"], abs=1e-4)


def test_every_committed_network_answers(site):
    described = {each["name"]: each for each in site.get("/api/networks").row["networks"]}
    for name in (model.name for model in paper_models()):
        row = site.post("/api/verify", {"equation": "x + y = y + x", "network": name}).row
        assert 0 < row["probability"] < 1 and len(row["nodes"]) == 6
        assert described[name]["decodes"] == name.endswith("+data")


def test_blanks_are_filled(site):
    row = site.post("/api/complete", {"equation": "4^tanh(0) = _^x"}).row
    first = row["fillings"][0]
    assert (first["expression"], first["equation"]) == ("1", "4^tanh(0) = 1^x")
    assert (first["judge_verdict"], first["is_right"]) == ("correct", True)
    assert "<math>" in first["mathml"] and "<mo>=</mo>" in first["equation_mathml"]
    assert row["first_guess"]["network_rank"] == 1 and sum(row["tried"].values()) > 500


def test_numbers_fill_blanks_and_expressions_have_values(site):
    first = site.post("/api/complete", {"equation": "cos(-_) = -0.57"}).row["fillings"][0]
    assert (first["probability"], first["expression"], first["fits"]) == (None, "2.18", True)
    row = site.post("/api/evaluate", {"expression": "cos(2.18)"}).row
    assert row["true_value"] == pytest.approx(-0.572, abs=1e-3)
    assert row["value"] == pytest.approx(row["true_value"], abs=0.3)
    assert site.post("/api/evaluate", {"expression": "cos(2.18)", "network": "rnn"}).status == 400


@pytest.mark.parametrize("text", ["exp(10^3) = 1", "10^10^10^10 = 1", "\ud800 = x", "x = \x00", "_" * 40, "= _"])
def test_odd_questions_get_answers_that_are_json(site, text):
    for address, field in (("verify", "equation"), ("complete", "equation"), ("evaluate", "expression")):
        answer = site.post(f"/api/{address}", {field: text})
        assert answer.status in (200, 400)
        assert b"Infinity" not in answer.body and b"NaN" not in answer.body
    assert site.post("/api/read", {"text": text}).status == 200


def test_curves_are_those_of_the_functions(site):
    row = site.get("/api/curves").row
    assert row["x"] == [float(value) for value in arguments()]
    assert row["x"][0] == -3.12 and row["x"][-1] == 3.12 and 0 not in row["x"]
    curves = {curve["name"]: curve for curve in row["functions"]}
    assert len(curves) == 25
    errors = [curve["error"] for curve in row["functions"] if curve["error"] is not None]
    assert errors == sorted(errors), "the best first"
    assert curves["exp"]["true"][-1] == pytest.approx(22.646, abs=1e-3)
    assert curves["acosh"]["true"][0] is None
    assert curves["sin"]["error"] < 0.1
    refused = site.get("/api/curves?network=rnn")
    assert refused.status == 400 and "does not decode" in refused.row["error"]


def test_the_judges_say_why(site):
    right = site.post("/api/judge", {"equation": "sin(x)^2 + cos(x)^2 = 1"}).row
    assert right["judge_verdict"] == "correct" and "Sympy proves it" in right["sentence"]
    wrong = site.post("/api/judge", {"equation": "sin(2*x) = 2*sin(x)"}).row
    assert wrong["judge_verdict"] == "incorrect"
    assert set(wrong["evidence"]["point"]) == {"x"}
    assert wrong["evidence"]["left"] != wrong["evidence"]["right"]
    assert site.post("/api/judge", {"equation": "1/0 = x"}).row["judge_verdict"] == "undefined"


def test_the_gallery_can_be_read(site):
    row = site.get("/api/gallery").row
    assert row == gallery()
    families = {family["name"]: family["equations"] for family in row["families"]}
    assert {"text": "x + 0 = x", "mathml": typeset("x + 0 = x")["mathml"]} in families["neutral elements"]
    for text in (text for texts in EXAMPLES.values() for text in texts):
        reading = typeset(text)
        address, field = {
            "equation": ("verify", "equation"),
            "blank": ("complete", "equation"),
            "expression": ("evaluate", "expression"),
        }[reading["kind"]]
        assert site.post(f"/api/{address}", {field: text}).status == 200, text
