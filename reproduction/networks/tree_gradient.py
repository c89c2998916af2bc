"""The way back through tree_graph.py, written out instead of recorded.

That way the weight gradients of all levels are one product, and every step is the operator that is fastest for it.
Tests hold all of it against recursion through the cells with MXNet's own gradients.
"""

from .backend import sym
from .tree_equations import sigmoid, two_layers_back
from .tree_graph import BIAS, DECODER, NUMBER, WEIGHT, Computed, ForwardGraph


class GradientGraph(ForwardGraph):
    """The graph forward and back; call forward and heads first."""

    def losses(self):
        """The weighted logistic losses and squared errors, each added up; 0 where there are none."""
        logistic = squared = self.constant(sym.zeros, 1)
        if self.capacity.pairs:
            each = sym.Activation(self.logits, act_type="softrelu") - self.logits * self.part("label")
            logistic = sym.reshape(sym.dot(each, self.part("pair weight")), (1,))
        if self.capacity.decoded:
            each = sym.square(self.decoded - self.part("target"))
            squared = sym.reshape(sym.dot(each, self.part("decoded weight")), (1,))
        return [logistic, squared]

    def scattered(self, values, places, rows: int):
        """Rows added up at their places."""
        places = sym.reshape(self.joined(places), (1, -1))
        return sym._internal._backward_gather_nd(self.joined(values), places, shape=(rows, self.hidden))

    def heads_back(self):
        """Gradients of the heads' parameters, and of the states."""
        values, places, gradients = [], [], {}
        if self.capacity.pairs:
            d_logits = (sigmoid(self.logits) - self.part("label")) * self.part("pair weight")
            column = sym.reshape(d_logits, (-1, 1))
            gradients["bias"] = sym.dot(self.constant(sym.ones, 1, self.capacity.pairs), column)
            wide = sym.dot(column, self.constant(sym.ones, 1, self.hidden))
            values += [wide * self.right, wide * self.left]
            places += self.pair_rows
        if self.capacity.decoded:
            d_decoded = 2 * (self.decoded - self.part("target")) * self.part("decoded weight")
            weights = [self.parameters[name] for name in DECODER]
            ones = self.constant(sym.ones, 1, self.capacity.decoded)
            d_decoded = sym.reshape(d_decoded, (-1, 1))
            found, d_inner = two_layers_back(self.vectors, self.decoder_inner, weights, d_decoded, ones)
            gradients |= dict(zip(DECODER, found, strict=True))
            values.append(sym.dot(d_inner, weights[0]))
            places.append(self.decoded_rows)
        return gradients, self.scattered(values, places, self.total_rows)

    def block_back(self, saved: Computed, dh, dc):
        """Gradients of the padded sums of all gates, of the padded inputs, and of the children's c."""
        block = saved.block
        first, last = saved.base, saved.base + saved.nodes
        dh = sym.slice_axis(dh, axis=0, begin=first, end=last)
        dc = None if dc is None else sym.slice_axis(dc, axis=0, begin=first, end=last)
        dh = dh if saved.mask is None else dh * saved.mask
        d_sums, d_cells = self.equations.backward(dh, dc, saved.equations)
        d_sums = self.joined([*d_sums, self.constant(sym.zeros, 1, self.hidden)])
        shape = (self.shapes.functions(block), saved.rows, -1)
        used = sym.reshape(sym.take(d_sums, self.part("back", block)), shape)
        every = used
        if ("back to all", block) in self.layout:
            every = sym.reshape(sym.take(d_sums, self.part("back to all", block)), shape)
        d_inputs = sym.reshape(sym.batch_dot(used, self.weights[block]), (-1, self.hidden))
        return every, d_inputs, d_cells

    def levels_back(self, dh):
        """Gradients of the leaves' states, and what the weight gradients of each arity are made of."""
        dc = None
        products = {1: [], 2: []}
        for height in sorted({saved.block.height for saved in self.saved}, reverse=True):
            level = [saved for saved in self.saved if saved.block.height == height]
            below = level[0].base
            inputs, cells, input_places, cell_places = [], [], [], []
            for saved in level:
                d_sums, d_inputs, d_cells = self.block_back(saved, dh, dc)
                products[saved.block.arity].append((d_sums, saved.inputs))
                inputs.append(d_inputs)
                input_places.append(saved.children)
                cells += d_cells
                cell_places += saved.cells
            dh = sym.slice_axis(dh, axis=0, begin=0, end=below) + self.scattered(inputs, input_places, below)
            if cells:
                from_here = self.scattered(cells, cell_places, below)
                dc = from_here if dc is None else sym.slice_axis(dc, axis=0, begin=0, end=below) + from_here
        return dh, products

    def weights_back(self, products):
        """Gradients of the cells' weights and biases, over all levels at once."""
        gradients = {}
        for arity, pairs in products.items():
            if not pairs:
                continue
            d_sums, inputs = (self.joined(parts, axis=1) for parts in zip(*pairs, strict=True))
            shape = dict(self.settings.parameters)[WEIGHT[arity]]
            rows = sum(saved.rows for saved in self.saved if saved.block.arity == arity)
            if self.settings.l2:  # weights, not biases, are pulled towards 0
                weight = self.parameters[WEIGHT[arity]]
                gradient = sym.linalg.gemm(d_sums, inputs, weight, transpose_a=True, beta=self.settings.l2)
            else:
                gradient = sym.batch_dot(d_sums, inputs, transpose_a=True)
            gradients[WEIGHT[arity]] = gradient
            ones = self.constant(sym.ones, shape[0], rows, 1)
            gradients[BIAS[arity]] = sym.batch_dot(d_sums, ones, transpose_a=True)
        return gradients

    def leaves_back(self, dh):
        """Gradients of the symbol and number blocks."""
        d_symbols = sym.slice_axis(dh, axis=0, begin=0, end=self.symbols) if self.capacity.numbers else dh
        gradients = {"symbol_weight": self.equations.leaf_back(d_symbols, self.symbol_states)}
        if self.capacity.numbers:
            d_numbers = sym.slice_axis(dh, axis=0, begin=self.symbols, end=None)
            d_sums = self.equations.leaf_back(d_numbers, self.number_states)
            weights = [self.parameters[name] for name in NUMBER]
            ones = self.constant(sym.ones, 1, self.capacity.numbers)
            found, _ = two_layers_back(self.numbers, self.number_inner, weights, d_sums, ones)
            gradients |= dict(zip(NUMBER, found, strict=True))
        return gradients

    def backward(self) -> dict:
        """Gradients by name, in the shapes of the parameters; those that this batch cannot use are left out."""
        gradients, dh = self.heads_back()
        dh, products = self.levels_back(dh)
        gradients |= self.weights_back(products) | self.leaves_back(dh)
        found = {}
        for name, shape in self.settings.parameters:
            if name in gradients:
                gradient = gradients[name] if name in WEIGHT.values() else sym.reshape(gradients[name], shape)
                if self.settings.l2 and "weight" in name and name not in WEIGHT.values():
                    gradient = gradient + self.settings.l2 * self.parameters[name]
                found[name] = gradient
        return found
