"""A network of somebody's own in a file outside the package: the sum of all symbols of an expression, and a layer."""

import numpy as np

from reproduction.models import Look, Model, register
from reproduction.networks.backend import context, gluon
from reproduction.networks.network import ExpressionNetwork


class BagOfLeaves(ExpressionNetwork):
    """h = tanh(W Σ e(symbol) + b) over all nodes of an expression, whatever their order."""

    def __init__(self, configuration, vocabulary):
        super().__init__(configuration.hidden, context(configuration.device))
        self.places = {name: place for place, name in enumerate((*vocabulary.functions, *vocabulary.symbols))}
        self.symbols = gluon.nn.Dense(self.hidden, in_units=len(self.places) + 1, use_bias=False)
        self.layer = gluon.nn.Dense(self.hidden, in_units=self.hidden, activation="tanh")
        self.decoder = gluon.nn.Dense(1, in_units=self.hidden)

    def encode(self, expressions):
        counts = np.zeros((len(expressions), len(self.places) + 1))
        for row, expression in enumerate(expressions):
            for node in expression.subexpressions():
                counts[row, self.places.get(node.symbol, len(self.places))] += 1
        return self.layer(self.symbols(self.array(counts)))

    def decode(self, vectors):
        return self.decoder(vectors).reshape((-1,))


SETTINGS = {"hidden": 8, "epochs": 3, "batch_size": 16}
register(Model("bag-of-leaves", "Bag of leaves", BagOfLeaves, look=Look("#222222", "P", ":"), defaults=SETTINGS))
register(Model("bag-of-leaves+data", "Bag of leaves + data", BagOfLeaves, defaults=SETTINGS, has_data=True))
