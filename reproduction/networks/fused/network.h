// The network of a batch, forward and back, on its distinct subtrees.
//
// On the way back the gradients stay with the nodes; each block of parameters is asked for its own at the end, so that
// weight gradients are summed over all levels at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels.h"
#include "plan.h"

namespace fused {

template <typename T>
class Network : public Verification<T> {
 public:
  using Verification<T>::logits;
  using Verification<T>::d_logits;
  std::vector<T> numbers, d_numbers;  // what the decoder gives, and the gradient that the way back starts from

  Network(const Model& model, const Table& table, const T* values)
      : model_(model), table_(table), values_(values), hidden_(model.hidden), padded_(round_up<T>(model.hidden)) {}

  void forward(const T* parameters, const Batch<T>& batch) {
    parameters_ = parameters;
    plan_.make(model_, table_, batch);
    make_room(batch);
    symbols_forward();
    numbers_forward();
    for (const Run& run : plan_.runs) run_forward(run);
    pairs_forward();
    decoder_forward();
  }

  /** weight_decoded * Σ (d - t)², over the decoded rows. */
  double squared_loss(const Batch<T>& batch) const {
    double sum = 0;
    for (int index = 0; index < decoded_; index++) {
      const double error = numbers[index] - batch.answers[pairs_ + index];
      sum = mul_add(error, error, sum);
    }
    return batch.weight_decoded * sum;
  }

  /** Sets the gradients of logits and numbers to those of d_logistic * logistic loss + d_squared * squared loss. */
  void start_from_losses(const Batch<T>& batch, double d_logistic = 1, double d_squared = 1) {
    this->start_from_logistic_loss(batch, d_logistic);
    d_numbers.resize(decoded_);
    for (int index = 0; index < decoded_; index++) {
      const double error = numbers[index] - batch.answers[pairs_ + index];
      d_numbers[index] = T(d_squared * batch.weight_decoded * 2 * error);
    }
  }

  /** The gradients of all states and sums, from those of the logits and numbers. */
  void backward() {
    d_h_.clear(plan_.nodes);
    d_c_.clear(model_.lstm ? plan_.nodes : 0);
    pairs_backward();
    decoder_backward();
    for (size_t index = plan_.runs.size(); index-- > 0;) run_backward(plan_.runs[index]);
  }

  /** Whether the batch uses a block: only then it gets a step. The symbols are always there, as a whole. */
  bool uses(int block) const {
    if (block < model_.functions()) return plan_.has(block);
    if (block == model_.head_block()) return pairs_ > 0;
    if (block == model_.number_block()) return plan_.leaves > plan_.symbols;
    return block == model_.symbol_block() || decoded_ > 0;
  }

  /** Gives the gradient of a block that the batch uses to the sink; the block's parameters may change meanwhile. */
  void block_gradient(int block, GradientSink<T>& sink) {
    if (block < model_.functions()) return function_gradient(block, sink);
    if (block == model_.symbol_block()) return symbol_gradient(sink);
    if (block == model_.number_block()) return number_gradient(sink);
    if (block == model_.decoder_block()) return decoder_gradient(sink);
    *sink.room(1) = std::accumulate(d_logits.begin(), d_logits.end(), T(0));
    sink.take(begin(block, 0), 1, false);
  }

 private:
  using V = Vector<T>;
  enum { kWeight, kBias };                      // the stretches of a function's block
  enum { kWeight1, kBias1, kWeight2, kBias2 };  // those of the number block and of the decoder

  const Model& model_;
  const Table table_;
  const T* const values_;  // of the numbers, by row of the table
  const int hidden_, padded_;
  const T* parameters_ = nullptr;
  Plan plan_;
  int pairs_ = 0, decoded_ = 0;
  Rows<T> h_{padded_}, c_{padded_}, tanh_c_{padded_}, d_h_{padded_}, d_c_{padded_};  // a row a node
  Rows<T> sums_{padded_ * model_.gates(2)};  // sums of the gates, then the gates, on the way back gradients of the sums
  Rows<T> number_inner_{padded_}, number_sums_{padded_}, d_number_inner_{padded_};   // a row a number
  Rows<T> decoder_inner_{padded_}, d_decoder_inner_{padded_};                        // a row a decoded row
  Rows<T> mask_{padded_}, ones_{padded_};  // one row; zeros in the padding, which they keep out of h
  std::vector<int> counting_;  // 0, 1, 2, ...
  std::vector<Children> own_, decoded_nodes_;

  size_t begin(int block, int stretch) const { return model_.begin(block, stretch); }

