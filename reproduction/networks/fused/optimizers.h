// The eight optimizers as in MXNet 1.9.1 with its default arguments, and the running average of the parameters.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "kernels.h"
#include "layout.h"

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

/** Whether a rule needs state 1 or 2, as long as the parameters. State 2 of DCASGD starts as a copy of them. */
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

/** Noise of the standard normal distribution that depends on nothing but seed, step and index.
 *
 * Box and Muller's sqrt(-2 ln u) sin(v) with v in ±π/2, where the sine has the distribution that it has on the whole
 * circle; logarithm and sine are series without branches, so that the compiler makes vectors of them.
 */
class Noise {
 public:
  Noise(uint64_t seed, uint64_t step) {
    uint64_t bits = seed;
    for (uint64_t part : {step, uint64_t(0)}) {  // the finalizer of SplitMix64
      bits += (part + 1) * 0x9E3779B97F4A7C15u;
      bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
      bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
      bits ^= bits >> 31;
    }
    first_key_ = uint32_t(bits);
    second_key_ = uint32_t(bits >> 32);
  }

  float at(uint32_t index) const {
    const uint32_t one = mixed(index ^ first_key_), two = mixed(one + second_key_);
    const float u = (float(int32_t(one >> 1)) + 0.5f) * (1 / 2147483648.0f);
    const float v = float(int32_t(two)) * float(M_PI / 4294967296.0);
    return std::sqrt(-2 * logarithm(u)) * sine(v);
  }

 private:
  uint32_t first_key_, second_key_;

  static uint32_t mixed(uint32_t x) {
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15)) * 0x846CA68Bu;
    return x ^ (x >> 16);
  }

  /** 2 artanh(s) of the mantissa m in (0.7, 1.5), s = (m - 1) / (m + 1), and the exponent's share. */
  static float logarithm(float x) {
    int32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    const int32_t exponent = (bits - 0x3F3504F3) >> 23;  // 0x3F3504F3 is sqrt(1/2)
    bits -= exponent * (1 << 23);
    float mantissa;
    std::memcpy(&mantissa, &bits, sizeof bits);
    const float s = (mantissa - 1) / (mantissa + 1), q = s * s;
    float series = 1.0f / 7 + q / 9;
    for (float next : {1.0f / 5, 1.0f / 3, 1.0f}) series = mul_add(q, series, next);
    return mul_add(0.693147181f, float(exponent), 2 * s * series);
  }

  static float sine(float x) {
    const float q = x * x;
    float series = 1 - q / 110;
    for (float divisor : {72.0f, 42.0f, 20.0f, 6.0f}) series = mul_add(-(q / divisor), series, 1.0f);
    return x * series;
  }
};

template <typename T>
struct Optimizer {
  Rule rule;
  T momentum;
  T *parameters, *state_1, *state_2;
  uint64_t seed;

  /** One step on parameters begin to end: their gradients, pulled towards 0 by `pull`, are multiplied by scale.
   *
   * `gradient` starts with that of the parameter begin; `step` counts from 1.
   */
  void update(size_t begin, size_t end, const T* gradient, T pull, T scale, double rate, int64_t step) const {
    const T lr = rate;
    T *w = parameters, *first = state_1, *second = state_2;
    const auto each = [&](const auto& body) {
      if (pull == 0) {
        for (size_t i = begin; i < end; i++) body(i, gradient[i - begin] * scale);
      } else {
        for (size_t i = begin; i < end; i++) body(i, mul_add(pull, w[i], gradient[i - begin]) * scale);
      }
    };
    switch (rule) {
      case Rule::kSgd:
        if (momentum == 0) return each([=](size_t i, T g) { w[i] = mul_add(-lr, g, w[i]); });
        return each([=, m = momentum](size_t i, T g) {
          first[i] = mul_add(m, first[i], -(lr * g));
          w[i] += first[i];
        });
      case Rule::kNag:
        if (momentum == 0) return each([=](size_t i, T g) { w[i] = mul_add(-lr, g, w[i]); });
        return each([=, m = momentum](size_t i, T g) {
          first[i] = mul_add(m, first[i], -(lr * g));
          w[i] += mul_add(m, first[i], -(lr * g));
        });
      case Rule::kRmsprop:
        return each([=](size_t i, T g) {
          first[i] = mul_add(T(0.9), first[i], (1 - T(0.9)) * g * g);
          w[i] -= lr * g / std::sqrt(first[i] + T(1e-8));
        });
      case Rule::kAdam: {
        const T corrected = rate * std::sqrt(1 - std::pow(0.999, step)) / (1 - std::pow(0.9, step));
        return each([=](size_t i, T g) {
          first[i] = mul_add(T(0.9), first[i], (1 - T(0.9)) * g);
          second[i] = mul_add(T(0.999), second[i], (1 - T(0.999)) * g * g);
          w[i] -= corrected * first[i] / (std::sqrt(second[i]) + T(1e-8));
        });
      }
      case Rule::kAdagrad:
        return each([=](size_t i, T g) {
          first[i] = mul_add(g, g, first[i]);
          w[i] -= lr * g / std::sqrt(first[i] + T(1e-7));
        });
      case Rule::kAdadelta:  // has no rate
        return each([=](size_t i, T g) {
          first[i] = mul_add(T(0.9), first[i], (1 - T(0.9)) * g * g);
          const T delta = std::sqrt(second[i] + T(1e-5)) / std::sqrt(first[i] + T(1e-5)) * g;
          second[i] = mul_add(T(0.9), second[i], (1 - T(0.9)) * delta * delta);
          w[i] -= delta;
        });
      case Rule::kDcasgd:
        return each([=, m = momentum](size_t i, T g) {
          const T compensated = mul_add(T(0.04) * g * g, w[i] - second[i], g);
          second[i] = w[i];
          if (m != 0) first[i] = mul_add(-lr, compensated, m * first[i]);
          w[i] = m != 0 ? w[i] + first[i] : mul_add(-lr, compensated, w[i]);
        });
      case Rule::kSgld:
        return each([=, deviation = T(std::sqrt(rate)), noise = Noise(seed, step)](size_t i, T g) {
          w[i] += mul_add(deviation, T(noise.at(uint32_t(i))), -(lr / 2 * g));
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

  static constexpr int kVectors = 8, kSize = kVectors * width<T>;  // numbers that stay in registers meanwhile

  void repeat(const Stretch& stretch, int times) {
    size_t start = stretch.begin;
    for (; start + kSize <= stretch.end; start += kSize) repeat(average_ + start, parameters_ + start, times);
    T average[kSize] = {}, parameters[kSize] = {};
    std::copy(average_ + start, average_ + stretch.end, average);
    std::copy(parameters_ + start, parameters_ + stretch.end, parameters);
    repeat(average, parameters, times);
    std::copy(average, average + (stretch.end - start), average_ + start);
  }

  void repeat(T* average, const T* parameters, int times) const {
    Vector<T> mean[kVectors], share[kVectors];
    for (int v = 0; v < kVectors; v++) {
      mean[v] = load(average + v * width<T>);
      share[v] = (1 - decay_) * load(parameters + v * width<T>);
    }
    for (int time = 0; time < times; time++) {
      for (int v = 0; v < kVectors; v++) mean[v] = mul_add(everywhere(decay_), mean[v], share[v]);
    }
    for (int v = 0; v < kVectors; v++) store(average + v * width<T>, mean[v]);
  }
};

}  // namespace fused
