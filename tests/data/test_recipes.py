"""Recipes: the two that are named, files of one's own, and one sentence for those that cannot be followed."""

import json
from dataclasses import fields

import pytest

from reproduction import artifacts
from reproduction.data import recipes
from reproduction.data.recipes import HARD, KEEPING_STEPS, LOCAL_CHANGES, PAPER, RECIPES, Recipe, as_row, read_recipe
from reproduction.errors import InputError


def _file(tmp_path, content):
    path = tmp_path / "mine.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize(("recipe", "data"), [(PAPER, "data"), (HARD, "hard/data")])
def test_the_committed_data_were_made_by_these_recipes(recipe, data):
    """Whose choices they have written down."""
    assert artifacts.read_json(artifacts.ROOT / "runs" / data / "manifest.json")["made_with"]["recipe"] == as_row(
        recipe
    )


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_a_recipe_comes_back_from_its_row(tmp_path, recipe):
    row = as_row(recipe)
    assert list(row) == [field.name for field in fields(Recipe)]
    assert read_recipe(str(_file(tmp_path, row))) == recipe


def test_a_file_states_its_differences_from_the_papers(tmp_path):
    recipe = read_recipe(str(_file(tmp_path, {"from_axiom": 0.1, "terminals": {"x": 1, "2": 3}})))
    assert as_row(recipe) == {**as_row(PAPER), "name": "mine", "from_axiom": 0.1, "terminals": {"x": 1.0, "2": 3.0}}


def test_every_step_that_a_recipe_may_name_is_there():
    assert all(callable(getattr(recipes, name)) for name in KEEPING_STEPS + LOCAL_CHANGES)


BAD = {
    "a list": ([], "the content is '[]', not an object"),
    "an unknown choice": ({"sauce": 1}, "sauce is no choice of a recipe"),
    "a wrong word": ({"rules": "by depth"}, "rules is 'by depth', not one of evenly, by family"),
    "a share": ({"identical": 1.5}, "identical is 1.5, not from 0 to 1"),
    "too many shares": ({"keeping": {"mirror": 0.7, "grow_sides": 0.7}}, "the sum of keeping is 1.4, not from 0 to 1"),
    "an unknown step": ({"keeping": {"rewrite": 0.5}}, "keeping.rewrite is unknown (known: instantiate, "),
    "an unknown change": ({"changes": ["grow_sides"]}, "changes.grow_sides is unknown (known: shrink_node, "),
    "no change": ({"changes": []}, "changes is empty"),
    "an unknown terminal": ({"terminals": {"5": 1}}, "terminals.5 is unknown (known: 0, 1, "),
    "a negative weight": ({"terminals": {"1": 1, "x": -1}}, "terminals.x is -1, not a weight"),
    "no number to draw": ({"terminals": {"x": 1, "0": 0}}, "terminals is without a number that could be drawn"),
    "no patience": ({"patience": 0}, "patience is 0, not at least 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_gets_one_sentence(tmp_path, name):
    content, words = BAD[name]
    path = _file(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_recipe(str(path))
    assert str(caught.value).startswith(f"{path}")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_that_is_none():
    with pytest.raises(InputError, match="'papre' is neither paper nor hard nor the name of a JSON file"):
        read_recipe("papre")
    with pytest.raises(InputError, match="no such file"):
        read_recipe("nowhere.json")
