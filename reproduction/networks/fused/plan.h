// What is computed: the model's parameters in one flat vector, the table of subtrees, and the plan of a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels.h"
#include "layout.h"
#include "verification.h"

namespace fused {

/** What squashes the vectors of leaves. */
enum class Squashing { kSigmoid, kTanh, kIdentity };

/** The model's sizes, and where its parameters lie. */
class Model : public Layout {
 public:
  const bool lstm;
  const Squashing leaf;
  const int hidden, symbols, unary, binary;
  const bool has_numbers, has_decoder;

  Model(bool lstm, Squashing leaf, int hidden, int symbols, int unary, int binary, bool numbers, bool decoder)
      : Layout(unary + binary + 4),
        lstm(lstm),
        leaf(leaf),
        hidden(hidden),
        symbols(symbols),
        unary(unary),
        binary(binary),
        has_numbers(numbers),
        has_decoder(decoder) {
    const size_t h = hidden;
    for (bool is_weight : {true, false}) {
      for (int function = 0; function < functions(); function++) {
        const size_t rows = gates(arity(function)) * h;
        add(function, is_weight ? rows * arity(function) * h : rows, is_weight);
      }
    }
    add(head_block(), 1, false);
    add(symbol_block(), symbols * h, true);
    if (numbers) add_two_layers(number_block(), 1, h);
    if (decoder) add_two_layers(decoder_block(), h, 1);
  }

  static constexpr int sequences = 2;  // that an equation is read as: its two sides
  int mask_size() const { return hidden; }

  int functions() const { return unary + binary; }
  int arity(int function) const { return function < unary ? 1 : 2; }
  int gates(int arity) const { return lstm ? 3 + arity : 1; }  // of a TreeLSTM: i, o, u, f_1(, f_2)

  int head_block() const { return functions(); }  // the functions themselves are blocks 0, 1, ...
  int symbol_block() const { return functions() + 1; }
  int number_block() const { return functions() + 2; }
  int decoder_block() const { return functions() + 3; }

 private:
  void add_two_layers(int block, size_t inputs, size_t outputs) {
    add(block, hidden * inputs, true);
    add(block, hidden, false);
    add(block, outputs * hidden, true);
    add(block, outputs, false);
  }
};

constexpr int kSymbolLeaf = -2, kNumberLeaf = -1;

struct Row {
  int32_t function, first, second, height;  // first child, or a symbol's row of the symbol weights
};

/** All distinct subtrees of the data: symbols, numbers, then functions by height, arity and function. */
struct Table {
  const Row* rows;
  int count;

  /** Refuses a table that the plan of a batch would run astray on. */
  void check(const Model& model) const {
    for (int number = 0; number < count; number++) {
      const Row& row = rows[number];
      const int above = number ? rows[number - 1].function : kSymbolLeaf;
      bool good = row.function < model.functions();
      if (row.function == kSymbolLeaf) {
        good &= above == kSymbolLeaf && row.first >= 0 && row.first < model.symbols;
      } else if (row.function == kNumberLeaf) {
        good &= above < 0 && model.has_numbers;
      } else {
        good &= row.function >= 0 && row.height > 0 && (above < 0 || rows[number - 1].height <= row.height);
        good = good && is_child(row.first, number) && (model.arity(row.function) == 1 || is_child(row.second, number));
      }
      if (good) continue;
      throw std::invalid_argument("row " + std::to_string(number) + " of the table is wrong or out of order");
    }
  }

 private:
  bool is_child(int child, int of) const {
    return child >= 0 && child < of && (rows[child].function < 0 || rows[child].height < rows[of].height);
  }
};

/** Nodes of one function at one height, computed together. */
struct Run {
  int function, begin, end;  // where its nodes stand among the members
};

/** The distinct subtrees of a batch as nodes 0, 1, ...: symbols, numbers, then functions level by level. */
class Plan {
 public:
  int symbols, leaves, nodes;  // leaves are symbols and numbers, nodes is everything
  std::vector<int> rows;       // of each node: its row in the table
  std::vector<int> roots;      // of each example: its node
  std::vector<Children> children;
  std::vector<int> members;  // the nodes of function 0, of function 1, ..., each ascending
  std::vector<int> starts;   // of each function: its first place among the members; and the end
  std::vector<int> higher;   // of each function: the place of its first node that is higher than 1
  std::vector<Run> runs;     // children before parents

  template <typename T>
  void make(const Model& model, const Table& table, const Batch<T>& batch) {
    find_distinct_rows(model, table, batch.examples, batch.rows());
    roots.resize(batch.rows());
    for (int index = 0; index < batch.rows(); index++) roots[index] = node_of_row_[batch.examples[index]];
    group_by_function(model, table);
    make_runs(table);
  }

  bool has(int function) const { return starts[function] < starts[function + 1]; }
  bool is_above_leaves(const Run& run) const { return run.begin < higher[run.function]; }

 private:
  std::vector<uint64_t> seen_;  // a bit for every row of the table: read in order, nothing has to be sorted
  std::vector<int> node_of_row_, next_;

  void visit(const Model& model, const Table& table, int row) {
    const uint64_t bit = uint64_t(1) << (row % 64);
    if (seen_[row / 64] & bit) return;
    seen_[row / 64] |= bit;
    const Row& here = table.rows[row];
    if (here.function < 0) return;
    visit(model, table, here.first);
    if (model.arity(here.function) == 2) visit(model, table, here.second);
  }

  void find_distinct_rows(const Model& model, const Table& table, const int32_t* examples, int count) {
    seen_.assign((table.count + 63) / 64, 0);
    node_of_row_.resize(table.count);
    for (int index = 0; index < count; index++) {
      if (examples[index] < 0 || examples[index] >= table.count) {
        throw std::out_of_range("an example is not a row of the table");
      }
      visit(model, table, examples[index]);
    }
    rows.clear();
    symbols = leaves = 0;
    for (size_t word = 0; word < seen_.size(); word++) {
      for (uint64_t left = seen_[word]; left; left &= left - 1) {
        const int row = int(word) * 64 + __builtin_ctzll(left);
        node_of_row_[row] = int(rows.size());
        rows.push_back(row);
        symbols += table.rows[row].function == kSymbolLeaf;
        leaves += table.rows[row].function < 0;
      }
    }
    nodes = int(rows.size());
  }

  void group_by_function(const Model& model, const Table& table) {
    starts.assign(model.functions() + 1, 0);
    for (int node = leaves; node < nodes; node++) starts[table.rows[rows[node]].function + 1]++;
    for (int function = 0; function < model.functions(); function++) starts[function + 1] += starts[function];
    members.resize(nodes - leaves);
    children.resize(nodes);
    next_ = higher = starts;
    for (int node = leaves; node < nodes; node++) {
      const Row& row = table.rows[rows[node]];
      const bool binary = model.arity(row.function) == 2;
      children[node] = {{node_of_row_[row.first], binary ? node_of_row_[row.second] : 0}};
      members[next_[row.function]++] = node;
      higher[row.function] += row.height == 1;
    }
  }

  void make_runs(const Table& table) {
    runs.clear();
    next_ = starts;
    for (int node = leaves; node < nodes; node++) {
      const Row &row = table.rows[rows[node]], *last = node > leaves ? &table.rows[rows[node - 1]] : nullptr;
      int& next = next_[row.function];
      if (!last || row.function != last->function || row.height != last->height) {
        runs.push_back({row.function, next, next});
      }
      runs.back().end = ++next;
    }
  }
};

}  // namespace fused
