// The eight optimizers as in MXNet 1.9.1 with its default arguments, and the running average of the parameters.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

namespace fused {

enum class Rule { kSgd, kNag, kRmsprop, kAdam, kAdagrad, kAdadelta, kDcasgd, kSgld };

inline Rule rule_called(const std::string& name) {
  static const std::map<std::string, Rule> rules = {
      {"sgd", Rule::kSgd},         {"nag", Rule::kNag},           {"rmsprop", Rule::kRmsprop}, {"adam", Rule::kAdam},
      {"adagrad", Rule::kAdagrad}, {"adadelta", Rule::kAdadelta}, {"dcasgd", Rule::kDcasgd},   {"sgld", Rule::kSgld}};
  const auto found = rules.find(name);
  if (found == rules.end()) throw std::invalid_argument("optimizer '" + name + "' is unknown");
  return found->second;
}

/** How many arrays as long as the parameters a rule remembers; DCASGD's second one is the previous parameters. */
inline bool has_state(Rule rule, int number, double momentum) {
  switch (rule) {
    case Rule::kSgd:
    case Rule::kNag:
      return number == 1 && momentum != 0;
    case Rule::kRmsprop:
    case Rule::kAdagrad:
      return number == 1;
    case Rule::kAdam:
    case Rule::kAdadelta:
      return true;
    case Rule::kDcasgd:
      return number == 2 || momentum != 0;
    case Rule::kSgld:
      return false;
  }
  return false;
}

/** A number of the standard normal distribution that depends on nothing but its arguments. */
inline double normal_number(uint64_t seed, uint64_t step, uint64_t index) {
  uint64_t bits = seed;
  for (uint64_t part : {step, index}) {  // the finalizer of SplitMix64, once for each part
    bits += (part + 1) * 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    bits ^= bits >> 31;
  }
  const double one = ((bits >> 32) + 0.5) / 4294967296.0, two = (bits & 0xFFFFFFFFu) / 4294967296.0;
  return std::sqrt(-2 * std::log(one)) * std::cos(2 * M_PI * two);  // Box and Muller
}

template <typename T>
struct Optimizer {
  Rule rule;
  T momentum;
  T *parameters, *state_1, *state_2;
  uint64_t seed;

  /** One step on parameters begin to end; their gradients are multiplied by scale. `step` counts from 1. */
  void update(size_t begin, size_t end, const T* gradient, T scale, double rate, int64_t step) const {
    const T lr = rate;
    T *w = parameters, *first = state_1, *second = state_2;
    const auto each = [&](const auto& body) {
      for (size_t i = begin; i < end; i++) body(i, gradient[i] * scale);
    };
    switch (rule) {
      case Rule::kSgd:
        if (momentum == 0) return each([=](size_t i, T g) { w[i] -= lr * g; });
        return each([=, m = momentum](size_t i, T g) {
          first[i] = m * first[i] - lr * g;
          w[i] += first[i];
        });
      case Rule::kNag:
        if (momentum == 0) return each([=](size_t i, T g) { w[i] -= lr * g; });
        return each([=, m = momentum](size_t i, T g) {
          first[i] = m * first[i] - lr * g;
          w[i] += m * first[i] - lr * g;
        });
      case Rule::kRmsprop:
        return each([=](size_t i, T g) {
          first[i] = T(0.9) * first[i] + (1 - T(0.9)) * g * g;
          w[i] -= lr * g / std::sqrt(first[i] + T(1e-8));
        });
      case Rule::kAdam: {
        const T corrected = rate * std::sqrt(1 - std::pow(0.999, step)) / (1 - std::pow(0.9, step));
        return each([=](size_t i, T g) {
          first[i] = T(0.9) * first[i] + (1 - T(0.9)) * g;
          second[i] = T(0.999) * second[i] + (1 - T(0.999)) * g * g;
          w[i] -= corrected * first[i] / (std::sqrt(second[i]) + T(1e-8));
        });
      }
      case Rule::kAdagrad:
        return each([=](size_t i, T g) {
          first[i] += g * g;
          w[i] -= lr * g / std::sqrt(first[i] + T(1e-7));
        });
      case Rule::kAdadelta:  // has no rate
        return each([=](size_t i, T g) {
          first[i] = T(0.9) * first[i] + (1 - T(0.9)) * g * g;
          const T delta = std::sqrt(second[i] + T(1e-5)) / std::sqrt(first[i] + T(1e-5)) * g;
          second[i] = T(0.9) * second[i] + (1 - T(0.9)) * delta * delta;
          w[i] -= delta;
        });
      case Rule::kDcasgd:
        return each([=, m = momentum](size_t i, T g) {
          const T change = -lr * (g + T(0.04) * g * g * (w[i] - second[i]));
          second[i] = w[i];
          if (m != 0) first[i] = m * first[i] + change;
          w[i] += m != 0 ? first[i] : change;
        });
      case Rule::kSgld:
        return each([=, deviation = std::sqrt(rate), s = seed](size_t i, T g) {
          w[i] += -lr / 2 * g + T(deviation * normal_number(s, step, i));
        });
    }
  }
};

/** average = decay * average + (1 - decay) * parameters after every step, for all parameters.
 *
 * What a batch does not touch stays behind and catches up when it is touched, or when the call ends, by as many
 * multiplications as it missed: a power would be shorter, but then the bits would depend on where a call ends.
 */
template <typename T>
class Average {
 public:
  Average(T decay, T* average, const T* parameters, const std::vector<Block>& blocks)
      : decay_(decay), average_(average), parameters_(parameters), blocks_(blocks), done_(blocks.size(), 0) {}

  /** Takes all steps of a block up to this number; to be called before the block changes. */
  void catch_up(int block, int steps) {
    if (decay_ == 0) return;
    const int missed = steps - done_[block];
    done_[block] = steps;
    if (missed) {
      for (const Stretch& stretch : blocks_[block]) repeat(stretch, missed);
    }
  }

  void catch_up_all(int steps) {
    for (size_t block = 0; block < blocks_.size(); block++) catch_up(int(block), steps);
  }

 private:
  const T decay_;
  T* const average_;
  const T* const parameters_;
  const std::vector<Block>& blocks_;
  std::vector<int> done_;

  void repeat(const Stretch& stretch, int times) {
    constexpr int size = 64;  // numbers that stay in registers meanwhile
    for (size_t start = stretch.begin; start < stretch.end; start += size) {
      T mean[size] = {}, share[size] = {};
      const size_t count = std::min<size_t>(size, stretch.end - start);
      for (size_t i = 0; i < count; i++) mean[i] = average_[start + i], share[i] = (1 - decay_) * parameters_[start + i];
      for (int time = 0; time < times; time++) {
        for (int i = 0; i < size; i++) mean[i] = decay_ * mean[i] + share[i];
      }
      for (size_t i = 0; i < count; i++) average_[start + i] = mean[i];
    }
  }
};

}  // namespace fused
