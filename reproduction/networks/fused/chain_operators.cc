// The MXNet operators chain_network (the logits of pairs of sequences) and chain_train (many steps in one call).

#include "chain.h"
#include "operator_support.h"

namespace {

using namespace fused;

ChainModel read_model(const Attributes& attributes, const MXTensor& parameters) {
  ChainModel model(is_first(attributes, "cell", "lstm", "rnn"), is_first(attributes, "reading", "equation", "sides"),
                   int(integer(attributes, "hidden")), int(integer(attributes, "tokens")));
  require_parameters(model, parameters);
  return model;
}

PrefixTable read_table(MXTensor& table, const ChainModel& model) {
  require(table.shape.size() == 2 && table.shape[1] == 3, "the table must have 3 columns");
  PrefixTable result = {table.data<Prefix>(), int(table.shape[0])};
  result.check(model);
  return result;
}

// chain_network

namespace network {

enum { kParameters, kTable, kEnds, kInputs };

MXReturnValue forward(const Attributes& attributes, Tensors* inputs, Tensors* outputs, const OpResource&) {
  return with_type(inputs->at(0), [&](auto zero) {
    using T = decltype(zero);
    MXTensor* in = inputs->data();
    const ChainModel model = read_model(attributes, in[kParameters]);
    const PrefixTable table = read_table(in[kTable], model);
    const int64_t ends = in[kEnds].size();
    require(ends % model.sequences == 0, "there must be as many sides on the right as on the left");
    ChainNetwork<T> network(model, table);
    network.forward(in[kParameters].data<T>(),
                    {int(ends / model.sequences), 0, in[kEnds].data<int32_t>(), nullptr, nullptr, 1.0, 0.0});
    std::copy(network.logits.begin(), network.logits.end(), outputs->at(0).data<T>());
  });
}

MXReturnValue types(const Attributes&, std::vector<int>* inputs, std::vector<int>* outputs) {
  return infer_types(inputs, outputs, {kTable, kEnds});
}

MXReturnValue shapes(const Attributes& attributes, Shapes* inputs, Shapes* outputs) {
  return guarded([&] {
    require(inputs->at(kEnds).size() == 1, "ends must be a vector");
    outputs->at(0) = {inputs->at(kEnds)[0] / (is_first(attributes, "reading", "equation", "sides") ? 1 : 2)};
  });
}

REGISTER_OP(chain_network)
    .setForward(forward, "cpu")
    .setParseAttrs(has_inputs<kInputs>)
    .setInferType(types)
    .setInferShape(shapes);

}  // namespace network

// chain_train

namespace training {

MXReturnValue forward(const Attributes& attributes, Tensors* inputs, Tensors* outputs, const OpResource&) {
  return with_type(inputs->at(0), [&](auto zero) {
    using T = decltype(zero);
    MXTensor* in = inputs->data();
    const ChainModel model = read_model(attributes, in[kParameters]);
    const PrefixTable table = read_table(in[kTable], model);
    ChainNetwork<T> network(model, table);
    train(attributes, in, model, network, outputs->at(0).data<T>());
  });
}

REGISTER_OP(chain_train)
    .setForward(forward, "cpu")
    .setParseAttrs(has_inputs<kTrainingInputs>)
    .setInferType(training_types)
    .setInferShape(training_shapes)
    .setMutateInputs(changed_inputs);

}  // namespace training
}  // namespace
