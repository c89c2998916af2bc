// What every network is asked: whether the sides of pairs are equal, and how wrong its answers are.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace fused {

/** Pairs of rows with their labels, rows to decode with their targets, how much each counts, and the dropout mask. */
template <typename T>
struct Batch {
  int pairs, decoded;
  const int32_t* examples;  // rows of the table: lefts, rights, decoded
  const T* answers;         // labels, targets
  const T* mask;
  double weight_pairs, weight_decoded;

  int rows() const { return 2 * pairs + decoded; }
};

/** The logits of a batch's pairs, their loss, and the gradient that the way back starts from. */
template <typename T>
class Verification {
 public:
  std::vector<T> logits, d_logits;

  /** weight_pairs * Σ softplus(l) - l y, over the pairs. */
  double logistic_loss(const Batch<T>& batch) const {
    double sum = 0;
    for (int pair = 0; pair < batch.pairs; pair++) {
      const double logit = logits[pair];
      const double softplus = std::log1p(std::exp(-std::abs(logit))) + (logit > 0 ? logit : 0);
      sum += std::fma(-logit, double(batch.answers[pair]), softplus);
    }
    return batch.weight_pairs * sum;
  }

  int count_hits(const Batch<T>& batch) const {
    int hits = 0;
    for (int pair = 0; pair < batch.pairs; pair++) hits += (logits[pair] > 0) == (batch.answers[pair] > T(0.5));
    return hits;
  }

 protected:
  void start_from_logistic_loss(const Batch<T>& batch, double d_loss) {
    d_logits.resize(batch.pairs);
    for (int pair = 0; pair < batch.pairs; pair++) {
      const double probability = 1 / (1 + std::exp(-double(logits[pair])));
      d_logits[pair] = T(d_loss * batch.weight_pairs * (probability - batch.answers[pair]));
    }
  }
};

}  // namespace fused
