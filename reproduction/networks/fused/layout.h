// Where the parameters of a model lie in one flat vector.
#pragma once

#include <cstddef>
#include <vector>

namespace fused {

/** A stretch of the flat parameters; only weights are pulled towards 0 by L2. */
struct Stretch {
  size_t begin, end;
  bool is_weight;
};

/** Parameters that a batch uses together or not at all: those of a function, or of another part of the model. */
using Block = std::vector<Stretch>;

/** The blocks of a model, laid out one stretch after the other. */
class Layout {
 public:
  const std::vector<Block>& blocks() const { return blocks_; }
  const Block& block(int number) const { return blocks_[number]; }
  size_t begin(int block, int stretch) const { return blocks_[block][stretch].begin; }
  size_t parameters() const { return parameters_; }

 protected:
  explicit Layout(int blocks) : blocks_(blocks) {}

  void add(int block, size_t size, bool is_weight) {
    blocks_[block].push_back({parameters_, parameters_ + size, is_weight});
    parameters_ += size;
  }

 private:
  std::vector<Block> blocks_;
  size_t parameters_ = 0;
};

}  // namespace fused
