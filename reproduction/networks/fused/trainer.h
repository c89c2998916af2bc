// Steps of training: the gradient of a batch, L2, clipping, the optimizer and the average, block by block.
#pragma once

#include "optimizers.h"

namespace fused {

/** What is done to gradients before the optimizer; 0 is nothing. */
struct Regularization {
  double l2, clip;
};

template <typename T>
class Trainer {
 public:
  Trainer(const Layout& layout, const Regularization& settings, Optimizer<T> optimizer, Average<T> average)
      : layout_(layout),
        settings_(settings),
        optimizer_(optimizer),
        average_(average),
        gradient_(layout.parameters()) {}

  /** One step from the gradients that the network has; `here` counts from 0 in this call, `step` from 1 in all. */
  template <typename Network>
  void step(Network& network, double rate, double rescale, int here, int64_t step) {
    const auto update = [&](int block, double scale) {
      average_.catch_up(block, here);
      for (const Stretch& stretch : layout_.block(block)) {
        optimizer_.update(stretch.begin, stretch.end, gradient_.data(), T(scale * rescale), rate, step);
      }
    };
    double squares = 0;
    for (int block = 0; block < int(layout_.blocks().size()); block++) {
      if (!network.uses(block)) continue;
      network.block_gradient(block, gradient_.data());
      add_l2(block);
      if (settings_.clip > 0) {
        squares += sum_of_squares(block);
      } else {
        update(block, 1);  // while the block's gradient is in the cache
      }
    }
    if (settings_.clip <= 0) return;
    const double ratio = settings_.clip / (std::sqrt(squares) + 1e-12);
    for (int block = 0; block < int(layout_.blocks().size()); block++) {
      if (network.uses(block)) update(block, ratio > 1 ? 1 : ratio);
    }
  }

  void finish(int steps) { average_.catch_up_all(steps); }

 private:
  const Layout& layout_;
  const Regularization settings_;
  const Optimizer<T> optimizer_;
  Average<T> average_;
  std::vector<T> gradient_;  // only what the batch uses is written and read

  void add_l2(int block) {
    if (settings_.l2 == 0) return;
    for (const Stretch& stretch : layout_.block(block)) {
      if (!stretch.is_weight) continue;
      for (size_t i = stretch.begin; i < stretch.end; i++) {
        gradient_[i] = mul_add(T(settings_.l2), optimizer_.parameters[i], gradient_[i]);
      }
    }
  }

  double sum_of_squares(int block) const {
    double sum = 0;
    for (const Stretch& stretch : layout_.block(block)) {
      const T* gradient = gradient_.data();
      Vector<T> lanes = {};
      size_t i = stretch.begin;
      for (; i + width<T> <= stretch.end; i += width<T>) {
        lanes = mul_add(load(gradient + i), load(gradient + i), lanes);
      }
      for (int lane = 0; lane < width<T>; lane++) sum += lanes[lane];
      for (; i < stretch.end; i++) sum += gradient[i] * gradient[i];
    }
    return sum;
  }
};

}  // namespace fused
