// The MXNet operators tree_network (differentiable) and tree_train (many steps of training in one call).

#include <string>
#include <unordered_map>

#include "mxnet/lib_api.h"
#include "trainer.h"

namespace {

using mxnet::ext::MXReturnValue;
using mxnet::ext::MXTensor;
using mxnet::ext::OpResource;
using Attributes = std::unordered_map<std::string, std::string>;
using Tensors = std::vector<MXTensor>;
using Shapes = std::vector<std::vector<unsigned int>>;

const std::string& text(const Attributes& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) throw std::invalid_argument("attribute '" + name + "' is missing");
  return found->second;
}
double real(const Attributes& attributes, const std::string& name) { return std::stod(text(attributes, name)); }
int64_t integer(const Attributes& attributes, const std::string& name) { return std::stoll(text(attributes, name)); }

void require(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument(what);
}

/** Calls body; an exception becomes MXNet's error. */
template <typename Body>
MXReturnValue guarded(const Body& body) {
  try {
    body();
    return mxnet::ext::MX_SUCCESS;
  } catch (const std::exception& error) {
    MX_ERROR_MSG << error.what();
    return mxnet::ext::MX_FAIL;
  }
}

/** Calls body(T()) with the type of the parameters. */
template <typename Body>
MXReturnValue with_type(const MXTensor& parameters, const Body& body) {
  return guarded([&] {
    require(parameters.dtype == mxnet::ext::kFloat32 || parameters.dtype == mxnet::ext::kFloat64,
            "parameters must be float32 or float64");
    parameters.dtype == mxnet::ext::kFloat32 ? body(float()) : body(double());
  });
}

fused::Model read_model(const Attributes& attributes, const MXTensor& parameters) {
  const std::string& cell = text(attributes, "cell");
  require(cell == "tree-lstm" || cell == "tree-nn", "cell must be tree-lstm or tree-nn");
  const auto size = [&](const char* name) { return int(integer(attributes, name)); };
  fused::Model model(cell == "tree-lstm", size("hidden"), size("symbols"), size("unary"), size("binary"),
                     size("numbers") != 0, size("decoder") != 0);
  const int64_t wanted = int64_t(model.parameters()), given = parameters.size();
  require(given == wanted, "there must be " + std::to_string(wanted) + " parameters, not " + std::to_string(given));
  return model;
}

fused::Table read_table(MXTensor& table, const MXTensor& values, const fused::Model& model) {
  require(table.shape.size() == 2 && table.shape[1] == 4 && values.size() == table.shape[0],
          "the table must have 4 columns, and a value for each row");
  fused::Table result = {table.data<fused::Row>(), int(table.shape[0])};
  result.check(model);
  return result;
}

/** The type of every input and output: T of the first input, but int32 for the inputs named. */
MXReturnValue infer_types(std::vector<int>* inputs, std::vector<int>* outputs, const std::vector<int>& integers) {
  const int type = inputs->at(0);
  std::fill(inputs->begin(), inputs->end(), type);
  for (int index : integers) inputs->at(index) = mxnet::ext::kInt32;
  outputs->at(0) = type;
  return mxnet::ext::MX_SUCCESS;
}

// tree_network

namespace network {

enum { kParameters, kTable, kValues, kExamples, kAnswers, kMask, kInputs };

template <typename T>
fused::Batch<T> read_batch(const Attributes& attributes, MXTensor* inputs, const fused::Model& model) {
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
    const fused::Model model = read_model(attributes, in[kParameters]);
    const fused::Table table = read_table(in[kTable], in[kValues], model);
    const auto batch = read_batch<T>(attributes, in, model);
    fused::Network<T> network(model, table, in[kValues].data<T>());
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
    const fused::Model model = read_model(attributes, in[kParameters]);
    const fused::Table table = read_table(in[kTable], in[kValues], model);
    const auto batch = read_batch<T>(attributes, in, model);
    fused::Network<T> network(model, table, in[kValues].data<T>());
    network.forward(in[kParameters].data<T>(), batch);
    network.start_from_losses(batch, d_report[0], d_report[1]);
    for (int pair = 0; pair < batch.pairs; pair++) network.d_logits[pair] += d_report[2 + pair];
    for (int row = 0; row < batch.decoded; row++) network.d_numbers[row] += d_report[2 + batch.pairs + row];
    network.backward();
    for (MXTensor& gradient : *outputs) {  // every input must have a gradient; all but the first one's is 0
      const size_t size = gradient.dtype == mxnet::ext::kInt32 ? sizeof(int32_t) : sizeof(T);
      std::memset(gradient.data_ptr, 0, gradient.size() * size);
    }
    for (int block = 0; block < int(model.blocks().size()); block++) {
      if (network.uses(block)) network.block_gradient(block, outputs->at(kParameters).data<T>());
    }
  });
}

MXReturnValue parse(const Attributes&, int* inputs, int* outputs) {
  *inputs = kInputs;
  *outputs = 1;
  return mxnet::ext::MX_SUCCESS;
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
    .setParseAttrs(parse)
    .setInferType(types)
    .setInferShape(shapes);

}  // namespace network

// tree_train