  void make_room(const Batch<T>& batch) {
    pairs_ = batch.pairs;
    decoded_ = batch.decoded;
    for (auto* rows : {&h_, &c_, &tanh_c_, &sums_}) rows->need(plan_.nodes);
    c_.clear(plan_.leaves);
    mask_.clear(1);
    ones_.clear(1);
    std::copy_n(batch.mask, hidden_, mask_[0]);
    std::fill_n(ones_[0], hidden_, T(1));
    logits.resize(pairs_);
    numbers.resize(decoded_);
    for (int next = int(counting_.size()); next < std::max(plan_.nodes, decoded_); next++) {
      counting_.push_back(next);
      own_.push_back({{next, 0}});
    }
  }

  template <typename Body>
  void each_vector(const Body& body) const {
    for (int at = 0; at < padded_; at += width<T>) body(at);
  }

  // linear layers

  Linear<T> function_layer(int function, int first_gate, int last_gate, int first_member, int last_member) {
    return {hidden_, padded_, model_.arity(function), first_gate, last_gate, parameters_ + begin(function, kWeight),
            parameters_ + begin(function, kBias), plan_.members.data() + first_member, last_member - first_member,
            plan_.children.data(), h_[0], sums_[0], padded_ * model_.gates(2)};
  }

  Linear<T> run_layer(const Run& run) { return function_layer(run.function, 0, gates(run), run.begin, run.end); }

  Linear<T> square_layer(int block, int weight, const std::vector<Children>& children, T* inputs, T* outputs,
                         int count) {
    return {hidden_, padded_, 1, 0, 1, parameters_ + begin(block, weight), parameters_ + begin(block, weight + 1),
            counting_.data(), count, children.data(), inputs, outputs, padded_};
  }

  // leaves: h = s(symbol's row), h = s(W_2 tanh(W_1 n + b_1) + b_2), with the model's squashing of leaves; c = 0

  template <typename Any>
  Any squash(Any x) const {
    if (model_.leaf == Squashing::kIdentity) return x;
    return model_.leaf == Squashing::kTanh ? hyperbolic_tangent(x) : sigmoid(x);
  }

  template <typename Any>
  Any squash_slope(Any h) const {
    if (model_.leaf == Squashing::kIdentity) return Any{} + 1;
    return model_.leaf == Squashing::kTanh ? one_minus_square(h) : h * (1 - h);
  }

  void symbols_forward() {
    const T* weight = parameters_ + begin(model_.symbol_block(), 0);
    for (int node = 0; node < plan_.symbols; node++) {
      T* h = h_[node];
      std::copy_n(weight + size_t(table_.rows[plan_.rows[node]].first) * hidden_, hidden_, h);
      each_vector([&](int at) { store(h + at, squash(load(h + at)) * load(ones_[0] + at)); });
    }
  }

  void symbol_gradient(GradientSink<T>& sink) {
    const size_t size = size_t(model_.symbols) * hidden_;
    T* gradient = sink.room(size);
    std::fill_n(gradient, size, T(0));
    for (int node = 0; node < plan_.symbols; node++) {
      T* to = gradient + size_t(table_.rows[plan_.rows[node]].first) * hidden_;
      const T *h = h_[node], *d_h = d_h_[node];
      for (int index = 0; index < hidden_; index++) {
        to[index] = mul_add(d_h[index], squash_slope(h[index]), to[index]);
      }
    }
    sink.take(begin(model_.symbol_block(), 0), size, true);
  }

  Linear<T> number_layer() {
    const int count = plan_.leaves - plan_.symbols;
    return square_layer(model_.number_block(), kWeight2, own_, number_inner_[0], number_sums_[0], count);
  }

  T number_value(int index) const { return values_[plan_.rows[plan_.symbols + index]]; }

  void numbers_forward() {
    const int count = plan_.leaves - plan_.symbols, block = model_.number_block();
    if (!count) return;
    number_inner_.clear(count);
    number_sums_.clear(count);
    const T *weight = parameters_ + begin(block, kWeight1), *bias = parameters_ + begin(block, kBias1);
    for (int number = 0; number < count; number++) {
      T* inner = number_inner_[number];
      for (int index = 0; index < hidden_; index++) {
        inner[index] = mul_add(weight[index], number_value(number), bias[index]);
      }
      each_vector([&](int at) { store(inner + at, hyperbolic_tangent(load(inner + at))); });
    }
    multiply(number_layer());
    for (int number = 0; number < count; number++) {
      T *sums = number_sums_[number], *h = h_[plan_.symbols + number];
      each_vector([&](int at) { store(h + at, squash(load(sums + at)) * load(ones_[0] + at)); });
    }
  }

