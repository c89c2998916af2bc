// The chains, an RNN or an LSTM that reads tokens, on the distinct beginnings of a batch's sequences, forward and back.
//
// What a token adds to the sums of the gates is the same wherever it stands in a batch, as dropout has one mask for all
// of its inputs: W_ih x + b_ih is computed once for every distinct token.
#pragma once

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels.h"
#include "layout.h"
#include "verification.h"

namespace fused {

/** The sizes of a chain, and where its parameters lie: those of gluon.rnn.LSTM or RNN between tokens and head. */
class ChainModel : public Layout {
 public:
  enum { kTokens, kLayer, kHead, kBlocks };
  static constexpr bool has_decoder = false;
  enum { kInputWeight, kStateWeight, kInputBias, kStateBias };  // the stretches of the layer

  const bool lstm;
  const int sequences;              // that an equation is read as: its two sides, or the equation as one
  const int hidden, tokens, gates;  // of an LSTM: i, f, u, o

  ChainModel(bool lstm, bool whole, int hidden, int tokens)
      : Layout(kBlocks), lstm(lstm), sequences(whole ? 1 : 2), hidden(hidden), tokens(tokens), gates(lstm ? 4 : 1) {
    const size_t h = hidden, rows = gates * h;
    add(kTokens, tokens * h, true);
    add(kLayer, rows * h, true);
    add(kLayer, rows * h, true);
    add(kLayer, rows, false);
    add(kLayer, rows, false);
    if (whole) add(kHead, h, true);
    add(kHead, 1, false);
  }

  int mask_size() const { return 2 * hidden; }  // of inputs, and of last states
};

struct Prefix {
  int32_t token, previous, length;  // the row of the beginning that is one token shorter, -1 for a single token
};

/** All distinct beginnings of the sequences, the short ones first. */
struct PrefixTable {
  const Prefix* rows;
  int count;

  /** Refuses a table that a batch would run astray on. */
  void check(const ChainModel& model) const {
    for (int number = 0; number < count; number++) {
      const Prefix& row = rows[number];
      bool good = row.token >= 0 && row.token < model.tokens && row.previous >= -1 && row.previous < number;
      good = good && row.length == (row.previous < 0 ? 1 : rows[row.previous].length + 1);
      if (good && (number == 0 || rows[number - 1].length <= row.length)) continue;
      throw std::invalid_argument("row " + std::to_string(number) + " of the table is wrong or out of order");
    }
  }
};

/** The distinct beginnings in a batch as nodes 0, 1, ..., length by length, and its distinct tokens as inputs. */
class ChainPlan {
 public:
  std::vector<int> ends;           // of each sequence: its node
  std::vector<int> tokens;         // of each input: its token
  std::vector<int> input;          // of each node: the number of its input
  std::vector<Children> previous;  // of each node: the node before it
  std::vector<int> levels;         // the first node of every length; and the end

  int nodes() const { return int(rows_.size()); }
  int beginnings() const { return levels.size() > 1 ? levels[1] : 0; }  // nodes with nothing before them

  void make(const ChainModel& model, const PrefixTable& table, const int32_t* sides, int count) {
    find_distinct_rows(table, sides, count);
    node_of_row_.resize(table.count);
    input_of_token_.assign(model.tokens, -1);
    tokens.clear();
    levels.clear();
    input.resize(nodes());
    previous.resize(nodes());
    for (int node = 0; node < nodes(); node++) {
      const Prefix& row = table.rows[rows_[node]];
      node_of_row_[rows_[node]] = node;
      previous[node] = {{row.previous < 0 ? 0 : node_of_row_[row.previous], 0}};
      if (row.length > int(levels.size())) levels.push_back(node);
      int& known = input_of_token_[row.token];
      if (known < 0) {
        known = int(tokens.size());
        tokens.push_back(row.token);
      }
      input[node] = known;
    }
    levels.push_back(nodes());
    ends.resize(count);
    for (int side = 0; side < count; side++) ends[side] = node_of_row_[sides[side]];
  }

 private:
  std::vector<int> rows_, node_of_row_, input_of_token_;
  std::vector<char> seen_;  // by row of the table; cleared row by row, as a batch has few of them

  void find_distinct_rows(const PrefixTable& table, const int32_t* sides, int count) {
    seen_.resize(table.count);
    rows_.clear();
    for (int side = 0; side < count; side++) {
      if (sides[side] < 0 || sides[side] >= table.count) throw std::out_of_range("a side is not a row of the table");
      for (int row = sides[side]; row >= 0 && !seen_[row]; row = table.rows[row].previous) {
        seen_[row] = 1;
        rows_.push_back(row);
      }
    }
    std::sort(rows_.begin(), rows_.end());
    for (int row : rows_) seen_[row] = 0;
  }
};

template <typename T>
class ChainNetwork : public Verification<T> {
 public:
  using Verification<T>::logits;
  using Verification<T>::d_logits;

