"""A TreeLSTM in PyTorch on the exported data, without a line of the package `reproduction`.

    python -m reproduction export --out export
    python examples/pytorch_tree_lstm.py export --split strict --seed 0 --out predictions.jsonl
    python -m reproduction score predictions.jsonl --split strict --seed 0

The network is the paper's: one cell a function, an embedding a terminal, sides compared by their dot product. Equal
subtrees of a batch are computed once; nodes of one height and one function are one matrix product.
"""

import argparse
import json
import time
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

HEAD = "="


class Tables(NamedTuple):
    """All distinct subtrees of the data, children before parents: a leaf has no children (-1)."""

    symbol: Tensor  # (nodes,) the place of the node's token in the vocabulary
    children: Tensor  # (nodes, 2)
    height: Tensor  # (nodes,)


class Part(NamedTuple):
    """The symbolic equations of a file, as rows of the tables."""

    ids: list[str]
    sides: Tensor  # (equations, 2)
    labels: Tensor  # (equations,)


class Reader:
    """Reads files of equations; a subtree that was met before keeps its row."""

    def __init__(self, export: Path):
        vocabulary = json.loads((export / "vocabulary.json").read_text("utf-8"))
        self.arity = {name: count for name, count in vocabulary["functions"].items() if name != HEAD}
        self.tokens = [*self.arity, *vocabulary["constants"], *vocabulary["variables"]]
        self.place = {token: row for row, token in enumerate(self.tokens)}
        self.rows: dict[tuple[int, int, int], int] = {}
        self.heights: list[int] = []

    def tree(self, tokens) -> int:
        """The row of the tree that an iterator of tokens begins with."""
        token = next(tokens)
        children = [self.tree(tokens) for _ in range(self.arity.get(token, 0))]
        key = (self.place[token], *children, *[-1] * (2 - len(children)))
        if key not in self.rows:
            self.rows[key] = len(self.rows)
            self.heights.append(1 + max((self.heights[child] for child in children), default=-1))
        return self.rows[key]

    def part(self, path: Path) -> Part:
        lines = map(json.loads, path.read_text("utf-8").splitlines())
        examples = [each for each in lines if each["kind"] == "symbolic"]
        sides = []
        for example in examples:
            tokens = iter(example["prefix"][1:])
            sides.append([self.tree(tokens), self.tree(tokens)])
        labels = [float(each["label"]) for each in examples]
        return Part([each["id"] for each in examples], torch.tensor(sides), torch.tensor(labels))

    def tables(self) -> Tables:
        nodes = torch.tensor(list(self.rows))
        return Tables(nodes[:, 0], nodes[:, 1:], torch.tensor(self.heights))


