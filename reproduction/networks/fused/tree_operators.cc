// The MXNet operators tree_network (differentiable) and tree_train (many steps of training in one call).

#include "network.h"
#include "operator_support.h"

namespace {

using namespace fused;

Squashing read_leaf(const Attributes& attributes) {
  const std::string leaf = text(attributes, "leaf");
  require(leaf == "sigmoid" || leaf == "tanh" || leaf == "identity", "leaf must be sigmoid, tanh or identity");
  return leaf == "identity" ? Squashing::kIdentity : leaf == "tanh" ? Squashing::kTanh : Squashing::kSigmoid;
}

Model read_model(const Attributes& attributes, const MXTensor& parameters) {
  const auto size = [&](const char* name) { return int(integer(attributes, name)); };
  Model model(is_first(attributes, "cell", "tree-lstm", "tree-nn"), read_leaf(attributes), size("hidden"),
              size("symbols"), size("unary"), size("binary"), size("numbers") != 0, size("decoder") != 0);
  require_parameters(model, parameters);
  return model;
}

Table read_table(MXTensor& table, const MXTensor& values, const Model& model) {
  require(table.shape.size() == 2 && table.shape[1] == 4 && values.size() == table.shape[0],
          "the table must have 4 columns, and a value for each row");
  Table result = {table.data<Row>(), int(table.shape[0])};
  result.check(model);
  return result;
}

// tree_network

namespace network {

enum { kParameters, kTable, kValues, kExamples, kAnswers, kMask, kInputs };

template <typename T>
Batch<T> read_batch(const Attributes& attributes, MXTensor* inputs, const Model& model) {
  const int64_t pairs = integer(attributes, "pairs"), decoded = inputs[kExamples].size() - 2 * pairs;
  require(pairs >= 0 && decoded >= 0 && inputs[kAnswers].size() == pairs + decoded + 2 &&
              inputs[kMask].size() == model.hidden && (model.has_decoder || decoded == 0),
          "examples, answers, mask and pairs do not fit together");
  const T* answers = inputs[kAnswers].data<T>();
  const T* weights = answers + pairs + decoded;
  return {int(pairs), int(decoded), inputs[kExamples].data<int32_t>(), answers, inputs[kMask].data<T>(),
          double(weights[0]), double(weights[1])};
}

MXReturnValue forward(const Attributes& attributes, Tensors* inputs, Tensors* outputs, const OpResource&) {
  return with_type(inputs->at(0), [&](auto zero) {
    using T = decltype(zero);
    MXTensor* in = inputs->data();
    const Model model = read_model(attributes, in[kParameters]);
    const Table table = read_table(in[kTable], in[kValues], model);
    const auto batch = read_batch<T>(attributes, in, model);
    Network<T> network(model, table, in[kValues].data<T>());
    network.forward(in[kParameters].data<T>(), batch);
    T* report = outputs->at(0).data<T>();
    report[0] = T(network.logistic_loss(batch));
    report[1] = T(network.squared_loss(batch));
    std::copy(network.logits.begin(), network.logits.end(), report + 2);
    std::copy(network.numbers.begin(), network.numbers.end(), report + 2 + batch.pairs);
  });
}

/** The way forward again, and back; the inputs are the gradient of the report, then those of `forward`. */
MXReturnValue backward(const Attributes& attributes, Tensors* inputs, Tensors* outputs, const OpResource&) {
  return with_type(inputs->at(1), [&](auto zero) {
    using T = decltype(zero);
    const T* d_report = inputs->at(0).data<T>();
    MXTensor* in = inputs->data() + 1;
    const Model model = read_model(attributes, in[kParameters]);
    const Table table = read_table(in[kTable], in[kValues], model);
    const auto batch = read_batch<T>(attributes, in, model);
    Network<T> network(model, table, in[kValues].data<T>());
    network.forward(in[kParameters].data<T>(), batch);
    network.start_from_losses(batch, d_report[0], d_report[1]);
    for (int pair = 0; pair < batch.pairs; pair++) network.d_logits[pair] += d_report[2 + pair];
    for (int row = 0; row < batch.decoded; row++) network.d_numbers[row] += d_report[2 + batch.pairs + row];
    network.backward();
    for (MXTensor& gradient : *outputs) {  // every input must have a gradient; all but the first one's is 0
      const size_t size = gradient.dtype == mxnet::ext::kInt32 ? sizeof(int32_t) : sizeof(T);
      std::memset(gradient.data_ptr, 0, gradient.size() * size);
    }
    GradientWriter<T> writer(outputs->at(kParameters).data<T>());
    for (int block = 0; block < int(model.blocks().size()); block++) {
      if (network.uses(block)) network.block_gradient(block, writer);
    }
  });
}

MXReturnValue types(const Attributes&, std::vector<int>* inputs, std::vector<int>* outputs) {
  return infer_types(inputs, outputs, {kTable, kExamples});
}

MXReturnValue shapes(const Attributes& attributes, Shapes* inputs, Shapes* outputs) {
  return guarded([&] {
    require(inputs->at(kExamples).size() == 1, "examples must be a vector");
    outputs->at(0) = {unsigned(2 + inputs->at(kExamples)[0] - integer(attributes, "pairs"))};
  });
}

REGISTER_OP(tree_network)
    .setForward(forward, "cpu")
    .setBackward(backward, "cpu")
    .setParseAttrs(has_inputs<kInputs>)
    .setInferType(types)
    .setInferShape(shapes);

}  // namespace network

// tree_train

namespace training {

constexpr int kValues = kTrainingInputs;

MXReturnValue forward(const Attributes& attributes, Tensors* inputs, Tensors* outputs, const OpResource&) {
  return with_type(inputs->at(0), [&](auto zero) {
    using T = decltype(zero);
    MXTensor* in = inputs->data();
    const Model model = read_model(attributes, in[kParameters]);
    const Table table = read_table(in[kTable], in[kValues], model);
    Network<T> network(model, table, in[kValues].data<T>());
    train(attributes, in, model, network, outputs->at(0).data<T>());
  });
}

REGISTER_OP(tree_train)
    .setForward(forward, "cpu")
    .setParseAttrs(has_inputs<kValues + 1>)
    .setInferType(training_types)
    .setInferShape(training_shapes)
    .setMutateInputs(changed_inputs);

}  // namespace training
}  // namespace
