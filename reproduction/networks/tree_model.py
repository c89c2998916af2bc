"""TreeNN and TreeLSTM over expressions: a cell for each function, symbol and number blocks, and two heads."""

from collections.abc import Iterable, Sequence

import numpy as np

from ..language.expression import NUMBER, Expression
from ..language.grammar import FUNCTIONS
from .backend import gluon, mx, nd
from .cells import Decoder, NumberBlock, SymbolBlock, TreeLSTMCell, TreeNNCell
from .flat_parameters import FlatParameters
from .schedule import Schedule, Shapes
from .subtrees import Language
from .tree_engine import StaticGraph
from .tree_graph import Settings

State = tuple[nd.NDArray, ...]  # (h,) or (h, c), a row a node
HEAD, SYMBOL, NUMBERS, DECODER = "head", "symbol", "number", "decoder"


class TreeModel(gluon.Block):
    """The network: with numbers it has a number block, with data also a decoder."""

    def __init__(
        self,
        language: Language,
        hidden: int,
        lstm: bool = True,
        data: bool = True,
        numbers: bool = True,
        dropout: float = 0.0,
        l2: float = 0.0,
        context: mx.Context | None = None,
        dtype: str = "float32",
    ):
        super().__init__(prefix="")
        self.language, self.hidden, self.lstm, self.data = language, hidden, lstm, data
        self._context, self._dtype = context or mx.cpu(), dtype
        cell = TreeLSTMCell if lstm else TreeNNCell
        self.cells = {
            name: cell(FUNCTIONS[name].arity, hidden, dropout, prefix=f"{name}_") for name in language.functions
        }
        for name, block in self.cells.items():
            self.register_child(block, name)
        squashing = "tanh" if lstm else "sigmoid"
        self.symbol = SymbolBlock(len(language.symbols), hidden, squashing, prefix="symbol_")
        self.number = NumberBlock(hidden, squashing, prefix="number_") if numbers or data else None
        self.decoder = Decoder(hidden, prefix="decoder_") if data else None
        self.bias = self.params.get("bias", shape=(1,))
        self.flat = FlatParameters(self._ordered_parameters(), self._context, dtype)
        arrays = self._engine_arrays()
        self._arrays, self._gradients = ({name: pair[part] for name, pair in arrays.items()} for part in (0, 1))
        shapes = tuple((name, array.shape) for name, array in self._arrays.items())
        self._settings = Settings(hidden, shapes, dropout, l2, dtype)
        self._graphs: dict[tuple, StaticGraph] = {}

    def _ordered_parameters(self) -> list[tuple[str, str, gluon.Parameter]]:
        """(name, owner, parameter): first all cells' weights, then their biases, then the rest."""
        cells = [
            (f"{name}_{kind}", name, getattr(self.cells[name], kind))
            for kind in ("weight", "bias")
            for arity in (1, 2)
            for name in self.language.of_arity(arity)
        ]
        blocks = {SYMBOL: self.symbol, NUMBERS: self.number, DECODER: self.decoder}
        others = [
            (f"{owner}_{kind}", owner, parameter)
            for owner, block in blocks.items()
            if block is not None
            for kind, parameter in block._reg_params.items()
        ]
        return [*cells, ("bias", HEAD, self.bias), *others]

    def _engine_arrays(self) -> dict[str, tuple[nd.NDArray, nd.NDArray]]:
        """What the engine works on and its gradients, by name: cells of one arity are one array."""
        arrays = {}
        for kind in ("weight", "bias"):
            for arity, prefix in ((1, "unary"), (2, "binary")):
                names = [f"{name}_{kind}" for name in self.language.of_arity(arity)]
                arrays[f"{prefix}_{kind}"] = self.flat.stacked(names)
        for segment in self.flat.segments:
            if segment.owner not in self.cells:
                arrays[segment.name] = segment.parameter.data(), segment.parameter.grad()
        return arrays

    # composing by hand

    def leaf_states(self, leaves: Sequence[Expression]) -> State:
        """The states of constants, variables and numbers, a row each."""
        rows = {name: row for row, name in enumerate(self.language.symbols)}
        order = sorted(range(len(leaves)), key=lambda index: leaves[index].kind == NUMBER)
        symbols = [rows[leaves[index].symbol] for index in order if leaves[index].kind != NUMBER]
        numbers = [float(leaves[index].symbol) for index in order if leaves[index].kind == NUMBER]
        vectors = [self.symbol(self._array(symbols))] if symbols else []
        vectors += [self.number(self._array(numbers).reshape((-1, 1)))] if numbers else []
        h = nd.take(nd.concat(*vectors, dim=0), self._array(np.argsort(order)))
        return (h, nd.zeros_like(h)) if self.lstm else (h,)

    def apply_function(self, function: str, *children: State) -> State:
        """The states of nodes with these children."""
        return tuple(self.cells[function](*children))

    def compare(self, left: nd.NDArray, right: nd.NDArray) -> nd.NDArray:
        """The logits that the sides with these vectors are equal: ⟨h_left, h_right⟩ + b."""
        return nd.sum(nd.broadcast_mul(left, right), axis=1) + self.bias.data()

    def decode(self, h: nd.NDArray) -> nd.NDArray:
        """The numbers that these vectors stand for."""
        return self.decoder(h).reshape((-1,))

    def _array(self, values) -> nd.NDArray:
        return nd.array(values, ctx=self._context, dtype=self._dtype)

    # the engine

    def initialize_parameters(self, random: np.random.Generator) -> None:
        """Draws the weights; a TreeNN starts with logits near 0 although its vectors start near 1/2."""
        self.flat.initialize(random)
        if not self.lstm:
            self.bias.data()[:] = -self.hidden / 4

    def _graph(self, shapes: Shapes, schedule: Schedule) -> StaticGraph:
        key = (shapes, schedule.capacity)
        if key not in self._graphs:
            self._graphs = {old: graph for old, graph in self._graphs.items() if old[0] != shapes}
            self._graphs[key] = StaticGraph(shapes, schedule.capacity, self._settings, self._arrays, self._gradients)
        return self._graphs[key]

    def compute_gradient(self, shapes: Shapes, schedule: Schedule) -> nd.NDArray:
        """Leaves the gradient of the batch in `flat.gradient`; gives [two losses, logits, numbers]."""
        return self._graph(shapes, schedule)(self._array(schedule.packed))

    def predict(self, shapes: Shapes, schedules: Iterable[Schedule]) -> tuple[np.ndarray, np.ndarray]:
        """The logits of all pairs and the numbers of all decoded rows, in order."""
        logits, numbers = [], []
        for schedule, report in [(s, self._graph(shapes, s)(self._array(s.packed))) for s in schedules]:
            report, pairs = report.asnumpy(), schedule.capacity.pairs
            logits.append(report[: schedule.pairs])
            numbers.append(report[pairs : pairs + schedule.decoded])
        return np.concatenate(logits), np.concatenate(numbers)

    def absent(self, schedule: Schedule) -> frozenset[str]:
        """The functions and blocks that the batch does not use: they get no optimizer step."""
        names: list[str] = []
        for arity, present in zip((1, 2), schedule.functions, strict=True):
            names += [name for name, here in zip(self.language.of_arity(arity), present, strict=True) if not here]
        names += [NUMBERS] * (not schedule.numbers) + [DECODER] * (not schedule.decoded)
        return frozenset(names + [HEAD] * (not schedule.pairs))
