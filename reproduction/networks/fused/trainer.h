// Steps of training: the gradient of a batch, L2, clipping, the optimizer and the average, block by block.
#pragma once

#include <cassert>

#include "optimizers.h"

namespace fused {

/** What is done to gradients before the optimizer; 0 is nothing. */
struct Regularization {
  double l2, clip;
};

/** Takes steps: at once, while a piece of the gradient is in the cache, or of the whole gradient if it is clipped. */
template <typename T>
class Trainer : private GradientSink<T> {
 public:
  Trainer(const Layout& layout, const Regularization& settings, Optimizer<T> optimizer, Average<T> average)
      : layout_(layout),
        settings_(settings),
        optimizer_(optimizer),
        average_(average),
        gradient_(settings.clip > 0 ? layout.parameters() : 0) {}

  /** One step from the gradients that the network has; `here` counts from 0 in this call, `step` from 1 in all. */
  template <typename Network>
  void step(Network& network, double rate, double rescale, int here, int64_t step) {
    coming_ = {rate, rescale, step};
    double squares = 0;
    each_used_block(network, [&](int block) {
      average_.catch_up(block, here);
      network.block_gradient(block, *this);
      if (settings_.clip > 0) squares += sum_of_squares(block);
    });
    if (settings_.clip <= 0) return;
    const double ratio = settings_.clip / (std::sqrt(squares) + 1e-12);
    coming_.scale *= ratio > 1 ? 1 : ratio;
    each_used_block(network, [&](int block) {
      for (const Stretch& stretch : layout_.block(block)) {
        update(stretch.begin, stretch.end, gradient_.data() + stretch.begin, 0);
      }
    });
  }

  void finish(int steps) { average_.catch_up_all(steps); }

 private:
  struct Coming {
    double rate, scale;
    int64_t step;
  };

  const Layout& layout_;
  const Regularization settings_;
  const Optimizer<T> optimizer_;
  Average<T> average_;
  Coming coming_;
  std::vector<T> gradient_;  // if it is clipped; only what the batch uses is written and read

  template <typename Network, typename Body>
  void each_used_block(const Network& network, const Body& body) const {
    for (int block = 0; block < int(layout_.blocks().size()); block++) {
      if (network.uses(block)) body(block);
    }
  }

  void take(size_t begin, size_t size, bool is_weight) override {
    assert(begin + size <= layout_.parameters());
    const T pull = is_weight ? T(settings_.l2) : T(0);
    const T* piece = this->room(size);
    if (settings_.clip <= 0) return update(begin, begin + size, piece, pull);
    for (size_t i = 0; i < size; i++) {
      const T own = optimizer_.parameters[begin + i];
      gradient_[begin + i] = pull == 0 ? piece[i] : mul_add(pull, own, piece[i]);
    }
  }

  void update(size_t begin, size_t end, const T* gradient, T pull) const {
    optimizer_.update(begin, end, gradient, pull, T(coming_.scale), coming_.rate, coming_.step);
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