  void number_gradient(GradientSink<T>& sink) {
    const int count = plan_.leaves - plan_.symbols, block = model_.number_block();
    for (int number = 0; number < count; number++) {
      const T *h = h_[plan_.symbols + number], *d_h = d_h_[plan_.symbols + number];
      T* d_sums = number_sums_[number];
      each_vector([&](int at) { store(d_sums + at, load(d_h + at) * squash_slope(load(h + at))); });
    }
    const Linear<T> layer = number_layer();
    d_number_inner_.clear(count);
    input_gradient(layer, d_number_inner_[0]);
    layer_gradient(layer, begin(block, kWeight2), begin(block, kBias2), sink);
    T *d_weight = sink.room(2 * hidden_), *d_bias = d_weight + hidden_;
    std::fill_n(d_weight, 2 * hidden_, T(0));
    for (int number = 0; number < count; number++) {
      const T *inner = number_inner_[number], *d_inner = d_number_inner_[number];
      for (int index = 0; index < hidden_; index++) {
        const T d_sum = d_inner[index] * one_minus_square(inner[index]);
        d_weight[index] = mul_add(d_sum, number_value(number), d_weight[index]);
        d_bias[index] += d_sum;
      }
    }
    sink.take(begin(block, kWeight1), hidden_, true);
    std::copy_n(d_bias, hidden_, sink.room(hidden_));
    sink.take(begin(block, kBias1), hidden_, false);
  }

  // functions

  /** Directly above the leaves there is nothing to forget: c is 0 there. */
  int gates(const Run& run) const {
    return model_.lstm && plan_.is_above_leaves(run) ? 3 : model_.gates(model_.arity(run.function));
  }

  void run_forward(const Run& run) {
    multiply(run_layer(run));
    for (int place = run.begin; place < run.end; place++) {
      model_.lstm ? lstm_forward(plan_.members[place], gates(run) - 3) : nn_forward(plan_.members[place]);
    }
  }

  void run_backward(const Run& run) {
    for (int place = run.begin; place < run.end; place++) {
      model_.lstm ? lstm_backward(plan_.members[place], gates(run) - 3) : nn_backward(plan_.members[place]);
    }
    input_gradient(run_layer(run), d_h_[0]);
  }

  /** h = σ(sum) */
  void nn_forward(int node) {
    T *sum = sums_[node], *h = h_[node];
    each_vector([&](int at) {
      const V s = sigmoid(load(sum + at));
      store(sum + at, s);
      store(h + at, s * load(mask_[0] + at));
    });
  }

  void nn_backward(int node) {
    T *sum = sums_[node], *d_h = d_h_[node];
    each_vector([&](int at) {
      const V s = load(sum + at);
      store(sum + at, load(d_h + at) * load(mask_[0] + at) * s * (1 - s));
    });
  }

  /** c = i ∘ u + Σ f_k ∘ c_k,  h = o ∘ tanh(c) */
  void lstm_forward(int node, int forget_gates) {
    T *gates = sums_[node], *h = h_[node], *own_c = c_[node], *tanh_c = tanh_c_[node];
    each_vector([&](int at) {
      const V i = sigmoid(load(gates + at)), o = sigmoid(load(gates + padded_ + at));
      const V u = hyperbolic_tangent(load(gates + 2 * padded_ + at));
      store(gates + at, i), store(gates + padded_ + at, o), store(gates + 2 * padded_ + at, u);
      V c = i * u;
      for (int k = 0; k < forget_gates; k++) {
        const V f = sigmoid(load(gates + (3 + k) * padded_ + at));
        store(gates + (3 + k) * padded_ + at, f);
        c = mul_add(f, load(c_[plan_.children[node].at[k]] + at), c);
      }
      const V t = hyperbolic_tangent(c);
      store(own_c + at, c), store(tanh_c + at, t), store(h + at, o * t * load(mask_[0] + at));
    });
  }

  void lstm_backward(int node, int forget_gates) {
    T *gates = sums_[node], *d_h = d_h_[node], *d_own_c = d_c_[node], *tanh_c = tanh_c_[node];
    each_vector([&](int at) {
      const V i = load(gates + at), o = load(gates + padded_ + at), u = load(gates + 2 * padded_ + at);
      const V t = load(tanh_c + at), d_output = load(d_h + at) * load(mask_[0] + at);
      const V d_c = mul_add(d_output * o, one_minus_square(t), load(d_own_c + at));
      store(gates + at, d_c * u * i * (1 - i));
      store(gates + padded_ + at, d_output * t * o * (1 - o));
      store(gates + 2 * padded_ + at, d_c * i * one_minus_square(u));
      for (int k = 0; k < forget_gates; k++) {
        const int child = plan_.children[node].at[k];
        const V f = load(gates + (3 + k) * padded_ + at);
        store(gates + (3 + k) * padded_ + at, d_c * load(c_[child] + at) * f * (1 - f));
        store(d_c_[child] + at, mul_add(d_c, f, load(d_c_[child] + at)));
      }
    });
  }

