"""The engine against plain recursion through the same cells, in double precision."""

from random import Random

import numpy as np
import pytest
from support.small_data import ALL_FUNCTIONS, FEW_FUNCTIONS, LEAVES, SYMBOLS, random_tree, small_model

from reproduction.errors import InputError
from reproduction.language.expression import apply, variable
from reproduction.networks.backend import autograd, nd
from reproduction.networks.reference import encode_by_function, encode_recursively
from reproduction.networks.schedule import Examples, Planner
from reproduction.networks.subtrees import Language, make_table

TOLERANCE = 1e-11


class Case:
    """Random equations and trees to decode, with a model and a table."""

    def __init__(self, lstm, share=True, height=4, count=12, functions=FEW_FUNCTIONS, seed=0, **options):
        random = Random(seed)
        self.pairs = [
            tuple(random_tree(random, random.randint(0, height), functions) for _ in range(2)) for _ in range(count)
        ]
        self.trees = [random_tree(random, 3, functions) for _ in range(5)]
        self.labels = np.array([random.randint(0, 1) for _ in self.pairs], dtype=float)
        self.targets = np.array([random.gauss(0, 1) for _ in self.trees])
        self.model = small_model(lstm, **options)
        sides = [side for pair in self.pairs for side in pair]
        table = make_table(sides + self.trees, self.model.language, share)
        roots = table.roots
        self.examples = Examples(
            roots[: len(sides) : 2], roots[1 : len(sides) : 2], self.labels, roots[len(sides) :], self.targets
        )
        self.trainer, self.predictor = (
            Planner(table, self.model.language, lstm, training) for training in (True, False)
        )

    def engine(self, order=None):
        """Losses, logits, decoded numbers and the flat gradient of all examples as one batch."""
        order = np.arange(self.examples.count) if order is None else order
        (schedule,) = self.trainer.schedules([self.examples.chosen(order)])
        report = self.model.compute_gradient(self.trainer.shapes, schedule).asnumpy()
        pairs = schedule.capacity.pairs
        decoded = report[2 + pairs : 2 + pairs + len(self.trees)]
        return report[:2], report[2 : 2 + len(self.pairs)], decoded, self.model.flat.gradient.asnumpy(), schedule

    def recursion(self, l2=0.0):
        """The same by recursion, with recorded gradients."""
        model, count = self.model, len(self.pairs) + len(self.trees)
        model.flat.gradient[:] = 0
        with autograd.record():
            logits = nd.concat(
                *(model.compare(*(encode_recursively(model, side)[0] for side in pair)) for pair in self.pairs), dim=0
            )
            decoded = nd.concat(*(model.decode(encode_recursively(model, tree)[0]) for tree in self.trees), dim=0)
            labels, targets = (nd.array(values, dtype="float64") for values in (self.labels, self.targets))
            logistic = nd.sum(nd.log(1 + nd.exp(logits)) - labels * logits) / count
            squared = nd.sum((decoded - targets) ** 2) / count
            loss = logistic + squared
            for segment in model.flat.segments:
                if l2 and "weight" in segment.name:
                    loss = loss + 0.5 * l2 * nd.sum(segment.parameter.data() ** 2)
        loss.backward()
        losses = np.array([logistic.asscalar(), squared.asscalar()])
        return losses, logits.asnumpy(), decoded.asnumpy(), model.flat.gradient.asnumpy()


def assert_same(case, l2=0.0):
    losses, logits, decoded, gradient, schedule = case.engine()
    expected = case.recursion(l2)
    for ours, theirs in zip((losses, logits, decoded), expected, strict=False):
        np.testing.assert_allclose(ours, theirs, atol=TOLERANCE)
    absent = case.model.absent(schedule)
    present = [segment for segment in case.model.flat.segments if segment.owner not in absent]
    assert len(present) > 10
    for segment in present:
        place = slice(segment.start, segment.stop)
        np.testing.assert_allclose(gradient[place], expected[3][place], atol=TOLERANCE, err_msg=segment.name)


@pytest.mark.parametrize("lstm", [False, True], ids=["tree-nn", "tree-lstm"])
@pytest.mark.parametrize("share", [False, True], ids=["without-sharing", "sharing"])
@pytest.mark.parametrize("height", [1, 4, 7])
def test_values_and_gradients_equal_recursion(lstm, share, height):
    assert_same(Case(lstm, share, height, seed=height))


@pytest.mark.parametrize("lstm", [False, True])
def test_all_functions_together(lstm):
    assert_same(Case(lstm, height=3, count=40, functions=ALL_FUNCTIONS))


def test_decay_is_on_weights_only():
    assert_same(Case(True, l2=0.03), l2=0.03)


