"""Where people's equations are looked at: generic points, round ones, and more digits where few do not tell."""

from itertools import product

import pytest

from reproduction.__main__ import main
from reproduction.judges.balls import UNDEFINED, VAGUE, random_points, round_points, rounded, shown
from reproduction.judges.oracle import AGREES, DIFFERS, FINE_PRECISION, examine_thoroughly
from reproduction.language.parsing import parse_equation, parse_expression


def test_what_holds_on_one_side_of_a_far_point_is_refuted():
    """Half-true equations with their border up to a billion away on either side."""
    forms = ("sqrt(({0})^2) = {0}", "(({0})^4)^(1 / 4) = {0}", "acosh(cosh({0})) = {0}", "sqrt({0}) * sqrt({0} - 1) = "
             "sqrt(({0}) * ({0} - 1))", "sqrt(1 / ({0})) * sqrt({0}) = 1")  # fmt: skip
    borders = [f"{'x' if sign > 0 else '-x'} {shift}" for sign, shift in product((1, -1), (
        "+ 1", "- 1", "+ 10", "- 10", "+ 37.5", "- 144", "+ 1000", "- 5000", "+ 10^6", "- 10^6", "+ 10^9", "- 10^9",
        "+ 10^30", "- 10^40", "+ y"))]  # fmt: skip
    texts = [form.format(border) for form in forms for border in borders]
    left_open = [text for text in texts if examine_thoroughly(parse_equation(text)).outcome != DIFFERS]
    assert len(texts) == 150
    assert left_open == []


def test_points_are_generic_and_always_the_same():
    equation = parse_equation("sin(x) + y * z = 10^9")
    points = random_points(equation)
    assert points == random_points(equation)
    assert points != random_points(parse_equation("sin(x) + y * z = 10^8"))
    values = [value for point in points for value in point.values()]
    assert {tuple(value > 0 for value in point.values()) for point in points} == set(product((True, False), repeat=3))
    assert len(set(values)) == len(values)
    assert all(value.denominator > 10**40 for value in values)
    assert min(map(abs, values)) < 1 < 10**9 < max(map(abs, values))
    for count in (1, 2, 3, 5):
        assert 24 <= len(random_points(parse_equation(" + ".join("vwxyz"[:count]) + " = 0"))) <= 60
    assert random_points(parse_equation("1 = 2")) == [{}]
    assert round_points(parse_equation("1 = 2")) == []


def test_vague_values_are_looked_at_with_more_digits():
    near = parse_equation("1 + 10^(-70) = 1")
    assert examine_thoroughly(near).outcome == AGREES
    assert examine_thoroughly(near, least_precision=FINE_PRECISION).outcome == DIFFERS
    assert examine_thoroughly(parse_equation("(10^50 + x) - 10^50 = x")).outcome == AGREES
    assert examine_thoroughly(parse_equation("10^10^10^10 = 1")).outcome == VAGUE
    assert examine_thoroughly(parse_equation("0^(-1) = 1")).outcome == UNDEFINED


def test_coordinates_are_shown_as_decimals():
    third = {"x": random_points(parse_equation("x = 1"))[0]["x"]}
    assert float(shown(rounded(third, 3))["x"]) == pytest.approx(float(third["x"]), rel=0.005)
    assert shown(third)["x"].endswith("...")
    assert shown({"x": None, "y": parse_expression("0.4").value}) == {"x": "pi", "y": "0.4"}


def test_check_is_thorough(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("reproduction.artifacts.CACHE", tmp_path)
    assert main(["check", "asin(x) + acos(x) = pi / 2", "sqrt(x / y) = sqrt(x) / sqrt(y)"]) == 0
    said = capsys.readouterr().out
    assert "\nCORRECT: " in said and "\nINCORRECT: " in said
