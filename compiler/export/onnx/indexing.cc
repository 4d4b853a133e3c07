// Ops that read or write at given indices (gather, scatter), or find indices (top_k).
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "compiler/export/onnx/op_table.h"

namespace synap_internal::onnx_export {
namespace {

absl::Status WriteGather(OpContext& context) {
  context.Output("Gather", {context.Input(0), context.Input(1)},
                 {{"axis", context.attributes().Int("axis", 0)}},
                 IdentityOrder(context.output_type().shape.rank()));
  return absl::OkStatus();
}

// ScatterND's indices are lists of coordinates: here of one.
absl::Status WriteScatter(OpContext& context) {
  std::vector<int64_t> places = context.type(1).shape.dims();
  places.push_back(1);
  const std::string indices =
      context.Emit("Reshape", {context.Input(1), context.Ints("/places", places)}, {});
  const std::string reduction = context.attributes().String("reduction", "none");
  // Before opset 16 there is no attribute.
  Attributes attributes;
  if (reduction != "none" || context.opset() >= 16) attributes["reduction"] = reduction;
  context.Output("ScatterND", {context.Input(0), indices, context.Input(2)}, attributes,
                 IdentityOrder(context.output_type().shape.rank()));
  return absl::OkStatus();
}

// The second output of TopK; the first one, with the elements, isn't read.
absl::Status WriteTopK(OpContext& context) {
  AttributeReader& reader = context.attributes();
  const int64_t k = reader.RequiredInt("k"), largest = reader.Int("largest", 1);
  RETURN_IF_ERROR(reader.Finish());
  const Order order = IdentityOrder(context.output_type().shape.rank());
  const std::string x = context.Input(0), count = context.Ints("/k", {k});
  const std::string values = context.Name("/values");
  const Op& op = context.op();
  context.writer().AddNode(
      "TopK", op.LayerName(), {x, count}, {values, context.views().Bind(op.output(), order)},
      {{"axis", int64_t{-1}}, {"largest", largest}, {"sorted", int64_t{1}}}, op.origins);
  return absl::OkStatus();
}

constexpr OpMapping kIndexingMappings[] = {
    {"gather", WriteGather},
    {"scatter", WriteScatter},
    {"top_k", WriteTopK},
};

}  // namespace

absl::Span<const OpMapping> IndexingMappings() { return kIndexingMappings; }

}  // namespace synap_internal::onnx_export