namespace training {

enum {
  kParameters, kState1, kState2, kAverage, kTable, kValues, kExamples, kSizes, kAnswers, kMasks, kRates, kInputs
};

template <typename T>
fused::Optimizer<T> read_optimizer(const Attributes& attributes, MXTensor* inputs) {
  const fused::Rule rule = fused::rule_called(text(attributes, "optimizer"));
  const double momentum = real(attributes, "momentum");
  for (int number : {1, 2}) {
    const int64_t wanted = fused::has_state(rule, number, momentum) ? inputs[kParameters].size() : 1;
    require(inputs[kParameters + number].size() == wanted,
            "state_" + std::to_string(number) + " must have " + std::to_string(wanted) + " numbers");
  }
  return {rule, T(momentum), inputs[kParameters].data<T>(), inputs[kState1].data<T>(), inputs[kState2].data<T>(),
          uint64_t(integer(attributes, "seed"))};
}

/** The batches of a call, one after the other. */
template <typename T>
std::vector<fused::Batch<T>> read_batches(MXTensor* inputs, const fused::Model& model, double numeric_weight) {
  const int32_t *examples = inputs[kExamples].data<int32_t>(), *sizes = inputs[kSizes].data<int32_t>();
  const T *answers = inputs[kAnswers].data<T>(), *masks = inputs[kMasks].data<T>();
  const int64_t count = inputs[kSizes].shape[0];
  require(inputs[kSizes].size() == 2 * count && inputs[kRates].size() == count &&
              inputs[kMasks].size() == count * model.hidden, "sizes, masks and rates do not fit together");
  std::vector<fused::Batch<T>> batches;
  int64_t rows = 0, results = 0;
  for (int64_t number = 0; number < count; number++) {
    const int pairs = sizes[2 * number], decoded = sizes[2 * number + 1];
    require(pairs >= 0 && decoded >= 0 && pairs + decoded > 0 && (model.has_decoder || decoded == 0),
            "the sizes of batch " + std::to_string(number) + " are wrong");
    const double weight = 1.0 / (pairs + decoded);
    batches.push_back({pairs, decoded, examples + rows, answers + results, masks + number * model.hidden, weight,
                       numeric_weight * weight});
    rows += batches.back().rows();
    results += pairs + decoded;
  }
  require(rows == inputs[kExamples].size() && results == inputs[kAnswers].size(),
          "examples and answers do not have the sizes of the batches");
  return batches;
}

template <typename T>
T count_hits(const fused::Network<T>& network, const fused::Batch<T>& batch) {
  int hits = 0;
  for (int pair = 0; pair < batch.pairs; pair++) hits += (network.logits[pair] > 0) == (batch.answers[pair] > T(0.5));
  return T(hits);
}

MXReturnValue forward(const Attributes& attributes, Tensors* inputs, Tensors* outputs, const OpResource&) {
  return with_type(inputs->at(0), [&](auto zero) {
    using T = decltype(zero);
    MXTensor* in = inputs->data();
    const fused::Model model = read_model(attributes, in[kParameters]);
    const fused::Table table = read_table(in[kTable], in[kValues], model);
    const auto batches = read_batches<T>(in, model, real(attributes, "numeric_weight"));
    const T averaging = T(real(attributes, "averaging"));
    require(in[kAverage].size() == (averaging ? in[kParameters].size() : 1), "average has the wrong size");
    T* parameters = in[kParameters].data<T>();
    fused::Trainer<T> trainer(model, {real(attributes, "l2"), real(attributes, "clip")},
                              read_optimizer<T>(attributes, in),
                              {averaging, in[kAverage].data<T>(), parameters, model.blocks()});
    fused::Network<T> network(model, table, in[kValues].data<T>());
    const double rescale = real(attributes, "sum_gradients");
    const int64_t steps = integer(attributes, "steps");
    T* report = outputs->at(0).data<T>();
    for (int number = 0; number < int(batches.size()); number++) {
      network.forward(parameters, batches[number]);
      network.start_from_losses(batches[number]);
      network.backward();
      *report++ = T(network.logistic_loss(batches[number]));
      *report++ = T(network.squared_loss(batches[number]));
      *report++ = count_hits(network, batches[number]);
      trainer.step(network, in[kRates].data<T>()[number], rescale, number, steps + number + 1);
    }
    trainer.finish(int(batches.size()));
  });
}

MXReturnValue parse(const Attributes&, int* inputs, int* outputs) {
  *inputs = kInputs;
  *outputs = 1;
  return mxnet::ext::MX_SUCCESS;
}

MXReturnValue types(const Attributes&, std::vector<int>* inputs, std::vector<int>* outputs) {
  return infer_types(inputs, outputs, {kTable, kExamples, kSizes});
}

MXReturnValue shapes(const Attributes&, Shapes* inputs, Shapes* outputs) {
  return guarded([&] {
    require(inputs->at(kSizes).size() == 2, "sizes must have a row a batch");
    outputs->at(0) = {inputs->at(kSizes)[0], 3};
  });
}

MXReturnValue mutated(const Attributes&, std::vector<int>* indices) {
  *indices = {kParameters, kState1, kState2, kAverage};
  return mxnet::ext::MX_SUCCESS;
}

REGISTER_OP(tree_train)
    .setForward(forward, "cpu")
    .setParseAttrs(parse)
    .setInferType(types)
    .setInferShape(shapes)
    .setMutateInputs(mutated);

}  // namespace training
}  // namespace

MXReturnValue initialize(int version) {
  if (version >= 10700) return mxnet::ext::MX_SUCCESS;
  MX_ERROR_MSG << "MXNet 1.7 or newer is needed, this is " << version;
  return mxnet::ext::MX_FAIL;
}