  ChainNetwork(const ChainModel& model, const PrefixTable& table)
      : model_(model), table_(table), hidden_(model.hidden), padded_(round_up<T>(model.hidden)) {}

  /** The batch's mask has two rows, for inputs and for the states that are compared; none when it is null. */
  void forward(const T* parameters, const Batch<T>& batch) {
    parameters_ = parameters;
    pairs_ = batch.pairs;
    plan_.make(model_, table_, batch.examples, model_.sequences * pairs_);
    make_room(batch.mask);
    inputs_forward();
    for (size_t level = 0; level + 1 < plan_.levels.size(); level++) level_forward(int(level));
    head_forward();
  }

  double squared_loss(const Batch<T>&) const { return 0; }  // chains decode nothing
  void start_from_losses(const Batch<T>& batch) { this->start_from_logistic_loss(batch, 1); }

  /** The gradients of all states and sums, from those of the logits. */
  void backward() {
    d_h_.clear(plan_.nodes());
    d_c_.clear(model_.lstm ? plan_.nodes() : 0);
    head_backward();
    for (size_t level = plan_.levels.size() - 1; level-- > 0;) level_backward(int(level));
    inputs_backward();
  }

  bool uses(int) const { return true; }  // every batch has tokens, a layer and a head, each as a whole

  /** Gives the gradient of a block to the sink; the block's parameters may change meanwhile. */
  void block_gradient(int block, GradientSink<T>& sink) {
    if (block == ChainModel::kTokens) return token_gradient(sink);
    if (block == ChainModel::kLayer) return weights_gradient(sink);
    head_gradient(sink);
  }

 private:
  using V = Vector<T>;

  const ChainModel& model_;
  const PrefixTable table_;
  const int hidden_, padded_;
  const T* parameters_ = nullptr;
  ChainPlan plan_;
  int pairs_ = 0;
  Rows<T> h_{padded_}, c_{padded_}, tanh_c_{padded_}, d_h_{padded_}, d_c_{padded_};  // a row a node
  Rows<T> sums_{padded_ * model_.gates};  // of the gates, then the gates, on the way back gradients of the sums
  Rows<T> x_{padded_}, d_x_{padded_};     // a row an input: the token's vector
  Rows<T> input_sums_{padded_ * model_.gates}, d_input_sums_{padded_ * model_.gates};  // a row an input
  enum { kInputs, kCompared, kOnes, kHeadWeight };
  Rows<T> masks_{padded_};                // of inputs, of last states, ones, the head's weight; zeros in the padding
  std::vector<int> counting_;             // 0, 1, 2, ...
  std::vector<Children> own_;

  void make_room(const T* mask) {
    const int nodes = plan_.nodes(), inputs = int(plan_.tokens.size());
    for (auto* rows : {&h_, &c_, &tanh_c_, &sums_}) rows->need(nodes);
    for (auto* rows : {&x_, &input_sums_}) rows->clear(inputs);
    masks_.clear(4);
    for (int row : {kInputs, kCompared, kOnes}) std::fill_n(masks_[row], hidden_, T(1));
    for (int row : {kInputs, kCompared}) {
      if (mask) std::copy_n(mask + row * hidden_, hidden_, masks_[row]);
    }
    if (is_whole()) std::copy_n(parameters_ + model_.begin(ChainModel::kHead, 0), hidden_, masks_[kHeadWeight]);
    logits.resize(pairs_);
    for (int next = int(counting_.size()); next < std::max(nodes, inputs); next++) {
      counting_.push_back(next);
      own_.push_back({{next, 0}});
    }
  }

  V mask(int row, int at) { return load(masks_[row] + at); }

  template <typename Body>
  void each_vector(const Body& body) const {
    for (int at = 0; at < padded_; at += width<T>) body(at);
  }

  const T* own(int stretch) const { return parameters_ + model_.begin(ChainModel::kLayer, stretch); }

  /** W_ih x + b_ih of every input. */
  Linear<T> input_layer(Rows<T>& outputs) {
    return {hidden_, padded_, 1, 0, model_.gates, own(ChainModel::kInputWeight), own(ChainModel::kInputBias),
            counting_.data(), int(plan_.tokens.size()), own_.data(), x_[0], outputs[0], padded_ * model_.gates};
  }

