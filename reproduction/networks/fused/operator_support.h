// What the operators share: their attributes and tensors read with care, and the steps of a call that trains.
#pragma once

#include <string>
#include <unordered_map>

#include "mxnet/lib_api.h"
#include "trainer.h"

namespace fused {

using mxnet::ext::MXReturnValue;
using mxnet::ext::MXTensor;
using mxnet::ext::OpResource;
using Attributes = std::unordered_map<std::string, std::string>;
using Tensors = std::vector<MXTensor>;
using Shapes = std::vector<std::vector<unsigned int>>;

inline const std::string& text(const Attributes& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) throw std::invalid_argument("attribute '" + name + "' is missing");
  return found->second;
}
inline double real(const Attributes& attributes, const std::string& name) { return std::stod(text(attributes, name)); }
inline int64_t integer(const Attributes& attributes, const std::string& name) {
  return std::stoll(text(attributes, name));
}

inline void require(bool holds, const std::string& what) {
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

inline void require_parameters(const Layout& layout, const MXTensor& parameters) {
  const int64_t wanted = int64_t(layout.parameters()), given = parameters.size();
  require(given == wanted, "there must be " + std::to_string(wanted) + " parameters, not " + std::to_string(given));
}

/** Whether an attribute that is one of two words is the first. */
inline bool is_first(const Attributes& attributes, const std::string& name, const std::string& first,
                     const std::string& second) {
  const std::string& word = text(attributes, name);
  require(word == first || word == second, name + " must be " + first + " or " + second);
  return word == first;
}

/** The type of every input and output: T of the first input, but int32 for the inputs named. */
inline MXReturnValue infer_types(std::vector<int>* inputs, std::vector<int>* outputs,
                                 const std::vector<int>& integers) {
  const int type = inputs->at(0);
  std::fill(inputs->begin(), inputs->end(), type);
  for (int index : integers) inputs->at(index) = mxnet::ext::kInt32;
  outputs->at(0) = type;
  return mxnet::ext::MX_SUCCESS;
}

template <int COUNT>
MXReturnValue has_inputs(const Attributes&, int* inputs, int* outputs) {
  *inputs = COUNT;
  *outputs = 1;
  return mxnet::ext::MX_SUCCESS;
}

// A call that trains: many batches, a gradient and a step each.

enum {
  kParameters, kState1, kState2, kAverage, kTable, kExamples, kSizes, kAnswers, kMasks, kRates, kTrainingInputs
};

inline MXReturnValue training_types(const Attributes&, std::vector<int>* inputs, std::vector<int>* outputs) {
  return infer_types(inputs, outputs, {kTable, kExamples, kSizes});
}

inline MXReturnValue training_shapes(const Attributes&, Shapes* inputs, Shapes* outputs) {
  return guarded([&] {
    require(inputs->at(kSizes).size() == 2, "sizes must have a row a batch");
    outputs->at(0) = {inputs->at(kSizes)[0], 3};
  });
}

inline MXReturnValue changed_inputs(const Attributes&, std::vector<int>* indices) {
  *indices = {kParameters, kState1, kState2, kAverage};
  return mxnet::ext::MX_SUCCESS;
}

template <typename T>
Optimizer<T> read_optimizer(const Attributes& attributes, MXTensor* inputs) {
  const Rule rule = rule_called(text(attributes, "optimizer"));
  const double momentum = real(attributes, "momentum");
  for (int number : {1, 2}) {
    const int64_t wanted = has_state(rule, number, momentum) ? inputs[kParameters].size() : 1;
    require(inputs[kParameters + number].size() == wanted,
            "state_" + std::to_string(number) + " must have " + std::to_string(wanted) + " numbers");
  }
  return {rule, T(momentum), inputs[kParameters].data<T>(), inputs[kState1].data<T>(), inputs[kState2].data<T>(),
          uint64_t(integer(attributes, "seed"))};
}

/** The batches of a call, one after the other. */
template <typename T, typename AnyModel>
std::vector<Batch<T>> read_batches(const Attributes& attributes, MXTensor* inputs, const AnyModel& model) {
  const int32_t *examples = inputs[kExamples].data<int32_t>(), *sizes = inputs[kSizes].data<int32_t>();
  const T *answers = inputs[kAnswers].data<T>(), *masks = inputs[kMasks].data<T>();
  const int64_t count = inputs[kSizes].shape[0];
  const double numeric_weight = real(attributes, "numeric_weight");
  require(inputs[kSizes].size() == 2 * count && inputs[kRates].size() == count &&
              inputs[kMasks].size() == count * model.mask_size(),
          "sizes, masks and rates do not fit together");
  std::vector<Batch<T>> batches;
  int64_t rows = 0, results = 0;
  for (int64_t number = 0; number < count; number++) {
    const int pairs = sizes[2 * number], decoded = sizes[2 * number + 1];
    require(pairs >= 0 && decoded >= 0 && pairs + decoded > 0 && (model.has_decoder || decoded == 0),
            "the sizes of batch " + std::to_string(number) + " are wrong");
    const double weight = 1.0 / (pairs + decoded);
    batches.push_back({pairs, decoded, examples + rows, answers + results, masks + number * model.mask_size(), weight,
                       numeric_weight * weight});
    rows += model.sequences * pairs + decoded;
    results += pairs + decoded;
  }
  require(rows == inputs[kExamples].size() && results == inputs[kAnswers].size(),
          "examples and answers do not have the sizes of the batches");
  return batches;
}

/** A gradient and a step for every batch; the report has a row a batch: both losses and how many pairs it got right. */
template <typename T, typename AnyModel, typename Network>
void train(const Attributes& attributes, MXTensor* inputs, const AnyModel& model, Network& network, T* report) {
  const std::vector<Batch<T>> batches = read_batches<T>(attributes, inputs, model);
  const T averaging = T(real(attributes, "averaging"));
  require(inputs[kAverage].size() == (averaging ? inputs[kParameters].size() : 1), "average has the wrong size");
  T* parameters = inputs[kParameters].data<T>();
  const T* rates = inputs[kRates].data<T>();
  Trainer<T> trainer(model, {real(attributes, "l2"), real(attributes, "clip")}, read_optimizer<T>(attributes, inputs),
                     {averaging, inputs[kAverage].data<T>(), parameters, model.blocks()});
  const double rescale = real(attributes, "sum_gradients");
  const int64_t steps = integer(attributes, "steps");
  for (int number = 0; number < int(batches.size()); number++) {
    const Batch<T>& batch = batches[number];
    network.forward(parameters, batch);
    network.start_from_losses(batch);
    network.backward();
    *report++ = T(network.logistic_loss(batch));
    *report++ = T(network.squared_loss(batch));
    *report++ = T(network.count_hits(batch));
    trainer.step(network, rates[number], rescale, number, steps + number + 1);
  }
  trainer.finish(int(batches.size()));
}

}  // namespace fused