class Cell(nn.Module):
    """Tai's N-ary TreeLSTM for one function: c = i ∘ u + Σ f_j ∘ c_j, h = o ∘ tanh(c)."""

    def __init__(self, arity: int, hidden: int):
        super().__init__()
        self.arity = arity
        self.linear = nn.Linear(arity * hidden, (3 + arity) * hidden)

    def forward(self, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """The states of nodes from those of their children, (nodes, arity, hidden) each."""
        i, o, u, *forget = self.linear(h.flatten(1)).chunk(3 + self.arity, dim=1)
        memory = torch.sigmoid(i) * torch.tanh(u)
        for child, f in enumerate(forget):
            memory = memory + torch.sigmoid(f) * c[:, child]
        return torch.sigmoid(o) * torch.tanh(memory), memory


class TreeLSTM(nn.Module):
    """Logits that two sides are equal: the dot product of their vectors, and a bias."""

    def __init__(self, reader: Reader, tables: Tables, hidden: int, dropout: float):
        super().__init__()
        self.tables, self.hidden, self.dropout = tables, hidden, dropout
        self.cells = nn.ModuleList([Cell(arity, hidden) for arity in reader.arity.values()])
        self.leaves = nn.Embedding(len(reader.tokens), hidden)
        self.bias = nn.Parameter(torch.zeros(()))

    def below(self, rows: Tensor) -> Tensor:
        """These rows and all of their subtrees, by height and within it by symbol."""
        found = frontier = rows.unique()
        while len(frontier):
            children = self.tables.children[frontier].flatten().unique()
            frontier = children[children >= 0]
            found = torch.cat([found, frontier])
        found = found.unique()
        return found[torch.argsort(self.tables.height[found] * 1000 + self.tables.symbol[found])]

    def forward(self, sides: Tensor) -> Tensor:
        nodes = self.below(sides.flatten())
        place = torch.full((len(self.tables.symbol),), -1)
        place[nodes] = torch.arange(len(nodes))
        symbols, children = self.tables.symbol[nodes], place[self.tables.children[nodes]]
        keys, sizes = torch.unique_consecutive(self.tables.height[nodes] * 1000 + symbols, return_counts=True)
        # One mask for all nodes of a batch: equal subtrees keep equal vectors.
        mask = functional.dropout(torch.ones(self.hidden), self.dropout, self.training)
        leaves = int(sizes[keys < 1000].sum())
        h = torch.tanh(self.leaves(symbols[:leaves]))
        c = torch.zeros_like(h)
        level, start = [], leaves
        groups = [(key, size) for key, size in zip(keys.tolist(), sizes.tolist(), strict=True) if key >= 1000]
        for number, (key, size) in enumerate(groups):
            cell = self.cells[key % 1000]
            here = children[start : start + size, : cell.arity]
            new_h, new_c = cell(h[here], c[here])
            level.append((new_h * mask, new_c))
            start += size
            if number + 1 == len(groups) or groups[number + 1][0] // 1000 > key // 1000:  # the level is complete
                h, c = (torch.cat([before, *new]) for before, new in zip((h, c), zip(*level, strict=True), strict=True))
                level = []
        left, right = h[place[sides[:, 0]]], h[place[sides[:, 1]]]
        return (left * right).sum(1) + self.bias


@torch.no_grad()
def probabilities(model: TreeLSTM, part: Part) -> Tensor:
    model.eval()
    return torch.cat([torch.sigmoid(model(sides)) for sides in part.sides.split(2048)])


def accuracy(model: TreeLSTM, part: Part) -> float:
    return float(((probabilities(model, part) > 0.5) == (part.labels == 1)).float().mean())


def train(model: TreeLSTM, train_part: Part, dev: Part, options: argparse.Namespace) -> dict[str, Tensor]:
    """The averaged parameters of the epoch that is best on dev. The clock of the speed stands still for scoring."""
    steps = options.epochs * -(-len(train_part.ids) // options.batch_size)
    optimizer = torch.optim.Adam(model.parameters(), lr=options.learning_rate, weight_decay=options.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, options.learning_rate, steps, pct_start=0.1)
    average = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.995))
    best, best_accuracy, seconds = {}, -1.0, 0.0
    for epoch in range(1, options.epochs + 1):
        model.train()
        begun = time.perf_counter()
        for rows in torch.randperm(len(train_part.ids)).split(options.batch_size):
            loss = functional.binary_cross_entropy_with_logits(model(train_part.sides[rows]), train_part.labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            average.update_parameters(model)
        seconds += time.perf_counter() - begun
        score = accuracy(average.module, dev)
        if score > best_accuracy:
            best_accuracy = score
            best = {name: value.clone() for name, value in average.module.state_dict().items()}
        speed = epoch * len(train_part.ids) / seconds
        print(f"epoch {epoch:3}  dev {100 * score:.2f} %  {speed:,.0f} equations/s  {seconds:.0f} s", flush=True)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", type=Path, help="the directory that `export` wrote")
    parser.add_argument("--split", default="strict")
    parser.add_argument("--seed", type=int, default=0, help="of the split, and of the weights")
    parser.add_argument("--out", type=Path, default=Path("predictions.jsonl"))
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--hidden", type=int, default=50)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--learning-rate", type=float, default=0.02)
    parser.add_argument("--decay", type=float, default=3e-5)
    parser.add_argument("--dropout", type=float, default=0.2)
    options = parser.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    reader, directory = Reader(options.export), options.export / options.split / str(options.seed)
    parts = [reader.part(directory / f"{name}.jsonl") for name in ("train", "dev", "test")]
    model = TreeLSTM(reader, reader.tables(), options.hidden, options.dropout)
    print(f"{sum(each.numel() for each in model.parameters()):,} parameters")
    model.load_state_dict(train(model, *parts[:2], options))
    rows = zip(parts[2].ids, probabilities(model, parts[2]).tolist(), strict=True)
    lines = [json.dumps({"id": name, "probability": round(value, 6)}) + "\n" for name, value in rows]
    options.out.write_text("".join(lines), "utf-8")
    print(f"{len(lines)} predictions written to {options.out}")


if __name__ == "__main__":
    main()