  /** W_hh h + b_hh of these nodes, which have something before them. */
  Linear<T> state_layer(int first, int last) {
    return {hidden_, padded_, 1, 0, model_.gates, own(ChainModel::kStateWeight), own(ChainModel::kStateBias),
            counting_.data() + first, last - first, plan_.previous.data(), h_[0], sums_[0], padded_ * model_.gates};
  }

  void inputs_forward() {
    const T* vectors = parameters_ + model_.begin(ChainModel::kTokens, 0);
    for (size_t input = 0; input < plan_.tokens.size(); input++) {
      T* x = x_[input];
      std::copy_n(vectors + size_t(plan_.tokens[input]) * hidden_, hidden_, x);
      each_vector([&](int at) { store(x + at, load(x + at) * mask(kInputs, at)); });
    }
    multiply(input_layer(input_sums_));
  }

  void level_forward(int level) {
    const int first = plan_.levels[level], last = plan_.levels[level + 1];
    if (level) {
      multiply(state_layer(first, last));
    } else {  // nothing comes before: the sums are the biases
      const T* bias = own(ChainModel::kStateBias);
      for (int node = first; node < last; node++) {
        for (int gate = 0; gate < model_.gates; gate++) {
          std::copy_n(bias + gate * hidden_, hidden_, sums_[node] + gate * padded_);
        }
      }
    }
    for (int node = first; node < last; node++) model_.lstm ? lstm_forward(node, level > 0) : rnn_forward(node);
  }

  void level_backward(int level) {
    const int first = plan_.levels[level], last = plan_.levels[level + 1];
    for (int node = first; node < last; node++) model_.lstm ? lstm_backward(node, level > 0) : rnn_backward(node);
    if (level) input_gradient(state_layer(first, last), d_h_[0]);
  }

  /** h = tanh(sum) */
  void rnn_forward(int node) {
    const T *sum = sums_[node], *added = input_sums_[plan_.input[node]];
    T* h = h_[node];
    each_vector([&](int at) {
      store(h + at, hyperbolic_tangent(load(sum + at) + load(added + at)) * mask(kOnes, at));
    });
  }

  void rnn_backward(int node) {
    const T *h = h_[node], *d_h = d_h_[node];
    T* sum = sums_[node];
    each_vector([&](int at) {
      store(sum + at, load(d_h + at) * mask(kOnes, at) * one_minus_square(load(h + at)));
    });
  }

  /** c = f ∘ c_before + i ∘ u,  h = o ∘ tanh(c) */
  void lstm_forward(int node, bool has_before) {
    T *gates = sums_[node], *h = h_[node], *own_c = c_[node], *tanh_c = tanh_c_[node];
    const T *added = input_sums_[plan_.input[node]], *c_before = c_[plan_.previous[node].at[0]];
    each_vector([&](int at) {
      const auto sum = [&](int gate) { return load(gates + gate * padded_ + at) + load(added + gate * padded_ + at); };
      const V i = sigmoid(sum(0)), f = sigmoid(sum(1)), u = hyperbolic_tangent(sum(2)), o = sigmoid(sum(3));
      const V c = has_before ? mul_add(f, load(c_before + at), i * u) : i * u;
      const V t = hyperbolic_tangent(c);
      store(gates + at, i), store(gates + padded_ + at, f), store(gates + 2 * padded_ + at, u);
      store(gates + 3 * padded_ + at, o), store(own_c + at, c), store(tanh_c + at, t);
      store(h + at, o * t * mask(kOnes, at));
    });
  }

  void lstm_backward(int node, bool has_before) {
    T *gates = sums_[node], *d_h = d_h_[node], *d_own_c = d_c_[node], *tanh_c = tanh_c_[node];
    const int before = plan_.previous[node].at[0];
    const T* c_before = c_[before];
    T* d_c_before = d_c_[before];
    each_vector([&](int at) {
      const V i = load(gates + at), f = load(gates + padded_ + at), u = load(gates + 2 * padded_ + at);
      const V o = load(gates + 3 * padded_ + at), t = load(tanh_c + at), d_output = load(d_h + at) * mask(kOnes, at);
      const V d_c = mul_add(d_output * o, one_minus_square(t), load(d_own_c + at));
      store(gates + at, d_c * u * i * (1 - i));
      store(gates + 2 * padded_ + at, d_c * i * one_minus_square(u));
      store(gates + 3 * padded_ + at, d_output * t * o * (1 - o));
      if (!has_before) return store(gates + padded_ + at, V{});
      store(gates + padded_ + at, d_c * load(c_before + at) * f * (1 - f));
      store(d_c_before + at, mul_add(d_c, f, load(d_c_before + at)));
    });
  }

