"""A loaded network: its answers are those of its cells, whichever way they are asked for."""

import doctest
import math
import subprocess
import sys

import numpy as np
import pytest

from reproduction.artifacts import ROOT
from reproduction.errors import InputError
from reproduction.language.parsing import parse_equation, parse_expression
from reproduction.networks.backend import nd
from reproduction.networks.chains import tokens
from reproduction.networks.tree_model import encode_recursively
from reproduction.use import network
from reproduction.use.network import find_network

EQUATIONS = ("x = x", "sin(x)^2 + cos(x)^2 = 1", "x + y = y", "2 * x = x + x", "tanh(x * y) = exp(z)", "1 = 0")


def test_examples_in_docstrings_and_on_the_page_are_true():
    failed, attempted = doctest.testfile(str(ROOT / "docs" / "python.md"), False, optionflags=doctest.ELLIPSIS)
    assert attempted > 15
    assert failed == 0


def test_the_package_imports_at_once():
    code = "import reproduction, sys; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_equations_are_verified_by_the_cells_whatever_stands_beside_them(tree, chain):
    def by_layer(model, side):
        sequence = [model.numbers[token] for token in tokens(side)]
        return model.read(nd.array([sequence]), nd.array([len(sequence)]))

    for asked, vector in ((tree, lambda *of: encode_recursively(*of)[0]), (chain, by_layer)):
        model, answers = asked._network, asked.verify(EQUATIONS)
        assert [answer.equation for answer in answers] == list(EQUATIONS) and asked.verify([]) == []
        for answer, text in zip(answers, EQUATIONS, strict=True):
            logit = float(model.compare(*(vector(model, side) for side in parse_equation(text))).asscalar())
            assert answer.probability == pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-5)
            assert asked.verify([text])[0].probability == pytest.approx(answer.probability, abs=1e-5)


def test_a_temperature_makes_probabilities_milder(tree):
    hot = network.Network(find_network("tree-lstm+data")._replace(temperature=3.0))
    [cold_answer], [hot_answer] = (model.verify(["x + y = y + x"]) for model in (tree, hot))
    logit = math.log(cold_answer.probability / (1 - cold_answer.probability))
    assert hot_answer.probability == pytest.approx(1 / (1 + math.exp(-logit / 3)), abs=1e-4)
    filling = hot.complete("x + y = _ + x", 1).fillings[0]
    assert filling.probability == pytest.approx(hot.verify([filling.equation])[0].probability, abs=1e-5)


def test_evaluations(tree, chain):
    assert tree.evaluate("sin(pi)").true_value == 0
    assert tree.evaluate("cot(0.00)").true_value is None
    assert tree.evaluate(" cos(2) ") == tree.evaluate("cos(2.00)")._replace(
        expression="cos(2)", notes=("read as cos(2.00)",)
    )
    assert "beyond" in tree.evaluate("2.57 + 2.57").notes[0]
    with pytest.raises(InputError, match="has no value"):
        tree.evaluate("cos(x)")
    with pytest.raises(InputError, match="does not evaluate"):
        chain.evaluate("cos(2.18)")


def test_the_deepest_equation_that_is_parsed(tree, chain):
    text = "sin(" * 99 + "x" + ")" * 99 + " = x"
    for model in (tree, chain):
        [answer] = model.verify([text])
        assert 0 <= answer.probability <= 1 and "depth 100" in answer.notes[0]


def test_vectors(tree, chain):
    for model in (tree, chain):
        vectors = model.embed(["sin(x)", "x", "sin(theta)"])
        np.testing.assert_allclose(vectors[0], vectors[2], atol=1e-6)
        assert model.embed([]).shape == (0, vectors.shape[1])
    expected = encode_recursively(tree._network, parse_expression("sin(x)"))[0].asnumpy()[0]
    np.testing.assert_allclose(tree.embed(["sin(x)"])[0], expected, atol=1e-6)
    for question in (tree.embed, tree.verify):
        with pytest.raises(TypeError, match="list"):
            question("x = x")


def test_every_node_of_an_equation(tree, chain):
    text = "sin(theta) + 2 = 0"
    whole = tree.subtrees(text)
    assert [(node.path, node.text) for node in whole.nodes] == [
        ((0,), "sin(theta) + 2"), ((0, 0), "sin(theta)"), ((0, 0, 0), "theta"), ((0, 1), "2"), ((1,), "0"),
    ]  # fmt: skip
    assert [node.true_value for node in whole.nodes] == [None, None, None, 2, 0]
    assert [node.value is None for node in whole.nodes] == [True, True, True, False, False]
    assert whole.notes == ("theta is read as x",)
    [verification] = tree.verify([text])
    assert whole.nodes[0].probability == pytest.approx(verification.probability, abs=1e-5)
    assert whole.nodes[4].probability == pytest.approx(verification.probability, abs=1e-5)
    assert "<mi>θ</mi>" in whole.nodes[2].mathml
    assert {node.value for node in chain.subtrees(text).nodes} == {None}