def test_an_equation_of_two_leaves():
    case = Case(True, height=0, count=3)
    case.trees = case.trees[:0]
    case.examples = case.examples._replace(decoded=case.examples.decoded[:0], target=case.examples.target[:0])
    _, logits, _, _, schedule = case.engine()
    assert schedule.capacity.decoded == 0
    left, right = (encode_by_function(case.model, side)[0] for side in zip(*case.pairs, strict=True))
    np.testing.assert_allclose(logits, case.model.compare(left, right).asnumpy(), atol=TOLERANCE)


def test_order_of_a_batch_does_not_matter():
    case = Case(True)
    *_, expected, _ = case.engine()
    order = np.random.default_rng(0).permutation(case.examples.count)
    *_, gradient, _ = case.engine(order)
    np.testing.assert_allclose(gradient, expected, atol=TOLERANCE)


def test_room_to_spare_does_not_matter():
    case = Case(True)
    *_, expected, schedule = case.engine()
    bigger = tuple((rows + 6, nodes + 16) for rows, nodes in schedule.capacity.blocks)
    case.trainer.capacity = schedule.capacity._replace(pairs=40, decoded=24, numbers=32, blocks=bigger)
    _, logits, _, gradient, _ = case.engine()
    np.testing.assert_allclose(gradient, expected, atol=TOLERANCE)
    np.testing.assert_allclose(logits, case.recursion()[1], atol=TOLERANCE)


@pytest.mark.parametrize("lstm", [False, True])
def test_prediction_in_several_batches(lstm):
    case = Case(lstm)
    chosen = (np.arange(5), np.arange(5, 14), np.arange(14, case.examples.count))
    schedules = case.predictor.schedules(map(case.examples.chosen, chosen))
    logits, decoded = case.model.predict(case.predictor.shapes, schedules)
    _, expected_logits, expected_decoded, _ = case.recursion()
    np.testing.assert_allclose(logits, expected_logits, atol=TOLERANCE)
    np.testing.assert_allclose(decoded, expected_decoded, atol=TOLERANCE)


def test_one_call_for_each_function_gives_the_same():
    case = Case(True)
    roots = [side for pair in case.pairs for side in pair]
    for share in (False, True):
        states = encode_by_function(case.model, roots, share)
        for place, root in enumerate(roots):
            for ours, theirs in zip(states, encode_recursively(case.model, root), strict=True):
                np.testing.assert_allclose(ours[place].asnumpy(), theirs[0].asnumpy(), atol=TOLERANCE)


def test_sharing_computes_every_subtree_once():
    x = variable("x")
    deep = apply("sin", apply("+", x, x))
    roots = [apply("*", deep, deep), deep, apply("sin", x)]
    language = Language(FEW_FUNCTIONS, SYMBOLS)
    assert len(make_table(roots, language).function) == 5  # x, x + x, sin(x + x), their product, sin(x)
    assert len(make_table(roots, language, share=False).function) == 9 + 4 + 2


def test_every_cell_gets_a_gradient():
    case = Case(True, height=3, count=60, functions=ALL_FUNCTIONS)
    *_, schedule = case.engine()
    assert not case.model.absent(schedule) & set(ALL_FUNCTIONS)
    for name in ALL_FUNCTIONS:
        assert np.abs(case.model.cells[name].weight.grad().asnumpy()).max() > 0, name


@pytest.mark.parametrize("lstm", [False, True])
def test_dropout_acts_in_training_and_nowhere_else(lstm):
    case, without = Case(lstm, dropout=0.5), Case(lstm)
    gradients = [case.engine()[3] for _ in range(2)]
    assert np.abs(gradients[0] - gradients[1]).max() > 1e-3  # another mask each time
    assert np.abs(gradients[0] - without.engine()[3]).max() > 1e-3
    every = np.arange(case.examples.count)
    predicted = [
        each.model.predict(each.predictor.shapes, each.predictor.schedules([each.examples.chosen(every)]))
        for each in (case, case, without)
    ]
    for other in predicted[1:]:
        np.testing.assert_array_equal(predicted[0][0], other[0])
    leaf = case.model.leaf_states([LEAVES[5]])
    with autograd.record():
        by_hand = case.model.apply_function("sin", leaf)[0].asnumpy()
    assert np.abs(by_hand - case.model.apply_function("sin", leaf)[0].asnumpy()).max() > 1e-6


def test_what_a_model_does_not_know_is_refused():
    with pytest.raises(InputError, match="'q' is not known"):
        make_table([variable("q")], Language(FEW_FUNCTIONS, SYMBOLS))
    with pytest.raises(InputError, match="'tan' is not known"):
        make_table([apply("tan", variable("x"))], Language(FEW_FUNCTIONS, SYMBOLS))