  void function_gradient(int function, GradientSink<T>& sink) {
    const int first = plan_.starts[function], last = plan_.starts[function + 1];
    const int gates = model_.gates(model_.arity(function));
    const int unforgetting = std::min(gates, 3);  // these gates have all nodes, those that forget only the higher ones
    for (const Linear<T>& layer : {function_layer(function, 0, unforgetting, first, last),
                                   function_layer(function, unforgetting, gates, plan_.higher[function], last)}) {
      layer_gradient(layer, begin(function, kWeight), begin(function, kBias), sink);
    }
  }

  // heads: the logit ⟨h_left, h_right⟩ + b, and the decoder W_2 tanh(W_1 h + b_1) + b_2

  void pairs_forward() {
    const T bias = parameters_[begin(model_.head_block(), 0)];
    for (int pair = 0; pair < pairs_; pair++) {
      const T *left = h_[plan_.roots[pair]], *right = h_[plan_.roots[pairs_ + pair]];
      V sum = {};
      each_vector([&](int at) { sum = mul_add(load(left + at), load(right + at), sum); });
      logits[pair] = bias;
      for (int lane = 0; lane < width<T>; lane++) logits[pair] += sum[lane];
    }
  }

  void pairs_backward() {
    for (int pair = 0; pair < pairs_; pair++) {
      const int left = plan_.roots[pair], right = plan_.roots[pairs_ + pair];
      const V d_logit = everywhere(d_logits[pair]);
      for (const auto& [to, from] : {std::pair{left, right}, std::pair{right, left}}) {
        T *d_h = d_h_[to], *h = h_[from];
        each_vector([&](int at) { store(d_h + at, mul_add(d_logit, load(h + at), load(d_h + at))); });
      }
    }
  }

  Linear<T> decoder_layer(T* outputs) {
    return square_layer(model_.decoder_block(), kWeight1, decoded_nodes_, h_[0], outputs, decoded_);
  }

  void decoder_forward() {
    if (!decoded_) return;
    decoder_inner_.clear(decoded_);
    decoded_nodes_.clear();
    for (int index = 0; index < decoded_; index++) decoded_nodes_.push_back({{plan_.roots[2 * pairs_ + index], 0}});
    multiply(decoder_layer(decoder_inner_[0]));
    const int block = model_.decoder_block();
    const T* weight = parameters_ + begin(block, kWeight2);
    for (int index = 0; index < decoded_; index++) {
      T* inner = decoder_inner_[index];
      each_vector([&](int at) { store(inner + at, hyperbolic_tangent(load(inner + at))); });
      numbers[index] = add_products(parameters_[begin(block, kBias2)], weight, inner, hidden_);
    }
  }

  void decoder_backward() {
    if (!decoded_) return;
    d_decoder_inner_.clear(decoded_);
    const T* weight = parameters_ + begin(model_.decoder_block(), kWeight2);
    for (int number = 0; number < decoded_; number++) {
      const T* inner = decoder_inner_[number];
      T* d_inner = d_decoder_inner_[number];
      for (int index = 0; index < hidden_; index++) {
        d_inner[index] = d_numbers[number] * weight[index] * one_minus_square(inner[index]);
      }
    }
    input_gradient(decoder_layer(d_decoder_inner_[0]), d_h_[0]);
  }

  void decoder_gradient(GradientSink<T>& sink) {
    const int block = model_.decoder_block();
    layer_gradient(decoder_layer(d_decoder_inner_[0]), begin(block, kWeight1), begin(block, kBias1), sink);
    T* d_weight = sink.room(hidden_);
    std::fill_n(d_weight, hidden_, T(0));
    for (int number = 0; number < decoded_; number++) {
      const T* inner = decoder_inner_[number];
      for (int index = 0; index < hidden_; index++) {
        d_weight[index] = mul_add(d_numbers[number], inner[index], d_weight[index]);
      }
    }
    sink.take(begin(block, kWeight2), hidden_, true);
    *sink.room(1) = std::accumulate(d_numbers.begin(), d_numbers.end(), T(0));
    sink.take(begin(block, kBias2), 1, false);
  }
};

}  // namespace fused
