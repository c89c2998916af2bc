"""Static graphs: compiled once for batches of one capacity, then called with the packed numbers of a batch."""

from .backend import nd, sym
from .schedule import Capacity, Shapes
from .tree_gradient import GradientGraph
from .tree_graph import ForwardGraph, Settings


class StaticGraph:
    """The network for batches of one capacity; the parameters are bound, the batch is the argument."""

    def __init__(self, shapes: Shapes, capacity: Capacity, settings: Settings, parameters: dict, gradients: dict):
        """Parameters are read from these arrays; a training graph writes their gradients to those."""
        graph = (GradientGraph if shapes.training else ForwardGraph)(shapes, capacity, settings)
        report = graph.heads(graph.forward())
        found = {}
        if shapes.training:
            report = graph.losses() + report
            found = graph.backward()
        outputs = sym.Group([*found.values(), sym.concat(*report, dim=0)])
        names = outputs.list_inputs()
        self._operator = nd.CachedOp(outputs, [("static_alloc", True), ("static_shape", True)])
        self._arguments, self._packed = [parameters.get(name) for name in names], names.index("packed")
        self._gradients = [gradients[name] for name in found]
        self._report_size = capacity.pairs + capacity.decoded + 2 * shapes.training

    def __call__(self, packed: nd.NDArray) -> nd.NDArray:
        """The report: losses of pairs and of decoded rows, if training; logits; numbers."""
        arguments = self._arguments.copy()
        arguments[self._packed] = packed
        report = nd.empty((self._report_size,), ctx=packed.context, dtype=packed.dtype)
        self._operator(*arguments, out=[*self._gradients, report])
        return report