  /** What the inputs get from all nodes that read them. */
  void inputs_backward() {
    d_input_sums_.clear(plan_.tokens.size());
    for (int node = 0; node < plan_.nodes(); node++) {
      T* to = d_input_sums_[plan_.input[node]];
      const T* from = sums_[node];
      for (int at = 0; at < padded_ * model_.gates; at += width<T>) store(to + at, load(to + at) + load(from + at));
    }
  }

  void weights_gradient(GradientSink<T>& sink) {
    const auto place = [&](int stretch) { return model_.begin(ChainModel::kLayer, stretch); };
    const Linear<T> inputs = input_layer(d_input_sums_), states = state_layer(plan_.beginnings(), plan_.nodes());
    const size_t size = size_t(hidden_) * hidden_;
    for (int gate = 0; gate < model_.gates; gate++) {
      weight_gradient(inputs, gate, sink.room(size));
      sink.take(place(ChainModel::kInputWeight) + gate * size, size, true);
      weight_gradient(states, gate, sink.room(size));
      sink.take(place(ChainModel::kStateWeight) + gate * size, size, true);
      for (int stretch : {ChainModel::kInputBias, ChainModel::kStateBias}) {  // both biases are in every sum
        bias_gradient(inputs, gate, sink.room(hidden_));
        sink.take(place(stretch) + gate * hidden_, hidden_, false);
      }
    }
  }

  void token_gradient(GradientSink<T>& sink) {
    d_x_.clear(plan_.tokens.size());
    input_gradient(input_layer(d_input_sums_), d_x_[0]);
    const size_t size = size_t(model_.tokens) * hidden_;
    T* gradient = sink.room(size);
    std::fill_n(gradient, size, T(0));
    for (size_t input = 0; input < plan_.tokens.size(); input++) {
      T* to = gradient + size_t(plan_.tokens[input]) * hidden_;
      for (int index = 0; index < hidden_; index++) to[index] = d_x_[input][index] * masks_[kInputs][index];
    }
    sink.take(model_.begin(ChainModel::kTokens, 0), size, true);
  }

  // the head, with the mask m of last states: ⟨m ∘ h_left, m ∘ h_right⟩ + b of two sides, ⟨w, m ∘ h⟩ + b of an equation

  bool is_whole() const { return model_.sequences == 1; }

  T head_bias() const { return parameters_[model_.block(ChainModel::kHead).back().begin]; }

  void head_forward() {
    for (int pair = 0; pair < pairs_; pair++) {
      const T *left = h_[plan_.ends[pair]], *right = is_whole() ? masks_[kHeadWeight] : h_[plan_.ends[pairs_ + pair]];
      V sum = {};
      each_vector([&](int at) { sum = mul_add(load(left + at) * load(right + at), head_mask(at), sum); });
      logits[pair] = head_bias();
      for (int lane = 0; lane < width<T>; lane++) logits[pair] += sum[lane];
    }
  }

  /** Adds d_logit * m ∘ other to the gradient of a state. */
  void add_to_state(int node, T d_logit, const T* other) {
    T* d_h = d_h_[node];
    each_vector([&](int at) {
      store(d_h + at, mul_add(d_logit * load(other + at), head_mask(at), load(d_h + at)));
    });
  }

  void head_backward() {
    for (int pair = 0; pair < pairs_; pair++) {
      const int left = plan_.ends[pair];
      if (is_whole()) {
        add_to_state(left, d_logits[pair], masks_[kHeadWeight]);
      } else {
        const int right = plan_.ends[pairs_ + pair];
        add_to_state(left, d_logits[pair], h_[right]);
        add_to_state(right, d_logits[pair], h_[left]);
      }
    }
  }

  void head_gradient(GradientSink<T>& sink) {
    const Block& block = model_.block(ChainModel::kHead);
    if (is_whole()) {
      T* d_weight = sink.room(hidden_);
      std::fill_n(d_weight, hidden_, T(0));
      for (int pair = 0; pair < pairs_; pair++) {
        const T* h = h_[plan_.ends[pair]];
        for (int index = 0; index < hidden_; index++) {
          d_weight[index] = mul_add(d_logits[pair] * h[index], masks_[kCompared][index], d_weight[index]);
        }
      }
      sink.take(block.front().begin, hidden_, true);
    }
    *sink.room(1) = std::accumulate(d_logits.begin(), d_logits.end(), T(0));
    sink.take(block.back().begin, 1, false);
  }

  /** What the mask multiplies a product in the logit with: of two sides both are masked. */
  V head_mask(int at) { return is_whole() ? mask(kCompared, at) : mask(kCompared, at) * mask(kCompared, at); }
};

}  // namespace fused
